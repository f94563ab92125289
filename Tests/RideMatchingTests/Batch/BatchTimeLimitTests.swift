import ObjectModel
import Testing

@testable import RideMatching

/// Limits of time in a batch: held, and looked for rather than found broken in the end.
@Suite("Time limits of a batch") struct BatchTimeLimitTests {
  private static func limited(_ seed: UInt64) -> [RideRequest] {
    var requests = BatchPartyTests.requests(seed: seed)
    for i in requests.indices {
      switch i % 4 {
      case 0: requests[i].limits.maxDetourSeconds = Double(i % 5) * 20
      case 1: requests[i].limits.maxRideSeconds = 600 + Double(i % 7) * 120
      case 2:
        requests[i].limits.arriveBy = requests[i].window.time.advanced(
          milliseconds: 900_000 + Int64(i % 6) * 180_000)
      default: break
      }
    }
    return requests
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>) func areHeldAndCostNoMoreThanTheyMust(
    seed: UInt64
  ) throws {
    let rules = try BatchPartyTests.rules()
    let options = BatchPartyTests.options(rules)
    guard case .parties(let terms) = options.pricing else { return }
    let requests = Self.limited(seed)
    let result = BatchMatching.solve(requests: requests, options: options)
    for group in result.groups {
      let party = try rules.create(
        group.createParty(requests, terms: terms, maxSeats: 4), id: "p",
        now: BatchPartyTests.now, claims: { _ in [] }
      ).party
      for (rider, member) in zip(party.riders, group.members) {
        let most = requests[member].limits.longestRideSeconds(
          direct: rider.directSeconds, departure: group.departure)
        #expect(rider.rideSeconds <= most + 0.001)
      }
    }
    // What is left of the groups of people without limits, once those that break one are taken out.
    let free = BatchMatching.solve(
      requests: BatchPartyTests.requests(seed: seed), options: options)
    let kept = free.groups.filter { group in
      (try? rules.create(
        group.createParty(requests, terms: terms, maxSeats: 4), id: "p",
        now: BatchPartyTests.now, claims: { _ in [] })) != nil
    }
    #expect(kept.count < free.groups.count)
    #expect(result.objective >= kept.reduce(0) { $0 + $1.saving } - 0.001)
  }
}
