import GeoMath
import ObjectModel
import SpatialIndexing
import Testing

@testable import LiveLayers

/// What one set has and the other has not, or otherwise.
private func difference(
  _ found: [String: WatchedLayer.Object], _ expected: [String: WatchedLayer.Object]
) -> [String] {
  Set(found.keys).union(expected.keys).sorted().filter { found[$0] != expected[$0] }.map {
    "\($0): \(found[$0].map { "\($0)" } ?? "-") not \(expected[$0].map { "\($0)" } ?? "-")"
  }
}

@Suite struct WatchTests {
  static let circle = WatchArea.circle(
    center: Coordinate(uncheckedLatitude: 37.5, longitude: 127), radiusMillimeters: 1_200_000)
  static let box = WatchArea.box(
    GeoBox(uncheckedWest: 126.99, south: 37.49, east: 127.012, north: 37.503))

  private static func swift() -> ObjectFilter {
    var filter = ObjectFilter()
    filter.tags = ["swift"]
    return filter
  }

  /// Whatever happens, and however seldom it reads, a client ends with the server's set.
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64], [false, true])
  func clientsFollow(seed: UInt64, filtered: Bool) throws {
    var model = try WatchedLayer(seed: seed)
    for _ in 0..<100 { model.step(ids: 60) }
    let areas = [Self.circle, Self.box]
    let query = WatchQuery(areas: areas, filter: filtered ? Self.swift() : ObjectFilter())
    let reader = try model.layer.watch(query, resuming: nil, clock: model.clock)
    var client = WatchingClient()
    for _ in 0..<40 {
      for _ in 0..<Int.random(in: 1...60, using: &model.random) {
        model.step(ids: 60)
        // In the middle of a batch too.
        if Int.random(in: 0..<20, using: &model.random) == 0 {
          _ = client.readPage(reader, page: 3)
          _ = model.layer.watches.flush(now: model.clock.now())
        }
      }
      model.settle()
      client.catchUp(reader)
      for (index, area) in areas.enumerated() {
        let expected = model.expected(area, tag: filtered ? "swift" : nil)
        #expect(difference(client.known[index] ?? [:], expected) == [])
      }
    }
    #expect(client.kinds.contains(.move) && client.kinds.contains(.exit))
    #expect(!client.kinds.contains(.reset))
  }

  /// Dropped after each single event of a stream, and taken up with the token it had then.
  @Test(arguments: [11, 12, 13] as [UInt64])
  func droppedAnywhereEndsEqual(seed: UInt64) throws {
    var model = try WatchedLayer(seed: seed)
    for _ in 0..<60 { model.step(ids: 40) }
    let query = WatchQuery(areas: [Self.circle])
    let reader = try model.layer.watch(query, resuming: nil, clock: model.clock)
    // The client after each event it heard.
    var states: [WatchingClient] = [WatchingClient()]
    func follow() {
      var isMore = true
      while isMore {
        isMore = reader.read(limit: 5) { notice, hit in
          var next = states[states.count - 1]
          next.hear(
            notice,
            hit.map {
              .init(
                latitude: $0.latitude, longitude: $0.longitude,
                tags: ObjectPayload.tags(in: $0.payload))
            }, hit?.idString ?? "")
          states.append(next)
        }
      }
    }
    follow()
    let snapshotEnd = states.count
    for _ in 0..<12 {
      for _ in 0..<15 { model.step(ids: 40) }
      model.settle()
      follow()
    }
    for _ in 0..<10 { model.step(ids: 40) }
    model.settle()
    let expected = model.expected(Self.circle)
    #expect(states.count > snapshotEnd + 30)
    for (index, state) in states.enumerated() {
      var client = state
      let again = try model.layer.watch(query, resuming: client.token, clock: model.clock)
      client.kinds = []
      client.catchUp(again)
      #expect(difference(client.known[0] ?? [:], expected) == [], "dropped after \(index) events")
      let resets = client.kinds.filter { $0 == .reset }.count
      #expect(resets == (index > 0 && index < snapshotEnd ? 1 : 0), "dropped after \(index)")
    }
  }

  @Test func foreignTokensBeginAnew() throws {
    var model = try WatchedLayer(seed: 3)
    for _ in 0..<50 { model.step(ids: 30) }
    let query = WatchQuery(areas: [Self.box])
    let first = try model.layer.watch(query, resuming: nil, clock: model.clock)
    var client = WatchingClient()
    client.catchUp(first)
    let position = first.position
    let other = try model.layer.watch(
      WatchQuery(areas: [Self.circle]), resuming: position.text, clock: model.clock)
    let tokens = [
      "nonsense", "abce-1-1", position.text + "ffff",
      WatchToken(epoch: 0xABCD, watch: position.watch, sequence: 0).text, other.position.text,
    ]
    for token in tokens {
      var client = WatchingClient()
      client.known = [0: ["ghost": .init(latitude: 0, longitude: 0, tags: [])]]
      let reader = try model.layer.watch(query, resuming: token, clock: model.clock)
      client.catchUp(reader)
      #expect(client.kinds.first == .reset, "\(token)")
      #expect(difference(client.known[0] ?? [:], model.expected(Self.box)) == [])
    }
  }

  /// A reader that falls behind what is kept is reset, and its memory is bounded.
  @Test func slowReadersAreResetNotRemembered() throws {
    var model = try WatchedLayer(seed: 8)
    let query = WatchQuery(areas: [.box(.world)])
    let reader = try model.layer.watch(query, resuming: nil, clock: model.clock)
    var client = WatchingClient()
    client.catchUp(reader)
    for round in 0..<(PositionWatch.minimumCapacity * 2) {
      model.report("id-\(round % 3)")
      if round % 50 == 0 { model.settle() }
    }
    model.settle()
    client.catchUp(reader)
    #expect(client.kinds.contains(.reset))
    #expect(difference(client.known[0] ?? [:], model.expected(.box(.world))) == [])
  }

  /// Many moves of one object, read late, are one event.
  @Test func movesMerge() throws {
    var model = try WatchedLayer(seed: 9)
    model.report("id-1")
    let reader = try model.layer.watch(
      WatchQuery(areas: [.box(.world)]), resuming: nil, clock: model.clock)
    var client = WatchingClient()
    client.catchUp(reader)
    for _ in 0..<100 { model.report("id-1") }
    model.report("id-2")
    model.remove("id-2")
    model.settle()
    client.kinds = []
    client.catchUp(reader)
    #expect(client.kinds == [.move])
  }

  /// More changes than may wait: everybody begins anew, nobody is wrong.
  @Test func aFullInboxResetsTheWatches() throws {
    var model = try WatchedLayer(seed: 10)
    let reader = try model.layer.watch(
      WatchQuery(areas: [Self.circle]), resuming: nil, clock: model.clock)
    var client = WatchingClient()
    client.catchUp(reader)
    for round in 0..<300 {
      let now = model.clock.now()
      let reports = (0..<1000).map { i in
        PositionReport(
          id: "bulk-\(i)", latitude: 37.5 + Double(i) * 1e-5 + Double(round) * 1e-6,
          longitude: 127, ttlMilliseconds: 0)
      }
      _ = model.layer.report(reports, now: now, limits: model.layers.limits)
    }
    for i in 0..<1000 {
      model.objects["bulk-\(i)"] = .init(
        latitude: 37.5 + Double(i) * 1e-5 + 299 * 1e-6, longitude: 127, tags: [])
    }
    model.settle()
    client.catchUp(reader, page: 100)
    #expect(client.kinds.contains(.reset))
    #expect(difference(client.known[0] ?? [:], model.expected(Self.circle)) == [])
    model.report("id-1")
    model.settle()
    client.catchUp(reader)
    #expect(difference(client.known[0] ?? [:], model.expected(Self.circle)) == [])
  }

  @Test func watchesLingerAndThenGo() throws {
    var model = try WatchedLayer(seed: 4)
    for _ in 0..<50 { model.step(ids: 30) }
    var reader: WatchReader? = try model.layer.watch(
      WatchQuery(areas: [Self.circle]), resuming: nil, clock: model.clock)
    let again = try model.layer.watch(
      WatchQuery(areas: [Self.circle]), resuming: nil, clock: model.clock)
    #expect(reader?.watch === again.watch)
    #expect(model.layer.watches.statistics.watches == 1)
    reader = nil
    withExtendedLifetime(again) {
      model.pass(milliseconds: LayerWatches.lingerMilliseconds * 2)
      model.layer.watches.prune(now: model.clock.now())
      #expect(model.layer.watches.statistics.watches == 1)
    }
  }

  @Test func nothingIsKeptOfWatchesThatAreOver() throws {
    var model = try WatchedLayer(seed: 4)
    for _ in 0..<50 { model.step(ids: 30) }
    do {
      _ = try model.layer.watch(
        WatchQuery(areas: [.box(.world)]), resuming: nil, clock: model.clock)
    }
    #expect(model.layer.watches.statistics.objects > 0)
    model.clock.advance(milliseconds: LayerWatches.lingerMilliseconds + 1)
    model.layer.watches.prune(now: model.clock.now())
    #expect(model.layer.watches.statistics == (0, 0, 0))
  }

  @Test func onlySoManyAreasAreWatched() throws {
    var limits = LayerLimits()
    limits.watchedAreas = 3
    let clock = ManualClock(Instant(milliseconds: 1))
    let layers = LayerRegistry(
      configuration: LayerRegistryConfiguration(limits: limits), clock: clock, epoch: 1)
    let layer = try layers.layerForReports("users")
    let two = try layer.watch(
      WatchQuery(areas: [Self.box, Self.circle]), resuming: nil, clock: clock)
    #expect(throws: LayerError.tooManyWatches(limit: 3)) {
      try layer.watch(
        WatchQuery(areas: [Self.circle, .box(.world)]), resuming: nil, clock: clock)
    }
    withExtendedLifetime(two) {}
  }

  /// Clients come and go while other threads report: no set is wrong in the end.
  @Test func readersBesideWriters() async throws {
    let model = try WatchedLayer(seed: 20)
    let (layer, layers, clock) = (model.layer, model.layers, model.clock)
    layers.watchMaintainer.start()
    defer { layers.watchMaintainer.stop() }
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<2 as Range<UInt64> {
        group.addTask {
          var random = SplitMix64(seed: writer)
          for _ in 0..<1500 {
            let id = "w\(writer)-\(Int.random(in: 0..<40, using: &random))"
            if Int.random(in: 0..<8, using: &random) == 0 {
              _ = layer.remove(id: id, now: clock.now())
            } else {
              _ = layer.report(
                [
                  PositionReport(
                    id: id, latitude: 37.5 + .random(in: -0.02...0.02, using: &random),
                    longitude: 127 + .random(in: -0.02...0.02, using: &random),
                    ttlMilliseconds: 0)
                ], now: clock.now(), limits: layers.limits)
            }
          }
        }
      }
      for watcher in 0..<3 {
        group.addTask {
          let area = [Self.circle, Self.box, WatchArea.box(.world)][watcher]
          var client = WatchingClient()
          for _ in 0..<20 {
            // Each time over a new connection.
            guard
              let reader = try? layer.watch(
                WatchQuery(areas: [area]), resuming: client.token, clock: clock)
            else { return }
            for _ in 0..<5 where !client.readPage(reader, page: 20) {
              await reader.wait(atMost: .milliseconds(1))
            }
          }
          while layer.watches.flush(now: clock.now()) {}
        }
      }
    }
    for area in [Self.circle, Self.box, .box(.world)] {
      while layer.watches.flush(now: clock.now()) {}
      let reader = try layer.watch(WatchQuery(areas: [area]), resuming: nil, clock: clock)
      var client = WatchingClient()
      client.catchUp(reader)
      var all: [String: WatchedLayer.Object] = [:]
      let prepared = PreparedWatchArea(area)
      layer.index.forEachObject(now: clock.now()) { hit in
        guard prepared.contains(latitude: hit.latitude, longitude: hit.longitude) else { return }
        all[hit.idString] = .init(latitude: hit.latitude, longitude: hit.longitude, tags: [])
      }
      #expect(difference(client.known[0] ?? [:], all) == [])
    }
  }
}
