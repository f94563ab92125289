import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// From chosen groups to what is told: order, route, fare and shares.
struct BatchAnswer {
  private let instance: BatchInstance
  private let requests: [RideRequest]
  private var groups: [BatchGroup] = []

  init(_ instance: BatchInstance, _ requests: [RideRequest]) {
    self.instance = instance
    self.requests = requests
  }

  /// Leaves the group out where its riders would pay no less than alone after all.
  mutating func add(_ group: GroupTable.Group) {
    let pickUp = Int(group.pickUp)
    let members = (0..<4).map { Int(group.members[$0]) }.filter { $0 >= 0 }
    let riders = [pickUp] + members.filter { $0 != pickUp }
    switch instance.options.pricing {
    case .list(let pricing, _): addRide(riders, pricing)
    case .parties(let terms):
      if let made = party(riders, terms) { groups.append(made.group) }
    }
  }

  // MARK: Parties

  /// The group as the party that its riders would create, by the very rules that create it.
  ///
  /// - Parameters:
  ///   - riders: The one at whose origin all get in first.
  ///   - terms: Those of the batch.
  /// - Returns: Nil where the rules refuse it, or where it saves nothing.
  func party(_ riders: [Int], _ terms: BatchPartyTerms) -> (group: BatchGroup, party: Party)? {
    guard instance.markets.marketOf[riders[0]] >= 0 else { return nil }
    let departure = departure(riders)
    var group = BatchGroup(riders, departure)
    group.walkMeters = walks(riders)
    let command = group.createParty(requests, terms: terms, maxSeats: instance.maxSeats)
    guard
      let party = try? terms.rules.create(
        command, id: "batch", now: terms.now, claims: terms.claims
      ).party
    else { return nil }
    let index = Dictionary(
      uniqueKeysWithValues: riders.map { (requests[$0].riderID, $0) })
    group.take(party, members: index)
    // From their own doors, by the meter.
    let alone = riders.reduce(0.0) { sum, rider in
      sum + ((try? terms.fareAlone(requests[rider])).map { Double($0) } ?? 0)
    }
    let market = instance.markets.markets[instance.markets.marketOf[riders[0]]]
    let walkCost = group.walkMeters.reduce(0, +) * market.walkCostPerMeter * market.unit
    group.saving = alone - Double(group.fare) - walkCost
    guard group.saving > 0, group.fare < group.soloFares,
      party.riders.allSatisfy({ $0.share <= $0.soloFare })
    else { return nil }
    return (group, party)
  }

  private func departure(_ riders: [Int]) -> Instant {
    let latest = riders.map { requests[$0].window.time }.max() ?? requests[riders[0]].window.time
    return riders.map { requests[$0].window.end }.reduce(latest, min)
  }

  private func walks(_ riders: [Int]) -> [Double] {
    riders.map { rider in
      rider == riders[0]
        ? 0 : instance.exactMeters(from: rider, .origin, to: riders[0], .origin)
    }
  }

  // MARK: One price list

  private mutating func addRide(_ riders: [Int], _ pricing: RidePricing) {
    var (route, walks) = route(riders)
    route.findBest(instance)
    let estimatedSolos = riders.reduce(0) { $0 + instance.soloFares[$1] }
    let saving = estimatedSolos - route.fare - walks.reduce(0, +) * pricing.walkCostPerMeter
    guard route.outcome == .found, saving > 0 else { return }
    let departure = instance.estimators[route.departureIndex(instance)].departure
    let fare = pricing.exact(route.meters, route.seconds, departure)
    let solos = riders.map { soloFare($0, pricing) }
    let soloSum = solos.reduce(0, +)
    guard fare < soloSum else { return }
    let order = riders.indices.map { route.order >> (2 * $0) & 3 }
    var group = BatchGroup(riders, departure)
    group.dropOffOrder = order.map { riders[$0] }
    group.distanceMeters = route.meters
    group.durationSeconds = route.seconds
    group.fare = fare
    group.soloFares = soloSum
    group.walkMeters = walks
    group.rideMeters = rideMeters(route, order)
    group.shares = shares(riders, solos, fare)
    group.saving = saving
    groups.append(group)
  }

  func result(iterations: Int, candidateGroups: Int) -> BatchResult {
    var isMatched = Array(repeating: false, count: requests.count)
    for group in groups { for member in group.members { isMatched[member] = true } }
    return BatchResult(
      groups: groups, unmatched: isMatched.indices.filter { !isMatched[$0] },
      iterations: iterations, objective: groups.reduce(0) { $0 + $1.saving },
      candidateGroups: candidateGroups)
  }

  private func route(_ riders: [Int]) -> (GroupRoute, walkMeters: [Double]) {
    var route = GroupRoute()
    route.count = riders.count
    for (local, rider) in riders.enumerated() {
      route.riders[local] = rider
      let fromPickUp =
        local == 0
        ? instance.directMeters[rider]
        : instance.roadMeters(
          straight: instance.exactMeters(from: riders[0], .origin, to: rider, .destination),
          pickUp: riders[0])
      route.fromPickUp[local] = fromPickUp
      route.fromPickUpWork[local] = instance.work(roadMeters: fromPickUp, pickUp: riders[0])
      route.limits[local] = instance.limits[rider].longestRideMeters(direct: fromPickUp)
      for other in 0..<local {
        let between = instance.roadMeters(
          straight: instance.exactMeters(
            from: riders[other], .destination, to: rider, .destination),
          pickUp: riders[0])
        route.setLeg(
          local, other, meters: between,
          work: instance.work(roadMeters: between, pickUp: riders[0]))
      }
    }
    return (route, walks(riders))
  }

  private func rideMeters(_ route: GroupRoute, _ order: [Int]) -> [Double] {
    var rides = Array(repeating: 0.0, count: order.count)
    var meters = 0.0
    for (step, local) in order.enumerated() {
      meters += step == 0 ? route.fromPickUp[local] : route.between[order[step - 1] * 4 + local]
      rides[local] = meters
    }
    return rides
  }

  private func soloFare(_ rider: Int, _ pricing: RidePricing) -> Int64 {
    let estimator = instance.estimators[2 * rider]
    return pricing.exact(
      instance.directMeters[rider],
      estimator.durationSeconds(roadMeters: instance.directMeters[rider]), estimator.departure)
  }

  private func shares(_ riders: [Int], _ solos: [Int64], _ fare: Int64) -> [FareShare] {
    let sharers = zip(riders, solos).map { rider, solo in
      ShareRider(
        id: requests[rider].riderID, seats: requests[rider].seats, soloFare: solo)
    }
    // Ids differ, seats are within a taxi and solo fares sum to more than the fare, so that this
    // cannot fail; a price list with absurd amounts gets no shares rather than wrong ones.
    let split = FareSplit(amount: fare, rule: .bySoloFare, riders: sharers)
    return (try? split.shares()) ?? []
  }
}

extension BatchGroup {
  /// Takes over what a party's route and prices say of the group.
  ///
  /// - Parameters:
  ///   - party: The group's riders, as the rules of parties have them.
  ///   - members: The riders' places among the requests, by their ids.
  mutating func take(_ party: Party, members: [String: Int]) {
    dropOffOrder = party.route.stopOrder.compactMap { members[$0] }
    distanceMeters = party.route.distanceMeters
    durationSeconds = party.route.durationSeconds
    fare = party.fare.expected
    currency = party.fare.currency
    tariffID = party.tariffID
    soloFares = party.riders.reduce(0) { $0 + $1.soloFare }
    rideMeters = party.riders.map(\.rideMeters)
    shares = party.riders.map {
      FareShare(riderID: $0.id, amount: $0.share, soloFare: $0.soloFare)
    }
  }
}
