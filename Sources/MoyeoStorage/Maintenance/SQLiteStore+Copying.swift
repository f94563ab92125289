import CSpatiaLite
package import DurableCommands
import Foundation
package import ObjectModel

extension SQLiteStore: CopiedRecord {
  /// Opens the record of a data directory on which no daemon runs, to copy it into another one.
  ///
  /// - Parameter directory: The data directory; its schema is brought up to this release's.
  /// - Returns: The record, locked, and the secret under which its keys are hashed.
  /// - Throws: ``StorageError``: a daemon runs, there is no record or a damaged one, or people were erased
  ///   whom it has still.
  package static func openForCopying(
    directory: String
  ) throws(StorageError) -> (store: SQLiteStore, secret: IdempotencySecret) {
    let path = directory + "/" + fileName
    guard StoreBirth.hasContent(path) else {
      throw .cannotOpen(path: path, reason: "there is no record in this directory")
    }
    var options = Options()
    options.checkpointsByItself = false
    let store = try SQLiteStore(directory: directory, options: options)
    do {
      let secret = try IdempotencySecret.load(directory: directory, store: store)
      let applied = try store.appliedErasures()
      let open = try ErasureList(directory: directory).entries().count { !applied.contains($0.id) }
      guard open == 0 else {
        throw StoreFailure(
          "\(open) erasures are not carried out in it yet: start moyeod on it once, which does it")
      }
      return (store, secret)
    } catch {
      store.close()
      if let error = error as? StorageError { throw error }
      throw .cannotOpen(path: path, reason: (error as? StoreFailure)?.reason ?? "\(error)")
    }
  }

  package func rowCount() throws(StoreFailure) -> Int {
    try reading { connection in
      var tables = StoreSchema.tables.values + ["claims", "events"]
      tables += try StoreConnection.replyHours(connection).map {
        StoreSchema.repliesTable(hour: $0)
      }
      return try tables.reduce(0) {
        $0 + Int(try StoreFile.number(connection, "SELECT count(*) FROM \($1)"))
      }
    }
  }

  package func loadClaims(_ body: (TimeClaim) throws -> Void) throws(StoreFailure) {
    try reading { connection in
      let rows = try SQLStatement(
        connection,
        "SELECT tenant, user_id, from_at, through_at, kind, aggregate_id FROM claims")
      while try rows.step() {
        let tenant = rows.text(0)
        try body(
          TimeClaim(
            tenant: tenant, userID: rows.text(1), from: Instant(milliseconds: rows.int64(2)),
            through: Instant(milliseconds: rows.int64(3)),
            aggregate: AggregateKey(
              tenant: tenant, kind: AggregateKind(rawValue: rows.text(4)), id: rows.text(5))))
      }
    }
  }

  package func allTenants() throws(StoreFailure) -> [String] {
    var out = Set(try tenants())
    try reading { connection in
      let rows = try SQLStatement(
        connection, "SELECT DISTINCT tenant FROM events UNION SELECT tenant FROM pruned_events")
      while try rows.step() { out.insert(rows.text(0)) }
    }
    try loadReplies { out.insert($0.tenant) }
    return out.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
