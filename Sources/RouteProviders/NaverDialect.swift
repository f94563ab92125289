package import RoutePlanning

/// Naver Directions 5, `/map-direction/v1/driving`, with keys of Naver Cloud Platform.
///
/// It answers for now, not for the departure asked for: the fare is priced by TaxiFares for the
/// departure, and its range covers the traffic.
package struct NaverDialect: RouteDialect {
  package let source = RouteSource.naver
  package let dependsOnDeparture = false
  package let baseURL: String
  package let option: String
  private let keyID: String
  private let key: String

  /// Of Directions 5.
  package static let maximumStops = 5
  package static let defaultBaseURL = "https://maps.apigw.ntruss.com"

  package init(
    keyID: String, key: String, baseURL: String = NaverDialect.defaultBaseURL,
    option: String = "trafast"
  ) {
    self.keyID = keyID
    self.key = key
    self.baseURL = DialectParsing.base(baseURL)
    self.option = option
  }

  package func exchange(for request: RouteRequest) throws(RouteError) -> RouteExchange {
    guard request.stops.count <= Self.maximumStops else {
      throw .tooManyStops(request.stops.count, maximum: Self.maximumStops)
    }
    var url =
      "\(baseURL)/map-direction/v1/driving"
      + "?start=\(DialectParsing.longitudeLatitude(request.origin))"
      + "&goal=\(DialectParsing.longitudeLatitude(request.destination))&option=\(option)"
    if !request.stops.isEmpty {
      url +=
        "&waypoints="
        + request.stops.map(DialectParsing.longitudeLatitude).joined(separator: "%7C")
    }
    return RouteExchange(
      url: url,
      headers: [.init("x-ncp-apigw-api-key-id", keyID), .init("x-ncp-apigw-api-key", key)])
  }

  package func route(
    from reply: RouteReply, for request: RouteRequest
  ) throws(RouteError) -> Route {
    let answer = try DialectParsing.decode(Answer.self, reply.body)
    guard let code = answer.code else {
      throw .refused(
        status: reply.status, message: DialectParsing.sentence(answer.error?.message))
    }
    let message = DialectParsing.sentence(answer.message)
    switch code {
    case 0: break
    // 1 same ends, 2 off the road, 3 not found, 4 stop off the road, 5 beyond 1,500 km.
    case 1...5: throw .noRoute(message)
    default: throw .refused(status: reply.status, message: message)
    }
    guard let best = answer.route?[option]?.first ?? answer.route?.first?.value.first else {
      throw .malformed("route holds nothing for \(option)")
    }
    let legs = try best.summary.legs(stopCount: request.stops.count)
    return Route(
      legs: legs, path: try DialectParsing.coordinates(longitudeLatitude: best.path),
      source: source, tollAmount: best.summary.tollFare, providerTaxiFare: best.summary.taxiFare)
  }

  private struct Answer: Decodable {
    struct Failure: Decodable {
      let message: String?
    }
    /// Meters and milliseconds from the place before.
    struct Halt: Decodable {
      let distance: Double?
      let duration: Double?
    }
    struct Summary: Decodable {
      let distance: Double
      let duration: Double
      let goal: Halt?
      let waypoints: [Halt]?
      let tollFare: Int64?
      let taxiFare: Int64?

      func legs(stopCount: Int) throws(RouteError) -> [RouteLeg] {
        guard stopCount > 0 else {
          return [RouteLeg(distanceMeters: distance, durationSeconds: duration / 1000)]
        }
        guard let waypoints, waypoints.count == stopCount else {
          throw .malformed("\(waypoints?.count ?? 0) waypoints for \(stopCount) stops")
        }
        var legs: [RouteLeg] = []
        for halt in waypoints {
          guard let meters = halt.distance, let milliseconds = halt.duration else {
            throw .malformed("a waypoint lacks distance or duration")
          }
          legs.append(RouteLeg(distanceMeters: meters, durationSeconds: milliseconds / 1000))
        }
        let meters = legs.reduce(0) { $0 + $1.distanceMeters }
        let seconds = legs.reduce(0) { $0 + $1.durationSeconds }
        legs.append(
          RouteLeg(
            distanceMeters: goal?.distance ?? distance - meters,
            durationSeconds: (goal?.duration ?? duration - seconds * 1000) / 1000))
        try DialectParsing.checkSum(legs.map(\.distanceMeters), distance, "distance")
        try DialectParsing.checkSum(legs.map(\.durationSeconds), duration / 1000, "duration")
        return legs
      }
    }
    struct Best: Decodable {
      let summary: Summary
      let path: [[Double]]
    }
    let code: Int?
    let message: String?
    let route: [String: [Best]]?
    let error: Failure?
  }
}
