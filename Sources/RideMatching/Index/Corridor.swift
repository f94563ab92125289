import GeoMath
import ObjectModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where a party can be boarded while one of its riders is aboard: the points from which the way by
/// them is no longer than that rider's longest ride. An ellipse around the rider's way, by straight
/// lines through the Earth, which are never longer than a road.
struct Corridor: Hashable, Sendable {
  /// Where the rider gets in and out.
  var from: SphereVector
  var to: SphereVector
  /// The longest way from the one to the other, through the Earth.
  var budgetMeters: Double

  /// A rounding of distances below it does no harm.
  private static let marginMeters = 0.05

  var lengthMeters: Double { from.chordMeters(to: to) }

  /// Half of the ellipse's width; nobody in it is further from the rider's straight way.
  var halfWidthMeters: Double {
    let over = budgetMeters - lengthMeters
    guard over > 0 else { return 0 }
    return 0.5 * (over * (over + 2 * lengthMeters)).squareRoot()
  }

  /// Discs that hold the ellipse: their middles on the rider's straight way and as far beyond as the
  /// ellipse goes, so far apart.
  ///
  /// - Parameters:
  ///   - apart: Meters between middles.
  ///   - body: Takes the middle and the radius of each, as an angle.
  func discs(apart: Double, _ body: (Coordinate, Double) -> Void) {
    let length = lengthMeters
    let reach = max(budgetMeters, length) / 2 + Self.marginMeters
    let width = halfWidthMeters + Self.marginMeters
    let count = max(1, Int((2 * reach / apart).rounded(.up)))
    let step = 2 * reach / Double(count)
    for i in 0..<count {
      let along = -reach + (Double(i) + 0.5) * step
      let inner = max(0, along.magnitude - step / 2) / reach
      let height = width * max(0, 1 - inner * inner).squareRoot()
      let radius = (step * step / 4 + height * height).squareRoot()
      let part = length > 0.01 ? 0.5 + along / length : 0.5
      let x = from.x + (to.x - from.x) * part
      let y = from.y + (to.y - from.y) * part
      let z = from.z + (to.z - from.z) * part
      let depth = (x * x + y * y + z * z).squareRoot()
      guard depth > 1000 else { continue }
      let outward = radius + (Earth.meanRadiusMeters - depth).magnitude
      // Where both ends are one place, the straight way has no direction: a disc of all.
      let all = length > 0.01 ? outward : outward + reach
      let middle = Coordinate(
        uncheckedLatitude: asin(max(-1, min(1, z / depth))) * (180 / .pi),
        longitude: atan2(y, x) * (180 / .pi))
      body(middle, 2 * asin(min(1, all / (2 * Earth.meanRadiusMeters))))
    }
  }
}
