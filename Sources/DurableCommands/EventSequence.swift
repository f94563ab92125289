/// Gives out the dense numbers of a tenant's events, to all models of one pipeline.
///
/// `@unchecked`: belongs to the commit thread, and before it starts to whoever composes it.
package final class EventSequence: @unchecked Sendable {
  /// Of the first event after those that are committed.
  private var committed: UInt64
  /// Of the next event of the batch that is being decided.
  package private(set) var next: UInt64

  package init(after newest: UInt64) {
    committed = newest + 1
    next = newest + 1
  }

  /// A batch begins: what the one before it did not commit is given out again.
  package func beginBatch() { next = committed }

  package func take() -> UInt64 {
    defer { next += 1 }
    return next
  }

  /// Events up to this one are committed.
  package func commit(through sequence: UInt64) { committed = max(committed, sequence + 1) }

  /// The record was read again.
  package func restart(after newest: UInt64) {
    committed = newest + 1
    next = newest + 1
  }
}
