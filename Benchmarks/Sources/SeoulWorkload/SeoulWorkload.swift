import Glibc

/// SplitMix64 (S. Vigna), so that a workload is the same on every machine.
public struct WorkloadGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  /// 0..<1.
  public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Standard normal (G. E. P. Box, M. E. Muller).
  public mutating func normal() -> Double {
    let radius = (-2 * log(1 - unit())).squareRoot()
    return radius * cos(2 * .pi * unit())
  }
}

public struct Place: Sendable {
  public var latitude: Double
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A synthetic Seoul metro: 48 Gaussian hot spots of 0.5-3 km in a 60 km box, heavier first, and
/// 20 % uniform background. Everything follows from the seed.
public struct SeoulWorkload: Sendable {
  public static let center = Place(latitude: 37.5665, longitude: 126.978)
  /// Degrees of a kilometre at the centre.
  static let latitudePerKilometer = 1 / 110.99
  static let longitudePerKilometer = 1 / 88.33

  struct HotSpot: Sendable {
    var east: Double
    var north: Double
    var sigma: Double
    var weightUpTo: Double
  }

  let hotSpots: [HotSpot]

  public init(seed: UInt64 = 1) {
    var g = WorkloadGenerator(seed: seed)
    var spots: [HotSpot] = []
    var total = 0.0
    for i in 0..<48 {
      total += 1 / Double(i + 1).squareRoot()
      spots.append(
        HotSpot(
          east: g.unit() * 50 - 25, north: g.unit() * 50 - 25, sigma: 0.5 + 2.5 * g.unit(),
          weightUpTo: total))
    }
    for i in spots.indices { spots[i].weightUpTo /= total }
    hotSpots = spots
  }

  func place(_ g: inout WorkloadGenerator) -> Place {
    var east = g.unit() * 60 - 30
    var north = g.unit() * 60 - 30
    if g.unit() >= 0.2 {
      let draw = g.unit()
      let spot = hotSpots.first { draw < $0.weightUpTo } ?? hotSpots[0]
      repeat {
        east = spot.east + spot.sigma * g.normal()
        north = spot.north + spot.sigma * g.normal()
      } while east.magnitude > 30 || north.magnitude > 30
    }
    return Self.place(east: east, north: north)
  }

  /// A place so many kilometres east and north of the centre.
  public static func place(east: Double, north: Double) -> Place {
    Place(
      latitude: center.latitude + north * latitudePerKilometer,
      longitude: center.longitude + east * longitudePerKilometer)
  }

  public func places(_ count: Int, seed: UInt64) -> [Place] {
    var g = WorkloadGenerator(seed: seed)
    return (0..<count).map { _ in place(&g) }
  }

  /// Uniform over the globe's surface.
  public static func worldPlaces(_ count: Int, seed: UInt64) -> [Place] {
    var g = WorkloadGenerator(seed: seed)
    return (0..<count).map { _ in
      Place(
        latitude: asin(2 * g.unit() - 1) * 180 / .pi, longitude: g.unit() * 360 - 180)
    }
  }

  /// `meters` from a place in a random direction.
  public static func moved(
    _ place: Place, meters: Double, _ g: inout WorkloadGenerator
  ) -> Place {
    let angle = 2 * .pi * g.unit()
    return Place(
      latitude: place.latitude + cos(angle) * meters / 1000 * latitudePerKilometer,
      longitude: place.longitude + sin(angle) * meters / 1000 * longitudePerKilometer)
  }

  /// The tags of object `i`: t10 on 10 %, t1 on 1 %, t01 on 0.1 %, independent of each other.
  public static func tags(_ i: Int) -> [String] {
    var g = WorkloadGenerator(seed: UInt64(i) &* 0x9E37_79B9 &+ 77)
    var tags: [String] = []
    if g.unit() < 0.1 { tags.append("t10") }
    if g.unit() < 0.01 { tags.append("t1") }
    if g.unit() < 0.001 { tags.append("t01") }
    return tags
  }

  /// A 36-byte id in the form of a UUID.
  public static func identifier(_ i: Int) -> String {
    var g = WorkloadGenerator(seed: UInt64(i) &+ 1_000_003)
    let digits = Array("0123456789abcdef".utf8)
    var bytes: [UInt8] = []
    for position in 0..<36 {
      if [8, 13, 18, 23].contains(position) {
        bytes.append(45)
      } else {
        bytes.append(digits[Int(g.next() >> 60)])
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
