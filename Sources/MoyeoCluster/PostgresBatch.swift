import DurableCommands
import ObjectModel

/// The groups of one commit, on their way through its transaction: what has to be read, what each
/// comes to, what has to be written.
struct PostgresBatch {
  struct Head {
    var newest: UInt64
    var commits: Int64
    var revision: Int64
  }

  let groups: [ChangeGroup]
  private(set) var heads: [String: Head] = [:]
  private(set) var outcomes: [CommitOutcome] = []
  private var slice = RecordSlice()
  /// Groups that cannot be stored, and why.
  private var refusals: [Int: String] = [:]
  /// By group, the keys whose newest states its conflict tells of, and those of them that groups
  /// before it have changed.
  private var conflicts:
    [(group: Int, keys: [AggregateKey], changed: [AggregateKey: StoredAggregate])] = []
  private var aggregates: [AggregateKey: StoredAggregate] = [:]
  private var events: [StoredEvent] = []
  private var replies: [StoredReply] = []
  private var claimsBefore: [AggregateKey: [TimeClaim]] = [:]

  init(_ groups: [ChangeGroup]) {
    self.groups = groups
    for (index, group) in groups.enumerated() {
      if let reason = group.unstorable { refusals[index] = reason }
    }
  }

  private var storable: [ChangeGroup] {
    groups.enumerated().filter { refusals[$0.offset] == nil }.map(\.element)
  }

  var hasWrites: Bool { !aggregates.isEmpty || !events.isEmpty || !replies.isEmpty }

  /// In one order everywhere, so that two batches never wait for each other.
  var tenants: [String] {
    var found: Set<String> = []
    for group in storable {
      found.formUnion(group.changes.map(\.aggregate.key.tenant))
      found.formUnion(group.events.map(\.tenant))
      if let reply = group.reply { found.insert(reply.tenant) }
    }
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  // MARK: Reading

  private var readKinds: [AggregateKind] {
    Set(storable.flatMap { $0.changes.map(\.aggregate.key.kind) + $0.expectations.map(\.key.kind) })
      .filter { ClusterSchema.tables[$0.rawValue] != nil }
      .sorted { $0.rawValue < $1.rawValue }
  }

  /// Versions by kind, claims, replies.
  var reads: [PostgresStatement] {
    var statements = readKinds.map { kind in
      let keys = storable.flatMap {
        $0.changes.map(\.aggregate.key) + $0.expectations.map(\.key)
      }.filter { $0.kind == kind }
      return PostgresStatement(
        """
        SELECT tenant, id, version FROM \(ClusterSchema.tables[kind.rawValue] ?? "")
        WHERE (tenant, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
        """, [.texts(keys.map(\.tenant)), .texts(keys.map(\.id))])
    }
    let claims = storable.flatMap(\.claims)
    let keys = storable.flatMap { $0.changes.map(\.aggregate.key) }
    statements.append(
      PostgresStatement(
        """
        SELECT \(ClaimColumns.all) FROM claims
        WHERE (tenant, user_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
        UNION
        SELECT \(ClaimColumns.all) FROM claims
        WHERE (tenant, kind, aggregate_id) IN
          (SELECT * FROM unnest($3::text[], $4::text[], $5::text[]))
        """,
        [
          .texts(claims.map(\.tenant)), .texts(claims.map(\.userID)), .texts(keys.map(\.tenant)),
          .texts(keys.map(\.kind.rawValue)), .texts(keys.map(\.id)),
        ]))
    let asked = storable.compactMap { group in
      group.reply.map { ($0.tenant, $0.key) } ?? group.earlierKey.map { ($0.tenant, $0.key) }
    }
    statements.append(
      PostgresStatement(
        """
        SELECT \(ReplyColumns.all) FROM replies WHERE (tenant, key_high, key_low) IN
          (SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[]))
        """,
        [.texts(asked.map(\.0)), .bits(asked.map(\.1.high)), .bits(asked.map(\.1.low))]))
    return statements
  }

  mutating func takeHeads(_ rows: PostgresRows) {
    for row in 0..<rows.count {
      heads[rows.text(row, 0)] = Head(
        newest: rows.bits(row, 1), commits: rows.int(row, 2), revision: rows.int(row, 3))
      slice.newestSequences[rows.text(row, 0)] = rows.bits(row, 1)
    }
  }

  /// What ``reads`` gave, in its order.
  mutating func takeReads(_ found: [PostgresRows]) {
    let kinds = readKinds
    for (kind, rows) in zip(kinds, found) {
      for row in 0..<rows.count {
        let key = AggregateKey(tenant: rows.text(row, 0), kind: kind, id: rows.text(row, 1))
        slice.versions[key] = rows.bits(row, 2)
      }
    }
    let claims = found[kinds.count]
    for row in 0..<claims.count { slice.add(ClaimColumns.read(claims, row)) }
    let replies = found[kinds.count + 1]
    for row in 0..<replies.count {
      let reply = ReplyColumns.read(replies, row)
      slice.replies[reply.key] = reply
    }
    claimsBefore = slice.claims
  }

  // MARK: Deciding

  /// Says what each group comes to, and gathers what is to be written.
  /// - Returns: Aggregates whose states conflicts tell of and that have to be loaded.
  mutating func judge() -> [AggregateKey] {
    var wanted: Set<AggregateKey> = []
    for (index, group) in groups.enumerated() {
      if let reason = refusals[index] {
        slice.miss(group)
        outcomes.append(.notDone(reason: reason))
        continue
      }
      switch slice.take(group) {
      case .malformed(let reason): outcomes.append(.notDone(reason: reason))
      case .duplicate(let reply): outcomes.append(.duplicate(reply))
      case .conflict(let keys):
        var changed: [AggregateKey: StoredAggregate] = [:]
        for key in keys {
          if let newest = aggregates[key] { changed[key] = newest } else { wanted.insert(key) }
        }
        conflicts.append((index, keys, changed))
        outcomes.append(.conflict(newest: []))
      case .taken(let firstSequence):
        for change in group.changes { aggregates[change.aggregate.key] = change.aggregate }
        var told = group.events
        var next = firstSequence
        told.giveSequences(from: &next)
        events += told
        if let reply = group.reply { replies.append(reply) }
        outcomes.append(.committed(firstSequence: firstSequence))
      }
    }
    tellConflicts([:])
    return Array(wanted)
  }

  /// Names the newest states of those that conflicts met.
  mutating func tellConflicts(_ loaded: [AggregateKey: StoredAggregate]) {
    for (index, keys, changed) in conflicts {
      var seen: Set<AggregateKey> = []
      outcomes[index] = .conflict(
        newest: keys.compactMap { key in
          seen.insert(key).inserted ? changed[key] ?? loaded[key] : nil
        })
    }
  }

  // MARK: Writing

  /// All but COMMIT.
  func writes(writer: Int64, number: Int64) -> [PostgresStatement] {
    var statements: [PostgresStatement] = []
    for (kind, all) in Dictionary(grouping: aggregates.values, by: \.key.kind) {
      guard let table = ClusterSchema.tables[kind.rawValue] else { continue }
      statements.append(
        AggregateColumns.upsert(
          table, all.sorted { $0.key.id < $1.key.id },
          commits: { (heads[$0]?.commits ?? 0) + 1 }))
    }
    statements += claimWrites
    if !events.isEmpty { statements.append(EventColumns.insert(events)) }
    if !replies.isEmpty { statements.append(ReplyColumns.insert(replies)) }
    let tenants = heads.keys.sorted()
    statements.append(
      PostgresStatement(
        """
        UPDATE feed_heads h SET newest = n.newest, commits = h.commits + 1
        FROM unnest($1::text[], $2::int8[]) AS n (tenant, newest) WHERE h.tenant = n.tenant
        """, [.texts(tenants), .bits(tenants.map { slice.newestSequences[$0] ?? 0 })]))
    statements.append(
      PostgresStatement(
        "UPDATE writers SET batch = $2, seen = now() WHERE id = $1",
        [.int(writer), .int(number)]))
    return statements
  }

  /// Only claims that differ.
  private var claimWrites: [PostgresStatement] {
    var removed: [TimeClaim] = []
    var added: Set<TimeClaim> = []
    for key in aggregates.keys {
      let before = Set(claimsBefore[key] ?? [])
      let now = Set(slice.claims[key] ?? [])
      removed += before.subtracting(now)
      added.formUnion(now.subtracting(before))
    }
    return [
      (
        removed,
        """
        DELETE FROM claims WHERE (tenant, user_id, from_at, through_at, kind, aggregate_id) IN
          (SELECT * FROM unnest($1::text[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::text[]))
        """
      ),
      (
        Array(added),
        """
        INSERT INTO claims (tenant, user_id, from_at, through_at, kind, aggregate_id)
        SELECT * FROM unnest($1::text[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::text[])
        ON CONFLICT DO NOTHING
        """
      ),
    ].filter { !$0.0.isEmpty }.map { claims, sql in
      PostgresStatement(
        sql,
        [
          .texts(claims.map(\.tenant)), .texts(claims.map(\.userID)),
          .ints(claims.map(\.from.milliseconds)), .ints(claims.map(\.through.milliseconds)),
          .texts(claims.map(\.aggregate.kind.rawValue)), .texts(claims.map(\.aggregate.id)),
        ])
    }
  }
}

extension ChangeGroup {
  /// Why PostgreSQL cannot hold it; nil where it can. One of them would spoil the whole batch.
  fileprivate var unstorable: String? {
    for change in changes where ClusterSchema.tables[change.aggregate.key.kind.rawValue] == nil {
      return "no table for \(change.aggregate.key.kind.rawValue)"
    }
    for change in changes {
      let summary = change.aggregate.summary
      guard (0...summary.seats).contains(summary.seatsFree) else {
        return "\(summary.seatsFree) of \(summary.seats) seats are free"
      }
    }
    var texts: [String] = []
    for change in changes {
      let key = change.aggregate.key
      texts += [key.tenant, key.id, change.aggregate.summary.ownerID]
    }
    for expectation in expectations { texts += [expectation.key.tenant, expectation.key.id] }
    for event in events {
      texts += [event.tenant, event.kind, event.aggregateID, event.matchID ?? ""]
      texts += event.userIDs
    }
    texts += claims.map(\.userID)
    if let reply { texts += [reply.tenant, reply.aggregateID] }
    return texts.contains { $0.utf8.contains(0) }
      ? "PostgreSQL holds no text with a zero byte" : nil
  }
}
