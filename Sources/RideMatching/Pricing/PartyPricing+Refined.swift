import ObjectModel
public import RoutePlanning
import TaxiFares

extension PartyPricing {
  /// The party's ride by a provider's route instead of the estimate, to be shown: route, fare with
  /// its source, and the shares of that fare. What riders accepted and pay alone stays estimated,
  /// and so does every rule, so that no provider's mood turns a join away.
  ///
  /// - Parameters:
  ///   - party: The newest state.
  ///   - route: From the origin through the drop-offs in the order of the party's route, one leg a
  ///     halt; with any other number of legs the answer is the estimate, and so it is for a party
  ///     with riders who get in on the way.
  /// - Returns: What the party is to show.
  /// - Throws: ``PartyError/fare(_:)``.
  public func refined(_ party: Party, by route: Route) throws(PartyError) -> PricedRide {
    if party.boardsOnTheWay { return try price(party) }
    let ride = try PreparedRide(party, pricing: self)
    var scratch = RideScratch()
    try ride.planAsItIs(&scratch, party)
    guard route.legs.count == scratch.plan.placeCount else {
      return ride.priced(&scratch, party)
    }
    var meters = 0.0
    var seconds = 0.0
    for (position, leg) in route.legs.enumerated() {
      meters += leg.distanceMeters
      seconds += leg.durationSeconds
      scratch.plan.meters[Int(scratch.plan.order[position])] = meters
      scratch.plan.seconds[Int(scratch.plan.order[position])] = seconds
    }
    scratch.plan.totalMeters = meters
    scratch.plan.totalSeconds = seconds
    var fare: Fare?
    if let amount = ride.fixedAmount {
      scratch.plan.amount = amount
      scratch.plan.extras = 0
    } else {
      let metered = try self.fare(ride, scratch.plan, route)
      scratch.plan.amount = metered.expected.total
      scratch.plan.extras = min(metered.expected.extras, metered.expected.total)
      fare = metered
    }
    ride.split(&scratch.plan, joining: nil)
    var priced = ride.priced(&scratch, party)
    if let fare {
      priced.fare.low = fare.low
      priced.fare.high = fare.high
      priced.fare.source = route.source.rawValue
    }
    priced.route.path = route.path
    priced.route.source = route.source.rawValue
    return priced
  }

  private func fare(
    _ ride: PreparedRide, _ plan: RidePlan, _ route: Route
  ) throws(PartyError) -> Fare {
    let tariff = ride.meter.tariff
    var trip = Trip(
      .totals(distanceMeters: plan.totalMeters, durationSeconds: plan.totalSeconds),
      departure: ride.meter.departure,
      outOfAreaFromMeters: ride.outOfAreaFromMeters(plan, totalMeters: plan.totalMeters),
      isCalled: ride.meter.isCalled)
    if plan.flat >= 0 { trip.flatTrip = tariff.content.flatTrips[Int(plan.flat)].id }
    // An engine knows the roads, if not the day: half of the spread of an estimate.
    let spread = ride.travel.profile.durationSpread
    func around(_ factor: Double) -> TravelEstimate {
      TravelEstimate(
        distanceMeters: plan.totalMeters,
        durationSeconds: plan.totalSeconds * (1 + (factor - 1) / 2))
    }
    let range = route.range ?? TravelRange(low: around(spread.low), high: around(spread.high))
    do {
      return try tariff.fare(
        expected: trip,
        low: .totals(
          distanceMeters: range.low.distanceMeters, durationSeconds: range.low.durationSeconds),
        high: .totals(
          distanceMeters: range.high.distanceMeters, durationSeconds: range.high.durationSeconds))
    } catch {
      throw .fare(error)
    }
  }
}
