import Synchronization

/// The bytes of unfinished requests that all connections of a process may hold together.
package final class RequestMemory: Sendable {
  /// The most bytes that are held.
  package let maximumBytes: Int
  private let taken = Atomic<Int>(0)

  /// - Parameter maximumBytes: The most bytes beyond ``ConnectionRequestBytes/freeBytes`` of each
  ///   connection.
  package init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// The bytes that connections have taken.
  package var takenBytes: Int { taken.load(ordering: .relaxed) }

  /// Takes bytes from the budget.
  ///
  /// - Returns: Whether there was room; nothing is taken otherwise.
  func take(_ count: Int) -> Bool {
    guard taken.add(count, ordering: .relaxed).newValue > maximumBytes else { return true }
    taken.subtract(count, ordering: .relaxed)
    return false
  }

  func giveBack(_ count: Int) { taken.subtract(count, ordering: .relaxed) }
}

/// The bytes of unfinished requests that one connection holds. It is bound to the event loop.
///
/// A request that arrives in one piece is answered at once and is never counted. The first
/// ``freeBytes`` of each connection cost the process's budget nothing, so that callers with small
/// requests are served even when others have used the budget up.
///
/// Invariant: `drawn` is a multiple of `step` and at least `held - freeBytes`.
final class ConnectionRequestBytes {
  static let freeBytes = 64 * 1024
  private static let step = 64 * 1024

  private let maximumBytes: Int
  private let shared: RequestMemory
  private(set) var held = 0
  private var drawn = 0
  private var isClosed = false

  init(maximumBytes: Int, shared: RequestMemory) {
    self.maximumBytes = maximumBytes
    self.shared = shared
  }

  /// Releases everything that is still held, because the connection has closed.
  func close() {
    isClosed = true
    shared.giveBack(drawn)
    drawn = 0
  }

  /// Takes bytes for the connection.
  ///
  /// - Returns: Whether there was room; nothing is taken otherwise.
  func take(_ count: Int) -> Bool {
    let wanted = held + count
    guard wanted <= maximumBytes, !isClosed else { return false }
    let share = Self.share(wanted)
    if share > drawn {
      guard shared.take(share - drawn) else { return false }
      drawn = share
    }
    held = wanted
    return true
  }

  func giveBack(_ count: Int) {
    guard count > 0 else { return }
    held -= count
    let share = Self.share(held)
    if share < drawn {
      shared.giveBack(drawn - share)
      drawn = share
    }
  }

  /// Returns what `held` bytes take of the process's budget.
  private static func share(_ held: Int) -> Int {
    held <= freeBytes ? 0 : (held - freeBytes + step - 1) / step * step
  }
}
