/// Geohash (G. Niemeyer, 2008): a Morton code over degrees, longitude first, in base 32.
public struct Geohash: Hashable, Sendable {
  /// The first `bitCount` bits, left-aligned in 64: as the 64-bit integer geohash.
  public let bits: UInt64
  /// 1...60 for strings (5 a character), up to 64 for integers.
  public let bitCount: Int

  /// The cell of `characterCount` base-32 characters that holds a point.
  /// - Precondition: `characterCount` is 1...12.
  public init(_ coordinate: Coordinate, characterCount: Int = 12) {
    precondition((1...12).contains(characterCount), "a geohash has 1 to 12 characters")
    self.init(
      leading: Self.integer(latitude: coordinate.latitude, longitude: coordinate.longitude),
      bitCount: characterCount * 5)
  }

  /// The cell of the first `bitCount` bits of a 64-bit integer geohash.
  /// - Precondition: `bitCount` is 0...64.
  public init(integer: UInt64, bitCount: Int = 64) {
    precondition((0...64).contains(bitCount), "a geohash has 0 to 64 bits")
    self.init(leading: integer, bitCount: bitCount)
  }

  init(leading: UInt64, bitCount: Int) {
    bits = bitCount >= 64 ? leading : leading & ~(UInt64.max >> UInt64(bitCount))
    self.bitCount = bitCount
  }

  /// Decodes a string of 1 to 12 base-32 characters, either case.
  public init?(string: some StringProtocol) {
    let utf8 = string.utf8
    guard (1...12).contains(utf8.count) else { return nil }
    var bits: UInt64 = 0
    for byte in utf8 {
      guard let value = Self.value(of: byte) else { return nil }
      bits = bits << 5 | UInt64(value)
    }
    self.init(leading: bits << UInt64(64 - utf8.count * 5), bitCount: utf8.count * 5)
  }

  /// The 64-bit integer geohash: 32 bits of longitude and of latitude, longitude first.
  public static func integer(latitude: Double, longitude: Double) -> UInt64 {
    MortonCode.spread(fraction(latitude, of: 180))
      | MortonCode.spread(fraction(longitude, of: 360)) << 1
  }

  private static func fraction(_ degrees: Double, of span: Double) -> UInt32 {
    let value = (degrees + span / 2) / span * 4_294_967_296
    return value > 0 ? (value >= 4_294_967_295 ? .max : UInt32(value)) : 0
  }

  /// Base-32 text; its length is `bitCount / 5`.
  public var string: String {
    String(
      decoding: (0..<bitCount / 5).map { i in
        let digit: UInt64 = bits >> UInt64(59 - 5 * i) & 31
        return Self.alphabet[Int(digit)]
      }, as: UTF8.self)
  }

  /// Bits that tell the longitude: half of them, rounded up.
  public var longitudeBitCount: Int { (bitCount + 1) / 2 }
  /// Bits that tell the latitude: half of them, rounded down.
  public var latitudeBitCount: Int { bitCount / 2 }

  /// The cell's edges in degrees.
  public var bounds: GeoBox {
    let lonSize = 360 / Double(UInt64(1) << UInt64(longitudeBitCount))
    let latSize = 180 / Double(UInt64(1) << UInt64(latitudeBitCount))
    let west = Double(column) * lonSize - 180
    let south = Double(row) * latSize - 90
    return GeoBox(uncheckedWest: west, south: south, east: west + lonSize, north: south + latSize)
  }

  /// The cell's centre.
  public var center: Coordinate {
    let box = bounds
    return Coordinate(
      uncheckedLatitude: (box.south + box.north) / 2, longitude: (box.west + box.east) / 2)
  }

  private var column: UInt64 {
    UInt64(MortonCode.squash(bits >> 1)) >> UInt64(32 - longitudeBitCount)
  }
  private var row: UInt64 {
    UInt64(MortonCode.squash(bits)) >> UInt64(32 - latitudeBitCount)
  }

  /// The cell `columns` to the east and `rows` to the north; wraps at 180 degrees, `nil` past a
  /// pole.
  public func neighbor(columns: Int, rows: Int) -> Geohash? {
    let columnCount = Int64(1) << Int64(longitudeBitCount)
    let (newRow, overflow) = Int64(row).addingReportingOverflow(Int64(rows))
    guard !overflow && newRow >= 0 && newRow < Int64(1) << Int64(latitudeBitCount) else {
      return nil
    }
    var newColumn = (Int64(column) + Int64(columns) % columnCount) % columnCount
    if newColumn < 0 { newColumn += columnCount }
    let lon = UInt32(truncatingIfNeeded: newColumn << Int64(32 - longitudeBitCount))
    let lat = UInt32(truncatingIfNeeded: newRow << Int64(32 - latitudeBitCount))
    return Geohash(
      leading: MortonCode.spread(lat) | MortonCode.spread(lon) << 1, bitCount: bitCount)
  }

  /// Up to eight cells around this one, clockwise from north; fewer beside a pole.
  public var neighbors: [Geohash] {
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)].compactMap {
      neighbor(columns: $0.0, rows: $0.1)
    }
  }

  /// The most characters for which a cell and its eight neighbours cover a circle of
  /// `radiusMeters` around any point of the cell at this latitude; `nil` where none does.
  public static func characterCount(radiusMeters: Double, latitude: Double) -> Int? {
    guard radiusMeters >= 0 && radiusMeters.isFinite else { return nil }
    let polarEdge = latitude.magnitude + radiusMeters / 110_574
    guard polarEdge < 90 else { return nil }
    return (1...12).last { count in
      let lonSize = 360 / Double(UInt64(1) << UInt64((count * 5 + 1) / 2))
      let latSize = 180 / Double(UInt64(1) << UInt64(count * 5 / 2))
      guard polarEdge + latSize < 90 else { return false }
      // 110,574 m is the shortest degree of latitude; a degree of longitude is shortest at the
      // circle's edge nearest the pole. Both bounds are conservative.
      let metersPerLongitude =
        Coordinate(uncheckedLatitude: polarEdge, longitude: 0)
        .haversineMeters(to: Coordinate(uncheckedLatitude: polarEdge, longitude: 1))
        * HaversineBounds.minimumRatio
      return latSize * 110_574 >= radiusMeters && lonSize * metersPerLongitude >= radiusMeters
    }
  }

  static let alphabet = Array("0123456789bcdefghjkmnpqrstuvwxyz".utf8)

  private static func value(of byte: UInt8) -> UInt8? {
    let lower = (65...90).contains(byte) ? byte + 32 : byte
    return alphabet.firstIndex(of: lower).map(UInt8.init)
  }
}
