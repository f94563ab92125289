import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// Bounds of the fares of all parties under one tariff that depart within one slot: for pruning, never
/// for answers. Fares grow with distance and with duration (``SlowTimeModel``), so that a ride costs no
/// less than a shorter and faster one.
final class FareBounds: Sendable {
  struct Key: Hashable, Sendable {
    var tariff: ObjectIdentifier
    var isCalled: Bool
    var profile: UInt8
    var slot: Int64
  }

  /// Of the roads for which fares are kept, meters; longer ones cost no less.
  private static let stepMeters: Float = 200
  private static let roads = 256
  /// Up to 4.4 times the fastest one.
  private static let paceSteps = 17
  private static let quarterSeconds = 900.0

  /// Of the rides, in the index.
  let profile: Int
  private let meter: FareMeter
  /// Of some party; only what the tariff says of areas counts.
  private let areaRules: AreaRules
  /// The least factor of any hour.
  private let slowest: Double
  /// Of the hours touched within so many quarters of an hour of any departure; the last one of all.
  private let factors: [ClosedRange<Double>]
  /// A ride that takes less, whenever it departs, ends before prices change.
  private let holdSeconds: Double
  /// What a ride costs that does not, as part of what it would cost at the departure's prices, at least.
  private let laterPart: Float
  /// By pace, then by road: what a ride of at least that length and that many seconds a meter costs at least
  /// without its call fee. First comes the fastest ride of each length, then paces of an eighth of an octave.
  private let amounts: [Float]
  private let paces: Int
  /// Seconds a meter of the second pace.
  private let firstPace: Float
  /// By road, what a meter of any ride of at most that length costs at least.
  private let leastPerMeter: [Float]

  /// - Parameters:
  ///   - ride: Some party of the key, for its tariff and its profile.
  ///   - number: The profile's, in the index.
  ///   - slot: When the parties depart, ends included.
  ///   - mindsPace: Whether amounts mind the pace of a ride: 16 KB, and worth it where many parties share them.
  init(
    _ ride: PreparedRide, profile number: UInt8, slot: ClosedRange<Instant>, mindsPace: Bool
  ) {
    let profile = ride.travel.profile
    let all = profile.hourFactorRange
    let slowest = all.lowerBound
    let meter = FareMeter(
      ride.meter.tariff, departure: slot.lowerBound, isCalled: ride.meter.isCalled)
    let factors =
      (1...8).map { quarter in
        profile.hourFactors(
          from: slot.lowerBound,
          through: slot.upperBound.advanced(
            milliseconds: Int64(Double(quarter) * Self.quarterSeconds * 1000) + 1000))
      } + [all]
    // A second for the rounding of moments.
    let holdSeconds =
      meter.pricesHoldUntil.map {
        Double($0.milliseconds(since: slot.upperBound)) / 1000 - 1
      } ?? .infinity
    func fastest(_ meters: Double) -> Double {
      let work = meters / profile.speed.values(0...meters).upperBound
      return Self.seconds(work...work, factors, slowest: slowest).lowerBound
    }
    let longest = Double(Self.roads - 1) * Double(Self.stepMeters)
    let firstPace = fastest(longest) / longest
    let paces = mindsPace ? 1 + Self.paceSteps : 1
    var amounts: [Float] = []
    var leastPerMeter: [Float] = []
    for pace in 0..<paces {
      var known: Float = 0
      for road in 0..<Self.roads {
        let meters = Double(road) * Double(Self.stepMeters)
        let seconds = pace == 0 ? fastest(meters) : meters * firstPace * Self.pace(pace)
        if pace > 0 { known = max(known, amounts[(pace - 1) * Self.roads + road]) }
        // A little less, for the rounding of seconds.
        if seconds < holdSeconds,
          let total = meter.expected(
            distanceMeters: meters, durationSeconds: seconds * 0.999_999)
        {
          known = max(known, Float(total.amount - total.extras).nextDown)
        }
        amounts.append(known)
      }
    }
    let laterPart = Self.laterPart(meter, slot, fastest)
    var perMeter = Float.infinity
    for road in 0..<Self.roads {
      let amount = amounts[road] * laterPart
      perMeter = min(perMeter, (amount / (Float(road + 1) * Self.stepMeters)).nextDown)
      leastPerMeter.append(perMeter)
    }
    self.profile = Int(number)
    self.slowest = slowest
    self.meter = meter
    self.factors = factors
    self.holdSeconds = holdSeconds
    self.laterPart = laterPart
    self.amounts = amounts
    self.paces = paces
    self.firstPace = Float(firstPace)
    self.leastPerMeter = leastPerMeter
    areaRules = ride.areaRules
  }

  /// The least price of any hours that a ride of a day may come to, by that of its departure.
  private static func laterPart(
    _ meter: FareMeter, _ slot: ClosedRange<Instant>, _ fastest: (Double) -> Double
  ) -> Float {
    var least = 1.0
    var edge = meter.pricesHoldUntil
    var edges = 0
    while let begins = edge, edges < mostEdges,
      begins.milliseconds(since: slot.upperBound) < 86_400_000
    {
      let later = FareMeter(meter.tariff, departure: begins, isCalled: meter.isCalled)
      for road in stride(from: 0, to: roads, by: 16) {
        let meters = Double(road) * Double(stepMeters)
        let seconds = min(fastest(meters), 600)
        guard
          let now = meter.expected(distanceMeters: meters, durationSeconds: seconds),
          let then = later.expected(distanceMeters: meters, durationSeconds: seconds)
        else { return 0 }
        let amount = Double(now.amount - now.extras)
        if amount > 0 { least = min(least, Double(then.amount - then.extras) / amount) }
      }
      edge = later.pricesHoldUntil
      edges += 1
    }
    // Amounts are rounded, which short rides show most.
    return edges < mostEdges ? Float(least * 0.99) : 0
  }

  private static let mostEdges = 8

  /// So many times the first pace: eighths of an octave, in even steps between its ends, so that one is
  /// found by the bits of a number.
  private static func pace(_ number: Int) -> Double {
    let (octave, eighth) = (number - 1).quotientAndRemainder(dividingBy: 8)
    return (1 + Double(eighth) / 8) * Double(1 << octave)
  }

  /// What rides of at least so many meters and seconds cost at least, without their call fees.
  ///
  /// - Parameters:
  ///   - roadMeters: At least.
  ///   - seconds: At least.
  ///   - most: Seconds that any of them takes at most.
  /// - Returns: By ride.
  @inline(__always)
  func leastAmounts(
    roadMeters: SIMD4<Float>, seconds: SIMD4<Float>, most: Float
  ) -> SIMD4<Float> {
    // What is exactly at a step may be below it but for single precision.
    let place = roadMeters * (0.999_999 / Self.stepMeters)
    let places = place.orMore(.zero).places(through: Self.roads - 1)
    let meters = (places - SIMD4<Float>.wholeNumbers) * Self.stepMeters
    let ratio = 0.999_999 * seconds / (meters * firstPace).orMore(SIMD4(repeating: 1))
    var found = SIMD4<Float>.zero
    for i in 0..<4 {
      let road = Int(truncatingIfNeeded: places[i].bitPattern & UInt32(Self.roads - 1))
      let eighths = Int(truncatingIfNeeded: ratio[i].bitPattern >> 20) - Self.eighthsOfOne
      found[i] = amounts[max(0, min(eighths + 1, paces - 1)) * Self.roads + road]
    }
    return Double(most) < holdSeconds ? found : found * laterPart
  }

  private static let eighthsOfOne = Int((1 as Float).bitPattern >> 20)

  /// What a meter of a ride of at most so many meters costs at least; 0 for rides beyond the table.
  @inline(__always)
  func leastAmountPerMeter(roadMeters: Double) -> Double {
    let place = roadMeters / Double(Self.stepMeters)
    guard place < Double(Self.roads - 1) else { return 0 }
    return Double(leastPerMeter[Int(max(0, place))])
  }

  /// What a direct ride from the departure on costs.
  ///
  /// - Parameters:
  ///   - roadMeters: The least and the greatest length.
  ///   - secondsAtFactorOne: The least and the greatest time in an hour of factor 1.
  ///   - ends: Where it begins and ends.
  ///   - isNear: Whether it begins somewhere near there only.
  /// - Returns: Bounds, infinite above where prices change meanwhile; nil where the price may be flat.
  func soloFares(
    roadMeters: ClosedRange<Double>, secondsAtFactorOne: ClosedRange<Double>, _ ends: Ends,
    isNear: Bool
  ) -> ClosedRange<Double>? {
    var outside: Double?
    if isNear {
      if areaRules.mayBeFlat(to: ends.dropAreas) { return nil }
      if areaRules.isOutside(ends.dropAreas) { outside = 0 }
    } else {
      let facts = areaRules.seen(from: ends.place, ends.placeAreas)
        .facts(ends.drop, ends.dropAreas)
      if facts.flat != nil { return nil }
      if facts.isOutside { outside = facts.edgeShare * roadMeters.upperBound }
    }
    let seconds = Self.seconds(secondsAtFactorOne, factors, slowest: slowest)
    var fares = (least: 0.0, most: Double.infinity)
    if seconds.lowerBound < holdSeconds,
      let total = meter.expected(
        distanceMeters: roadMeters.lowerBound, durationSeconds: seconds.lowerBound)
    {
      fares.least = Double(total.amount)
    }
    if seconds.upperBound < holdSeconds,
      let total = meter.expected(
        distanceMeters: roadMeters.upperBound, durationSeconds: seconds.upperBound,
        outOfAreaFromMeters: outside)
    {
      fares.most = max(fares.least, Double(total.amount))
    }
    return fares.least...fares.most
  }

  /// The ends of a direct ride.
  struct Ends {
    var place: Coordinate
    var placeAreas: PlaceAreas
    var drop: Coordinate
    var dropAreas: PlaceAreas
  }

  /// The factors of the hours that a ride from the departure on may touch which takes so many seconds at
  /// most in an hour of factor 1.
  @inline(__always)
  func touched(secondsAtFactorOne: Float) -> ClosedRange<Double> {
    let quarter = Double(secondsAtFactorOne) / (slowest * Self.quarterSeconds) + 1e-6
    return factors[Int(min(quarter, Double(factors.count - 1)))]
  }

  @inline(__always)
  private static func seconds(
    _ work: ClosedRange<Double>, _ factors: [ClosedRange<Double>], slowest: Double
  ) -> ClosedRange<Double> {
    let quarter = work.upperBound / slowest / quarterSeconds
    let touched = factors[Int(min(quarter, Double(factors.count - 1)))]
    return work.lowerBound / touched.upperBound * 0.999_999_999...work.upperBound
      / touched.lowerBound * 1.000_000_001
  }
}

/// The fare bounds of the parties of an index, each as long as one of them needs it.
struct FareBoundsTable: Sendable {
  /// What a party without bounds has.
  static let none = UInt32.max

  private var numbers: [FareBounds.Key: UInt32] = [:]
  /// By number; nil where none has it.
  private(set) var bounds: [FareBounds?] = []
  private var users: [(key: FareBounds.Key, count: Int)] = []
  private var free: [UInt32] = []

  /// From so many parties on amounts mind the pace of a ride.
  private static let many = 16

  /// Finds bounds for one more party.
  ///
  /// - Parameters:
  ///   - key: Whose bounds.
  ///   - make: Makes what is not known yet; told whether amounts mind the pace.
  /// - Returns: Their number, until ``release(_:)`` has been called as often.
  mutating func retain(
    _ key: FareBounds.Key, _ make: (_ mindsPace: Bool) -> FareBounds
  ) -> UInt32 {
    if let known = numbers[key] {
      users[Int(known)].count += 1
      if users[Int(known)].count == Self.many { bounds[Int(known)] = make(true) }
      return known
    }
    let number = free.popLast() ?? UInt32(bounds.count)
    if Int(number) == bounds.count {
      bounds.append(nil)
      users.append((key, 0))
    }
    bounds[Int(number)] = make(false)
    users[Int(number)] = (key, 1)
    numbers[key] = number
    return number
  }

  mutating func release(_ number: UInt32) {
    guard number != Self.none else { return }
    users[Int(number)].count -= 1
    guard users[Int(number)].count == 0 else { return }
    numbers[users[Int(number)].key] = nil
    bounds[Int(number)] = nil
    free.append(number)
  }
}
