import ObjectModel
import GeoMath
import RoutePlanning
import TaxiFares

/// What is wrong with a batch's answer, found without the code that made it: every figure is worked
/// out anew from the requests, with GeoMath's distances and the estimator alone.
public enum BatchVerification {
  /// One thing that does not hold; groups and requests by index.
  public enum Problem: Hashable, Sendable {
    /// A request that is nowhere, in two places, or does not exist.
    case notOnce(request: Int)
    /// Fewer than two members or more than four.
    case badSize(group: Int, members: Int)
    case sameRider(group: Int, riderID: String)
    case tooManySeats(group: Int, seats: Int)
    /// The departure is outside a member's window.
    case outsideWindow(group: Int, request: Int)
    case walksTooFar(group: Int, request: Int, meters: Double)
    case ridesTooFar(group: Int, request: Int, meters: Double, limit: Double)
    case sharesTooLittle(group: Int, request: Int, ratio: Double)
    case incompatible(group: Int, request: Int, other: Int)
    /// The order of drop-offs is not one of the members.
    case badOrder(group: Int)
    /// A figure of the answer and what it should be.
    case wrongFigure(group: Int, name: String, told: Double, is: Double)
    case savesNothing(group: Int)
    case paysMoreThanAlone(group: Int, riderID: String)
    /// The rules of parties refuse what the group promises, or give something else.
    case notAsCreated(group: Int, what: String)
  }

  /// All problems of an answer; none when it holds.
  /// - Complexity: O(requests + members^2).
  public static func problems(
    of result: BatchResult, requests: [RideRequest], options: BatchOptions
  ) -> [Problem] {
    var problems: [Problem] = []
    var times = Array(repeating: 0, count: requests.count)
    for request in result.groups.flatMap(\.members) + result.unmatched {
      guard requests.indices.contains(request) else {
        problems.append(.notOnce(request: request))
        continue
      }
      times[request] += 1
    }
    for (request, count) in times.enumerated() where count != 1 {
      problems.append(.notOnce(request: request))
    }
    for (index, group) in result.groups.enumerated() {
      guard (2...4).contains(group.members.count) else {
        problems.append(.badSize(group: index, members: group.members.count))
        continue
      }
      guard group.members.allSatisfy(requests.indices.contains),
        group.dropOffOrder.sorted() == group.members.sorted(),
        group.walkMeters.count == group.members.count,
        group.rideMeters.count == group.members.count
      else {
        problems.append(.badOrder(group: index))
        continue
      }
      var check = GroupCheck(index: index, group: group, requests: requests, options: options)
      check.run()
      problems += check.problems
    }
    let sum = result.groups.reduce(0) { $0 + $1.saving }
    if abs(sum - result.objective) > 1e-6 * max(1, abs(sum)) {
      problems.append(
        .wrongFigure(group: -1, name: "objective", told: result.objective, is: sum))
    }
    return problems
  }
}

private struct GroupCheck {
  let index: Int
  let group: BatchGroup
  let requests: [RideRequest]
  let options: BatchOptions
  var problems: [BatchVerification.Problem] = []

  init(index: Int, group: BatchGroup, requests: [RideRequest], options: BatchOptions) {
    self.index = index
    self.group = group
    self.requests = requests
    self.options = options
  }

  mutating func run() {
    seatsAndCompany()
    windowsAndWalks()
    switch options.pricing {
    case .list(let pricing, let profile):
      let ride = rides(profile)
      money(pricing, profile, distance: ride.meters, duration: ride.seconds)
    case .parties(let terms): creation(terms)
    }
  }

  /// What the rules of parties make of the group.
  private mutating func creation(_ terms: BatchPartyTerms) {
    let command = group.createParty(requests, terms: terms, maxSeats: options.maxSeats)
    let party: Party
    do throws(PartyError) {
      party = try terms.rules.create(command, id: "check", now: terms.now, claims: terms.claims)
        .party
    } catch {
      problems.append(.notAsCreated(group: index, what: error.reason))
      return
    }
    func same(_ what: String, _ isSame: Bool) {
      if !isSame { problems.append(.notAsCreated(group: index, what: what)) }
    }
    same("fare", party.fare.expected == group.fare)
    same("currency", party.fare.currency == group.currency)
    same("tariff", party.tariffID == group.tariffID)
    same("shares", party.riders.map(\.share) == group.shares.map(\.amount))
    same("solo fares", party.riders.map(\.soloFare) == group.shares.map { $0.soloFare ?? -1 })
    same("rides", party.riders.map(\.rideMeters) == group.rideMeters)
    same("order", party.route.stopOrder == group.dropOffOrder.map { requests[$0].riderID })
    same("distance", party.route.distanceMeters == group.distanceMeters)
    same("duration", party.route.durationSeconds == group.durationSeconds)
    if group.saving <= 0 || group.fare >= group.soloFares {
      problems.append(.savesNothing(group: index))
    }
    for rider in party.riders where rider.share > rider.soloFare {
      problems.append(.paysMoreThanAlone(group: index, riderID: rider.id))
    }
  }

  private mutating func expect(_ name: String, _ told: Double, _ real: Double) {
    if !(abs(told - real) <= 1e-6 * max(1, abs(real))) {
      problems.append(.wrongFigure(group: index, name: name, told: told, is: real))
    }
  }

  private mutating func seatsAndCompany() {
    let seats = group.members.reduce(0) { $0 + requests[$1].seats }
    if seats > options.maxSeats { problems.append(.tooManySeats(group: index, seats: seats)) }
    for member in group.members {
      for other in group.members where other != member {
        if requests[member].riderID == requests[other].riderID {
          problems.append(.sameRider(group: index, riderID: requests[member].riderID))
        }
        if options.isCompatible?(member, other) == false {
          problems.append(.incompatible(group: index, request: member, other: other))
        }
      }
    }
  }

  private mutating func windowsAndWalks() {
    let pickUp = requests[group.pickUp].origin.coordinate
    for (at, member) in group.members.enumerated() {
      let request = requests[member]
      if group.departure < request.window.start || group.departure > request.window.end {
        problems.append(.outsideWindow(group: index, request: member))
      }
      let walk = request.origin.coordinate.distanceMeters(to: pickUp)
      if !(walk <= request.limits.maxWalkMeters) {
        problems.append(.walksTooFar(group: index, request: member, meters: walk))
      }
      expect("walkMeters", group.walkMeters[at], walk)
    }
    let latest = group.members.map { requests[$0].window.time }.max()
    let soonestEnd = group.members.map { requests[$0].window.end }.min()
    if let latest, let soonestEnd, group.departure != min(latest, soonestEnd) {
      problems.append(
        .wrongFigure(
          group: index, name: "departure", told: Double(group.departure.milliseconds),
          is: Double(min(latest, soonestEnd).milliseconds)))
    }
  }

  /// Drives the route.
  private mutating func rides(_ profile: TrafficProfile) -> (meters: Double, seconds: Double) {
    var place = requests[group.pickUp].origin.coordinate
    let estimator = TravelEstimator(
      profile: profile, departure: group.departure, near: place)
    var meters = 0.0
    var seconds = 0.0
    for (step, member) in group.dropOffOrder.enumerated() {
      let request = requests[member]
      let leg = estimator.estimate(from: place, to: request.destination.coordinate)
      meters += leg.distanceMeters
      seconds += leg.durationSeconds
      place = request.destination.coordinate
      let direct = estimator.estimate(
        from: requests[group.pickUp].origin.coordinate, to: request.destination.coordinate
      ).distanceMeters
      let limit = (1 + request.limits.maxDetourRatio) * direct + 300
      if !(meters <= limit * (1 + 1e-12)) {
        problems.append(
          .ridesTooFar(group: index, request: member, meters: meters, limit: limit))
      }
      if let at = group.members.firstIndex(of: member) {
        expect("rideMeters", group.rideMeters[at], meters)
      }
      if let least = request.limits.minSharedRatio, step == group.dropOffOrder.count - 1 {
        let shared = meters - leg.distanceMeters
        if shared < least * meters * (1 - 1e-12) {
          problems.append(
            .sharesTooLittle(group: index, request: member, ratio: shared / meters))
        }
      }
    }
    expect("distanceMeters", group.distanceMeters, meters)
    expect("durationSeconds", group.durationSeconds, seconds)
    return (meters, seconds)
  }

  private mutating func money(
    _ pricing: RidePricing, _ profile: TrafficProfile, distance: Double, duration: Double
  ) {
    var solo = 0.0
    var exactSolo: Int64 = 0
    for member in group.members {
      let request = requests[member]
      let direct = TravelEstimator(
        profile: profile, departure: request.window.time,
        near: request.origin.coordinate
      ).estimate(from: request.origin.coordinate, to: request.destination.coordinate)
      solo += pricing.estimate(
        direct.distanceMeters, direct.durationSeconds, request.window.time)
      exactSolo += pricing.exact(
        direct.distanceMeters, direct.durationSeconds, request.window.time)
    }
    let walks = group.walkMeters.reduce(0, +) * pricing.walkCostPerMeter
    let saving = solo - pricing.estimate(distance, duration, group.departure) - walks
    expect("saving", group.saving, saving)
    if group.saving <= 0 || group.fare >= exactSolo {
      problems.append(.savesNothing(group: index))
    }
    expect("soloFares", Double(group.soloFares), Double(exactSolo))
    expect(
      "fare", Double(group.fare),
      Double(pricing.exact(group.distanceMeters, group.durationSeconds, group.departure)))
    let shares = group.shares.reduce(0) { $0 + $1.amount }
    expect("shares", Double(shares), Double(group.fare))
    for share in group.shares {
      if let alone = share.soloFare, share.amount > alone {
        problems.append(.paysMoreThanAlone(group: index, riderID: share.riderID))
      }
    }
  }
}
