public import GeoMath
public import ObjectModel
public import RoutePlanning
public import TaxiFares

/// Prices parties by the built-in estimate: route with the best order of drop-offs, fare, shares.
///
/// A value; the same numbers as a fare estimate of the same ride. Everyone gets in at the party's
/// origin, and the taxi ends at the last drop-off.
public struct PartyPricing: Sendable {
  public let catalog: TariffCatalog
  public let routes: EstimatedRouteProvider
  public let areas: RideAreas

  public init(
    catalog: TariffCatalog, routes: EstimatedRouteProvider = EstimatedRouteProvider(),
    areas: RideAreas = .none
  ) {
    self.catalog = catalog
    self.routes = routes
    self.areas = areas
  }

  /// The tariff that a new party names, or the one of the first area at its origin.
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

  /// The party as it stands, priced afresh: the same numbers as its last change gave.
  /// - Throws: ``PartyError/fare(_:)``.
  public func price(_ party: Party) throws(PartyError) -> PricedRide {
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
    let ride = try PreparedRide(party, pricing: self)
    var scratch = RideScratch()
    try ride.planAsItIs(&scratch, party)
    scratch.plan.amount = amount
    scratch.plan.extras = min(tolls + ride.meter.callFee, amount)
    ride.split(&scratch.plan, joining: nil)
    return party.riders.indices.map { i in
      FareShare(
        riderID: party.riders[i].id, amount: scratch.plan.shares[i],
        soloFare: scratch.plan.soloFare(i))
    }
  }
}

/// A ride with its price: what a party's route, fare and riders show.
public struct PricedRide: Hashable, Sendable {
  public var route: PartyRoute
  public var fare: PartyFare
  /// In the order of the party's riders, the joiner last.
  public var riders: [RiderTerms]

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
  public var riderID: String
  /// Minor units.
  public var share: Int64
  public var acceptedShare: Int64
  public var soloFare: Int64
  public var rideMeters: Double
  public var rideSeconds: Double
  public var directMeters: Double
  public var directSeconds: Double
  /// The part of the ride with someone else aboard, 0...1.
  public var sharedRatio: Double

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

  public var detourSeconds: Double { max(0, rideSeconds - directSeconds) }
  public var saving: Int64 { soloFare - share }
}
