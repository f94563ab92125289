import GeoMath
import ObjectModel
import TaxiFares

/// What rides cost at least by their lengths and their paces, at prices that stay as they are at some departure,
/// without call fee. Shared by all half hours in which the same prices hold: for pruning, never for answers.
final class FareAmounts: Sendable {
  struct Key: Hashable, Sendable {
    var tariff: ObjectIdentifier
    var isCalled: Bool
    var surcharges: UInt64
    /// Where steps are charged in proportion, rides are priced as far as the prices of the slot's start hold.
    var slot: ClosedRange<Instant>?

    init(_ meter: FareMeter, slot: ClosedRange<Instant>) {
      tariff = meter.tariff.identity
      isCalled = meter.isCalled
      surcharges = meter.surcharges
      self.slot = meter.isSteadyPriced ? nil : slot
    }
  }

  /// Of the roads, meters; rides longer than the last one cost no less.
  static let stepMeters: Float = 200
  static let roads = (0..<roadCount).map { Double($0) * Double(stepMeters) }
  private static let roadCount = 256
  /// The first pace is any; then they go in 32 even steps to each octave, so that one is found by the bits of a
  /// number, from 1/64 to 1/2 second a meter (230 and 7 km/h).
  private static let droppedBits: UInt32 = 18
  private static let firstPace = (1.0 / 64 as Float).bitPattern >> droppedBits
  private static let lastPace = (0.5 as Float).bitPattern >> droppedBits
  private static let paceCount = Int(lastPace - firstPace) + 2

  /// By pace, then by road: what a ride of at least that length and pace costs at least.
  private let amounts: [Float]

  /// - Parameters:
  ///   - meter: Of the departure.
  ///   - holdSeconds: How long its prices hold.
  /// - Complexity: 41,000 fares.
  init(_ meter: FareMeter, holdSeconds: Double) {
    var amounts: [Float] = []
    amounts.reserveCapacity(Self.paceCount * Self.roadCount)
    var slower = [Float](repeating: 0, count: Self.roadCount)
    for pace in 0..<Self.paceCount {
      let seconds =
        pace == 0 ? 0 : Float(bitPattern: (Self.firstPace + UInt32(pace) - 1) << Self.droppedBits)
      slower = Self.ascending(
        Self.roads.map { ($0, $0 * Double(seconds)) }, meter, holdSeconds: holdSeconds,
        from: slower)
      amounts += slower
    }
    self.amounts = amounts
  }

  /// What rides of ``roads`` cost at least.
  ///
  /// - Parameters:
  ///   - rides: Lengths and seconds, ascending.
  ///   - meter: Of the departure.
  ///   - holdSeconds: How long its prices hold.
  ///   - known: What each costs at least, as far as it is known.
  /// - Returns: By road, ascending; where no more is known, what a shorter ride costs.
  static func ascending(
    _ rides: [(meters: Double, seconds: Double)], _ meter: FareMeter, holdSeconds: Double,
    from known: [Float]? = nil
  ) -> [Float] {
    var least: Float = 0
    return rides.indices.map { i in
      // A little less, for the rounding of seconds.
      let (meters, seconds) = (rides[i].meters, rides[i].seconds * 0.999_999)
      var total = meter.unchanged(distanceMeters: meters, durationSeconds: seconds)
      if total == nil, seconds < holdSeconds {
        total = meter.expected(distanceMeters: meters, durationSeconds: seconds)
      }
      if let total { least = max(least, Float(total.amount - total.extras).nextDown) }
      if let known { least = max(least, known[i]) }
      return least
    }
  }

  /// Where the roads of rides are in tables by road.
  ///
  /// - Parameter roadMeters: At least.
  /// - Returns: Their places as of four numbers, for ``road(_:)``.
  @inline(__always)
  static func places(_ roadMeters: SIMD4<Float>) -> SIMD4<Float> {
    // What is exactly at a step may be below it but for single precision.
    (roadMeters * (0.999_999 / stepMeters)).orMore(.zero).places(through: roadCount - 1)
  }

  /// A place by its last bits.
  @inline(__always)
  static func road(_ place: Float) -> Int {
    Int(truncatingIfNeeded: place.bitPattern & UInt32(roadCount - 1))
  }

  /// What rides of at least so many meters and seconds cost at least.
  @inline(__always)
  func least(roadMeters: SIMD4<Float>, seconds: SIMD4<Float>) -> SIMD4<Float> {
    let places = Self.places(roadMeters)
    let meters = (places - SIMD4<Float>.wholeNumbers) * Self.stepMeters
    let paces = 0.999_999 * seconds / meters.orMore(SIMD4(repeating: 1))
    var found = SIMD4<Float>.zero
    for i in 0..<4 {
      let step = Int(truncatingIfNeeded: paces[i].bitPattern >> Self.droppedBits)
      let pace = max(0, min(step - Int(Self.firstPace) + 1, Self.paceCount - 1))
      found[i] = amounts[pace * Self.roadCount + Self.road(places[i])]
    }
    return found
  }
}
