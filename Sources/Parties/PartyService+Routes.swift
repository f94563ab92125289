import GeoMath
import ObjectModel
import RideMatching
import RoutePlanning
import TaxiFares
import FareEstimation

/// The provider is asked before a command enters the pipeline, which waits for nobody. Its way is
/// stored if the party then halts at the stops it was asked for; else the estimate stands, and
/// `source` says so.
extension PartyService {
  /// Nil: no provider, or the estimate stands.
  func refinedRoute(creating command: CreateParty) async -> RefinedRoute? {
    guard fares.routes.source != .estimate,
      let change = try? rules.create(command, id: "-", now: clock.now(), claims: { _ in [] })
    else { return nil }
    return await refined(change.party, change.party.route.path)
  }

  func refinedRoute(joining partyID: String, _ command: JoinParty) async -> RefinedRoute? {
    guard fares.routes.source != .estimate, let party = book.party(partyID),
      let preview = try? rules.preview(command, party, now: clock.now())
    else { return nil }
    return await refined(party, preview.now.route.path)
  }

  private func refined(_ party: Party, _ places: [Coordinate]) async -> RefinedRoute? {
    guard places.count >= 2, let route = await providerRoute(party, places),
      route.source != .estimate
    else { return nil }
    let shown = PartyRoute(
      distanceMeters: route.distanceMeters, durationSeconds: route.durationSeconds, stopOrder: [],
      path: thinned(route.path), source: route.source.rawValue)
    guard party.hasTariff, party.agreedFare == nil else {
      // The route changes no price.
      return RefinedRoute(
        stops: RefinedRoute.stops(of: places), route: shown, expected: 0, low: 0, high: 0)
    }
    let request = FareRequest(
      origin: places[0], destination: places[places.count - 1],
      distanceMeters: route.distanceMeters, durationSeconds: route.durationSeconds,
      departure: party.window.time, tariffID: party.tariffID, isCalled: party.isCalled)
    guard let fare = try? await fares.estimate(request, now: clock.now()) else { return nil }
    return RefinedRoute(
      stops: RefinedRoute.stops(of: places),
      route: shown, expected: fare.expected, low: min(fare.low, fare.expected),
      high: max(fare.high, fare.expected))
  }

  /// Nil when it failed or took too long.
  private func providerRoute(_ party: Party, _ places: [Coordinate]) async -> Route? {
    guard
      let request = try? RouteRequest(
        origin: places[0], stops: Array(places.dropFirst().dropLast()),
        destination: places[places.count - 1], departure: party.window.time)
    else { return nil }
    let routes = fares.routes
    let limit = configuration.routeMilliseconds
    return await withTaskGroup(of: Route?.self) { group in
      group.addTask { try? await routes.route(request) }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(limit))
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }

  /// A line of at most so many points, its ends kept, in the form that is stored in few bytes.
  private func thinned(_ path: [Coordinate]) -> [Coordinate] {
    let most = max(2, configuration.routePathPoints)
    guard path.count > most else { return path.map(RoutePathCoding.rounded) }
    return (0..<most).map { i in
      RoutePathCoding.rounded(path[i * (path.count - 1) / (most - 1)])
    }
  }
}

extension RefinedRoute {
  static func stops(of path: [Coordinate]) -> [RideStop] {
    path.map { RideStop(latitude: $0.latitude, longitude: $0.longitude) }
  }
}

extension FareEstimator {
  /// What areas mean for a fare, for the rules of parties: the same as for estimates.
  var rideAreas: RideAreas {
    RideAreas(
      ids: { [areas = library.areas] in areas.ids(at: $0) },
      edgeShare: { edgeShare($0, from: $1, to: $2) })
  }
}
