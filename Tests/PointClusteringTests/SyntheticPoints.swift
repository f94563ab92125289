import GeoMath
import ObjectModel

@testable import PointClustering

extension SplitMix64 {
  /// Near enough to normal: twelve uniform numbers (Irwin-Hall).
  mutating func gauss() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += unit() }
    return sum
  }
}

enum Layout: String, CaseIterable, Sendable {
  case city, world, seam, grid, onePlace, poles, line
}

func point(_ layout: Layout, _ random: inout SplitMix64) -> MercatorPoint {
  switch layout {
  case .city:
    if random.unit() < 0.2 {
      return MercatorPoint(
        latitude: 37.3 + random.unit() * 0.5, longitude: 126.7 + random.unit() * 0.6)
    }
    let spot = Double(Int.random(in: 0..<12, using: &random))
    let spread = 0.004 + spot * 0.002
    return MercatorPoint(
      latitude: 37.35 + 0.03 * spot + random.gauss() * spread,
      longitude: 126.8 + 0.07 * (spot * 5).truncatingRemainder(dividingBy: 7)
        + random.gauss() * spread)
  case .world:
    return MercatorPoint(
      x: UInt32.random(in: 0...(.max), using: &random),
      y: UInt32.random(in: 0...(.max), using: &random))
  case .seam:
    let offset = UInt32(truncatingIfNeeded: Int(random.gauss() * 20_000_000))
    return MercatorPoint(
      x: offset, y: UInt32(2_000_000_000 + Int(random.gauss() * 20_000_000)))
  case .grid:
    return MercatorPoint(
      x: 3_000_000_000 + UInt32.random(in: 0..<40, using: &random) * 1_024,
      y: 1_000_000_000 + UInt32.random(in: 0..<40, using: &random) * 1_024)
  case .onePlace:
    return MercatorPoint(x: 77_777_777, y: 88_888_888)
  case .poles:
    return MercatorPoint(
      x: UInt32.random(in: 0...(.max), using: &random),
      y: Bool.random(using: &random)
        ? UInt32.random(in: 0...3_000_000, using: &random)
        : UInt32.max - UInt32.random(in: 0...3_000_000, using: &random))
  case .line:
    return MercatorPoint(
      x: UInt32.random(in: 0...(.max), using: &random), y: 1_500_000_000)
  }
}

func points(_ layout: Layout, _ count: Int, seed: UInt64) -> [ClusterPoint] {
  var random = SplitMix64(seed: seed)
  return (0..<count).map { n -> ClusterPoint in
    let contribution = ClusterContribution(
      seatsFree: Int32(n % 4), earliestDeparture: Int64(n * 37 % 1_000),
      lowestFarePerPerson: Int64(n * 53 % 5_000))
    let hash = StableHash.hash64("object-\(seed)-\(n)")
    return ClusterPoint(
      rank: ObjectRank(high: hash), key: UInt64(n), position: point(layout, &random),
      tagMask: UInt64(1) << UInt64(n % 7), contribution: contribution)
  }
}
