import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// A party made ready for planning: places, the legs between them, the meter at its departure.
/// Made once a change of the party; planning a ride from it allocates nothing.
///
/// Laid out for a scan through many: what is read first stands together, and tables that all rides
/// share are behind references.
final class PreparedRide: Sendable {
  /// A different drop-off, in the order in which riders name them.
  struct Stop: Sendable {
    var place: Coordinate
    /// ``place``, ready for distances.
    var here: DistanceOrigin
    /// Of the direct route, as estimated at the departure.
    var directMeters: Double
    var directSeconds: Double
    var soloFare: Int64 = 0
    /// The longest ride of those who get out here.
    var limitMeters = Double.infinity
    var limitSeconds = Double.infinity
    var edgeShare = 0.0
    var isOutside = false
    /// As in ``RidePlan/flats``.
    var flat: Int8 = -1

    init(_ place: Coordinate, _ direct: TravelEstimate) {
      self.place = place
      here = DistanceOrigin(place)
      directMeters = direct.distanceMeters
      directSeconds = direct.durationSeconds
    }

    /// Prices the direct route. - Returns: False where it cannot be priced.
    mutating func take(_ facts: AreaRules.Facts, _ meter: FareMeter) -> Bool {
      isOutside = facts.isOutside
      edgeShare = facts.edgeShare
      flat = Int8(clamping: facts.flat ?? -1)
      guard
        let solo = PreparedRide.solo(
          meter, meters: directMeters, seconds: directSeconds, facts: facts)
      else {
        return false
      }
      soloFare = solo.amount
      return true
    }
  }

  /// A rider aboard.
  struct Rider: Sendable {
    var stop: Int
    var seats: Int
    var weight: Double
    var minShared: Double
    var acceptedShare: Int64
  }

  let stops: [Stop]
  let riders: [Rider]
  /// Meters and seconds from stop p to stop q at 2 (p x stops + q); empty for a single stop.
  private let legs: [Double]
  let distanceOrigin: DistanceOrigin
  let splitRule: SplitRule
  let hasAttributeRules: Bool
  let allowsRaisedShares: Bool
  /// As in ``RidePlan/flat``.
  private let flat: Int8
  let steadySeconds: Double
  /// The party's, for those who state none; and what its policy caps.
  let limits: RideLimits
  let walkCap: Double
  let detourCap: Double
  let sharedFloor: Double
  let maxDetourSeconds: Double
  let meter: FareMeter
  let travel: TravelEstimator
  let areaRules: AreaRules
  let pricing: PartyPricing
  let price: RidePrice
  /// ``RidePrice/fixedAmount``.
  let fixedAmount: Int64?
  /// False where no tariff says what rides cost alone: their places hold lengths instead.
  let knowsSoloFares: Bool

  var origin: Coordinate {
    Coordinate(
      uncheckedLatitude: distanceOrigin.latitude, longitude: distanceOrigin.longitude)
  }

  /// - Throws: ``PartyError/fare(_:)``. Riders beyond ``RidePlan/maximumRiders`` do not count.
  init(_ party: Party, pricing: PartyPricing) throws(PartyError) {
    let origin = party.origin.coordinate
    let departure = party.window.time
    guard FareLimits.departures.contains(departure) else {
      throw .fare(.departureOutOfRange(departure))
    }
    let tariff = try Self.tariff(party, pricing)
    price = RidePrice(party)
    fixedAmount = price.fixedAmount
    knowsSoloFares = party.hasTariff
    distanceOrigin = DistanceOrigin(origin)
    splitRule = party.splitRule
    limits = party.limits
    walkCap = party.policy.maxWalkMeters ?? .infinity
    detourCap = party.policy.maxDetourRatio ?? .infinity
    sharedFloor = party.policy.minSharedRatio ?? 0
    maxDetourSeconds = party.policy.maxDetourSeconds ?? .infinity
    hasAttributeRules = !party.policy.sameAttributes.isEmpty
    allowsRaisedShares = party.allowsRaisedShares
    self.pricing = pricing
    meter = FareMeter(
      tariff, departure: departure, isCalled: party.isCalled && party.hasTariff)
    travel = TravelEstimator(
      profile: pricing.routes.profile(at: origin), departure: departure, near: origin)
    steadySeconds = travel.steadySeconds
    areaRules = AreaRules(tariff, origin: origin, pricing: pricing)
    var stops: [Stop] = []
    var riders: [Rider] = []
    for rider in party.riders.prefix(RidePlan.maximumRiders) {
      let drop = (rider.dropOff ?? party.destination).coordinate
      let stop = stops.firstIndex { $0.place == drop } ?? stops.count
      if stop == stops.count { stops.append(Stop(drop, travel.estimate(from: origin, to: drop))) }
      let limits = party.policy.bounding(rider.limits)
      stops[stop].limitMeters = min(
        stops[stop].limitMeters, limits.longestRideMeters(direct: stops[stop].directMeters))
      stops[stop].limitSeconds = min(
        stops[stop].limitSeconds, stops[stop].directSeconds + maxDetourSeconds,
        limits.longestRideSeconds(direct: stops[stop].directSeconds, departure: departure))
      riders.append(
        Rider(
          stop: stop, seats: rider.seats, weight: rider.weight ?? 1,
          minShared: limits.minSharedRatio ?? 0, acceptedShare: rider.acceptedShare))
    }
    for p in stops.indices {
      let place = stops[p].place
      let facts = areaRules.facts(
        place, areaRules.matter ? pricing.placeAreas(place) : PlaceAreas())
      guard stops[p].take(facts, meter) else {
        throw .fare(Self.tooFar(stops[p].directMeters, stops[p].directSeconds))
      }
    }
    let flats = Set(stops.map(\.flat))
    flat = flats.count == 1 ? flats.first ?? -1 : -1
    self.riders = riders
    self.stops = stops
    legs = Self.legs(stops, travel)
  }

  private static func tariff(
    _ party: Party, _ pricing: PartyPricing
  ) throws(PartyError) -> Tariff {
    guard party.hasTariff else { return .byLength }
    do {
      return try pricing.catalog.tariff(id: party.tariffID, at: party.window.time)
    } catch {
      throw .fare(error)
    }
  }

  private static func legs(_ stops: [Stop], _ travel: TravelEstimator) -> [Double] {
    guard stops.count > 1 else { return [] }
    var legs: [Double] = []
    for from in stops {
      for to in stops {
        let leg = travel.estimate(from: from.place, to: to.place)
        legs.append(leg.distanceMeters)
        legs.append(leg.durationSeconds)
      }
    }
    return legs
  }

  static func solo(
    _ meter: FareMeter, meters: Double, seconds: Double, facts: AreaRules.Facts
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

  static func tooFar(_ meters: Double, _ seconds: Double) -> FareError {
    meters > FareLimits.maximumDistanceMeters
      ? .distanceOutOfRange(field: "destination", meters: meters)
      : .durationOutOfRange(field: "destination", seconds: seconds)
  }

  // MARK: Planning

  /// Someone who may get in as well.
  struct Joiner {
    var drop: Coordinate
    /// ``drop``, ready for distances.
    var here: DistanceOrigin
    var seats: Int
    var weight: Double
    /// In force: stated or the party's, within its policy.
    var maxDetourRatio: Double
    var minSharedRatio: Double
    /// In force: the longest time aboard, and that beyond the direct ride, seconds.
    var maxRideSeconds: Double
    var maxDetourSeconds: Double

    /// Under the limits that this party has for the rider's wishes.
    init(_ drop: Coordinate, here: DistanceOrigin, seats: Int, weight: Double) {
      self.drop = drop
      self.here = here
      self.seats = seats
      self.weight = weight
      maxDetourRatio = .infinity
      minSharedRatio = 0
      maxRideSeconds = .infinity
      maxDetourSeconds = .infinity
    }

    mutating func take(_ wishes: RideWishes, _ ride: PreparedRide) {
      maxDetourRatio = min(wishes.maxDetourRatio ?? ride.limits.maxDetourRatio, ride.detourCap)
      minSharedRatio = max(
        wishes.minSharedRatio ?? ride.limits.minSharedRatio ?? 0, ride.sharedFloor)
      maxRideSeconds = wishes.maxRideSeconds ?? ride.limits.maxRideSeconds ?? .infinity
      if let by = wishes.arriveBy {
        let left = Double(by.milliseconds(since: ride.travel.departure)) / 1000
        maxRideSeconds = min(maxRideSeconds, left)
      }
      maxDetourSeconds = min(
        wishes.maxDetourSeconds ?? ride.limits.maxDetourSeconds ?? .infinity, ride.maxDetourSeconds)
    }
  }

  /// Puts those aboard into the scratch. - Complexity: O(stops^2).
  func load(_ scratch: inout RideScratch) {
    scratch.plan.riderCount = riders.count
    for i in riders.indices {
      scratch.plan.placeOfRider[i] = UInt8(truncatingIfNeeded: riders[i].stop)
      scratch.plan.seats[i] = UInt8(clamping: riders[i].seats)
      scratch.plan.weights[i] = riders[i].weight
      scratch.plan.minShared[i] = riders[i].minShared
    }
    scratch.plan.placeCount = stops.count
    scratch.plan.flat = flat
    scratch.limitMeters = RidePlan.ByIndex(repeating: .infinity)
    scratch.limitSeconds = RidePlan.ByIndex(repeating: .infinity)
    var outside: UInt8 = 0
    for p in stops.indices {
      scratch.plan.directMeters[p] = stops[p].directMeters
      scratch.plan.directSeconds[p] = stops[p].directSeconds
      scratch.plan.soloFares[p] = stops[p].soloFare
      scratch.plan.edgeShares[p] = stops[p].edgeShare
      scratch.plan.flats[p] = stops[p].flat
      if stops[p].isOutside { outside |= 1 << UInt8(truncatingIfNeeded: p) }
      scratch.limitMeters[p] = stops[p].limitMeters
      scratch.limitSeconds[p] = stops[p].limitSeconds
      scratch.meters[p + 1] = stops[p].directMeters
      scratch.seconds[p + 1] = stops[p].directSeconds
    }
    scratch.plan.outsideMask = outside
    guard !legs.isEmpty else { return }
    for from in stops.indices {
      for to in stops.indices {
        let cell = (from + 1) * RideScratch.stride + to + 1
        scratch.meters[cell] = legs[2 * (from * stops.count + to)]
        scratch.seconds[cell] = legs[2 * (from * stops.count + to) + 1]
      }
    }
  }

  /// Adds one who joins; the party must hold fewer than ``RidePlan/maximumRiders``.
  func add(_ joiner: Joiner, to scratch: inout RideScratch) {
    let i = scratch.plan.riderCount
    var place = -1
    for p in stops.indices where stops[p].place == joiner.drop { place = p }
    if place < 0 {
      place = stops.count
      let row = place + 1
      let direct = travel.estimate(straightMeters: distanceOrigin.meters(to: joiner.here))
      scratch.meters[row] = direct.distanceMeters
      scratch.seconds[row] = direct.durationSeconds
      if place > 0 {
        for p in 0..<place {
          // Distance is symmetric to the last bit, and so is the estimate.
          let leg = travel.estimate(straightMeters: joiner.here.meters(to: stops[p].here))
          scratch.meters[row * RideScratch.stride + p + 1] = leg.distanceMeters
          scratch.seconds[row * RideScratch.stride + p + 1] = leg.durationSeconds
          scratch.meters[(p + 1) * RideScratch.stride + row] = leg.distanceMeters
          scratch.seconds[(p + 1) * RideScratch.stride + row] = leg.durationSeconds
        }
      }
      scratch.plan.directMeters[place] = direct.distanceMeters
      scratch.plan.directSeconds[place] = direct.durationSeconds
      scratch.plan.placeCount = place + 1
    }
    scratch.plan.riderCount = i + 1
    scratch.plan.placeOfRider[i] = UInt8(place)
    scratch.plan.seats[i] = UInt8(clamping: joiner.seats)
    scratch.plan.weights[i] = joiner.weight
    scratch.plan.minShared[i] = joiner.minSharedRatio
    scratch.limitMeters[place] = min(
      scratch.limitMeters[place],
      RideLimits.longestRideMeters(
        direct: scratch.plan.directMeters[place], maxDetourRatio: joiner.maxDetourRatio))
    scratch.limitSeconds[place] = min(
      scratch.limitSeconds[place],
      scratch.plan.directSeconds[place] + joiner.maxDetourSeconds, joiner.maxRideSeconds)
  }

  /// What the direct route costs the one who joins; asked once the route is found, as most are not.
  /// - Returns: False where it cannot be priced.
  func priceJoiner(
    _ joiner: Joiner, _ areas: @autoclosure () -> PlaceAreas, _ plan: inout RidePlan
  ) -> Bool {
    let place = plan.place(plan.riderCount - 1)
    guard place == stops.count else { return true }
    let facts = areaRules.matter ? areaRules.facts(joiner.drop, areas()) : AreaRules.Facts()
    if facts.isOutside { plan.outsideMask |= 1 << UInt8(place) }
    plan.edgeShares[place] = facts.edgeShare
    plan.flats[place] = Int8(clamping: facts.flat ?? -1)
    if place == 0 || plan.flat != plan.flats[place] {
      plan.flat = place == 0 ? plan.flats[place] : -1
    }
    guard
      let solo = Self.solo(
        meter, meters: plan.directMeters[place], seconds: plan.directSeconds[place], facts: facts)
    else { return false }
    plan.soloFares[place] = solo.amount
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
      driveThroughHours(&scratch, joining: place)
    }
    return true
  }

  /// Each leg starts when the one before it ends, in another hour of the day.
  private func driveThroughHours(_ scratch: inout RideScratch, joining place: Coordinate?) {
    var from = origin
    var row = 0
    var seconds = 0.0
    var delay: Int64 = 0
    for position in 0..<scratch.plan.placeCount {
      let p = Int(scratch.plan.order[position])
      let leg = travel.durationSeconds(
        roadMeters: scratch.meters[row * RideScratch.stride + p + 1],
        startingAfterMilliseconds: delay, near: from)
      seconds += leg
      scratch.plan.seconds[p] = seconds
      delay += TravelEstimator.milliseconds(leg)
      from = p < stops.count ? stops[p].place : (place ?? from)
      row = p + 1
    }
    scratch.plan.totalSeconds = seconds
  }

  /// The fare of the route found. - Returns: False where it cannot be priced.
  func priceRoute(_ plan: inout RidePlan) -> Bool {
    if let fixedAmount {
      plan.amount = fixedAmount
      plan.extras = 0
      return true
    }
    if plan.placeCount == 1 || plan.flat >= 0 {
      // The shared ride is the solo ride: there is one stop, or one price to all of them.
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
