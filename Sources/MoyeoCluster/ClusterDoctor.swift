package import ObjectModel
import Threading

/// Looks a record in PostgreSQL through, beside running daemons or without them, and changes nothing.
package enum ClusterDoctor {
  package struct Finding: Hashable, Sendable {
    package enum Grade: Hashable, Sendable { case fine, notice, wrong }
    package var grade: Grade
    /// What was looked at, in one or two words.
    package var subject: String
    package var text: String

    init(_ grade: Grade, _ subject: String, _ text: String) {
      self.grade = grade
      self.subject = subject
      self.text = text
    }
  }

  /// Beyond it two clocks are said to differ.
  static let skewMilliseconds: Int64 = 1000
  /// Beyond it a daemon that follows is said to be behind.
  static let lagMilliseconds: Int64 = 2000
  private static let milliseconds = 60_000

  /// - Parameters:
  ///   - connection: A connection string. No finding repeats it: it may hold a password.
  ///   - wall: This machine's clock.
  /// - Returns: Findings, the server's own first.
  package static func examine(
    _ connection: String, wall: any WallClock = SystemClock()
  ) -> [Finding] {
    do throws(PostgresFailure) {
      let link = try ClusterMigration.open(connection)
      var findings = [
        Finding(
          .fine, "postgres",
          "PostgreSQL \(link.serverVersion / 10_000).\(link.serverVersion % 10_000) at "
            + "\(link.serverName) takes writes")
      ]
      let version = try ClusterMigration.version(link)
      findings.append(schema(version))
      findings += try durability(link)
      findings.append(try clock(link, wall))
      guard version == ClusterSchema.version else { return findings }
      findings += try daemons(link)
      findings += try feed(link)
      return findings
    } catch {
      return [Finding(.wrong, "postgres", "\(error): commands are refused until it answers")]
    }
  }

  private static func schema(_ version: Int) -> Finding {
    let known = ClusterSchema.version
    guard version != known else { return Finding(.fine, "schema", "\(version), this release's") }
    return Finding(
      .wrong, "schema",
      version > known
        ? "\(version), of a newer release; this one knows \(known): use that release"
        : "\(version), this release's is \(known): run moyeo cluster migrate")
  }

  // MARK: What a commit survives

  private static func durability(_ link: PostgresConnection) throws(PostgresFailure) -> [Finding] {
    let rows = try run(
      link,
      """
      SELECT current_setting('fsync'), current_setting('full_page_writes'),
        current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
        (SELECT count(*) FROM pg_stat_replication),
        (SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')
          AND state = 'streaming'),
        (SELECT count(*) FROM pg_stat_replication WHERE state IS NULL)
      """)
    var findings: [Finding] = []
    let off = [(0, "fsync"), (1, "full_page_writes")].filter { rows.text(0, $0.0) == "off" }
    findings.append(
      off.isEmpty
        ? Finding(.fine, "disk", "commits wait for the server's disk")
        : Finding(
          .wrong, "disk",
          "\(off.map(\.1).joined(separator: " and ")) off: a power cut damages the record; turn it on"
        ))
    findings.append(
      standbys(
        commit: rows.text(0, 2), names: rows.text(0, 3), all: rows.int(0, 4),
        synchronous: rows.int(0, 5), unseen: rows.int(0, 6)))
    return findings
  }

  static func standbys(
    commit: String, names: String, all: Int64, synchronous: Int64, unseen: Int64
  ) -> Finding {
    if ["off", "local"].contains(commit), !(commit == "local" && names.isEmpty) {
      return Finding(
        .wrong, "standby",
        "synchronous_commit is \(commit): what was acknowledged may be lost; set it to on")
    }
    if names.isEmpty {
      return Finding(
        .notice, "standby",
        "none is waited for (\(all) connected): the loss of the server's machine loses what was "
          + "acknowledged last; set synchronous_standby_names")
    }
    if unseen > 0 {
      return Finding(
        .notice, "standby",
        "\(names) waited for; this role does not see which are connected: GRANT pg_monitor to it")
    }
    if synchronous == 0 {
      return Finding(
        .wrong, "standby", "\(names) waited for and none is connected: commits wait until one is")
    }
    return synchronous == 1
      ? Finding(
        .notice, "standby",
        "one is waited for (\(names)), of \(all) connected: commits wait while it is away, so run two"
      )
      : Finding(.fine, "standby", "\(synchronous) of \(all) connected are waited for (\(names))")
  }

  // MARK: Clocks

  private static func clock(
    _ link: PostgresConnection, _ wall: any WallClock
  ) throws(PostgresFailure) -> Finding {
    let monotonic = SystemMonotonicClock()
    let record = ClusterClock(monotonic: monotonic, wall: wall)
    for _ in 0..<5 {
      let asked = monotonic.now()
      let rows = try link.run([PostgresStore.timeStatement], milliseconds: milliseconds)[0]
      record.take(microseconds: rows.int(0, 0), asked: asked, answered: monotonic.now())
    }
    return clock(skew: wall.now().milliseconds - record.now().milliseconds)
  }

  static func clock(skew: Int64) -> Finding {
    guard abs(skew) > skewMilliseconds else {
      return Finding(.fine, "clock", "this machine's is \(abs(skew)) ms apart from the server's")
    }
    return Finding(
      .notice, "clock",
      "this machine's is \(abs(skew)) ms \(skew > 0 ? "ahead of" : "behind") the server's, by which "
        + "deadlines and departures go: set both by NTP")
  }

  // MARK: Daemons

  private static func daemons(_ link: PostgresConnection) throws(PostgresFailure) -> [Finding] {
    let leaders = try run(
      link,
      """
      SELECT coalesce(host(a.client_addr), 'a local socket'), coalesce(a.application_name, '')
      FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND l.granted
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND l.classid::int8 = \(PostgresStore.leaderKey >> 32)
        AND l.objid = 'feed_heads'::regclass::oid
      """)
    let following = try following(link)
    return [
      leader(leaders.count == 0 ? nil : "\(leaders.text(0, 1)) at \(leaders.text(0, 0))"),
      followers(following.count, slowest: following.slowest),
    ]
  }

  /// How many daemons follow, and for how long one has not looked at most. Between the statements of a look a
  /// daemon cannot be told from others: of several counts the greatest is right.
  private static func following(
    _ link: PostgresConnection
  ) throws(PostgresFailure) -> (count: Int, slowest: Int64) {
    var most = (count: 0, slowest: Int64(0))
    for look in 0..<5 {
      if look > 0 { _ = try run(link, "SELECT pg_sleep(0.02)") }
      let rows = try run(
        link,
        """
        SELECT count(*), coalesce(max((extract(epoch FROM clock_timestamp() - state_change) * 1000)::int8), 0)
        FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%AS followed_until'
          AND pid <> pg_backend_pid()
        """)
      let count = Int(rows.int(0, 0))
      if count > most.count { most = (count, rows.int(0, 1)) }
    }
    return most
  }

  static func leader(_ name: String?) -> Finding {
    name.map { Finding(.fine, "timers", "run by \($0)") }
      ?? Finding(.notice, "timers", "no daemon runs them now; the first that connects does")
  }

  static func followers(_ count: Int, slowest: Int64) -> Finding {
    guard count > 0 else { return Finding(.notice, "daemons", "none follows the record now") }
    let words = count == 1 ? "1 follows" : "\(count) follow"
    return slowest > lagMilliseconds
      ? Finding(
        .wrong, "daemons",
        "\(words), and one has not looked for \(slowest) ms: its readers see what was")
      : Finding(.fine, "daemons", "\(words), each looked within \(slowest) ms")
  }

  // MARK: The feed

  private static func feed(_ link: PostgresConnection) throws(PostgresFailure) -> [Finding] {
    let rows = try run(
      link,
      """
      SELECT h.tenant, h.oldest, h.newest, count(e.sequence), coalesce(max(e.sequence), h.newest)
      FROM feed_heads h LEFT JOIN events e ON e.tenant = h.tenant AND e.sequence >= h.oldest
      GROUP BY h.tenant, h.oldest, h.newest ORDER BY h.tenant
      """)
    var events: Int64 = 0
    for row in 0..<rows.count {
      let count = rows.int(row, 3)
      let wanted = rows.int(row, 2) - rows.int(row, 1) + 1
      events += count
      guard count == wanted, rows.int(row, 4) == rows.int(row, 2) else {
        return [
          Finding(
            .wrong, "events",
            "tenant \(rows.text(row, 0)) has \(count) events for \(wanted) sequences: readers of the "
              + "feed lack some; restore the record")
        ]
      }
    }
    return [Finding(.fine, "events", "\(events) of \(rows.count) tenants, without a gap")]
  }

  private static func run(
    _ link: PostgresConnection, _ sql: String
  ) throws(PostgresFailure) -> PostgresRows {
    try link.run([PostgresStatement(sql)], milliseconds: milliseconds)[0]
  }
}
