package import RoutePlanning

/// OSRM's `route` service, version 1 (project-osrm.org, HTTP API).
package struct OSRMDialect: RouteDialect {
  package let source = RouteSource.osrm
  /// OSRM knows speeds, not times of day.
  package let dependsOnDeparture = false
  package let baseURL: String
  package let profile: String

  /// - Parameters:
  ///   - baseURL: for instance `http://127.0.0.1:5000`.
  ///   - profile: as the server names it; most accept any word.
  package init(baseURL: String, profile: String = "driving") {
    self.baseURL = DialectParsing.base(baseURL)
    self.profile = profile
  }

  package func exchange(for request: RouteRequest) throws(RouteError) -> RouteExchange {
    let places = request.places.map(DialectParsing.longitudeLatitude).joined(separator: ";")
    return RouteExchange(
      url: "\(baseURL)/route/v1/\(profile)/\(places)"
        + "?overview=full&geometries=geojson&steps=false&alternatives=false")
  }

  package func route(
    from reply: RouteReply, for request: RouteRequest
  ) throws(RouteError) -> Route {
    let answer = try DialectParsing.decode(Answer.self, reply.body)
    switch answer.code {
    case "Ok": break
    case "NoRoute", "NoSegment": throw .noRoute(DialectParsing.sentence(answer.message))
    default:
      throw .refused(
        status: reply.status,
        message: "\(DialectParsing.sentence(answer.code)) "
          + DialectParsing.sentence(answer.message))
    }
    guard let best = answer.routes?.first else { throw .malformed("routes is empty") }
    let legs = (best.legs ?? [Answer.Leg(distance: best.distance, duration: best.duration)]).map {
      RouteLeg(distanceMeters: $0.distance, durationSeconds: $0.duration)
    }
    try DialectParsing.checkSum(legs.map(\.distanceMeters), best.distance, "distance")
    try DialectParsing.checkSum(legs.map(\.durationSeconds), best.duration, "duration")
    return Route(legs: legs, path: try best.geometry.path(), source: source)
  }

  private struct Answer: Decodable {
    struct Leg: Decodable {
      let distance: Double
      let duration: Double
    }
    struct Best: Decodable {
      let distance: Double
      let duration: Double
      let legs: [Leg]?
      let geometry: RouteGeometry
    }
    let code: String
    let message: String?
    let routes: [Best]?
  }
}
