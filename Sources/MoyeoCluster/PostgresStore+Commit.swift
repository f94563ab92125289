package import DurableCommands
import ObjectModel
import Threading

extension PostgresStore {
  package func commit(_ groups: [ChangeGroup]) -> [CommitOutcome] {
    guard !groups.isEmpty else { return [] }
    if let reason = readOnlyReason { return groups.map { _ in .notDone(reason: reason) } }
    return writing.withLock { writer in
      guard let link = writer.link else {
        return groups.map { _ in .notDone(reason: "there is no connection to PostgreSQL") }
      }
      return commit(groups, &writer, link)
    }
  }

  private func commit(
    _ groups: [ChangeGroup], _ writer: inout Writer, _ link: PostgresConnection
  ) -> [CommitOutcome] {
    var batch = PostgresBatch(groups)
    let writes: [PostgresStatement]
    do throws(PostgresFailure) {
      try open(&batch, &writer, link)
      guard isFresh(batch) else {
        _ = try link.run([.rollback], milliseconds: options.answerMilliseconds)
        // For ``reopen()``, which has memory loaded first.
        writer.unsettled = groups.map { _ in .notDone(reason: Self.staleReason) }
        writer.isStale = true
        return groups.map { _ in .unknown(reason: Self.staleReason) }
      }
      try decide(&batch, link)
      guard batch.hasWrites else {
        _ = try link.run([.rollback], milliseconds: options.answerMilliseconds)
        return batch.outcomes
      }
      writes = batch.writes(writer: id, number: writer.batch + 1) + [.commit]
    } catch {
      // COMMIT was not sent.
      return undone(groups, error, link)
    }
    writer.batch += 1
    // The first on a connection is read by who follows: a server that took over may lack commits.
    let numbers = writer.isNew ? [:] : batch.heads.mapValues { $0.commits + 1 }
    writer.isNew = false
    following.withLock { following in
      for tenant in batch.heads.keys { following.commits[tenant] = numbers[tenant] }
    }
    do throws(PostgresFailure) {
      _ = try link.run(writes, milliseconds: options.answerMilliseconds)
      guard !link.gaveUpReplication else {
        throw PostgresFailure(.lost, "the server committed without waiting for its standby")
      }
      return batch.outcomes
    } catch {
      guard error.kind == .lost else { return undone(groups, error, link) }
      writer.unsettled = batch.outcomes
      writer.isDoubtful = link.gaveUpReplication
      setReadOnly("a commit could not be confirmed: \(error)")
      return groups.map { _ in .unknown(reason: error.description) }
    }
  }

  static let staleReason =
    "the record was changed beside the commands, and memory was not loaded since"

  /// Whether nobody changed the tenants' rows beside the commands since they were loaded: what is decided
  /// on older ones would write them back.
  private func isFresh(_ batch: PostgresBatch) -> Bool {
    following.withLock { following in
      batch.heads.allSatisfy { tenant, head in
        following.revisions[tenant].map { $0 == head.revision } ?? true
      }
    }
  }

  /// Nothing of the batch happened.
  private func undone(
    _ groups: [ChangeGroup], _ error: PostgresFailure, _ link: PostgresConnection
  ) -> [CommitOutcome] {
    if error.kind == .refused {
      // A connection that does not even do this is given up.
      _ = try? link.run([.rollback], milliseconds: options.answerMilliseconds)
    }
    if error.isOfServer || link.isLost { setReadOnly("PostgreSQL does not take writes: \(error)") }
    return groups.map { _ in .notDone(reason: error.description) }
  }

  /// Begins the transaction, locks this daemon's row and the tenants', and reads what the groups are
  /// checked against.
  private func open(
    _ batch: inout PostgresBatch, _ writer: inout Writer, _ link: PostgresConnection
  ) throws(PostgresFailure) {
    var statements: [PostgresStatement] = [
      .begin,
      PostgresStatement("SELECT batch FROM writers WHERE id = $1 FOR UPDATE", [.int(id)]),
    ]
    let tenants = batch.tenants
    if !writer.tenants.isSuperset(of: tenants) {
      statements.append(
        PostgresStatement(
          "INSERT INTO feed_heads (tenant) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING",
          [.texts(tenants)]))
    }
    statements.append(
      PostgresStatement(
        """
        SELECT tenant, newest, commits, revision FROM feed_heads WHERE tenant = ANY($1)
        ORDER BY tenant FOR UPDATE
        """, [.texts(tenants)]))
    // Each statement sees what was committed before it began: behind the lock.
    let reads = batch.reads
    let found = try link.run(statements + reads, milliseconds: options.answerMilliseconds)
    guard found[1].count == 1 else {
      throw PostgresFailure(.refused, "this daemon's row in writers is gone", state: "57000")
    }
    writer.batch = found[1].int(0, 0)
    batch.takeHeads(found[statements.count - 1])
    batch.takeReads(Array(found[statements.count...]))
    guard batch.heads.count == tenants.count else {
      writer.tenants = []
      throw PostgresFailure(.refused, "a tenant's row in feed_heads is gone")
    }
    writer.tenants.formUnion(tenants)
  }

  /// Says what each group comes to; loads the states that conflicts tell of.
  private func decide(
    _ batch: inout PostgresBatch, _ link: PostgresConnection
  ) throws(PostgresFailure) {
    let wanted = batch.judge()
    guard !wanted.isEmpty else { return }
    var known: [AggregateKey: StoredAggregate] = [:]
    for (kind, keys) in Dictionary(grouping: wanted, by: \.kind) {
      guard let table = ClusterSchema.tables[kind.rawValue] else { continue }
      let rows = try link.run(
        [
          PostgresStatement(
            """
            SELECT \(AggregateColumns.loaded) FROM \(table)
            WHERE (tenant, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
            """, [.texts(keys.map(\.tenant)), .texts(keys.map(\.id))])
        ], milliseconds: options.answerMilliseconds)[0]
      for row in 0..<rows.count {
        let stored = AggregateColumns.read(rows, row, kind: kind)
        known[stored.key] = stored
      }
    }
    batch.tellConflicts(known)
  }
}

extension PostgresStatement {
  static let begin = PostgresStatement("BEGIN")
  static let commit = PostgresStatement("COMMIT")
  static let rollback = PostgresStatement("ROLLBACK")
}
