import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// Bounds of the fares of all parties under one tariff that depart within one slot of half an hour, or of five
/// minutes within an hour of a change of prices: for pruning, never for answers. Fares grow with distance and with
/// duration (``SlowTimeModel``), so that a ride costs no less than a shorter and faster one.
final class FareBounds: Sendable {
  struct Key: Hashable, Sendable {
    var tariff: ObjectIdentifier
    var isCalled: Bool
    var profile: UInt8
    /// When its parties depart, ends included.
    var slot: ClosedRange<Instant>

    /// The key of a party with a meter, by its ride and its profile's number in the index.
    init(_ ride: PreparedRide, profile: UInt8) {
      tariff = ride.meter.tariff.identity
      isCalled = ride.meter.isCalled
      self.profile = profile
      slot = FareBounds.slot(ride.meter.departure, milliseconds: 1_800_000)
      // Shortly before prices change, minutes tell whose ride ends before.
      if FareBounds.holdSeconds(ride.meter, slot) < 3600 {
        slot = FareBounds.slot(ride.meter.departure, milliseconds: 300_000)
      }
    }
  }

  private static let quarterSeconds = 900.0
  /// So many are told apart.
  private static let quarters = 8

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
  /// How prices change for rides that end within so many quarters of an hour of any departure; the last one
  /// for all. Nil where nothing is known.
  private let prices: [PriceRange?]
  /// By road, what the fastest ride of at least that length costs at the departure's prices, without call fee.
  private let fastest: [Float]
  /// The same by pace, where many parties share it.
  private let amounts: FareAmounts?
  /// By road, what a meter of any ride of at most that length costs at least.
  private let leastPerMeter: [Float]

  /// - Parameters:
  ///   - ride: Some party of the key, for its tariff and its profile.
  ///   - key: Whose bounds.
  ///   - amounts: What rides cost by pace at the prices of the slot's start, where that is known.
  init(_ ride: PreparedRide, _ key: Key, amounts: FareAmounts?) {
    let slot = key.slot
    let profile = ride.travel.profile
    let all = profile.hourFactorRange
    let slowest = all.lowerBound
    let meter = Self.meter(ride, key)
    let factors =
      (1...Self.quarters).map { quarter in
        profile.hourFactors(
          from: slot.lowerBound,
          through: slot.upperBound.advanced(
            milliseconds: Int64(Double(quarter) * Self.quarterSeconds * 1000) + 1000))
      } + [all]
    let holdSeconds = Self.holdSeconds(meter, slot)
    func fastest(_ meters: Double) -> Double {
      let work = meters / profile.speed.values(0...meters).upperBound
      return Self.seconds(work...work, factors, slowest: slowest).lowerBound
    }
    let fastestAmounts = FareAmounts.ascending(
      FareAmounts.roads.map { ($0, fastest($0)) }, meter, holdSeconds: holdSeconds)
    let prices = Self.prices(meter, slot, holdSeconds: holdSeconds)
    var leastPerMeter: [Float] = []
    var perMeter = Float.infinity
    for (road, amount) in fastestAmounts.enumerated() {
      let least = holdSeconds == .infinity ? amount : Self.least(of: amount, prices[Self.quarters])
      perMeter = min(perMeter, (least / (Float(road + 1) * FareAmounts.stepMeters)).nextDown)
      leastPerMeter.append(perMeter)
    }
    self.profile = Int(key.profile)
    self.slowest = slowest
    self.meter = meter
    self.factors = factors
    self.holdSeconds = holdSeconds
    self.prices = prices
    self.fastest = fastestAmounts
    self.amounts = amounts
    self.leastPerMeter = leastPerMeter
    areaRules = ride.areaRules
  }

  /// Of the slot's start.
  static func meter(_ ride: PreparedRide, _ key: Key) -> FareMeter {
    FareMeter(ride.meter.tariff, departure: key.slot.lowerBound, isCalled: key.isCalled)
  }

  private static func slot(_ departure: Instant, milliseconds: Int64) -> ClosedRange<Instant> {
    let rest = departure.milliseconds % milliseconds
    let start = departure.advanced(milliseconds: rest < 0 ? -rest - milliseconds : -rest)
    return start...start.advanced(milliseconds: milliseconds - 1)
  }

  /// What a ride takes at most, whenever within the slot it departs, that ends before prices change.
  static func holdSeconds(_ meter: FareMeter, _ slot: ClosedRange<Instant>) -> Double {
    // A second for the rounding of moments.
    meter.pricesHoldUntil.map { Double($0.milliseconds(since: slot.upperBound)) / 1000 - 1 }
      ?? .infinity
  }

  /// What a ride costs at least, by what it costs at the prices of its departure.
  private static func least(of amount: Float, _ prices: PriceRange?, held: Double = 0) -> Float {
    guard let prices else { return 0 }
    return max(0, Float(prices.least(of: Double(amount), held: held)).nextDown)
  }

  /// During which part of a ride of at most so many seconds the departure's prices hold at least.
  private func held(seconds: Double) -> Double { max(0, min(1, holdSeconds / seconds)) }

  /// How prices change by the quarter of an hour within which a ride ends, as in ``prices``.
  private static func prices(
    _ meter: FareMeter, _ slot: ClosedRange<Instant>, holdSeconds: Double
  ) -> [PriceRange?] {
    let ends =
      (1...quarters).map { Double($0) * quarterSeconds } + [FareLimits.maximumDurationSeconds]
    return ends.map { seconds in
      // Nobody asks for those of rides that end before.
      guard seconds >= holdSeconds else { return nil }
      return meter.priceRange(
        lastDeparture: slot.upperBound,
        end: slot.upperBound.advanced(milliseconds: Int64(seconds * 1000) + 1000))
    }
  }

  /// How prices change for rides that take so long at most and may end after those of the departure.
  private func prices(seconds: Double) -> PriceRange? {
    prices[Int(min(seconds / Self.quarterSeconds, Double(Self.quarters)))]
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
    var found = SIMD4<Float>.zero
    if let amounts {
      found = amounts.least(roadMeters: roadMeters, seconds: seconds)
    } else {
      let places = FareAmounts.places(roadMeters)
      for i in 0..<4 { found[i] = fastest[FareAmounts.road(places[i])] }
    }
    guard Double(most) >= holdSeconds else { return found }
    let prices = prices(seconds: Double(most))
    let held = held(seconds: Double(most))
    for i in 0..<4 { found[i] = Self.least(of: found[i], prices, held: held) }
    return found
  }

  /// What a meter of a ride of at most so many meters costs at least; 0 for rides beyond the table.
  @inline(__always)
  func leastAmountPerMeter(roadMeters: Double) -> Double {
    let place = roadMeters / Double(FareAmounts.stepMeters)
    guard place < Double(leastPerMeter.count - 1) else { return 0 }
    return Double(leastPerMeter[Int(max(0, place))])
  }

  /// What a direct ride from the departure on costs.
  ///
  /// - Parameters:
  ///   - roadMeters: The least and the greatest length.
  ///   - secondsAtFactorOne: The least and the greatest time in an hour of factor 1.
  ///   - ends: Where it begins and ends.
  ///   - isNear: Whether it begins somewhere near there only.
  /// - Returns: Bounds, infinite above where prices change meanwhile and nothing is known of how; nil where the
  ///   price may be flat.
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
    guard seconds.upperBound >= holdSeconds else {
      let least = meter.expected(
        distanceMeters: roadMeters.lowerBound, durationSeconds: seconds.lowerBound)
      let most = meter.expected(
        distanceMeters: roadMeters.upperBound, durationSeconds: seconds.upperBound,
        outOfAreaFromMeters: outside)
      return Self.fares(Double(least?.amount ?? 0), most.map { Double($0.amount) })
    }
    guard let prices = prices(seconds: seconds.upperBound) else { return 0...(.infinity) }
    let least = meter.unchanged(
      distanceMeters: roadMeters.lowerBound, durationSeconds: seconds.lowerBound)
    let most = meter.unchanged(
      distanceMeters: roadMeters.upperBound, durationSeconds: seconds.upperBound,
      isOutside: outside != nil)
    let held = held(seconds: seconds.upperBound)
    return Self.fares(
      least.map {
        prices.least(of: Double($0.amount - $0.extras), held: held) + Double($0.extras)
      } ?? 0,
      most.map {
        prices.most(of: Double($0.amount - $0.extras), held: held) + Double($0.extras)
      })
  }

  private static func fares(_ least: Double, _ most: Double?) -> ClosedRange<Double> {
    least...max(least, most ?? .infinity)
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
