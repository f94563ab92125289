import GeoMath

/// ISO well-known binary of a two-dimensional line string, little endian, as SpatiaLite's
/// `AsBinary(CastToXY(…))` writes it.
enum LineStringWKB {
  /// `nil` for anything else, or for places off the Earth.
  static func decode(_ bytes: [UInt8]) -> [Coordinate]? {
    guard bytes.count >= 9, bytes[0] == 1, word(bytes, 1) == 2 else { return nil }
    let count = Int(word(bytes, 5))
    guard bytes.count == 9 + 16 * count else { return nil }
    var out: [Coordinate] = []
    out.reserveCapacity(count)
    for index in 0..<count {
      let at = 9 + 16 * index
      guard
        let place = try? Coordinate(
          latitude: Double(bitPattern: long(bytes, at + 8)),
          longitude: Double(bitPattern: long(bytes, at)))
      else { return nil }
      out.append(place)
    }
    return out
  }

  static func encode(_ line: some Collection<Coordinate>) -> [UInt8] {
    var out: [UInt8] = [1, 2, 0, 0, 0]
    append(UInt64(line.count), bytes: 4, to: &out)
    for place in line {
      append(place.longitude.bitPattern, bytes: 8, to: &out)
      append(place.latitude.bitPattern, bytes: 8, to: &out)
    }
    return out
  }

  private static func append(_ value: UInt64, bytes: Int, to out: inout [UInt8]) {
    for index in 0..<bytes { out.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
  }

  private static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << UInt32(8 * $1) }
  }

  private static func long(_ bytes: [UInt8], _ at: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(bytes[at + $1]) << UInt64(8 * $1) }
  }
}
