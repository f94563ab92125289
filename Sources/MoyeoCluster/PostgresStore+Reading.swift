package import DurableCommands
package import ObjectModel

extension PostgresStore {
  /// Of the secret under which keys are hashed, in `settings`.
  package static let idempotencySecretName = "idempotency"

  /// Rows of one round trip.
  private static let pageRows = 2_000

  package func loadAggregates(
    kind: AggregateKind, _ body: (StoredAggregate) throws -> Void
  ) throws(StoreFailure) {
    guard let table = ClusterSchema.tables[kind.rawValue] else { return }
    var after: AggregateKey?
    while true {
      let rows = try rows(
        PostgresStatement(
          """
          SELECT \(AggregateColumns.loaded) FROM \(table)
          WHERE NOT $1::text::boolean OR (tenant, id) > ($2, $3) ORDER BY tenant, id LIMIT $4
          """,
          [
            .text(after == nil ? "false" : "true"), .text(after?.tenant ?? ""),
            .text(after?.id ?? ""), .int(Int64(Self.pageRows)),
          ]))
      for row in 0..<rows.count {
        let stored = AggregateColumns.read(rows, row, kind: kind)
        try pass(stored, to: body)
        after = stored.key
      }
      guard rows.count == Self.pageRows else { return }
    }
  }

  package func aggregates(
    kind: AggregateKind, tenant: String, ids: [String]
  ) throws(StoreFailure) -> [StoredAggregate] {
    guard !ids.isEmpty, let table = ClusterSchema.tables[kind.rawValue] else { return [] }
    let rows = try rows(
      PostgresStatement(
        "SELECT \(AggregateColumns.loaded) FROM \(table) WHERE tenant = $1 AND id = ANY($2)",
        [.text(tenant), .texts(ids)]))
    return (0..<rows.count).map { AggregateColumns.read(rows, $0, kind: kind) }
  }

  package func loadReplies(_ body: (StoredReply) throws -> Void) throws(StoreFailure) {
    var after: StoredReply?
    while true {
      let rows = try rows(
        PostgresStatement(
          """
          SELECT \(ReplyColumns.all) FROM replies
          WHERE NOT $1::text::boolean OR (at, tenant, key_high, key_low) > ($2, $3, $4, $5)
          ORDER BY at, tenant, key_high, key_low LIMIT $6
          """,
          [
            .text(after == nil ? "false" : "true"), .int(after?.at.milliseconds ?? 0),
            .text(after?.tenant ?? ""), .bits(after?.key.high ?? 0), .bits(after?.key.low ?? 0),
            .int(Int64(Self.pageRows)),
          ]))
      for row in 0..<rows.count {
        let reply = ReplyColumns.read(rows, row)
        try pass(reply, to: body)
        after = reply
      }
      guard rows.count == Self.pageRows else { return }
    }
  }

  private func pass<T>(_ value: T, to body: (T) throws -> Void) throws(StoreFailure) {
    do { try body(value) } catch let failure as StoreFailure { throw failure } catch {
      throw StoreFailure("\(error)")
    }
  }

  package func reply(tenant: String, key: IdempotencyHash) throws(StoreFailure) -> StoredReply? {
    let rows = try rows(
      PostgresStatement(
        """
        SELECT \(ReplyColumns.all) FROM replies
        WHERE tenant = $1 AND key_high = $2 AND key_low = $3
        """, [.text(tenant), .bits(key.high), .bits(key.low)]))
    return rows.count == 0 ? nil : ReplyColumns.read(rows, 0)
  }

  package func events(
    tenant: String, after: UInt64, kinds: Set<String>, aggregateID: String?, limit: Int
  ) throws(StoreFailure) -> [StoredEvent] {
    guard limit > 0 else { return [] }
    var parameters: [PostgresParameter] = [
      .text(tenant), .int(Int64(clamping: after)), .int(Int64(limit)), .texts(kinds.sorted()),
    ]
    var sql = """
      SELECT \(EventColumns.all) FROM events WHERE tenant = $1 AND sequence > $2
        AND (cardinality($4::text[]) = 0 OR kind = ANY($4))
      """
    if let aggregateID {
      sql += " AND aggregate_id = $5"
      parameters.append(.text(aggregateID))
    }
    let rows = try rows(PostgresStatement(sql + " ORDER BY sequence LIMIT $3", parameters))
    return (0..<rows.count).map { EventColumns.read(rows, $0) }
  }

  package func eventBounds(
    tenant: String
  ) throws(StoreFailure) -> (oldest: UInt64, newest: UInt64) {
    let rows = try rows(
      PostgresStatement(
        "SELECT oldest, newest FROM feed_heads WHERE tenant = $1", [.text(tenant)]))
    return rows.count == 0 ? (1, 0) : (rows.bits(0, 0), rows.bits(0, 1))
  }

  /// Tenants of which the record has a party, a ticket, a stored request or a commute.
  package func tenants() throws(StoreFailure) -> [String] {
    let rows = try rows(
      PostgresStatement(
        """
        SELECT tenant FROM parties UNION SELECT tenant FROM tickets
        UNION SELECT tenant FROM ride_requests UNION SELECT tenant FROM commutes ORDER BY tenant
        """))
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  /// The secret of all daemons on this record, made by the first that asks.
  ///
  /// - Parameters:
  ///   - name: Which one.
  ///   - make: Makes one of as many bytes as are wanted.
  /// - Returns: The bytes that the record has.
  /// - Throws: ``StoreFailure`` when PostgreSQL does not answer, or has a secret of another length.
  package func secret(
    _ name: String, _ make: () -> [UInt8]
  ) throws(StoreFailure) -> [UInt8] {
    let made = make()
    let rows = try reading { link throws(PostgresFailure) in
      try link.run(
        [
          PostgresStatement(
            "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            [.text(name), .bytes(made)]),
          PostgresStatement("SELECT value FROM settings WHERE name = $1", [.text(name)]),
        ], milliseconds: options.answerMilliseconds)[1]
    }
    guard rows.count == 1, rows.bytes(0, 0).count == made.count else {
      throw StoreFailure("the secret \(name) in PostgreSQL cannot be used")
    }
    return rows.bytes(0, 0)
  }
}
