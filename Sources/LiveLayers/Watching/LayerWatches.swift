import GeoMath
import ObjectModel
import SpatialIndexing
import Synchronization
import Threading

/// The watches of a layer, which follow its ordered feed of changes.
///
/// ```
/// index ── publish (in its write lock: one append) ──> inbox ── flush (own thread) ──> grid
///                                                                                        |
///   stream <── read from its position ── log of a watch <── enter, move, exit ───────────+
/// ```
/// A layer that nobody watches costs one atomic load a batch. A watch knows only which objects are
/// in it. Their positions are read from the index when they are reported, so that several records
/// of one object become one however late they are read.
package final class LayerWatches: Sendable {
  struct Change {
    var handle: ObjectHandle
    var to: MercatorPoint
    var isRemoval: Bool
    /// Whether the change is reported even if the object stays where it was.
    var hasVisibleChange: Bool
  }

  private struct Inbox {
    var changes: [Change] = []
    /// Whether changes were dropped because too many waited; then all watches begin anew.
    var isOverfull = false
  }

  /// An object that is in at least one watched area.
  struct Watched {
    var generation: UInt32
    /// The numbers of the areas, ascending.
    var areas: [UInt32]
    let id: String

    /// Returns the index of the first area that is not below `area`.
    ///
    /// - Complexity: O(log areas).
    func place(of area: UInt32) -> Int {
      var (low, high) = (0, areas.count)
      while low < high {
        let middle = (low + high) / 2
        if areas[middle] < area { low = middle + 1 } else { high = middle }
      }
      return low
    }

    func isIn(_ area: UInt32) -> Bool {
      let at = place(of: area)
      return at < areas.count && areas[at] == area
    }
  }

  struct Table {
    var grid = WatchGrid()
    /// The watch of each area number; `nil` where an area was removed.
    var watchOf: [PositionWatch?] = []
    /// The index of each area among its watch's own areas.
    var indexOf: [UInt32] = []
    var coverOf: [WatchGrid.Cover] = []
    var freeAreas: [UInt32] = []
    /// The numbers of removed areas that objects may still name.
    var retiredAreas: [UInt32] = []
    var objects: [UInt32: Watched] = [:]
    var watches: [UInt64: Entry] = [:]
    var numbers: [UInt64: UInt64] = [:]
    var nextNumber: UInt64 = 1
    /// Working memory of a flush, of which one runs at a time; kept for its capacity.
    var inside: [UInt32] = []
    var candidates: [(area: UInt32, isInside: Bool)] = []
    var touched: [PositionWatch] = []

    /// Returns the areas in ``inside`` with room for no more of them: the working memory has room
    /// for many, and objects keep what they are given.
    func copyOfInside() -> [UInt32] { inside.map { $0 } }
  }

  struct Entry {
    let watch: PositionWatch
    let areas: [UInt32]
    var readers: Int
    /// The moment at which the last reader left.
    var idleSince: Instant
  }

  /// How long a watch without readers is kept, so that they can come back where they were.
  package static let lingerMilliseconds: Int64 = 60_000
  /// Changes that wait for a flush, of 20 bytes each. When more come, the watches begin anew, which
  /// then costs less than to catch up.
  private static let inboxLimit = 1 << 16
  private static let lingering = 1024

  let index: SharedLiveIndex
  let name: String
  private let areaLimit: Int
  private let isActive = Atomic<Bool>(false)
  private let inbox = StateLock(Inbox())
  let table = StateLock(Table())
  private let onWork: @Sendable () -> Void

  init(
    index: SharedLiveIndex, name: String, areaLimit: Int, onWork: @escaping @Sendable () -> Void
  ) {
    self.index = index
    self.name = name
    self.areaLimit = areaLimit
    self.onWork = onWork
  }

  /// Whether changes are wanted, which is asked inside the index's write lock. A watch is begun
  /// before it scans, so that a slice that finds no watch is over before any scan that must see its
  /// changes.
  var isFollowed: Bool { isActive.load(ordering: .acquiring) }

  /// Takes the changes of a slice. The index calls it inside its write lock, and so in commit
  /// order.
  func publish(_ changes: UnsafeBufferPointer<IndexChange>) {
    guard isActive.load(ordering: .acquiring), !changes.isEmpty else { return }
    inbox.withLock { inbox in
      guard inbox.changes.count + changes.count <= Self.inboxLimit else {
        inbox.isOverfull = true
        inbox.changes.removeAll()
        return
      }
      for change in changes {
        inbox.changes.append(
          Change(
            handle: change.handle, to: change.to, isRemoval: change.kind == .removed,
            hasVisibleChange: change.kind != .moved || change.from != change.to))
      }
    }
    onWork()
  }

  // MARK: - Beginning and ending watches

  /// The numbers of watches, areas and watched objects now.
  package var statistics: (watches: Int, areas: Int, objects: Int) {
    table.withLock { table in
      (
        table.watches.count,
        table.openAreas, table.objects.count
      )
    }
  }

  /// Returns the watch of a query, and begins it when nobody else asks the same. The caller ends it
  /// with ``release(_:now:)``.
  ///
  /// - Throws: `tooManyWatches`; `tooMuchWork` and `abandoned` by the budget. It is spent on each
  ///   object that each area finds, so that many areas that hold everything are refused.
  /// - Complexity: O(areas x cells + objects in the areas). Many areas need a thread that may be
  ///   kept busy.
  func acquire(
    _ query: WatchQuery, now: Instant, budget: inout WorkBudget
  ) throws(LayerError) -> PositionWatch {
    let fingerprint = query.fingerprint(layer: name)
    if let watch = existing(fingerprint) { return watch }
    let prepared = query.areas.map { PreparedWatchArea($0) }
    let cellsAcross = prepared.count > 16 ? 4 : 8
    let covers = prepared.map { WatchGrid.cover($0, cellsAcross: cellsAcross) }
    // From here on changes wait in the inbox, so that none is missed between scan and flush.
    isActive.store(true, ordering: .sequentiallyConsistent)
    let made: (watch: PositionWatch, areas: [UInt32])? = table.withLock { table in
      if let number = table.numbers[fingerprint], let entry = table.watches[number] {
        table.watches[number]?.readers += 1
        return (entry.watch, entry.areas)
      }
      guard table.openAreas + covers.count <= areaLimit else { return nil }
      let watch = PositionWatch(
        number: table.nextNumber, fingerprint: fingerprint, query: query, areas: prepared)
      table.nextNumber += 1
      let areas = table.insert(watch, covers)
      table.watches[watch.number] = Entry(watch: watch, areas: areas, readers: 1, idleSince: now)
      table.numbers[fingerprint] = watch.number
      return (watch, areas)
    }
    guard let made else { throw .tooManyWatches(limit: areaLimit) }
    // A caller that comes before another's scan has ended scans too: an object that a reader's
    // snapshot shows must be known here, or the reader would not learn when it leaves.
    do throws(WorkBudget.Exhaustion) {
      for (index, area) in made.areas.enumerated() {
        try scan(area, made.watch, index: index, now: now, budget: &budget)
      }
    } catch {
      abandon(made.watch, now: now)
      switch error {
      case .steps(let limit): throw .tooMuchWork(limit: limit, field: "areas")
      case .deadlinePassed, .cancelled: throw .abandoned
      }
    }
    made.watch.isScanned.store(true, ordering: .releasing)
    return made.watch
  }

  private func existing(_ fingerprint: UInt64) -> PositionWatch? {
    table.withLock { table in
      guard let number = table.numbers[fingerprint], let entry = table.watches[number],
        entry.watch.isScanned.load(ordering: .acquiring)
      else { return nil }
      table.watches[number]?.readers += 1
      return entry.watch
    }
  }

  /// Ends a watch whose scan was not completed, unless somebody else waits for it.
  private func abandon(_ watch: PositionWatch, now: Instant) {
    table.withLock { table in
      guard var entry = table.watches[watch.number] else { return }
      entry.readers -= 1
      entry.idleSince = now
      table.watches[watch.number] = entry
      guard entry.readers == 0 else { return }
      table.remove(entry)
      table.sweepIfWorthwhile()
    }
  }

  /// Counts the end of a stream of the watch.
  func release(_ watch: PositionWatch, now: Instant) {
    table.withLock { table in
      table.watches[watch.number]?.readers -= 1
      table.watches[watch.number]?.idleSince = now
    }
  }

  /// Ends watches to which no reader came back.
  private func prune(_ table: inout Table, now: Instant) {
    let idle = table.watches.values.filter { $0.readers == 0 }
    guard !idle.isEmpty else { return }
    var dead = idle.filter {
      now.milliseconds(since: $0.idleSince) > Self.lingerMilliseconds
    }
    if idle.count - dead.count > Self.lingering {
      let oldest = idle.sorted { $0.idleSince < $1.idleSince }
      dead = Array(oldest.prefix(idle.count - Self.lingering))
    }
    for entry in dead { table.remove(entry) }
    guard !dead.isEmpty else { return }
    table.sweepIfWorthwhile()
    if table.watches.isEmpty {
      isActive.store(false, ordering: .sequentiallyConsistent)
      table = Table(nextNumber: table.nextNumber)
      inbox.withLock { $0 = Inbox() }
    }
  }

  // MARK: - Feed

  /// Applies the changes that wait.
  ///
  /// - Returns: Whether any are left.
  func flush(now: Instant) -> Bool {
    guard isActive.load(ordering: .acquiring) else { return false }
    let (changes, isOverfull) = inbox.withLock { inbox in
      defer { inbox = Inbox() }
      return (inbox.changes, inbox.isOverfull)
    }
    if isOverfull { return startOver(now: now) }
    var start = 0
    while start < changes.count {
      let end = min(start + 256, changes.count)
      let touched = table.withLock { table in
        for i in start..<end { match(changes[i], &table, now: now) }
        return table.takeTouched()
      }
      for watch in touched { watch.announce() }
      start = end
    }
    return inbox.withLock { !$0.changes.isEmpty }
  }

  /// Ends idle watches, also while no change comes.
  func prune(now: Instant) {
    guard isActive.load(ordering: .acquiring) else { return }
    table.withLock { prune(&$0, now: now) }
  }

  /// Scans all areas anew, after changes were lost.
  private func startOver(now: Instant) -> Bool {
    let watches = table.withLock { table in
      table.objects.removeAll()
      return table.watches.values.map { ($0.watch, $0.areas) }
    }
    for (watch, areas) in watches {
      watch.resetMemberCount()
      var budget = WorkBudget.unlimited
      for (index, area) in areas.enumerated() {
        // An unlimited budget is never exceeded.
        try? scan(area, watch, index: index, now: now, budget: &budget)
      }
      watch.removeAllRecords()
    }
    return true
  }

  /// Reads a page of the objects that the watch knows in an area. An object that the index shows
  /// but whose change is not matched yet is left out: if it left before that, nobody would report
  /// it.
  func nextMembers(
    of watch: PositionWatch, _ area: Int, limit: Int, pages: inout AreaPages, now: Instant,
    _ visit: (HitView) -> Void
  ) {
    table.withLock { table in
      guard let number = table.watches[watch.number]?.areas[area] else { return pages.end() }
      pages.next(limit, in: index, now: now) { hit in
        guard let known = table.objects[hit.handle.slot],
          known.generation == hit.handle.generation, known.isIn(number)
        else { return }
        visit(hit)
      }
    }
  }

  /// Records who is in an area, page by page. Changes that come meanwhile wait in the inbox.
  private func scan(
    _ area: UInt32, _ watch: PositionWatch, index: Int, now: Instant, budget: inout WorkBudget
  ) throws(WorkBudget.Exhaustion) {
    var pages = AreaPages(watch: watch, area: index)
    while pages.hasMore {
      var steps = 1
      let touched = table.withLock { table -> [PositionWatch] in
        guard table.isOpen(area, of: watch) else {
          pages.end()
          return []
        }
        pages.next(256, in: self.index, now: now) { hit in
          // The cost grows with the list of the object's areas, which is moved to make room.
          steps += 1 + table.join(area, handle: hit.handle) { hit.idString } / 64
        }
        return table.takeTouched()
      }
      for watch in touched { watch.announce() }
      try budget.spend(steps)
    }
  }
}

extension LayerWatches.Table {
  fileprivate init(nextNumber: UInt64) { self.nextNumber = nextNumber }

  fileprivate var openAreas: Int { watchOf.count - freeAreas.count - retiredAreas.count }

  fileprivate mutating func takeTouched() -> [PositionWatch] {
    defer { touched.removeAll(keepingCapacity: true) }
    return touched
  }

  fileprivate mutating func insert(
    _ watch: PositionWatch, _ covers: [WatchGrid.Cover]
  ) -> [UInt32] {
    zip(UInt32(0)..., covers).map { index, cover in
      let area: UInt32
      if let free = freeAreas.popLast() {
        area = free
        watchOf[Int(free)] = watch
        indexOf[Int(free)] = index
        coverOf[Int(free)] = cover
      } else {
        area = UInt32(watchOf.count)
        watchOf.append(watch)
        indexOf.append(index)
        coverOf.append(cover)
      }
      grid.insert(area, cover)
      return area
    }
  }

  fileprivate mutating func remove(_ entry: LayerWatches.Entry) {
    watches[entry.watch.number] = nil
    numbers[entry.watch.fingerprint] = nil
    for area in entry.areas {
      grid.remove(area, coverOf[Int(area)])
      watchOf[Int(area)] = nil
      coverOf[Int(area)] = WatchGrid.Cover()
    }
    retiredAreas += entry.areas
  }

  /// Removes the areas that were ended from the objects, so that their numbers can be used again.
  fileprivate mutating func sweepIfWorthwhile() {
    guard retiredAreas.count > 64, retiredAreas.count * 2 > watchOf.count - freeAreas.count else {
      return
    }
    for (slot, object) in objects {
      let left = object.areas.filter { watchOf[Int($0)] != nil }
      if left.isEmpty {
        objects[slot] = nil
      } else if left.count < object.areas.count {
        objects[slot]?.areas = left
      }
    }
    freeAreas += retiredAreas
    retiredAreas = []
  }

  fileprivate func isOpen(_ area: UInt32, of watch: PositionWatch) -> Bool {
    watchOf[Int(area)] === watch
  }

  /// Records an object that a scan found in an area.
  ///
  /// - Returns: The number of areas that the object is in now.
  fileprivate mutating func join(
    _ area: UInt32, handle: ObjectHandle, id: () -> String
  ) -> Int {
    if let place = objects.index(forKey: handle.slot) {
      if objects.values[place].generation == handle.generation {
        let at = objects.values[place].place(of: area)
        let count = objects.values[place].areas.count
        guard at == count || objects.values[place].areas[at] != area else { return count }
        objects.values[place].areas.insert(area, at: at)
        watchOf[Int(area)]?.noteMember()
        return count + 1
      }
      // The slot belonged to another object, whose end still waits in the inbox.
      let gone = objects.remove(at: place).value
      let old = ObjectHandle(slot: handle.slot, generation: gone.generation)
      for area in gone.areas { leave(area, old, gone.id) }
    }
    objects[handle.slot] = LayerWatches.Watched(
      generation: handle.generation, areas: [area], id: id())
    watchOf[Int(area)]?.noteMember()
    return 1
  }

  mutating func tell(_ kind: WatchRecord.Kind, _ area: UInt32, _ handle: ObjectHandle) {
    guard let watch = watchOf[Int(area)] else { return }
    let record = WatchRecord(handle: handle, area: indexOf[Int(area)], kind: kind)
    if watch.append(record) { touched.append(watch) }
  }

  mutating func leave(_ area: UInt32, _ handle: ObjectHandle, _ id: String) {
    guard let watch = watchOf[Int(area)] else { return }
    let record = WatchRecord(handle: handle, area: indexOf[Int(area)], kind: .exit)
    if watch.append(record, id: id) { touched.append(watch) }
  }
}
