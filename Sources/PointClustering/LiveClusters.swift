public import ObjectModel
import Synchronization
import Threading

/// Clusters of a layer at zooms 0...16 that are correct after every change, without a rebuild.
///
/// One thread hands over the layer's ordered changes (``enqueue(_:sequence:at:)``), one maintainer
/// applies them (``flush(maximumChanges:)``), and any number of threads read. Changes are applied
/// in slices under one lock, so that every read sees one state of all zooms. The clusters depend
/// only on the set of points, never on the order in which they came.
///
/// Thread safety: a mutex guards `net`, another one the changes that wait, and a third one, which
/// only the maintainer takes, the batch that is being applied.
public final class LiveClusters: Sendable {
  /// The settings of a layer's clusters, which are fixed when they are made.
  public struct Configuration: Sendable {
    /// Whether clusters keep sums and least values of ``ClusterContribution`` (party layers).
    public var hasAggregates: Bool
    /// The first version of changes. Each start of a process gives another one, so that an ETag of
    /// an earlier start never matches.
    public var firstVersion: UInt64
    /// The most changes that are applied under one hold of the lock. Where changes cost more than
    /// usual fewer are taken, so that one hold is shorter than 200 us.
    public var sliceLength: Int
    /// The most objects that the feed may bring. About 4 KB of address space are reserved for each
    /// when the clusters are made; memory is taken as objects come.
    public var maximumObjects: Int

    /// Describes clusters. A part that is left out has its usual value.
    public init(
      hasAggregates: Bool = false, firstVersion: UInt64 = 1, sliceLength: Int = 12,
      maximumObjects: Int = 1 << 22
    ) {
      self.maximumObjects = max(1, maximumObjects)
      self.hasAggregates = hasAggregates
      self.firstVersion = max(1, firstVersion)
      self.sliceLength = max(1, sliceLength)
    }
  }

  /// How far the clusters are behind the feed.
  public struct Lag: Hashable, Sendable {
    /// The number of changes that wait, after merging.
    public var pendingCount: Int
    /// The moment at which the oldest of them was enqueued; `nil` if none waits.
    public var oldestPending: Instant?
  }

  private struct Batch {
    var changes = PendingChanges()
    var position = 0
    /// The length of the next slice, which follows the work of the last ones.
    var sliceLength = 1

    /// The units of ``ClusterNet/work`` that a slice may do before the next ones are shortened:
    /// about 90 us.
    static let workLimit = 300

    mutating func adapt(toWork work: Int, maximum: Int) {
      if work > Self.workLimit {
        sliceLength = max(1, sliceLength / 2)
      } else if work < Self.workLimit / 2 {
        sliceLength = min(maximum, sliceLength + 1)
      }
    }
  }

  /// The settings that the clusters were made with.
  public let configuration: Configuration
  let net: StateLock<ClusterNet>
  private let waiting = StateLock(PendingChanges())
  private let batch = StateLock(Batch())
  private let applied = Atomic<UInt64>(0)
  private let batchCount = Atomic<Int>(0)
  private let batchOldest = Atomic<Int64>(.max)
  let readersWaiting = Atomic<Int>(0)
  private let largestSlice = Atomic<Int>(0)

  /// Makes empty clusters.
  ///
  /// - Precondition: The system grants the address space. Where callers decide how many layers
  ///   there are, use ``init(reserving:)``.
  public convenience init(configuration: Configuration = Configuration()) {
    do {
      try self.init(reserving: configuration)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Makes empty clusters.
  ///
  /// - Throws: ``AddressSpaceError`` if the system does not grant the address space that
  ///   ``Configuration/maximumObjects`` takes.
  public init(reserving configuration: Configuration) throws(AddressSpaceError) {
    self.configuration = configuration
    net = StateLock(
      try ClusterNet(
        hasAggregates: configuration.hasAggregates, version: configuration.firstVersion,
        maximumObjects: configuration.maximumObjects))
  }

  // MARK: - Feeding

  /// Enqueues changes in the order of the feed. It only merges them into those that wait.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - sequence: The feed's sequence of the last of them, which must not decrease.
  ///   - now: The present moment, for ``lag``.
  public func enqueue(
    _ changes: some Sequence<ClusterChange>, sequence: UInt64, at now: Instant
  ) {
    waiting.withLock { waiting in
      for change in changes { waiting.merge(change) }
      waiting.sequence = max(waiting.sequence, sequence)
      if waiting.count > 0 { waiting.oldest = min(waiting.oldest, now.milliseconds) }
    }
  }

  /// Applies waiting changes, at most about `maximumChanges`, in slices of
  /// `configuration.sliceLength`, each under one hold of the lock.
  ///
  /// - Returns: The number of changes that still wait.
  @discardableResult
  public func flush(maximumChanges: Int = .max) -> Int {
    batch.withLock { batch in
      var budget = maximumChanges
      while budget > 0 {
        if batch.position == batch.changes.count && !takeWaiting(&batch) { break }
        let end = min(
          batch.changes.count, batch.position + min(batch.sliceLength, budget))
        let slice = batch.changes.changes[batch.position..<end]
        let work = net.withLock { net in
          net.work = 0
          net.apply(slice)
          return net.work
        }
        batch.adapt(toWork: work, maximum: configuration.sliceLength)
        if work > largestSlice.load(ordering: .relaxed) {
          largestSlice.store(work, ordering: .relaxed)
        }
        budget -= end - batch.position
        batch.position = end
        batchCount.store(batch.changes.count - end, ordering: .relaxed)
        if end == batch.changes.count { finish(&batch) }
        yieldToReaders()
      }
    }
    return lag.pendingCount
  }

  private func takeWaiting(_ batch: inout Batch) -> Bool {
    batch.changes.removeAll()
    batch.position = 0
    waiting.withLock { waiting in
      swap(&waiting, &batch.changes)
      waiting.sequence = batch.changes.sequence
      batchCount.store(batch.changes.count, ordering: .relaxed)
      batchOldest.store(batch.changes.oldest, ordering: .relaxed)
    }
    if batch.changes.count == 0 {
      finish(&batch)
      return false
    }
    batch.changes.sortByPlace()
    return true
  }

  private func finish(_ batch: inout Batch) {
    batchOldest.store(.max, ordering: .relaxed)
    applied.store(batch.changes.sequence, ordering: .releasing)
  }

  /// Lets readers take the lock. Mutexes are not fair: without this the maintainer would take the
  /// lock again before a reader woke up.
  private func yieldToReaders() {
    var spins = 0
    while readersWaiting.load(ordering: .relaxed) > 0 && spins < 20_000 { spins += 1 }
  }

  /// Replaces everything by a static build of these points. Reads go on meanwhile; the new state
  /// appears at once, with every block changed. Changes that wait are applied after it.
  ///
  /// - Throws: ``AddressSpaceError`` if there is no address space for a second state beside the
  ///   first.
  public func bulkLoad(
    _ points: [ClusterPoint], sequence: UInt64 = 0
  ) throws(AddressSpaceError) {
    try batch.withLock { _ throws(AddressSpaceError) in
      let version = net.withLock { $0.versions.current } + 1
      var new = try ClusterNet(
        hasAggregates: configuration.hasAggregates, version: version,
        maximumObjects: configuration.maximumObjects)
      new.build(points)
      net.withLock { swap(&$0, &new) }
      if sequence > applied.load(ordering: .relaxed) {
        applied.store(sequence, ordering: .releasing)
      }
    }
  }

  // MARK: - State

  /// The sequence up to which all changes of the feed are in the clusters.
  public var appliedSequence: UInt64 { applied.load(ordering: .acquiring) }

  /// How far the clusters are behind the feed now.
  public var lag: Lag {
    let (count, oldest) = waiting.withLock { ($0.count, $0.oldest) }
    let earliest = min(oldest, batchOldest.load(ordering: .relaxed))
    return Lag(
      pendingCount: count + batchCount.load(ordering: .relaxed),
      oldestPending: earliest == .max ? nil : Instant(milliseconds: earliest))
  }

  /// The number of objects in the clusters.
  public var objectCount: Int { reading { $0.objectCount } }

  /// The bytes held by the clusters.
  public var allocatedBytes: Int { reading { $0.allocatedBytes } }

  /// The most work done under one hold of the lock, in items touched, settled and claimed, which
  /// take about 0.3 us each.
  public var largestSliceWork: Int { largestSlice.load(ordering: .relaxed) }

  /// A number that grows with every slice that is applied.
  public var version: UInt64 { reading { $0.versions.current } }

  func reading<Result: Sendable>(_ body: (inout ClusterNet) throws -> Result) rethrows -> Result {
    readersWaiting.add(1, ordering: .relaxed)
    return try net.withLock { net in
      readersWaiting.subtract(1, ordering: .relaxed)
      return try body(&net)
    }
  }
}
