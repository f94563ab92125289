import GeoMath
public import ObjectModel
import Threading

/// A live index shared between threads. It has one readers-writer lock that prefers writers. A
/// writer holds the lock for a slice of at most ``sliceLimit`` objects, so that no reader waits
/// longer.
///
/// `@unchecked Sendable`: `index` is only touched under `lock`.
public final class SharedLiveIndex: @unchecked Sendable {
  /// The most objects that a writer changes under one hold of the lock.
  public static let sliceLimit = 128

  private let lock = ReadersWriterLock()
  private var index: LiveIndex
  private let hash: KeyedHash
  private let ranking: KeyedHash

  /// Makes an empty index.
  ///
  /// - Precondition: The system grants the address space. Where callers decide how many indexes
  ///   there are, use ``init(reserving:)``.
  public convenience init(configuration: LiveIndexConfiguration = .init()) {
    do {
      try self.init(reserving: configuration)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Makes an empty index.
  ///
  /// - Throws: ``AddressSpaceError`` if the system does not grant the address space that
  ///   ``LiveIndexConfiguration/maximumObjects`` takes.
  public init(reserving configuration: LiveIndexConfiguration) throws(AddressSpaceError) {
    let space = try AddressSpace(bytes: LiveIndex.addressSpace(configuration))
    index = LiveIndex(configuration: configuration, in: space)
    hash = index.hash
    ranking = index.ranking
  }

  /// Reads the index under one hold of the lock.
  @inline(__always)
  func withIndex<Answer>(_ body: (borrowing LiveIndex) -> Answer) -> Answer {
    lock.withReadLock { body(index) }
  }

  /// Returns the rank that the change feed gives an id.
  public func rank(of id: String) -> ObjectRank { ranking.rank(of: id) }

  /// Returns the rank that the change feed gives an id, by its UTF-8 bytes.
  public func rank(of id: UnsafeRawBufferPointer) -> ObjectRank { unsafe ranking.rank(of: id) }

  /// Applies a batch in slices; `outcomes[i]` tells what the index did with entry i.
  ///
  /// - Parameters:
  ///   - batch: The entries, applied in order.
  ///   - now: The present moment, by which objects have expired.
  ///   - outcomes: Is replaced by the outcomes of the entries.
  ///   - changes: Is called once for each slice that changed something, with the slice's changes,
  ///     those of one object in order. It runs inside the write lock and so in commit order, and
  ///     must not call the index.
  public func apply(
    _ batch: borrowing UpdateBatch, now: Instant, outcomes: inout [UpdateOutcome],
    changes: ((UnsafeBufferPointer<IndexChange>) -> Void)? = nil
  ) {
    unsafe apply(
      batch, now: now, outcomes: &outcomes, isFollowed: { unsafe changes != nil },
      changes: { slice in unsafe changes?(slice) })
  }

  /// Applies a batch in slices, for somebody who does not always want to know what they change.
  ///
  /// - Parameters:
  ///   - batch: The entries, applied in order.
  ///   - now: The present moment, by which objects have expired.
  ///   - outcomes: Is replaced by the outcomes of the entries.
  ///   - isFollowed: Is asked before each slice, inside its lock, whether anybody wants the
  ///     changes. If not, they are not worked out.
  ///   - changes: Is called once for each slice that changed something, inside the write lock, with
  ///     the slice's changes, or with none if they are not wanted. It must not call the index.
  public func apply(
    _ batch: borrowing UpdateBatch, now: Instant, outcomes: inout [UpdateOutcome],
    isFollowed: () -> Bool, changes: (UnsafeBufferPointer<IndexChange>) -> Void
  ) {
    outcomes.removeAll(keepingCapacity: true)
    outcomes.append(contentsOf: repeatElement(.stale, count: batch.count))
    LiveIndex.withPlan(of: batch, hash: hash) { plan in
      unsafe outcomes.withUnsafeMutableBufferPointer { outcomes in
        guard let outcomes = outcomes.baseAddress else { return }
        var start = 0
        while start < batch.count {
          let end = min(start + Self.sliceLimit, batch.count)
          lock.withWriteLock {
            unsafe index.apply(
              batch, start..<end, plan: plan, now: now, outcomes: outcomes,
              isFollowed: isFollowed, changes: changes)
          }
          start = end
        }
      }
    }
  }

  /// Removes objects.
  ///
  /// - Returns: For each id whether there was a live object.
  public func remove(
    ids: [String], now: Instant, changes: ((UnsafeBufferPointer<IndexChange>) -> Void)? = nil
  ) -> [Bool] {
    var removed: [Bool] = []
    removed.reserveCapacity(ids.count)
    var start = 0
    while start < ids.count {
      let end = min(start + Self.sliceLimit, ids.count)
      lock.withWriteLock {
        unsafe index.remove(ids: ids[start..<end], now: now, removed: &removed, changes: changes)
      }
      start = end
    }
    return removed
  }

  /// Returns whether an object may have expired by a moment: by a bound, which may be a second early.
  public func mayExpire(by moment: Instant) -> Bool {
    lock.withReadLock { index.mayHaveExpired(now: moment) }
  }

  /// Frees up to `limit` expired objects.
  ///
  /// - Returns: The number of objects freed. Fewer than `limit` means that none is left.
  public func reclaimExpired(
    now: Instant, limit: Int, changes: ((UnsafeBufferPointer<IndexChange>) -> Void)? = nil
  ) -> Int {
    var total = 0
    // A writer that waits for a long search's slice keeps other readers waiting too: it comes only when
    // something may be due.
    while total < limit, lock.withReadLock({ index.mayHaveExpired(now: now) }) {
      let slice = min(Self.sliceLimit, limit - total)
      let freed = lock.withWriteLock {
        unsafe index.reclaimExpired(now: now, limit: slice, changes: changes)
      }
      total += freed
      if freed < slice { break }
    }
    return total
  }

  /// Runs `body` with a live object. It is not run and the result is `nil` when there is none.
  public func withObject<R>(id: String, now: Instant, _ body: (HitView) -> R) -> R? {
    lock.withReadLock { index.withObject(id: id, now: now, body) }
  }

  /// Runs `body` with the live object of a handle. It is not run and the result is `nil` when the
  /// object left or expired.
  public func withObject<R>(handle: ObjectHandle, now: Instant, _ body: (HitView) -> R) -> R? {
    lock.withReadLock { index.withObject(handle: handle, now: now, body) }
  }

  /// Runs `body` with each live object of a list of handles and its place in the list. Objects that
  /// left or expired are skipped.
  ///
  /// The lock is taken once for every ``sliceLimit`` handles instead of once for each.
  ///
  /// - Complexity: O(handles).
  public func forEachObject(
    handles: [ObjectHandle], now: Instant, _ body: (Int, HitView) -> Void
  ) {
    var start = 0
    while start < handles.count {
      let slice = start..<min(start + Self.sliceLimit, handles.count)
      lock.withReadLock {
        for i in slice { index.withObject(handle: handles[i], now: now) { body(i, $0) } }
      }
      start = slice.upperBound
    }
  }

  /// Returns the handles of live objects, `nil` where there is none.
  public func handles(ids: [String], now: Instant) -> [ObjectHandle?] {
    lock.withReadLock { index.handles(ids: ids, now: now) }
  }

  /// Visits the nearest hits in order and returns their number.
  @discardableResult
  public func nearest(_ query: NearestQuery, now: Instant, _ visit: (HitView) -> Void) -> Int {
    var work = SearchWork()
    return nearest(query, now: now, work: &work, visit)
  }

  /// Visits the objects of an area in order and returns their number.
  @discardableResult
  public func within(_ query: WithinQuery, now: Instant, _ visit: (HitView) -> Void) -> Int {
    var work = SearchWork()
    return within(query, now: now, work: &work, visit)
  }

  /// Counts how often each tag is carried by the matching objects, in slices between which the lock
  /// is released: an object that stays is counted exactly once.
  ///
  /// - Parameters:
  ///   - area: Where to count; nil counts everywhere.
  ///   - filter: Which objects count.
  ///   - limit: How many tags to name.
  ///   - now: Objects that have expired by then do not count.
  /// - Returns: The most carried tags by count descending, then by tag bytes.
  public func tagHistogram(
    area: SearchArea?, filter: SearchFilter = unsafe SearchFilter(), limit: Int, now: Instant
  ) -> [(tag: String, count: Int)] {
    var work = SearchWork()
    return tagHistogram(area: area, filter: filter, limit: limit, now: now, work: &work)
  }

  /// Returns the tags that most of the matching objects carry, by count descending, then by tag
  /// bytes. What the count did is added to `work`.
  public func tagHistogram(
    area: SearchArea?, filter: SearchFilter = unsafe SearchFilter(), limit: Int, now: Instant,
    work: inout SearchWork
  ) -> [(tag: String, count: Int)] {
    tagHistogram(
      TagCounts(area: area), filter: filter, limit: limit, now: now, work: &work
    ) { _ in }
  }

  /// The same of a circle.
  public func tagHistogram(
    circle: SearchCircle, filter: SearchFilter = unsafe SearchFilter(), limit: Int, now: Instant,
    work: inout SearchWork
  ) -> [(tag: String, count: Int)] {
    tagHistogram(
      TagCounts(area: nil, circle: circle), filter: filter, limit: limit, now: now, work: &work
    ) { _ in }
  }

  /// The same; `afterSlice` is told what the search did so far whenever the lock was released.
  func tagHistogram(
    _ uncounted: TagCounts, filter: SearchFilter, limit: Int, now: Instant,
    work: inout SearchWork, afterSlice: (SearchWork) -> Void
  ) -> [(tag: String, count: Int)] {
    guard limit > 0 else { return [] }
    var counts = uncounted
    var hasMore = true
    while hasMore {
      hasMore = withIndex { index in
        counts.addNextSlice(of: index, filter: filter, now: now, &work)
      }
      afterSlice(work)
    }
    return work.mustEnd() ? [] : counts.rows(limit: limit)
  }

  /// Visits every live object. The lock is released between slices: an object that stays is visited
  /// exactly once; one that comes or goes meanwhile may or may not be visited.
  public func forEachObject(now: Instant, _ body: (HitView) -> Void) {
    var cursor = 0
    while true {
      let next = lock.withReadLock {
        index.forEachObject(from: cursor, now: now, body)
      }
      guard let next else { return }
      cursor = next
    }
  }

  /// Visits live objects in the order of their slots, under one hold of the lock. Who calls it until
  /// it returns `nil` meets every object that stays exactly once.
  ///
  /// - Parameters:
  ///   - cursor: 0, or what the call before returned.
  ///   - now: Objects that have expired by then are left out.
  ///   - body: Is shown each object.
  /// - Returns: Where the next call goes on; `nil` at the end.
  public func forEachObject(
    from cursor: Int, now: Instant, _ body: (HitView) -> Void
  ) -> Int? {
    lock.withReadLock { index.forEachObject(from: cursor, now: now, body) }
  }

  /// Returns the sizes of the index now.
  public func statistics() -> LiveIndexStatistics {
    lock.withReadLock { index.statistics() }
  }

  /// The number of objects now, those that have expired and are not yet freed included.
  public var objectCount: Int { lock.withReadLock { index.count } }

  /// The bytes that the records of all objects take now, rounded as the arena rounds them.
  var recordBytesInUse: Int { lock.withReadLock { index.arena.bytesInUse } }

  /// A number that grows with every slice or removal that changed something.
  public var version: UInt64 { lock.withReadLock { index.version } }

  /// Checks every invariant of the index, for tests.
  ///
  /// - Throws: ``LiveIndexInvariantError``, which names the first culprit.
  public func checkInvariants() throws(LiveIndexInvariantError) {
    let failure = lock.withReadLock { () -> LiveIndexInvariantError? in
      do throws(LiveIndexInvariantError) {
        try index.checkInvariants()
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }
}

/// A broken invariant of the index, which is a defect of this module.
public struct LiveIndexInvariantError: Error, Hashable, Sendable {
  /// Says which invariant is broken, and where.
  public let message: String

  /// Names the invariant and the culprit.
  public init(_ message: String) { self.message = message }
}
