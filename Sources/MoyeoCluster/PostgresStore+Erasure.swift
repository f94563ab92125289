package import DurableCommands
package import ObjectModel
import Threading

/// Taking people out of the record. Who changes rows beside the commands raises `revision`, so that every
/// daemon loads the tenant's part anew and writes nothing before that
/// (``PostgresStore/commit(_:)``): otherwise one would write back what it still has in memory.
///
/// Rows as they were stay in the server's files until it sweeps them up (`VACUUM`), and in its log and
/// backups for as long as its operator keeps those.
extension PostgresStore: ErasableStore {
  /// Rows that one statement looks at.
  private static let lookedAt: Int64 = 20_000

  // MARK: Aggregates

  package func aggregates(
    mentioning erasure: any PersonRewriting
  ) throws(StoreFailure) -> [AggregateKey] {
    var found: [AggregateKey] = []
    for (kind, table) in ClusterSchema.tables.sorted(by: { $0.key < $1.key }) {
      var after: String? = ""
      while let from = after {
        let page = "FROM \(table) WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3"
        let bounds: [PostgresParameter] = [.text(erasure.tenant), .text(from), .int(Self.lookedAt)]
        let rows = try reading { link throws(PostgresFailure) in
          try link.run(
            [
              PostgresStatement(
                """
                SELECT id, owner_id, bytes FROM (SELECT id, owner_id, bytes \(page)) page
                WHERE id = $4 OR owner_id = $4 OR position($5 in bytes) > 0
                """,
                bounds + [.text(erasure.userID), .bytes(Array(erasure.userID.utf8))]),
              PostgresStatement("SELECT max(id) FROM (SELECT id \(page)) page", bounds),
            ], milliseconds: options.answerMilliseconds)
        }
        for row in 0..<rows[0].count {
          let outcome = try Self.outcome(
            erasure, kind, id: rows[0].text(row, 0), ownerID: rows[0].text(row, 1),
            rows[0].bytes(row, 2))
          if case .unchanged = outcome { continue }
          found.append(
            AggregateKey(
              tenant: erasure.tenant, kind: AggregateKind(rawValue: kind), id: rows[0].text(row, 0))
          )
        }
        after = rows[1].optionalText(0, 0)
      }
    }
    return found
  }

  private static func outcome(
    _ erasure: any PersonRewriting, _ kind: String, id: String, ownerID: String, _ bytes: [UInt8]
  ) throws(StoreFailure) -> RewrittenRow {
    do { return try erasure.rewriting(kind, id: id, ownerID: ownerID, bytes) } catch {
      throw StoreFailure("\(kind) \(id) cannot be read: \(error)")
    }
  }

  package func rewrite(
    _ keys: [AggregateKey], for erasure: any PersonRewriting
  ) throws(StoreFailure) -> RecordChanges {
    try transaction(of: erasure.tenant) { link throws(PostgresFailure) in
      var changes = RecordChanges()
      for (kind, keys) in Dictionary(grouping: keys, by: \.kind) {
        guard let table = ClusterSchema.tables[kind.rawValue] else { continue }
        try rewrite(keys.map(\.id), kind, in: table, for: erasure, link, &changes)
      }
      return (changes, !changes.changed.isEmpty || !changes.removed.isEmpty)
    }
  }

  /// Behind the lock of the tenant's commits: what is read here is the newest there is.
  private func rewrite(
    _ ids: [String], _ kind: AggregateKind, in table: String, for erasure: any PersonRewriting,
    _ link: PostgresConnection, _ changes: inout RecordChanges
  ) throws(PostgresFailure) {
    let rows = try link.run(
      [
        PostgresStatement(
          "SELECT \(AggregateColumns.loaded) FROM \(table) WHERE tenant = $1 AND id = ANY($2)",
          [.text(erasure.tenant), .texts(ids)])
      ], milliseconds: options.answerMilliseconds)[0]
    var changed: [StoredAggregate] = []
    var removed: [String] = []
    for row in 0..<rows.count {
      var stored = AggregateColumns.read(rows, row, kind: kind)
      do throws(StoreFailure) {
        switch try Self.outcome(
          erasure, kind.rawValue, id: stored.key.id, ownerID: stored.summary.ownerID, stored.bytes)
        {
        case .unchanged: continue
        case .removed: removed.append(stored.key.id)
        case .changed(let bytes, let ownerID):
          stored.bytes = bytes
          stored.summary.ownerID = ownerID
          changed.append(stored)
        }
      } catch {
        throw PostgresFailure(.refused, error.reason)
      }
    }
    let tenant = PostgresParameter.text(erasure.tenant)
    let person: [PostgresParameter] = [.text(erasure.userID), .text(erasure.pseudonym)]
    _ = try link.run(
      [
        PostgresStatement(
          "DELETE FROM claims WHERE tenant = $1 AND kind = $2 AND aggregate_id = ANY($3)",
          [tenant, .text(kind.rawValue), .texts(removed)]),
        PostgresStatement(
          "DELETE FROM \(table) WHERE tenant = $1 AND id = ANY($2)", [tenant, .texts(removed)]),
        PostgresStatement(
          """
          UPDATE \(table) t SET owner_id = n.owner_id, bytes = n.bytes
          FROM unnest($2::text[], $3::text[], $4::bytea[]) AS n (id, owner_id, bytes)
          WHERE t.tenant = $1 AND t.id = n.id
          """,
          [
            tenant, .texts(changed.map(\.key.id)), .texts(changed.map(\.summary.ownerID)),
            .byteArrays(changed.map(\.bytes)),
          ]),
        PostgresStatement(
          """
          WITH held AS (
            DELETE FROM claims WHERE tenant = $1 AND user_id = $4 AND kind = $2
              AND aggregate_id = ANY($3)
            RETURNING from_at, through_at, aggregate_id)
          INSERT INTO claims (tenant, user_id, from_at, through_at, kind, aggregate_id)
          SELECT $1, $5, from_at, through_at, $2, aggregate_id FROM held ON CONFLICT DO NOTHING
          """, [tenant, .text(kind.rawValue), .texts(changed.map(\.key.id))] + person),
      ], milliseconds: options.answerMilliseconds)
    changes.changed += changed
    changes.removed += removed.map {
      AggregateKey(tenant: erasure.tenant, kind: kind, id: $0)
    }
  }

  // MARK: Events and replies

  package func rewriteEvents(for erasure: any PersonRewriting) throws(StoreFailure) -> Int {
    let bounds = try eventBounds(tenant: erasure.tenant)
    var count = 0
    var after = Int64(clamping: bounds.oldest) - 1
    while after < Int64(clamping: bounds.newest) {
      let rows = try rows(
        PostgresStatement(
          """
          SELECT \(EventColumns.all) FROM events
          WHERE tenant = $1 AND sequence > $2 AND sequence <= $3
            AND (aggregate_id = $4 OR $4 = ANY(user_ids) OR position($5 in body) > 0)
          """,
          [
            .text(erasure.tenant), .int(after), .int(after + Self.lookedAt), .text(erasure.userID),
            .bytes(erasure.escaped),
          ]))
      let events = (0..<rows.count).map { EventColumns.read(rows, $0) }
      let changed = zip(events, events.map(erasure.rewritten)).filter { $0 != $1 }.map(\.1)
      for start in stride(from: 0, to: changed.count, by: 500) {
        try replace(Array(changed[start..<min(changed.count, start + 500)]), erasure.tenant)
      }
      count += changed.count
      after += Self.lookedAt
    }
    return count
  }

  private func replace(_ events: [StoredEvent], _ tenant: String) throws(StoreFailure) {
    try transaction(of: tenant) { link throws(PostgresFailure) in
      _ = try link.run(
        [EventColumns.replace(events, tenant: tenant)], milliseconds: options.answerMilliseconds)
      return ((), true)
    }
  }

  package func rewriteReplies(for erasure: any PersonRewriting) throws(StoreFailure) -> Int {
    let ends = try rows(PostgresStatement("SELECT min(at), max(at) FROM replies"))
    guard let first = ends.optionalInt(0, 0), let last = ends.optionalInt(0, 1) else { return 0 }
    let hour: Int64 = 3_600_000
    var count = 0
    for from in stride(from: first, through: last, by: Int(hour)) {
      count += try transaction(of: erasure.tenant) { link throws(PostgresFailure) in
        let rows = try link.run(
          [
            PostgresStatement(
              """
              UPDATE replies SET aggregate_id = $4
              WHERE at >= $1 AND at < $2 AND tenant = $3 AND aggregate_id = $5 RETURNING 1
              """,
              [
                .int(from), .int(from + hour), .text(erasure.tenant), .text(erasure.pseudonym),
                .text(erasure.userID),
              ])
          ], milliseconds: options.answerMilliseconds)[0]
        return (rows.count, rows.count > 0)
      }
    }
    return count
  }

  /// Runs what changes rows of a tenant beside the commands, on the connection that commits.
  ///
  /// - Parameters:
  ///   - tenant: Whose commits wait meanwhile.
  ///   - body: Changes rows; says whether it has.
  /// - Returns: What `body` does.
  /// - Throws: ``StoreFailure``: it did not come about, or nobody knows; it may be repeated.
  private func transaction<Answer>(
    of tenant: String, _ body: (PostgresConnection) throws(PostgresFailure) -> (Answer, Bool)
  ) throws(StoreFailure) -> Answer {
    if let reason = readOnlyReason { throw StoreFailure(reason) }
    var isServerGone = false
    do throws(PostgresFailure) {
      return try writing.withLock { writer throws(PostgresFailure) -> Answer in
        guard let link = writer.link else {
          throw PostgresFailure(.lost, "there is no connection to PostgreSQL")
        }
        do throws(PostgresFailure) {
          _ = try link.run(
            [
              .begin,
              PostgresStatement(
                "SELECT 1 FROM feed_heads WHERE tenant = $1 FOR UPDATE", [.text(tenant)]),
            ], milliseconds: options.answerMilliseconds)
          let (answer, hasChanged) = try body(link)
          let raise = PostgresStatement(
            "UPDATE feed_heads SET revision = revision + 1 WHERE tenant = $1", [.text(tenant)])
          _ = try link.run(
            (hasChanged ? [raise] : []) + [.commit], milliseconds: options.answerMilliseconds)
          guard !link.gaveUpReplication else {
            throw PostgresFailure(.refused, "the server committed without waiting for its standby")
          }
          return answer
        } catch {
          if error.kind == .refused {
            _ = try? link.run([.rollback], milliseconds: options.answerMilliseconds)
          }
          isServerGone = error.isOfServer || link.isLost
          throw error
        }
      }
    } catch {
      if isServerGone { setReadOnly("PostgreSQL does not take writes: \(error)") }
      throw StoreFailure(error.description)
    }
  }

  // MARK: Which erasures this record has seen

  package func people(
    of tenant: String, namedBy names: (StoredAggregate) throws -> [String],
    _ body: (String) -> Void
  ) throws(StoreFailure) {
    for kind in ClusterSchema.tables.keys {
      try loadAggregates(kind: AggregateKind(rawValue: kind)) { stored in
        guard stored.key.tenant == tenant else { return }
        try names(stored).forEach(body)
      }
    }
    var after = try eventBounds(tenant: tenant).oldest &- 1
    while true {
      let rows = try rows(
        PostgresStatement(
          """
          SELECT sequence, aggregate_id, user_ids FROM events
          WHERE tenant = $1 AND sequence > $2 ORDER BY sequence LIMIT $3
          """, [.text(tenant), .bits(after), .int(Self.lookedAt)]))
      for row in 0..<rows.count {
        after = rows.bits(row, 0)
        body(rows.text(row, 1))
        rows.texts(row, 2).forEach(body)
      }
      guard rows.count == Int(Self.lookedAt) else { return }
    }
  }

  package func appliedErasures() throws(StoreFailure) -> Set<String> {
    let rows = try rows(PostgresStatement("SELECT id FROM erasures"))
    return Set((0..<rows.count).map { rows.text($0, 0) })
  }

  package func noteErasures(_ ids: [String]) throws(StoreFailure) {
    _ = try rows(
      PostgresStatement(
        "INSERT INTO erasures (id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING", [.texts(ids)])
    )
  }

  /// The server's files are its own: `VACUUM` sweeps rows up that are gone.
  package func scrub(_ needles: [[UInt8]]?) throws(StoreFailure) {}
}
