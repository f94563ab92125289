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
  private static let stepMeters = 200.0
  private static let count = 256
  private static let quarterSeconds = 900.0

  private let meter: FareMeter
  /// Of some party; only what the tariff says of areas counts.
  private let areaRules: AreaRules
  /// The least factor of any hour.
  private let slowest: Double
  /// Of the hours touched within so many quarters of an hour of any departure; the last one of all.
  private let factors: [ClosedRange<Double>]
  /// A ride that takes less, whenever it departs, ends before prices change.
  private let holdSeconds: Double
  /// By road, what a ride of at least that length costs at least without its call fee.
  private let least: [Float]
  /// By road, what a meter of any ride of at most that length costs at least.
  private let leastPerMeter: [Float]

  /// - Parameters:
  ///   - ride: Some party of the key, for its tariff and its profile.
  ///   - slot: When the parties depart, ends included.
  init(_ ride: PreparedRide, slot: ClosedRange<Instant>) {
    let profile = ride.travel.profile
    let all = profile.hourFactorRange
    slowest = all.lowerBound
    meter = FareMeter(
      ride.meter.tariff, departure: slot.lowerBound, isCalled: ride.meter.isCalled)
    areaRules = ride.areaRules
    factors =
      (1...8).map { quarter in
        profile.hourFactors(
          from: slot.lowerBound,
          through: slot.upperBound.advanced(
            milliseconds: Int64(Double(quarter) * Self.quarterSeconds * 1000) + 1000))
      } + [all]
    // A second for the rounding of moments.
    holdSeconds =
      meter.pricesHoldUntil.map {
        Double($0.milliseconds(since: slot.upperBound)) / 1000 - 1
      } ?? .infinity
    var least: [Float] = []
    var leastPerMeter: [Float] = []
    var known: Float = 0
    var perMeter = Float.infinity
    for i in 0..<Self.count {
      let meters = Double(i) * Self.stepMeters
      let work = meters / profile.speed.values(0...meters).upperBound
      let fastest = Self.seconds(work...work, factors, slowest: slowest).lowerBound
      if fastest < holdSeconds,
        let total = meter.expected(distanceMeters: meters, durationSeconds: fastest)
      {
        known = max(known, Float(total.amount - total.extras).nextDown)
      }
      perMeter = min(perMeter, (known / Float((Double(i) + 1) * Self.stepMeters)).nextDown)
      least.append(known)
      leastPerMeter.append(perMeter)
    }
    self.least = least
    self.leastPerMeter = leastPerMeter
  }

  /// What a ride of at least so many meters of road costs at least, without its call fee.
  @inline(__always)
  func leastAmount(roadMeters: Double) -> Double {
    Double(least[Int(max(0, min(roadMeters / Self.stepMeters, Double(Self.count - 1))))])
  }

  /// The same of a ride that takes at least so long in an hour of factor 1.
  func leastAmount(roadMeters: Double, secondsAtFactorOne: Double) -> Double {
    let seconds = seconds(secondsAtFactorOne...secondsAtFactorOne).lowerBound
    let known = leastAmount(roadMeters: roadMeters)
    guard seconds < holdSeconds,
      let total = meter.expected(distanceMeters: roadMeters, durationSeconds: seconds)
    else { return known }
    return max(known, Double(total.amount - total.extras))
  }

  /// What a ride of at most so many meters of road and so long a time costs at most; infinite where
  /// prices change meanwhile.
  func mostAmount(
    roadMeters: Double, secondsAtFactorOne: Double, leavesArea: Bool
  ) -> Double {
    let seconds = seconds(secondsAtFactorOne...secondsAtFactorOne).upperBound
    guard seconds < holdSeconds,
      let total = meter.expected(
        distanceMeters: roadMeters, durationSeconds: seconds,
        outOfAreaFromMeters: leavesArea ? 0 : nil)
    else { return .infinity }
    return Double(total.amount)
  }

  /// Shared by seats, whatever the rule.
  var callFee: Double { Double(meter.callFee) }

  /// What a meter of a ride of at most so many meters costs at least; 0 for rides beyond the table.
  @inline(__always)
  func leastAmountPerMeter(roadMeters: Double) -> Double {
    let place = roadMeters / Self.stepMeters
    guard place < Double(Self.count - 1) else { return 0 }
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
    let seconds = seconds(secondsAtFactorOne)
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

  /// Whether a ride with such a rider may leave the taxis' area at a surcharge.
  func mayLeaveArea(_ ends: Ends, isNear: Bool) -> Bool {
    isNear
      ? areaRules.tariffMinds
      : areaRules.isOutside(ends.placeAreas) || areaRules.isOutside(ends.dropAreas)
  }

  /// The ends of a direct ride.
  struct Ends {
    var place: Coordinate
    var placeAreas: PlaceAreas
    var drop: Coordinate
    var dropAreas: PlaceAreas
  }

  /// How long a ride from the departure on takes, by the least and the greatest time in an hour of
  /// factor 1.
  @inline(__always)
  func seconds(_ secondsAtFactorOne: ClosedRange<Double>) -> ClosedRange<Double> {
    Self.seconds(secondsAtFactorOne, factors, slowest: slowest)
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

  /// Finds bounds for one more party.
  ///
  /// - Parameters:
  ///   - key: Whose bounds.
  ///   - make: Makes what is not known yet.
  /// - Returns: Their number, until ``release(_:)`` has been called as often.
  mutating func retain(_ key: FareBounds.Key, _ make: () -> FareBounds) -> UInt32 {
    if let known = numbers[key] {
      users[Int(known)].count += 1
      return known
    }
    let number = free.popLast() ?? UInt32(bounds.count)
    if Int(number) == bounds.count {
      bounds.append(nil)
      users.append((key, 0))
    }
    bounds[Int(number)] = make()
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
