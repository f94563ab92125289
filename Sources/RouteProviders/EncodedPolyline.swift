import GeoMath

/// Google's encoded polyline: differences, zigzag, five bits a character from `?` on.
/// OSRM and Valhalla use a precision of 6 decimals. It is thirty lines; a dependency would be more to
/// keep up with than they are.
enum EncodedPolyline {
  /// Reads the points of a line.
  ///
  /// - Parameters:
  ///   - text: The encoded line, ASCII.
  ///   - decimals: 5 or 6.
  ///   - maximumPoints: The longest line that is read.
  /// - Returns: `nil` for text that is cut off, holds other characters, leaves the Earth or has
  ///   more than `maximumPoints` points.
  static func decode(
    _ text: String, decimals: Int = 6, maximumPoints: Int = 200_000
  ) -> [Coordinate]? {
    let scale = decimals == 5 ? 1e5 : 1e6
    var points: [Coordinate] = []
    var bytes = text.utf8.makeIterator()
    var latitude: Int64 = 0
    var longitude: Int64 = 0
    while let first = bytes.next() {
      guard points.count < maximumPoints, let up = value(first, &bytes),
        let next = bytes.next(), let right = value(next, &bytes)
      else { return nil }
      // Safe: a value has at most 35 bits, and a sum that leaves the Earth ends the loop.
      latitude += up
      longitude += right
      guard
        let point = try? Coordinate(
          latitude: Double(latitude) / scale, longitude: Double(longitude) / scale)
      else { return nil }
      points.append(point)
    }
    return points
  }

  private static func value(
    _ first: UInt8, _ bytes: inout String.UTF8View.Iterator
  ) -> Int64? {
    var bits: Int64 = 0
    var shift: Int64 = 0
    var byte = first
    while true {
      guard (63...126).contains(byte), shift < 35 else { return nil }
      let chunk = Int64(byte) - 63
      bits |= (chunk & 31) << shift
      if chunk < 32 { return bits & 1 == 1 ? ~(bits >> 1) : bits >> 1 }
      shift += 5
      guard let next = bytes.next() else { return nil }
      byte = next
    }
  }
}
