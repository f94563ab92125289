import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares
import Testing

@testable import RideMatching

@Suite struct BatchMatchingTests {
  private func options(
    _ profile: TrafficProfile = .general, iterations: Int = 400, seed: UInt64 = 1
  ) -> BatchOptions {
    BatchOptions(
      seed: seed, iterations: iterations, pricing: BatchCases.pricing, profile: profile)
  }

  @Test(arguments: 1...40) func reachesTheExhaustiveOptimum(seed: UInt64) {
    var cases = BatchCases(seed: seed)
    if seed % 3 == 0 { cases.maxDetour = 0.4...1.5 }
    if seed % 4 == 0 { cases.originMeters = 150 }
    let requests = cases.requests(4 + Int(seed) % 7)
    let options = options(seed % 2 == 0 ? .general : .seoul)
    let result = BatchMatching.solve(requests: requests, options: options)
    let optimum = ExhaustiveBatch(requests, options).optimum
    #expect(abs(result.objective - optimum) <= 1e-6 * max(1, optimum), "seed \(seed)")
    #expect(
      BatchVerification.problems(of: result, requests: requests, options: options) == [])
  }

  @Test(arguments: [101, 102, 103, 104]) func reachesTheExhaustiveOptimumOfTwelve(seed: UInt64) {
    var cases = BatchCases(seed: seed)
    cases.originMeters = 250
    cases.maxWalk = 300...600
    cases.windowSeconds = 300
    let requests = cases.requests(12)
    let options = options()
    let result = BatchMatching.solve(requests: requests, options: options)
    let oracle = ExhaustiveBatch(requests, options)
    #expect(oracle.savings.count > 20)
    #expect(abs(result.objective - oracle.optimum) <= 1e-6 * oracle.optimum)
    #expect(result.candidateGroups == oracle.savings.count)
  }

  @Test(arguments: ["newYork", "seoul", "general"], [11, 12, 13] as [UInt64])
  func answersHold(profileName: String, seed: UInt64) throws {
    let profile = try #require(TrafficProfile.named(profileName))
    var cases = BatchCases(seed: seed)
    cases.originMeters = 1500
    let requests = cases.requests(150)
    let options = options(profile, iterations: 100)
    let result = BatchMatching.solve(requests: requests, options: options)
    #expect(!result.groups.isEmpty)
    #expect(
      BatchVerification.problems(of: result, requests: requests, options: options) == [])
  }

  @Test func sameSeedSameGroups() {
    var cases = BatchCases(seed: 3)
    let requests = cases.requests(120)
    let first = BatchMatching.solve(requests: requests, options: options(iterations: 60, seed: 9))
    let second = BatchMatching.solve(requests: requests, options: options(iterations: 60, seed: 9))
    #expect(first == second)
    #expect(first.iterations == 60)
  }

  /// By a seeded shuffle, with everything but the indices compared.
  @Test(arguments: 1...6) func theOrderOfRequestsChangesNothing(seed: UInt64) {
    var cases = BatchCases(seed: seed)
    let requests = cases.requests(60)
    let order = requests.indices.shuffled(using: &cases.random)
    let shuffled = order.map { requests[$0] }
    let plain = BatchMatching.solve(requests: requests, options: options())
    let other = BatchMatching.solve(requests: shuffled, options: options())
    #expect(!plain.groups.isEmpty)
    #expect(
      Set(plain.groups.map { told($0, requests) }) == Set(other.groups.map { told($0, shuffled) }))
    #expect(plain.objective == other.objective || abs(plain.objective - other.objective) < 1e-6)
    #expect(
      Set(plain.unmatched.map { requests[$0].riderID })
        == Set(other.unmatched.map { shuffled[$0].riderID }))
  }

  private func told(_ group: BatchGroup, _ requests: [RideRequest]) -> String {
    "\(group.members.map { requests[$0].riderID }) \(group.dropOffOrder.map { requests[$0].riderID }) "
      + "\(group.departure) \(group.fare) \(group.shares) \(group.walkMeters) \(group.rideMeters)"
  }

  @Test func stopsWhenTold() {
    var cases = BatchCases(seed: 3)
    let requests = cases.requests(60)
    var asked = 0
    let options = options(iterations: .max)
    let result = BatchMatching.solve(requests: requests, options: options) {
      asked += 1
      return asked > 20
    }
    #expect(asked == 21)
    #expect(result.iterations < 200)
    #expect(
      BatchVerification.problems(of: result, requests: requests, options: options) == [])
  }

  /// A million rounds end where the work does, at the same place each time.
  @Test func workIsBoundedAndItsEndIsTold() {
    var cases = BatchCases(seed: 3)
    let requests = cases.requests(150)
    var options = options(iterations: 1_000_000)
    var last = 0
    for limit in [0, 200_000, 2_000_000] {
      options.workLimit = limit
      let first = BatchMatching.solve(requests: requests, options: options)
      let second = BatchMatching.solve(requests: requests, options: options)
      #expect(first == second)
      #expect(first.end == .workLimit && first.iterations < 100_000)
      #expect(first.iterations >= last)
      last = first.iterations
      #expect(
        BatchVerification.problems(of: first, requests: requests, options: options) == [])
    }
    #expect(last > 0)
    options.iterations = 20
    #expect(BatchMatching.solve(requests: requests, options: options).end == .finished)
    let told = BatchMatching.solve(requests: requests, options: options) { true }
    #expect(told.end == .stopped)
  }

  @Test func moreRoundsAreNeverWorse() {
    var cases = BatchCases(seed: 8)
    let requests = cases.requests(150)
    var last = 0.0
    for iterations in [0, 20, 100, 400] {
      let result = BatchMatching.solve(
        requests: requests, options: options(iterations: iterations))
      #expect(result.objective >= last - 1e-6)
      last = result.objective
    }
  }

  @Test func nobodyAndOne() {
    var cases = BatchCases(seed: 1)
    #expect(BatchMatching.solve(requests: [], options: options()).groups.isEmpty)
    let one = BatchMatching.solve(requests: cases.requests(1), options: options())
    #expect(one.groups.isEmpty)
    #expect(one.unmatched == [0])
  }

  /// Two at the same place, to the same place: shared whole, each pays half.
  @Test func twoOfAKind() throws {
    var cases = BatchCases(seed: 1)
    var requests = [cases.requests(1)[0], cases.requests(1)[0]]
    requests[0].seats = 1
    requests[1] = requests[0]
    requests[1].riderID = "other"
    let result = BatchMatching.solve(requests: requests, options: options())
    let group = try #require(result.groups.first)
    // The pick-up is of two equals the first by rider id.
    #expect(group.members == [1, 0])
    #expect(group.walkMeters == [0, 0])
    #expect(abs(group.shares[0].amount - group.shares[1].amount) <= 1)
    #expect(group.soloFares == 2 * group.fare)
  }

  @Test func riderOfTwoRequestsRidesOnce() {
    var cases = BatchCases(seed: 5)
    cases.originMeters = 50
    cases.destinationMeters = 300
    var requests = cases.requests(4)
    for index in requests.indices {
      requests[index].riderID = "same"
      requests[index].window = requests[0].window
      requests[index].seats = 1
    }
    let result = BatchMatching.solve(requests: requests, options: options())
    #expect(result.groups.isEmpty)
    #expect(result.unmatched == [0, 1, 2, 3])
  }

  @Test func oddRequestsStayAlone() {
    var cases = BatchCases(seed: 6)
    cases.originMeters = 50
    cases.destinationMeters = 300
    var requests = cases.requests(8)
    for index in requests.indices {
      requests[index].window = DepartureWindow(time: BatchCases.start)
      requests[index].limits = .standard
      requests[index].seats = 1
    }
    requests[0].seats = 0
    requests[1].seats = 5
    requests[2].limits.maxWalkMeters = .nan
    requests[3].limits.maxDetourRatio = .nan
    requests[4].window.toleranceMilliseconds = -1
    requests[5].limits.maxWalkMeters = .infinity
    let result = BatchMatching.solve(requests: requests, options: options())
    #expect(result.unmatched == [0, 1, 2, 3, 4])
    #expect(
      BatchVerification.problems(of: result, requests: requests, options: options()) == [])
  }

  @Test func acrossTheAntimeridianAndAtThePole() {
    for center in [
      Coordinate(uncheckedLatitude: -16.8, longitude: 179.9999),
      Coordinate(uncheckedLatitude: 89.999, longitude: 10),
    ] {
      var cases = BatchCases(seed: 2)
      cases.center = center
      let requests = cases.requests(9)
      let options = options()
      let result = BatchMatching.solve(requests: requests, options: options)
      let optimum = ExhaustiveBatch(requests, options).optimum
      #expect(optimum > 0)
      #expect(abs(result.objective - optimum) <= 1e-6 * optimum)
    }
  }

  @Test func respectsWhoMayRideTogether() {
    var cases = BatchCases(seed: 4)
    let requests = cases.requests(60)
    var options = options()
    options.isCompatible = { ($0 + $1) % 2 == 0 }
    let result = BatchMatching.solve(requests: requests, options: options)
    #expect(!result.groups.isEmpty)
    for group in result.groups { #expect(Set(group.members.map { $0 % 2 }).count == 1) }
  }

  @Test func sharesEnoughOfTheWay() {
    var cases = BatchCases(seed: 14)
    cases.maxDetour = 0.5...1
    var requests = cases.requests(40)
    for index in requests.indices { requests[index].limits.minSharedRatio = 0.8 }
    let options = options()
    let result = BatchMatching.solve(requests: requests, options: options)
    #expect(!result.groups.isEmpty)
    #expect(
      BatchVerification.problems(of: result, requests: requests, options: options) == [])
  }

  @Test func cutKeepsTheAnswerWhole() {
    var cases = BatchCases(seed: 15)
    cases.originMeters = 200
    let requests = cases.requests(80)
    var options = options()
    let full = BatchMatching.solve(requests: requests, options: options)
    options.maxGroupsPerRequest = 8
    options.maxCandidatesPerPickUp = 10
    let cut = BatchMatching.solve(requests: requests, options: options)
    #expect(cut.candidateGroups < full.candidateGroups)
    #expect(cut.candidateGroups <= 8 * 80)
    #expect(
      BatchVerification.problems(of: cut, requests: requests, options: options) == [])
    #expect(cut.objective > 0.8 * full.objective)
  }
}
