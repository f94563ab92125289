package import ObjectModel

/// How a person is taken out of what a record has, by who can read the bytes of aggregates.
package protocol PersonRewriting: Sendable {
  var tenant: String { get }
  var userID: String { get }
  /// What stands in the place of the id.
  var pseudonym: String { get }
  /// The id inside a JSON string, as this service writes it.
  var escaped: [UInt8] { get }

  /// What becomes of an aggregate.
  ///
  /// - Throws: For bytes that nobody can read.
  func rewriting(
    _ kind: String, id: String, ownerID: String, _ bytes: [UInt8]
  ) throws -> RewrittenRow

  /// An event without the person.
  func rewritten(_ event: StoredEvent) -> StoredEvent
}

/// What becomes of one row of a record.
package enum RewrittenRow {
  case unchanged
  case changed(bytes: [UInt8], ownerID: String)
  case removed
}

/// A record out of which people can be taken. Every step may be repeated.
package protocol ErasableStore: AggregateStore {
  /// What names a person. Reads beside commits.
  func aggregates(mentioning erasure: any PersonRewriting) throws(StoreFailure) -> [AggregateKey]

  /// Takes a person out of aggregates, in one transaction; versions stay. Of a tenant that is served
  /// this is for its commit thread, between two batches.
  ///
  /// - Returns: What there is now, and what is gone.
  func rewrite(
    _ keys: [AggregateKey], for erasure: any PersonRewriting
  ) throws(StoreFailure) -> RecordChanges

  /// Takes a person out of the events of their tenant, in short transactions beside commits.
  ///
  /// - Returns: How many events named them.
  func rewriteEvents(for erasure: any PersonRewriting) throws(StoreFailure) -> Int

  /// Takes a person out of the replies of commands.
  ///
  /// - Returns: How many named them.
  func rewriteReplies(for erasure: any PersonRewriting) throws(StoreFailure) -> Int

  /// Everybody of a tenant whom the record names, each once or more often.
  ///
  /// - Parameters:
  ///   - tenant: Whose.
  ///   - names: Whom an aggregate names.
  ///   - body: Takes them one by one; must not call the store.
  /// - Throws: ``StoreFailure`` when the record cannot be read.
  func people(
    of tenant: String, namedBy names: (StoredAggregate) throws -> [String],
    _ body: (String) -> Void
  ) throws(StoreFailure)

  /// The numbers of the erasures that this record has seen.
  func appliedErasures() throws(StoreFailure) -> Set<String>
  func noteErasures(_ ids: [String]) throws(StoreFailure)

  /// Sees to it that what was deleted is not left in the files of the record, where they are ours.
  ///
  /// - Parameter needles: Bytes that must not be found; nil: nobody knows them any more.
  /// - Throws: ``StoreFailure``; then it can be tried again.
  func scrub(_ needles: [[UInt8]]?) throws(StoreFailure)
}
