import Foundation
import GeoMath
package import Places
package import RoutePlanning

/// How one provider is asked for places and understood: pure, so that recorded answers test it.
package protocol PlaceDialect: Sendable {
  var source: PlaceSource { get }
  /// Questions for places by name or address, asked in order until one has an answer; at least one.
  func searches(_ search: PlaceSearch) -> [PlaceExchange]
  /// The question for what is at a position.
  func reverse(_ question: ReversePlaceSearch) -> PlaceExchange
}

/// A request for places and how its answer is read.
package struct PlaceExchange: Sendable {
  /// Providers of places fail as those of routes do.
  package typealias Failure = RouteError

  package let exchange: RouteExchange
  /// Reads an answer of status 200...299; empty where nothing was found.
  package let read: @Sendable (RouteReply) throws(Failure) -> [Place]

  package init(
    _ url: String, headers: [RouteExchange.Header] = [],
    read: @escaping @Sendable (RouteReply) throws(Failure) -> [Place]
  ) {
    exchange = RouteExchange(url: url, headers: headers)
    self.read = read
  }
}

/// What the dialects of places share.
enum PlaceParsing {
  /// A query string of names and values, each value percent-encoded to its last byte.
  static func query(_ parts: [(String, String?)]) -> String {
    parts.compactMap { name, value in value.map { "\(name)=\(encoded($0))" } }
      .joined(separator: "&")
  }

  private static func encoded(_ text: String) -> String {
    var out = ""
    for byte in text.utf8 {
      switch byte {
      case 48...57, 65...90, 97...122, 45, 46, 95, 126:
        out.unicodeScalars.append(Unicode.Scalar(byte))
      default: out += String(format: "%%%02X", byte)
      }
    }
    return out
  }

  /// Six decimals (11 cm), never with an exponent.
  static func degrees(_ value: Double) -> String { String(format: "%.6f", value) }

  /// A place at a position given as text or numbers; nil where there is no such place on Earth, or
  /// no name.
  static func place(
    _ source: PlaceSource, id: String?, name: String?, address: String?, category: String?,
    latitude: Double?, longitude: Double?
  ) -> Place? {
    guard let name = text(name), let latitude, let longitude,
      let position = try? Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    return Place(
      id: text(id) ?? "\(degrees(latitude)),\(degrees(longitude))", name: name,
      address: text(address), category: text(category), position: position, source: source)
  }

  /// A provider's text: without white space around it, at most 500 characters, nil when empty.
  static func text(_ text: String?) -> String? {
    guard let text else { return nil }
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines).prefix(500)
    return trimmed.isEmpty ? nil : String(trimmed)
  }

  /// Parts with something in them, in one line.
  static func joined(_ parts: [String?], by separator: String = " ") -> String? {
    text(parts.compactMap { text($0) }.joined(separator: separator))
  }
}
