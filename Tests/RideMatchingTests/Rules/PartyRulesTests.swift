import GeoMath
import ObjectModel
import RideMatching
import TaxiFares
import Testing

@Suite struct PartyRulesTests {
  let rules: PartyRules
  let now = PartyWorld.seoulTime(18)
  let origin = PartyWorld.named(PartyWorld.seoul, "Gangnam Station, exit 11")
  let destination: RidePlace

  init() throws {
    rules = try PartyWorld.rules()
    destination = PartyWorld.named(
      PartyWorld.seoul.destination(bearingDegrees: 0, meters: 6000), "North")
  }

  func command(_ change: (inout CreateParty) -> Void = { _ in }) -> CreateParty {
    var command = CreateParty(
      hostID: "host", origin: origin, destination: destination,
      window: DepartureWindow(time: PartyWorld.seoulTime(18, 30)))
    change(&command)
    return command
  }

  func create(_ change: (inout CreateParty) -> Void = { _ in }) throws -> Party {
    try rules.create(command(change), id: "p", now: now, claims: PartyWorld.noClaims).party
  }

  func join(_ party: Party, _ command: JoinParty, at moment: Instant? = nil) throws -> Party {
    try rules.join(command, party, now: moment ?? now, claims: PartyWorld.noClaims).party
  }

  func expect(
    _ error: PartyError, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    #expect(throws: error, sourceLocation: sourceLocation, performing: body)
  }

  @Test func defaultsAndTariffOfTheArea() throws {
    let party = try create()
    #expect(party.seats == 4)
    #expect(party.state == .open)
    #expect(party.tariffID == "kr-seoul-medium")
    #expect(party.riders.map(\.id) == ["host"])
    #expect(party.riders[0].share == party.fare.expected)
    #expect(party.fare.perPersonNow == party.fare.expected)
    #expect(party.fare.perPersonIfFull == (party.fare.expected + 3) / 4)
    // Where there is none the party has no price: AgreedFareTests.
    let nowhere = PartyWorld.named(Coordinate(uncheckedLatitude: 10, longitude: 170))
    #expect(try create { $0.origin = nowhere }.tariffID == "")
  }

  @Test func departuresBeyondAllTariffsAreNamed() throws {
    let year9999 = Instant(seconds: 253_370_764_800)
    expect(.fare(.departureOutOfRange(year9999))) {
      _ = try create { $0.window = DepartureWindow(time: year9999) }
    }
  }

  @Test func couplesAndGroupsAreAllOrNothing() throws {
    let party = try create {
      $0.hostSeats = 2
      $0.riders = [JoinParty(riderID: "a", seats: 2)]
    }
    #expect(party.state == .full)
    #expect(party.seatsFree == 0)
    expect(.full(seatsFree: 2, wanted: 3)) {
      _ = try create {
        $0.hostSeats = 2
        $0.riders = [JoinParty(riderID: "a", seats: 2), JoinParty(riderID: "b")]
      }
    }
    expect(.duplicateRider(field: "riders[0].riderId", id: "host")) {
      _ = try create { $0.riders = [JoinParty(riderID: "host")] }
    }
    expect(.seatsOutOfRange(field: "seats", seats: 5, allowed: 2...4)) {
      _ = try create { $0.seats = 5 }
    }
    expect(.seatsOutOfRange(field: "seats", seats: 1, allowed: 2...4)) {
      _ = try create { $0.seats = 1 }
    }
  }

  @Test func joiningTwiceIsOnceUnlessElsewhere() throws {
    let party = try join(try create(), JoinParty(riderID: "a"))
    let again = try rules.join(
      JoinParty(riderID: "a", destination: destination), party, now: now,
      claims: PartyWorld.noClaims)
    #expect(again.unchanged && again.party == party)
    let elsewhere = PartyWorld.named(PartyWorld.seoul.destination(bearingDegrees: 5, meters: 5000))
    expect(.alreadyMember(riderID: "a")) {
      _ = try join(party, JoinParty(riderID: "a", destination: elsewhere))
    }
    expect(.alreadyMember(riderID: "a")) { _ = try join(party, JoinParty(riderID: "a", seats: 2)) }
    // The last seat taken, whoever is aboard still hears 200.
    let full = try join(try join(party, JoinParty(riderID: "b")), JoinParty(riderID: "c"))
    #expect(full.state == .full)
    #expect(try join(full, JoinParty(riderID: "b")) == full)
    expect(.full(seatsFree: 0, wanted: 1)) { _ = try join(full, JoinParty(riderID: "d")) }
  }

  @Test func leavingHandsOverAndTheLastOneCancels() throws {
    let party = try join(
      try join(try create(), JoinParty(riderID: "a"), at: now),
      JoinParty(riderID: "b"), at: now.advanced(milliseconds: 1))
    #expect(try rules.leave(riderID: "nobody", party, now: now).unchanged)
    let one = try rules.leave(riderID: "host", party, now: now)
    #expect(one.events.map(\.kind) == ["left", "host_changed", "shares_changed"])
    #expect(one.party.hostID == "a")
    #expect(one.party.destination == destination)
    let two = try rules.leave(riderID: "a", one.party, now: now).party
    let none = try rules.leave(riderID: "b", two, now: now)
    #expect(none.events.map(\.kind) == ["left", "cancelled"])
    #expect(none.party.state == .cancelled && none.party.endReason == "everyone_left")
    #expect(try rules.cancel(none.party, actorID: "anyone", now: now).unchanged)
    expect(.cancelled(at: now)) { _ = try join(none.party, JoinParty(riderID: "z")) }
  }

  @Test func theClockDepartsAndEnds() throws {
    let party = try create()
    #expect(rules.nextTick(party) == PartyWorld.seoulTime(18, 15))
    #expect(rules.tick(party, now: PartyWorld.seoulTime(18, 14)).unchanged)
    let told = rules.tick(party, now: PartyWorld.seoulTime(18, 15))
    #expect(told.events.map(\.kind) == ["departing"])
    #expect(rules.tick(told.party, now: PartyWorld.seoulTime(18, 16)).unchanged)
    #expect(rules.nextTick(told.party) == PartyWorld.seoulTime(18, 40))
    let gone = rules.tick(told.party, now: PartyWorld.seoulTime(18, 41)).party
    #expect(gone.state == .departed && gone.stateSince == PartyWorld.seoulTime(18, 40))
    // Nobody joins a taxi that has left, whether or not the timer has said so.
    expect(.departed(at: PartyWorld.seoulTime(18, 40))) {
      _ = try join(told.party, JoinParty(riderID: "a"), at: PartyWorld.seoulTime(18, 40))
    }
    #expect(throws: Never.self) {
      try join(
        told.party, JoinParty(riderID: "a"),
        at: PartyWorld.seoulTime(18, 40).advanced(milliseconds: -1))
    }
    let end = try #require(rules.nextTick(gone))
    #expect(
      end.milliseconds(since: gone.stateSince)
        == Int64((party.route.durationSeconds * 1000).rounded(.up)))
    let ended = rules.tick(gone, now: end).party
    #expect(ended.state == .ended && rules.nextTick(ended) == nil)
    // Late by a day, both happen at once and at their own times.
    let late = rules.tick(party, now: PartyWorld.seoulTime(42))
    #expect(late.events.map(\.kind) == ["departed", "ended"])
    #expect(late.events.map(\.at) == [PartyWorld.seoulTime(18, 40), end])
    #expect(late.party.version == 2)
  }

  @Test func departureByTheHost() throws {
    let party = try join(try create(), JoinParty(riderID: "a"))
    expect(.departureTooEarly(now: now, windowStart: PartyWorld.seoulTime(18, 20))) {
      _ = try rules.depart(party, actorID: "host", now: now)
    }
    expect(.notHost(actorID: "a")) { _ = try rules.depart(party, actorID: "a", now: now) }
    let moment = PartyWorld.seoulTime(18, 20)
    let gone = try rules.depart(party, actorID: "host", now: moment).party
    #expect(gone.state == .departed && gone.stateSince == moment)
    #expect(try rules.depart(gone, actorID: "host", now: moment).unchanged)
    expect(.departed(at: moment)) { _ = try rules.cancel(gone, actorID: "host", now: moment) }
    expect(.departed(at: moment)) { _ = try rules.leave(riderID: "a", gone, now: moment) }
    let absent = try rules.remove(
      riderID: "a", reason: .noShow, gone, actorID: "host", now: moment)
    #expect(absent.party.riders.map(\.id) == ["host"] && absent.party.state == .departed)
    expect(.hostNotRemovable(hostID: "host")) {
      _ = try rules.remove(riderID: "host", reason: .host, gone, actorID: nil, now: moment)
    }
  }

  @Test func pricesAreProtected() throws {
    // byDistance: a rider to a far place makes the way longer and everyone's part dearer.
    let near = PartyWorld.named(PartyWorld.seoul.destination(bearingDegrees: 0, meters: 1200))
    func party(_ allows: Bool) throws -> Party {
      try create {
        $0.splitRule = .equal
        $0.destination = near
        $0.allowsRaisedShares = allows
        $0.limits.maxDetourRatio = 3
      }
    }
    let far = JoinParty(
      riderID: "a",
      destination: PartyWorld.named(
        PartyWorld.seoul.destination(bearingDegrees: 0, meters: 14_000)))
    let strict = try party(false)
    let opened = try join(try party(true), far)
    let share = opened.riders[0].share
    #expect(share > strict.riders[0].share)
    #expect(opened.riders[0].acceptedShare == share)
    expect(
      .raisesShare(
        riderID: "host", share: share, acceptedShare: strict.riders[0].acceptedShare)
    ) { _ = try join(strict, far) }
    // Leaving raises what the others have agreed to; joining again then lowers their share.
    let two = try join(try create(), JoinParty(riderID: "a"))
    let alone = try rules.leave(riderID: "a", two, now: now).party
    #expect(alone.riders[0].share == alone.fare.expected)
    #expect(alone.riders[0].acceptedShare == alone.fare.expected)
    var limited = JoinParty(riderID: "b", maxShare: 100)
    let wanted = try rules.preview(
      JoinParty(riderID: "b"), alone, now: now
    ).now.riders[1].share
    expect(.shareExceeded(share: wanted, maxShare: 100)) { _ = try join(alone, limited) }
    limited.maxShare = wanted
    #expect(try join(alone, limited).riders[1].share == wanted)
  }

  @Test func policiesWalksAndDetours() throws {
    let party = try create {
      $0.policyPack = "kr-small-taxi"
      $0.attributes = ["gender": "f"]
    }
    #expect(party.policy.sameAttributes == ["gender"])
    expect(.policyViolation(riderID: "a", attribute: "gender", isUnknown: true)) {
      _ = try join(party, JoinParty(riderID: "a"))
    }
    expect(.policyViolation(riderID: "a", attribute: "gender", isUnknown: false)) {
      _ = try join(party, JoinParty(riderID: "a", attributes: ["gender": "m"]))
    }
    expect(.unknownPolicy(name: "none such")) { _ = try create { $0.policyPack = "none such" } }
    let away = PartyWorld.seoul.destination(bearingDegrees: 90, meters: 400)
    let walk = away.distanceMeters(to: PartyWorld.seoul)
    var walker = JoinParty(riderID: "a", origin: away, attributes: ["gender": "f"])
    expect(.walkExceeded(walkMeters: walk, limitMeters: 300)) { _ = try join(party, walker) }
    walker.wishes.maxWalkMeters = walk
    #expect(try join(party, walker).riders.count == 2)
    // The policy's kilometer binds whoever would walk further.
    walker.origin = PartyWorld.seoul.destination(bearingDegrees: 90, meters: 1500)
    walker.wishes.maxWalkMeters = 5000
    #expect(throws: PartyError.self) { try join(party, walker) }
    let back = PartyWorld.named(PartyWorld.seoul.destination(bearingDegrees: 180, meters: 6000))
    do {
      _ = try join(try create(), JoinParty(riderID: "a", destination: back))
      Issue.record("a detour of twice the way was taken")
    } catch PartyError.detourExceeded(_, let ride, let limit) {
      #expect(ride > limit)
    }
    let half = PartyWorld.named(PartyWorld.seoul.destination(bearingDegrees: 0, meters: 1500))
    #expect(throws: PartyError.self) {
      try join(
        party, JoinParty(riderID: "a", destination: half, attributes: ["gender": "f"]))
    }
  }

  @Test func claimsDoNotOverlap() throws {
    let party = try create()
    let busy = PartyInterval(
      partyID: "other", from: party.interval.through,
      through: party.interval.through.advanced(milliseconds: 1000))
    let claims: PartyRules.Claims = { $0 == "a" ? [busy] : [] }
    expect(.overlapping(riderID: "a", partyID: "other", allowed: 1)) {
      _ = try rules.join(JoinParty(riderID: "a"), party, now: now, claims: claims)
    }
    var later = busy
    later.from = later.from.advanced(milliseconds: 1)
    let free: PartyRules.Claims = { [later] in $0 == "a" ? [later] : [] }
    #expect(throws: Never.self) {
      try rules.join(JoinParty(riderID: "a"), party, now: now, claims: free)
    }
    let two = try PartyWorld.rules { $0.overlappingParties = 2 }
    #expect(throws: Never.self) {
      try two.join(JoinParty(riderID: "a"), party, now: now, claims: claims)
    }
    // Moving the party into someone else's time is refused as well.
    let aboard = try join(party, JoinParty(riderID: "a"))
    expect(.overlapping(riderID: "a", partyID: "other", allowed: 1)) {
      _ = try rules.update(
        UpdateParty(departureTime: party.window.time.advanced(milliseconds: 60_000)), aboard,
        actorID: "host", now: now, claims: free)
    }
  }

  @Test func updatesKeepWhatRidersAgreedTo() throws {
    let party = try join(
      try join(try create(), JoinParty(riderID: "a")), JoinParty(riderID: "b"))
    expect(.seatsOutOfRange(field: "seats", seats: 2, allowed: 3...4)) {
      _ = try rules.update(
        UpdateParty(seats: 2), party, actorID: "host", now: now, claims: PartyWorld.noClaims)
    }
    let three = try rules.update(
      UpdateParty(seats: 3), party, actorID: "host", now: now, claims: PartyWorld.noClaims)
    #expect(three.party.state == .full)
    #expect(
      try rules.update(
        UpdateParty(seats: 3), three.party, actorID: "host", now: now,
        claims: PartyWorld.noClaims
      ).unchanged)
    // Into the night, when everyone would pay more.
    do {
      _ = try rules.update(
        UpdateParty(departureTime: PartyWorld.seoulTime(23, 30)), party, actorID: "host",
        now: now, claims: PartyWorld.noClaims)
      Issue.record("riders were made to pay the night surcharge")
    } catch PartyError.raisesShare(let rider, _, _) {
      #expect(rider != "host")
    }
    #expect(
      throws: PartyError.departureInPast(departure: PartyWorld.seoulTime(17), now: now)
    ) {
      try rules.update(
        UpdateParty(departureTime: PartyWorld.seoulTime(17)), party, actorID: "host", now: now,
        claims: PartyWorld.noClaims)
    }
  }

  @Test func settlingSplitsTheRealAmount() throws {
    let half = PartyWorld.named(PartyWorld.seoul.destination(bearingDegrees: 0, meters: 3000))
    let party = try join(try create(), JoinParty(riderID: "a", destination: half))
    let bill = SettleParty(payerID: "a", amount: 15_001, tolls: 1000)
    expect(.notDeparted(state: .open)) {
      _ = try rules.settle(bill, party, actorID: "host", now: now)
    }
    let moment = PartyWorld.seoulTime(18, 25)
    let gone = try rules.depart(party, actorID: "host", now: moment).party
    expect(.notMember(riderID: "z")) {
      _ = try rules.settle(
        SettleParty(payerID: "z", amount: 1), gone, actorID: nil, now: moment)
    }
    expect(.amountOutOfRange(field: "tolls", amount: 9, allowed: 0...5)) {
      _ = try rules.settle(
        SettleParty(payerID: "a", amount: 5, tolls: 9), gone, actorID: nil, now: moment)
    }
    let settled = try rules.settle(bill, gone, actorID: "host", now: moment).party
    let shares = try #require(settled.settlement?.shares)
    let expected = try FareSplit(
      amount: 15_001, rule: .bySoloFare,
      riders: party.riders.map { ShareRider(id: $0.id, soloFare: $0.soloFare) }, extras: 1000
    ).shares()
    #expect(shares.map(\.amount) == expected.map(\.amount))
    #expect(try rules.settle(bill, settled, actorID: "host", now: moment).unchanged)
  }

  @Test func oddNumbersAreRefused() throws {
    for limits in [
      RideLimits(maxWalkMeters: -1, maxDetourRatio: 0),
      RideLimits(maxWalkMeters: .nan, maxDetourRatio: 0),
      RideLimits(maxWalkMeters: 1, maxDetourRatio: .infinity),
      RideLimits(maxWalkMeters: 1, maxDetourRatio: 0, minSharedRatio: 1.1),
    ] {
      #expect(throws: PartyError.self) { try create { $0.limits = limits } }
    }
    #expect(throws: PartyError.self) {
      try create { $0.window.toleranceMilliseconds = -1 }
    }
    expect(.missingID(field: "hostId")) { _ = try create { $0.hostID = "" } }
    #expect(throws: PartyError.self) {
      try join(try create(), JoinParty(riderID: "a", weight: .nan))
    }
    // The other side of the Earth is too far for a fare.
    let antipode = PartyWorld.named(Coordinate(uncheckedLatitude: -37.4979, longitude: -52.9724))
    #expect(throws: PartyError.self) { try create { $0.destination = antipode } }
    // To where one is: no ride at all.
    expect(.tripTooShort(field: "destination", meters: 0)) {
      _ = try create { $0.destination = $0.origin }
    }
  }

  @Test func packsAreChecked() throws {
    #expect(PolicyPack.koreanSmallTaxi.policy.maxDetourSeconds == 900)
    #expect(throws: PolicyProblem.self) { try PolicyPack(name: "", policy: .none) }
    #expect(throws: PolicyProblem.self) {
      try PolicyPack(name: "x", policy: RidePolicy(maxWalkMeters: -1))
    }
    #expect(throws: PolicyProblem.self) {
      try PolicyPack(name: "x", policy: RidePolicy(minSharedRatio: 2))
    }
    #expect(throws: PolicyProblem.self) { try PolicyPack(name: "x", policy: .none, seats: 0...2) }
    let joined = RidePolicy(sameAttributes: ["a"], maxWalkMeters: 5, minSharedRatio: 0.1)
      .joined(with: RidePolicy(sameAttributes: ["b", "a"], maxWalkMeters: 9, minSharedRatio: 0.7))
    #expect(joined.sameAttributes == ["a", "b"])
    #expect(joined.maxWalkMeters == 5 && joined.minSharedRatio == 0.7)
  }
}
