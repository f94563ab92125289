import ObjectModel
import RoutePlanning
import RouteProviders
import Testing
import Threading

@Suite(.serialized) struct RouteEngineTests {
  static let wallClock = ManualClock(RecordedShapes.departure)

  @Test func withoutAnEngineRoutesAreEstimated() async throws {
    let engine = RouteEngine(.none, wallClock: Self.wallClock)
    let route = try await engine.provider.route(RecordedShapes.request())
    #expect(route.source == .estimate && route.fallbackReason == nil && engine.http == nil)
    await engine.shutdown()
  }

  @Test func withAnEngineTwentyCallersCostOneQuestion() async throws {
    let server = try await LoopbackServer.start([
      .reply(status: 200, body: RecordedShapes.osrm)
    ])
    // No time passes: the engine answers in time however busy the machine is.
    let engine = RouteEngine(
      .osrm(baseURL: server.url), wallClock: Self.wallClock, clock: ManualMonotonicClock())
    try await withThrowingTaskGroup(of: Route.self) { group in
      for _ in 0..<20 {
        group.addTask { try await engine.provider.route(RecordedShapes.request()) }
      }
      for try await route in group {
        #expect(route.source == .osrm && route.fallbackReason == nil && route.range != nil)
      }
    }
    #expect(server.requestCount == 1)
    await engine.shutdown()
    await server.stop()
  }

  @Test func aBrokenEngineIsSparedAndTheAnswerSaysSo() async throws {
    let server = try await LoopbackServer.start([.reply(status: 500, body: "")])
    let engine = RouteEngine(
      .valhalla(baseURL: server.url), wallClock: Self.wallClock, clock: ManualMonotonicClock(),
      settings: .init(
        retries: RetrySchedule(maximumAttempts: 1), breaker: .init(failureThreshold: 2)))
    var reasons: [String?] = []
    for _ in 0..<5 {
      let route = try await engine.planner.plan(
        origin: RecordedShapes.seoulStation, destination: RecordedShapes.gangnam,
        departure: RecordedShapes.departure
      ).route
      #expect(route.source == .estimate && route.distanceMeters > 9_000)
      reasons.append(route.fallbackReason?.reason)
    }
    #expect(reasons == ["unavailable", "unavailable"] + Array(repeating: "circuit_open", count: 3))
    #expect(server.requestCount == 2)
    await engine.shutdown()
    await server.stop()
  }

  @Test(arguments: [
    "", "nonsense", "http://", "ftp://127.0.0.1", "http://[", "http://127.0.0.1:99999",
    "http://127.0.0.1:99999999999999999999999", "http://127.0.0.1:0", "http://127.0.0.1:-1",
    "http://user name@host", "unix:///x",
  ]) func addressesThatAreNone(baseURL: String) async throws {
    let engine = RouteEngine(
      .osrm(baseURL: baseURL), wallClock: Self.wallClock,
      settings: .init(retries: RetrySchedule(maximumAttempts: 1)))
    let route = try await engine.provider.route(RecordedShapes.request())
    #expect(route.source == .estimate && route.fallbackReason?.reason == "refused")
    await engine.shutdown()
  }

  @Test func aTransportMayGoWithoutAShutdown() async throws {
    let server = try await LoopbackServer.start([
      .reply(status: 200, body: RecordedShapes.naver)
    ])
    do {
      let engine = RouteEngine(
        .naver(keyID: "id", key: "secret", baseURL: server.url), wallClock: Self.wallClock,
        clock: ManualMonotonicClock())
      #expect(try await engine.provider.route(RecordedShapes.request()).source == .naver)
    }
    let shut = HTTPClientTransport()
    await shut.shutdown()
    await shut.shutdown()
    await #expect(throws: RouteError.self) {
      try await shut.send(
        RouteExchange(url: server.url), timeoutMilliseconds: 5_000, maximumBytes: 100)
    }
    await server.stop()
  }
}
