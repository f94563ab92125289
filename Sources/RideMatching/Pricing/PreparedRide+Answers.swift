import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

extension PreparedRide {
  /// The planned ride as a party shows it. - Parameter joiner: The rider beyond those aboard.
  func priced(
    _ scratch: inout RideScratch, _ party: Party, joiner: PartyRider? = nil
  ) -> PricedRide {
    let plan = scratch.plan
    let riders = party.riders + (joiner.map { [$0] } ?? [])
    let terms = riders.indices.map { i in
      let place = plan.place(i)
      return RiderTerms(
        riderID: riders[i].id, share: plan.shares[i],
        acceptedShare: i < party.riders.count ? riders[i].acceptedShare : plan.shares[i],
        soloFare: knowsSoloFares ? plan.soloFares[place] : 0, rideMeters: plan.meters[place],
        rideSeconds: plan.seconds[place], directMeters: plan.directMeters[place],
        directSeconds: plan.directSeconds[place], sharedRatio: plan.sharedRatio(i))
    }
    let drops = riders.map { ($0.dropOff ?? party.destination).coordinate }
    return PricedRide(
      route: route(plan, ids: riders.map(\.id), drops: drops),
      fare: fare(plan, seats: party.seats), riders: terms)
  }

  func route(_ plan: RidePlan, ids: [String], drops: [Coordinate]) -> PartyRoute {
    var stops: [String] = []
    var path = [origin]
    for position in 0..<plan.placeCount {
      let place = Int(plan.order[position])
      var halted = false
      for i in 0..<plan.riderCount where plan.place(i) == place {
        stops.append(ids[i])
        if !halted { path.append(drops[i]) }
        halted = true
      }
    }
    return PartyRoute(
      distanceMeters: plan.totalMeters, durationSeconds: plan.totalSeconds, stopOrder: stops,
      path: path, source: RouteSource.estimate.rawValue)
  }

  private func fare(_ plan: RidePlan, seats: Int) -> PartyFare {
    let range = range(plan)
    var taken = 0
    for i in 0..<plan.riderCount { taken += Int(plan.seats[i]) }
    return PartyFare(
      currency: price.currency(meter.tariff), expected: plan.amount, low: range.low,
      high: range.high,
      perPersonNow: Self.perSeat(plan.amount, seats: taken),
      perPersonIfFull: Self.perSeat(plan.amount, seats: max(taken, seats)),
      source: price.source(RouteSource.estimate.rawValue))
  }

  /// The best and the worst day.
  private func range(_ plan: RidePlan) -> (low: Int64, high: Int64) {
    if let fixedAmount { return (fixedAmount, fixedAmount) }
    let spread = travel.range(
      of: TravelEstimate(distanceMeters: plan.totalMeters, durationSeconds: plan.totalSeconds))
    var trip = Trip(
      .totals(distanceMeters: plan.totalMeters, durationSeconds: plan.totalSeconds),
      departure: meter.departure,
      outOfAreaFromMeters: outOfAreaFromMeters(plan, totalMeters: plan.totalMeters),
      isCalled: meter.isCalled)
    if plan.flat >= 0 { return (plan.amount, plan.amount) }
    trip.tolls = 0
    guard
      let fare = try? meter.tariff.fare(
        expected: trip,
        low: .totals(
          distanceMeters: spread.low.distanceMeters, durationSeconds: spread.low.durationSeconds),
        high: .totals(
          distanceMeters: spread.high.distanceMeters, durationSeconds: spread.high.durationSeconds))
    else { return (plan.amount, plan.amount) }
    return (min(fare.low, plan.amount), max(fare.high, plan.amount))
  }

  /// The largest of equal shares.
  static func perSeat(_ amount: Int64, seats: Int) -> Int64 {
    let seats = Int64(max(1, seats))
    return amount / seats + (amount % seats == 0 ? 0 : 1)
  }

  /// The same ride with the free seats taken by people, one a seat, who ride to the last stop.
  func filled(_ plan: RidePlan, seats: Int, joining joined: Coordinate?) -> RidePlan {
    var full = plan
    var taken = 0
    for i in 0..<plan.riderCount { taken += Int(plan.seats[i]) }
    let last = plan.order[max(0, plan.placeCount - 1)]
    while taken < seats && full.riderCount < RidePlan.maximumRiders {
      let i = full.riderCount
      full.placeOfRider[i] = last
      full.seats[i] = 1
      full.weights[i] = 1
      full.riderCount += 1
      taken += 1
    }
    split(&full, joining: joined)
    return full
  }
}
