import CSpatiaLite
package import DurableCommands
import Foundation
import GRDB
package import ObjectModel
import Parties
import Tickets

extension SQLiteStore: ErasableStore {
  /// Sequences, or rows of replies, that one statement looks at.
  private static let lookedAt: Int64 = 20_000

  // MARK: Aggregates

  /// What names a person. Reads beside commits, and decodes what may, so that the commit thread is
  /// told of nothing else.
  package func aggregates(
    mentioning erasure: any PersonRewriting
  ) throws(StoreFailure) -> [AggregateKey] {
    try reading { connection in
      var found: [AggregateKey] = []
      for (kind, table) in StoreSchema.tables {
        let rows = try SQLStatement(
          connection,
          """
          SELECT id, owner_id, bytes FROM \(table)
          WHERE tenant = ?1 AND (id = ?2 OR owner_id = ?2 OR instr(bytes, ?3) > 0)
          """)
        rows.bind(1, erasure.tenant)
        rows.bind(2, erasure.userID)
        rows.bind(3, Array(erasure.userID.utf8))
        while try rows.step() {
          let id = rows.text(0)
          let row = try erasure.rewriting(kind, id: id, ownerID: rows.text(1), rows.blob(2))
          if case .unchanged = row { continue }
          found.append(
            AggregateKey(tenant: erasure.tenant, kind: AggregateKind(rawValue: kind), id: id))
        }
      }
      return found
    }
  }

  /// Takes a person out of aggregates, in one transaction; versions stay. Of a tenant that is
  /// served this is for its commit thread, between two batches.
  ///
  /// - Returns: What there is now, and what is gone.
  package func rewrite(
    _ keys: [AggregateKey], for erasure: any PersonRewriting
  ) throws(StoreFailure) -> RecordChanges {
    try write { connection, _ in
      try executeSQL(connection, "PRAGMA secure_delete = ON")
      defer { try? executeSQL(connection, "PRAGMA secure_delete = FAST") }
      var changes = RecordChanges()
      for key in keys {
        guard let table = StoreSchema.tables[key.kind.rawValue] else { continue }
        try Self.rewrite(key, in: table, for: erasure, connection, counting: &changes)
      }
      return changes
    }
  }

  private static func rewrite(
    _ key: AggregateKey, in table: String, for erasure: any PersonRewriting,
    _ connection: OpaquePointer, counting changes: inout RecordChanges
  ) throws {
    let find = try SQLStatement(
      connection,
      "SELECT row, owner_id, bytes, held FROM \(table) WHERE tenant = ?1 AND id = ?2")
    find.bind(1, key.tenant)
    find.bind(2, key.id)
    guard try find.step() else { return }
    let row = find.int64(0)
    let outcome = try erasure.rewriting(
      key.kind.rawValue, id: key.id, ownerID: find.text(1), find.blob(2))
    let held = HeldClaims.decode(find.blob(3))
    find.reset()
    switch outcome {
    case .unchanged: return
    case .removed:
      for claim in held { try remove(claim, of: key, connection) }
      let delete = try SQLStatement(connection, "DELETE FROM \(table) WHERE row = ?1")
      delete.bind(1, row)
      try delete.run()
      changes.removed.append(key)
    case .changed(let bytes, let ownerID):
      var kept = held
      for i in kept.indices where kept[i].userID == erasure.userID {
        kept[i].userID = erasure.pseudonym
      }
      for (before, after) in zip(held, kept) where before != after {
        try remove(before, of: key, connection)
        try insert(after, of: key, connection)
      }
      let update = try SQLStatement(
        connection,
        "UPDATE \(table) SET owner_id = ?2, bytes = ?3, held = ?4 WHERE row = ?1")
      update.bind(1, row)
      update.bind(2, ownerID)
      update.bind(3, bytes)
      update.bind(4, HeldClaims.encode(kept))
      try update.run()
      if let stored = try AggregateStatements(connection, table).load(key) {
        changes.changed.append(stored)
      }
    }
  }

  private static func remove(
    _ claim: HeldClaims.Claim, of key: AggregateKey, _ connection: OpaquePointer
  ) throws {
    let delete = try SQLStatement(
      connection,
      """
      DELETE FROM claims WHERE tenant = ?1 AND user_id = ?2 AND from_at = ?3 AND through_at = ?4
        AND kind = ?5 AND aggregate_id = ?6
      """)
    bind(delete, claim, key)
    try delete.run()
  }

  private static func insert(
    _ claim: HeldClaims.Claim, of key: AggregateKey, _ connection: OpaquePointer
  ) throws {
    let insert = try SQLStatement(
      connection,
      """
      INSERT OR IGNORE INTO claims (tenant, user_id, from_at, through_at, kind, aggregate_id)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    bind(insert, claim, key)
    try insert.run()
  }

  private static func bind(
    _ statement: SQLStatement, _ claim: HeldClaims.Claim, _ key: AggregateKey
  ) {
    statement.bind(1, key.tenant)
    statement.bind(2, claim.userID)
    statement.bind(3, claim.from)
    statement.bind(4, claim.through)
    statement.bind(5, key.kind.rawValue)
    statement.bind(6, key.id)
  }

  // MARK: Events and replies

  /// Takes a person out of the events of their tenant, in short transactions beside commits.
  ///
  /// - Returns: How many events named them.
  package func rewriteEvents(for erasure: any PersonRewriting) throws(StoreFailure) -> Int {
    let bounds = try eventBounds(tenant: erasure.tenant)
    var count = 0
    var after = Int64(clamping: bounds.oldest) - 1
    while after < Int64(clamping: bounds.newest) {
      let through = after + Self.lookedAt
      let found = try reading { connection in
        try EventRows.mentioning(erasure, connection, after: after, through: through)
      }
      for start in stride(from: 0, to: found.count, by: 500) {
        try replace(found[start..<min(found.count, start + 500)].map(erasure.rewritten))
      }
      count += found.count
      after = through
    }
    return count
  }

  private func replace(_ events: [StoredEvent]) throws(StoreFailure) {
    try write { connection, _ in
      try executeSQL(connection, "PRAGMA secure_delete = ON")
      defer { try? executeSQL(connection, "PRAGMA secure_delete = FAST") }
      let update = try SQLStatement(
        connection,
        """
        UPDATE events SET aggregate_id = ?3, user_ids = ?4, body = ?5
        WHERE tenant = ?1 AND sequence = ?2
        """)
      for event in events {
        update.bind(1, event.tenant)
        update.bind(2, event.sequence)
        update.bind(3, event.aggregateID)
        update.bind(4, StringList.encode(event.userIDs))
        update.bind(5, event.body)
        try update.run()
      }
    }
  }

  /// Takes a person out of the replies of commands.
  ///
  /// - Returns: How many named them.
  package func rewriteReplies(for erasure: any PersonRewriting) throws(StoreFailure) -> Int {
    var count = 0
    for hour in try reading(nil, { try StoreConnection.replyHours($0) }) {
      let table = StoreSchema.repliesTable(hour: hour)
      let last = try reading { connection -> Int64 in
        // Pruning may have dropped the table since.
        guard try StoreConnection.replyHours(connection).contains(hour) else { return 0 }
        return try StoreFile.number(connection, "SELECT coalesce(max(row), 0) FROM \(table)")
      }
      for first in stride(from: Int64(0), through: last, by: Int64.Stride(Self.lookedAt))
      where last > 0 {
        count += try write { connection, _ in
          guard try StoreConnection.replyHours(connection).contains(hour) else { return 0 }
          let update = try SQLStatement(
            connection,
            """
            UPDATE \(table) SET aggregate_id = ?1
            WHERE row > ?2 AND row <= ?3 AND tenant = ?4 AND aggregate_id = ?5
            """)
          update.bind(1, erasure.pseudonym)
          update.bind(2, first)
          update.bind(3, first + Self.lookedAt)
          update.bind(4, erasure.tenant)
          update.bind(5, erasure.userID)
          try update.run()
          return Int(sqlite3_changes(connection))
        }
      }
    }
    return count
  }

  // MARK: Which erasures this record has seen

  package func appliedErasures() throws(StoreFailure) -> Set<String> {
    try reading { connection in
      let rows = try SQLStatement(connection, "SELECT id FROM erasures")
      var out: Set<String> = []
      while try rows.step() { out.insert(rows.text(0)) }
      return out
    }
  }

  package func noteErasures(_ ids: [String]) throws(StoreFailure) {
    try write { connection, _ in
      let insert = try SQLStatement(connection, "INSERT OR IGNORE INTO erasures (id) VALUES (?1)")
      for id in ids {
        insert.bind(1, id)
        try insert.run()
      }
    }
  }

  /// Everybody of a tenant whom the record names, each once or more often.
  package func people(
    of tenant: String, namedBy names: (StoredAggregate) throws -> [String],
    _ body: (String) -> Void
  ) throws(StoreFailure) {
    for kind in StoreSchema.tables.keys {
      try loadAggregates(kind: AggregateKind(rawValue: kind)) { stored in
        guard stored.key.tenant == tenant else { return }
        try names(stored).forEach(body)
      }
    }
    try reading { connection in
      let rows = try SQLStatement(
        connection, "SELECT aggregate_id, user_ids FROM events WHERE tenant = ?1")
      rows.bind(1, tenant)
      while try rows.step() {
        body(rows.text(0))
        StringList.decode(rows.text(1)).forEach(body)
      }
    }
  }

  // MARK: Bytes

  /// Sees to it that no file of the record has these bytes: ends the log, and where deleted rows left
  /// any in the file, makes it anew.
  ///
  /// - Parameters:
  ///   - needles: The bytes; nil: nobody knows them any more, and the file is made anew.
  ///   - tries: How often a log that somebody reads is tried to be ended, four times a second; commits
  ///     go on in between.
  /// - Throws: ``StoreFailure``, also when somebody reads old pages all the while; then it can be
  ///   tried again.
  package func scrub(_ needles: [[UInt8]]?, tries: Int) throws(StoreFailure) {
    do {
      try endLog(tries)
      if let needles {
        // Beside commits: what they write does not have the bytes.
        let handle = try Checkpointer.open(path)
        defer { Checkpointer.close(handle) }
        guard try FileScrub(handle).contains(needles) else { return }
      }
      try locked { try $0.remake() }
    } catch let failure as StoreFailure {
      throw failure
    } catch {
      throw StoreFailure("\(error)")
    }
  }

  package func scrub(_ needles: [[UInt8]]?) throws(StoreFailure) { try scrub(needles, tries: 40) }

  private static let logMilliseconds: Int32 = 50

  private func endLog(_ tries: Int) throws {
    for left in (0..<max(1, tries)).reversed() {
      do {
        return try locked { try $0.endLog(waitMilliseconds: Self.logMilliseconds) }
      } catch let busy as FileScrub.Busy {
        guard left > 0 else { throw busy }
        Thread.sleep(forTimeInterval: 0.2)
      }
    }
  }

  /// With commits waiting.
  private func locked(_ body: (FileScrub) throws -> Void) throws {
    try writing.withLock {
      if let reason = readOnlyReason { throw StoreFailure(reason) }
      try current().pool.writeWithoutTransaction { db in
        guard let handle = db.sqliteConnection else { throw StoreFailure("closed") }
        try body(FileScrub(handle))
      }
    }
  }
}

extension EventRows {
  /// Events that may name a person, between two sequences.
  static func mentioning(
    _ erasure: any PersonRewriting, _ connection: OpaquePointer, after: Int64, through: Int64
  ) throws -> [StoredEvent] {
    let rows = try SQLStatement(
      connection,
      """
      SELECT \(columns) FROM events WHERE tenant = ?1 AND sequence > ?2 AND sequence <= ?3
        AND (aggregate_id = ?4 OR instr(CAST(user_ids AS BLOB), ?5) > 0 OR instr(body, ?6) > 0)
      ORDER BY sequence
      """)
    rows.bind(1, erasure.tenant)
    rows.bind(2, after)
    rows.bind(3, through)
    rows.bind(4, erasure.userID)
    rows.bind(5, Array(StringList.encode([erasure.userID]).utf8.dropFirst().dropLast()))
    rows.bind(6, erasure.escaped)
    var out: [StoredEvent] = []
    while try rows.step() {
      let event = read(rows)
      if erasure.rewritten(event) != event { out.append(event) }
    }
    return out
  }
}

extension PersonErasure {
  /// Whom an aggregate names.
  package static func people(of stored: StoredAggregate) throws -> [String] {
    switch stored.key.kind.rawValue {
    case "party": try PartyRecord.people(in: stored.bytes)
    case "ticket": try TicketRecord.people(in: stored.bytes)
    case "commute": try CommuteRecord.people(in: stored.bytes)
    default: [stored.summary.ownerID]
    }
  }
}
