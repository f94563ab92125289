public import GeoMath
public import ObjectModel
public import RoutePlanning
public import TaxiFares

/// Prices parties by the built-in estimate: route with the best order of drop-offs, fare, shares.
///
/// A value; the same numbers as a fare estimate of the same ride. Everyone gets in at the party's
/// origin, and the taxi ends at the last drop-off.
public struct PartyPricing: Sendable {
  /// The tariffs, all versions.
  public let catalog: TariffCatalog
  /// Estimates every distance and duration.
  public let routes: EstimatedRouteProvider
  /// Which areas hold a place, and so which tariff, surcharge or flat trip is in force.
  public let areas: RideAreas

  /// Makes pricing by some tariffs; without areas parties must name theirs.
  public init(
    catalog: TariffCatalog, routes: EstimatedRouteProvider = EstimatedRouteProvider(),
    areas: RideAreas = .none
  ) {
    self.catalog = catalog
    self.routes = routes
    self.areas = areas
  }

  /// The tariff that a new party has: the one that it names, else the one of the first area at its
  /// origin. A party with an agreed fare does without one that is not in force, or that has another
  /// currency than was agreed.
  /// - Returns: Nil where no area with a tariff holds the origin.
  /// - Throws: ``PartyError/currencyMismatch(agreed:tariff:)`` for one that is named;
  ///   ``PartyError/fare(_:)``.
  func tariff(_ command: CreateParty) throws(PartyError) -> Tariff? {
    let isNamed = command.tariffID != nil || command.vehicleClass != nil
    let tariff: Tariff
    do throws(PartyError) {
      tariff = try self.tariff(
        id: command.tariffID, vehicleClass: command.vehicleClass,
        origin: command.origin.coordinate, departure: command.window.time)
    } catch {
      if case .noTariffHere = error { return nil }
      if command.agreedFare != nil && !isNamed { return nil }
      throw error
    }
    guard let agreed = command.agreedFare, agreed.currency != tariff.currency else {
      return tariff
    }
    if isNamed { throw .currencyMismatch(agreed: agreed.currency, tariff: tariff.currency) }
    return nil
  }

  /// The tariff of an id, or the one of the first area at an origin.
  /// - Throws: ``PartyError/noTariffHere(_:)``, ``PartyError/fare(_:)``.
  public func tariff(
    id: String?, vehicleClass: String? = nil, origin: Coordinate, departure: Instant
  ) throws(PartyError) -> Tariff {
    var area = ""
    if id == nil {
      guard let found = areas.ids(origin).first(where: catalog.areas.contains) else {
        throw .noTariffHere(origin)
      }
      area = found
    }
    do {
      if let id { return try catalog.tariff(id: id, at: departure) }
      return try catalog.tariff(area: area, vehicleClass: vehicleClass, at: departure)
    } catch {
      throw .fare(error)
    }
  }

  /// What a ride alone costs, minor units: the fare of a party of one.
  ///
  /// - Throws: ``PartyError/noTariffHere(_:)``, ``PartyError/fare(_:)``.
  func fareAlone(
    from origin: Coordinate, to destination: Coordinate, departure: Instant,
    tariffID: String?, vehicleClass: String?
  ) throws(PartyError) -> Int64 {
    guard FareLimits.departures.contains(departure) else {
      throw .fare(.departureOutOfRange(departure))
    }
    let tariff = try tariff(
      id: tariffID, vehicleClass: vehicleClass, origin: origin, departure: departure)
    let travel = TravelEstimator(
      profile: routes.profile(at: origin), departure: departure, near: origin)
    let direct = travel.estimate(from: origin, to: destination)
    let rules = AreaRules(tariff, origin: origin, pricing: self)
    let facts = rules.facts(destination, rules.matter ? placeAreas(destination) : PlaceAreas())
    guard
      let total = PreparedRide.solo(
        FareMeter(tariff, departure: departure), meters: direct.distanceMeters,
        seconds: direct.durationSeconds,
        facts: facts)
    else { throw .fare(PreparedRide.tooFar(direct.distanceMeters, direct.durationSeconds)) }
    return total.amount
  }

  /// The party as it stands, priced afresh: the same numbers as its last change gave.
  /// - Throws: ``PartyError/fare(_:)``.
  public func price(_ party: Party) throws(PartyError) -> PricedRide {
    if party.boardsOnTheWay {
      let ride = try boardingRide(party)
      return ride.priced(try ride.plan(), party)
    }
    let ride = try PreparedRide(party, pricing: self)
    var scratch = RideScratch()
    try ride.planAsItIs(&scratch, party)
    return ride.priced(&scratch, party)
  }

  /// What the real amount on the meter means for each rider, by the party's rule; tolls and call
  /// fee per seat.
  /// - Throws: ``PartyError/fare(_:)``.
  public func shares(
    of amount: Int64, tolls: Int64, _ party: Party
  ) throws(PartyError) -> [FareShare] {
    if party.boardsOnTheWay {
      return try boardingRide(party).shares(of: amount, tolls: tolls, party)
    }
    let ride = try PreparedRide(party, pricing: self)
    var scratch = RideScratch()
    try ride.planAsItIs(&scratch, party)
    scratch.plan.amount = amount
    scratch.plan.extras = min(tolls + ride.sharedFee, amount)
    ride.split(&scratch.plan, joining: nil)
    return party.riders.indices.map { i in
      FareShare(
        riderID: party.riders[i].id, amount: scratch.plan.shares[i],
        soloFare: ride.knowsSoloFares ? scratch.plan.soloFare(i) : nil)
    }
  }
}

/// A ride with its price: what a party's route, fare and riders show.
public struct PricedRide: Hashable, Sendable {
  /// The shared route.
  public var route: PartyRoute
  /// The fare of the whole ride.
  public var fare: PartyFare
  /// In the order of the party's riders, the joiner last.
  public var riders: [RiderTerms]

  /// Puts a ride and its price together.
  public init(
    route: PartyRoute, fare: PartyFare, riders: [RiderTerms]
  ) {
    self.route = route
    self.fare = fare
    self.riders = riders
  }
}

/// What the ride means for one rider.
public struct RiderTerms: Hashable, Sendable {
  /// Whose terms these are.
  public var riderID: String
  /// What the rider pays, in minor units of the currency.
  public var share: Int64
  /// The most that this rider has agreed to pay, minor units.
  public var acceptedShare: Int64
  /// What the direct route alone would cost, minor units; 0 where no tariff says.
  public var soloFare: Int64
  /// From the pick-up to the drop-off by the shared route, meters.
  public var rideMeters: Double
  /// The same, seconds.
  public var rideSeconds: Double
  /// From the pick-up to the drop-off without anyone else, meters.
  public var directMeters: Double
  /// The same, seconds.
  public var directSeconds: Double
  /// The part of the ride with someone else aboard, 0...1.
  public var sharedRatio: Double

  /// Puts the terms of one rider together.
  public init(
    riderID: String, share: Int64, acceptedShare: Int64, soloFare: Int64, rideMeters: Double,
    rideSeconds: Double, directMeters: Double, directSeconds: Double, sharedRatio: Double
  ) {
    self.riderID = riderID
    self.share = share
    self.acceptedShare = acceptedShare
    self.soloFare = soloFare
    self.rideMeters = rideMeters
    self.rideSeconds = rideSeconds
    self.directMeters = directMeters
    self.directSeconds = directSeconds
    self.sharedRatio = sharedRatio
  }

  /// How much longer the shared ride takes than the direct one, at least 0.
  public var detourSeconds: Double { max(0, rideSeconds - directSeconds) }
  /// What sharing saves this rider, minor units; negative for a loss.
  public var saving: Int64 { soloFare - share }
}
