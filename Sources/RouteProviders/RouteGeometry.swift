import GeoMath
import RoutePlanning

/// A line as engines send it: GeoJSON or an encoded polyline of six decimals.
enum RouteGeometry: Decodable {
  case encoded(String)
  case line([[Double]])

  private enum Key: CodingKey { case coordinates }

  init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      self = .encoded(text)
    } else {
      self = .line(
        try decoder.container(keyedBy: Key.self).decode([[Double]].self, forKey: .coordinates))
    }
  }

  func path() throws(RouteError) -> [Coordinate] {
    switch self {
    case .line(let pairs):
      return try DialectParsing.coordinates(longitudeLatitude: pairs)
    case .encoded(let text):
      guard let path = EncodedPolyline.decode(text) else {
        throw .malformed("the geometry is not a polyline of six decimals")
      }
      return path
    }
  }
}
