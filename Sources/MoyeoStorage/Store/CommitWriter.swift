import CSpatiaLite
import GeoMath
import DurableCommands
import ObjectModel

/// Applies groups of changes on the one connection that writes, inside a transaction its caller
/// opened. Holds the prepared statements.
///
/// A group is checked before anything of it is written, so that one which conflicts leaves nothing
/// behind and needs no savepoint.
final class CommitWriter {
  private let connection: OpaquePointer
  private let tables: [AggregateKind: AggregateStatements]
  private let findClaim: SQLStatement
  private let insertClaim: SQLStatement
  private let deleteClaim: SQLStatement
  private let insertEvent: SQLStatement
  private let newestEvent: SQLStatement
  let begin: SQLStatement
  let commit: SQLStatement
  let rollback: SQLStatement

  private let replies: ReplyIndex
  private var knownHours: Set<Int64> = []
  private var replyStatements: [Int64: SQLStatement] = [:]

  // What this transaction did so far and later groups must see.
  private var newestSequences: [String: UInt64] = [:]
  private var batchReplies: [IdempotencyHash: StoredReply] = [:]
  private var batchPlaces: [(key: IdempotencyHash, place: ReplyIndex.Place)] = []
  private var createdHours: Set<Int64> = []
  /// Whether anything was written since ``start()``.
  private(set) var hasWritten = false

  init(_ connection: OpaquePointer, replies: ReplyIndex) throws {
    self.connection = connection
    self.replies = replies
    var tables: [AggregateKind: AggregateStatements] = [:]
    for (kind, table) in StoreSchema.tables {
      tables[AggregateKind(rawValue: kind)] = try AggregateStatements(connection, table)
    }
    self.tables = tables
    findClaim = try SQLStatement(
      connection,
      """
      SELECT kind, aggregate_id FROM claims
      WHERE tenant = ?1 AND user_id = ?2 AND from_at <= ?4 AND through_at >= ?3
      """)
    insertClaim = try SQLStatement(
      connection,
      """
      INSERT OR IGNORE INTO claims (tenant, user_id, from_at, through_at, kind, aggregate_id)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    deleteClaim = try SQLStatement(
      connection,
      """
      DELETE FROM claims WHERE tenant = ?1 AND user_id = ?2 AND from_at = ?3 AND through_at = ?4
        AND kind = ?5 AND aggregate_id = ?6
      """)
    insertEvent = try SQLStatement(
      connection,
      """
      INSERT INTO events
        (tenant, sequence, kind, at, aggregate_id, match_id, user_ids, version, previous, body)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
    newestEvent = try SQLStatement(
      connection,
      """
      SELECT max(coalesce((SELECT max(sequence) FROM events WHERE tenant = ?1), 0),
        coalesce((SELECT oldest - 1 FROM pruned_events WHERE tenant = ?1), 0))
      """)
    begin = try SQLStatement(connection, "BEGIN IMMEDIATE")
    commit = try SQLStatement(connection, "COMMIT")
    rollback = try SQLStatement(connection, "ROLLBACK")
  }

  /// Forgets what an earlier transaction did. Other processes may have written since.
  func start() {
    newestSequences.removeAll(keepingCapacity: true)
    batchReplies.removeAll(keepingCapacity: true)
    batchPlaces.removeAll(keepingCapacity: true)
    createdHours.removeAll()
    hasWritten = false
  }

  /// After COMMIT.
  func publishReplies() {
    for (key, place) in batchPlaces { replies.insert(key, at: place) }
    knownHours.formUnion(createdHours)
  }

  /// After pruning dropped tables.
  func forgetHours(before hour: Int64) {
    knownHours = knownHours.filter { $0 >= hour }
    replyStatements = replyStatements.filter { $0.key >= hour }
  }

  // MARK: One group

  /// - Throws: `SQLiteFailure`; then the whole transaction must be rolled back.
  func apply(_ group: ChangeGroup) throws -> CommitOutcome {
    if let reply = group.reply, let earlier = try storedReply(reply.tenant, reply.key) {
      return .duplicate(earlier)
    }
    if let asked = group.earlierKey, let earlier = try storedReply(asked.tenant, asked.key) {
      return .duplicate(earlier)
    }
    if let reason = malformed(group) { return .notDone(reason: reason) }
    var rows: [AggregateRow?] = []
    for change in group.changes {
      rows.append(try tables[change.aggregate.key.kind]?.find(change.aggregate.key))
    }
    var expected = true
    for (change, row) in zip(group.changes, rows)
    where (row?.version ?? 0) != change.expectedVersion { expected = false }
    for expectation in group.expectations {
      let row = try tables[expectation.key.kind]?.find(expectation.key)
      if (row?.version ?? 0) != expectation.version { expected = false }
    }
    var holders: [AggregateKey] = []
    let deltas = claimDeltas(group, rows)
    if expected, group.claimsMustNotOverlap {
      for delta in deltas {
        for claim in delta.added {
          try findHolders(claim, key: delta.key, deltas: deltas, holders: &holders)
        }
      }
    }
    holders.sort { ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id) }
    guard expected, holders.isEmpty else {
      return .conflict(
        newest: try newest(
          group.changes.map(\.aggregate.key) + group.expectations.map(\.key) + holders))
    }
    // A refusal that was verified writes nothing.
    guard !group.changes.isEmpty || !group.events.isEmpty || group.reply != nil else {
      return .committed(firstSequence: 0)
    }
    return .committed(firstSequence: try write(group, rows, deltas))
  }

  private func malformed(_ group: ChangeGroup) -> String? {
    for change in group.changes {
      let kind = change.aggregate.key.kind
      guard tables[kind] != nil else { return "no table for \(kind.rawValue)" }
    }
    for claim in group.claims {
      guard claim.userID.utf8.count <= 65_535 else { return "an id of over 65,535 bytes" }
    }
    return group.malformation
  }

  private func newest(_ keys: [AggregateKey]) throws -> [StoredAggregate] {
    var seen: Set<AggregateKey> = []
    var out: [StoredAggregate] = []
    for key in keys where seen.insert(key).inserted {
      if let stored = try tables[key.kind]?.load(key) { out.append(stored) }
    }
    return out
  }

  /// - Returns: The sequence of the group's first event; 0 when it has none.
  private func write(
    _ group: ChangeGroup, _ rows: [AggregateRow?], _ deltas: [ClaimDelta]
  ) throws -> UInt64 {
    hasWritten = true
    // By id only: an event names no kind; the kinds of one group share none in practice.
    var lastEvents: [String: UInt64] = [:]
    for (change, row) in zip(group.changes, rows) {
      lastEvents[change.aggregate.key.id] = row?.lastEvent ?? 0
    }
    let firstSequence = try giveSequences(group.events)
    var sequence = firstSequence
    for event in group.events {
      let previous: UInt64
      if let known = lastEvents[event.aggregateID] {
        previous = known
      } else {
        previous = try lastEventOfOther(event, sequence)
      }
      try insert(event, sequence, previous: previous)
      lastEvents[event.aggregateID] = sequence
      sequence += 1
    }
    for index in group.changes.indices {
      let change = group.changes[index]
      let statements = tables[change.aggregate.key.kind]
      let last = lastEvents[change.aggregate.key.id] ?? 0
      let held = HeldClaims.encode(deltas[index].now)
      if let row = rows[index] {
        try statements?.update(row, to: change.aggregate, lastEvent: last, held: held)
      } else {
        try statements?.insert(change.aggregate, lastEvent: last, held: held)
      }
      for claim in deltas[index].removed { try run(deleteClaim, claim, deltas[index].key) }
    }
    for delta in deltas {
      for claim in delta.added { try run(insertClaim, claim, delta.key) }
    }
    if let reply = group.reply { try insert(reply) }
    return firstSequence
  }

  // MARK: Claims

  private struct ClaimDelta {
    let key: AggregateKey
    let now: [HeldClaims.Claim]
    let added: [HeldClaims.Claim]
    let removed: [HeldClaims.Claim]
  }

  private func claimDeltas(_ group: ChangeGroup, _ rows: [AggregateRow?]) -> [ClaimDelta] {
    zip(group.changes, rows).map { change, row in
      let key = change.aggregate.key
      var now: [HeldClaims.Claim] = []
      for claim in group.claims where claim.aggregate == key {
        let held = HeldClaims.Claim(
          userID: claim.userID, from: claim.from.milliseconds, through: claim.through.milliseconds)
        if !now.contains(held) { now.append(held) }
      }
      let before = row.map { HeldClaims.decode($0.held) } ?? []
      return ClaimDelta(
        key: key, now: now, added: now.filter { !before.contains($0) },
        removed: before.filter { !now.contains($0) })
    }
  }

  /// Aggregates other than its own that hold `claim`'s user in its time: on disk, except those that
  /// this group changes; and among what this group gives those.
  private func findHolders(
    _ claim: HeldClaims.Claim, key: AggregateKey, deltas: [ClaimDelta],
    holders: inout [AggregateKey]
  ) throws {
    for other in deltas where other.key != key && other.key.tenant == key.tenant {
      for held in other.now
      where held.userID == claim.userID && held.from <= claim.through && claim.from <= held.through
      {
        holders.append(other.key)
      }
    }
    findClaim.bind(1, key.tenant)
    findClaim.bind(2, claim.userID)
    findClaim.bind(3, claim.from)
    findClaim.bind(4, claim.through)
    while try findClaim.step() {
      let holder = AggregateKey(
        tenant: key.tenant, kind: AggregateKind(rawValue: findClaim.text(0)),
        id: findClaim.text(1))
      if holder != key, !deltas.contains(where: { $0.key == holder }) { holders.append(holder) }
    }
    findClaim.reset()
  }

  private func run(
    _ statement: SQLStatement, _ claim: HeldClaims.Claim, _ key: AggregateKey
  ) throws {
    statement.bind(1, key.tenant)
    statement.bind(2, claim.userID)
    statement.bind(3, claim.from)
    statement.bind(4, claim.through)
    statement.bind(5, key.kind.rawValue)
    statement.bind(6, key.id)
    try statement.run()
  }

  // MARK: Events

  /// - Returns: The sequence of the first of these events of one tenant; 0 for none.
  private func giveSequences(_ events: [StoredEvent]) throws -> UInt64 {
    guard let tenant = events.first?.tenant else { return 0 }
    var newest = newestSequences[tenant] ?? 0
    if newestSequences[tenant] == nil {
      newestEvent.bind(1, tenant)
      newest = try newestEvent.step() ? newestEvent.uint64(0) : 0
      newestEvent.reset()
    }
    newestSequences[tenant] = newest + UInt64(events.count)
    return newest + 1
  }

  /// For an event of an aggregate that its group does not change.
  private func lastEventOfOther(_ event: StoredEvent, _ sequence: UInt64) throws -> UInt64 {
    for (kind, statements) in tables {
      let key = AggregateKey(tenant: event.tenant, kind: kind, id: event.aggregateID)
      if let row = try statements.find(key) {
        try statements.setLastEvent(row, sequence)
        return row.lastEvent
      }
    }
    return 0
  }

  private func insert(_ event: StoredEvent, _ sequence: UInt64, previous: UInt64) throws {
    insertEvent.bind(1, event.tenant)
    insertEvent.bind(2, sequence)
    insertEvent.bind(3, event.kind)
    insertEvent.bind(4, event.at.milliseconds)
    insertEvent.bind(5, event.aggregateID)
    insertEvent.bind(6, event.matchID)
    insertEvent.bind(7, StringList.encode(event.userIDs))
    insertEvent.bind(8, event.version)
    insertEvent.bind(9, previous)
    insertEvent.bind(10, event.body)
    try insertEvent.run()
  }

  // MARK: Replies

  private func storedReply(_ tenant: String, _ key: IdempotencyHash) throws -> StoredReply? {
    if let reply = batchReplies[key], reply.tenant == tenant { return reply }
    guard let place = replies.place(of: key) else { return nil }
    let select = try SQLStatement(connection, ReplyRow.select(hour: place.hour))
    select.bind(1, place.row)
    defer { select.reset() }
    guard try select.step() else { return nil }
    let reply = ReplyRow.read(select)
    return reply.tenant == tenant && reply.key == key ? reply : nil
  }

  private func insert(_ reply: StoredReply) throws {
    let hour = ReplyIndex.hour(of: reply.at)
    if !knownHours.contains(hour), !createdHours.contains(hour) {
      try executeSQL(connection, StoreSchema.createReplies(hour: hour))
      createdHours.insert(hour)
    }
    let statement: SQLStatement
    if let known = replyStatements[hour] {
      statement = known
    } else {
      statement = try SQLStatement(connection, ReplyRow.insert(hour: hour))
      replyStatements[hour] = statement
    }
    statement.bind(1, reply.tenant)
    statement.bind(2, reply.key.high)
    statement.bind(3, reply.key.low)
    statement.bind(4, reply.requestHash)
    statement.bind(5, reply.aggregateID)
    statement.bind(6, reply.version)
    statement.bind(7, reply.at.milliseconds)
    try statement.run()
    batchReplies[reply.key] = reply
    let row = sqlite3_last_insert_rowid(connection)
    batchPlaces.append((reply.key, ReplyIndex.Place(hour: hour, row: row)))
  }
}

/// How a reply stands in its hour's table.
enum ReplyRow {
  private static let columns =
    "tenant, key_high, key_low, request_hash, aggregate_id, version, at"

  static func insert(hour: Int64) -> String {
    "INSERT INTO \(StoreSchema.repliesTable(hour: hour)) (\(columns)) VALUES (?,?,?,?,?,?,?)"
  }

  static func select(hour: Int64) -> String {
    "SELECT \(columns) FROM \(StoreSchema.repliesTable(hour: hour)) WHERE row = ?"
  }

  static func selectAll(hour: Int64) -> String {
    "SELECT \(columns), row FROM \(StoreSchema.repliesTable(hour: hour)) ORDER BY row"
  }

  static func selectKeys(hour: Int64) -> String {
    "SELECT key_high, key_low, row FROM \(StoreSchema.repliesTable(hour: hour))"
  }

  static func read(_ row: SQLStatement) -> StoredReply {
    StoredReply(
      tenant: row.text(0), key: IdempotencyHash(high: row.uint64(1), low: row.uint64(2)),
      requestHash: row.uint64(3), aggregateID: row.text(4), version: row.uint64(5),
      at: Instant(milliseconds: row.int64(6)))
  }
}
