import Foundation
import GeoMath
import ObjectModel
import RideMatching
import TaxiFares
import TestSupport
import Testing

/// Match with boarding on the way against brute force.
@Suite struct BoardingOracleTests {
  /// So many instances a seed: optimised, 10,000 in all.
  static let instances =
    ProcessInfo.processInfo.environment["MOYEO_BOARDING_INSTANCES"].flatMap { Int($0) }
    ?? (_isDebugAssertConfiguration() ? 40 : 1000)

  static func rules() throws -> PartyRules { try PartyWorld.rules { $0.seats = 1...8 } }

  static func limits(_ random: inout SplitMix64) -> RideLimits {
    RideLimits(
      maxWalkMeters: random.pick([0, 300, 300, 1500]),
      maxDetourRatio: random.pick([0, 0.25, 0.25, 0.6, 2]),
      minSharedRatio: random.chance(0.1) ? 0.3 : nil,
      maxRideSeconds: random.chance(0.1) ? random.real(600...2400) : nil,
      maxDetourSeconds: random.chance(0.15) ? random.real(60...900) : nil)
  }

  static func wishes(_ random: inout SplitMix64, _ departure: Instant) -> RideWishes {
    guard random.chance(0.7) else { return .none }
    var wishes = RideWishes(limits(&random))
    if random.chance(0.2) {
      wishes.arriveBy = departure.advanced(milliseconds: Int64(random.int(600...3600)) * 1000)
    }
    return wishes
  }

  /// West of the tariff's edge, so that areas make no difference to the fares of the oracle.
  static func place(_ meters: Double, _ random: inout SplitMix64) -> Coordinate {
    PartyWorld.place(near: PartyWorld.seoul, meters: meters, &random)
  }

  /// A place near the path of a party.
  static func along(_ party: Party, _ random: inout SplitMix64) -> Coordinate {
    let i = random.int(0...max(0, party.route.path.count - 2))
    let a = party.route.path[i]
    let b = party.route.path[min(i + 1, party.route.path.count - 1)]
    let t = random.real(0...1)
    let there = Coordinate(
      uncheckedLatitude: a.latitude + (b.latitude - a.latitude) * t,
      longitude: a.longitude + (b.longitude - a.longitude) * t)
    return PartyWorld.place(near: there, meters: random.pick([10, 200, 800, 2000]), &random)
  }

  static func join(
    _ id: String, _ party: Party, _ random: inout SplitMix64
  ) -> JoinParty {
    var join = JoinParty(
      riderID: id,
      destination: random.chance(0.3) ? nil : PartyWorld.named(along(party, &random)),
      seats: random.pick([1, 1, 1, 2]), attributes: ["gender": "f"],
      wishes: wishes(&random, party.window.time), weight: random.pick([nil, 2, 0.5]))
    if random.chance(0.7) {
      join.boarding = PartyWorld.named(along(party, &random))
      if random.chance(0.4) {
        join.window = DepartureWindow(
          time: party.window.time.advanced(milliseconds: Int64(random.int(0...1500)) * 1000),
          toleranceMilliseconds: Int64(random.int(60...900)) * 1000)
      }
    }
    return join
  }

  static func party(_ id: String, _ rules: PartyRules, _ random: inout SplitMix64) -> Party? {
    let night = random.chance(0.2)
    let time = PartyWorld.seoulTime(night ? 22 : 18, random.int(0...59))
    var limits = limits(&random)
    if random.chance(0.6) { limits.maxDetourRatio = max(limits.maxDetourRatio, 0.6) }
    let command = CreateParty(
      hostID: "host-\(id)", origin: PartyWorld.named(place(3000, &random)),
      destination: PartyWorld.named(place(6000, &random)),
      window: DepartureWindow(
        time: time, toleranceMilliseconds: Int64(random.int(0...20)) * 60_000),
      attributes: ["gender": random.pick(["f", "f", "f", "m"])], hostWeight: random.pick([nil, 3]),
      seats: random.int(2...6), limits: limits,
      policy: random.chance(0.2)
        ? RidePolicy(
          sameAttributes: random.chance(0.5) ? ["gender"] : [],
          maxDetourSeconds: random.chance(0.3) ? 600 : nil) : .none,
      splitRule: random.pick(SplitRule.allCases), allowsRaisedShares: random.chance(0.4),
      isCalled: random.chance(0.3),
      tariffID: random.pick(["kr-seoul-medium", "everywhere"]))
    let now = PartyWorld.seoulTime(17)
    guard
      var party = try? rules.create(command, id: id, now: now, claims: PartyWorld.noClaims).party
    else { return nil }
    for i in 0..<random.int(0...6) where party.riders.count < 6 {
      let join = join("rider-\(id)-\(i)", party, &random)
      if let change = try? rules.join(join, party, now: now, claims: PartyWorld.noClaims) {
        party = change.party
      }
      if party.riders.count > 2, random.chance(0.1) {
        let someone = random.pick(party.riders).id
        party = (try? rules.leave(riderID: someone, party, now: now).party) ?? party
      }
    }
    return party
  }

  static func query(_ parties: [Party], _ random: inout SplitMix64) -> MatchQuery {
    let near = random.pick(parties)
    let from = along(near, &random)
    return MatchQuery(
      riderID: random.chance(0.05) ? near.hostID : "me",
      origin: random.chance(0.7)
        ? from : PartyWorld.place(near: from, meters: 600, &random),
      destination: random.chance(0.5)
        ? near.destination : PartyWorld.named(along(near, &random)),
      window: DepartureWindow(
        time: near.window.time.advanced(milliseconds: Int64(random.int(-300...1500)) * 1000),
        toleranceMilliseconds: Int64(random.int(0...30)) * 60_000),
      now: PartyWorld.seoulTime(17), wishes: wishes(&random, near.window.time),
      seats: random.pick([1, 1, 1, 2]), attributes: ["gender": "f"],
      weight: random.pick([nil, 2]), maxShare: random.chance(0.1) ? 4000 : nil, limit: 100,
      boarding: PartyWorld.named(from))
  }

  static func ranks(_ a: BoardingOracle.Found, _ b: BoardingOracle.Found) -> Bool {
    if a.saving != b.saving { return a.saving > b.saving }
    if a.walk != b.walk { return a.walk < b.walk }
    if a.gap != b.gap { return a.gap < b.gap }
    if a.detourSeconds != b.detourSeconds { return a.detourSeconds < b.detourSeconds }
    return a.party.id < b.party.id
  }

  @Test(arguments: [1 as UInt64, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  func equalsBruteForce(seed: UInt64) throws {
    let rules = try Self.rules()
    var matched = 0
    var onTheWay = 0
    var atMeetingPoints = 0
    for instance in 0..<Self.instances {
      var random = SplitMix64(seed: seed &* 1_000_003 &+ UInt64(instance))
      var index = PartyIndex(pricing: rules.pricing)
      var parties: [Party] = []
      for i in 0..<random.int(3...8) {
        guard let party = Self.party("\(i)", rules, &random) else { continue }
        parties.append(party)
        try index.update(party)
      }
      guard !parties.isEmpty else { continue }
      onTheWay += parties.count(where: \.boardsOnTheWay)
      for _ in 0..<3 {
        var query = Self.query(parties, &random)
        guard (try? rules.checkLength(query)) != nil else { continue }
        let best = try parties.compactMap { try BoardingOracle($0, query, rules.pricing).judge() }
          .sorted(by: Self.ranks)
        let found = index.match(query)
        let at = "seed \(seed), instance \(instance)"
        #expect(found.candidates.map(\.party.id) == best.map(\.party.id), "\(at)")
        for (candidate, truth) in zip(found.candidates, best) {
          #expect(candidate.yourFare == truth.share, "\(at)")
          #expect(candidate.yourSaving == truth.saving, "\(at)")
          #expect(candidate.boarding?.place.coordinate == truth.place, "\(at)")
          #expect(candidate.walkMeters == truth.walk, "\(at)")
          #expect(
            candidate.route.stops.map(\.isBoarding) == truth.halts.map(\.isBoarding), "\(at)")
          try join(query, candidate, truth, rules)
          if truth.walk > 0 { atMeetingPoints += 1 }
        }
        matched += best.count
        query.explain = true
        let told = index.match(query)
        #expect(told.candidates == found.candidates, "\(at)")
        try checkExplanation(try #require(told.explanation), best.count, query, index, at)
      }
    }
    #expect(matched > 20 && onTheWay > 20 && atMeetingPoints > 2, "the instances show little")
  }

  /// The join does what the candidate promises.
  private func join(
    _ query: MatchQuery, _ candidate: MatchCandidate, _ truth: BoardingOracle.Found,
    _ rules: PartyRules
  ) throws {
    let party = candidate.party
    let change = try rules.join(query.join, party, now: query.now, claims: PartyWorld.noClaims)
    let after = change.party
    let preview = try rules.preview(query.join, party, now: query.now)
    #expect(after.riders.map(\.share) == truth.shares)
    #expect(after.riders.last?.boarding == candidate.boarding)
    #expect(after.route == candidate.route)
    #expect(preview.now.riders.map(\.share) == truth.shares)
    #expect(preview.boarding == candidate.boarding)
    #expect(after.boardingTime(query.riderID) == candidate.boardingTime)
    checkSharesSeatsAndLimits(after)
    let again = try rules.pricing.price(after)
    #expect(again.route == after.route && again.fare == after.fare)
    let replayed = change.events.reduce(party) { $0.applying($1) }
    #expect(replayed == after)
    let repeated = try rules.join(query.join, after, now: query.now, claims: PartyWorld.noClaims)
    #expect(repeated.unchanged)
    let left = try rules.leave(riderID: query.riderID, after, now: query.now).party
    checkSharesSeatsAndLimits(left)
  }

  private func checkSharesSeatsAndLimits(_ party: Party) {
    #expect(party.riders.reduce(0) { $0 + $1.share } == party.fare.expected)
    #expect(party.seatsTaken <= party.seats)
    #expect(party.state == (party.seatsFree > 0 ? .open : .full))
    for rider in party.riders where !party.allowsRaisedShares {
      #expect(rider.share <= rider.acceptedShare)
    }
  }

  private func checkExplanation(
    _ explanation: MatchExplanation, _ matched: Int, _ query: MatchQuery, _ index: PartyIndex,
    _ at: String
  ) throws {
    #expect(explanation.matched == matched, "\(at)")
    #expect(
      explanation.considered == explanation.matched + explanation.removed.values.reduce(0, +))
    #expect(matched == 0 || explanation.relaxations.isEmpty)
    for change in explanation.relaxations {
      var asked = query
      asked.explain = false
      switch change.rule {
      case .walk: asked.wishes.maxWalkMeters = change.value
      case .detour: asked.wishes.maxDetourRatio = change.value
      case .seats: asked.seats = Int(change.value)
      case .price: asked.maxShare = Int64(change.value)
      case .window, .state, .policy, .overlap:
        Issue.record("nobody relaxes \(change.rule) with boarding on the way")
      }
      let found = index.match(asked).candidates.first { $0.party.id == change.partyID }
      #expect(found != nil, "\(change) at \(at)")
      if change.rule == .walk { #expect(found?.boarding?.place.coordinate == change.boarding) }
    }
  }

  /// Seats are sold leg by leg, whatever people ask in whatever order.
  @Test(arguments: [1 as UInt64, 2, 3, 4])
  func noLegIsEverSoldTwice(seed: UInt64) throws {
    let rules = try Self.rules()
    var random = SplitMix64(seed: seed)
    var shared = 0
    for round in 0..<20 {
      guard var party = Self.party("\(round)", rules, &random) else { continue }
      let now = PartyWorld.seoulTime(17)
      for i in 0..<30 {
        if random.chance(0.2), party.riders.count > 1 {
          party =
            try rules.leave(riderID: random.pick(party.riders).id, party, now: now).party
        } else if let change = try? rules.join(
          Self.join("late-\(i)", party, &random), party, now: now, claims: PartyWorld.noClaims)
        {
          party = change.party
        }
        let legs = Self.seatsByLeg(party)
        #expect(legs.allSatisfy { $0 >= 0 && $0 <= party.seats })
        #expect(legs.max() == party.seatsTaken)
        if party.riders.reduce(0, { $0 + $1.seats }) > party.seats { shared += 1 }
        #expect(party.riders.reduce(0) { $0 + $1.share } == party.fare.expected)
      }
    }
    #expect(shared > 0, "no seat was sold to two who do not meet")
  }

  /// Seats taken between halts, counted by hand.
  static func seatsByLeg(_ party: Party) -> [Int] {
    var aboard = party.riders.filter { $0.boarding == nil }.reduce(0) { $0 + $1.seats }
    var legs = [aboard]
    guard party.boardsOnTheWay else { return legs }
    for stop in party.route.stops {
      let seats = party.riders.first { $0.id == stop.riderID }!.seats
      aboard += stop.isBoarding ? seats : -seats
      legs.append(aboard)
    }
    return legs
  }

  @Test func halfwayAlongThePathNobodyWalks() throws {
    let rules = try Self.rules()
    let origin = Coordinate(uncheckedLatitude: 37.50, longitude: 126.95)
    let end = Coordinate(uncheckedLatitude: 37.50, longitude: 127.07)
    let halfway = Coordinate(uncheckedLatitude: 37.5005, longitude: 127.01)
    let time = PartyWorld.seoulTime(18)
    let party = try rules.create(
      CreateParty(
        hostID: "host", origin: PartyWorld.named(origin), destination: PartyWorld.named(end),
        window: DepartureWindow(time: time), tariffID: "kr-seoul-medium"),
      id: "p", now: PartyWorld.seoulTime(17), claims: PartyWorld.noClaims
    ).party
    let before = try #require(party.riders.first?.share)
    let joined = try rules.join(
      JoinParty(riderID: "rider", boarding: PartyWorld.named(halfway)), party,
      now: PartyWorld.seoulTime(17), claims: PartyWorld.noClaims
    ).party
    let rider = try #require(joined.riders.last)
    #expect(try #require(rider.boarding).walkMeters <= 300)
    #expect(try #require(joined.boardingTime("rider")) > time)
    #expect(joined.riders[0].share < before)
    #expect(rider.share < rider.soloFare)
    // Both get out at one place: the new rider first.
    #expect(joined.route.stops.map(\.riderID) == ["rider", "rider", "host"])
    let late = DepartureWindow(
      time: PartyWorld.seoulTime(20), toleranceMilliseconds: 60_000)
    #expect(throws: PartyError.self) {
      try rules.join(
        JoinParty(riderID: "late", boarding: PartyWorld.named(halfway), window: late), joined,
        now: PartyWorld.seoulTime(17), claims: PartyWorld.noClaims)
    }
  }
}
