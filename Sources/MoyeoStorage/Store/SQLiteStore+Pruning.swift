import CSpatiaLite
import DurableCommands
package import ObjectModel

extension SQLiteStore {
  /// Rows a transaction takes at most, so that commits get in between.
  private static let sliceRows = 1_000
  /// Each leaves two R-trees.
  private static let endedRows = 100
  private static let replyRows: Int64 = 4_000

  package func prune(
    eventsBefore moment: Instant, repliesBefore: Instant, endedBefore ended: Instant
  ) throws(StoreFailure) {
    try pruneReplies(before: repliesBefore)
    var tenant: String?
    while let next = try nextTenant(after: tenant) {
      while try pruneEvents(of: next, before: moment) {}
      tenant = next
    }
    for table in StoreSchema.tables.values.sorted() {
      while try pruneEnded(table, before: ended) {}
    }
  }

  /// Tables whose whole hour is over.
  private func pruneReplies(before moment: Instant) throws(StoreFailure) {
    let keep = ReplyIndex.hour(of: moment)
    let hours = try reading { try StoreConnection.replyHours($0) }
    let replies = try current().replies
    replies.removeHours(before: keep)
    for hour in hours where hour < keep {
      // Freeing the pages of an hour of many thousand a second at once would hold up commits.
      while try thinReplies(hour: hour) {}
      try write { connection, writer in
        writer.forgetHours(before: keep)
        try executeSQL(connection, "DROP TABLE IF EXISTS \(StoreSchema.repliesTable(hour: hour))")
      }
    }
  }

  private func thinReplies(hour: Int64) throws(StoreFailure) -> Bool {
    try write { connection, _ in
      let table = StoreSchema.repliesTable(hour: hour)
      let first = try StoreFile.number(connection, "SELECT coalesce(min(row), 0) FROM \(table)")
      let last = try StoreFile.number(connection, "SELECT coalesce(max(row), 0) FROM \(table)")
      guard last - first >= Self.replyRows else { return false }
      try executeSQL(connection, "DELETE FROM \(table) WHERE row < \(first + Self.replyRows)")
      return true
    }
  }

  private func nextTenant(after tenant: String?) throws(StoreFailure) -> String? {
    try reading { connection in
      let row = try SQLStatement(
        connection,
        """
        SELECT tenant FROM events WHERE ?1 IS NULL OR tenant > ?1 ORDER BY tenant LIMIT 1
        """)
      row.bind(1, tenant)
      return try row.step() ? row.text(0) : nil
    }
  }

  /// From the oldest on, up to the first that is to be kept: what is left has no gap.
  /// - Returns: Whether there may be more.
  private func pruneEvents(of tenant: String, before moment: Instant) throws(StoreFailure) -> Bool {
    try write { connection, _ in
      let rows = try SQLStatement(
        connection,
        "SELECT sequence, at FROM events WHERE tenant = ?1 ORDER BY sequence LIMIT ?2")
      rows.bind(1, tenant)
      rows.bind(2, Self.sliceRows)
      var last: Int64?
      var count = 0
      while try rows.step(), rows.int64(1) < moment.milliseconds {
        last = rows.int64(0)
        count += 1
      }
      rows.reset()
      guard let last else { return false }
      let delete = try SQLStatement(
        connection, "DELETE FROM events WHERE tenant = ?1 AND sequence <= ?2")
      delete.bind(1, tenant)
      delete.bind(2, last)
      try delete.run()
      let note = try SQLStatement(
        connection, "INSERT OR REPLACE INTO pruned_events (tenant, oldest) VALUES (?1, ?2)")
      note.bind(1, tenant)
      note.bind(2, last + 1)
      try note.run()
      return count == Self.sliceRows
    }
  }

  private func pruneEnded(_ table: String, before moment: Instant) throws(StoreFailure) -> Bool {
    try write { connection, _ in
      let rows = try SQLStatement(
        connection,
        "SELECT row, tenant, id, held FROM \(table) WHERE ended_at < ?1 LIMIT ?2")
      rows.bind(1, moment.milliseconds)
      rows.bind(2, Self.endedRows)
      var ended: [(row: Int64, tenant: String, id: String, held: [UInt8])] = []
      while try rows.step() {
        ended.append((rows.int64(0), rows.text(1), rows.text(2), rows.blob(3)))
      }
      rows.reset()
      let kind = StoreSchema.tables.first { $0.value == table }?.key ?? table
      let deleteRow = try SQLStatement(connection, "DELETE FROM \(table) WHERE row = ?1")
      let deleteClaim = try SQLStatement(
        connection,
        """
        DELETE FROM claims WHERE tenant = ?1 AND user_id = ?2 AND kind = ?3 AND aggregate_id = ?4
        """)
      for one in ended {
        for claim in HeldClaims.decode(one.held) {
          deleteClaim.bind(1, one.tenant)
          deleteClaim.bind(2, claim.userID)
          deleteClaim.bind(3, kind)
          deleteClaim.bind(4, one.id)
          try deleteClaim.run()
        }
        deleteRow.bind(1, one.row)
        try deleteRow.run()
      }
      return ended.count == Self.endedRows
    }
  }
}
