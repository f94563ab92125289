import GeoMath
import ObjectModel
import PointClustering

/// SplitMix64 (S. Vigna).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
  /// Twelve uniform numbers (Irwin-Hall).
  mutating func gauss() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += unit() }
    return sum
  }
}

/// A synthetic Seoul: 48 Gaussian hot spots of 0.5-3 km in a 60 km box, heavier first, 20 % of the
/// points uniform.
struct CityPoints {
  static let latitude = 37.5665
  static let longitude = 126.978
  static let metersPerDegree = 111_195.0
  private let spots: [(x: Double, y: Double, spread: Double)]
  var random: SplitMix

  init(seed: UInt64) {
    var random = SplitMix(seed)
    spots = (0..<48).map { n in
      (
        (random.unit() - 0.5) * 50_000, (random.unit() - 0.5) * 50_000,
        500 + 2_500 * Double(n) / 47
      )
    }
    self.random = random
  }

  static func point(eastMeters x: Double, northMeters y: Double) -> MercatorPoint {
    // Cosine of the latitude: 0.7927.
    MercatorPoint(
      latitude: latitude + y / metersPerDegree,
      longitude: longitude + x / (metersPerDegree * 0.7927))
  }

  mutating func meters() -> (x: Double, y: Double) {
    if random.unit() < 0.2 {
      return ((random.unit() - 0.5) * 60_000, (random.unit() - 0.5) * 60_000)
    }
    // The minimum of two: earlier spots are heavier.
    let n = min(Int(random.next() % 48), Int(random.next() % 48))
    let spot = spots[n]
    return (spot.x + random.gauss() * spot.spread, spot.y + random.gauss() * spot.spread)
  }

  mutating func next() -> MercatorPoint {
    let (x, y) = meters()
    return Self.point(eastMeters: x, northMeters: y)
  }

  static func clusterPoints(_ count: Int, seed: UInt64) -> [ClusterPoint] {
    var city = CityPoints(seed: seed)
    return (0..<count).map { n -> ClusterPoint in
      ClusterPoint(
        rank: ObjectRank(high: StableHash.hash64("user-\(n)")), key: UInt64(n),
        position: city.next(),
        tagMask: UInt64(1) << UInt64(n % 64))
    }
  }

  static func worldPoints(_ count: Int, seed: UInt64) -> [ClusterPoint] {
    var random = SplitMix(seed)
    return (0..<count).map { n -> ClusterPoint in
      let bits = random.next()
      return ClusterPoint(
        rank: ObjectRank(high: StableHash.hash64("user-\(n)")), key: UInt64(n),
        position: MercatorPoint(
          x: UInt32(truncatingIfNeeded: bits), y: UInt32(truncatingIfNeeded: bits >> 32)))
    }
  }
}

/// A move of about `meters` in a random direction, in Mercator units of Seoul's latitude.
func moved(_ point: MercatorPoint, meters: Double, _ random: inout SplitMix) -> MercatorPoint {
  let units = meters / MercatorPoint.metersPerUnit(latitude: CityPoints.latitude)
  // A point on the unit circle by rejection: no trigonometry.
  var (dx, dy) = (0.0, 0.0)
  repeat {
    (dx, dy) = (random.unit() * 2 - 1, random.unit() * 2 - 1)
  } while dx * dx + dy * dy > 1 || dx * dx + dy * dy < 0.01
  let scale = units / (dx * dx + dy * dy).squareRoot()
  return MercatorPoint(
    x: point.x &+ UInt32(truncatingIfNeeded: Int(dx * scale)),
    y: point.y &+ UInt32(truncatingIfNeeded: Int(dy * scale)))
}
