import GeoMath
import ObjectModel
import TaxiFares
import TestSupport
import Testing

@testable import RideMatching

/// Requests of a batch that get in on the way of its groups.
@Suite struct BatchBoardingTests {
  let rules: PartyRules
  let now = PartyWorld.seoulTime(17)
  static let time = PartyWorld.seoulTime(18)

  init() throws { rules = try PartyWorld.rules { $0.seats = 1...8 } }

  static func request(
    _ id: String, from: Coordinate, to: Coordinate, at time: Instant = time, boards: Bool = false
  ) -> RideRequest {
    RideRequest(
      riderID: id, origin: PartyWorld.named(from), destination: PartyWorld.named(to),
      window: DepartureWindow(time: time),
      limits: RideLimits(maxWalkMeters: 300, maxDetourRatio: 0.5),
      boarding: boards ? PartyWorld.named(from) : nil)
  }

  func solve(_ requests: [RideRequest]) -> (first: BatchResult, then: BatchResult) {
    let terms = BatchPartyTerms(rules: rules, now: now)
    let options = BatchOptions(iterations: 200, parties: terms)
    let first = BatchMatching.solve(requests: requests, options: options)
    return (
      first, BatchMatching.board(first, requests: requests, options: options, terms: terms)
    )
  }

  /// Along a straight road north: two from its beginning, one from a third of it, one from half.
  @Test func groupsTakeOthersAlongTheWay() throws {
    let start = PartyWorld.seoul
    func at(_ meters: Double) -> Coordinate {
      start.destination(bearingDegrees: 0, meters: meters)
    }
    let requests = [
      Self.request("a", from: start, to: at(9000)), Self.request("b", from: start, to: at(9000)),
      Self.request("c", from: at(3000), to: at(9000), boards: true),
      Self.request("d", from: at(4500), to: at(8900), boards: false),
    ]
    let (first, then) = solve(requests)
    #expect(first.groups.map(\.members) == [[0, 1]] || first.groups.map(\.members) == [[1, 0]])
    #expect(first.unmatched == [2, 3])
    let group = try #require(then.groups.first)
    #expect(then.groups.count == 1 && group.members.last == 2)
    // Who names no boarding stays where they are.
    #expect(then.unmatched == [3])
    #expect(group.boardings.map(\.member) == [2])
    let stop = try #require(group.boardings.first)
    let time = try #require(stop.time)
    #expect(stop.boarding.walkMeters < 300 && time > group.departure)
    #expect(then.objective > first.objective && group.saving > first.groups[0].saving)
    try check(then, requests)
  }

  /// Two who ride alone, one of them past the other.
  @Test func peopleAloneTakeOthersAlong() throws {
    let start = PartyWorld.seoul
    let requests = [
      Self.request("a", from: start, to: start.destination(bearingDegrees: 0, meters: 9000)),
      Self.request(
        "b", from: start.destination(bearingDegrees: 0, meters: 3000),
        to: start.destination(bearingDegrees: 0, meters: 9000), boards: true),
    ]
    let (first, then) = solve(requests)
    #expect(first.groups.isEmpty && then.unmatched.isEmpty)
    #expect(then.groups.map(\.members) == [[0, 1]])
    try check(then, requests)
  }

  /// Every group is the party that its create and joins make, whatever the requests.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func whatIsToldIsWhatCreateAndJoinGive(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let center = PartyWorld.seoul
    let requests = (0..<60).map { i in
      let from = PartyWorld.place(near: center, meters: 2500, &random)
      return Self.request(
        "r\(i)", from: from,
        to: center.destination(
          bearingDegrees: random.real(0...50), meters: random.real(5000...9000)),
        at: Self.time.advanced(milliseconds: Int64(random.int(0...600)) * 1000),
        boards: random.chance(0.7))
    }
    let (first, then) = solve(requests)
    let again = solve(requests).then
    #expect(again == then)
    #expect(then.unmatched.count < first.unmatched.count, "nobody got in on the way")
    #expect(then.groups.flatMap(\.boardings).allSatisfy { requests[$0.member].boarding != nil })
    let all = (then.groups.flatMap(\.members) + then.unmatched).sorted()
    #expect(all == Array(requests.indices))
    try check(then, requests)
  }

  /// Trips along one road in up to two directions, some of whose riders get in on the way.
  private static func trips(_ count: Int, seed: UInt64) -> [RideRequest] {
    var random = SplitMix64(seed: seed)
    let start = PartyWorld.seoul
    let bearing = random.real(0...40)
    return (0..<count).map { i in
      let from = start.destination(
        bearingDegrees: bearing + random.real(-8...8), meters: random.real(0...5000))
      let to = start.destination(
        bearingDegrees: bearing + random.real(-12...12), meters: random.real(7000...11_000))
      return Self.request(
        "r\(i)", from: from, to: to,
        at: Self.time.advanced(milliseconds: Int64(random.int(0...500)) * 1000),
        boards: random.chance(0.75))
    }
  }

  /// Of up to eight requests: all in all 99 % of what trying everything finds, and never below 95 %.
  @Test func comesNearTheExhaustiveOptimum() throws {
    var (told, best, greedy) = (0.0, 0.0, 0.0)
    for seed in 1...(_isDebugAssertConfiguration() ? 5 : 24) as ClosedRange<UInt64> {
      let requests = Self.trips(4 + Int(seed % 5), seed: seed)
      let terms = BatchPartyTerms(rules: rules, now: now)
      // A twentieth of the rounds is for boarding.
      let options = BatchOptions(iterations: 8_000, parties: terms)
      let result = BatchMatching.solveBoarding(requests: requests, options: options, terms: terms)
      let optimum = try ExhaustiveBoarding(requests, terms, maxSeats: 4).optimum
      // A meter on foot may cost a little more or less: by the tariff of the group, or of the party.
      #expect(result.objective <= 1.001 * optimum + 1e-6, "seed \(seed)")
      #expect(result.objective >= 0.95 * optimum, "seed \(seed)")
      // Without rounds: each gets in where that saves most by then.
      let once = BatchMatching.solveBoarding(
        requests: requests, options: BatchOptions(iterations: 19, parties: terms), terms: terms)
      #expect(result.objective >= once.objective - 1e-6, "seed \(seed)")
      greedy += once.objective
      told += result.objective
      best += optimum
      try check(result, requests)
    }
    #expect(told >= 0.99 * best)
  }

  /// Of more requests all rides are still known: a third of a second in release.
  @Test(
    .enabled(if: BatchInstanceTests.isOptimized, "optimised: make test-release"),
    arguments: [12, 16], [1, 2, 3] as [UInt64])
  func comesNearerToTheOptimumOfMore(count: Int, seed: UInt64) throws {
    let requests = Self.trips(count, seed: seed)
    let terms = BatchPartyTerms(rules: rules, now: now)
    let options = BatchOptions(iterations: 10_000, parties: terms)
    let result = BatchMatching.solveBoarding(requests: requests, options: options, terms: terms)
    let optimum = try ExhaustiveBoarding(requests, terms, maxSeats: 4).optimum
    #expect(result.objective <= 1.001 * optimum + 1e-6)
    #expect(result.objective >= 0.99 * optimum, "\(result.objective / optimum)")
    try check(result, requests)
  }

  /// The search for groups at pick-ups could take all the time that there is.
  @Test func timeIsLeftForBoarding() {
    let requests = Self.trips(8, seed: 3)
    let terms = BatchPartyTerms(rules: rules, now: now)
    let options = BatchOptions(iterations: 1_000_000, parties: terms)
    var asked = 0
    let result = BatchMatching.solveBoarding(
      requests: requests, options: options, terms: terms,
      shouldStop: {
        asked += 1
        return asked > 100
      }, isTimeToBoard: { asked > 20 })
    #expect(result.end == .stopped)
    #expect(result.groups.contains { !$0.boardings.isEmpty })
  }

  /// People who may not ride together do not meet on the way either.
  @Test func whoMayNotMeetIsNotPutTogether() {
    let start = PartyWorld.seoul
    let requests = [
      Self.request("a", from: start, to: start.destination(bearingDegrees: 0, meters: 9000)),
      Self.request(
        "b", from: start.destination(bearingDegrees: 0, meters: 3000),
        to: start.destination(bearingDegrees: 0, meters: 9000), boards: true),
    ]
    let terms = BatchPartyTerms(rules: rules, now: now)
    var options = BatchOptions(iterations: 200, parties: terms)
    #expect(
      BatchMatching.solveBoarding(requests: requests, options: options, terms: terms)
        .unmatched == [])
    options.isCompatible = { _, _ in false }
    #expect(
      BatchMatching.solveBoarding(requests: requests, options: options, terms: terms)
        .unmatched == [0, 1])
  }

  private func check(_ result: BatchResult, _ requests: [RideRequest]) throws {
    let terms = BatchPartyTerms(rules: rules, now: now)
    for group in result.groups {
      var party = try rules.create(
        group.createParty(requests, terms: terms, maxSeats: 4), id: "p", now: now,
        claims: PartyWorld.noClaims
      ).party
      for boarding in group.boardings {
        let request = requests[boarding.member]
        var query = MatchQuery(request, now: now)
        query.boarding = request.boarding
        party = try rules.join(query.join, party, now: now, claims: PartyWorld.noClaims).party
        #expect(party.riders.last?.boarding == boarding.boarding)
      }
      for boarding in group.boardings {
        #expect(party.boardingTime(requests[boarding.member].riderID) == boarding.time)
      }
      #expect(party.riders.map(\.id) == group.members.map { requests[$0].riderID })
      #expect(party.fare.expected == group.fare)
      #expect(party.riders.map(\.share) == group.shares.map(\.amount))
      #expect(party.route.distanceMeters == group.distanceMeters)
      #expect(group.shares.allSatisfy { $0.amount <= $0.soloFare ?? 0 })
      #expect(party.seatsTaken <= 4 && group.saving > 0)
    }
  }
}
