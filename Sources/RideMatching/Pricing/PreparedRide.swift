import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// A party made ready for planning: places, the ways between them, the meter at its departure.
/// Made once a change of the party; planning a ride from it allocates nothing.
final class PreparedRide: Sendable {
  let origin: Coordinate
  let distanceOrigin: DistanceOrigin
  let splitRule: SplitRule
  let meter: FareMeter
  let travel: TravelEstimator
  private let steadySeconds: Double
  let areaRules: AreaRules
  let pricing: PartyPricing
  /// Different drop-offs, in the order in which riders name them.
  let places: [Coordinate]
  /// Row 0 is the origin, row p + 1 place p; as estimated at the departure.
  private let meters: [Double]
  private let seconds: [Double]
  /// Riders and places aboard, with everything that does not depend on who joins.
  let base: RidePlan
  let limitMeters: SIMD8<Double>
  let limitSeconds: SIMD8<Double>
  let acceptedShares: SIMD8<Int64>

  /// - Throws: ``PartyError/fare(_:)``. Riders beyond ``RidePlan/maximumRiders`` do not count.
  init(_ party: Party, pricing: PartyPricing) throws(PartyError) {
    let origin = party.origin.coordinate
    let departure = party.window.time
    let tariff: Tariff
    do {
      tariff = try pricing.catalog.tariff(id: party.tariffID, at: departure)
    } catch {
      throw .fare(error)
    }
    self.origin = origin
    distanceOrigin = DistanceOrigin(origin)
    splitRule = party.splitRule
    self.pricing = pricing
    meter = FareMeter(tariff, departure: departure, isCalled: party.isCalled)
    travel = TravelEstimator(
      profile: pricing.routes.profile(at: origin), departure: departure, near: origin)
    steadySeconds = travel.steadySeconds
    let areaRules = AreaRules(tariff, origin: origin, pricing: pricing)
    self.areaRules = areaRules
    var places: [Coordinate] = []
    var plan = RidePlan()
    var limitMeters = SIMD8<Double>(repeating: .infinity)
    var limitSeconds = SIMD8<Double>(repeating: .infinity)
    var accepted = SIMD8<Int64>()
    for rider in party.riders.prefix(RidePlan.maximumRiders) {
      let drop = (rider.dropOff ?? party.destination).coordinate
      let place: Int
      if let known = places.firstIndex(of: drop) {
        place = known
      } else {
        place = places.count
        places.append(drop)
        let direct = travel.estimate(from: origin, to: drop)
        plan.directMeters[place] = direct.distanceMeters
        plan.directSeconds[place] = direct.durationSeconds
      }
      let i = plan.riderCount
      plan.riderCount += 1
      plan.placeOfRider[i] = UInt8(place)
      plan.seats[i] = UInt8(clamping: rider.seats)
      plan.weights[i] = rider.weight ?? 1
      accepted[i] = rider.acceptedShare
      let limits = party.policy.bounding(rider.limits)
      plan.minShared[i] = limits.minSharedRatio ?? 0
      limitMeters[place] = min(
        limitMeters[place], limits.longestRideMeters(direct: plan.directMeters[place]))
      limitSeconds[place] = min(
        limitSeconds[place],
        plan.directSeconds[place] + (party.policy.maxDetourSeconds ?? .infinity))
    }
    plan.placeCount = places.count
    let rows = places.count + 1
    var meters = [Double](repeating: 0, count: rows * rows)
    var seconds = meters
    for p in places.indices {
      meters[p + 1] = plan.directMeters[p]
      seconds[p + 1] = plan.directSeconds[p]
      for q in places.indices where q != p {
        let leg = travel.estimate(from: places[p], to: places[q])
        meters[(p + 1) * rows + q + 1] = leg.distanceMeters
        seconds[(p + 1) * rows + q + 1] = leg.durationSeconds
      }
    }
    self.places = places
    self.meters = meters
    self.seconds = seconds
    self.limitMeters = limitMeters
    self.limitSeconds = limitSeconds
    acceptedShares = accepted
    for p in places.indices {
      let facts = areaRules.facts(
        places[p], areaRules.matter ? pricing.placeAreas(places[p]) : PlaceAreas())
      if facts.isOutside { plan.outsideMask |= 1 << UInt8(p) }
      plan.edgeShares[p] = facts.edgeShare
      guard
        let solo = Self.solo(
          meter, plan.directMeters[p], plan.directSeconds[p], facts)
      else { throw .fare(Self.tooFar(plan.directMeters[p], plan.directSeconds[p])) }
      plan.soloFares[p] = solo.amount
      if places.count == 1 { plan.isFlat = facts.flat != nil }
    }
    base = plan
  }

  static func solo(
    _ meter: FareMeter, _ meters: Double, _ seconds: Double, _ facts: AreaRules.Facts
  ) -> FareMeter.Total? {
    if let flat = facts.flat { return meter.flat(flat) }
    return meter.expected(
      distanceMeters: meters, durationSeconds: seconds,
      outOfAreaFromMeters: facts.isOutside ? facts.edgeShare * meters : nil)
  }

  func tooFar(_ plan: RidePlan) -> FareError {
    let p = max(0, plan.placeCount - 1)
    return Self.tooFar(
      max(plan.totalMeters, plan.directMeters[p]), max(plan.totalSeconds, plan.directSeconds[p]))
  }

  private static func tooFar(_ meters: Double, _ seconds: Double) -> FareError {
    meters > FareLimits.maximumDistanceMeters
      ? .distanceOutOfRange(field: "destination", meters: meters)
      : .durationOutOfRange(field: "destination", seconds: seconds)
  }

  // MARK: Planning

  /// Someone who may get in as well.
  struct Joiner {
    var drop: Coordinate
    var seats: Int
    /// In force: stated or the party's, within its policy.
    var limits: RideLimits
    var maxDetourSeconds: Double?
    var weight: Double
    var areas: PlaceAreas
  }

  /// Puts those aboard into the scratch. - Complexity: O(places^2).
  func load(_ scratch: inout RideScratch) {
    scratch.plan = base
    scratch.limitMeters = limitMeters
    scratch.limitSeconds = limitSeconds
    let rows = places.count + 1
    for row in 0..<rows {
      for column in 1..<max(rows, 1) {
        scratch.meters[row * RideScratch.stride + column] = meters[row * rows + column]
        scratch.seconds[row * RideScratch.stride + column] = seconds[row * rows + column]
      }
    }
  }

  /// Adds one who joins; the party must hold fewer than ``RidePlan/maximumRiders``.
  /// - Returns: False where the way cannot be priced.
  func add(_ joiner: Joiner, to scratch: inout RideScratch) -> Bool {
    let i = scratch.plan.riderCount
    var place = -1
    for p in 0..<places.count where places[p] == joiner.drop { place = p }
    if place < 0 {
      place = places.count
      let row = place + 1
      let direct = travel.estimate(
        straightMeters: distanceOrigin.meters(
          latitude: joiner.drop.latitude, longitude: joiner.drop.longitude))
      scratch.meters[row] = direct.distanceMeters
      scratch.seconds[row] = direct.durationSeconds
      if place > 0 {
        let here = DistanceOrigin(joiner.drop)
        for p in 0..<place {
          // Distance is symmetric to the last bit, and so is the estimate.
          let leg = travel.estimate(
            straightMeters: here.meters(
              latitude: places[p].latitude, longitude: places[p].longitude))
          scratch.meters[row * RideScratch.stride + p + 1] = leg.distanceMeters
          scratch.seconds[row * RideScratch.stride + p + 1] = leg.durationSeconds
          scratch.meters[(p + 1) * RideScratch.stride + row] = leg.distanceMeters
          scratch.seconds[(p + 1) * RideScratch.stride + row] = leg.durationSeconds
        }
      }
      scratch.plan.directMeters[place] = direct.distanceMeters
      scratch.plan.directSeconds[place] = direct.durationSeconds
      let facts = areaRules.facts(joiner.drop, joiner.areas)
      if facts.isOutside { scratch.plan.outsideMask |= 1 << UInt8(place) }
      scratch.plan.edgeShares[place] = facts.edgeShare
      guard
        let solo = Self.solo(meter, direct.distanceMeters, direct.durationSeconds, facts)
      else { return false }
      scratch.plan.soloFares[place] = solo.amount
      scratch.plan.placeCount = place + 1
      scratch.plan.isFlat = place == 0 && facts.flat != nil
    }
    scratch.plan.riderCount = i + 1
    scratch.plan.placeOfRider[i] = UInt8(place)
    scratch.plan.seats[i] = UInt8(clamping: joiner.seats)
    scratch.plan.weights[i] = joiner.weight
    scratch.plan.minShared[i] = joiner.limits.minSharedRatio ?? 0
    scratch.limitMeters[place] = min(
      scratch.limitMeters[place],
      joiner.limits.longestRideMeters(direct: scratch.plan.directMeters[place]))
    scratch.limitSeconds[place] = min(
      scratch.limitSeconds[place],
      scratch.plan.directSeconds[place] + (joiner.maxDetourSeconds ?? .infinity))
    return true
  }

  /// Orders the drop-offs and works out when each place is reached.
  func findRoute(
    _ scratch: inout RideScratch, joining place: Coordinate?, enforcesLimits: Bool
  ) -> Bool {
    guard scratch.findOrder(enforcesLimits: enforcesLimits) else { return false }
    var row = 0
    var meters = 0.0
    var seconds = 0.0
    for position in 0..<scratch.plan.placeCount {
      let p = Int(scratch.plan.order[position])
      let cell = row * RideScratch.stride + p + 1
      meters += scratch.meters[cell]
      seconds += scratch.seconds[cell]
      scratch.plan.meters[p] = meters
      scratch.plan.seconds[p] = seconds
      row = p + 1
    }
    scratch.plan.totalMeters = meters
    scratch.plan.totalSeconds = seconds
    // Two seconds of margin for the rounding of moments.
    if scratch.plan.placeCount > 1 && seconds + 2 >= steadySeconds {
      driveThroughHours(&scratch.plan, joining: place)
    }
    return true
  }

  /// Each leg starts when the one before it ends, in another hour of the day.
  private func driveThroughHours(_ plan: inout RidePlan, joining place: Coordinate?) {
    var estimator = travel
    var from = origin
    var seconds = 0.0
    for position in 0..<plan.placeCount {
      let p = Int(plan.order[position])
      let to = p < places.count ? places[p] : (place ?? from)
      let leg = estimator.estimate(from: from, to: to)
      seconds += leg.durationSeconds
      plan.seconds[p] = seconds
      estimator = estimator.advanced(seconds: leg.durationSeconds, near: to)
      from = to
    }
    plan.totalSeconds = seconds
  }

  /// The fare of the route found. - Returns: False where it cannot be priced.
  func priceRoute(_ plan: inout RidePlan) -> Bool {
    if plan.placeCount == 1 {
      // The only stop: the shared ride is the solo ride, flat or metered.
      plan.amount = plan.soloFares[0]
      plan.extras = min(meter.callFee, plan.amount)
      return true
    }
    guard
      let total = meter.expected(
        distanceMeters: plan.totalMeters, durationSeconds: plan.totalSeconds,
        outOfAreaFromMeters: outOfAreaFromMeters(plan, totalMeters: plan.totalMeters))
    else { return false }
    plan.amount = total.amount
    plan.extras = total.extras
    return true
  }

  func outOfAreaFromMeters(_ plan: RidePlan, totalMeters: Double) -> Double? {
    guard plan.outsideMask != 0 else { return nil }
    return plan.edgeShares[plan.outsideMask.trailingZeroBitCount] * totalMeters
  }

  /// Those aboard as they are. - Throws: ``PartyError``.
  func plan(into scratch: inout RideScratch, enforcesLimits: Bool) throws(PartyError) {
    load(&scratch)
    if !findRoute(&scratch, joining: nil, enforcesLimits: enforcesLimits) {
      throw .fare(Self.tooFar(.infinity, 0))
    }
    guard priceRoute(&scratch.plan) else { throw .fare(tooFar(scratch.plan)) }
    split(&scratch.plan, joining: nil)
  }
}
