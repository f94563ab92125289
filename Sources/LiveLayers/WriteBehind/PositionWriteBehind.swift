import Dispatch
import Foundation
package import ObjectModel
import PointClustering
import SpatialIndexing
import Threading

/// Writes the last positions of all layers to a ``PositionArchive`` some time after the index has
/// them, and restores them at the start. Layers that the service itself fills are left out, because
/// the record of the service restores them.
///
/// A round goes through each layer's objects, in the index's own short slices, and writes those
/// that differ from what was written last, so that reports cost nothing more. A crash loses what
/// changed since the last round; the next reports of the same objects replace it.
package final class PositionWriteBehind: Sendable {
  package let intervalMilliseconds: Int64
  private let layers: LayerRegistry
  private let archive: any PositionArchive
  private let tenant: String
  /// The fingerprint of each slot's object as written last. The lock is held for a whole round, so
  /// that rounds do not overlap.
  private let marks = StateLock<[String: [UInt64]]>([:])
  /// The names of the layers as they were written last; `nil` before the first round.
  private let keptNames = StateLock<[String]?>(nil)
  private let leftOut = StateLock(0)
  private let service = StateLock<Service>(Service())
  private let onOutcome: @Sendable (_ failure: String?) -> Void
  private let wake = MonotonicSemaphore(value: 0)
  // DispatchSemaphore is thread-safe.
  private let ended = DispatchSemaphore(value: 0)

  private struct Service {
    var isRunning = false
    var isStopping = false
  }

  /// The number of objects that are looked up and written together.
  private static let batchSize = 512

  /// Makes a write-behind that writes nothing before it is started.
  ///
  /// - Parameters:
  ///   - layers: The layers whose objects are written.
  ///   - archive: The store that they are written to.
  ///   - tenant: The tenant under which the archive keeps them.
  ///   - intervalMilliseconds: The time between two rounds, at least 1.
  ///   - onOutcome: Is called after each round of the thread, with nil or the reason of its
  ///     failure.
  package init(
    layers: LayerRegistry, archive: any PositionArchive, tenant: String = "default",
    intervalMilliseconds: Int64 = 5000,
    onOutcome: @escaping @Sendable (_ failure: String?) -> Void = { _ in }
  ) {
    self.onOutcome = onOutcome
    self.layers = layers
    self.archive = archive
    self.tenant = tenant
    self.intervalMilliseconds = max(1, intervalMilliseconds)
  }

  // MARK: - Start and end

  /// Restores the stored objects to their layers. It blocks, and is called before positions are
  /// accepted.
  ///
  /// - Returns: The number of objects.
  /// - Throws: ``StoreFailure``; what was read before it stays.
  @discardableResult
  package func load() throws(StoreFailure) -> Int {
    leftOut.withLock { $0 = 0 }
    let now = layers.clock.now()
    let inserting = DispatchQueue(label: "moyeo-positions-load")
    let room = DispatchSemaphore(value: 8)
    let count = StateLock(0)
    func finish() { inserting.sync {} }
    defer { finish() }
    try archive.load(liveAt: now) { batch in
      room.wait()
      inserting.async { [self] in
        let own = batch.filter { $0.key.tenant == tenant }
        let stored = insert(own, now: now)
        count.withLock { $0 += stored }
        leftOut.withLock { $0 += own.count - stored }
        room.signal()
      }
    }
    finish()
    for name in try archive.layerNames(tenant: tenant) where !LayerName.reserved.contains(name) {
      // A name that is not valid any more, or one layer too many, is left out.
      _ = try? layers.existingOrNewLayer(name)
    }
    marks.withLock { marks in
      for layer in keptLayers { mark(layer, &marks, now: now) }
    }
    return count.withLock { $0 }
  }

  /// Positions that the last ``load()`` found and did not take: beyond a quota, of a layer too many,
  /// or damaged. The archive still has them.
  package var leftOutCount: Int { leftOut.withLock { $0 } }

  /// Starts the thread that writes; it is called once.
  package func start() {
    service.withLock { $0.isRunning = true }
    for layer in keptLayers { layer.removals.begin() }
    let thread = Thread { [self] in run() }
    thread.name = "moyeo-positions"
    thread.start()
  }

  /// Writes a last round and ends the thread.
  package func stop() {
    let mustWait = service.withLock { service in
      defer { service.isStopping = true }
      return service.isRunning && !service.isStopping
    }
    guard mustWait else { return }
    wake.signal()
    ended.wait()
  }

  private func run() {
    var rounds = 0
    while true {
      _ = wake.wait(milliseconds: intervalMilliseconds)
      let isStopping = service.withLock { $0.isStopping }
      do throws(StoreFailure) {
        try writeRound()
        onOutcome(nil)
      } catch {
        // Nothing else is done about it, because the next round tries again.
        onOutcome(error.reason)
      }
      rounds += 1
      if rounds % 12 == 0 { _ = try? archive.removeExpired(by: layers.clock.now()) }
      if isStopping { break }
    }
    ended.signal()
  }

  // MARK: - Writing

  /// Writes what changed since the round before; it blocks.
  ///
  /// - Returns: The number of objects written or removed.
  /// - Throws: ``StoreFailure``; what was not written is written in the next round.
  @discardableResult
  package func writeRound() throws(StoreFailure) -> Int {
    let now = layers.clock.now()
    let result = marks.withLock { marks -> Result<Int, StoreFailure> in
      var count = 0
      do throws(StoreFailure) {
        // Removals come first, because the names of these layers may have begun anew.
        for layer in layers.takeEndedLayers() {
          count += try remove(in: layer, now: now)
          marks[layer.name] = nil
        }
        let layers = keptLayers
        try keepNames(of: layers)
        for layer in layers {
          layer.removals.begin()
          count += try remove(in: layer, now: now)
          count += try write(layer, &marks, now: now)
        }
        return .success(count)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private var keptLayers: [Layer] {
    layers.all.filter { !LayerName.reserved.contains($0.name) }
  }

  private func keepNames(of layers: [Layer]) throws(StoreFailure) {
    let names = layers.map(\.name)
    guard names != keptNames.withLock({ $0 }) else { return }
    try archive.keepLayerNames(names, tenant: tenant)
    keptNames.withLock { $0 = names }
  }

  private func remove(in layer: Layer, now: Instant) throws(StoreFailure) -> Int {
    let removed = layer.removals.take()
    guard !removed.isEmpty else { return 0 }
    // An object that came back since is written instead.
    let gone = removed.filter { layer.index.withObject(id: $0, now: now) { _ in true } == nil }
      .map { StoredPositionKey(tenant: tenant, layer: layer.name, id: $0) }
    guard !gone.isEmpty else { return 0 }
    do {
      try archive.write([], removing: gone)
    } catch {
      layer.removals.putBack(removed)
      throw error
    }
    return gone.count
  }

  private func write(
    _ layer: Layer, _ marks: inout [String: [UInt64]], now: Instant
  ) throws(StoreFailure) -> Int {
    var known = marks.removeValue(forKey: layer.name) ?? []
    defer { marks[layer.name] = known }
    var changed: [ObjectHandle] = []
    layer.index.forEachObject(now: now) { hit in
      let slot = Int(hit.handle.slot)
      if slot >= known.count {
        known.append(contentsOf: repeatElement(0, count: max(1024, slot + 1 - known.count)))
      }
      if known[slot] != Self.mark(of: hit) { changed.append(hit.handle) }
    }
    var count = 0
    for start in stride(from: 0, to: changed.count, by: Self.batchSize) {
      var batch: [StoredPosition] = []
      var written: [(slot: Int, mark: UInt64)] = []
      for handle in changed[start..<min(changed.count, start + Self.batchSize)] {
        layer.index.withObject(handle: handle, now: now) { hit in
          batch.append(position(hit, layer))
          written.append((Int(handle.slot), Self.mark(of: hit)))
        }
      }
      guard !batch.isEmpty else { continue }
      try archive.write(batch, removing: [])
      for one in written { known[one.slot] = one.mark }
      count += batch.count
    }
    return count
  }

  private func position(_ hit: HitView, _ layer: Layer) -> StoredPosition {
    StoredPosition(
      key: StoredPositionKey(tenant: tenant, layer: layer.name, id: hit.idString),
      latitude: hit.latitude, longitude: hit.longitude, observedAt: hit.observedAt,
      expiresAt: hit.expiresAt, payload: Array(hit.payload))
  }

  private func mark(_ layer: Layer, _ marks: inout [String: [UInt64]], now: Instant) {
    var known: [UInt64] = []
    layer.index.forEachObject(now: now) { hit in
      let slot = Int(hit.handle.slot)
      if slot >= known.count {
        known.append(contentsOf: repeatElement(0, count: max(65_536, slot + 1 - known.count)))
      }
      known[slot] = Self.mark(of: hit)
    }
    marks[layer.name] = known
  }

  /// Returns a fingerprint of everything that is written of an object; it is never 0.
  private static func mark(of hit: HitView) -> UInt64 {
    var hash = UInt64(hit.handle.generation) | 1 << 63
    for part in [
      hit.latitude.bitPattern, hit.longitude.bitPattern,
      UInt64(bitPattern: hit.observedAt.milliseconds),
      UInt64(bitPattern: hit.expiresAt.milliseconds),
    ] {
      hash = (hash ^ part) &* 0x9E37_79B1_85EB_CA87
      hash ^= hash >> 29
    }
    return StableHash.hash64(hit.payload, seed: hash) | 1
  }

  // MARK: - Reading

  private func insert(_ batch: [StoredPosition], now: Instant) -> Int {
    var count = 0
    var start = 0
    while start < batch.count {
      let name = batch[start].key.layer
      var end = start
      while end < batch.count && batch[end].key.layer == name { end += 1 }
      // A name that is not valid any more, or one layer too many, is left out.
      if !LayerName.reserved.contains(name), let layer = try? layers.existingOrNewLayer(name) {
        count += layer.restore(batch[start..<end], now: now)
      }
      start = end
    }
    return count
  }
}

extension Layer {
  /// Restores stored positions as they were.
  ///
  /// - Returns: The number of positions.
  fileprivate func restore(_ positions: ArraySlice<StoredPosition>, now: Instant) -> Int {
    let (updates, masks) = updates(of: positions.lazy.filter(Self.isWhole), count: positions.count)
    var outcomes: [UpdateOutcome] = []
    store(updates, masks: masks, now: now, outcomes: &outcomes, keepsSnapped: true)
    return outcomes.count { $0 == .inserted || $0 == .updated }
  }

  /// Returns whether a position has valid values, which a damaged file may lack.
  private static func isWhole(_ position: StoredPosition) -> Bool {
    !position.key.id.isEmpty && abs(position.latitude) <= 90 && abs(position.longitude) <= 180
  }
}
