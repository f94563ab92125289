package import DurableCommands
package import ObjectModel

/// Copies a record into an empty one in PostgreSQL, in one transaction: all of it is there afterwards, or
/// nothing.
///
/// What was written is read back before COMMIT and compared by counts and digests. The digest stays in
/// `settings`, so that a second call with the same record finds it done.
package final class RecordCopy {
  package struct Report: Hashable, Sendable {
    /// Rows by what they are: `party`, `ticket`, ..., `claim`, `event`, `reply`.
    package var rows: [String: Int]
    /// A call before this one has copied the same; nothing was changed.
    package var wasThere: Bool
  }

  private static let digestName = "copied"
  private static let milliseconds = 600_000
  private static let atOnce = 1_000

  private let source: any CopiedRecord
  private let link: PostgresConnection
  private let progress: (_ done: Int, _ all: Int) -> Void
  private var done = 0
  private let all: Int

  /// - Parameters:
  ///   - source: What is copied; nobody writes to it meanwhile.
  ///   - secret: Under which its keys are hashed.
  ///   - connection: Where to; its schema is brought up to this release's.
  ///   - progress: Told how many rows were written or read back, of how many.
  /// - Returns: What is there now.
  /// - Throws: ``StoreFailure``: the target is not empty, or PostgreSQL refused; then nothing was changed
  ///   but its schema.
  package static func run(
    from source: any CopiedRecord, secret: (high: UInt64, low: UInt64), to connection: String,
    progress: @escaping (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) throws(StoreFailure) -> Report {
    _ = try ClusterMigration.migrate(connection)
    do throws(PostgresFailure) {
      let link = try ClusterMigration.open(connection)
      let copy = RecordCopy(source, link, try told { try source.rowCount() } * 2, progress)
      return try copy.run(secret)
    } catch {
      throw StoreFailure(error.description)
    }
  }

  private init(
    _ source: any CopiedRecord, _ link: PostgresConnection, _ all: Int,
    _ progress: @escaping (Int, Int) -> Void
  ) {
    self.source = source
    self.link = link
    self.all = all
    self.progress = progress
  }

  private func run(_ secret: (high: UInt64, low: UInt64)) throws(PostgresFailure) -> Report {
    do throws(PostgresFailure) {
      try send([
        .begin, PostgresStatement("SET LOCAL lock_timeout = 10000"),
        PostgresStatement(
          "LOCK TABLE \(Self.tables.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE"),
      ])
      if let earlier = try earlierDigest() {
        let digest = try digest(writes: false)
        guard digest.bytes == earlier else {
          throw PostgresFailure(
            .refused, "the target is not empty: another record was copied into it before")
        }
        try send([.rollback])
        return Report(rows: Self.counts(digest), wasThere: true)
      }
      let written = try digest(writes: true)
      try send([
        PostgresStatement(
          "INSERT INTO settings (name, value) VALUES ($1, $2), ($3, $4)",
          [
            .text(PostgresStore.idempotencySecretName), .bytes(Self.bytes(secret)),
            .text(Self.digestName), .bytes(written.bytes),
          ])
      ])
      let found = try readBack()
      guard found == written else {
        throw PostgresFailure(.refused, "what was written reads otherwise: nothing is kept of it")
      }
      try commit()
      return Report(rows: Self.counts(written), wasThere: false)
    } catch {
      if error.kind == .refused { _ = try? link.run([.rollback], milliseconds: Self.milliseconds) }
      throw error
    }
  }

  private func commit() throws(PostgresFailure) {
    do throws(PostgresFailure) { try send([.commit]) } catch {
      guard error.kind == .lost else { throw error }
      throw PostgresFailure(
        .lost, "\(error); whether the copy was committed is not known: run the same once more")
    }
    guard !link.gaveUpReplication else {
      throw PostgresFailure(
        .lost, "the server committed without waiting for its standby: see to it, then run the same")
    }
  }

  /// Of the target; locked, so that no daemon comes in between.
  private static let tables =
    ClusterSchema.tables.values.sorted() + [
      "claims", "events", "replies", "feed_heads", "erasures", "settings",
    ]

  /// What an earlier call left; nil: the target is empty.
  private func earlierDigest() throws(PostgresFailure) -> [UInt8]? {
    let rows = try run(
      PostgresStatement(
        "SELECT value FROM settings WHERE name = $1", [.text(Self.digestName)]))
    if rows.count == 1 { return rows.bytes(0, 0) }
    for table in Self.tables {
      guard try run(PostgresStatement("SELECT 1 FROM \(table) LIMIT 1")).count == 0 else {
        throw PostgresFailure(
          .refused, "the target is not empty: there are rows in \(table); nothing was changed")
      }
    }
    return nil
  }

  private static func counts(_ digest: RecordDigest) -> [String: Int] {
    digest.tables.mapValues(\.count)
  }

  private static func bytes(_ secret: (high: UInt64, low: UInt64)) -> [UInt8] {
    [secret.high, secret.low].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
  }

  // MARK: The source

  /// Reads all of the source; writes it as it goes.
  private func digest(writes: Bool) throws(PostgresFailure) -> RecordDigest {
    var digest = RecordDigest()
    for (kind, table) in ClusterSchema.tables.sorted(by: { $0.key < $1.key }) {
      try inPieces(writes, { digest.add($0) }, { AggregateColumns.upsert(table, $0) { _ in 1 } }) {
        try self.source.loadAggregates(kind: AggregateKind(rawValue: kind), $0)
      }
    }
    try inPieces(writes, { digest.add($0) }, Self.insert) { try self.source.loadClaims($0) }
    try inPieces(writes, { digest.add($0) }, ReplyColumns.insert) {
      try self.source.loadReplies($0)
    }
    for tenant in try Self.told({ try self.source.allTenants() }) {
      let bounds = try Self.told { try self.source.eventBounds(tenant: tenant) }
      digest.addFeed(tenant, oldest: bounds.oldest, newest: bounds.newest)
      try inPieces(writes, { digest.add($0) }, EventColumns.insert) {
        try self.eachEvent(of: tenant, $0)
      }
      guard writes else { continue }
      try send([
        PostgresStatement(
          "INSERT INTO feed_heads (tenant, newest, commits, oldest) VALUES ($1, $2, 1, $3)",
          [.text(tenant), .bits(bounds.newest), .bits(bounds.oldest)])
      ])
    }
    let erasures = try Self.told { try self.source.appliedErasures() }
    for id in erasures { digest.addErasure(id) }
    if writes {
      try send([
        PostgresStatement(
          "INSERT INTO erasures (id) SELECT unnest($1::text[])", [.texts(erasures.sorted())])
      ])
    }
    return digest
  }

  private func eachEvent(
    of tenant: String, _ body: (StoredEvent) throws -> Void
  ) throws {
    var after: UInt64 = 0
    while true {
      let events = try source.events(
        tenant: tenant, after: after, kinds: [], aggregateID: nil, limit: Self.atOnce)
      for event in events { try body(event) }
      guard let last = events.last else { return }
      after = last.sequence
    }
  }

  /// Takes what a reader gives, a thousand at a time.
  private func inPieces<Row>(
    _ writes: Bool, _ note: @escaping (Row) -> Void,
    _ statement: @escaping ([Row]) -> PostgresStatement,
    _ read: (_ body: (Row) throws -> Void) throws -> Void
  ) throws(PostgresFailure) {
    var piece: [Row] = []
    // A source has words of its own for whatever ends its reading.
    var refusal: PostgresFailure?
    func flush() throws(PostgresFailure) {
      guard !piece.isEmpty else { return }
      if writes { try send([statement(piece)]) }
      step(piece.count)
      piece.removeAll(keepingCapacity: true)
    }
    do throws(PostgresFailure) {
      try Self.told {
        try read { row in
          note(row)
          piece.append(row)
          guard piece.count == Self.atOnce else { return }
          do throws(PostgresFailure) { try flush() } catch {
            refusal = error
            throw error
          }
        }
      }
    } catch {
      throw refusal ?? error
    }
    try flush()
  }

  private func step(_ rows: Int) {
    done += rows
    progress(min(done, all), all)
  }

  private static func insert(_ claims: [TimeClaim]) -> PostgresStatement {
    PostgresStatement(
      """
      INSERT INTO claims (tenant, user_id, from_at, through_at, kind, aggregate_id)
      SELECT * FROM unnest($1::text[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::text[])
      """,
      [
        .texts(claims.map(\.tenant)), .texts(claims.map(\.userID)),
        .ints(claims.map(\.from.milliseconds)), .ints(claims.map(\.through.milliseconds)),
        .texts(claims.map(\.aggregate.kind.rawValue)), .texts(claims.map(\.aggregate.id)),
      ])
  }

  // MARK: The target

  /// Reads all that stands in the target, in this transaction.
  private func readBack() throws(PostgresFailure) -> RecordDigest {
    var digest = RecordDigest()
    for (kind, table) in ClusterSchema.tables {
      try eachRow("SELECT \(AggregateColumns.loaded) FROM \(table)") {
        digest.add(AggregateColumns.read($0, $1, kind: AggregateKind(rawValue: kind)))
      }
    }
    try eachRow("SELECT \(ClaimColumns.all) FROM claims") {
      digest.add(ClaimColumns.read($0, $1))
    }
    try eachRow("SELECT \(ReplyColumns.all) FROM replies") {
      digest.add(ReplyColumns.read($0, $1))
    }
    try eachRow("SELECT \(EventColumns.all) FROM events") {
      digest.add(EventColumns.read($0, $1))
    }
    try eachRow("SELECT tenant, oldest, newest FROM feed_heads") {
      digest.addFeed($0.text($1, 0), oldest: $0.bits($1, 1), newest: $0.bits($1, 2))
    }
    try eachRow("SELECT id FROM erasures") { digest.addErasure($0.text($1, 0)) }
    return digest
  }

  /// By a cursor: the rows of a table need not fit into memory.
  private func eachRow(
    _ select: String, _ body: (PostgresRows, Int) -> Void
  ) throws(PostgresFailure) {
    try send([PostgresStatement("DECLARE copied NO SCROLL CURSOR FOR \(select)")])
    while true {
      // A statement of its own each: what is prepared is the cursor of one table.
      let rows = try run(PostgresStatement("FETCH \(Self.atOnce) FROM copied /* \(select) */"))
      for row in 0..<rows.count { body(rows, row) }
      step(rows.count)
      guard rows.count == Self.atOnce else { break }
    }
    try send([PostgresStatement("CLOSE copied")])
  }

  private func send(_ statements: [PostgresStatement]) throws(PostgresFailure) {
    _ = try link.run(statements, milliseconds: Self.milliseconds)
  }

  private func run(_ statement: PostgresStatement) throws(PostgresFailure) -> PostgresRows {
    try link.run([statement], milliseconds: Self.milliseconds)[0]
  }

  /// What the source says against being read, in the words of this one.
  private static func told<T>(_ body: () throws -> T) throws(PostgresFailure) -> T {
    do { return try body() } catch let failure as PostgresFailure { throw failure } catch {
      throw PostgresFailure(
        .refused, "the record cannot be read: \((error as? StoreFailure)?.reason ?? "\(error)")")
    }
  }
}
