import GeoMath
import ObjectModel
import RideMatching
import RoutePlanning
import Testing

@testable import FareEstimation
@testable import DurableCommands
@testable import Parties
import TestSupport

/// A provider that knows longer roads than the estimate, fails on request, or takes for ever.
private struct TestRoads: RouteProvider {
  enum Mood { case good, failing, silent }
  var mood: Mood
  var source: RouteSource { .osrm }

  func route(_ request: RouteRequest) async throws(RouteError) -> Route {
    switch mood {
    case .good: break
    case .failing: throw .unavailable("down")
    case .silent:
      do { try await Task.sleep(for: .seconds(3600)) } catch { throw .cancelled }
    }
    return Route(
      legs: request.places.dropFirst().map { _ in
        RouteLeg(distanceMeters: 9_000, durationSeconds: 1_500)
      },
      path: (0..<2_000).map { i in
        Coordinate(uncheckedLatitude: 37.5 + Double(i) * 1.23e-5, longitude: 127 + 1e-9)
      }, source: .osrm)
  }
}

struct RouteRefinementTests {
  typealias Fixture = PartyFixture

  @Test func aProvidersWayIsStoredAndSharesStayAsPromised() async throws {
    let store = MemoryStore()
    let it = try Fixture(
      store: store, routes: TestRoads(mood: .good))
    let made = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party
    #expect(made.route.source == "osrm")
    #expect(made.fare.source == "osrm")
    #expect(made.route.distanceMeters == 9_000)
    #expect(made.route.path.count == 500)
    let join = JoinParty(riderID: "bob", destination: Fixture.yeoksam)
    let (_, preview) = try await it.partyService.previewJoin(partyID: made.id, join)
    let joined = try await it.partyService.join(partyID: made.id, join, Fixture.plain).party
    #expect(joined.route.distanceMeters == 18_000)
    #expect(joined.route.source == "osrm")
    #expect(joined.route.stopOrder == preview.now.route.stopOrder)
    #expect(joined.riders.map(\.share) == preview.now.riders.map(\.share))
    #expect(
      joined.fare.perPersonNow == FareEstimator.perSeat(joined.fare.expected, seats: 2))
    // Someone leaves: the way of those who stay is the estimate's until the next join.
    let left = try await it.partyService.leave(partyID: made.id, riderID: "bob", Fixture.plain)
      .party
    #expect(left.route.source == "estimate")
    #expect(left.fare.source == "estimate")
    it.partyService.stop()
    let again = try Fixture(store: store, clock: it.clock)
    defer { again.partyService.stop() }
    #expect(try await again.partyService.get(made.id) == left)
  }

  @Test(arguments: [false, true])
  func theEstimateStandsWhereTheProviderFails(isSilent: Bool) async throws {
    let it = try Fixture(
      routes: FallbackRouteProvider(TestRoads(mood: isSilent ? .silent : .failing))
    ) { $0.routeMilliseconds = 20 }
    defer { it.partyService.stop() }
    let made = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party
    #expect(made.route.source == "estimate")
    #expect(made.fare.source == "estimate")
  }

  @Test func batchesAreMatchedWithinTheirLimits() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let requests = (0..<12).map { i in
      RideRequest(
        riderID: "r\(i)", origin: Fixture.sinchon,
        destination: i % 2 == 0 ? Fixture.gangnam : Fixture.yeoksam,
        window: DepartureWindow(time: Fixture.start.advanced(milliseconds: 3_600_000)),
        attributes: ["gender": i % 3 == 0 ? "f" : "m"])
    }
    var query = PartyBatchQuery(requests: requests, iterations: 50)
    query.policy = RidePolicy(sameAttributes: ["gender"])
    let answer = try await it.partyService.matchBatch(query)
    #expect(answer.currency == "KRW")
    #expect(!answer.result.groups.isEmpty)
    for group in answer.result.groups {
      #expect(Set(group.members.map { $0 % 3 == 0 }).count == 1)
    }
    #expect(try await it.partyService.matchBatch(query) == answer)
    query.iterations = nil
    query.timeBudgetMilliseconds = 1
    #expect(
      await reason { _ = try await it.partyService.matchBatch(query) } == "limit_out_of_range")
    query.timeBudgetMilliseconds = 10
    #expect(try await it.partyService.matchBatch(query).result.groups.count > 0)
    #expect(
      try await it.partyService.matchBatch(PartyBatchQuery(requests: [])).result.groups.isEmpty)
  }
}
