import ObjectModel

/// What ``IdempotencySecret`` asks of the record.
extension SQLiteStore {
  /// The fingerprint of the secret that the replies were made with, nil when none was noted yet, and
  /// whether there are replies.
  func secretState() throws(StoreFailure) -> (fingerprint: UInt64?, hasReplies: Bool) {
    try reading { try SecretRows.state($0) }
  }

  func noteSecret(fingerprint: UInt64) throws(StoreFailure) {
    try write { connection, _ in
      let row = try SQLStatement(
        connection, "INSERT OR REPLACE INTO secrets (id, fingerprint) VALUES (1, ?1)")
      row.bind(1, fingerprint)
      try row.run()
    }
  }

  /// Drops all replies: keys of earlier commands are new ones from now on.
  func forgetReplies() throws(StoreFailure) {
    let connection = try current()
    let hours = try reading(connection) { try StoreConnection.replyHours($0) }
    try write { handle, writer in
      writer.forgetHours(before: .max)
      for hour in hours {
        try executeSQL(handle, "DROP TABLE IF EXISTS \(StoreSchema.repliesTable(hour: hour))")
      }
      try executeSQL(handle, "DELETE FROM secrets")
    }
    connection.replies.removeAll()
  }
}

enum SecretRows {
  static func state(
    _ connection: OpaquePointer
  ) throws -> (fingerprint: UInt64?, hasReplies: Bool) {
    // A record of an earlier release that somebody looks through has no such table.
    let isKnown = try StoreFile.number(
      connection, "SELECT count(*) FROM sqlite_master WHERE name = 'secrets'")
    var fingerprint: UInt64?
    if isKnown > 0 {
      let row = try SQLStatement(connection, "SELECT fingerprint FROM secrets WHERE id = 1")
      if try row.step() { fingerprint = row.uint64(0) }
    }
    for hour in try StoreConnection.replyHours(connection).reversed() {
      let table = StoreSchema.repliesTable(hour: hour)
      if try StoreFile.number(connection, "SELECT EXISTS (SELECT 1 FROM \(table))") > 0 {
        return (fingerprint, true)
      }
    }
    return (fingerprint, false)
  }
}
