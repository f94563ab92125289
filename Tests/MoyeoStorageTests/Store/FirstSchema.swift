/// The first schema, as its release wrote it, with a party, its rider's claim, two events and a
/// reply. Frozen: what is added later comes by migrations, and this must go on opening.
let firstSchema = """
  CREATE TABLE parties (
    row INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    origin_name TEXT NOT NULL,
    destination_name TEXT NOT NULL,
    starts_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    seats INTEGER NOT NULL,
    seats_free INTEGER NOT NULL,
    currency TEXT NOT NULL,
    expected_fare INTEGER NOT NULL,
    ended_at INTEGER,
    origin POINT NOT NULL,
    destination POINT,
    places INTEGER NOT NULL,
    last_event INTEGER NOT NULL,
    held BLOB NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (tenant, id)
  );
  CREATE INDEX parties_ended ON parties (ended_at) WHERE ended_at IS NOT NULL;

  CREATE TABLE claims (
    tenant TEXT NOT NULL,
    user_id TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    through_at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    aggregate_id TEXT NOT NULL,
    PRIMARY KEY (tenant, user_id, from_at, through_at, kind, aggregate_id)
  ) WITHOUT ROWID;

  CREATE TABLE events (
    tenant TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    aggregate_id TEXT NOT NULL,
    match_id TEXT,
    user_ids TEXT NOT NULL,
    version INTEGER NOT NULL,
    previous INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (tenant, sequence)
  ) WITHOUT ROWID;

  CREATE TABLE pruned_events (
    tenant TEXT NOT NULL PRIMARY KEY,
    oldest INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE probes (id INTEGER PRIMARY KEY CHECK (id = 1), opened INTEGER NOT NULL);
  SELECT InitSpatialMetaData('WGS84');
  SELECT RecoverGeometryColumn('parties', 'origin', 4326, 'POINT', 'XY');
  SELECT CreateSpatialIndex('parties', 'origin');
  SELECT RecoverGeometryColumn('parties', 'destination', 4326, 'POINT', 'XY');
  SELECT CreateSpatialIndex('parties', 'destination');
  CREATE VIEW parties_map AS
    SELECT row, tenant, id, state, owner_id, origin_name, destination_name,
      strftime('%Y-%m-%dT%H:%M:%SZ', starts_at / 1000, 'unixepoch') AS starts,
      strftime('%Y-%m-%dT%H:%M:%SZ', ends_at / 1000, 'unixepoch') AS ends,
      seats, seats_free, currency, expected_fare, origin
    FROM parties;
  INSERT INTO views_geometry_columns
    (view_name, view_geometry, view_rowid, f_table_name, f_geometry_column, read_only)
    VALUES ('parties_map', 'origin', 'row', 'parties', 'origin', 1);
  CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
  INSERT INTO grdb_migrations VALUES ('1 parties, claims, events');
  PRAGMA application_id = 1299151215;
  PRAGMA user_version = 1;

  CREATE TABLE replies_495833 (
    row INTEGER PRIMARY KEY, tenant TEXT NOT NULL, key_high INTEGER NOT NULL,
    key_low INTEGER NOT NULL, request_hash INTEGER NOT NULL, aggregate_id TEXT NOT NULL,
    version INTEGER NOT NULL, at INTEGER NOT NULL);
  INSERT INTO replies_495833 VALUES (1, 't', 1, 2, 77, 'old', 3, 1785000000000);
  INSERT INTO parties (tenant, id, version, state, owner_id, origin_name, destination_name,
      starts_at, ends_at, seats, seats_free, currency, expected_fare, origin, destination, places,
      last_event, held, bytes)
    VALUES ('t', 'old', 3, 'open', 'host', 'Seoul Station', 'Gangnam', 1785000000000,
      1785003600000, 4, 2, 'KRW', 15400, MakePoint(126.9707, 37.5547, 4326),
      MakePoint(127.0276, 37.4979, 4326), 1, 9,
      x'05007269646572007a4a9a9f010000e87d4a9a9f010000', x'00');
  INSERT INTO claims VALUES ('t', 'rider', 1785000000000, 1785000001000, 'party', 'old');
  INSERT INTO events VALUES
    ('t', 4, 'party.created', 1785000000000, 'old', NULL, '["host"]', 1, 0, CAST('{}' AS BLOB)),
    ('t', 9, 'party.joined', 1785000000000, 'old', NULL, '["host","rider"]', 3, 4,
      CAST('{}' AS BLOB));
  """
