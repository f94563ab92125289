import GeoMath

/// SpatiaLite's BLOB of a two-dimensional point in WGS 84, made and read without SpatiaLite
/// (https://www.gaia-gis.it/gaia-sins/BLOB-Geometry.html).
/// ```
/// 00 | 01 | SRID 4 | min x, min y, max x, max y 8 each | 7C | class 4 | x 8 | y 8 | FE
/// ```
enum PointBlob {
  static let byteCount = 60
  static let srid: UInt64 = 4326

  static func encode(_ place: Coordinate) -> [UInt8] {
    var out: [UInt8] = [0x00, 0x01]
    out.reserveCapacity(byteCount)
    let x = place.longitude.bitPattern
    let y = place.latitude.bitPattern
    append(srid, bytes: 4, to: &out)
    for word in [x, y, x, y] { append(word, bytes: 8, to: &out) }
    out.append(0x7C)
    append(1, bytes: 4, to: &out)
    append(x, bytes: 8, to: &out)
    append(y, bytes: 8, to: &out)
    out.append(0xFE)
    return out
  }

  /// `nil` for anything else, or for places off the Earth.
  static func decode(_ bytes: [UInt8]) -> Coordinate? {
    guard bytes.count == byteCount, bytes[0] == 0, bytes[1] == 1, bytes[38] == 0x7C,
      bytes[39] == 1, bytes[40] == 0, bytes[41] == 0, bytes[42] == 0, bytes[59] == 0xFE
    else { return nil }
    return try? Coordinate(
      latitude: Double(bitPattern: long(bytes, 51)),
      longitude: Double(bitPattern: long(bytes, 43)))
  }

  static func append(_ value: UInt64, bytes: Int, to out: inout [UInt8]) {
    for index in 0..<bytes { out.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
  }

  private static func long(_ bytes: [UInt8], _ at: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(bytes[at + $1]) << UInt64(8 * $1) }
  }
}
