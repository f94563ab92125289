import GeoMath
import ObjectModel
import RoutePlanning

/// What ``FourHeads`` are asked by: where and when a rider would be met. Numbers stand four times, as they are
/// asked of four at once. An object, as calls would copy a value of this size.
final class HeadsQuestion: Sendable {
  typealias Four = SIMD4<Float>

  /// Where the rider stands, and where they get out.
  let place: FourPoints
  let drop: FourPoints
  /// Between the two through the Earth, less the rounding.
  let direct: Four
  /// The longest walk from the place.
  let walk: Four
  /// How far beside a path it must be that none is of use.
  let reach: Four
  /// The longest line through the Earth of the rider's own ride.
  let ownBudget: Four
  /// By the square of a piece's length: how far it is from the straight line through the Earth at most, as it
  /// bends with the Earth and is straight by degrees.
  let bendPerSquare: Float
  /// The second from which times count, and those that are so far from it that all beyond are alike.
  let zero: Int32
  let earliest: Int32
  let latest: Int32
  /// From there to the window's start, to its end, and to now.
  let from: Float
  let through: Float
  let now: Float
  /// Of any taxi; nil where one is not known.
  let travel: AnyTravel?

  /// Lines through the Earth as roads of any profile, and the factors of the hours in which taxis come.
  struct AnyTravel: Sendable {
    var lines: ChordBounds
    var bounds: TravelBounds
    var factors: ClosedRange<Double>
  }

  init(
    place: SIMD3<Float>, drop: SIMD3<Float>, direct: Float, walk: Float, reach: Float,
    ownBudget: Float, bendPerSquare: Float, window: DepartureWindow, now: Instant,
    travel: AnyTravel?
  ) {
    self.place = FourPoints(all: place)
    self.drop = FourPoints(all: drop)
    self.direct = Four(repeating: direct - CorridorRow.marginMeters)
    self.walk = Four(repeating: walk)
    self.reach = Four(repeating: reach)
    self.ownBudget = Four(repeating: ownBudget)
    self.bendPerSquare = bendPerSquare
    self.travel = travel
    let seconds = window.start.milliseconds / 1000
    let zero = Int32(clamping: seconds)
    self.zero = zero
    earliest = Int32(clamping: Int64(zero) - Self.farSeconds)
    latest = Int32(clamping: Int64(zero) + Self.farSeconds)
    func since(_ moment: Instant) -> Double {
      Double(moment.milliseconds) / 1000 - Double(zero)
    }
    from = Float(since(window.start)).nextDown
    through = Float(since(window.end)).nextUp
    self.now = Float(since(now)).nextDown
  }

  private static let farSeconds: Int64 = 1 << 30

  /// How long a taxi takes over lines through the Earth to where the rider may be met, seconds.
  @inline(__always)
  func arrivals(_ chords: SIMD4<Float>) -> (least: SIMD4<Float>, most: SIMD4<Float>) {
    guard let travel else { return (.zero, SIMD4(repeating: .infinity)) }
    let straight = travel.lines.straight(chords, walk: walk)
    let four = travel.bounds.travel(leastMeters: straight.least, mostMeters: straight.most)
    return (
      four.leastSeconds / Float(travel.factors.upperBound),
      four.mostSeconds / Float(travel.factors.lowerBound)
    )
  }
}
