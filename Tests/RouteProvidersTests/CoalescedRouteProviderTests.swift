import GeoMath
import ObjectModel
import QueryCoalescing
import RoutePlanning
import RouteProviders
import Testing
import Threading

/// Counts questions; answers by the estimate, once the gate is open.
final class CountingProvider: RouteProvider {
  let source = RouteSource.osrm
  private let state = StateLock<(requests: [RouteRequest], failures: Int)>(([], 0))
  private let gate: AsyncStream<Void>?

  init(failures: Int = 0, gate: AsyncStream<Void>? = nil) {
    self.gate = gate
    state.withLock { $0.failures = failures }
  }

  var requests: [RouteRequest] { state.withLock { $0.requests } }

  func route(_ request: RouteRequest) async throws(RouteError) -> Route {
    let fails = state.withLock { state in
      state.requests.append(request)
      state.failures -= 1
      return state.failures >= 0
    }
    if let gate { for await _ in gate {} }
    if fails { throw .unavailable("down") }
    var route = EstimatedRouteProvider().estimatedRoute(request)
    route.source = .osrm
    return route
  }
}

@Suite struct CoalescedRouteProviderTests {
  func request(
    _ origin: (Double, Double), departure: Instant = RecordedShapes.departure
  ) throws -> RouteRequest {
    try RouteRequest(
      origin: try Coordinate(latitude: origin.0, longitude: origin.1),
      destination: RecordedShapes.gangnam, departure: departure)
  }

  @Test func nearlyEqualQuestionsAreAskedOnce() async throws {
    let counting = CountingProvider()
    let clock = ManualMonotonicClock()
    let provider = CoalescedRouteProvider(counting, dependsOnDeparture: false, clock: clock)
    let a = try await provider.route(request((37.55471, 126.97069)))
    let b = try await provider.route(
      request(
        (37.55468, 126.97072),
        departure: RecordedShapes.departure.advanced(
          milliseconds: 3_600_000)))
    #expect(counting.requests.count == 1 && a == b)
    // The provider is asked for the grid's place: who came first does not matter.
    #expect((counting.requests[0].origin.latitude - 37.5547).magnitude < 1e-9)
    _ = try await provider.route(request((37.5549, 126.9707)))
    #expect(counting.requests.count == 2)
    clock.advance(by: 11 * 60_000 * 1_000_000)
    _ = try await provider.route(request((37.5547, 126.9707)))
    #expect(counting.requests.count == 3)
  }

  @Test func departuresAreSlotsWhereTheyMatter() async throws {
    let counting = CountingProvider()
    let provider = CoalescedRouteProvider(
      counting, dependsOnDeparture: true, clock: ManualMonotonicClock())
    let slot = Instant(milliseconds: RecordedShapes.departure.milliseconds / 600_000 * 600_000)
    for seconds in [0, 30, 599] as [Int64] {
      _ = try await provider.route(
        request((37.5, 127), departure: slot.advanced(milliseconds: seconds * 1000)))
    }
    #expect(counting.requests.map(\.departure) == [slot])
    _ = try await provider.route(
      request((37.5, 127), departure: slot.advanced(milliseconds: 600_000)))
    #expect(counting.requests.count == 2)
  }

  @Test func concurrentQuestionsShareOneFlight() async throws {
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let counting = CountingProvider(gate: gate)
    let provider = CoalescedRouteProvider(
      counting, dependsOnDeparture: false, clock: ManualMonotonicClock())
    let question = try request((37.5, 127))
    try await withThrowingTaskGroup(of: Route.self) { group in
      for _ in 0..<20 { group.addTask { try await provider.route(question) } }
      // One that came later would find the answer kept, or begin a flight of its own.
      while provider.flightStatistics.arrivals < 20 { await Task.yield() }
      open.finish()
      for try await route in group { #expect(route.source == .osrm) }
    }
    #expect(counting.requests.count == 1)
  }

  @Test func errorsAreNotKept() async throws {
    let counting = CountingProvider(failures: 1)
    let provider = CoalescedRouteProvider(
      counting, dependsOnDeparture: false, clock: ManualMonotonicClock())
    let question = try request((37.5, 127))
    await #expect(throws: RouteError.unavailable("down")) { try await provider.route(question) }
    #expect(try await provider.route(question).source == .osrm)
    #expect(counting.requests.count == 2)
  }

  @Test func theEndsOfTheEarth() async throws {
    let counting = CountingProvider()
    let provider = CoalescedRouteProvider(
      counting, dependsOnDeparture: true, clock: ManualMonotonicClock())
    for (latitude, longitude) in [(90.0, 180.0), (-90, -180), (89.99999, 179.99999)] {
      let route = try await provider.route(
        request((latitude, longitude), departure: .distantPast))
      #expect(route.legs.count == 1)
    }
  }
}
