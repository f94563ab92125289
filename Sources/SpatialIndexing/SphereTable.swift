import GeoMath

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Sines and cosines of Mercator columns and rows, for bounds: a table of 4,096 steps and a short
/// series between them. Its error is below 1e-9.
@safe struct SphereTable: @unchecked Sendable {
  // Sendable: the table is written once, before it is shared.

  struct Trigonometry: BitwiseCopyable {
    var sine: Double
    var cosine: Double
  }

  private static let steps = 4096
  private static let shift: UInt32 = 20
  /// The radians of a unit of column, or of Mercator's ordinate of a row.
  private static let unit = 2 * Double.pi / 4_294_967_296

  /// The values at the middle of each step.
  private let rows: UnsafeMutablePointer<Trigonometry>
  private let columns: UnsafeMutablePointer<Trigonometry>

  static let shared = SphereTable()

  private init() {
    unsafe rows = .allocate(capacity: Self.steps)
    unsafe columns = .allocate(capacity: Self.steps)
    for i in 0..<Self.steps {
      let middle = (Double(i) + 0.5) / Double(Self.steps)
      let ordinate = (0.5 - middle) * 2 * .pi
      unsafe rows[i] = Trigonometry(sine: tanh(ordinate), cosine: 1 / cosh(ordinate))
      let turn = middle * 2 * .pi
      unsafe columns[i] = Trigonometry(sine: sin(turn), cosine: cos(turn))
    }
  }

  /// Returns the radians from the middle of a coordinate's step to the coordinate.
  @inline(__always)
  private static func offset(_ coordinate: UInt32) -> Double {
    Double(Int32(truncatingIfNeeded: coordinate & (1 << shift - 1)) - 1 << (shift - 1)) * unit
  }

  /// Returns the sine and cosine of the latitude of a row's northern edge.
  @inline(__always)
  func row(_ y: UInt32) -> Trigonometry {
    let at = unsafe rows[Int(y >> Self.shift)]
    // tanh' = sech^2 and sech' = -sech tanh; the ordinate falls as y grows.
    let d = -Self.offset(y)
    let square = at.cosine * at.cosine
    let sine = at.sine + d * square * (1 - d * at.sine)
    let cosine = at.cosine * (1 - d * at.sine + d * d * (0.5 - square))
    return Trigonometry(sine: sine, cosine: cosine)
  }

  /// Returns the sine and cosine of the longitude that is so many units of column from 0.
  @inline(__always)
  func column(_ x: UInt32) -> Trigonometry {
    let at = unsafe columns[Int(x >> Self.shift)]
    let d = Self.offset(x)
    let even = 1 - d * d * 0.5
    let odd = d * (1 - d * d * (1.0 / 6))
    return Trigonometry(
      sine: at.sine * even + at.cosine * odd, cosine: at.cosine * even - at.sine * odd)
  }
}

/// Squared chords of the unit sphere from one origin: lower bounds for cells, and close values for
/// points.
struct ChordBounds {
  private let x: UInt32
  private let sine: Double
  private let cosine: Double
  private let table = SphereTable.shared

  /// The greatest error of a chord from the table and from rounding rows and columns: 3 cm.
  static let slack = 5e-9

  init(latitude: Double, longitude: Double, center: MercatorPoint) {
    x = center.x
    sine = sin(latitude * (.pi / 180))
    cosine = cos(latitude * (.pi / 180))
  }

  /// Returns the square that everything within some millimetres, by the distance function, stays
  /// below.
  static func square(within millimeters: Int64) -> Double {
    guard millimeters < 40_000_000_000 else { return 5 }
    let angle = HaversineBounds.maximumAngle(radiusMeters: Double(millimeters + 1) / 1000)
    guard angle < 3.1 else { return 5 }
    let chord = 2 * sin(angle / 2) * (1 + 1e-9) + slack
    return chord * chord
  }

  /// Returns the squared chord to a point.
  ///
  /// - Precondition: The point's row is not clamped.
  @inline(__always)
  func square(x px: UInt32, y py: UInt32) -> Double {
    let row = table.row(py)
    let column = table.column(px &- x)
    let a = row.cosine * column.cosine - cosine
    let b = row.cosine * column.sine
    let c = row.sine - sine
    return a * a + b * b + c * c
  }

  /// Returns a lower bound of the squared chords to the points of a cell of `side` units (up to
  /// 2^32).
  func least(x cx: UInt32, y cy: UInt32, side: UInt64) -> Double {
    // Clamped rows reach the poles.
    let north = cy == 0 ? SphereTable.Trigonometry(sine: 1, cosine: 0) : table.row(cy)
    let bottom = UInt64(cy) + side
    let south =
      bottom > UInt64(UInt32.max)
      ? SphereTable.Trigonometry(sine: -1, cosine: 0) : table.row(UInt32(bottom))
    let last = UInt32(truncatingIfNeeded: side - 1)
    if side > UInt64(UInt32.max) || x &- cx <= last {
      // The cell is straight north or south of the origin, or holds it.
      if sine > north.sine { return Self.square(north, sine, cosine) }
      if sine < south.sine { return Self.square(south, sine, cosine) }
      return 0
    }
    let toWest = min(cx &- x, x &- cx)
    let toEast = min(cx &+ last &+ 1 &- x, x &- (cx &+ last &+ 1))
    let meridian = table.column(min(toWest, toEast))
    // The cosine of the angle to a point of that meridian at latitude b is a sin b + c cos b.
    let c = cosine * meridian.cosine
    if c > 0 && sine * south.cosine - c * south.sine > -1e-8
      && sine * north.cosine - c * north.sine < 1e-8
    {
      // Its greatest value is between the edges: 2 - 2 sqrt(1 - q), written without the
      // cancellation.
      let q = cosine * cosine * meridian.sine * meridian.sine
      return 2 * q / (1 + max(0, 1 - q).squareRoot())
    }
    return min(onMeridian(north, meridian), onMeridian(south, meridian))
  }

  @inline(__always)
  private func onMeridian(
    _ row: SphereTable.Trigonometry, _ meridian: SphereTable.Trigonometry
  ) -> Double {
    let a = row.cosine * meridian.cosine - cosine
    let b = row.cosine * meridian.sine
    let c = row.sine - sine
    return a * a + b * b + c * c
  }

  @inline(__always)
  private static func square(
    _ row: SphereTable.Trigonometry, _ sine: Double, _ cosine: Double
  ) -> Double {
    let a = row.cosine - cosine
    let c = row.sine - sine
    return a * a + c * c
  }
}
