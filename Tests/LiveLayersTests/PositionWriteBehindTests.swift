import GeoMath
import ObjectModel
import PointClustering
import SpatialIndexing
import Testing

@testable import Threading
@testable import LiveLayers
@testable import DurableCommands

/// An archive in memory that can fail.
final class MemoryArchive: PositionArchive, Sendable {
  private struct State {
    var kept: [StoredPositionKey: StoredPosition] = [:]
    var writes = 0
    var failures = 0
    var names: [String] = []
  }

  private let state = StateLock(State())

  var kept: [StoredPositionKey: StoredPosition] { state.withLock { $0.kept } }
  var writes: Int { state.withLock { $0.writes } }
  func failNext(_ count: Int) { state.withLock { $0.failures = count } }

  func write(
    _ batch: [StoredPosition], removing: [StoredPositionKey]
  ) throws(StoreFailure) {
    let fails = state.withLock { state in
      guard state.failures == 0 else {
        state.failures -= 1
        return true
      }
      state.writes += batch.count + removing.count
      for one in batch { state.kept[one.key] = one }
      for key in removing { state.kept[key] = nil }
      return false
    }
    if fails { throw StoreFailure("full") }
  }

  func keepLayerNames(_ names: [String], tenant: String) throws(StoreFailure) {
    state.withLock { $0.names = names }
  }

  func layerNames(tenant: String) throws(StoreFailure) -> [String] { state.withLock { $0.names } }

  func removeExpired(by moment: Instant) throws(StoreFailure) -> Int {
    state.withLock { state in
      let before = state.kept.count
      state.kept = state.kept.filter { $0.value.expiresAt > moment }
      return before - state.kept.count
    }
  }

  func load(liveAt moment: Instant, _ body: ([StoredPosition]) throws -> Void) throws(StoreFailure)
  {
    let all = kept.values.filter { $0.expiresAt > moment }.sorted {
      ($0.key.layer, $0.key.id) < ($1.key.layer, $1.key.id)
    }
    do {
      for start in stride(from: 0, to: all.count, by: 7) {
        try body(Array(all[start..<min(all.count, start + 7)]))
      }
    } catch { throw StoreFailure("\(error)") }
  }
}

struct PositionWriteBehindTests {
  static let start = Instant(milliseconds: 1_700_000_000_000)

  static func layers(_ clock: ManualClock) -> LayerRegistry {
    LayerRegistry(
      configuration: LayerRegistryConfiguration { _ in
        var settings = LayerSettings()
        settings.columns = ["speed"]
        return settings
      }, clock: clock, epoch: 3)
  }

  static func report(
    _ id: String, _ latitude: Double, tags: [String] = [], ttl: Int64? = 0, speed: Double = 1
  ) -> PositionReport {
    PositionReport(
      id: id, latitude: latitude, longitude: 127, tags: tags,
      attributes: AttributeEncoding.encode([("speed", .number(speed))]), ttlMilliseconds: ttl)
  }

  static func contents(_ layer: Layer, now: Instant) -> [String: [Double]] {
    var found: [String: [Double]] = [:]
    layer.index.forEachObject(now: now) { hit in
      let attributes = ObjectPayload.attributes(in: hit.payload)
      var speed = -1.0
      if case .number(let value)? = ObjectPayload.value(of: "speed", inAttributes: attributes) {
        speed = value
      }
      found[hit.idString] = [
        hit.latitude, speed, Double(hit.observedAt.milliseconds),
        Double(hit.expiresAt.milliseconds),
      ]
    }
    return found
  }

  /// A layer whose objects have all expired is empty after a restart, not unknown; a layer that
  /// was deleted is gone with what it kept.
  @Test func layersOutliveTheirObjects() throws {
    let clock = ManualClock(Self.start)
    let archive = MemoryArchive()
    let layers = Self.layers(clock)
    let keeper = PositionWriteBehind(layers: layers, archive: archive)
    for name in ["users", "deleted"] {
      let layer = try layers.layerForReports(name)
      _ = layer.report(
        [Self.report("a", 37, ttl: name == "users" ? 5000 : 0)], now: clock.now(),
        limits: layers.limits)
    }
    try keeper.writeRound()
    #expect(archive.kept.count == 2)
    #expect(try layers.deleteLayer("deleted") == 1)
    try keeper.writeRound()
    #expect(archive.kept.keys.map(\.layer) == ["users"])
    clock.advance(milliseconds: 6000)
    let restarted = Self.layers(clock)
    #expect(try PositionWriteBehind(layers: restarted, archive: archive).load() == 0)
    #expect(restarted.all.map(\.name) == ["users"])
    // A name that begins anew is written anew.
    let again = try layers.layerForReports("deleted")
    _ = again.report([Self.report("a", 37)], now: clock.now(), limits: layers.limits)
    try keeper.writeRound()
    #expect(archive.kept.keys.contains { $0.layer == "deleted" })
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func aRestartShowsWhatTheLastRoundWrote(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let clock = ManualClock(Self.start)
    let layers = Self.layers(clock)
    let archive = MemoryArchive()
    let keeper = PositionWriteBehind(layers: layers, archive: archive)
    for _ in 0..<20 {
      clock.advance(milliseconds: Int64.random(in: 0..<4_000, using: &generator))
      for name in ["users", "taxis"] {
        let layer = try layers.layerForReports(name)
        let reports = (0..<40).map { _ in
          Self.report(
            "id\(Int.random(in: 0..<60, using: &generator))",
            Double.random(in: 37...38, using: &generator),
            tags: Bool.random(using: &generator) ? ["swift"] : [],
            ttl: Bool.random(using: &generator) ? 0 : 9_000,
            speed: Double.random(in: 0..<9, using: &generator))
        }
        _ = layer.report(reports, now: clock.now(), limits: layers.limits)
        for _ in 0..<5 {
          _ = layer.remove(
            id: "id\(Int.random(in: 0..<60, using: &generator))", now: clock.now())
        }
      }
      if Int.random(in: 0..<4, using: &generator) == 0 { archive.failNext(1) }
      _ = try? keeper.writeRound()
    }
    try keeper.writeRound()
    // Nothing changed: nothing is written.
    let writes = archive.writes
    #expect(try keeper.writeRound() == 0)
    #expect(archive.writes == writes)

    let second = Self.layers(clock)
    let again = PositionWriteBehind(layers: second, archive: archive)
    let count = try again.load()
    var total = 0
    for name in ["users", "taxis"] {
      let before = Self.contents(try layers.layer(name), now: clock.now())
      let after = Self.contents(try second.layer(name), now: clock.now())
      #expect(after == before)
      total += before.count
      var search = NearbySearch(
        origin: Coordinate(uncheckedLatitude: 37.5, longitude: 127), limit: 100)
      search.filter.tags = ["swift"]
      func tagged(_ layers: LayerRegistry) throws -> [String] {
        var ids: [String] = []
        _ = try layers.layer(name).nearby(search, now: clock.now()) { ids.append($0.idString) }
        return ids
      }
      #expect(try tagged(second) == tagged(layers))
      #expect(try !tagged(second).isEmpty)
    }
    #expect(count == total)
    // What was loaded is not written again.
    #expect(try again.writeRound() == 0)
  }

  @Test func reservedLayersAreNotKept() throws {
    let clock = ManualClock(Self.start)
    let layers = Self.layers(clock)
    let archive = MemoryArchive()
    let keeper = PositionWriteBehind(layers: layers, archive: archive)
    try layers.existingOrNewLayer("parties").upsert(
      [
        ContributingObject(id: "p", latitude: 37, longitude: 127, contribution: .none)
      ], now: clock.now())
    try keeper.writeRound()
    #expect(archive.kept.isEmpty)
  }

  @Test func stoppingWritesTheLastRound() throws {
    let clock = ManualClock(Self.start)
    let layers = Self.layers(clock)
    let archive = MemoryArchive()
    let keeper = PositionWriteBehind(
      layers: layers, archive: archive, intervalMilliseconds: 3_600_000)
    keeper.start()
    _ = try layers.layerForReports("users").report(
      [Self.report("a", 37.5)], now: clock.now(), limits: layers.limits)
    keeper.stop()
    #expect(archive.kept.keys.map(\.id) == ["a"])
  }

  @Test func aRoundThatFailsIsToldAndSoIsTheOneThatWorksAgain() throws {
    let clock = ManualClock(Self.start)
    let layers = Self.layers(clock)
    let archive = MemoryArchive()
    let outcomes = StateLock<[String?]>([])
    let told = MonotonicSemaphore(value: 0)
    let keeper = PositionWriteBehind(
      layers: layers, archive: archive, intervalMilliseconds: 1,
      onOutcome: { failure in
        outcomes.withLock { $0.append(failure) }
        told.signal()
      })
    _ = try layers.layerForReports("users").report(
      [Self.report("a", 37.5)], now: clock.now(), limits: layers.limits)
    archive.failNext(2)
    keeper.start()
    for _ in 0..<3 { told.wait() }
    keeper.stop()
    #expect(outcomes.withLock { Array($0.prefix(3)) } == ["full", "full", nil])
    #expect(archive.kept.count == 1)
  }
}
