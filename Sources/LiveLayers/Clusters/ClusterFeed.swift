import GeoMath
import ObjectModel
package import PointClustering
package import SpatialIndexing
import Threading

/// The ordered feed of changes from a layer's index to its clusters.
///
/// The index calls ``publish(_:masks:now:)`` inside its write lock, slice by slice, so that records
/// arrive in commit order. The maintainer applies them on its own thread and wakes readers that
/// wait for a version.
package final class ClusterFeed: Sendable {
  fileprivate struct State {
    var sequence: UInt64 = 0
    /// The summary of each slot's tags as last reported. Moves by handle keep it.
    var masks: [UInt64] = []
    /// The contribution of each slot's object; empty unless the layer keeps aggregates.
    var contributions: [ClusterContribution] = []
    /// The contributions, by rank, of objects that are about to be published.
    var staged: [ObjectRank: ClusterContribution] = [:]
  }

  private struct Waiters {
    var nextID: UInt64 = 0
    var waiting: [UInt64: (sequence: UInt64, continuation: CheckedContinuation<Void, Never>)] = [:]
  }

  /// The layer's clusters; `nil` when it keeps none.
  package let clusters: LiveClusters?
  private let state = StateLock(State())
  private let waiters = StateLock(Waiters())
  private let onWork: @Sendable () -> Void

  init(clusters: LiveClusters?, onWork: @escaping @Sendable () -> Void) {
    self.clusters = clusters
    self.onWork = onWork
  }

  /// The sequence of the newest record.
  var sequence: UInt64 { state.withLock { $0.sequence } }

  /// Numbers the changes of one slice with the next sequence and hands them to the clusters.
  ///
  /// - Parameters:
  ///   - changes: The changes of one slice. Without clusters they may have been left out.
  ///   - masks: The tag summaries, by rank, of objects that were reported with their tags.
  ///   - now: The moment at which the slice was applied.
  func publish(
    _ changes: UnsafeBufferPointer<IndexChange>, masks: [ObjectRank: UInt64], now: Instant
  ) {
    guard let clusters else {
      state.withLock { $0.sequence += 1 }
      return
    }
    guard !changes.isEmpty else { return }
    let hasAggregates = clusters.configuration.hasAggregates
    state.withLock { state in
      state.sequence += 1
      let records = changes.map { change in
        ClusterChange(
          kind: ClusterChange.Kind(change.kind), rank: change.rank, key: change.handle.packed,
          from: change.from, to: change.to, tagMask: state.mask(of: change, masks),
          contribution: hasAggregates
            ? state.contribution(of: change) : .none)
      }
      // Inside the lock, so that records are handed over in the order of their sequence.
      records.withUnsafeBufferPointer {
        clusters.enqueue($0, sequence: state.sequence, at: now)
      }
    }
    onWork()
  }

  /// Sets what objects that are about to be published add to their clusters; others keep theirs.
  /// ``publish(_:masks:now:)`` does not clear it: the caller passes an empty dictionary when the
  /// batch is through.
  func stage(_ contributions: [ObjectRank: ClusterContribution]) {
    state.withLock { $0.staged = contributions }
  }

  /// Applies the changes that wait.
  ///
  /// - Returns: Whether any are left.
  func flush() -> Bool {
    guard let clusters else { return false }
    let left = clusters.flush(maximumChanges: 4096)
    wakeWaiters(applied: clusters.appliedSequence)
    return left > 0
  }

  private func wakeWaiters(applied: UInt64) {
    let ready = waiters.withLock { waiters in
      let ready = waiters.waiting.filter { $0.value.sequence <= applied }
      for id in ready.keys { waiters.waiting[id] = nil }
      return ready
    }
    for waiter in ready.values { waiter.continuation.resume() }
  }

  /// Waits until the clusters show a sequence.
  ///
  /// - Returns: Whether they show it.
  func waitUntilApplied(_ wanted: UInt64, milliseconds: Int64) async -> Bool {
    guard let clusters, clusters.appliedSequence < wanted else { return true }
    let id = waiters.withLock { waiters in
      waiters.nextID += 1
      return waiters.nextID
    }
    onWork()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait(id, wanted, clusters) }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(milliseconds))
        self.waiters.withLock { $0.waiting.removeValue(forKey: id) }?.continuation.resume()
      }
      await group.next()
      group.cancelAll()
    }
    return clusters.appliedSequence >= wanted
  }

  private func wait(_ id: UInt64, _ wanted: UInt64, _ clusters: LiveClusters) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = waiters.withLock { waiters in
          if clusters.appliedSequence >= wanted || Task.isCancelled { return true }
          waiters.waiting[id] = (wanted, continuation)
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      self.waiters.withLock { $0.waiting.removeValue(forKey: id) }?.continuation.resume()
    }
  }
}

extension ClusterFeed.State {
  fileprivate mutating func mask(of change: IndexChange, _ reported: [ObjectRank: UInt64])
    -> UInt64
  {
    let slot = Int(change.handle.slot)
    if slot >= masks.count {
      masks.append(contentsOf: repeatElement(0, count: max(1024, slot + 1 - masks.count)))
    }
    if let mask = reported[change.rank] { masks[slot] = mask }
    return masks[slot]
  }

  fileprivate mutating func contribution(of change: IndexChange) -> ClusterContribution {
    let slot = Int(change.handle.slot)
    if slot >= contributions.count {
      contributions.append(
        contentsOf: repeatElement(.none, count: max(64, slot + 1 - contributions.count)))
    }
    if let contribution = staged[change.rank] {
      contributions[slot] = contribution
    } else if change.kind == .inserted {
      // The slot belonged to another object before.
      contributions[slot] = .none
    }
    return contributions[slot]
  }
}

extension ClusterChange.Kind {
  fileprivate init(_ kind: IndexChange.Kind) {
    switch kind {
    case .inserted: self = .inserted
    case .moved: self = .moved
    case .removed: self = .removed
    case .retagged: self = .retagged
    }
  }
}

extension ObjectHandle {
  /// The slot and generation in one number, as handles are sent over the wire. It is never 0 for a
  /// live object, because generations begin at 1.
  package var packed: UInt64 { UInt64(generation) << 32 | UInt64(slot) }

  package init(packed: UInt64) {
    self.init(
      slot: UInt32(truncatingIfNeeded: packed), generation: UInt32(truncatingIfNeeded: packed >> 32)
    )
  }
}

/// A 64-bit summary of tags with one bit for each tag, chosen by the tag's hash.
enum TagMask {
  static func bit(_ tag: String) -> UInt64 { 1 << (StableHash.hash64(tag) >> 58) }
  static func mask(_ tags: [String]) -> UInt64 { tags.reduce(0) { $0 | bit($1) } }
}
