import ObjectModel
import Threading

@testable import Places

/// Fails while it is told to, and otherwise keeps terms in memory.
final class FailingTextIndex: PlaceTextIndex {
  let fails = StateLock(false)
  private let index = MemoryPlaceTextIndex()

  private func check() throws(StoreFailure) {
    if fails.withLock({ $0 }) { throw StoreFailure("no memory") }
  }

  func apply(_ changes: [PlaceTextChange]) throws(StoreFailure) {
    try check()
    try index.apply(changes)
  }

  func find(_ query: PlaceTextQuery, limit: Int) throws(StoreFailure) -> [UInt32] {
    try check()
    return try index.find(query, limit: limit)
  }

  func removeAll() throws(StoreFailure) {
    try check()
    try index.removeAll()
  }
}
