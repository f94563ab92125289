import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// From chosen groups to what is told: order, way, fare and shares.
struct BatchAnswer {
  private let instance: BatchInstance
  private let requests: [RideRequest]
  private var groups: [BatchGroup] = []

  init(_ instance: BatchInstance, _ requests: [RideRequest]) {
    self.instance = instance
    self.requests = requests
  }

  /// Leaves the group out when the meter, which moves by steps, saves nothing after all.
  mutating func add(_ group: GroupTable.Group) {
    let pickUp = Int(group.pickUp)
    let members = (0..<4).map { Int(group.members[$0]) }.filter { $0 >= 0 }
    let riders = [pickUp] + members.filter { $0 != pickUp }
    var (route, walks) = route(riders)
    let pricing = instance.options.pricing
    route.findBest(instance)
    let estimatedSolos = riders.reduce(0) { $0 + instance.soloFares[$1] }
    let saving = estimatedSolos - route.fare - walks.reduce(0, +) * pricing.walkCostPerMeter
    guard route.outcome == .found, saving > 0 else { return }
    let departure = instance.estimators[route.departureIndex(instance)].departure
    let fare = pricing.exact(route.meters, route.seconds, departure)
    let solos = riders.map { soloFare($0) }
    let soloSum = solos.reduce(0, +)
    guard fare < soloSum else { return }
    let order = riders.indices.map { route.order >> (2 * $0) & 3 }
    groups.append(
      BatchGroup(
        members: riders, dropOffOrder: order.map { riders[$0] }, departure: departure,
        distanceMeters: route.meters, durationSeconds: route.seconds, fare: fare,
        soloFares: soloSum, walkMeters: walks, rideMeters: rideMeters(route, order),
        shares: shares(riders, solos, fare), saving: saving))
  }

  func result(iterations: Int, candidateGroups: Int) -> BatchResult {
    let sorted = groups.sorted { ($0.members.min() ?? 0) < ($1.members.min() ?? 0) }
    var isMatched = Array(repeating: false, count: requests.count)
    for group in sorted { for member in group.members { isMatched[member] = true } }
    return BatchResult(
      groups: sorted, unmatched: isMatched.indices.filter { !isMatched[$0] },
      iterations: iterations, objective: sorted.reduce(0) { $0 + $1.saving },
      candidateGroups: candidateGroups)
  }

  private func route(_ riders: [Int]) -> (GroupRoute, walkMeters: [Double]) {
    var route = GroupRoute()
    var walks: [Double] = []
    route.count = riders.count
    for (local, rider) in riders.enumerated() {
      route.riders[local] = rider
      let fromPickUp =
        local == 0
        ? instance.directMeters[rider]
        : instance.roadMeters(
          straight: instance.exactMeters(riders[0], .origin, rider, .destination))
      route.fromPickUp[local] = fromPickUp
      route.fromPickUpWork[local] = instance.work(roadMeters: fromPickUp)
      route.limits[local] = instance.limits[rider].longestRideMeters(direct: fromPickUp)
      walks.append(
        local == 0 ? 0 : instance.exactMeters(rider, .origin, riders[0], .origin))
      for other in 0..<local {
        let between = instance.roadMeters(
          straight: instance.exactMeters(riders[other], .destination, rider, .destination))
        route.setLeg(local, other, meters: between, work: instance.work(roadMeters: between))
      }
    }
    return (route, walks)
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

  private func soloFare(_ rider: Int) -> Int64 {
    let estimator = instance.estimators[2 * rider]
    return instance.options.pricing.exact(
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
