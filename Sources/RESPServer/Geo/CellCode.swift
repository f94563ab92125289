#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The 52-bit codes by which Redis keeps places: longitude and latitude in 26 bits each, interleaved
/// with the latitude in the even bits. A place read from a code is the middle of its cell, which is
/// 0.6 m wide at the equator.
///
/// The limits, the order of the bits and the sphere are those of Redis's public documentation of
/// GEOADD, GEOHASH and GEODIST; `Tests/daemon/test_redis_door.py` compares every digit with a
/// redis-server.
enum CellCode {
  /// Web Mercator's end; places beyond have no code.
  static let maximumLatitude = 85.05112878
  static let maximumLongitude = 180.0
  /// The radius of the sphere on which Redis measures, in meters.
  static let sphereRadius = 6372797.560856
  /// Bits of each axis in the codes that are kept.
  static let steps = 26

  /// A place in degrees. Unlike `Coordinate` it may be the middle of a cell at the world's edge.
  struct Place: Hashable, Sendable {
    var longitude: Double
    var latitude: Double
  }

  /// The borders of a cell in degrees.
  struct Bounds: Hashable {
    var west: Double
    var east: Double
    var south: Double
    var north: Double
  }

  /// A code as a score holds it, and the place that it stands for: ``CellCode/place(_:)`` without taking
  /// the code apart again.
  struct ScoredPlace {
    let score: UInt64
    let place: Place

    /// `nil` beyond the limits.
    @inline(__always)
    init?(longitude: Double, latitude: Double) {
      guard hasCode(longitude: longitude, latitude: latitude) else { return nil }
      let (row, column) = CellCode.cell(longitude: longitude, latitude: latitude)
      if row | column < 1 << UInt32(steps) {
        score = interleaved(row: row, column: column)
        place = CellCode.place(row: row, column: column)
      } else {
        // At the very edge a row or column has 27 bits, which a double may round.
        score = UInt64(Double(interleaved(row: row, column: column)))
        place = CellCode.place(score)
      }
    }
  }

  static func hasCode(longitude: Double, latitude: Double) -> Bool {
    longitude >= -maximumLongitude && longitude <= maximumLongitude
      && latitude >= -maximumLatitude && latitude <= maximumLatitude
  }

  /// Returns the code of a place as a score holds it, which is a double; `nil` beyond the limits.
  static func score(longitude: Double, latitude: Double) -> UInt64? {
    ScoredPlace(longitude: longitude, latitude: latitude)?.score
  }

  /// Returns the code of a cell of so many steps. The place is within the limits.
  static func cell(
    longitude: Double, latitude: Double, steps: Int, latitudeLimit: Double = maximumLatitude
  ) -> UInt64 {
    let (row, column) = cell(
      longitude: longitude, latitude: latitude, cells: Double(UInt64(1) << UInt64(steps)),
      latitudeLimit: latitudeLimit)
    return interleaved(row: row, column: column)
  }

  /// Returns the row and column of a place within the limits among so many cells of each axis.
  @inline(__always)
  private static func cell(
    longitude: Double, latitude: Double, cells: Double = 0x1p26,
    latitudeLimit: Double = maximumLatitude
  ) -> (row: UInt32, column: UInt32) {
    (
      UInt32((latitude + latitudeLimit) / (2 * latitudeLimit) * cells),
      UInt32((longitude + maximumLongitude) / (2 * maximumLongitude) * cells)
    )
  }

  static func interleaved(row: UInt32, column: UInt32) -> UInt64 {
    spread(row) | spread(column) << 1
  }

  static func rowAndColumn(_ code: UInt64) -> (row: UInt32, column: UInt32) {
    (gathered(code), gathered(code >> 1))
  }

  /// Returns the borders of a cell.
  static func bounds(_ code: UInt64, steps: Int) -> Bounds {
    let (row, column) = rowAndColumn(code)
    return bounds(row: row, column: column, steps: steps)
  }

  @inline(__always)
  private static func bounds(row: UInt32, column: UInt32, steps: Int) -> Bounds {
    // A power of two, so that multiplying is as exact as dividing by the number of cells.
    let share = 1 / Double(UInt64(1) << UInt64(steps))
    let height = 2 * maximumLatitude
    let width = 2 * maximumLongitude
    return Bounds(
      west: -maximumLongitude + Double(column) * share * width,
      east: -maximumLongitude + (Double(column) + 1) * share * width,
      south: -maximumLatitude + Double(row) * share * height,
      north: -maximumLatitude + (Double(row) + 1) * share * height)
  }

  /// Returns the place that a score stands for: the middle of its cell, within the limits.
  static func place(_ score: UInt64) -> Place {
    let (row, column) = rowAndColumn(score)
    return place(row: row, column: column)
  }

  @inline(__always)
  private static func place(row: UInt32, column: UInt32) -> Place {
    let cell = bounds(row: row, column: column, steps: steps)
    let longitude = (cell.west + cell.east) / 2
    let latitude = (cell.south + cell.north) / 2
    return Place(
      longitude: min(max(longitude, -maximumLongitude), maximumLongitude),
      latitude: min(max(latitude, -maximumLatitude), maximumLatitude))
  }

  /// Returns the 11 characters of GEOHASH, which count latitudes to the poles. The last one is
  /// always 0, since 52 bits fill ten.
  static func geohash(_ place: Place) -> [UInt8] {
    let code = cell(
      longitude: place.longitude, latitude: place.latitude, steps: steps, latitudeLimit: 90)
    return (0..<11).map { i in
      let digit: UInt64 = i == 10 ? 0 : code >> UInt64(47 - 5 * i) & 31
      return alphabet[Int(digit)]
    }
  }

  private static let alphabet = Array("0123456789bcdefghjkmnpqrstuvwxyz".utf8)

  /// Returns the meters between two places on the sphere.
  static func distance(_ a: Place, _ b: Place) -> Double { Origin(a).distance(to: b) }

  /// A place from which many distances are measured, with what each of them needs of it.
  struct Origin: Hashable, Sendable {
    let place: Place
    private let longitude: Double
    private let latitude: Double
    private let cosine: Double
    private let sine: Double

    init(_ place: Place) {
      self.place = place
      longitude = radians(place.longitude)
      latitude = radians(place.latitude)
      cosine = cos(latitude)
      sine = sin(latitude)
    }

    /// Returns the meters to another place on the sphere.
    @inline(__always)
    func distance(to other: Place) -> Double {
      let halfLongitude = sin((radians(other.longitude) - longitude) / 2)
      if halfLongitude == 0 { return meridianDistance(place.latitude, other.latitude) }
      let north = radians(other.latitude)
      let halfLatitude = sin((north - latitude) / 2)
      let chord =
        halfLatitude * halfLatitude + cosine * cos(north) * halfLongitude * halfLongitude
      return 2 * sphereRadius * asin(chord.squareRoot())
    }

    /// By how much of itself ``nearDistance(to:)`` differs from ``distance(to:)`` at most.
    static let seriesError = 1e-13

    /// Returns the meters to another place as ``distance(to:)`` does, but for the last digits: the same
    /// formula with the first terms of each series, without a call of the library. The terms left out
    /// come to less than 10^-15 of the distance.
    ///
    /// - Returns: `nil` for a place on the meridian, and for one 0.006 radians or more to the north, south,
    ///   east or west, which are 38 km along a meridian.
    @inline(__always)
    func nearDistance(to other: Place) -> Double? {
      let east = (radians(other.longitude) - longitude) / 2
      let north = (radians(other.latitude) - latitude) / 2
      guard east != 0, abs(east) < 0.003, abs(north) < 0.003 else { return nil }
      let eastSquare = Self.squaredSine(east)
      let northSquare = Self.squaredSine(north)
      // The other cosine, from the sum of the two angles.
      let angle = 2 * north
      let bend = angle * angle
      let angleSine = angle * (1 - bend / 6 * (1 - bend / 20))
      let otherCosine = cosine * (1 - 2 * northSquare) - sine * angleSine
      let chord = northSquare + cosine * otherCosine * eastSquare
      return 2 * sphereRadius * chord.squareRoot() * (1 + chord * (1.0 / 6 + chord * (3.0 / 40)))
    }

    /// sin(x)^2 of an angle below 0.003.
    @inline(__always)
    private static func squaredSine(_ angle: Double) -> Double {
      let square = angle * angle
      return square * (1 - square * (1.0 / 3 - square * (2.0 / 45)))
    }
  }

  /// Returns the meters between two latitudes along a meridian.
  static func meridianDistance(_ a: Double, _ b: Double) -> Double {
    sphereRadius * abs(radians(b) - radians(a))
  }

  static func radians(_ degrees: Double) -> Double { degrees * (.pi / 180) }

  static func degrees(_ radians: Double) -> Double { radians / (.pi / 180) }

  /// Puts a zero bit above each bit.
  @inline(__always)
  private static func spread(_ bits: UInt32) -> UInt64 {
    var x = UInt64(bits)
    x = (x | x << 16) & 0x0000_FFFF_0000_FFFF
    x = (x | x << 8) & 0x00FF_00FF_00FF_00FF
    x = (x | x << 4) & 0x0F0F_0F0F_0F0F_0F0F
    x = (x | x << 2) & 0x3333_3333_3333_3333
    return (x | x << 1) & 0x5555_5555_5555_5555
  }

  /// Takes the even bits.
  private static func gathered(_ code: UInt64) -> UInt32 {
    var x = code & 0x5555_5555_5555_5555
    x = (x | x >> 1) & 0x3333_3333_3333_3333
    x = (x | x >> 2) & 0x0F0F_0F0F_0F0F_0F0F
    x = (x | x >> 4) & 0x00FF_00FF_00FF_00FF
    x = (x | x >> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: x | x >> 16)
  }
}
