import GeoMath
import NIOHTTP1
import RoutePlanning
import Testing

@testable import RouteProviders
import Threading

@Suite(.serialized) struct HTTPRouteProviderTests {
  typealias Behavior = LoopbackServer.Behavior

  static let good = Behavior.reply(status: 200, body: RecordedShapes.osrm)

  /// Runs `body` with a server, a provider of one dialect and a clock that stands still.
  func withProvider(
    _ behaviors: [Behavior], attempts: Int = 1, maximumBytes: Int = 1 << 20,
    breaker: CircuitBreaker.Settings = .init(failureThreshold: 100),
    _ body: (LoopbackServer, HTTPRouteProvider, ManualMonotonicClock) async throws -> Void
  ) async throws {
    let server = try await LoopbackServer.start(behaviors)
    let clock = ManualMonotonicClock()
    let transport = HTTPClientTransport(clock: clock)
    let provider = HTTPRouteProvider(
      OSRMDialect(baseURL: server.url),
      transport: transport,
      settings: .init(
        attemptTimeoutMilliseconds: 400, totalTimeoutMilliseconds: 1_000,
        maximumBytes: maximumBytes,
        retries: RetrySchedule(maximumAttempts: attempts, firstDelayMilliseconds: 0),
        breaker: breaker),
      clock: clock, random: { 0.5 })
    do {
      try await body(server, provider, clock)
    } catch {
      await transport.shutdown()
      await server.stop()
      throw error
    }
    await transport.shutdown()
    await server.stop()
  }

  func error(_ provider: any RouteProvider) async -> RouteError? {
    do {
      _ = try await provider.route(RecordedShapes.request())
      return nil
    } catch {
      return error
    }
  }

  @Test func aGoodAnswer() async throws {
    try await withProvider([Self.good]) { server, provider, _ in
      let route = try await provider.route(RecordedShapes.request())
      #expect(route.distanceMeters == 10_234.5 && route.source == .osrm)
      #expect(server.requestCount == 1)
    }
  }

  @Test(arguments: [
    (Behavior.reset, "unavailable"), (.truncate, "unavailable"), (.garbage, "malformed"),
    (.reply(status: 500, body: "oops"), "unavailable"),
    (.reply(status: 503, body: ""), "unavailable"),
    (.reply(status: 200, body: ""), "malformed"),
    (.reply(status: 200, body: "<html>"), "malformed"),
    (.reply(status: 400, body: "<html>"), "refused"),
    (.reply(status: 404, body: "{}"), "refused"),
    (.reply(status: 400, body: RecordedShapes.osrmNoRoute), "no_route"),
    (.reply(status: 400, body: RecordedShapes.osrm), "malformed"),
    (.reply(status: 401, body: ""), "unauthorized"),
    (.reply(status: 429, headers: [("Retry-After", "7")], body: ""), "rate_limited"),
    (.reply(status: 302, headers: [("Location", "/elsewhere")], body: ""), "refused"),
    (.flood(count: 10 << 20, announced: true), "too_large"),
    (.flood(count: 10 << 20, announced: false), "too_large"),
    (
      .reply(status: 200, body: RecordedShapes.osrm.replacing("10234.5", with: "-10234.5")),
      "implausible"
    ),
    (
      .reply(status: 200, body: RecordedShapes.osrm.replacing("1321.4", with: "3")), "implausible"
    ),
  ]) func badAnswers(behavior: Behavior, reason: String) async throws {
    try await withProvider([behavior]) { server, provider, _ in
      #expect(await error(provider)?.reason == reason)
      #expect(server.requestCount == 1)
      // And the caller gets a route all the same.
      let route = try await FallbackRouteProvider(provider).route(RecordedShapes.request())
      #expect(route.source == .estimate && route.fallbackReason?.reason == reason)
    }
  }

  @Test(arguments: [Behavior.hang, .stall]) func aHangEndsAtTheDeadline(
    behavior: Behavior
  ) async throws {
    try await withProvider([behavior]) { server, provider, clock in
      async let answer = error(provider)
      var seen = server.seen.makeAsyncIterator()
      _ = await seen.next()
      while clock.sleeperCount == 0 { await Task.yield() }
      clock.advance(by: 399 * 1_000_000)
      #expect(clock.sleeperCount == 1)
      clock.advance(by: 1_000_000)
      #expect(await answer == .timedOut(milliseconds: 400))
    }
  }

  @Test func aCallerWhoGivesUpIsToldSoAtOnce() async throws {
    try await withProvider([.hang], breaker: .init(failureThreshold: 1)) { server, provider, _ in
      let task = Task { await error(provider) }
      var seen = server.seen.makeAsyncIterator()
      _ = await seen.next()
      task.cancel()
      #expect(await task.value == .cancelled)
      #expect(provider.breakerState == .closed(failures: 0))
    }
  }

  @Test func nobodyListening() async throws {
    try await withProvider([Self.good]) { server, provider, _ in
      await server.stop()
      #expect(await error(provider)?.reason == "unavailable")
    }
  }

  @Test func transientFailuresAreTriedAgain() async throws {
    try await withProvider(
      [.reply(status: 500, body: ""), .reset, Self.good], attempts: 3
    ) { server, provider, _ in
      let route = try await provider.route(RecordedShapes.request())
      #expect(route.source == .osrm)
      #expect(server.requestCount == 3)
    }
    try await withProvider([.reply(status: 500, body: "")], attempts: 3) { server, provider, _ in
      #expect(await error(provider) == .unavailable("status 500"))
      #expect(server.requestCount == 3)
    }
  }

  @Test func refusalsAndLongWaitsAreNotTriedAgain() async throws {
    for behavior in [
      .reply(status: 400, body: RecordedShapes.osrmNoRoute), .garbage,
      // A wait beyond the total timeout.
      .reply(status: 429, headers: [("Retry-After", "30")], body: ""),
    ] as [Behavior] {
      try await withProvider([behavior], attempts: 3) { server, provider, _ in
        #expect(await error(provider) != nil)
        #expect(server.requestCount == 1)
      }
    }
  }

  @Test func theBreakerSparesCallersAndProvider() async throws {
    let down = Behavior.reply(status: 500, body: "")
    try await withProvider(
      [down, down, Self.good], breaker: .init(failureThreshold: 2, pauseMilliseconds: 1_000)
    ) { server, provider, clock in
      for _ in 0..<2 { #expect(await error(provider)?.reason == "unavailable") }
      #expect(await error(provider) == .circuitOpen(retryAfterMilliseconds: 1_000))
      #expect(server.requestCount == 2)
      clock.advance(by: 1_000 * 1_000_000)
      let route = try await provider.route(RecordedShapes.request())
      #expect(route.source == .osrm)
      #expect(server.requestCount == 3)
      #expect(provider.breakerState == .closed(failures: 0))
    }
  }

  @Test func refusedRequestsDoNotOpenTheBreaker() async throws {
    try await withProvider(
      [.reply(status: 400, body: RecordedShapes.osrmNoRoute)], breaker: .init(failureThreshold: 1)
    ) { _, provider, _ in
      for _ in 0..<3 { #expect(await error(provider)?.reason == "no_route") }
      #expect(provider.breakerState == .closed(failures: 0))
    }
  }

  @Test func valhallaIsPosted() async throws {
    let server = try await LoopbackServer.start([
      .reply(status: 400, body: RecordedShapes.valhallaError)
    ])
    let clock = ManualMonotonicClock()
    let transport = HTTPClientTransport(clock: clock)
    let provider = HTTPRouteProvider(
      ValhallaDialect(baseURL: server.url), transport: transport, clock: clock)
    #expect(await error(provider)?.reason == "no_route")
    var seen = server.seen.makeAsyncIterator()
    let request = try #require(await seen.next())
    #expect(request.method == "POST" && request.uri == "/route")
    #expect(request.headers["Content-Type"] == ["application/json"])
    #expect(request.body.contains("\"locations\""))
    await transport.shutdown()
    await server.stop()
  }
}
