import Dispatch
import Foundation
import ObjectModel
import PointClustering
import QueryCoalescing
import SpatialIndexing

/// Keeps the last positions of all layers in a ``PositionArchive``, behind the index, and brings
/// them back at start. Layers that the engine itself fills are left to their own records.
///
/// A round looks through each layer's objects, in the index's own short slices, and writes those
/// that differ from what was written last: reports pay nothing for it. What changed since the last
/// round is lost with a crash; the next heartbeats repair it.
public final class PositionKeeper: Sendable {
  public let intervalMilliseconds: Int64
  private let engine: Engine
  private let archive: any PositionArchive
  private let tenant: String
  /// Held for a whole round: rounds do not overlap.
  private let marks = StateLock<[String: [UInt64]]>([:])
  private let service = StateLock<Service>(Service())
  // DispatchSemaphore is thread-safe.
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  private struct Service {
    var isRunning = false
    var isStopping = false
  }

  /// Objects looked up and written together.
  private static let batchSize = 512

  public init(
    engine: Engine, archive: any PositionArchive, tenant: String = "default",
    intervalMilliseconds: Int64 = 5000
  ) {
    self.engine = engine
    self.archive = archive
    self.tenant = tenant
    self.intervalMilliseconds = max(1, intervalMilliseconds)
  }

  // MARK: - Start and end

  /// Puts what was kept into its layers; blocks. Call it before positions are taken.
  /// - Returns: How many objects.
  /// - Throws: ``StoreFailure``; what was read before it stays.
  @discardableResult
  public func load() throws(StoreFailure) -> Int {
    let now = engine.clock.now()
    let inserting = DispatchQueue(label: "moyeo-positions-load")
    let room = DispatchSemaphore(value: 8)
    let count = StateLock(0)
    func finish() { inserting.sync {} }
    defer { finish() }
    try archive.load(liveAt: now) { batch in
      room.wait()
      inserting.async { [self] in
        let stored = insert(batch.filter { $0.key.tenant == tenant }, now: now)
        count.withLock { $0 += stored }
        room.signal()
      }
    }
    finish()
    marks.withLock { marks in
      for layer in keptLayers { mark(layer, &marks, now: now) }
    }
    return count.withLock { $0 }
  }

  /// Starts the thread that writes; call once.
  public func start() {
    service.withLock { $0.isRunning = true }
    for layer in keptLayers { layer.removals.begin() }
    let thread = Thread { [self] in run() }
    thread.name = "moyeo-positions"
    thread.start()
  }

  /// Writes a last round and ends the thread.
  public func stop() {
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
      _ = wake.wait(timeout: .now() + .milliseconds(Int(intervalMilliseconds)))
      let isStopping = service.withLock { $0.isStopping }
      // A failing archive is soft state, too: the next round tries again.
      _ = try? writeRound()
      rounds += 1
      if rounds % 12 == 0 { _ = try? archive.removeExpired(by: engine.clock.now()) }
      if isStopping { break }
    }
    ended.signal()
  }

  // MARK: - Writing

  /// Writes what changed since the round before; blocks.
  /// - Returns: How many objects were written or removed.
  /// - Throws: ``StoreFailure``; what was not written stays due.
  @discardableResult
  public func writeRound() throws(StoreFailure) -> Int {
    let now = engine.clock.now()
    let result = marks.withLock { marks -> Result<Int, StoreFailure> in
      var count = 0
      do throws(StoreFailure) {
        for layer in keptLayers {
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
    engine.layers.filter { !LayerName.reserved.contains($0.name) }
  }

  private func remove(in layer: Layer, now: Instant) throws(StoreFailure) -> Int {
    let removed = layer.removals.take()
    guard !removed.isEmpty else { return 0 }
    // One that came back since is written instead.
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

  /// A fingerprint of everything that is kept of an object; never 0.
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
      // A name that is none any more, or one layer too many: left out.
      if !LayerName.reserved.contains(name), let layer = try? engine.existingOrNewLayer(name) {
        count += layer.restore(batch[start..<end], now: now)
      }
      start = end
    }
    return count
  }
}

extension Layer {
  /// Puts kept positions back as they were. - Returns: How many.
  fileprivate func restore(_ positions: ArraySlice<StoredPosition>, now: Instant) -> Int {
    let columns = self.columns
    let keepsMasks = feed.clusters != nil
    var updates = UpdateBatch(columnCount: columns.count)
    updates.reserveCapacity(positions.count, bytes: positions.count * 192)
    var masks: [UInt64: UInt64] = [:]
    for position in positions where Self.isWhole(position) {
      position.payload.withUnsafeBytes { payload in
        let tags = ObjectPayload.tags(in: payload)
        let attributes = ObjectPayload.attributes(in: payload)
        let values = columns.map { name -> Double in
          guard
            case .number(let number)? = ObjectPayload.value(of: name, inAttributes: attributes)
          else { return .nan }
          return number
        }
        var id = position.key.id
        id.withUTF8 { bytes in
          updates.append(
            id: UnsafeRawBufferPointer(bytes), latitude: position.latitude,
            longitude: position.longitude, tags: tags, payload: payload, columns: values,
            observedAt: position.observedAt, expiresAt: position.expiresAt)
        }
        if keepsMasks, !tags.isEmpty {
          masks[StableHash.hash64(position.key.id)] = TagMask.mask(tags)
        }
      }
    }
    var outcomes: [UpdateOutcome] = []
    index.apply(updates, now: now, outcomes: &outcomes, changes: publishing(masks, now: now))
    return outcomes.count { $0 == .inserted || $0 == .updated }
  }

  /// What a damaged file may hold otherwise.
  private static func isWhole(_ position: StoredPosition) -> Bool {
    !position.key.id.isEmpty && abs(position.latitude) <= 90 && abs(position.longitude) <= 180
  }
}
