import GeoMath
package import ObjectModel
package import RoutePlanning

/// Kakao Mobility, `/v1/directions`, and `/v1/future/directions` for departures ahead.
package struct KakaoDialect: RouteDialect {
  package let source = RouteSource.kakao
  package let dependsOnDeparture = true
  package let baseURL: String
  private let key: String
  private let clock: any WallClock

  package static let maximumStops = 5
  package static let defaultBaseURL = "https://apis-navi.kakaomobility.com"
  /// Departures less than this ahead are asked as now.
  static let futureFromMilliseconds: Int64 = 10 * 60_000

  /// Asks with one key at one address.
  ///
  /// - Parameters:
  ///   - key: The REST API key that Kakao gave the operator.
  ///   - clock: Tells whether a departure lies ahead.
  ///   - baseURL: In front of `/v1`.
  package init(
    key: String, clock: any WallClock, baseURL: String = KakaoDialect.defaultBaseURL
  ) {
    self.key = key
    self.baseURL = DialectParsing.base(baseURL)
    self.clock = clock
  }

  package func exchange(for request: RouteRequest) throws(RouteError) -> RouteExchange {
    guard request.stops.count <= Self.maximumStops else {
      throw .tooManyStops(request.stops.count, maximum: Self.maximumStops)
    }
    let isAhead =
      request.departure.milliseconds(since: clock.now()) >= Self.futureFromMilliseconds
    var url =
      "\(baseURL)/v1/\(isAhead ? "future/" : "")directions"
      + "?origin=\(DialectParsing.longitudeLatitude(request.origin))"
      + "&destination=\(DialectParsing.longitudeLatitude(request.destination))&priority=TIME"
    if !request.stops.isEmpty {
      url +=
        "&waypoints="
        + request.stops.map(DialectParsing.longitudeLatitude).joined(separator: "%7C")
    }
    if isAhead { url += "&departure_time=\(Self.koreanMinute(request.departure))" }
    return RouteExchange(url: url, headers: [.init("Authorization", "KakaoAK \(key)")])
  }

  package func route(
    from reply: RouteReply, for request: RouteRequest
  ) throws(RouteError) -> Route {
    let answer = try DialectParsing.decode(Answer.self, reply.body)
    guard let best = answer.routes?.first else {
      throw .refused(status: reply.status, message: DialectParsing.sentence(answer.msg))
    }
    let message = DialectParsing.sentence(best.result_msg)
    switch best.result_code {
    case 0: break
    // 1 nothing found, 101-103 no road near a place, 104 ends within 5 m, 105-107 closed roads.
    case 1...199: throw .noRoute(message)
    default: throw .refused(status: reply.status, message: message)
    }
    guard let summary = best.summary, let sections = best.sections else {
      throw .malformed("summary or sections are missing")
    }
    let legs = sections.map {
      RouteLeg(distanceMeters: $0.distance, durationSeconds: $0.duration)
    }
    try DialectParsing.checkSum(legs.map(\.distanceMeters), summary.distance, "distance")
    try DialectParsing.checkSum(legs.map(\.durationSeconds), summary.duration, "duration")
    var path: [Coordinate] = []
    for road in sections.flatMap(\.roads) {
      guard road.vertexes.count % 2 == 0 else { throw .malformed("a road has half a vertex") }
      let pairs = stride(from: 0, to: road.vertexes.count, by: 2).map {
        [road.vertexes[$0], road.vertexes[$0 + 1]]
      }
      let points = try DialectParsing.coordinates(longitudeLatitude: pairs)
      path += path.last == points.first ? points.dropFirst() : points[...]
    }
    return Route(
      legs: legs, path: path, source: source, tollAmount: summary.fare?.toll,
      providerTaxiFare: summary.fare?.taxi)
  }

  /// `YYYYMMDDHHMM` in Korean time.
  static func koreanMinute(_ instant: Instant) -> String {
    let minutes = instant.advanced(milliseconds: 9 * 3_600_000).milliseconds / 60_000
    let (days, minute) = minutes.quotientAndRemainder(dividingBy: 1440)
    let date = CivilDate(daysSince1970: Int(days))
    return [
      (date.year, 4), (date.month, 2), (date.day, 2), (Int(minute) / 60, 2), (Int(minute) % 60, 2),
    ].map {
      let digits = String($0.0)
      return String(repeating: "0", count: max(0, $0.1 - digits.count)) + digits
    }.joined()
  }

  private struct Answer: Decodable {
    struct Fare: Decodable {
      let taxi: Int64?
      let toll: Int64?
    }
    struct Summary: Decodable {
      let distance: Double
      let duration: Double
      let fare: Fare?
    }
    struct Road: Decodable {
      let vertexes: [Double]
    }
    struct Section: Decodable {
      let distance: Double
      let duration: Double
      let roads: [Road]
    }
    struct Best: Decodable {
      let result_code: Int
      let result_msg: String?
      let summary: Summary?
      let sections: [Section]?
    }
    let routes: [Best]?
    let msg: String?
  }
}
