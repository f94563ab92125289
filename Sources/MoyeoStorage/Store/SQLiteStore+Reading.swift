package import DurableCommands
package import ObjectModel

extension SQLiteStore {
  /// Reads in one snapshot. Damage makes the store read-only.
  func reading<T>(
    _ known: StoreConnection? = nil, _ body: (OpaquePointer) throws -> T
  ) throws(StoreFailure) -> T {
    let connection: StoreConnection
    if let known { connection = known } else { connection = try current() }
    return try connection.read(onDamage: noteDamage, body)
  }

  package func loadAggregates(
    kind: AggregateKind, _ body: (StoredAggregate) throws -> Void
  ) throws(StoreFailure) {
    guard let table = StoreSchema.tables[kind.rawValue] else { return }
    try reading { connection in
      let rows = try SQLStatement(connection, AggregateStatements.select(table))
      while try rows.step() { try body(try AggregateStatements.read(rows, kind: kind)) }
    }
  }

  package func aggregates(
    kind: AggregateKind, tenant: String, ids: [String]
  ) throws(StoreFailure) -> [StoredAggregate] {
    guard !ids.isEmpty, let table = StoreSchema.tables[kind.rawValue] else { return [] }
    return try reading { connection in
      let row = try SQLStatement(connection, AggregateStatements.selectOne(table))
      return try Set(ids).compactMap { id in
        row.bind(1, tenant)
        row.bind(2, id)
        defer { row.reset() }
        return try row.step() ? try AggregateStatements.read(row, kind: kind) : nil
      }
    }
  }

  package func loadReplies(_ body: (StoredReply) throws -> Void) throws(StoreFailure) {
    try reading { connection in
      for hour in try StoreConnection.replyHours(connection) {
        let rows = try SQLStatement(connection, ReplyRow.selectAll(hour: hour))
        while try rows.step() { try body(ReplyRow.read(rows)) }
      }
    }
  }

  /// - Complexity: O(hours kept), about a microsecond, for a key that is unknown: the file is not
  ///   asked.
  package func reply(
    tenant: String, key: IdempotencyHash
  ) throws(StoreFailure) -> StoredReply? {
    let connection = try current()
    guard let place = connection.replies.place(of: key) else { return nil }
    return try reading(connection) { handle in
      // Pruning may have dropped the table since.
      guard try StoreConnection.replyHours(handle).contains(place.hour) else { return nil }
      let row = try SQLStatement(handle, ReplyRow.select(hour: place.hour))
      row.bind(1, place.row)
      guard try row.step() else { return nil }
      let reply = ReplyRow.read(row)
      return reply.tenant == tenant && reply.key == key ? reply : nil
    }
  }

  package func events(
    tenant: String, after: UInt64, kinds: Set<String>, aggregateID: String?, limit: Int
  ) throws(StoreFailure) -> [StoredEvent] {
    guard limit > 0 else { return [] }
    return try reading { connection in
      if let aggregateID,
        let found = try EventRows.followingChain(
          connection, tenant: tenant, after: after, kinds: kinds, aggregateID: aggregateID,
          limit: limit)
      {
        return found
      }
      return try EventRows.scanning(
        connection, tenant: tenant, after: after, kinds: kinds, aggregateID: aggregateID,
        limit: limit)
    }
  }

  /// Tenants of which the record has a party, a ticket, a stored request or a commute.
  package func tenants() throws(StoreFailure) -> [String] {
    try reading { connection in
      let rows = try SQLStatement(
        connection,
        """
        SELECT tenant FROM parties UNION SELECT tenant FROM tickets
        UNION SELECT tenant FROM ride_requests UNION SELECT tenant FROM commutes ORDER BY tenant
        """)
      var out: [String] = []
      while try rows.step() { out.append(rows.text(0)) }
      return out
    }
  }

  package func eventBounds(
    tenant: String
  ) throws(StoreFailure) -> (oldest: UInt64, newest: UInt64) {
    try reading { connection in try EventRows.bounds(connection, tenant: tenant) }
  }
}

/// Reading the event log.
enum EventRows {
  static let columns = """
    tenant, sequence, kind, at, aggregate_id, match_id, user_ids, version, body, previous
    """

  /// The events of one aggregate, by the chain that leads from its newest to its oldest one: an
  /// index by aggregate would cost each commit a page.
  /// - Returns: `nil` when there is no such aggregate (any more).
  static func followingChain(
    _ connection: OpaquePointer, tenant: String, after: UInt64, kinds: Set<String>,
    aggregateID: String, limit: Int
  ) throws -> [StoredEvent]? {
    var heads: [UInt64] = []
    for table in StoreSchema.tables.values {
      let head = try SQLStatement(
        connection, "SELECT last_event FROM \(table) WHERE tenant = ?1 AND id = ?2")
      head.bind(1, tenant)
      head.bind(2, aggregateID)
      if try head.step() { heads.append(head.uint64(0)) }
    }
    guard !heads.isEmpty else { return nil }
    let row = try SQLStatement(
      connection, "SELECT \(columns) FROM events WHERE tenant = ?1 AND sequence = ?2")
    var found: [StoredEvent] = []
    for head in heads {
      var sequence = head
      while sequence > after {
        row.bind(1, tenant)
        row.bind(2, sequence)
        // Pruned from here on.
        guard try row.step() else { break }
        let event = read(row)
        if event.aggregateID == aggregateID, kinds.isEmpty || kinds.contains(event.kind) {
          found.append(event)
        }
        let previous = row.uint64(9)
        row.reset()
        guard previous < sequence else { break }
        sequence = previous
      }
      row.reset()
    }
    found.sort { $0.sequence < $1.sequence }
    // A party and a request of one id may share events.
    var last: UInt64 = 0
    found.removeAll { event in
      defer { last = event.sequence }
      return event.sequence == last
    }
    return Array(found.prefix(limit))
  }

  static func scanning(
    _ connection: OpaquePointer, tenant: String, after: UInt64, kinds: Set<String>,
    aggregateID: String?, limit: Int
  ) throws -> [StoredEvent] {
    let rows = try SQLStatement(
      connection,
      """
      SELECT \(columns) FROM events
      WHERE tenant = ?1 AND sequence > ?2 AND (?3 IS NULL OR aggregate_id = ?3)
      ORDER BY sequence
      """)
    rows.bind(1, tenant)
    rows.bind(2, Int64(clamping: after))
    rows.bind(3, aggregateID)
    var found: [StoredEvent] = []
    while found.count < limit, try rows.step() {
      if kinds.isEmpty || kinds.contains(rows.text(2)) { found.append(read(rows)) }
    }
    return found
  }

  static func bounds(
    _ connection: OpaquePointer, tenant: String
  ) throws -> (oldest: UInt64, newest: UInt64) {
    let row = try SQLStatement(
      connection,
      """
      SELECT (SELECT min(sequence) FROM events WHERE tenant = ?1),
        (SELECT max(sequence) FROM events WHERE tenant = ?1),
        (SELECT oldest FROM pruned_events WHERE tenant = ?1)
      """)
    row.bind(1, tenant)
    guard try row.step() else { return (1, 0) }
    let pruned = UInt64(clamping: row.optionalInt64(2) ?? 1)
    guard let oldest = row.optionalInt64(0), let newest = row.optionalInt64(1) else {
      return (pruned, pruned - 1)
    }
    return (max(UInt64(clamping: oldest), pruned), UInt64(clamping: newest))
  }

  static func read(_ row: SQLStatement) -> StoredEvent {
    StoredEvent(
      tenant: row.text(0), sequence: row.uint64(1), kind: row.text(2),
      at: Instant(milliseconds: row.int64(3)), aggregateID: row.text(4),
      matchID: row.optionalText(5), userIDs: StringList.decode(row.text(6)),
      version: row.uint64(7), body: row.blob(8))
  }
}
