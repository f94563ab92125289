package import SpatialIndexing
import Synchronization
import Threading

/// Which objects of a layer came, changed what they carry, or left: for one reader that keeps an
/// index of attributes beside the layer.
///
/// Moves are not told; where an object is, is read from the index. A layer that nobody follows pays
/// one atomic load a batch.
package final class AttributeFeed: Sendable {
  /// What has happened since the last look.
  package struct News: Sendable {
    /// In commit order; an object may be in it more than once.
    package var handles: [ObjectHandle] = []
    /// More came than may wait: look through all objects.
    package var isOverfull = false
  }

  private static let limit = 1 << 20

  private let isActive = Atomic<Bool>(false)
  private let news = StateLock(News())
  private let onWork = StateLock<(@Sendable () -> Void)?>(nil)

  /// Whether changes are wanted; asked inside the index's write lock.
  var isFollowed: Bool { isActive.load(ordering: .acquiring) }

  /// Begins to take note. What changes from here on is told; look through all objects afterwards.
  ///
  /// - Parameter onWork: Called when there is news, inside the index's lock: it must be short.
  package func begin(onWork: @escaping @Sendable () -> Void) {
    self.onWork.withLock { $0 = onWork }
    isActive.store(true, ordering: .sequentiallyConsistent)
  }

  /// Ends taking note.
  package func end() {
    isActive.store(false, ordering: .sequentiallyConsistent)
    onWork.withLock { $0 = nil }
    news.withLock { $0 = News() }
  }

  /// Takes what has happened since the last call.
  package func take() -> News {
    news.withLock { news in
      defer { news = News() }
      return news
    }
  }

  /// Called by the index inside its write lock, so in commit order.
  func publish(_ changes: UnsafeBufferPointer<IndexChange>) {
    guard isFollowed, changes.contains(where: { $0.kind != .moved }) else { return }
    news.withLock { news in
      guard news.handles.count + changes.count <= Self.limit else {
        news.isOverfull = true
        news.handles.removeAll()
        return
      }
      for change in changes where change.kind != .moved { news.handles.append(change.handle) }
    }
    onWork.withLock { $0 }?()
  }
}
