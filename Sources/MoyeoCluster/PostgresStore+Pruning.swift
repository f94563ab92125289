package import ObjectModel

extension PostgresStore {
  /// Rows a transaction takes at most, so that commits get in between.
  private static let sliceRows: Int64 = 2_000

  package func prune(
    eventsBefore moment: Instant, repliesBefore: Instant, endedBefore ended: Instant
  ) throws(StoreFailure) {
    if let reason = readOnlyReason { throw StoreFailure(reason) }
    while try removed(
      """
      DELETE FROM replies WHERE (tenant, key_high, key_low) IN
        (SELECT tenant, key_high, key_low FROM replies WHERE at < $1 ORDER BY at LIMIT $2)
      RETURNING 1
      """, before: repliesBefore)
    {}
    let tenants = try rows(PostgresStatement("SELECT tenant FROM feed_heads ORDER BY tenant"))
    for row in 0..<tenants.count {
      while try pruneEvents(of: tenants.text(row, 0), before: moment) {}
    }
    for (kind, table) in ClusterSchema.tables.sorted(by: { $0.key < $1.key }) {
      while try removed(
        """
        WITH gone AS (
          DELETE FROM \(table) WHERE (tenant, id) IN
            (SELECT tenant, id FROM \(table) WHERE ended_at < $1 LIMIT $2)
          RETURNING tenant, id),
        free AS (
          DELETE FROM claims c USING gone g
          WHERE c.tenant = g.tenant AND c.kind = '\(kind)' AND c.aggregate_id = g.id)
        SELECT 1 FROM gone
        """, before: ended)
      {}
    }
    // Others drop it from their memory.
    _ = try rows(
      PostgresStatement(
        """
        UPDATE feed_heads SET ended_before = $1 WHERE ended_before < $1 RETURNING 1
        """, [.int(ended.milliseconds)]))
    // Daemons that are gone; one that is connected leaves its mark with every batch, and one that does
    // not find its row makes it anew.
    _ = try rows(
      PostgresStatement(
        "DELETE FROM writers WHERE id <> $1 AND seen < now() - interval '7 days' RETURNING 1",
        [.int(id)]))
  }

  private func removed(_ sql: String, before moment: Instant) throws(StoreFailure) -> Bool {
    let rows = try rows(
      PostgresStatement(sql, [.int(moment.milliseconds), .int(Self.sliceRows)]))
    return rows.count == Int(Self.sliceRows)
  }

  /// From the oldest on, up to the first that is to be kept: what is left has no gap.
  /// - Returns: Whether there may be more.
  private func pruneEvents(of tenant: String, before moment: Instant) throws(StoreFailure) -> Bool {
    let rows = try rows(
      PostgresStatement(
        """
        WITH slice AS (
          SELECT sequence, at FROM events WHERE tenant = $1 ORDER BY sequence LIMIT $3),
        kept AS (SELECT min(sequence) AS first FROM slice WHERE at >= $2),
        gone AS (
          DELETE FROM events e USING slice s, kept k
          WHERE e.tenant = $1 AND e.sequence = s.sequence
            AND (k.first IS NULL OR s.sequence < k.first)
          RETURNING e.sequence),
        noted AS (
          UPDATE feed_heads SET oldest = greatest(oldest, (SELECT max(sequence) + 1 FROM gone))
          WHERE tenant = $1 AND EXISTS (SELECT 1 FROM gone))
        SELECT 1 FROM gone
        """, [.text(tenant), .int(moment.milliseconds), .int(Self.sliceRows)]))
    return rows.count == Int(Self.sliceRows)
  }
}
