import Dispatch
import DurableCommands
import ObjectModel
import RideMatching

/// Parties that are over, read from the record when somebody asks for them.
struct RecordedParties: Sendable {
  private let tenant: String
  private let store: any AggregateStore
  /// Callers of ``read(_:)`` do not block, and as many as ask at once take one thread.
  private let queue = DispatchQueue(label: "moyeo-recorded-parties")

  init(tenant: String, store: any AggregateStore) {
    self.tenant = tenant
    self.store = store
  }

  /// Those of these parties that the record has, by id. Blocks: for the commit thread.
  /// - Throws: ``StoreFailure`` where the record, or a party of it, cannot be read.
  func parties(_ ids: [String]) throws(StoreFailure) -> [String: Party] {
    var found: [String: Party] = [:]
    for stored in try store.aggregates(kind: .party, tenant: tenant, ids: ids) {
      do {
        found[stored.key.id] = try PartyRecord.decode(stored.bytes)
      } catch {
        throw StoreFailure("party \(stored.key.id) cannot be read: \(error)", isDamage: true)
      }
    }
    return found
  }

  /// The same for any task.
  /// - Throws: `unreadable`.
  func read(_ ids: [String]) async throws(PartyServiceError) -> [String: Party] {
    guard !ids.isEmpty else { return [:] }
    return try await asking { () throws(StoreFailure) in try parties(ids) }
  }

  /// What the record answers to a question that blocks, for any task.
  /// - Throws: `unreadable`.
  func asking<Answer: Sendable>(
    _ question: @escaping @Sendable () throws(StoreFailure) -> Answer
  ) async throws(PartyServiceError) -> Answer {
    let result: Result<Answer, StoreFailure> = await withCheckedContinuation { done in
      queue.async { done.resume(returning: Result { () throws(StoreFailure) in try question() }) }
    }
    do throws(StoreFailure) {
      return try result.get()
    } catch {
      throw .commit(.unreadable(reason: error.reason))
    }
  }
}
