import GeoMath
import MoyeoAPI
import ObjectModel

/// Points and questions of a load test: from files, or made by a seed.
struct BenchWorkload: Sendable {
  struct Point: Sendable {
    var id: String
    var latitude: Double
    var longitude: Double
    var tags: [String]
  }

  struct Query: Sendable {
    var latitude: Double
    var longitude: Double
    var limit: Int32?
    var radiusMeters: Double?
    var tags: [String] = []
  }

  var points: [Point]
  var queries: [Query]

  /// A metro: 48 Gaussian hot spots of 0.5-3 km, heavier ones first, in a box of 60 km around Seoul,
  /// and 20 % spread evenly; ids of 36 characters; tags that 10 %, 1 % and 0.1 % carry.
  static func generated(points count: Int, queries queryCount: Int, seed: UInt64) -> BenchWorkload {
    var draws = SplitMix64(seed: seed)
    let spots = (0..<48).map { rank in
      (
        latitude: 37.3 + 0.54 * draws.unit(), longitude: 126.65 + 0.68 * draws.unit(),
        deviation: (500 + 2500 * draws.unit()) / 111_000, weight: 1 / Double(rank + 1)
      )
    }
    let total = spots.reduce(0) { $0 + $1.weight }
    func place(_ draws: inout SplitMix64) -> (Double, Double) {
      if draws.unit() < 0.2 { return (37.3 + 0.54 * draws.unit(), 126.65 + 0.68 * draws.unit()) }
      var left = draws.unit() * total
      var spot = spots[0]
      for candidate in spots {
        spot = candidate
        left -= candidate.weight
        if left < 0 { break }
      }
      return (
        spot.latitude + spot.deviation * draws.normal(),
        spot.longitude + spot.deviation * 1.26 * draws.normal()
      )
    }
    let points = (0..<count).map { index in
      let (latitude, longitude) = place(&draws)
      var tags: [String] = []
      for (tag, share) in [("tenth", 0.1), ("hundredth", 0.01), ("thousandth", 0.001)]
      where draws.unit() < share {
        tags.append(tag)
      }
      return Point(id: id(index), latitude: latitude, longitude: longitude, tags: tags)
    }
    let queries = (0..<queryCount).map { _ in
      let (latitude, longitude) = place(&draws)
      return Query(latitude: latitude, longitude: longitude)
    }
    return BenchWorkload(points: points, queries: queries)
  }

  private static func id(_ index: Int) -> String {
    "bench000-0000-0000-0000-" + TimeText.padded(index, 12)
  }

  /// Points near which somebody asks, when only points were given.
  static func queries(near points: [Point], count: Int, seed: UInt64) -> [Query] {
    var draws = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      let point = points[draws.below(points.count)]
      return Query(
        latitude: max(-90, min(90, point.latitude + 0.002 * draws.normal())),
        longitude: Coordinate.wrappedLongitude(point.longitude + 0.002 * draws.normal()))
    }
  }

  /// Where point `index` is in its `round`-th report: about `stepMeters` from its place, in a
  /// direction drawn for that round. A pure function, so that any task may ask.
  func moved(_ index: Int, round: UInt64, stepMeters: Double) -> (Double, Double) {
    let point = points[index]
    var draws = SplitMix64(seed: UInt64(index) &* 0x9E37_79B9_7F4A_7C15 ^ round)
    let degrees = stepMeters / 111_195
    let scale = max(0.02, 1 - point.latitude.magnitude / 90)
    return (
      max(-90, min(90, point.latitude + degrees * (2 * draws.unit() - 1))),
      Coordinate.wrappedLongitude(point.longitude + degrees / scale * (2 * draws.unit() - 1))
    )
  }
}

extension SplitMix64 {
  /// A sum of twelve uniform draws: normal within +-6 deviations.
  mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + unit() } }
}
