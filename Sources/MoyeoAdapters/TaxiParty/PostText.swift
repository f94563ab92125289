package import GeoMath
package import ObjectModel
import WireFormat

/// Why the text of a post's field cannot be read.
package enum PostTextError: Error, Hashable, Sendable {
  /// Not `name,lng,lat`.
  case notAPlace
  /// Not a longitude from -180 to 180.
  case longitudeOutOfRange
  /// Not a latitude from -90 to 90.
  case latitudeOutOfRange
  /// 0, 0, which a failed geocode leaves.
  case nullIsland
  /// Not `yyyy-MM-dd HH:mm:ss Z`.
  case notATime
}

/// The strings in which the taxi-party app keeps places and times.
package enum PostText {
  /// UTF-8 bytes of a place's name.
  static let nameBytes = 512

  /// A place as `name,lng,lat`: read from the right, because a name may hold commas.
  package static func place(
    _ text: String
  ) throws(PostTextError) -> (name: String, coordinate: Coordinate) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count >= 3 else { throw .notAPlace }
    let name = parts.dropLast(2).joined(separator: ",")
    guard name.utf8.count <= nameBytes else { throw .notAPlace }
    return (
      name, try coordinate(longitude: parts[parts.count - 2], latitude: parts[parts.count - 1])
    )
  }

  /// A place as `lng,lat`; what follows a further comma is a provider's own.
  package static func longitudeLatitude(_ text: String) throws(PostTextError) -> Coordinate {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count >= 2 else { throw .notAPlace }
    return try coordinate(longitude: parts[0], latitude: parts[1])
  }

  private static func coordinate(
    longitude: Substring, latitude: Substring
  ) throws(PostTextError) -> Coordinate {
    guard let longitude = FormBody.number(trimmed(longitude)),
      let latitude = FormBody.number(trimmed(latitude))
    else { throw .notAPlace }
    let place: Coordinate
    do throws(CoordinateError) {
      place = try Coordinate(latitude: latitude, longitude: longitude)
    } catch {
      switch error {
      case .latitudeOutOfRange: throw .latitudeOutOfRange
      case .longitudeOutOfRange: throw .longitudeOutOfRange
      }
    }
    guard !place.isNullIsland else { throw .nullIsland }
    return place
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }

  package static func text(name: String, _ place: Coordinate) -> String {
    var out = Array(name.utf8)
    for value in [place.longitude, place.latitude] {
      out.append(UInt8(ascii: ","))
      JSONText.append(value, to: &out)
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// A departure as `yyyy-MM-dd HH:mm:ss Z`, the zone as `+0900`, `+09:00`, `Z`, `UTC` or `GMT`; RFC
  /// 3339 is read too.
  package static func time(_ text: String) throws(PostTextError) -> Instant {
    if text.utf8.count <= 64 {
      if let time = RFC3339.parse(text) { return time }
      let parts = text.split(separator: " ")
      if parts.count == 3, let zone = zone(parts[2]),
        let time = RFC3339.parse("\(parts[0])T\(parts[1])\(zone)")
      {
        return time
      }
    }
    throw .notATime
  }

  /// A zone as RFC 3339 writes it.
  private static func zone(_ text: Substring) -> String? {
    if text == "Z" || text == "UTC" || text == "GMT" { return "Z" }
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    let digits = text.dropFirst()
    if digits.count == 4, digits.allSatisfy(\.isASCII) {
      return "\(sign)\(digits.prefix(2)):\(digits.suffix(2))"
    }
    return String(text)
  }

  /// A departure in the form of the app, at an offset from UTC in whole minutes.
  package static func text(_ time: Instant, offsetSeconds: Int) -> String {
    let minutes = abs(offsetSeconds) / 60
    let seconds = (offsetSeconds < 0 ? -1 : 1) * minutes * 60
    let local = RFC3339.utc(
      Instant(milliseconds: (time.milliseconds / 1000 + Int64(seconds)) * 1000))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(local.prefix(10)) \(local.dropFirst(11).prefix(8)) "
      + "\(offsetSeconds < 0 ? "-" : "+")\(two(minutes / 60))\(two(minutes % 60))"
  }
}
