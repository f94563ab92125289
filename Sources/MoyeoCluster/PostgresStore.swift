package import DurableCommands
package import ObjectModel
import Threading

/// The record in PostgreSQL: the port ``AggregateStore``, for daemons that share it.
///
/// A batch is one transaction of two round trips: the first locks the tenant's row in `feed_heads`,
/// which orders its commits, and reads what the groups are checked against; the rules of the port
/// (``RecordSlice``) say what each group comes to; the second writes and commits. While the answer to a
/// COMMIT is missing nothing else is written: ``reopen()`` connects anew and looks into `writers`, where
/// each batch has left its number, for what became of it.
///
/// Every call blocks, for at most ``Options/answerMilliseconds`` and the time to connect, and none may
/// come from an event loop or from Swift's own threads.
///
/// `writing` guards the connection that commits, `reader` the one that reads, `follower` the one by
/// which others' commits are followed; `trouble` and `following` are never held while something blocks.
package final class PostgresStore: @unchecked Sendable {
  package struct Options: Sendable {
    package static let standardConnectSeconds = 3
    /// How long each host of the connection string is tried.
    package var connectSeconds = standardConnectSeconds
    /// How long an answer is waited for before its connection is given up.
    package var answerMilliseconds = 5_000
    /// Between two looks at what others commit.
    package var followMilliseconds: Int64 = 100
    /// Told the server's time with each look at what others commit.
    package var clock: ClusterClock?
    /// How many reads wait for their turn; one more is refused.
    package var waitingReads = 64
    /// Told why nothing is written, and nil when that is over; from any thread. It must not call the
    /// store.
    package var onTrouble: @Sendable (_ reason: String?) -> Void = { _ in }
    package init() {}
  }

  struct Writer {
    var link: PostgresConnection?
    /// Of the batch that was sent last.
    var batch: Int64 = 0
    /// What that batch comes to if it took effect; nil once it is known whether it did.
    var unsettled: [CommitOutcome]?
    /// Whether it cannot be settled: the server took it and may lose it again.
    var isDoubtful = false
    /// Whether nothing of it happened because the record was changed beside the commands.
    var isStale = false
    /// Whether nothing was committed on this connection yet: the server may be another one than before.
    var isNew = true
    /// Tenants that have a row in `feed_heads`.
    var tenants: Set<String> = []
  }

  let string: String
  let options: Options
  /// Names this process in `writers`.
  let id: Int64
  let writing = StateLock(Writer())
  private let reader = StateLock<PostgresConnection?>(nil)
  let follower = StateLock(Follower())
  let following = StateLock(Following())
  private struct Trouble {
    var reason: String?
    var isClosed = false
    var waitingReads = 0
    /// Until then reads are refused at once: the server did not answer a moment ago.
    var readsFrom = Nanoseconds.min
  }
  private let trouble = StateLock(Trouble())
  let clock = SystemMonotonicClock()
  static let pauseNanoseconds: Nanoseconds = 500_000_000

  /// Connects, and looks whether the schema is this release's.
  ///
  /// - Parameters:
  ///   - connection: A connection string of libpq, with several hosts if there are.
  ///   - options: Times and bounds.
  /// - Throws: ``StoreFailure``: no server takes writes, or `moyeo cluster migrate` has to be run.
  package init(connection: String, options: Options = Options()) throws(StoreFailure) {
    string = connection
    self.options = options
    id = Int64.random(in: .min ... .max)
    do throws(PostgresFailure) {
      let link = try connect()
      writing.withLock { $0.link = link }
    } catch {
      throw StoreFailure(error.description)
    }
  }

  /// What is wrong with a connection string; nil: nothing that can be told without connecting.
  package static func problem(in connection: String) -> String? {
    PostgresConnection.problem(in: connection)
  }

  /// Ends the connections. Later calls fail.
  package func close() {
    trouble.withLock {
      $0.isClosed = true
      $0.reason = "the store is closed"
    }
    stopFollowing()
    writing.withLock { $0.link = nil }
    reader.withLock { $0 = nil }
  }

  var isClosed: Bool { trouble.withLock { $0.isClosed } }

  package var isShared: Bool { true }

  package var readOnlyReason: String? { trouble.withLock { $0.reason } }

  func setReadOnly(_ text: String?) {
    let isNew = trouble.withLock { trouble in
      guard !trouble.isClosed, trouble.reason != text else { return false }
      trouble.reason = text
      return true
    }
    if isNew { options.onTrouble(text) }
  }

  // MARK: Connections

  /// A connection that writes, with a row in `writers`.
  private func connect() throws(PostgresFailure) -> PostgresConnection {
    let link = try PostgresConnection(string, connectSeconds: options.connectSeconds)
    try ClusterMigration.checkServer(link)
    let version = try ClusterMigration.version(link)
    guard version == ClusterSchema.version else {
      throw PostgresFailure(
        .refused,
        version > ClusterSchema.version
          ? "the record's schema is \(version), of a newer release; this one knows "
            + "\(ClusterSchema.version)"
          : "the record's schema is \(version), this release's is \(ClusterSchema.version): run "
            + "moyeo cluster migrate")
    }
    _ = try link.run(
      [
        // A daemon that vanished in the middle of a batch must not hold the tenant's row.
        PostgresStatement("SET idle_in_transaction_session_timeout = 5000"),
        PostgresStatement(
          "SELECT set_config('lock_timeout', $1, false)", [.text("\(options.answerMilliseconds)")]),
        PostgresStatement(
          "INSERT INTO writers (id, batch) VALUES ($1, 0) ON CONFLICT DO NOTHING",
          [.int(id)]),
      ], milliseconds: options.answerMilliseconds)
    for _ in 0..<3 { try readTime(link) }
    return link
  }

  /// Tells the server's time, in microseconds since 1970.
  static let timeStatement = PostgresStatement(
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8 AS server_time")

  private func readTime(_ link: PostgresConnection) throws(PostgresFailure) {
    guard let told = options.clock else { return }
    let asked = told.moment()
    let rows = try link.run([Self.timeStatement], milliseconds: options.answerMilliseconds)[0]
    told.take(microseconds: rows.int(0, 0), asked: asked, answered: told.moment())
  }

  package func reopen() throws(StoreFailure) -> BatchSettlement {
    guard !trouble.withLock({ $0.isClosed }) else { throw StoreFailure("the store is closed") }
    do throws(PostgresFailure) {
      let settlement = try writing.withLock { writer throws(PostgresFailure) -> BatchSettlement in
        if writer.link?.isLost != false || readOnlyReason != nil { writer.link = nil }
        let link: PostgresConnection
        if let known = writer.link {
          link = known
        } else {
          link = try connect()
          writer.isNew = true
        }
        writer.link = link
        return try settle(&writer, link)
      }
      setReadOnly(nil)
      return settlement
    } catch {
      let text = "PostgreSQL does not take writes: \(error)"
      setReadOnly(text)
      throw StoreFailure(text)
    }
  }

  /// What became of the batch whose answer is missing. The server may be carrying it out still: it
  /// holds the lock of this daemon's row until that has ended, one way or the other, and it began only
  /// if it has the lock.
  private func settle(
    _ writer: inout Writer, _ link: PostgresConnection
  ) throws(PostgresFailure) -> BatchSettlement {
    guard let outcomes = writer.unsettled else { return BatchSettlement(needsReload: false) }
    if writer.isStale {
      writer.unsettled = nil
      writer.isStale = false
      return BatchSettlement(
        outcomes: outcomes.map { _ in .notDone(reason: Self.staleReason) }, needsReload: true)
    }
    let rows = try link.run(
      [PostgresStatement("SELECT batch FROM writers WHERE id = $1 FOR UPDATE", [.int(id)])],
      milliseconds: options.answerMilliseconds)[0]
    defer {
      writer.unsettled = nil
      writer.isDoubtful = false
    }
    guard rows.count == 1, !writer.isDoubtful else { return BatchSettlement(needsReload: true) }
    guard rows.int(0, 0) == writer.batch else {
      return BatchSettlement(
        outcomes: outcomes.map { _ in .notDone(reason: "the connection was lost before COMMIT") },
        needsReload: false)
    }
    return BatchSettlement(outcomes: outcomes, needsReload: false)
  }

  // MARK: Reading

  /// Reads on the connection for it, connecting first where there is none; once more where the
  /// connection turns out to be gone.
  func reading<T>(
    _ body: (PostgresConnection) throws(PostgresFailure) -> T
  ) throws(StoreFailure) -> T {
    let refusal = trouble.withLock { trouble -> String? in
      if trouble.isClosed { return "the store is closed" }
      if clock.now() < trouble.readsFrom { return "PostgreSQL does not answer" }
      guard trouble.waitingReads < options.waitingReads else {
        return "\(trouble.waitingReads) reads of the record wait already"
      }
      trouble.waitingReads += 1
      return nil
    }
    if let refusal { throw StoreFailure(refusal) }
    defer { trouble.withLock { $0.waitingReads -= 1 } }
    do throws(PostgresFailure) {
      return try reader.withLock { link throws(PostgresFailure) -> T in
        // Those who waited behind one that got no answer need not find that out themselves.
        guard clock.now() >= trouble.withLock({ $0.readsFrom }) else {
          throw PostgresFailure(.lost, "PostgreSQL does not answer")
        }
        if let known = link, !known.isLost {
          do throws(PostgresFailure) { return try body(known) } catch {
            guard error.kind == .lost else { throw error }
            link = nil
          }
        }
        do throws(PostgresFailure) {
          let fresh = try PostgresConnection(string, connectSeconds: options.connectSeconds)
          link = fresh
          return try body(fresh)
        } catch {
          if error.kind == .lost { link = nil }
          trouble.withLock { $0.readsFrom = clock.now() + Self.pauseNanoseconds }
          throw error
        }
      }
    } catch {
      throw StoreFailure("the record cannot be read: \(error)")
    }
  }

  func rows(_ statement: PostgresStatement) throws(StoreFailure) -> PostgresRows {
    try reading { link throws(PostgresFailure) in
      try link.run([statement], milliseconds: options.answerMilliseconds)[0]
    }
  }
}
