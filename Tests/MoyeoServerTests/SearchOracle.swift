import Foundation
import GeoMath

/// An object as the test knows it.
struct PlacedObject: Sendable {
  var id: String
  var coordinate: Coordinate
  /// Normalised.
  var tags: [String]
  /// A column of the layer.
  var level: Double?
  /// Not a column.
  var score: Double?
  var name: String?
  var isHost: Bool?
  var observedAt: Int64
  /// `nil` never expires.
  var ttlSeconds: Int?

  /// RFC 3339 from whole numbers: a `Date` would lose the last millisecond.
  private static func text(of milliseconds: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(milliseconds / 1000))
    let fraction = String(milliseconds % 1000 + 1000).dropFirst()
    return date.formatted(Date.ISO8601FormatStyle(timeZone: .gmt)).dropLast() + ".\(fraction)Z"
  }

  func isLive(at now: Int64) -> Bool {
    ttlSeconds.map { observedAt + Int64($0) * 1000 > now } ?? true
  }

  /// A Report item.
  var json: String {
    var attributes: [String] = []
    if let level { attributes.append(#""level":\#(level)"#) }
    if let score { attributes.append(#""score":\#(score)"#) }
    if let name { attributes.append(#""name":"\#(name)""#) }
    if let isHost { attributes.append(#""isHost":\#(isHost)"#) }
    let time = Self.text(of: observedAt)
    let quotedTags = tags.map { "\"\($0)\"" }.joined(separator: ",")
    return #"{"id":"\#(id)","latitude":\#(coordinate.latitude),"#
      + #""longitude":\#(coordinate.longitude),"tags":[\#(quotedTags)],"#
      + #""attributes":{\#(attributes.joined(separator: ","))},"#
      + #""ttlSeconds":\#(ttlSeconds ?? 0),"observedAt":"\#(time)"}"#
  }
}

/// A condition of `where`.
struct OracleCondition: Sendable {
  enum Test: Sendable {
    case number(Double), text(String), flag(Bool), range(Double?, Double?)
  }
  let attribute: String
  let test: Test

  func holds(_ object: PlacedObject) -> Bool {
    let number = attribute == "level" ? object.level : attribute == "score" ? object.score : nil
    return switch test {
    case .number(let wanted): number == wanted
    case .text(let wanted): attribute == "name" && object.name == wanted
    case .flag(let wanted): attribute == "isHost" && object.isHost == wanted
    case .range(let low, let high):
      number.map { $0 >= (low ?? -.infinity) && $0 <= (high ?? .infinity) } ?? false
    }
  }

  var json: String {
    let rest =
      switch test {
      case .number(let value): #""equals":\#(value)"#
      case .text(let value): #""equals":"\#(value)""#
      case .flag(let value): #""equals":\#(value)"#
      case .range(let low, let high):
        [low.map { #""min":\#($0)"# }, high.map { #""max":\#($0)"# }].compactMap { $0 }
          .joined(separator: ",")
      }
    return #"{"attribute":"\#(attribute)",\#(rest)}"#
  }
}

/// A query with what the filter allows, answered by looking at every object.
struct OracleQuery: Sendable {
  enum Place: Sendable {
    case near(Coordinate, radiusMeters: Double?)
    case box(GeoBox)
    case polygon
  }

  var place: Place
  /// `within` of Nearby; the area of Within by polygon.
  var polygon: GeoPolygon?
  var tags: [String] = []
  var matchesAny = false
  var notTags: [String] = []
  var excludeIDs: [String] = []
  var conditions: [OracleCondition] = []
  var maxAgeSeconds: Double?
  var limit = 20

  struct Expected: Hashable, Sendable {
    let id: String
    /// Whole millimetres; `nil` for Within.
    let millimeters: Int64?
  }

  func passes(_ object: PlacedObject, now: Int64) -> Bool {
    guard object.isLive(at: now) else { return false }
    if let maxAgeSeconds, Double(now - object.observedAt) > maxAgeSeconds * 1000 { return false }
    if !tags.isEmpty {
      let carried = tags.filter(object.tags.contains).count
      guard matchesAny ? carried > 0 : carried == tags.count else { return false }
    }
    if notTags.contains(where: object.tags.contains) { return false }
    if excludeIDs.contains(object.id) { return false }
    guard conditions.allSatisfy({ $0.holds(object) }) else { return false }
    if let polygon, !polygon.contains(object.coordinate) { return false }
    if case .box(let box) = place, !box.contains(object.coordinate) { return false }
    return true
  }

  /// All that match, in order, without a limit.
  func answer(_ objects: [PlacedObject], now: Int64) -> [Expected] {
    let matching = objects.filter { passes($0, now: now) }
    guard case .near(let origin, let radius) = place else {
      let found = matching.map {
        Found(rank: MortonCode(MercatorPoint($0.coordinate)).rawValue, id: $0.id)
      }
      return found.sorted().map { Expected(id: $0.id, millimeters: nil) }
    }
    let measure = DistanceOrigin(origin)
    let found = matching.map { object in
      Found(
        rank: measure.millimeters(
          latitude: object.coordinate.latitude, longitude: object.coordinate.longitude),
        id: object.id)
    }
    let near = found.filter { one in radius.map { Double(one.rank) / 1000 <= $0 } ?? true }
    return near.sorted().map { Expected(id: $0.id, millimeters: $0.rank) }
  }

  /// An answer in the making: by rank, then by id.
  private struct Found<Rank: Comparable>: Comparable {
    let rank: Rank
    let id: String

    static func < (one: Found, other: Found) -> Bool {
      one.rank != other.rank
        ? one.rank < other.rank : one.id.utf8.lexicographicallyPrecedes(other.id.utf8)
    }
  }

  var call: String {
    if case .near = place { return "nearby" }
    return "within"
  }

  /// The fields of the request, each with its JSON text; lists as separate values.
  func fields(cursor: String?) -> [(name: String, values: [String], isList: Bool)] {
    var out: [(name: String, values: [String], isList: Bool)] = []
    func add(_ name: String, _ value: String?) {
      if let value { out.append((name, [value], false)) }
    }
    func add(_ name: String, list: [String]) {
      if !list.isEmpty { out.append((name, list, true)) }
    }
    switch place {
    case .near(let origin, let radius):
      add("latitude", "\(origin.latitude)")
      add("longitude", "\(origin.longitude)")
      add("radiusMeters", radius.map { "\($0)" })
    case .box(let box):
      add("west", "\(box.west)")
      add("south", "\(box.south)")
      add("east", "\(box.east)")
      add("north", "\(box.north)")
    case .polygon: break
    }
    if let polygon {
      let points = polygon.corners.map {
        #"{"latitude":\#($0.latitude),"longitude":\#($0.longitude)}"#
      }.joined(separator: ",")
      add(call == "nearby" ? "within" : "polygon", #"{"points":[\#(points)]}"#)
    }
    add("tags", list: tags.map { "\"\($0)\"" })
    if matchesAny { add("tagMatch", "\"any\"") }
    add("notTags", list: notTags.map { "\"\($0)\"" })
    add("excludeIds", list: excludeIDs.map { "\"\($0)\"" })
    add("where", list: conditions.map(\.json))
    add("maxAgeSeconds", maxAgeSeconds.map { "\($0)" })
    add("limit", "\(limit)")
    add("cursor", cursor.map { "\"\($0)\"" })
    return out
  }

  func body(cursor: String?) -> String {
    "{"
      + fields(cursor: cursor).map { field in
        let value =
          field.isList ? "[" + field.values.joined(separator: ",") + "]" : field.values[0]
        return "\"\(field.name)\":\(value)"
      }.joined(separator: ",") + "}"
  }

  func queryString(cursor: String?) -> String {
    var allowed = CharacterSet.alphanumerics
    allowed.insert(charactersIn: "-._~")
    return fields(cursor: cursor).flatMap { field in
      field.values.map { value in
        let plain = value.hasPrefix("\"") ? String(value.dropFirst().dropLast()) : value
        return field.name + "="
          + (plain.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")
      }
    }.joined(separator: "&")
  }
}
