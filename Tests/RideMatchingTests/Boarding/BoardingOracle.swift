import Foundation
import GeoMath
import ObjectModel
import RideMatching
import RoutePlanning
import TaxiFares

/// Boarding on the way by brute force: every insertion of both halts at every meeting point, judged
/// and priced from the definitions alone, with none of the code under test but the estimate of roads,
/// the meter and the split by coalitions.
struct BoardingOracle {
  struct Found {
    var party: Party
    var place: Coordinate
    var walk: Double
    var detourSeconds: Double
    var gap: Int64
    var share: Int64
    var solo: Int64
    var halts: [Halt]
    var shares: [Int64]
    var saving: Int64 { solo - share }
  }

  struct Halt: Equatable {
    var rider: Int
    var isBoarding: Bool
    var place: Coordinate
  }

  struct Person {
    var seats: Int
    var weight: Double
    var limits: RideLimits
    var accepted: Int64?
    var window: DepartureWindow?
  }

  let tariff: Tariff
  let travel: TravelEstimator
  let party: Party
  let query: MatchQuery

  init(_ party: Party, _ query: MatchQuery, _ pricing: PartyPricing) throws {
    self.party = party
    self.query = query
    tariff = try pricing.catalog.tariff(id: party.tariffID, at: party.window.time)
    travel = TravelEstimator(
      profile: pricing.routes.profile(at: party.origin.coordinate), departure: party.window.time,
      near: party.origin.coordinate)
  }

  /// The halts as they are: of those who board on the way, and where each gets out.
  private var halts: [Halt] {
    let ids = party.riders.map(\.id)
    if party.route.stops.isEmpty {
      return party.route.stopOrder.map { id in
        let i = ids.firstIndex(of: id)!
        return Halt(rider: i, isBoarding: false, place: drop(i))
      }
    }
    return party.route.stops.map { stop in
      let i = ids.firstIndex(of: stop.riderID)!
      return Halt(
        rider: i, isBoarding: stop.isBoarding,
        place: stop.isBoarding ? party.riders[i].boarding!.place.coordinate : drop(i))
    }
  }

  private func drop(_ i: Int) -> Coordinate {
    (party.riders[i].dropOff ?? party.destination).coordinate
  }

  private var people: [Person] {
    let mine = Person(
      seats: query.seats, weight: query.weight ?? 1,
      limits: party.policy.bounding(query.wishes.limits(else: party.limits)), accepted: nil,
      window: query.window)
    return party.riders.map {
      Person(
        seats: $0.seats, weight: $0.weight ?? 1, limits: party.policy.bounding($0.limits),
        accepted: $0.acceptedShare, window: $0.boarding?.window)
    } + [mine]
  }

  /// The nearest point of the path on a plane that touches the Earth at the place.
  private func nearest(_ place: Coordinate) -> Coordinate {
    let degree = Double.pi / 180
    let x = cos(place.latitude * degree) * cos(place.longitude * degree)
    let y = cos(place.latitude * degree) * sin(place.longitude * degree)
    let scale = (x * x + y * y).squareRoot()
    func flat(_ p: Coordinate) -> (Double, Double) {
      ((p.longitude - place.longitude) * scale, p.latitude - place.latitude)
    }
    var best = party.route.path[0]
    var least = flat(best).0 * flat(best).0 + flat(best).1 * flat(best).1
    for (a, b) in zip(party.route.path, party.route.path.dropFirst()) {
      let (p, q) = (flat(a), flat(b))
      let d = (q.0 - p.0, q.1 - p.1)
      let length = d.0 * d.0 + d.1 * d.1
      let t = length > 0 ? max(0, min(1, -(p.0 * d.0 + p.1 * d.1) / length)) : 0
      let at = (p.0 + d.0 * t, p.1 + d.1 * t)
      let squared = at.0 * at.0 + at.1 * at.1
      guard squared < least else { continue }
      least = squared
      best =
        t >= 1
        ? b
        : Coordinate(
          uncheckedLatitude: place.latitude + at.1, longitude: place.longitude + at.0 / scale)
    }
    return best
  }

  /// What the rules say of the party, nil where it is no candidate.
  func judge() -> Found? {
    guard party.isActive, party.window.end > query.now, let asked = query.boarding?.coordinate,
      !party.riders.contains(where: { $0.id == query.riderID }), party.riders.count < 8,
      party.policy.conflict(host: party.riders[0].attributes, other: query.attributes) == nil
    else { return nil }
    let people = people
    let me = people.count - 1
    let base = halts
    let drop = query.destination.coordinate
    var best: (cost: Double, halts: [Halt], point: Coordinate, walk: Double)?
    for point in [asked, nearest(asked), party.origin.coordinate] {
      let walk = query.origin.distanceMeters(to: point)
      guard walk <= people[me].limits.maxWalkMeters else { continue }
      for i in 0..<base.count {
        for j in i...base.count {
          var halts = base
          halts.insert(Halt(rider: me, isBoarding: false, place: drop), at: j)
          halts.insert(Halt(rider: me, isBoarding: true, place: point), at: i)
          // Somebody is aboard on the leg on which the rider gets in.
          guard aboard(base, before: i, people.dropLast()) > 0,
            fitsSeats(halts, people), let seconds = holdsLimits(halts, people)
          else { continue }
          let cost = seconds + walk / 1.25
          if let best, cost >= best.cost { continue }
          best = (cost, halts, point, walk)
        }
      }
    }
    guard let best else { return nil }
    return priced(best.halts, people, best.point, best.walk)
  }

  private func aboard(_ halts: [Halt], before i: Int, _ people: ArraySlice<Person>) -> Int {
    var seats = 0
    for (r, person) in people.enumerated() {
      let boards = halts.firstIndex { $0.rider == r && $0.isBoarding } ?? -1
      let alights = halts.firstIndex { $0.rider == r && !$0.isBoarding }!
      if boards < i && alights >= i { seats += person.seats }
    }
    return seats
  }

  private func fitsSeats(_ halts: [Halt], _ people: [Person]) -> Bool {
    halts.indices.allSatisfy { aboard(halts, before: $0, people[...]) <= party.seats }
  }

  /// Seconds and meters at each halt, the origin first, each leg as long as at the departure.
  private func driven(_ halts: [Halt]) -> (meters: [Double], seconds: [Double]) {
    var meters = [0.0]
    var seconds = [0.0]
    var at = party.origin.coordinate
    for halt in halts {
      let leg = travel.estimate(straightMeters: at.distanceMeters(to: halt.place))
      meters.append(meters.last! + leg.distanceMeters)
      seconds.append(seconds.last! + leg.durationSeconds)
      at = halt.place
    }
    return (meters, seconds)
  }

  private func ends(_ r: Int, _ halts: [Halt]) -> (boards: Int, alights: Int) {
    let boards = halts.firstIndex { $0.rider == r && $0.isBoarding }.map { $0 + 1 } ?? 0
    return (boards, halts.firstIndex { $0.rider == r && !$0.isBoarding }! + 1)
  }

  private func direct(_ r: Int, _ halts: [Halt]) -> TravelEstimate {
    let (boards, alights) = ends(r, halts)
    let from = boards == 0 ? party.origin.coordinate : halts[boards - 1].place
    return travel.estimate(straightMeters: from.distanceMeters(to: halts[alights - 1].place))
  }

  private func holdsLimits(_ halts: [Halt], _ people: [Person]) -> Double? {
    let (meters, seconds) = driven(halts)
    for (r, person) in people.enumerated() {
      let (boards, alights) = ends(r, halts)
      let direct = direct(r, halts)
      let limits = person.limits
      let ride = seconds[alights] - seconds[boards]
      guard
        meters[alights] - meters[boards]
          <= limits.longestRideMeters(
            direct: direct.distanceMeters)
      else { return nil }
      let detour = min(
        limits.maxDetourSeconds ?? .infinity, party.policy.maxDetourSeconds ?? .infinity)
      guard ride <= min(limits.maxRideSeconds ?? .infinity, direct.durationSeconds + detour) else {
        return nil
      }
      if let by = limits.arriveBy,
        seconds[alights] > Double(by.milliseconds(since: party.window.time)) / 1000
      {
        return nil
      }
      guard let window = person.window else { continue }
      let after = Int64((seconds[boards] * 1000).rounded())
      let from = party.window.start.advanced(milliseconds: after)
      let through = party.window.end.advanced(milliseconds: after)
      guard from <= window.end, window.start <= through else { return nil }
      if r == people.count - 1, min(through, window.end) < query.now { return nil }
    }
    return seconds.last!
  }

  // MARK: Prices

  private func priced(
    _ halts: [Halt], _ people: [Person], _ point: Coordinate, _ walk: Double
  ) -> Found? {
    let me = people.count - 1
    var (meters, seconds) = driven(halts)
    if halts.count > 1 && seconds.last! + 2 >= travel.steadySeconds {
      var clock = travel
      var at = party.origin.coordinate
      for (k, halt) in halts.enumerated() {
        let leg = clock.estimate(straightMeters: at.distanceMeters(to: halt.place))
        seconds[k + 1] = seconds[k] + leg.durationSeconds
        at = halt.place
        clock = clock.advanced(seconds: leg.durationSeconds, near: at)
      }
    }
    let meter = FareMeter(tariff, departure: party.window.time, isCalled: party.isCalled)
    guard
      let total = meter.expected(
        distanceMeters: meters.last!, durationSeconds: seconds.last!)
    else { return nil }
    let solos = people.indices.map { r in
      let direct = direct(r, halts)
      return meter.expected(
        distanceMeters: direct.distanceMeters, durationSeconds: direct.durationSeconds)!.amount
    }
    for (r, person) in people.enumerated() {
      if let least = person.limits.minSharedRatio, sharedRatio(r, halts, meters) < least {
        return nil
      }
    }
    let shares = shares(halts, people, meters, seconds, solos, total)
    guard shares.reduce(0, +) == total.amount else { return nil }
    for (r, person) in people.enumerated() {
      if let accepted = person.accepted, !party.allowsRaisedShares, shares[r] > accepted {
        return nil
      }
    }
    if shares[me] > query.maxShare ?? solos[me] { return nil }
    let (boards, alights) = ends(me, halts)
    let arrival = party.window.time.advanced(
      milliseconds: Int64((seconds[boards] * 1000).rounded()))
    return Found(
      party: party, place: point, walk: walk,
      detourSeconds: max(
        0, seconds[alights] - seconds[boards] - direct(me, halts).durationSeconds),
      gap: abs(arrival.milliseconds(since: query.window.time)), share: shares[me],
      solo: solos[me], halts: halts, shares: shares)
  }

  private func isAboard(_ r: Int, _ leg: Int, _ halts: [Halt]) -> Bool {
    let (boards, alights) = ends(r, halts)
    return boards <= leg && leg < alights
  }

  private func sharedRatio(_ r: Int, _ halts: [Halt], _ meters: [Double]) -> Double {
    let (boards, alights) = ends(r, halts)
    let count = Set(halts.map(\.rider)).count
    var together = 0.0
    for leg in boards..<alights
    where (0..<count).contains(where: { $0 != r && isAboard($0, leg, halts) }) {
      together += meters[leg + 1] - meters[leg]
    }
    let ride = meters[alights] - meters[boards]
    return ride > 0 ? min(1, together / ride) : 1
  }

  private func shares(
    _ halts: [Halt], _ people: [Person], _ meters: [Double], _ seconds: [Double],
    _ solos: [Int64], _ total: FareMeter.Total
  ) -> [Int64] {
    let plain = FareMeter(tariff, departure: party.window.time)
    let seats = people.map { UInt64($0.seats) }
    switch party.splitRule {
    case .hostPays: return people.indices.map { $0 == 0 ? total.amount : 0 }
    case .shapley: return byCoalitions(halts, people, plain, total)
    case .equal, .byDistance, .byLeg, .bySoloFare, .weights: break
    }
    var parts = people.map { _ in 0.0 }
    var before: Int64 = 0
    for leg in halts.indices {
      var value = meters[leg + 1] - meters[leg]
      if party.splitRule == .byLeg {
        let upTo = plain.expected(
          distanceMeters: meters[leg + 1], durationSeconds: seconds[leg + 1])!.amount
        value = Double(max(0, upTo - before))
        before = max(before, upTo)
      }
      let riding = people.indices.filter { isAboard($0, leg, halts) }
      func weight(_ r: Int) -> Double {
        switch party.splitRule {
        case .bySoloFare: Double(solos[r])
        case .weights: people[r].weight
        default: Double(people[r].seats)
        }
      }
      var payers = riding
      var weights = riding.map(weight)
      if weights.reduce(0, +) <= 0 {
        payers = riding.isEmpty ? Array(people.indices) : riding
        weights = payers.map { Double(people[$0].seats) }
      }
      let sum = weights.reduce(0, +)
      for (r, weight) in zip(payers, weights) { parts[r] += value * weight / sum }
    }
    let metered = Self.divide(total.amount - total.extras, Self.whole(parts))
    return zip(metered, Self.divide(total.extras, seats)).map { $0 + $1 }
  }

  private func byCoalitions(
    _ halts: [Halt], _ people: [Person], _ plain: FareMeter, _ total: FareMeter.Total
  ) -> [Int64] {
    let split = FareSplit(
      amount: total.amount, rule: .shapley,
      riders: people.indices.map { ShareRider(id: "\($0)", seats: people[$0].seats) },
      extras: total.extras)
    let shares = try? split.shares { members in
      var places = members.contains { ends($0, halts).boards == 0 } ? [party.origin.coordinate] : []
      places += halts.filter { members.contains($0.rider) }.map(\.place)
      var meters = 0.0
      var seconds = 0.0
      for (a, b) in zip(places, places.dropFirst()) {
        let leg = travel.estimate(straightMeters: a.distanceMeters(to: b))
        meters += leg.distanceMeters
        seconds += leg.durationSeconds
      }
      return plain.expected(distanceMeters: meters, durationSeconds: seconds)!.amount
    }
    return shares?.map(\.amount) ?? []
  }

  private static func whole(_ parts: [Double]) -> [UInt64] {
    let largest = parts.max() ?? 0
    guard largest > 0 else { return parts.map { _ in 0 } }
    let isWhole = parts.allSatisfy { $0 == $0.rounded() && $0 <= Double(1 << 50) }
    return parts.map { isWhole ? UInt64($0) : UInt64(($0 / largest * Double(1 << 50)).rounded()) }
  }

  /// By largest remainder, the earlier first among equals.
  private static func divide(_ amount: Int64, _ weights: [UInt64]) -> [Int64] {
    let sum = weights.reduce(0, +)
    guard sum > 0, amount > 0 else { return weights.map { _ in 0 } }
    var shares = weights.map { weight in
      let product = UInt64(amount).multipliedFullWidth(by: weight)
      return sum.dividingFullWidth(product)
    }
    let left = amount - shares.reduce(0) { $0 + Int64($1.quotient) }
    let order = shares.indices.sorted {
      (shares[$1].remainder, $0) < (shares[$0].remainder, $1)
    }
    for i in order.prefix(Int(left)) { shares[i].quotient += 1 }
    return shares.map { Int64($0.quotient) }
  }
}
