import Dispatch
import Identity
import MoyeoAPI
import Threading
import LiveLayers
import ObjectModel
import SwiftProtobuf
import Testing

@testable import MoyeoServer
import QueryCoalescing

/// Coalescing on or off gives the same answer.
@Suite(.timeLimit(.minutes(10))) struct SharedReadsTests {
  private struct World {
    let wall = ManualClock(RunningDaemon.start)
    let monotonic = ManualMonotonicClock()
    let layers: LayerRegistry
    let on: PositionOperations
    let off: PositionOperations
    var random: SplitMix64
    /// When each observation ends.
    var ends: [String: [Instant: Instant]] = [:]

    init(seed: UInt64) {
      layers = LayerRegistry(clock: wall, epoch: 0xABCD)
      var settings = CoalescingSettings()
      on = PositionOperations(
        layers: layers, shared: SharedReads(settings: settings, clock: monotonic))
      settings.isOn = false
      off = PositionOperations(
        layers: layers, shared: SharedReads(settings: settings, clock: monotonic))
      random = SplitMix64(seed: seed)
    }

    mutating func step() throws {
      let milliseconds = Int64.random(in: 0...400, using: &random)
      wall.advance(milliseconds: milliseconds)
      monotonic.advance(by: milliseconds * 1_000_000)
      let layer = try layers.layerForReports("users")
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let report = PositionReport(
          id: "id-\(Int.random(in: 0..<300, using: &random))",
          latitude: 37.5 + .random(in: -0.3...0.3, using: &random),
          longitude: 127 + .random(in: -0.3...0.3, using: &random),
          tags: [["swift"], [], ["go"]].randomElement(using: &random) ?? [],
          ttlMilliseconds: .random(in: 1000...20_000, using: &random))
        _ = layer.report([report], now: wall.now(), limits: layers.limits)
        ends[report.id, default: [:]][wall.now()] = wall.now().advanced(
          milliseconds: report.ttlMilliseconds ?? 0)
      }
      if Bool.random(using: &random) { layers.reclaimExpired() }
    }

    mutating func staleness() -> Double? {
      [nil, 0, 0.3, 2, 10].randomElement(using: &random) ?? nil
    }

    mutating func nearby() -> Moyeo_V1_NearbyRequest {
      var request = Moyeo_V1_NearbyRequest()
      request.layer = "users"
      request.latitude = [37.5, 37.4].randomElement(using: &random) ?? 0
      request.longitude = 127
      request.limit = [3, 20].randomElement(using: &random) ?? 1
      if Bool.random(using: &random) { request.tags = ["swift", "go"].shuffled(using: &random) }
      request.tagMatch = "any"
      return request
    }

    /// Short ones, and long ones for the pool.
    mutating func within() -> Moyeo_V1_WithinRequest {
      var request = Moyeo_V1_WithinRequest()
      request.layer = "users"
      if Bool.random(using: &random) {
        (request.west, request.south, request.east, request.north) = (126.9, 37.4, 127.2, 37.6)
      } else {
        request.polygon.points = [(37.2, 126.8), (37.9, 126.9), (37.3, 127.4)].map { corner in
          .with { ($0.latitude, $0.longitude) = corner }
        }
        if Bool.random(using: &random) { request.tags = ["go"] }
      }
      request.limit = [5, 500].randomElement(using: &random) ?? 1
      return request
    }
  }

  /// What an answer says, its sharing aside.
  private struct Said: Equatable {
    var hits: [Moyeo_V1_Hit]
    var cursor: String
    var version: String
  }

  private static func said(_ bytes: [UInt8]) throws -> (
    said: Said, age: Double, coalesced: Bool
  ) {
    // Nearby and Within answer with the same fields.
    let response = try Moyeo_V1_NearbyResponse(serializedBytes: bytes)
    #expect(response.hasAge && response.hasCoalesced)
    return (
      Said(hits: response.hits, cursor: response.nextCursor, version: response.version),
      response.age, response.coalesced
    )
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func answersAreTheSame(seed: UInt64) async throws {
    var world = World(seed: seed)
    // What each question's answer was, by the time it was read.
    var history: [String: [Instant: Said]] = [:]
    var coalesced = 0
    for _ in 0..<300 {
      try world.step()
      let staleness = world.staleness()
      let key: String
      let direct: [UInt8]
      let shared: [UInt8]
      if Bool.random(using: &world.random) {
        var request = world.nearby()
        var sorted = request
        sorted.tags.sort()
        key = try sorted.jsonString()
        direct = try world.off.nearby(request)
        if let staleness { request.maxStalenessSeconds = staleness }
        shared = try world.on.nearby(request)
      } else {
        var request = world.within()
        key = try request.jsonString()
        direct = try await world.off.within(request)
        if let staleness { request.maxStalenessSeconds = staleness }
        shared = try await world.on.within(request)
      }
      let now = world.wall.now()
      let expected = try Self.said(direct)
      #expect(expected.age == 0 && !expected.coalesced)
      history[key, default: [:]][now] = expected.said
      let answer = try Self.said(shared)
      #expect(answer.age <= staleness ?? 0)
      let readAt = now.advanced(milliseconds: -Int64((answer.age * 1000).rounded()))
      #expect(answer.said == history[key]?[readAt], "\(key) of \(answer.age) s ago")
      if answer.coalesced { coalesced += 1 } else { #expect(answer.age == 0) }
      // No observation that has expired, however much staleness is allowed.
      for hit in answer.said.hits where answer.coalesced {
        let observedAt = readAt.advanced(milliseconds: -Int64((hit.ageSeconds * 1000).rounded()))
        let end = try #require(world.ends[hit.id]?[observedAt])
        #expect(end > now, "\(hit.id) had expired")
      }
    }
    #expect(coalesced > 20)
  }

  @Test func readYourWritesHoldsWhateverIsKept() async throws {
    var world = World(seed: 9)
    for _ in 0..<5 { try world.step() }
    var request = world.nearby()
    request.maxStalenessSeconds = 60
    _ = try world.on.nearby(request)
    let layer = try world.layers.layerForReports("users")
    let me = PositionReport(
      id: "me", latitude: request.latitude, longitude: 127, tags: ["swift"], ttlMilliseconds: 0)
    _ = layer.report([me], now: world.wall.now(), limits: world.layers.limits)
    let old = try Self.said(try world.on.nearby(request))
    #expect(old.coalesced && !old.said.hits.contains { $0.id == "me" })
    request.minVersion = layer.version.text
    let new = try Self.said(try world.on.nearby(request))
    #expect(!new.coalesced && new.said.hits.first?.id == "me")
  }

  /// A hundred at once, while the pool is busy, are worked out once; each gets what it would alone.
  @Test func heavyReadsAreSharedWithoutStaleness() async throws {
    var world = World(seed: 4)
    for _ in 0..<60 { try world.step() }
    let pool = BoundedThreadPool(threadCount: 1)
    let shared = SharedReads(threadPool: pool)
    let operations = PositionOperations(layers: world.layers, shared: shared)
    var request = world.within()
    request.clearWest()
    request.clearSouth()
    request.clearEast()
    request.clearNorth()
    request.polygon.points = [(37, 126), (38, 126), (38, 128), (37, 128)].map { corner in
      .with { ($0.latitude, $0.longitude) = corner }
    }
    request.limit = 1000
    let asked = request
    let gate = DispatchSemaphore(value: 0)
    let (isBusy, entered) = AsyncStream.makeStream(of: Void.self)
    let busy = Task {
      try await pool.run { _ in
        entered.yield()
        gate.wait()
      }
    }
    for await _ in isBusy { break }
    let answers = Task {
      try await withThrowingTaskGroup(of: [UInt8].self) { group in
        for _ in 0..<100 { group.addTask { try await operations.within(asked) } }
        return try await group.reduce(into: [[UInt8]]()) { $0.append($1) }
      }
    }
    while shared.flightStatistics.arrivals < 100 { await Task.yield() }
    gate.signal()
    try await busy.value
    let direct = try Self.said(try await world.off.within(asked)).said
    #expect(direct.hits.count > 100)
    var leaders = 0
    for bytes in try await answers.value {
      let answer = try Self.said(bytes)
      #expect(answer.said == direct)
      if !answer.coalesced { leaders += 1 }
    }
    #expect(leaders == 1)
    #expect(shared.flightStatistics.started == 1)
  }

  @Test func stalenessIsAskedForInEitherWay() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([#"{"id":"a","latitude":37.5,"longitude":127}"#])
      let path = "/v1/layers/users/nearby?latitude=37.5&longitude=127"
      let fresh = try await daemon.get(path)
      #expect(fresh.object["age"] as? Double == 0)
      #expect(fresh.object["coalesced"] as? Bool == false)
      _ = try await daemon.get(path + "&maxStalenessSeconds=60")
      #expect(
        try await daemon.get(path + "&maxStalenessSeconds=60").object["coalesced"] as? Bool == true)
      let byHeader = try await daemon.request(
        "GET", path, headers: [("cache-control", "max-age=60")])
      #expect(byHeader.object["coalesced"] as? Bool == true)
      let current = try await daemon.request(
        "GET", path, headers: [("cache-control", "max-age=0")])
      #expect(current.object["coalesced"] as? Bool == false)
      let bad = try await daemon.get(path + "&maxStalenessSeconds=-1")
      #expect(bad.reason == "limit_out_of_range" && bad.fields == ["maxStalenessSeconds"])
      // A route that knows no staleness takes no notice of the header.
      let layers = try await daemon.request(
        "GET", "/v1/layers", headers: [("cache-control", "max-age=60")])
      #expect(layers.status == 200)
    }
  }

  @Test("While long reads wait too long, the next is refused before anything of it is read")
  func refusedBeforehand() async throws {
    let clock = ManualMonotonicClock()
    var delay = QueueDelayLimit.Settings()
    delay.target = 10
    delay.interval = 50
    let pool = BoundedThreadPool(threadCount: 1, queueLimit: 2, queueDelay: delay, clock: clock)
    let layers = LayerRegistry(clock: ManualClock(RunningDaemon.start), epoch: 0xABCD)
    let positions = PositionOperations(layers: layers, shared: SharedReads(threadPool: pool))
    let within = try #require(positions.all.first { $0.name == "Within" })
    func refusal() -> (isForPool: Bool, reason: Reason)? {
      do throws(APIError) {
        _ = try within.callOnEventLoop?(UnsafeRawBufferPointer(start: nil, count: 0), .open)
        return nil
      } catch {
        return (error.isForPool, error.reason)
      }
    }
    #expect(refusal()?.isForPool == true)
    // It kept a place, which it gives up where it is taken up.
    pool.arrived()
    let gate = DispatchSemaphore(value: 0)
    let (entered, enters) = AsyncStream.makeStream(of: Void.self)
    var tasks = [
      Task {
        try await pool.run { _ in
          enters.yield()
          gate.wait()
        }
      }
    ]
    for await _ in entered { break }
    for waiting in 1...2 {
      tasks.append(Task { try await pool.run { _ in } })
      while pool.figures.waiting < waiting { await Task.yield() }
    }
    clock.advance(by: 60)
    _ = pool.refusal()
    clock.advance(by: 60)
    let refused = refusal()
    #expect(refused?.isForPool == false && refused?.reason == .overloaded)
    #expect(throws: APIError.self) { () throws(APIError) in try within.refuseWhileCrowded?() }
    gate.signal()
    for task in tasks { try await task.value }
    #expect(refusal()?.isForPool == true)
  }
}
