import Foundation
import GeoMath
package import RoutePlanning

/// How one provider is asked and understood: pure, so that recorded answers test it.
package protocol RouteDialect: Sendable {
  var source: RouteSource { get }
  /// Whether another departure may change the answer.
  var dependsOnDeparture: Bool { get }
  /// - Throws: ``RouteError/tooManyStops(_:maximum:)`` when the provider takes fewer stops.
  func exchange(for request: RouteRequest) throws(RouteError) -> RouteExchange
  /// Reads an answer of status 200...499 other than 401, 403 and 429.
  func route(from reply: RouteReply, for request: RouteRequest) throws(RouteError) -> Route
}

/// What the dialects share.
enum DialectParsing {
  /// `longitude,latitude` with six decimals (11 cm), never with an exponent.
  static func longitudeLatitude(_ place: Coordinate) -> String {
    String(format: "%.6f,%.6f", place.longitude, place.latitude)
  }

  static func decode<T: Decodable>(_ type: T.Type, _ body: [UInt8]) throws(RouteError) -> T {
    do {
      return try JSONDecoder().decode(type, from: Data(body))
    } catch DecodingError.keyNotFound(let key, _) {
      throw .malformed("\(key.stringValue) is missing")
    } catch DecodingError.typeMismatch(_, let context),
      DecodingError.valueNotFound(_, let context)
    {
      throw .malformed("\(path(context.codingPath)) has another type")
    } catch {
      throw .malformed("not the JSON expected (\(body.count) bytes)")
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.isEmpty ? "the answer" : keys.map(\.stringValue).joined(separator: ".")
  }

  /// `[[longitude, latitude], …]` to coordinates.
  static func coordinates(longitudeLatitude pairs: [[Double]]) throws(RouteError) -> [Coordinate] {
    var out: [Coordinate] = []
    out.reserveCapacity(pairs.count)
    for pair in pairs {
      guard pair.count >= 2,
        let place = try? Coordinate(latitude: pair[1], longitude: pair[0])
      else { throw .malformed("\(pair) is not a place") }
      out.append(place)
    }
    return out
  }

  /// Legs must add up to the total that the provider states beside them: within 1 % and 10.
  static func checkSum(
    _ parts: [Double], _ total: Double?, _ what: String
  ) throws(RouteError) {
    guard let total else { return }
    let sum = parts.reduce(0, +)
    guard total.isFinite, (sum - total).magnitude <= 10 + 0.01 * total.magnitude else {
      throw .implausible("the legs' \(what) is \(sum) and the route's \(total)")
    }
  }

  /// A provider's sentence, short and on one line.
  static func sentence(_ text: String?) -> String {
    String((text ?? "").prefix(200)).split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// A base address without the slashes at its end.
  static func base(_ url: String) -> String {
    var url = url
    while url.hasSuffix("/") { url.removeLast() }
    return url
  }
}
