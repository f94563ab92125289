package import DurableCommands
package import ObjectModel
import Threading

/// What others commit: looked at ten times a second, on a connection of its own, which also holds the
/// lock of the daemon that runs timers.
extension PostgresStore: FollowedStore {
  struct Following {
    var watchers: [String: @Sendable (Result<RecordHead, StoreFailure>) -> Void] = [:]
    var thread: MaintenanceThread?
    var isLeading = false
    /// By tenant, the number of the last transaction that was sent.
    var commits: [String: Int64] = [:]
    /// By tenant, the revision of what memory was loaded from, or is about to be.
    var revisions: [String: Int64] = [:]
  }

  /// Of the advisory lock; `Moyt` in ASCII, above the number of a table of this record.
  static let leaderKey: Int64 = 0x4D6F_7974 << 32

  /// The last of a look, by which the doctor knows connections that follow.
  static let lookStatement = PostgresStatement(
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8 AS followed_until")

  private static let headColumns = "commits, oldest, newest, ended_before, revision"

  private static func head(_ rows: PostgresRows, _ row: Int, from column: Int) -> RecordHead {
    RecordHead(
      commits: rows.int(row, column), oldest: rows.bits(row, column + 1),
      newest: rows.bits(row, column + 2),
      endedBefore: Instant(milliseconds: rows.int(row, column + 3)),
      revision: rows.int(row, column + 4))
  }

  package var isLeading: Bool { following.withLock { $0.isLeading } }

  package func lastCommit(tenant: String) -> Int64? { following.withLock { $0.commits[tenant] } }

  package func head(tenant: String) throws(StoreFailure) -> RecordHead {
    let rows = try followed([
      PostgresStatement(
        "SELECT \(Self.headColumns) FROM feed_heads WHERE tenant = $1", [.text(tenant)])
    ])[0]
    let head = rows.count == 0 ? RecordHead() : Self.head(rows, 0, from: 0)
    following.withLock { $0.revisions[tenant] = head.revision }
    return head
  }

  package func news(
    tenant: String, after commits: Int64, atMost most: Int64, eventsAfter: UInt64, eventLimit: Int
  ) throws(StoreFailure) -> RecordNews {
    let kinds = ClusterSchema.tables.sorted { $0.key < $1.key }
    // Each statement sees what was committed before it began: the head comes first.
    let found = try followed(
      [
        PostgresStatement(
          "SELECT \(Self.headColumns) FROM feed_heads WHERE tenant = $1", [.text(tenant)])
      ]
        + kinds.map { _, table in
          PostgresStatement(
            """
            SELECT \(AggregateColumns.loaded) FROM \(table)
            WHERE tenant = $1 AND commit_no > $2 AND commit_no <= $3
            """,
            [.text(tenant), .int(commits), .int(commits + most)])
        } + [
          PostgresStatement(
            """
            SELECT \(EventColumns.all) FROM events WHERE tenant = $1 AND sequence > $2
            ORDER BY sequence LIMIT $3
            """, [.text(tenant), .bits(eventsAfter), .int(Int64(eventLimit))])
        ])
    var news = RecordNews(
      head: found[0].count == 0 ? RecordHead() : Self.head(found[0], 0, from: 0))
    for ((kind, _), rows) in zip(kinds, found.dropFirst()) {
      for row in 0..<rows.count {
        news.aggregates.append(
          AggregateColumns.read(rows, row, kind: AggregateKind(rawValue: kind)))
      }
    }
    let events = found[found.count - 1]
    news.events = (0..<events.count).map { EventColumns.read(events, $0) }
    return news
  }

  package func watch(
    tenant: String, _ tell: @escaping @Sendable (Result<RecordHead, StoreFailure>) -> Void
  ) {
    let isFirst = following.withLock { following in
      following.watchers[tenant] = tell
      guard following.thread == nil else { return false }
      following.thread = MaintenanceThread(
        name: "moyeo-follow", gatheringMilliseconds: 2,
        idleMilliseconds: options.followMilliseconds, work: {},
        housekeeping: { [weak self] in self?.look() })
      return true
    }
    if isFirst { following.withLock { $0.thread }?.start() }
  }

  package func stopWatching(tenant: String) {
    following.withLock { $0.watchers[tenant] = nil }
  }

  package func hurry() { following.withLock { $0.thread }?.signal() }

  func stopFollowing() {
    let thread = following.withLock { following in
      defer { following = Following() }
      return following.thread
    }
    thread?.stop()
    follower.withLock { $0.link = nil }
  }

  /// Tells the heads of all tenants that are watched, and tries to become the leader.
  private func look() {
    let watchers = following.withLock { $0.watchers }
    guard !watchers.isEmpty else { return }
    let result = Result { () throws(StoreFailure) in
      let leads = isLeading
      let lock = PostgresStatement(
        "SELECT pg_try_advisory_lock($1 | 'feed_heads'::regclass::oid::int8)::int::int8",
        [.int(Self.leaderKey)])
      let asked = options.clock?.moment() ?? 0
      let found = try followed(
        [
          PostgresStatement(
            "SELECT tenant, \(Self.headColumns) FROM feed_heads WHERE tenant = ANY($1)",
            [.texts(watchers.keys.sorted())])
        ] + (leads ? [] : [lock]) + [Self.lookStatement])
      if let told = options.clock, let time = found.last {
        told.take(microseconds: time.int(0, 0), asked: asked, answered: told.moment())
      }
      if !leads, found[1].int(0, 0) == 1 { following.withLock { $0.isLeading = true } }
      return found[0]
    }
    switch result {
    case .failure(let failure): for tell in watchers.values { tell(.failure(failure)) }
    case .success(let rows):
      var heads: [String: RecordHead] = [:]
      for row in 0..<rows.count { heads[rows.text(row, 0)] = Self.head(rows, row, from: 1) }
      for (tenant, tell) in watchers { tell(.success(heads[tenant] ?? RecordHead())) }
    }
  }

  // MARK: Connection

  struct Follower {
    var link: PostgresConnection?
    /// Until then nothing is asked: the server did not answer a moment ago.
    var pausedUntil = Nanoseconds.min
  }

  /// Runs statements on the connection for what others commit; connects first where there is none. A
  /// connection that is gone takes the leader's lock with it.
  private func followed(
    _ statements: [PostgresStatement]
  ) throws(StoreFailure) -> [PostgresRows] {
    do throws(PostgresFailure) {
      return try follower.withLock { follower throws(PostgresFailure) -> [PostgresRows] in
        guard !isClosed else { throw PostgresFailure(.lost, "the store is closed") }
        if follower.link?.isLost == true { follower.link = nil }
        guard clock.now() >= follower.pausedUntil else {
          throw PostgresFailure(.lost, "PostgreSQL does not answer")
        }
        do throws(PostgresFailure) {
          let link: PostgresConnection
          if let known = follower.link { link = known } else { link = try connectFollower() }
          follower.link = link
          return try link.run(statements, milliseconds: options.answerMilliseconds)
        } catch {
          if error.kind == .lost {
            follower.link = nil
            following.withLock { $0.isLeading = false }
            follower.pausedUntil = clock.now() + Self.pauseNanoseconds
          }
          throw error
        }
      }
    } catch {
      throw StoreFailure("what others commit cannot be read: \(error)")
    }
  }

  private func connectFollower() throws(PostgresFailure) -> PostgresConnection {
    following.withLock { $0.isLeading = false }
    let link = try PostgresConnection(string, connectSeconds: options.connectSeconds)
    // A daemon that vanished, or stands still, must not hold the leader's lock.
    var settings = [
      ("tcp_keepalives_idle", "5"), ("tcp_keepalives_interval", "2"),
      ("tcp_keepalives_count", "3"),
    ]
    if link.serverVersion >= 140_000 { settings.append(("idle_session_timeout", "10000")) }
    _ = try link.run(
      settings.map { name, value in
        PostgresStatement("SELECT set_config('\(name)', $1, false)", [.text(value)])
      }, milliseconds: options.answerMilliseconds)
    return link
  }
}
