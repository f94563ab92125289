import GeoMath
import ObjectModel
import RideMatching
import TaxiFares
import TestSupport
import Testing

/// Match with boarding on the way tries the most promising parties first and leaves the others out:
/// among many parties, under all tariffs, over edges of areas and into the night, it must answer what
/// a join of each party one by one says.
@Suite struct BoardingBoundsTests {
  static let parties = _isDebugAssertConfiguration() ? 150 : 1500
  static let queries = _isDebugAssertConfiguration() ? 25 : 100

  /// Over the edges of all areas of ``PartyWorld``.
  private static func place(_ random: inout SplitMix64) -> Coordinate {
    PartyWorld.place(near: PartyWorld.seoul, meters: random.pick([4000, 12_000]), &random)
  }

  /// - Parameter isAlike: Whether all are under one tariff, so that many share their bounds.
  private static func party(
    _ id: String, _ rules: PartyRules, _ from: Instant, isAlike: Bool = false,
    _ random: inout SplitMix64
  ) throws -> Party? {
    let time = from.advanced(milliseconds: Int64(random.int(0...3 * 3600)) * 1000)
    let command = CreateParty(
      hostID: "host-\(id)", origin: PartyWorld.named(place(&random)),
      destination: PartyWorld.named(place(&random)),
      window: DepartureWindow(
        time: time, toleranceMilliseconds: Int64(random.int(0...20)) * 60_000),
      attributes: ["gender": "f"], hostWeight: random.pick([nil, 3, 0]),
      seats: random.int(2...6), limits: BoardingOracleTests.limits(&random),
      splitRule: random.pick(SplitRule.allCases), allowsRaisedShares: random.chance(0.2),
      isCalled: !isAlike && random.chance(0.3),
      tariffID: isAlike ? PartyWorld.tariffIDs[0] : random.pick(PartyWorld.tariffIDs),
      agreedFare: random.chance(0.1) ? AgreedFare(amount: 9000, currency: "KRW") : nil)
    guard
      var party = try? rules.create(
        command, id: id, now: from, claims: PartyWorld.noClaims
      ).party
    else { return nil }
    for i in 0..<random.pick([0, 0, 1, 2, 4]) {
      let join = BoardingOracleTests.join("rider-\(id)-\(i)", party, &random)
      party =
        (try? rules.join(join, party, now: from, claims: PartyWorld.noClaims).party) ?? party
    }
    return party
  }

  private static func query(
    _ parties: [Party], _ now: Instant, _ random: inout SplitMix64
  ) -> MatchQuery {
    let near = random.pick(parties)
    let from = random.chance(0.7) ? BoardingOracleTests.along(near, &random) : place(&random)
    return MatchQuery(
      riderID: "me", origin: random.chance(0.8) ? from : place(&random),
      destination: PartyWorld.named(
        random.chance(0.6) ? BoardingOracleTests.along(near, &random) : place(&random)),
      window: DepartureWindow(
        time: near.window.time.advanced(milliseconds: Int64(random.int(-300...1500)) * 1000),
        toleranceMilliseconds: Int64(random.int(0...40)) * 60_000),
      now: now, wishes: BoardingOracleTests.wishes(&random, near.window.time),
      seats: random.pick([1, 1, 2]), attributes: ["gender": "f"], weight: random.pick([nil, 2, 0]),
      maxShare: random.chance(0.2) ? Int64(random.int(1000...20_000)) : nil, limit: 10_000,
      boarding: PartyWorld.named(from))
  }

  /// Whether a join succeeds at a share that the rider is offered.
  private static func fits(_ query: MatchQuery, _ party: Party, _ rules: PartyRules) -> Bool {
    guard
      let after = try? rules.join(query.join, party, now: query.now, claims: PartyWorld.noClaims)
        .party, let me = after.riders.first(where: { $0.id == query.riderID })
    else { return false }
    let most = query.maxShare ?? (party.hasTariff ? me.soloFare : .max)
    return me.share <= most
  }

  @Test(arguments: [(1, 8), (2, 17), (3, 20), (4, 21), (5, 22), (6, 1)] as [(UInt64, Int)])
  func answersWhatEachJoinSays(seed: UInt64, hour: Int) throws {
    try Self.expectTruth(seed: seed, hour: hour)
  }

  /// Fares of many under one tariff are bounded by the pace of their rides as well; at three, their prices fall
  /// on the way.
  @Test(arguments: [(7, 8), (8, 3), (9, 21), (10, 1)] as [(UInt64, Int)])
  func answersTheSameOfManyUnderOneTariff(seed: UInt64, hour: Int) throws {
    try Self.expectTruth(seed: seed, hour: hour, isAlike: true)
  }

  private static func expectTruth(seed: UInt64, hour: Int, isAlike: Bool = false) throws {
    var random = SplitMix64(seed: seed)
    let rules = try PartyWorld.rules { $0.seats = 1...8 }
    let now = PartyWorld.seoulTime(hour)
    var index = PartyIndex(pricing: rules.pricing)
    var parties: [Party] = []
    for i in 0..<Self.parties {
      guard let party = try Self.party("\(i)", rules, now, isAlike: isAlike, &random)
      else { continue }
      parties.append(party)
      try index.update(party)
    }
    var matched = 0
    var cut = 0
    for number in 0..<Self.queries {
      var query = Self.query(parties, now, &random)
      guard (try? rules.checkLength(query)) != nil else { continue }
      let at = "seed \(seed), query \(number)"
      let all = index.match(query).candidates
      let truth = parties.filter { Self.fits(query, $0, rules) }
      #expect(Set(all.map(\.party.id)) == Set(truth.map(\.id)), "\(at)")
      for limit in [1, 3] {
        query.limit = limit
        #expect(index.match(query).candidates == Array(all.prefix(limit)), "\(at)")
        if all.count > limit { cut += 1 }
      }
      query.explain = true
      #expect(index.match(query).explanation?.matched == all.count, "\(at)")
      matched += all.count
    }
    #expect(matched > 10 && cut > 3, "the instances show little")
  }

  /// How often a search of many parties that go one way asks whether to stop, which it does by its steps.
  private static func steps(from: Instant) throws -> Int {
    var random = SplitMix64(seed: 5)
    let rules = try PartyWorld.rules { _ in }
    let there = PartyWorld.seoul.destination(bearingDegrees: 330, meters: 9000)
    func way() -> (Coordinate, Coordinate) {
      (
        PartyWorld.place(near: PartyWorld.seoul, meters: 1500, &random),
        PartyWorld.place(near: there, meters: 1500, &random)
      )
    }
    func window() -> DepartureWindow {
      DepartureWindow(
        time: from.advanced(milliseconds: Int64(random.int(0...1500)) * 1000),
        toleranceMilliseconds: 600_000)
    }
    var index = PartyIndex(pricing: rules.pricing)
    for i in 0..<1000 {
      let (origin, destination) = way()
      let command = CreateParty(
        hostID: "host-\(i)", origin: PartyWorld.named(origin),
        destination: PartyWorld.named(destination), window: window(),
        tariffID: PartyWorld.tariffIDs[0])
      try index.update(
        rules.create(command, id: "\(i)", now: from, claims: PartyWorld.noClaims).party)
    }
    var asked = 0
    for _ in 0..<50 {
      let (origin, destination) = way()
      let query = MatchQuery(
        riderID: "me", origin: origin, destination: PartyWorld.named(destination),
        window: window(), now: from, boarding: PartyWorld.named(origin))
      let answer = index.match(
        query,
        shouldStop: {
          asked += 1
          return false
        })
      #expect(answer.candidates.count == 20)
    }
    return asked
  }

  /// In the half hour before prices rise, and in the one before they fall.
  @Test(arguments: [(21, 30), (3, 30)])
  func pricesThatChangeOnTheWayBoundRides(hour: Int, minute: Int) throws {
    let steady = try Self.steps(from: PartyWorld.seoulTime(14, 30))
    let changing = try Self.steps(from: PartyWorld.seoulTime(hour, minute))
    #expect(changing < steady + steady / 2, "\(changing) and \(steady)")
  }

  /// Parties come and go; those that stay keep their bounds.
  @Test func partiesThatGoTakeTheirBoundsAlong() throws {
    var random = SplitMix64(seed: 99)
    let rules = try PartyWorld.rules { $0.seats = 1...8 }
    let now = PartyWorld.seoulTime(9)
    var index = PartyIndex(pricing: rules.pricing)
    var held: [Party] = []
    for round in 0..<Self.parties * 2 {
      if held.count > 20, random.chance(0.5) {
        index.remove(id: held.remove(at: random.int(0...held.count - 1)).id)
      }
      guard let party = try Self.party("\(round)", rules, now, &random) else { continue }
      held.append(party)
      try index.update(party)
      if round % 3 == 0 { try index.update(random.pick(held)) }
    }
    var fresh = PartyIndex(pricing: rules.pricing)
    for party in held { try fresh.update(party) }
    for _ in 0..<Self.queries {
      var query = Self.query(held, now, &random)
      guard (try? rules.checkLength(query)) != nil else { continue }
      query.limit = 3
      #expect(index.match(query).candidates == fresh.match(query).candidates)
      query.explain = true
      let explanation = index.match(query).explanation
      let wanted = fresh.match(query).explanation
      #expect(explanation?.considered == wanted?.considered)
      #expect(explanation?.matched == wanted?.matched)
      #expect(explanation?.removed == wanted?.removed)
    }
  }
}
