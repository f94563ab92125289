import GeoMath
import ObjectModel
import RoutePlanning
import Testing

/// A provider that answers what it is told.
struct ScriptedProvider: RouteProvider {
  let source = RouteSource.osrm
  let answer: @Sendable (RouteRequest) throws(RouteError) -> Route

  func route(_ request: RouteRequest) async throws(RouteError) -> Route { try answer(request) }
}

@Suite struct FallbackTests {
  let request: RouteRequest

  init() throws {
    request = try RouteRequest(
      origin: seoulStation, destination: gangnam, departure: fridayNight)
  }

  static func route(
    meters: Double, seconds: Double, path: [Coordinate] = [seoulStation, gangnam]
  ) -> Route {
    Route(
      legs: [RouteLeg(distanceMeters: meters, durationSeconds: seconds)], path: path, source: .osrm)
  }

  @Test func aGoodAnswerIsPassedOnWithARange() async throws {
    let provider = FallbackRouteProvider(
      ScriptedProvider { _ in Self.route(meters: 10_200, seconds: 1_500) })
    let route = try await provider.route(request)
    #expect(route.source == .osrm && route.fallbackReason == nil)
    #expect(route.distanceMeters == 10_200 && route.durationSeconds == 1_500)
    let range = try #require(route.range)
    #expect(range.low.durationSeconds < 1_500 && range.high.durationSeconds > 1_500)
    #expect(range.low.distanceMeters == 10_200)
  }

  @Test(arguments: [
    (Double.nan, 100.0), (-5, 100), (.infinity, 100), (10_000, .nan), (10_000, -1),
    (10_000, .infinity), (100, 100), (10_000, 10), (9_000_000, 900_000), (0, 0), (10_000, 1e9),
  ]) func liesFallBackAndSaySo(meters: Double, seconds: Double) async throws {
    let provider = FallbackRouteProvider(
      ScriptedProvider { _ in Self.route(meters: meters, seconds: seconds) })
    let route = try await provider.route(request)
    #expect(route.source == .estimate)
    #expect(route.fallbackReason?.reason == "implausible")
    #expect(route.distanceMeters > 8_000 && route.durationSeconds > 60)
  }

  @Test func wrongShapesFallBack() async throws {
    let far = try Coordinate(latitude: 35, longitude: 129)
    let wrong = [
      Self.route(meters: 10_000, seconds: 1_000, path: []),
      Self.route(meters: 10_000, seconds: 1_000, path: [far, gangnam]),
      Self.route(meters: 10_000, seconds: 1_000, path: [seoulStation, far]),
      Route(legs: [], path: [seoulStation, gangnam], source: .osrm),
    ]
    for answer in wrong {
      let route = try await FallbackRouteProvider(ScriptedProvider { _ in answer }).route(request)
      #expect(route.fallbackReason?.reason == "implausible")
    }
  }

  @Test(arguments: [
    RouteError.timedOut(milliseconds: 5), .unavailable("reset"), .noRoute("sea"),
    .tooLarge(limitBytes: 9), .malformed("x"), .unauthorized,
    .circuitOpen(retryAfterMilliseconds: 7), .rateLimited(retryAfterMilliseconds: nil),
    .refused(status: 400, message: "no"), .tooManyStops(9, maximum: 5),
  ]) func errorsFallBackAndSaySo(error: RouteError) async throws {
    let provider = FallbackRouteProvider(
      ScriptedProvider { (_: RouteRequest) throws(RouteError) -> Route in throw error })
    let route = try await provider.route(request)
    #expect(route.source == .estimate && route.fallbackReason == error)
    var plain = EstimatedRouteProvider().estimatedRoute(request)
    plain.fallbackReason = error
    #expect(route == plain)
  }

  @Test func onlyCancellationIsPassedOn() async {
    let provider = FallbackRouteProvider(
      ScriptedProvider { (_: RouteRequest) throws(RouteError) -> Route in throw .cancelled })
    await #expect(throws: RouteError.cancelled) { try await provider.route(request) }
  }

  @Test func stopsAreOrderedAndAskedOnce() async throws {
    // On a line: the given order zigzags.
    let line = try [0.01, 0.03, 0.02, 0.05, 0.04].map {
      try Coordinate(latitude: 37.5 + $0, longitude: 127)
    }
    let origin = try Coordinate(latitude: 37.5, longitude: 127)
    let end = try Coordinate(latitude: 37.56, longitude: 127)
    let planner = RoutePlanner(provider: EstimatedRouteProvider())
    let planned = try await planner.plan(
      origin: origin, stops: line, destination: end, departure: fridayNight)
    #expect(planned.stopOrder == [0, 2, 1, 4, 3])
    #expect(planned.route.path == [origin] + [0, 2, 1, 4, 3].map { line[$0] } + [end])
    let kept = try await planner.plan(
      origin: origin, stops: line, destination: end, departure: fridayNight, keepsOrder: true)
    #expect(kept.stopOrder == [0, 1, 2, 3, 4])
    #expect(kept.route.distanceMeters > planned.route.distanceMeters)
    await #expect(throws: RouteError.tooManyStops(11, maximum: 10)) {
      try await planner.plan(
        origin: origin, stops: Array(repeating: end, count: 11), destination: end,
        departure: fridayNight)
    }
  }
}
