package import LiveLayers
import ObjectModel
import SpatialIndexing
import Threading

/// The places of some layers, found by name and by position.
///
/// ```
/// layers ── AttributeFeed ──▶ follow: PlaceKeys ──▶ PlaceTermIndex (terms by number)
///    │                                   └────────▶ entries (keys and handle by number)
///    └── index: where a place is, which places are near, whether one still lives
/// ```
/// The text index follows its layers: reports, removals and expiries arrive by the layer's ordered
/// feed; a layer that begins, ends or begins anew is noticed. ``start()`` starts a thread that keeps
/// up; a search takes in up to some hundred changes itself before it answers, so that one who reports
/// a place and then searches finds it. Nothing is kept in files: the layers are, and the text index
/// is filled from them at each start (`Decisions/0014`).
///
/// Safe to call from any thread.
package final class PlaceTable: Sendable {
  let layers: LayerRegistry
  /// The names of the layers whose objects are places, in the order of `places.layers`.
  package let layerNames: [String]
  let terms = PlaceTermIndex()
  /// Taken by whoever follows; held for at most one slice.
  private let follower: StateLock<Follower>
  let entries = PlaceEntries()
  private let thread = StateLock<MaintenanceThread?>(nil)

  /// Changes that are taken in under one hold of the locks: some milliseconds.
  static let sliceLimit = 256
  /// Slices that a search takes in before it answers.
  static let slicesBeforeSearch = 4

  /// Knows nothing yet: see ``start()`` and ``follow()``.
  ///
  /// - Parameters:
  ///   - layers: Whose layers are looked at.
  ///   - layerNames: Names of layers; one that does not exist is empty until it begins.
  package init(layers: LayerRegistry, layerNames: [String]) {
    self.layers = layers
    self.layerNames = layerNames
    follower = StateLock(Follower(layerCount: layerNames.count))
  }

  /// How many places there are.
  package var count: Int { entries.count }

  // MARK: - Following

  /// Starts the thread that follows the layers; call once.
  package func start() {
    let thread = MaintenanceThread(
      name: "moyeo-places", gatheringMilliseconds: 2, idleMilliseconds: 200,
      work: { [weak self] in self?.follow() }, housekeeping: { [weak self] in self?.follow() })
    self.thread.withLock { $0 = thread }
    thread.start()
  }

  /// Ends the thread; places are then taken in by searches alone.
  package func stop() { thread.withLock { $0 }?.stop() }

  /// Takes in all that has happened in the layers; blocks until it has.
  package func follow() { while followSlice() {} }

  /// Takes in what a search should not miss.
  func followBeforeSearch() {
    var slices = 0
    while slices < Self.slicesBeforeSearch, followSlice() { slices += 1 }
  }

  /// Takes in one slice. - Returns: Whether there is more.
  private func followSlice() -> Bool {
    let now = layers.clock.now()
    return follower.withLock { follower in
      notice(&follower, now: now)
      let slice = follower.takeSlice(Self.sliceLimit)
      guard !slice.isEmpty else { return false }
      takeIn(slice, follower, now: now)
      return !follower.isUpToDate
    }
  }

  /// Notices layers that have begun or ended, and takes their news.
  private func notice(_ follower: inout Follower, now: Instant) {
    for (i, name) in layerNames.enumerated() {
      let layer = try? layers.layer(name)
      if layer !== follower.followed[i] {
        // Those of the layer that ended leave by its handles, which the new one may use again.
        if let old = follower.followed[i] {
          old.attributeFeed.end()
          follower.forget(layer: i)
          remove(entries.numbers(ofLayer: i))
        }
        follower.followed[i] = layer
        layer?.attributeFeed.begin { [weak self] in
          self?.thread.withLock { $0 }?.signal()
        }
        if let layer { follower.lookThrough(layer, at: i, now: now) }
      }
      guard let layer else { continue }
      let news = layer.attributeFeed.take()
      if news.isOverfull {
        // Places that left meanwhile are found out by their handles.
        follower.lookThrough(layer, at: i, now: now)
        follower.add(entries.handles(ofLayer: i), layer: i)
      }
      follower.add(news.handles, layer: i)
    }
  }

  private func remove(_ numbers: [UInt32]) {
    terms.apply(numbers.map { (number: $0, terms: []) })
    entries.remove(numbers)
  }

  /// Brings entries and terms of some objects in step with what they are now.
  private func takeIn(
    _ slice: [Follower.Pending], _ follower: borrowing Follower, now: Instant
  ) {
    var update = PlaceEntries.Update()
    var changes: [(number: UInt32, terms: [UInt128])] = []
    for (i, layer) in follower.followed.enumerated() {
      guard let layer else { continue }
      let handles = slice.filter { $0.layer == i }.map(\.handle)
      guard !handles.isEmpty else { continue }
      var found: [ObjectHandle: PlaceObject] = [:]
      layer.index.forEachObject(handles: handles, now: now) { _, hit in
        found[hit.handle] = PlaceObject(payload: hit.payload)
      }
      var seen: Set<ObjectHandle> = []
      for handle in handles where seen.insert(handle).inserted {
        let known = entries.entry(layer: i, handle: handle)
        let keys = found[handle]?.keys
        guard known?.entry.keys != keys else { continue }
        let number = known?.number ?? update.nextNumber(entries)
        changes.append((number, keys.map { PlaceTerms.terms(of: $0) } ?? []))
        if let keys {
          update.put(PlaceEntry(layer: i, handle: handle, keys: keys), at: number)
        } else {
          update.remove(number)
        }
      }
    }
    guard !changes.isEmpty else { return }
    terms.apply(changes)
    entries.apply(update)
  }
}

/// What is still to be taken in. Under ``PlaceTable``'s lock.
struct Follower: Sendable {
  struct Pending: Sendable {
    var layer: Int
    var handle: ObjectHandle
  }

  /// By the place of its name; nil while there is none.
  var followed: [Layer?]
  private var pending: [Pending] = []
  private var next = 0

  init(layerCount: Int) { followed = Array(repeating: nil, count: layerCount) }

  var isUpToDate: Bool { next == pending.count }

  mutating func add(_ handles: [ObjectHandle], layer: Int) {
    for handle in handles { pending.append(Pending(layer: layer, handle: handle)) }
  }

  mutating func lookThrough(_ layer: Layer, at place: Int, now: Instant) {
    layer.index.forEachObject(now: now) {
      pending.append(Pending(layer: place, handle: $0.handle))
    }
  }

  mutating func takeSlice(_ limit: Int) -> [Pending] {
    let slice = Array(pending[next..<min(next + limit, pending.count)])
    next += slice.count
    if next == pending.count {
      pending = []
      next = 0
    }
    return slice
  }

  mutating func forget(layer: Int) {
    pending.removeSubrange(..<next)
    next = 0
    pending.removeAll { $0.layer == layer }
  }
}
