/// The tables of the record in PostgreSQL, by numbered migrations: each is one transaction, under a lock
/// that lets one migrate at a time.
///
/// Names are not qualified: they stand in the schema that the connection's `search_path` names first.
/// Every key begins with the tenant; text is compared by its bytes. Times are milliseconds since 1970,
/// UTC. Unsigned numbers stand as the signed ones of the same bits.
package enum ClusterSchema {
  /// The migrations that this release knows.
  package static var version: Int { migrations.count }
  /// The oldest PostgreSQL that has what is asked of it: libpq's pipelines need no more of a server.
  package static let oldestServer = 130_000

  /// The table of a kind of aggregate.
  static let tables: [String: String] = [
    "party": "parties", "ride_request": "ride_requests", "ticket": "tickets",
    "commute": "commutes",
  ]

  /// Of `pg_advisory_xact_lock`: who holds it migrates. `Moyo` in ASCII.
  static let lockKey: Int64 = 0x4D6F_796F

  struct Migration {
    var name: String
    var statements: [String]
  }

  static let migrations: [Migration] = [
    Migration(
      name: "parties, claims, events",
      statements: ["parties", "ride_requests", "tickets"].flatMap(aggregates) + [
        """
        CREATE TABLE claims (
          tenant text COLLATE "C" NOT NULL, user_id text COLLATE "C" NOT NULL,
          from_at bigint NOT NULL, through_at bigint NOT NULL,
          kind text COLLATE "C" NOT NULL, aggregate_id text COLLATE "C" NOT NULL,
          PRIMARY KEY (tenant, user_id, from_at, through_at, kind, aggregate_id))
        """,
        "CREATE INDEX claims_of_aggregates ON claims (tenant, kind, aggregate_id)",
        """
        CREATE TABLE events (
          tenant text COLLATE "C" NOT NULL, sequence bigint NOT NULL, kind text NOT NULL,
          at bigint NOT NULL, aggregate_id text COLLATE "C" NOT NULL, match_id text,
          user_ids text[] NOT NULL, version bigint NOT NULL, body bytea NOT NULL,
          PRIMARY KEY (tenant, sequence))
        """,
        "CREATE INDEX events_of_aggregates ON events (tenant, aggregate_id, sequence)",
        """
        CREATE TABLE replies (
          tenant text COLLATE "C" NOT NULL, key_high bigint NOT NULL, key_low bigint NOT NULL,
          request_hash bigint NOT NULL, aggregate_id text NOT NULL, version bigint NOT NULL,
          at bigint NOT NULL, PRIMARY KEY (tenant, key_high, key_low))
        """,
        "CREATE INDEX replies_by_age ON replies (at)",
        // The one row of a tenant that a batch locks: it orders the tenant's commits. `oldest` is the
        // oldest sequence that may still be there.
        """
        CREATE TABLE feed_heads (
          tenant text COLLATE "C" PRIMARY KEY, newest bigint NOT NULL DEFAULT 0,
          commits bigint NOT NULL DEFAULT 0, oldest bigint NOT NULL DEFAULT 1)
        """,
        // The last batch of each daemon: who lost the answer of a COMMIT finds here whether it came
        // about.
        """
        CREATE TABLE writers (
          id bigint PRIMARY KEY, batch bigint NOT NULL,
          seen timestamptz NOT NULL DEFAULT now())
        """,
        "CREATE TABLE settings (name text PRIMARY KEY, value bytea NOT NULL)",
      ]),
    Migration(name: "commutes", statements: aggregates("commutes")),
    // What daemons that follow the record cannot see of what is committed: aggregates that ended before
    // `ended_before` may be gone; who changes rows by hand raises `revision`, and all daemons load the
    // tenant's part anew.
    Migration(
      name: "following",
      statements: [
        """
        ALTER TABLE feed_heads
          ADD COLUMN ended_before bigint NOT NULL DEFAULT -9223372036854775808,
          ADD COLUMN revision bigint NOT NULL DEFAULT 0
        """
      ]),
    // By number, those of the lists of erasures (`erasures.list`) that this record has seen.
    Migration(
      name: "erasures",
      statements: ["CREATE TABLE erasures (id text COLLATE \"C\" PRIMARY KEY)"]),
  ]

  /// `bytes` is the layers' own record; all else is for SQL, or for the store.
  private static func aggregates(_ table: String) -> [String] {
    [
      """
      CREATE TABLE \(table) (
        tenant text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, version bigint NOT NULL,
        commit_no bigint NOT NULL, state text NOT NULL, owner_id text NOT NULL,
        origin_latitude float8 NOT NULL, origin_longitude float8 NOT NULL, origin_name text NOT NULL,
        destination_latitude float8, destination_longitude float8, destination_name text NOT NULL,
        starts_at bigint NOT NULL, ends_at bigint NOT NULL, seats bigint NOT NULL,
        seats_free bigint NOT NULL CHECK (seats_free BETWEEN 0 AND seats), currency text NOT NULL,
        expected_fare bigint NOT NULL, ended_at bigint, bytes bytea NOT NULL,
        PRIMARY KEY (tenant, id))
      """,
      "CREATE INDEX \(table)_by_commit ON \(table) (tenant, commit_no)",
      "CREATE INDEX \(table)_ended ON \(table) (ended_at) WHERE ended_at IS NOT NULL",
    ]
  }
}
