import GeoMath
import MoyeoAPI
import ObjectModel
import RoutePlanning
import SwiftProtobuf

/// The calls of RouteService.
struct RouteOperations: Sendable {
  let planner: RoutePlanner
  let clock: any WallClock
  let validation: RequestValidation

  var all: [Operation] {
    [
      Operation(
        "RouteService", "Plan", request: Moyeo_V1_PlanRouteRequest.self,
        response: Moyeo_V1_PlanRouteResponse.self,
        routes: [.init("POST", "/v1/routes/plan")]
      ) { request, _ in try await plan(request) }
    ]
  }

  private func plan(_ request: Moyeo_V1_PlanRouteRequest) async throws -> [UInt8] {
    let origin = try end(request.originIfSet, field: "origin")
    let destination = try end(
      request.destinationIfSet, field: "destination")
    let departure =
      request.hasDepartureTime
      ? try validation.time(request.departureTime, field: "departureTime") : clock.now()
    let stops = try stops(request.stops)
    let planned: PlannedRoute
    do throws(RouteError) {
      if stops.contains(where: { $0.kind != .stop }) && !request.keepOrder {
        planned = try await planWithRiders(
          origin, stops: stops, destination: destination, departure: departure)
      } else {
        planned = try await planner.plan(
          origin: origin, stops: stops.map(\.coordinate), destination: destination,
          departure: departure, keepsOrder: request.keepOrder)
      }
    } catch {
      throw APIError(error, field: "stops")
    }
    return try encoded(message(of: planned))
  }

  private struct Stop {
    enum Kind: String {
      case stop
      case pickUp = "pick_up"
      case dropOff = "drop_off"
    }
    let coordinate: Coordinate
    let kind: Kind
    let riderID: String?
  }

  private func end(_ place: Moyeo_V1_Place?, field: String) throws(APIError) -> Coordinate {
    guard let place else {
      throw APIError(.missingField, field: field, "\(field) is required")
    }
    return try validation.coordinate(of: place, field: field)
  }

  private func stops(_ stops: [Moyeo_V1_RouteStop]) throws(APIError) -> [Stop] {
    var out: [Stop] = []
    for (i, stop) in stops.enumerated() {
      let field = "stops[\(i)]"
      let word = stop.hasKind ? stop.kind : "stop"
      guard let kind = Stop.Kind(rawValue: word) else {
        throw APIError(
          .badValue, field: field + ".kind",
          "kind is stop, pick_up or drop_off; got \(quoted(word))")
      }
      if kind != .stop && !stop.hasRiderID {
        throw APIError(
          .missingField, field: field + ".riderId", "a pick_up or drop_off names its rider")
      }
      out.append(
        Stop(
          coordinate: try validation.coordinate(
            latitude: stop.latitudeIfSet,
            longitude: stop.longitudeIfSet, prefix: field + "."),
          kind: kind, riderID: stop.riderIDIfSet))
    }
    try checkRiders(out)
    return out
  }

  /// Each rider is picked up at most once and dropped off at most once.
  private func checkRiders(_ stops: [Stop]) throws(APIError) {
    for (i, stop) in stops.enumerated() where stop.kind != .stop {
      let isRepeated = stops[..<i].contains {
        $0.kind == stop.kind && $0.riderID == stop.riderID
      }
      if isRepeated {
        throw APIError(
          .duplicateRider, field: "stops[\(i)].riderId",
          "\(quoted(stop.riderID ?? "")) has two stops of this kind")
      }
      let hasDropOff = stops.contains { $0.kind == .dropOff && $0.riderID == stop.riderID }
      if !hasDropOff {
        throw APIError(
          .missingField, field: "stops[\(i)]",
          "\(quoted(stop.riderID ?? "")) is picked up and never dropped off")
      }
    }
  }

  /// The best order with every pick-up before its drop-off; a plain stop is a drop-off of somebody
  /// aboard from the start.
  private func planWithRiders(
    _ origin: Coordinate, stops: [Stop], destination: Coordinate, departure: Instant
  ) async throws(RouteError) -> PlannedRoute {
    let given = try RouteRequest(
      origin: origin, stops: stops.map(\.coordinate), destination: destination,
      departure: departure)
    let dropOffs = stops.indices.filter { stops[$0].kind != .pickUp }
    let pickUps = dropOffs.map { dropOff in
      // A plain stop has no pick-up, whoever it is for.
      stops[dropOff].kind == .stop
        ? nil : stops.firstIndex { $0.kind == .pickUp && $0.riderID == stops[dropOff].riderID }
    }
    let riders = zip(dropOffs, pickUps).map { dropOff, pickUp in
      StopOrderRider(
        pickUp: pickUp.map { stops[$0].coordinate }, dropOff: stops[dropOff].coordinate)
    }
    let problem: StopOrderProblem
    do throws(StopOrderError) {
      problem = try StopOrderProblem(riders: riders, start: origin, end: destination)
    } catch {
      throw .tooManyStops(stops.count, maximum: StopOrderProblem.maximumVisits)
    }
    guard let best = problem.best(planner.estimate.estimator(for: given)) else {
      throw .noRoute("no order of the stops exists")
    }
    let order: [Int] = best.visits.flatMap { visit in
      switch visit {
      case .pickUp(let riders): riders.compactMap { pickUps[$0] }
      case .dropOff(let rider): [dropOffs[rider]]
      }
    }
    let request = try RouteRequest(
      origin: origin, stops: order.map { stops[$0].coordinate }, destination: destination,
      departure: departure)
    return PlannedRoute(
      route: try await planner.provider.route(request), stopOrder: order)
  }

  private func message(of planned: PlannedRoute) -> Moyeo_V1_PlanRouteResponse {
    let route = planned.route
    var out = Moyeo_V1_PlanRouteResponse()
    out.distanceMeters = route.distanceMeters
    out.durationSeconds = route.durationSeconds
    out.path = route.path.map { place in
      var pair = Google_Protobuf_ListValue()
      pair.values = [.init(numberValue: place.longitude), .init(numberValue: place.latitude)]
      return pair
    }
    out.stopOrder = planned.stopOrder.map(Int32.init)
    out.source = route.source.rawValue
    out.legs = route.legs.map { leg in
      var out = Moyeo_V1_RouteLeg()
      out.distanceMeters = leg.distanceMeters
      out.durationSeconds = leg.durationSeconds
      return out
    }
    if let reason = route.fallbackReason { out.fallbackReason = reason.reason }
    if let range = route.range {
      out.lowDurationSeconds = range.low.durationSeconds
      out.highDurationSeconds = range.high.durationSeconds
    }
    return out
  }
}
