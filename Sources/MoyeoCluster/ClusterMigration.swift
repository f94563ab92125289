package import ObjectModel

/// What the commands `moyeo cluster` do with a record in PostgreSQL.
package enum ClusterMigration {
  /// What there is.
  package struct Status: Hashable, Sendable {
    package var server: String
    package var serverVersion: Int
    /// Migrations that the record has; 0: it is empty.
    package var schema: Int
    /// Migrations that this release knows.
    package var wanted: Int
    /// By tenant: parties, ride requests, tickets, commutes, and the newest event.
    package var tenants: [Tenant]
  }

  package struct Tenant: Hashable, Sendable {
    package var name: String
    package var parties: Int
    package var rideRequests: Int
    package var tickets: Int
    package var commutes: Int
    package var newestEvent: UInt64

    package init(
      name: String, parties: Int, rideRequests: Int, tickets: Int, commutes: Int,
      newestEvent: UInt64
    ) {
      self.name = name
      self.parties = parties
      self.rideRequests = rideRequests
      self.tickets = tickets
      self.commutes = commutes
      self.newestEvent = newestEvent
    }
  }

  static let milliseconds = 60_000

  /// Brings the schema up to date; does nothing where it is.
  ///
  /// - Parameter connection: A connection string.
  /// - Returns: The numbers of the migrations that were run.
  /// - Throws: ``StoreFailure``, also for a schema of a newer release, which is left as it is.
  package static func migrate(_ connection: String) throws(StoreFailure) -> [Int] {
    do throws(PostgresFailure) {
      let link = try open(connection)
      var done: [Int] = []
      for index in ClusterSchema.migrations.indices {
        // Each anew: a daemon that migrates beside this one may have come first.
        if try run(ClusterSchema.migrations[index], number: index + 1, link) {
          done.append(index + 1)
        }
      }
      return done
    } catch {
      throw StoreFailure(error.description)
    }
  }

  /// - Throws: ``StoreFailure`` when PostgreSQL does not answer.
  package static func status(_ connection: String) throws(StoreFailure) -> Status {
    do throws(PostgresFailure) {
      let link = try open(connection)
      var status = Status(
        server: link.serverName, serverVersion: link.serverVersion,
        schema: try version(link), wanted: ClusterSchema.version, tenants: [])
      // Of an older release: its tables are others.
      guard status.schema == ClusterSchema.version else { return status }
      let rows = try link.run(
        [
          PostgresStatement(
            """
            SELECT tenant, newest, (SELECT count(*) FROM parties p WHERE p.tenant = h.tenant),
              (SELECT count(*) FROM ride_requests r WHERE r.tenant = h.tenant),
              (SELECT count(*) FROM tickets t WHERE t.tenant = h.tenant),
              (SELECT count(*) FROM commutes c WHERE c.tenant = h.tenant)
            FROM feed_heads h ORDER BY tenant
            """)
        ], milliseconds: milliseconds)[0]
      status.tenants = (0..<rows.count).map {
        Tenant(
          name: rows.text($0, 0), parties: Int(rows.int($0, 2)),
          rideRequests: Int(rows.int($0, 3)), tickets: Int(rows.int($0, 4)),
          commutes: Int(rows.int($0, 5)), newestEvent: rows.bits($0, 1))
      }
      return status
    } catch {
      throw StoreFailure(error.description)
    }
  }

  static func open(_ connection: String) throws(PostgresFailure) -> PostgresConnection {
    let link = try PostgresConnection(
      connection, connectSeconds: PostgresStore.Options.standardConnectSeconds)
    try checkServer(link)
    return link
  }

  static func checkServer(_ link: PostgresConnection) throws(PostgresFailure) {
    guard link.serverVersion >= ClusterSchema.oldestServer else {
      throw PostgresFailure(
        .refused,
        "the server is PostgreSQL \(link.serverVersion / 10_000), which is older than "
          + "\(ClusterSchema.oldestServer / 10_000)")
    }
    let rows = try link.run(
      [PostgresStatement("SELECT getdatabaseencoding()::text")], milliseconds: milliseconds)
    guard rows[0].text(0, 0) == "UTF8" else {
      throw PostgresFailure(
        .refused, "the database's encoding is \(rows[0].text(0, 0)); it must be UTF8")
    }
  }

  /// The number of migrations that the record has.
  static func version(_ link: PostgresConnection) throws(PostgresFailure) -> Int {
    let known = try link.run(
      [PostgresStatement("SELECT (to_regclass('schema_migrations') IS NOT NULL)::int::int8")],
      milliseconds: milliseconds)
    guard known[0].int(0, 0) == 1 else { return 0 }
    let rows = try link.run(
      [PostgresStatement("SELECT coalesce(max(number), 0) FROM schema_migrations")],
      milliseconds: milliseconds)
    return Int(rows[0].int(0, 0))
  }

  /// - Returns: Whether it was this call that ran it.
  private static func run(
    _ migration: ClusterSchema.Migration, number: Int, _ link: PostgresConnection
  ) throws(PostgresFailure) -> Bool {
    do throws(PostgresFailure) {
      _ = try link.run(
        [
          PostgresStatement("BEGIN"),
          PostgresStatement(
            "SELECT pg_advisory_xact_lock($1)", [.int(ClusterSchema.lockKey)]),
        ], milliseconds: milliseconds)
      // One round trip each: a statement is prepared against the tables that those before it made.
      _ = try link.run(
        [
          PostgresStatement(
            """
            CREATE TABLE IF NOT EXISTS schema_migrations (
              number bigint PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now())
            """)
        ], milliseconds: milliseconds)
      let known = try version(link)
      guard known <= ClusterSchema.version else {
        throw PostgresFailure(
          .refused,
          "the record's schema is \(known), of a newer release; this one knows "
            + "\(ClusterSchema.version)")
      }
      if known < number {
        for sql in migration.statements {
          _ = try link.run([PostgresStatement(sql)], milliseconds: milliseconds)
        }
        _ = try link.run(
          [
            PostgresStatement(
              "INSERT INTO schema_migrations (number, name) VALUES ($1, $2)",
              [.int(Int64(number)), .text(migration.name)])
          ], milliseconds: milliseconds)
      }
      _ = try link.run([PostgresStatement("COMMIT")], milliseconds: milliseconds)
      return known < number
    } catch {
      if error.kind == .refused {
        _ = try? link.run([PostgresStatement("ROLLBACK")], milliseconds: milliseconds)
      }
      throw error
    }
  }
}
