import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares
import Testing

@testable import RideMatching

/// What a batch promises is what creating the group as a party gives: fare, shares and limits, in
/// the tariff, area rules, flat trips and traffic of its own pick-up.
@Suite struct BatchPartyTests {
  static let border = Coordinate(uncheckedLatitude: 37.5, longitude: 127.12)
  static let overseas = Coordinate(uncheckedLatitude: 40.75, longitude: -73.985)

  /// Seoul west of 127.12 and a dearer town east of it, whose surcharge begins at the edge; overseas
  /// another currency; flat trips to an airport.
  static func rules(_ change: (inout PartyConfiguration) -> Void = { _ in }) throws -> PartyRules {
    let areas = RideAreas(
      ids: { place in
        if place.longitude < 0 {
          return place.longitude > -73.9 ? ["us-airport", "us"] : ["us-center", "us"]
        }
        return place.longitude < 127.12 ? ["kr-seoul"] : ["kr-east"]
      },
      edgeShare: { _, from, to in
        max(0, min(1, (127.12 - from.longitude) / (to.longitude - from.longitude)))
      })
    let catalog = try TariffCatalog([
      PartyWorld.tariff(),
      PartyWorld.tariff {
        $0.id = "kr-east-medium"
        $0.area = "kr-east"
        $0.baseAmount = 5200
        $0.outOfArea = OutOfAreaRule(hundredths: 4000, begins: .boundary, appliesToBase: false)
      },
      PartyWorld.tariff {
        $0.id = "us-yellow"
        $0.area = "us"
        $0.currency = "USD"
        $0.minorUnitDigits = 2
        $0.baseAmount = 300
        $0.stepAmount = 50
        $0.surcharges = []
        $0.outOfArea = nil
        $0.finalRounding = Rounding(unit: 1, mode: .nearest)
        $0.flatTrips = [FlatTrip(id: "air", amount: 2100, between: ["us-center", "us-airport"])]
      },
    ])
    var configuration = PartyConfiguration()
    change(&configuration)
    return PartyRules(
      configuration: configuration, pricing: PartyPricing(catalog: catalog, areas: areas))
  }

  static let now = BatchCases.start.advanced(milliseconds: -3_600_000)

  static func options(_ rules: PartyRules, policy: RidePolicy = .none) -> BatchOptions {
    BatchOptions(
      iterations: 200, parties: BatchPartyTerms(rules: rules, now: now, policy: policy))
  }

  /// Around the border and overseas, ids shuffled over both.
  static func requests(seed: UInt64) -> [RideRequest] {
    var cases = BatchCases(seed: seed)
    cases.center = border
    var all = cases.requests(40)
    cases.center = overseas
    cases.originMeters = 300
    var others = cases.requests(20)
    for i in others.indices {
      others[i].riderID = "r\(i)x"
      // The way to the airport, by two terminals.
      if i % 2 == 0 {
        others[i].destination = RidePlace(
          coordinate: overseas.destination(
            bearingDegrees: 90, meters: i % 4 == 0 ? 9000 : 9400))
      }
    }
    all += others
    for i in all.indices where i % 7 == 0 { all[i].limits.minSharedRatio = 0.3 }
    return all.shuffled(using: &cases.random)
  }

  /// Built by hand from what the answer says, as a client would.
  static func command(
    _ group: BatchGroup, _ requests: [RideRequest]
  ) -> CreateParty {
    let host = requests[group.members[0]]
    return CreateParty(
      hostID: host.riderID, origin: host.origin, destination: host.destination,
      window: DepartureWindow(time: group.departure, toleranceMilliseconds: 0),
      hostSeats: host.seats,
      riders: group.members.dropFirst().map { member in
        JoinParty(
          riderID: requests[member].riderID, destination: requests[member].destination,
          origin: requests[member].origin.coordinate, seats: requests[member].seats,
          wishes: RideWishes(
            maxWalkMeters: requests[member].limits.maxWalkMeters,
            maxDetourRatio: requests[member].limits.maxDetourRatio,
            minSharedRatio: requests[member].limits.minSharedRatio))
      }, limits: host.limits)
  }

  @Test(arguments: 1...8) func promisesWhatCreateGives(seed: UInt64) throws {
    let rules = try Self.rules()
    let requests = Self.requests(seed: seed)
    let options = Self.options(rules)
    let result = BatchMatching.solve(requests: requests, options: options)
    var tariffs: Set<String> = []
    var isFlat = false
    for group in result.groups {
      let party = try rules.create(
        Self.command(group, requests), id: "p", now: Self.now, claims: { _ in [] }
      ).party
      #expect(party.fare.expected == group.fare)
      #expect(party.fare.currency == group.currency)
      #expect(party.tariffID == group.tariffID)
      #expect(party.riders.map(\.share) == group.shares.map(\.amount))
      #expect(party.riders.map(\.id) == group.shares.map(\.riderID))
      #expect(party.riders.map { $0.soloFare as Int64? } == group.shares.map(\.soloFare))
      #expect(party.route.stopOrder == group.dropOffOrder.map { requests[$0].riderID })
      #expect(party.riders.allSatisfy { $0.share <= $0.soloFare })
      for (rider, member) in zip(party.riders, group.members) {
        #expect(
          rider.rideMeters
            <= (1 + requests[member].limits.maxDetourRatio) * rider.directMeters + 300.001)
      }
      tariffs.insert(group.tariffID)
      if group.fare == 2100 { isFlat = true }
    }
    #expect(tariffs == ["kr-seoul-medium", "kr-east-medium", "us-yellow"])
    #expect(isFlat)
    #expect(BatchVerification.problems(of: result, requests: requests, options: options) == [])
  }

  @Test(arguments: 1...4) func theOrderOfRequestsChangesNothing(seed: UInt64) throws {
    let rules = try Self.rules()
    let requests = Self.requests(seed: seed)
    func told(_ requests: [RideRequest]) -> Set<String> {
      let result = BatchMatching.solve(requests: requests, options: Self.options(rules))
      return Set(
        result.groups.map { group in
          "\(group.members.map { requests[$0].riderID }) \(group.fare) \(group.currency) "
            + "\(group.shares) \(group.departure)"
        } + result.unmatched.map { requests[$0].riderID })
    }
    let first = told(requests)
    #expect(told(requests.reversed()) == first)
    #expect(
      told(requests.sorted { $0.origin.coordinate.longitude < $1.origin.coordinate.longitude })
        == first)
  }

  @Test func policiesBindAndRequestsOfNoLengthOrNoTariffStayAlone() throws {
    let rules = try Self.rules { $0.basePolicy = RidePolicy(sameAttributes: ["gender"]) }
    var requests = Self.requests(seed: 3)
    for i in requests.indices { requests[i].attributes = ["gender": i % 2 == 0 ? "f" : "m"] }
    requests[0].destination = requests[0].origin
    requests[1].attributes = [:]
    let options = Self.options(rules, policy: RidePolicy(maxWalkMeters: 200))
    let result = BatchMatching.solve(requests: requests, options: options)
    #expect(!result.groups.isEmpty)
    #expect(result.unmatched.contains(0) && result.unmatched.contains(1))
    for group in result.groups {
      #expect(Set(group.members.map { $0 % 2 }).count == 1)
      #expect(group.walkMeters.allSatisfy { $0 <= 200 })
    }
    #expect(BatchVerification.problems(of: result, requests: requests, options: options) == [])
    // Who is busy for the whole window is in no group; so is who asks for a time gone by.
    let first = try #require(result.groups.first).members[0]
    let rider = requests[first].riderID
    let claim = PartyInterval(
      partyID: "other", from: requests[first].window.start, through: requests[first].window.end)
    var busy = options
    busy.pricing = .parties(
      BatchPartyTerms(
        rules: rules, now: Self.now,
        claims: { $0 == rider ? [claim] : [] }))
    #expect(
      BatchMatching.solve(requests: requests, options: busy).unmatched.contains(first))
    var late = options
    late.pricing = .parties(
      BatchPartyTerms(rules: rules, now: Self.now.advanced(milliseconds: 86_400_000)))
    #expect(BatchMatching.solve(requests: requests, options: late).groups.isEmpty)
    // Nowhere is there a tariff of this class.
    var none = options
    none.pricing = .parties(
      BatchPartyTerms(rules: rules, now: Self.now, vehicleClass: "limousine"))
    #expect(BatchMatching.solve(requests: requests, options: none).groups.isEmpty)
  }
}
