import GeoMath
import ObjectModel
import RideMatching
import TaxiFares
import TestSupport
import Testing

/// The index against a look at every party by the rules alone.
@Suite struct MatchOracleTests {
  struct City: Sendable, CustomTestStringConvertible {
    var name: String
    var center: Coordinate
    var radius: Double
    var reach: Double
    /// Of the riders' and parties' limits.
    var walks: [Double]
    var ratios: [Double]
    var tolerances: [Int64]
    /// Departures are spread over so much time.
    var spreadMilliseconds = 7_200_000
    var testDescription: String { name }
  }

  static let usual: [Double] = [0, 300, 300, 1000]
  static let cities: [City] = [
    City(
      name: "Seoul", center: PartyWorld.seoul, radius: 1200, reach: 9000, walks: usual,
      ratios: [0, 0.25, 0.25, 1], tolerances: [0, 600, 600, 1200]),
    City(
      name: "one corner", center: PartyWorld.seoul, radius: 30, reach: 4000, walks: usual,
      ratios: [0, 0.25, 1], tolerances: [0, 600]),
    City(
      name: "wide limits", center: PartyWorld.seoul, radius: 20_000, reach: 60_000,
      walks: [300, 5000, 50_000], ratios: [0.25, 3, 1000], tolerances: [600, 7200, 80_000],
      spreadMilliseconds: 80_000_000),
    City(
      name: "North Pole", center: Coordinate(uncheckedLatitude: 89.99, longitude: 10),
      radius: 3000, reach: 9000, walks: [300, 1000, 5000], ratios: [0.25, 1],
      tolerances: [600]),
    City(
      name: "South Pole", center: Coordinate(uncheckedLatitude: -90, longitude: 0),
      radius: 1000, reach: 9000, walks: usual, ratios: [0.25, 1], tolerances: [600]),
    City(
      name: "180 degrees", center: Coordinate(uncheckedLatitude: 65, longitude: 179.995),
      radius: 1200, reach: 9000, walks: usual, ratios: [0.25, 1], tolerances: [600]),
    City(
      name: "180 degrees at the equator",
      center: Coordinate(uncheckedLatitude: 0, longitude: -180), radius: 1200, reach: 9000,
      walks: usual, ratios: [0.25, 1], tolerances: [600]),
    City(
      name: "across the midnight", center: PartyWorld.seoul, radius: 800, reach: 30_000,
      walks: [1000], ratios: [0.25, 1], tolerances: [600, 3600],
      spreadMilliseconds: 86_400_000),
  ]

  static func party(
    _ city: City, _ id: String, _ rules: PartyRules, _ random: inout SplitMix64
  ) -> Party? {
    let origin = PartyWorld.place(near: city.center, meters: city.radius, &random)
    let now = PartyWorld.midnight
    func limits() -> RideLimits {
      RideLimits(
        maxWalkMeters: random.pick(city.walks), maxDetourRatio: random.pick(city.ratios),
        minSharedRatio: random.chance(0.1) ? 0.6 : nil)
    }
    let destination = PartyWorld.place(near: city.center, meters: city.reach, &random)
    let command = CreateParty(
      hostID: "host-\(id)", origin: PartyWorld.named(origin),
      destination: PartyWorld.named(destination),
      window: DepartureWindow(
        time: now.advanced(milliseconds: Int64(random.int(0...city.spreadMilliseconds))),
        toleranceMilliseconds: random.pick(city.tolerances) * 1000),
      attributes: random.chance(0.8) ? ["gender": random.pick(["f", "m"])] : [:],
      seats: random.int(2...4), limits: limits(),
      policy: random.chance(0.2)
        ? RidePolicy(
          sameAttributes: random.chance(0.5) ? ["gender"] : [],
          maxWalkMeters: random.chance(0.5) ? 500 : nil,
          maxDetourRatio: random.chance(0.3) ? 0.5 : nil,
          maxDetourSeconds: random.chance(0.5) ? 600 : nil) : .none,
      splitRule: random.pick(SplitRule.allCases), allowsRaisedShares: random.chance(0.2),
      isCalled: random.chance(0.2),
      tariffID: city.center == PartyWorld.seoul
        ? random.pick(PartyWorld.tariffIDs) : "everywhere")
    guard
      var party = try? rules.create(command, id: id, now: now, claims: PartyWorld.noClaims).party
    else { return nil }
    for i in 0..<random.int(0...2) {
      let join = JoinParty(
        riderID: "rider-\(id)-\(i)",
        destination: random.chance(0.3)
          ? nil
          : PartyWorld.named(PartyWorld.place(near: destination, meters: 2000, &random)),
        attributes: party.riders[0].attributes, wishes: RideWishes(limits()))
      if let change = try? rules.join(join, party, now: now, claims: PartyWorld.noClaims) {
        party = change.party
      }
    }
    if random.chance(0.03) {
      party =
        (try? rules.depart(party, actorID: nil, now: party.window.start).party) ?? party
    }
    if random.chance(0.03) {
      party = (try? rules.cancel(party, actorID: nil, now: now).party) ?? party
    }
    return party
  }

  static func query(_ city: City, _ random: inout SplitMix64) -> MatchQuery {
    MatchQuery(
      riderID: random.chance(0.1) ? "host-7" : "me",
      origin: PartyWorld.place(near: city.center, meters: city.radius, &random),
      destination: PartyWorld.named(
        PartyWorld.place(near: city.center, meters: city.reach, &random)),
      window: DepartureWindow(
        time: PartyWorld.midnight.advanced(
          milliseconds: Int64(random.int(0...city.spreadMilliseconds))),
        toleranceMilliseconds: random.pick(city.tolerances) * 1000),
      now: PartyWorld.midnight.advanced(
        milliseconds: Int64(random.int(0...(city.spreadMilliseconds / 2)))),
      wishes: RideWishes(
        maxWalkMeters: random.chance(0.3) ? nil : random.pick(city.walks),
        maxDetourRatio: random.chance(0.3) ? nil : random.pick(city.ratios),
        minSharedRatio: random.chance(0.1) ? 0.5 : nil), seats: random.pick([1, 1, 1, 2]),
      attributes: random.chance(0.8) ? ["gender": random.pick(["f", "m"])] : [:],
      maxShare: random.chance(0.2) ? Int64(random.int(1000...9000)) : nil,
      limit: random.pick([0, 3, 1000]))
  }

  /// What the rules say of one party, by asking them.
  static func judge(
    _ party: Party, _ query: MatchQuery, _ rules: PartyRules
  ) -> (rule: MatchRule?, candidate: MatchCandidate?)? {
    guard party.state != .cancelled, party.state != .ended, party.window.end > query.now,
      !party.riders.contains(where: { $0.id == query.riderID })
    else { return nil }
    if party.state != .open { return (.state, nil) }
    let last = min(party.window.end, query.window.end)
    if !party.window.meets(query.window) || last < query.now { return (.window, nil) }
    do {
      let preview = try rules.preview(query.join, party, now: query.now)
      let me = preview.now.riders[preview.now.riders.count - 1]
      return (
        nil,
        MatchCandidate(
          party: party, walkMeters: query.origin.distanceMeters(to: party.origin.coordinate),
          detourSeconds: me.detourSeconds, sharedRatio: me.sharedRatio,
          timeGapMilliseconds: abs(
            party.window.time.milliseconds(since: query.window.time)),
          route: preview.now.route, yourFare: me.share, yourSaving: me.saving)
      )
    } catch {
      switch error {
      case .full: return (.seats, nil)
      case .policyViolation: return (.policy, nil)
      case .walkExceeded: return (.walk, nil)
      case .detourExceeded, .detourTimeExceeded, .sharedTooLittle, .fare: return (.detour, nil)
      case .raisesShare, .shareExceeded: return (.price, nil)
      default:
        Issue.record("\(error)")
        return nil
      }
    }
  }

  static func ranks(_ a: MatchCandidate, _ b: MatchCandidate) -> Bool {
    if a.yourSaving != b.yourSaving { return a.yourSaving > b.yourSaving }
    if a.walkMeters != b.walkMeters { return a.walkMeters < b.walkMeters }
    if a.timeGapMilliseconds != b.timeGapMilliseconds {
      return a.timeGapMilliseconds < b.timeGapMilliseconds
    }
    if a.detourSeconds != b.detourSeconds { return a.detourSeconds < b.detourSeconds }
    return a.party.id < b.party.id
  }

  @Test(arguments: cities, [1 as UInt64, 2])
  func equalsTheRulesAskedOneByOne(city: City, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let rules = try PartyWorld.rules { $0.maximumToleranceMilliseconds = 100_000_000 }
    var index = PartyIndex(pricing: rules.pricing)
    var parties: [String: Party] = [:]
    for i in 0..<250 {
      guard let party = Self.party(city, "\(i)", rules, &random) else { continue }
      parties["\(i)"] = party
      try index.update(party)
    }
    let snapshot = index
    let snapshotParties = parties
    var matched = 0
    var broken: Set<MatchRule> = []
    for round in 0..<40 {
      // The index follows the parties as they change.
      for _ in 0..<6 {
        let id = "\(random.int(0...249))"
        if random.chance(0.2) {
          parties[id] = nil
          index.remove(id: id)
        } else if let party = Self.party(city, id, rules, &random) {
          parties[id] = party
          try index.update(party)
        }
      }
      let query = Self.query(city, &random)
      let all = round % 2 == 0 ? parties : snapshotParties
      let judged = all.values.compactMap { Self.judge($0, query, rules) }
      let best = judged.compactMap(\.candidate).sorted(by: Self.ranks)
      let tested = round % 2 == 0 ? index : snapshot
      let answer = tested.match(query)
      #expect(answer.candidates == Array(best.prefix(query.limit)), "\(query)")
      var explained = query
      explained.explain = true
      let told = tested.match(explained)
      #expect(told.candidates == answer.candidates)
      let explanation = try #require(told.explanation)
      #expect(explanation.considered == judged.count)
      #expect(explanation.matched == best.count)
      let counts = Dictionary(grouping: judged.compactMap(\.rule)) { $0 }.mapValues(\.count)
      #expect(explanation.removed == counts)
      #expect(
        explanation.considered == explanation.matched + explanation.removed.values.reduce(0, +))
      matched += best.count
      broken.formUnion(judged.compactMap(\.rule))
      checkRelaxations(explanation, query, all, rules)
    }
    #expect(matched > 0, "nothing ever matched: the test would not see a lost candidate")
    #expect(broken.contains(.detour) && broken.contains(.seats))
  }

  /// Asked for, each relaxation matches its party; a hair less does not match anything.
  private func checkRelaxations(
    _ explanation: MatchExplanation, _ query: MatchQuery, _ parties: [String: Party],
    _ rules: PartyRules
  ) {
    #expect(explanation.matched == 0 || explanation.relaxations.isEmpty)
    for change in explanation.relaxations {
      guard let party = parties[change.partyID] else {
        Issue.record("unknown party \(change.partyID)")
        continue
      }
      #expect(Self.judge(party, relaxed(query, change, 0), rules)?.candidate != nil, "\(change)")
      let less = relaxed(query, change, 1)
      guard change.rule != .seats || less.seats < query.seats else { continue }
      for other in parties.values {
        // Where the rider states no limit, each party's own is in force: to state a smaller one asks
        // for less, and may choose an order of stops that costs less.
        if change.rule == .detour, query.wishes.maxDetourRatio == nil,
          other.limits.maxDetourRatio > less.wishes.maxDetourRatio ?? .infinity
        {
          continue
        }
        #expect(Self.judge(other, less, rules)?.candidate == nil, "\(change) in \(other.id)")
      }
    }
    let least = explanation.relaxations.min { $0.effort < $1.effort }
    #expect(explanation.relaxation?.effort == least?.effort)
  }

  /// - Parameter hair: 1 to ask for a little less than needed.
  private func relaxed(_ query: MatchQuery, _ change: MatchRelaxation, _ hair: Int) -> MatchQuery {
    var query = query
    switch change.rule {
    case .walk: query.wishes.maxWalkMeters = change.value * (1 - 1e-9 * Double(hair))
    case .detour:
      query.wishes.maxDetourRatio = change.value - 1e-6 * Double(hair) * max(1, change.value)
    case .window:
      query.window.toleranceMilliseconds = Int64((change.value * 1000).rounded()) - Int64(hair)
    case .seats: query.seats = Int(change.value) + hair
    case .price: query.maxShare = Int64(change.value) - Int64(hair)
    case .state, .policy, .overlap: Issue.record("nobody can relax \(change.rule)")
    }
    return query
  }

  @Test func limitsThatAreNoNumbersFindNothingAndHarmNothing() throws {
    let rules = try PartyWorld.rules()
    var random = SplitMix64(seed: 9)
    var index = PartyIndex(pricing: rules.pricing)
    for i in 0..<50 {
      if let party = Self.party(Self.cities[0], "\(i)", rules, &random) { try index.update(party) }
    }
    var query = Self.query(Self.cities[0], &random)
    query.limit = -5
    for walk in [Double.nan, -1, .infinity, -.infinity] {
      query.wishes.maxWalkMeters = walk
      #expect(index.match(query).candidates.isEmpty)
    }
    query.window = DepartureWindow(time: .distantFuture, toleranceMilliseconds: .max)
    _ = index.match(query)
    query.window = DepartureWindow(time: .distantPast, toleranceMilliseconds: -5)
    _ = index.match(query)
    query.seats = -1
    query.wishes = RideWishes(maxDetourRatio: .nan, minSharedRatio: .nan)
    _ = index.match(query)
  }
}
