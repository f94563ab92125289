import Foundation
import GeoMath
package import RoutePlanning

/// Valhalla's `/route` (valhalla.github.io, turn-by-turn API).
package struct ValhallaDialect: RouteDialect {
  package let source = RouteSource.valhalla
  /// It is not told the departure: without traffic tiles that changes nothing.
  package let dependsOnDeparture = false
  package let baseURL: String
  /// `auto` or `taxi`.
  package let costing: String

  package init(baseURL: String, costing: String = "auto") {
    self.baseURL = DialectParsing.base(baseURL)
    self.costing = costing
  }

  package func exchange(for request: RouteRequest) throws(RouteError) -> RouteExchange {
    let question = Question(
      locations: request.places.map { .init(lat: $0.latitude, lon: $0.longitude) },
      costing: costing, units: "kilometers", directions_type: "none")
    guard let body = try? JSONEncoder().encode(question) else {
      throw .malformed("the request cannot be written")
    }
    return RouteExchange(method: .post([UInt8](body)), url: "\(baseURL)/route")
  }

  package func route(
    from reply: RouteReply, for request: RouteRequest
  ) throws(RouteError) -> Route {
    let answer = try DialectParsing.decode(Answer.self, reply.body)
    guard let trip = answer.trip, trip.status ?? 0 == 0 else {
      throw Self.error(answer, status: reply.status)
    }
    let scale = trip.units?.lowercased().hasPrefix("mi") == true ? 1609.344 : 1000
    let legs = trip.legs.map {
      RouteLeg(distanceMeters: $0.summary.length * scale, durationSeconds: $0.summary.time)
    }
    if let total = trip.summary {
      try DialectParsing.checkSum(legs.map(\.distanceMeters), total.length * scale, "distance")
      try DialectParsing.checkSum(legs.map(\.durationSeconds), total.time, "duration")
    }
    var path: [Coordinate] = []
    for leg in trip.legs {
      guard let points = EncodedPolyline.decode(leg.shape) else {
        throw .malformed("a leg's shape is not a polyline of six decimals")
      }
      // A leg begins where the one before it ends.
      path += path.last == points.first ? points.dropFirst() : points[...]
    }
    return Route(legs: legs, path: path, source: source)
  }

  private static func error(_ answer: Answer, status: Int) -> RouteError {
    let message = DialectParsing.sentence(answer.error ?? answer.trip?.status_message)
    // Valhalla's codes: 170, 171, 442 and 443 say that no road or no path is near.
    switch answer.error_code ?? answer.trip?.status {
    case 170, 171, 442, 443: return .noRoute(message)
    case nil where answer.trip == nil && answer.error == nil:
      return .malformed("neither trip nor error")
    default: return .refused(status: status, message: message)
    }
  }

  private struct Question: Encodable {
    struct Location: Encodable {
      let lat: Double
      let lon: Double
    }
    let locations: [Location]
    let costing: String
    let units: String
    let directions_type: String
  }

  private struct Answer: Decodable {
    struct Summary: Decodable {
      let length: Double
      let time: Double
    }
    struct Leg: Decodable {
      let shape: String
      let summary: Summary
    }
    struct Trip: Decodable {
      let status: Int?
      let status_message: String?
      let units: String?
      let summary: Summary?
      let legs: [Leg]

      enum CodingKeys: CodingKey { case status, status_message, units, summary, legs }

      init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        status = try values.decodeIfPresent(Int.self, forKey: .status)
        status_message = try values.decodeIfPresent(String.self, forKey: .status_message)
        units = try values.decodeIfPresent(String.self, forKey: .units)
        summary = try values.decodeIfPresent(Summary.self, forKey: .summary)
        // A trip with a bad status has no legs.
        legs =
          status ?? 0 == 0
          ? try values.decode([Leg].self, forKey: .legs)
          : []
      }
    }
    let trip: Trip?
    let error: String?
    let error_code: Int?
  }
}
