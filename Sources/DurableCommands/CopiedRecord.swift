package import ObjectModel

/// A record that can be read as a whole, to be copied into another one; nobody writes to it meanwhile.
package protocol CopiedRecord: AggregateStore {
  /// Rows of aggregates, claims, events and replies.
  func rowCount() throws(StoreFailure) -> Int

  /// All claims, in no order. `body` must not call the store.
  func loadClaims(_ body: (TimeClaim) throws -> Void) throws(StoreFailure)

  /// All tenants that have something in the record, or had events.
  func allTenants() throws(StoreFailure) -> [String]

  /// The numbers of the erasures that it has seen.
  func appliedErasures() throws(StoreFailure) -> Set<String>
}
