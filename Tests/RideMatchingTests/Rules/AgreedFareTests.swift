import GeoMath
import ObjectModel
import RideMatching
import TaxiFares
import TestSupport
import Testing

/// Parties that pay what was agreed on, and parties without any price.
@Suite struct AgreedFareTests {
  let rules: PartyRules
  let now = PartyWorld.seoulTime(18)
  /// East of Seoul's edge: no area with a tariff holds it.
  static let nowhere = Coordinate(uncheckedLatitude: 37.5, longitude: 127.3)

  init() throws {
    rules = try PartyWorld.rules { $0.seats = 1...8 }
  }

  static func at(_ origin: Coordinate, _ bearing: Double, _ meters: Double) -> RidePlace {
    PartyWorld.named(origin.destination(bearingDegrees: bearing, meters: meters))
  }

  static func command(
    at origin: Coordinate = nowhere, _ change: (inout CreateParty) -> Void = { _ in }
  ) -> CreateParty {
    var command = CreateParty(
      hostID: "host", origin: PartyWorld.named(origin), destination: at(origin, 0, 8000),
      window: DepartureWindow(time: PartyWorld.seoulTime(18, 30)))
    change(&command)
    return command
  }

  func create(
    at origin: Coordinate = nowhere, _ change: (inout CreateParty) -> Void = { _ in }
  ) throws -> Party {
    try rules.create(
      Self.command(at: origin, change), id: "p", now: now, claims: PartyWorld.noClaims
    ).party
  }

  func join(_ party: Party, _ command: JoinParty) throws -> Party {
    try rules.join(command, party, now: now, claims: PartyWorld.noClaims).party
  }

  @Test func withoutATariffThereIsNoPrice() throws {
    var party = try create()
    #expect(!party.hasPrice && !party.hasTariff && party.fare.source == "none")
    party = try join(party, JoinParty(riderID: "a"))
    // A largest share binds nobody where nothing is paid.
    party = try join(party, JoinParty(riderID: "b", maxShare: 0))
    #expect(party.riders.map(\.id) == ["host", "a", "b"])
    #expect(party.riders.allSatisfy { $0.share == 0 && $0.soloFare == 0 && $0.directMeters > 0 })
    #expect(party.route.distanceMeters > 8000 && party.fare.currency.isEmpty)
    #expect(try rules.leave(riderID: "host", party, now: now).party.hostID == "a")
  }

  @Test func anAgreedFareIsSharedAndSumsExactly() throws {
    for rule in SplitRule.allCases {
      var party = try create {
        $0.agreedFare = AgreedFare(amount: 10_001, currency: "KRW")
        $0.splitRule = rule
        $0.isCalled = true
      }
      #expect(party.riders[0].share == 10_001 && party.fare.source == "agreed")
      var before = party.riders
      for rider in ["a", "b", "c"] {
        party = try join(
          party,
          JoinParty(
            riderID: rider, destination: Self.at(Self.nowhere, 1, 6000),
            wishes: RideWishes(maxDetourRatio: 1)))
        #expect(party.riders.reduce(0) { $0 + $1.share } == 10_001, "\(rule)")
        // Nobody pays more than before, and nothing is said of a ride alone.
        for (old, new) in zip(before, party.riders) {
          #expect(new.share <= old.share && new.share <= new.acceptedShare)
        }
        #expect(party.riders.allSatisfy { $0.soloFare == 0 })
        before = party.riders
      }
      #expect(party.fare.expected == 10_001 && party.fare.low == party.fare.high)
    }
  }

  /// By length where no tariff says what rides cost alone.
  @Test func whoRidesHalfAsFarPaysHalfAsMuch() throws {
    let party = try join(
      try create { $0.agreedFare = AgreedFare(amount: 9000, currency: "EUR") },
      JoinParty(riderID: "a", destination: Self.at(Self.nowhere, 0, 4000)))
    let (host, guest) = (party.riders[0], party.riders[1])
    let byLength = 9000 * guest.directMeters / (guest.directMeters + host.directMeters)
    #expect((Double(guest.share) - byLength).magnitude < 2)
  }

  @Test func largestSharesHoldOfAgreedFares() throws {
    let party = try create { $0.agreedFare = AgreedFare(amount: 10_000, currency: "KRW") }
    #expect(throws: PartyError.shareExceeded(share: 5000, maxShare: 4999)) {
      _ = try join(party, JoinParty(riderID: "a", maxShare: 4999))
    }
    #expect(try join(party, JoinParty(riderID: "a", maxShare: 5000)).riders[1].share == 5000)
  }

  @Test func whereATariffIsItSaysWhatRidesCostAlone() throws {
    let metered = try create(at: PartyWorld.seoul)
    let agreed = try create(at: PartyWorld.seoul) {
      $0.agreedFare = AgreedFare(amount: 6000, currency: "KRW")
    }
    #expect(agreed.tariffID == metered.tariffID && agreed.fare.source == "agreed")
    #expect(agreed.riders[0].soloFare == metered.riders[0].soloFare)
    #expect(agreed.riders[0].share == 6000)
    // Dearer than alone: only who says so joins.
    let dear = try create(at: PartyWorld.seoul) {
      $0.agreedFare = AgreedFare(amount: 90_000, currency: "KRW")
    }
    let alone = dear.riders[0].soloFare
    #expect(throws: PartyError.shareExceeded(share: 45_000, maxShare: alone)) {
      _ = try join(dear, JoinParty(riderID: "a"))
    }
    #expect(try join(dear, JoinParty(riderID: "a", maxShare: 45_000)).riders.count == 2)
  }

  @Test func otherCurrenciesDoWithoutTheTariff() throws {
    let euros = AgreedFare(amount: 500, currency: "EUR")
    let party = try create(at: PartyWorld.seoul) { $0.agreedFare = euros }
    #expect(!party.hasTariff && party.fare.currency == "EUR")
    #expect(throws: PartyError.currencyMismatch(agreed: "EUR", tariff: "KRW")) {
      _ = try create(at: PartyWorld.seoul) {
        $0.agreedFare = euros
        $0.tariffID = "kr-seoul-medium"
      }
    }
    for currency in ["", "won", "KRWX", "K1W"] {
      #expect(throws: PartyError.badCurrency(field: "agreedFare.currency", currency: currency)) {
        _ = try create { $0.agreedFare = AgreedFare(amount: 5, currency: currency) }
      }
    }
    #expect(throws: PartyError.self) {
      _ = try create { $0.agreedFare = AgreedFare(amount: -1, currency: "KRW") }
    }
  }

  @Test func settlingWorksWithoutATariff() throws {
    for agreed in [nil, AgreedFare(amount: 7000, currency: "KRW")] {
      var party = try join(
        try create { $0.agreedFare = agreed },
        JoinParty(riderID: "a", destination: Self.at(Self.nowhere, 0, 4000)))
      let leaves = PartyWorld.seoulTime(18, 30)
      party = try rules.depart(party, actorID: "host", now: leaves).party
      let settled = try rules.settle(
        SettleParty(payerID: "host", amount: 7301, tolls: 300), party, actorID: nil, now: leaves
      ).party
      let shares = try #require(settled.settlement?.shares)
      #expect(shares.reduce(0) { $0 + $1.amount } == 7301)
      #expect(shares.allSatisfy { $0.soloFare == nil && $0.amount > 0 })
      #expect(shares[0].amount > shares[1].amount)
    }
  }

  /// Of parties to which no tariff belongs the cheapest is the best; no price is the cheapest.
  @Test func candidatesWithoutAPriceAreRanked() throws {
    var index = PartyIndex(pricing: rules.pricing)
    for (id, amount) in [("dear", 9000), ("cheap", 3000), ("free", nil)] as [(String, Int64?)] {
      let command = Self.command {
        $0.hostID = "host-\(id)"
        $0.agreedFare = amount.map { AgreedFare(amount: $0, currency: "KRW") }
      }
      let party = try rules.create(command, id: id, now: now, claims: PartyWorld.noClaims).party
      try index.update(party)
    }
    for boards in [false, true] {
      var query = MatchQuery(
        riderID: "me", origin: Self.nowhere, destination: Self.at(Self.nowhere, 0, 8000),
        window: DepartureWindow(time: PartyWorld.seoulTime(18, 30)), now: now, explain: true)
      if boards { query.boarding = PartyWorld.named(Self.nowhere) }
      let all = index.match(query).candidates
      #expect(all.map(\.party.id) == ["free", "cheap", "dear"])
      #expect(all.map(\.yourFare) == [0, 1500, 4500] && all.allSatisfy { $0.yourSaving == 0 })
      for candidate in all {
        let party = try join(candidate.party, query.join)
        #expect(party.riders.last?.share == candidate.yourFare)
      }
      query.maxShare = 2000
      let few = index.match(query)
      #expect(few.candidates.map(\.party.id) == ["free", "cheap"])
      #expect(few.explanation?.removed[.price] == 1)
      query.maxShare = 0
      #expect(index.match(query).candidates.map(\.party.id) == ["free"])
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func matchAndJoinAgreeWhateverThePrice(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var index = PartyIndex(pricing: rules.pricing)
    for i in 0..<60 {
      let home = random.chance(0.5) ? PartyWorld.seoul : Self.nowhere
      let command = Self.command(at: home) {
        $0.hostID = "host-\(i)"
        $0.destination = Self.at(home, random.real(0...40), random.real(4000...9000))
        $0.splitRule = random.pick(SplitRule.allCases)
        if random.chance(0.6) {
          $0.agreedFare = AgreedFare(
            amount: Int64(random.int(0...20_000)), currency: random.pick(["KRW", "EUR"]))
        }
      }
      let party = try rules.create(command, id: "p\(i)", now: now, claims: PartyWorld.noClaims)
      try index.update(party.party)
    }
    var met = 0
    for i in 0..<40 {
      let home = random.chance(0.5) ? PartyWorld.seoul : Self.nowhere
      var query = MatchQuery(
        riderID: "me-\(i)", origin: home,
        destination: Self.at(home, random.real(0...40), random.real(3000...9000)),
        window: DepartureWindow(time: PartyWorld.seoulTime(18, 30)), now: now, limit: 100)
      if random.chance(0.4) { query.maxShare = Int64(random.int(0...6000)) }
      if random.chance(0.4) { query.boarding = Self.at(home, 20, random.real(0...200)) }
      for candidate in index.match(query).candidates {
        met += 1
        let before = candidate.party
        let party = try join(before, query.join)
        #expect(party.riders.last?.share == candidate.yourFare)
        #expect(party.riders.reduce(0) { $0 + $1.share } == party.fare.expected)
        if let agreed = before.agreedFare { #expect(party.fare.expected == agreed.amount) }
        let preview = try rules.preview(query.join, before, now: now)
        #expect(preview.now.fare == party.fare)
      }
    }
    #expect(met > 50)
  }
}
