import GRDB

/// The tables of `moyeo.sqlite`, by numbered migrations. `user_version` counts them, so that a later
/// file is known as such before anything is changed.
///
/// Every key begins with the tenant. Times are milliseconds since 1970, UTC.
package enum StoreSchema {
  /// `Moyo`.
  package static let applicationID: Int32 = 0x4D6F_796F
  package static let version = 6

  /// The table of a kind of aggregate.
  static let tables: [String: String] = [
    "party": "parties", "ride_request": "ride_requests", "ticket": "tickets",
    "commute": "commutes",
  ]

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
    migrator.registerMigration("1 parties, claims, events") { db in
      try db.execute(sql: firstSchema)
      try run(db, "SELECT InitSpatialMetaData('WGS84')")
      try indexPlaces(db, "parties")
      try partiesMap(db)
      try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = 1")
    }
    migrator.registerMigration("2 ride requests") { db in
      try db.execute(sql: rideRequests)
      try indexPlaces(db, "ride_requests")
      try db.execute(sql: "PRAGMA user_version = 2")
    }
    migrator.registerMigration("3 the secret's fingerprint") { db in
      try db.execute(
        sql: """
          -- One row: tells whether idempotency.secret is the one that the replies were made with.
          CREATE TABLE secrets (id INTEGER PRIMARY KEY CHECK (id = 1), fingerprint INTEGER NOT NULL);
          PRAGMA user_version = 3
          """)
    }
    migrator.registerMigration("4 tickets") { db in
      try db.execute(sql: tickets)
      try indexPlaces(db, "tickets")
      try db.execute(sql: "PRAGMA user_version = 4")
    }
    migrator.registerMigration("5 erasures") { db in
      try db.execute(
        sql: """
          -- By number, those of erasures.list that this record has seen.
          CREATE TABLE erasures (id TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
          PRAGMA user_version = 5
          """)
    }
    migrator.registerMigration("6 commutes") { db in
      try db.execute(sql: commutes)
      try indexPlaces(db, "commutes")
      try db.execute(sql: "PRAGMA user_version = 6")
    }
    return migrator
  }

  private static let firstSchema = """
    -- bytes: the layers's own record; all else is for SQL and GIS, or for the store.
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
      -- a hash of origin and destination: geometry is written only when it changes
      places INTEGER NOT NULL,
      -- the newest event of the party; events.previous leads on to older ones
      last_event INTEGER NOT NULL,
      -- the rows of `claims` it holds
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
      -- in the order of the columns: integrity_check of SQLite 3.40 mistakes any other for NULLs
      PRIMARY KEY (tenant, user_id, from_at, through_at, kind, aggregate_id)
    ) WITHOUT ROWID;

    CREATE TABLE events (
      tenant TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      kind TEXT NOT NULL,
      at INTEGER NOT NULL,
      aggregate_id TEXT NOT NULL,
      match_id TEXT,
      -- a JSON array
      user_ids TEXT NOT NULL,
      version INTEGER NOT NULL,
      -- of the same aggregate; 0: none
      previous INTEGER NOT NULL,
      body BLOB NOT NULL,
      PRIMARY KEY (tenant, sequence)
    ) WITHOUT ROWID;

    -- What pruning took: the oldest sequence that may still be there.
    CREATE TABLE pruned_events (
      tenant TEXT NOT NULL PRIMARY KEY,
      oldest INTEGER NOT NULL
    ) WITHOUT ROWID;

    -- One row, written to find out whether writing works.
    CREATE TABLE probes (id INTEGER PRIMARY KEY CHECK (id = 1), opened INTEGER NOT NULL);
    """

  /// Requests of riders that wait for a party; the same columns as any aggregate's.
  private static let rideRequests = """
    CREATE TABLE ride_requests (
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
    CREATE INDEX ride_requests_ended ON ride_requests (ended_at) WHERE ended_at IS NOT NULL;
    """

  /// People who look for each other; the same columns as any aggregate's. `origin` is where others
  /// see them, 0, 0 where they are nowhere: their place itself stands in `bytes` alone.
  private static let tickets = """
    CREATE TABLE tickets (
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
    CREATE INDEX tickets_ended ON tickets (ended_at) WHERE ended_at IS NOT NULL;
    """

  /// Trips that repeat; the same columns as any aggregate's.
  private static let commutes = """
    CREATE TABLE commutes (
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
    CREATE INDEX commutes_ended ON commutes (ended_at) WHERE ended_at IS NOT NULL;
    """

  /// Geometry columns and R-trees by SpatiaLite.
  private static func indexPlaces(_ db: Database, _ table: String) throws {
    for column in ["origin", "destination"] {
      try run(db, "SELECT RecoverGeometryColumn('\(table)', '\(column)', 4326, 'POINT', 'XY')")
      try run(db, "SELECT CreateSpatialIndex('\(table)', '\(column)')")
      // They note the time of each write in one shared row: a cost for every join, of use to none.
      for trigger in ["tmi", "tmu", "tmd"] {
        try db.execute(sql: "DROP TRIGGER IF EXISTS \"\(trigger)_\(table)_\(column)\"")
      }
    }
  }

  /// A view with readable times for maps.
  private static func partiesMap(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE VIEW parties_map AS
          SELECT row, tenant, id, state, owner_id, origin_name, destination_name,
            strftime('%Y-%m-%dT%H:%M:%SZ', starts_at / 1000, 'unixepoch') AS starts,
            strftime('%Y-%m-%dT%H:%M:%SZ', ends_at / 1000, 'unixepoch') AS ends,
            seats, seats_free, currency, expected_fare, origin
          FROM parties;
        INSERT INTO views_geometry_columns
          (view_name, view_geometry, view_rowid, f_table_name, f_geometry_column, read_only)
          VALUES ('parties_map', 'origin', 'row', 'parties', 'origin', 1);
        """)
  }

  /// SpatiaLite's functions answer 1, or say nothing of what went wrong.
  private static func run(_ db: Database, _ sql: String) throws {
    guard try Int.fetchOne(db, sql: sql) == 1 else {
      throw DatabaseError(message: "SpatiaLite refused: \(sql)")
    }
  }

  /// The replies of one hour; a table of its own, so that a day later it is dropped whole. Rows are
  /// appended; where a key stands is kept in memory (``ReplyIndex``).
  static func repliesTable(hour: Int64) -> String {
    hour < 0 ? "replies_m\(-hour)" : "replies_\(hour)"
  }

  static func hour(ofRepliesTable name: String) -> Int64? {
    guard name.hasPrefix("replies_") else { return nil }
    let rest = name.dropFirst(8)
    return rest.hasPrefix("m") ? Int64(rest.dropFirst()).map { -$0 } : Int64(rest)
  }

  static func createReplies(hour: Int64) -> String {
    """
    CREATE TABLE IF NOT EXISTS \(repliesTable(hour: hour)) (
      row INTEGER PRIMARY KEY, tenant TEXT NOT NULL, key_high INTEGER NOT NULL,
      key_low INTEGER NOT NULL, request_hash INTEGER NOT NULL, aggregate_id TEXT NOT NULL,
      version INTEGER NOT NULL, at INTEGER NOT NULL)
    """
  }
}
