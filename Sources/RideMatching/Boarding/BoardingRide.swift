import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// A party made ready for riders who get in on its way: the halts in their order, and who is aboard
/// between them. Made once a change of the party.
///
///     halt     0 origin ── 1 ── 2 ── … ── m
///     leg         0          1          m - 1
///
/// A halt is of one rider, who gets in or out there; riders who get in at the origin have no halt for
/// it. Two halts at one place have a leg of nothing between them. A new rider's two halts are put into
/// this order; that of the others stays.
final class BoardingRide: Sendable {
  /// Walking costs as much time as this many meters a second.
  static let walkingMetersPerSecond = 1.25

  /// A place where the taxi stops for one rider.
  struct Halt: Sendable {
    var place: Coordinate
    var here: DistanceOrigin
    var rider: Int
    var isBoarding: Bool
  }

  /// A rider aboard.
  struct Rider: Sendable {
    var seats: Int
    var weight: Double
    var acceptedShare: Int64
    var limits: RideLimits
    /// By place in ``halts``; 0 for the origin.
    var boards = 0
    var alights = 0
    var direct: TravelEstimate
    var fare: SoloFare
    /// In force over the whole ride, seconds and meters.
    var limitMeters: Double
    var limitSeconds: Double
    var arriveBySeconds = Double.infinity
    /// Milliseconds from the departure between which the rider can get in, ends included.
    var boardingTimes: ClosedRange<Int64>?
  }

  /// What a rider would pay alone, and what their places mean for the fare of all.
  struct SoloFare: Sendable {
    var amount: Int64
    /// As in ``RidePlan/flat``.
    var flat: Int
    /// Where an out-of-area surcharge of the whole ride begins, as a share of it; nil without one.
    var edgeShare: Double?
  }

  let halts: [Halt]
  let riders: [Rider]
  /// By leg: its estimate at the departure, and the seats taken on it.
  let legs: [TravelEstimate]
  let seatsAboard: [Int]
  /// That riders may take: those that requests hold are not among them.
  let seats: Int
  /// All of the taxi's.
  let capacity: Int
  let splitRule: SplitRule
  let allowsRaisedShares: Bool
  let limits: RideLimits
  let policy: RidePolicy
  let window: DepartureWindow
  let path: [Coordinate]
  let origin: Coordinate
  let ride: PreparedRide
  /// The meter without its call fee.
  let plainMeter: FareMeter

  /// - Parameters:
  ///   - party: In any state; riders beyond ``RidePlan/maximumRiders`` do not count.
  ///   - ride: The same party's.
  /// - Throws: ``PartyError/fare(_:)``.
  init(_ party: Party, _ ride: PreparedRide) throws(PartyError) {
    self.ride = ride
    origin = party.origin.coordinate
    seats = max(0, party.seats - party.seatsHeld)
    capacity = party.seats
    splitRule = party.splitRule
    allowsRaisedShares = party.allowsRaisedShares
    limits = party.limits
    policy = party.policy
    window = party.window
    path = party.route.path
    plainMeter = FareMeter(ride.meter.tariff, departure: ride.meter.departure)
    let members = Array(party.riders.prefix(RidePlan.maximumRiders))
    var halts = [Halt(place: origin, here: ride.distanceOrigin, rider: -1, isBoarding: true)]
    for stop in Self.order(party, members) {
      let rider = members[stop.rider]
      let drop = (rider.dropOff ?? party.destination).coordinate
      let place = stop.isBoarding ? rider.boarding?.place.coordinate ?? origin : drop
      halts.append(
        Halt(
          place: place, here: DistanceOrigin(place), rider: stop.rider, isBoarding: stop.isBoarding)
      )
    }
    var riders: [Rider] = []
    for (i, rider) in members.enumerated() {
      riders.append(try Self.rider(rider, at: i, of: party, ride, halts))
    }
    var legs: [TravelEstimate] = []
    var aboard: [Int] = []
    for leg in 0..<max(0, halts.count - 1) {
      legs.append(
        ride.travel.estimate(straightMeters: halts[leg].here.meters(to: halts[leg + 1].here)))
      aboard.append(
        riders.reduce(0) { $0 + ($1.boards <= leg && leg < $1.alights ? $1.seats : 0) })
    }
    self.halts = halts
    self.riders = riders
    self.legs = legs
    seatsAboard = aboard
  }

  /// The halts in the order of the party's route. What the route does not name, as it has not been
  /// worked out yet, comes last.
  private static func order(
    _ party: Party, _ members: [PartyRider]
  ) -> [(rider: Int, isBoarding: Bool)] {
    var order: [(rider: Int, isBoarding: Bool)] = []
    var named: Set<[Int]> = []
    func add(_ rider: Int, _ isBoarding: Bool) {
      if isBoarding && members[rider].boarding == nil { return }
      if !isBoarding && members[rider].boarding != nil && !named.contains([rider, 1]) { return }
      if named.insert([rider, isBoarding ? 1 : 0]).inserted {
        order.append((rider: rider, isBoarding: isBoarding))
      }
    }
    let index = Dictionary(
      members.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    if party.route.stops.isEmpty {
      for id in party.route.stopOrder { if let i = index[id] { add(i, false) } }
    }
    for stop in party.route.stops { if let i = index[stop.riderID] { add(i, stop.isBoarding) } }
    for i in members.indices {
      add(i, true)
      add(i, false)
    }
    return order
  }

  private static func rider(
    _ rider: PartyRider, at i: Int, of party: Party, _ ride: PreparedRide, _ halts: [Halt]
  ) throws(PartyError) -> Rider {
    let boards = halts.firstIndex { $0.rider == i && $0.isBoarding } ?? 0
    let alights = halts.firstIndex { $0.rider == i && !$0.isBoarding } ?? halts.count - 1
    let direct = ride.travel.estimate(
      straightMeters: halts[boards].here.meters(to: halts[alights].here))
    let fare = try ride.soloFare(
      from: rider.boarding?.place.coordinate, to: halts[alights].place, direct)
    let limits = party.policy.bounding(rider.limits)
    var made = Rider(
      seats: rider.seats, weight: rider.weight ?? 1, acceptedShare: rider.acceptedShare,
      limits: limits, boards: boards, alights: alights, direct: direct, fare: fare,
      limitMeters: limits.longestRideMeters(direct: direct.distanceMeters),
      limitSeconds: ride.longestRideSeconds(limits, direct.durationSeconds))
    made.arriveBySeconds = ride.arriveBySeconds(limits)
    made.boardingTimes = rider.boarding?.window.flatMap { party.window.arrivals(meeting: $0) }
    // A window that no arrival can meet is held by none.
    if rider.boarding?.window != nil && made.boardingTimes == nil { made.boardingTimes = -1...(-1) }
    return made
  }
}

extension DepartureWindow {
  /// So long after the departure, in milliseconds, a taxi that leaves within this window may reach a
  /// place within another one; nil where it never does.
  ///
  /// - Parameters:
  ///   - other: When someone is there.
  ///   - now: Arrivals before it do not count; nil: all do.
  /// - Returns: Both ends included.
  func arrivals(meeting other: DepartureWindow, now: Instant? = nil) -> ClosedRange<Int64>? {
    if let now, other.end < now { return nil }
    var from = max(0, other.start.milliseconds(since: end))
    if let now { from = max(from, now.milliseconds(since: end)) }
    let through = other.end.milliseconds(since: start)
    return from <= through ? from...through : nil
  }
}

extension PreparedRide {
  /// The longest time aboard, without ``RideLimits/arriveBy``.
  func longestRideSeconds(_ limits: RideLimits, _ direct: Double) -> Double {
    let detour = min(limits.maxDetourSeconds ?? .infinity, maxDetourSeconds)
    return min(limits.maxRideSeconds ?? .infinity, direct + detour)
  }

  /// The latest arrival, seconds from the departure.
  func arriveBySeconds(_ limits: RideLimits) -> Double {
    guard let by = limits.arriveBy else { return .infinity }
    return Double(by.milliseconds(since: travel.departure)) / 1000
  }

  /// What a direct ride costs alone, by the party's tariff at its departure.
  ///
  /// - Parameters:
  ///   - place: Where it begins; nil: at the party's origin.
  ///   - drop: Where it ends.
  ///   - direct: Its estimate.
  /// - Returns: Its fare, and what its ends mean for the fare of all.
  /// - Throws: ``PartyError/fare(_:)`` where it cannot be priced.
  func soloFare(
    from place: Coordinate?, to drop: Coordinate, _ direct: TravelEstimate
  ) throws(PartyError) -> BoardingRide.SoloFare {
    guard let fare = knownSoloFare(from: place, to: drop, direct) else {
      throw .fare(Self.tooFar(direct.distanceMeters, direct.durationSeconds))
    }
    return fare
  }

  /// The same by areas that may be known already, asked where they matter; nil where it cannot be priced.
  func knownSoloFare(
    from place: Coordinate?, to drop: Coordinate, _ direct: TravelEstimate,
    hereAreas: (Coordinate) -> PlaceAreas, thereAreas: (Coordinate) -> PlaceAreas
  ) -> BoardingRide.SoloFare? {
    guard areaRules.tariffMinds else {
      return Self.solo(
        meter, meters: direct.distanceMeters, seconds: direct.durationSeconds,
        facts: AreaRules.Facts()
      ).map { BoardingRide.SoloFare(amount: $0.amount, flat: -1) }
    }
    let there = thereAreas(drop)
    let here = place.map(hereAreas)
    var own = areaRules
    if let place, let here { own = areaRules.seen(from: place, here) }
    let facts = own.facts(drop, there)
    guard
      let total = Self.solo(
        meter, meters: direct.distanceMeters, seconds: direct.durationSeconds, facts: facts)
    else { return nil }
    // The ride of all leaves the area where its first halt outside does, seen from the origin.
    var edge: Double?
    if let place, let here {
      let boarding = areaRules.facts(place, here)
      if boarding.isOutside { edge = boarding.edgeShare }
    }
    let ofAll = areaRules.facts(drop, there)
    if edge == nil && ofAll.isOutside { edge = ofAll.edgeShare }
    return BoardingRide.SoloFare(amount: total.amount, flat: facts.flat ?? -1, edgeShare: edge)
  }

  /// The same, the areas looked up.
  func knownSoloFare(
    from place: Coordinate?, to drop: Coordinate, _ direct: TravelEstimate
  ) -> BoardingRide.SoloFare? {
    knownSoloFare(
      from: place, to: drop, direct, hereAreas: pricing.placeAreas,
      thereAreas: pricing.placeAreas)
  }
}
