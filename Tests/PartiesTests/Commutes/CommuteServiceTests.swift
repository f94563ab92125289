import Foundation
import ObjectModel
import RideMatching
import TaxiFares
import Testing
import TestSupport
import Threading

@testable import DurableCommands
@testable import Parties

/// Commutes over a store: days appear once, riders ride with them, changes reach what they should.
struct CommuteServiceTests {
  typealias Fixture = CommuteFixture
  private static let plain = PartyFixture.plain

  // MARK: - Days

  @Test func daysAppearAheadAndOnceAsOrdinaryParties() async throws {
    let it = try Fixture.make()
    defer { it.partyService.stop() }
    let commute = try await it.partyService.createCommute(
      Fixture.schedule(), Fixture.party("ann"), Self.plain)
    await it.tick()
    let days = try await it.days(commute.id)
    #expect(days.map(\.date.isoText) == ["2026-11-26", "2026-11-27"])
    for day in days {
      let party = try await it.partyService.get(try #require(day.appearedID))
      #expect(party.commuteID == commute.id)
      #expect(party.state == .open)
      #expect(party.window.time == day.departure)
      #expect(party.riders.map(\.id) == ["ann"])
      #expect(party.version == 1)
      // It is a party like any other: found, joined, left.
      let joined = try await it.partyService.join(
        partyID: party.id, JoinParty(riderID: "ben"), Self.plain)
      #expect(joined.party.commuteID == commute.id)
    }
    // Friday 07:45 less 48 hours has passed; Monday's has not.
    #expect(days[0].departure == Instant(seconds: 1_795_646_700))
    await it.tick()
    #expect(try await it.days(commute.id).count == 2)
    // Saturday 07:44 and 07:45: Monday's party appears at the second.
    it.clock.set(days[1].departure.advanced(milliseconds: 24 * Fixture.hour - 60_000))
    await it.tick()
    #expect(try await it.days(commute.id).last?.date.isoText == "2026-11-27")
    it.clock.advance(milliseconds: 60_000)
    await it.tick()
    #expect(try await it.days(commute.id).last?.date.isoText == "2026-11-30")
    let told = try await it.told(["commute.appeared"])
    #expect(told.count == 3)
    #expect(told.allSatisfy { $0.userIDs == ["ann"] && $0.aggregateID == commute.id })
    #expect(try await it.told(["party.created"]).count == 3)
  }

  @Test func noDayAppearsTwiceAfterARestartOrWithTheClockBack() async throws {
    let store = MemoryStore()
    let it = try Fixture.make(store: store)
    let id = try await it.partyService.createCommute(
      Fixture.schedule(), Fixture.party("ann"), Self.plain
    ).id
    await it.tick()
    await it.advance(hours: 24)
    let days = try await it.days(id)
    #expect(days.count == 2)
    it.partyService.stop()
    for hours in [0, -24, -240] as [Int64] {
      let clock = ManualClock(Fixture.start.advanced(milliseconds: hours * Fixture.hour))
      let again = try Fixture.make(store: store, clock: clock)
      await again.tick()
      #expect(try await again.days(id) == days)
      #expect(again.partyService.partyCount == 2)
      again.partyService.stop()
    }
    // The days go on where they were.
    let later = try Fixture.make(
      store: store, clock: ManualClock(Fixture.start.advanced(milliseconds: 48 * Fixture.hour)))
    defer { later.partyService.stop() }
    for _ in 0..<3 { await later.advance(hours: 24) }
    #expect(later.partyService.partyCount == 5)
    #expect(try await later.told(["commute.skipped"]).isEmpty)
  }

  @Test func aDayThatWasMissedIsToldOf() async throws {
    let it = try Fixture.make()
    defer { it.partyService.stop() }
    let id = try await it.partyService.createCommute(
      Fixture.schedule(), Fixture.party("ann"), Self.plain
    ).id
    await it.tick()
    // Nobody looks for nine days: to Friday noon of the week after.
    await it.advance(hours: 9 * 24)
    let told = try await it.told(["commute.skipped"]).map { event in
      try #require(try JSONSerialization.jsonObject(with: Data(event.body)) as? [String: Any])
    }
    #expect(told.compactMap { $0["date"] as? String }.count == told.count)
    #expect(told.allSatisfy { $0["reason"] as? String == "departure_in_past" })
    #expect(told.count == 5)
    #expect(try await it.partyService.commute(id).doneBefore == Fixture.date("2026-12-04"))
  }

  @Test func aDayThatTheRulesRefuseIsSkippedAndTheOthersGoOn() async throws {
    let it = try Fixture.make()
    defer { it.partyService.stop() }
    // Thursday at 07:50 the host is in another party.
    let departure = Fixture.start.advanced(milliseconds: 19 * Fixture.hour + 50 * 60_000)
    _ = try await it.partyService.create(
      CreateParty(
        hostID: "ann", origin: PartyFixture.sinchon, destination: PartyFixture.gangnam,
        window: DepartureWindow(time: departure)), Self.plain)
    let id = try await it.partyService.createCommute(
      Fixture.schedule(), Fixture.party("ann"), Self.plain
    ).id
    await it.tick()
    let days = try await it.days(id)
    #expect(days.map(\.outcome).first == .skipped(reason: "overlapping_party"))
    #expect(days.last?.appearedID != nil)
    #expect(days.count == 2)
    let told = try await it.told(["commute.skipped"])
    #expect(told.count == 1)
    #expect(String(decoding: told[0].body, as: UTF8.self).contains("2026-11-26"))
  }

  @Test func aCommuteEndsAndIsStillRead() async throws {
    let it = try Fixture.make()
    defer { it.partyService.stop() }
    let id = try await it.partyService.createCommute(
      Fixture.schedule(to: "2026-11-27"), Fixture.party("ann"), Self.plain
    ).id
    await it.tick()
    await it.advance(hours: 59)
    #expect(try await it.partyService.commute(id).state == .active)
    await it.advance(hours: 1)
    #expect(try await it.partyService.commute(id).state == .ended)
    #expect(it.partyService.commutes(hostedBy: "ann").isEmpty)
    #expect(try await it.told(["commute.ended"]).count == 1)
    #expect(
      await reason { _ = try await it.partyService.cancelCommute(id, actorID: nil, Self.plain) }
        == "commute_ended")
    #expect(
      await reason { _ = try await it.partyService.commute("none") } == "unknown_commute")
  }

  @Test(arguments: [true, false])
  func aDayWhoseCommitIsUnknownAppearsOnce(takesEffect: Bool) async throws {
    let store = MemoryStore()
    let it = try Fixture.make(store: store)
    defer { it.partyService.stop() }
    let id = try await it.partyService.createCommute(
      Fixture.schedule(), Fixture.party("ann"), Self.plain
    ).id
    await it.tick()
    it.clock.advance(milliseconds: 72 * Fixture.hour)
    store.inject(.unknown(reason: "fsync failed", takesEffect: takesEffect))
    await it.tick()
    // What failed is due again after a while.
    it.monotonic.advance(by: 60_000_000_000)
    await it.advance(hours: 1)
    let days = try await it.days(id)
    #expect(days.filter { $0.date == Fixture.date("2026-11-30") }.count == 1)
    let parties = try await it.partyService.list(
      PartyListQuery(person: .host("ann"), limit: 100)
    ).parties
    #expect(parties.count == 3)
    #expect(Set(parties.map(\.window.time)).count == 3)
  }

  // MARK: - Riders

  @Test func whoJoinsTheSeriesRidesWithEachDay() async throws {
    let it = try Fixture.make()
    defer { it.partyService.stop() }
    let id = try await it.partyService.createCommute(
      Fixture.schedule(), Fixture.party("ann", seats: 2), Self.plain
    ).id
    await it.tick()
    let first = try await it.days(id)
    // On Thursday somebody has the last seat already.
    _ = try await it.partyService.join(
      partyID: try #require(first[0].appearedID), JoinParty(riderID: "eve"), Self.plain)
    let joined = try await it.partyService.joinCommute(
      id, JoinParty(riderID: "ben"), Self.plain)
    #expect(joined.riders.map(\.join.riderID) == ["ben"])
    await it.advance(hours: 96)
    var riders: [[String]] = []
    for day in try await it.days(id) where day.appearedID != nil {
      riders.append(
        try await it.partyService.get(try #require(day.appearedID)).riders.map(\.id))
    }
    #expect(riders.suffix(3) == [["ann", "ben"], ["ann", "ben"], ["ann", "ben"]])
    let refused = try await it.told(["commute.join_refused"])
    #expect(refused.count == 1)
    #expect(refused[0].userIDs == ["ben", "ann"])
    let body = try #require(
      try JSONSerialization.jsonObject(with: Data(refused[0].body)) as? [String: Any])
    #expect(body["reason"] as? String == "party_full")
    #expect(body["date"] as? String == "2026-11-26")
    #expect(body["partyId"] as? String == first[0].appearedID)
    // Out of the series: out of what has not departed, and in nothing more.
    _ = try await it.partyService.leaveCommute(id, riderID: "ben", Self.plain)
    await it.advance(hours: 24)
    for day in try await it.days(id) where day.departure > it.clock.now() {
      #expect(
        try await it.partyService.get(try #require(day.appearedID)).riders.map(\.id) == ["ann"])
    }
  }

  @Test func whatNoDayWouldTakeIsRefusedAtOnce() async throws {
    let it = try Fixture.make()
    defer { it.partyService.stop() }
    guard case .party(var create) = Fixture.party("ann") else { return }
    create.policy.sameAttributes = ["gender"]
    create.attributes = ["gender": "female"]
    let id = try await it.partyService.createCommute(
      Fixture.schedule(), .party(create), Self.plain
    ).id
    func join(_ join: JoinParty) async -> String? {
      await reason { _ = try await it.partyService.joinCommute(id, join, Self.plain) }
    }
    #expect(await join(JoinParty(riderID: "ben")) == "policy_violation")
    #expect(await join(JoinParty(riderID: "ann")) == "already_member")
    #expect(
      await join(JoinParty(riderID: "eve", seats: 4, attributes: ["gender": "female"]))
        == "party_full")
    #expect(await join(JoinParty(riderID: "eve", attributes: ["gender": "female"])) == nil)
    #expect(try await it.told(["commute.joined"]).count == 1)
  }

  /// In Seoul a ride at 23:10 costs two fifths more and one at 22:10 one fifth: New York's clocks, by which
  /// this one repeats, change on 2027-03-14.
  @Test func aDayThatIsTooDearDoesNotKeepARiderFromTheOthers() async throws {
    let it = try Fixture.make(clock: ManualClock(Instant(seconds: 1_804_550_400)))
    defer { it.partyService.stop() }
    let schedule = CommuteSchedule(
      weekdays: .workdays, minute: 9 * 60 + 10, timeZone: "America/New_York",
      from: Fixture.date("2027-03-09"), through: Fixture.date("2027-04-30"))
    let id = try await it.partyService.createCommute(
      schedule, Fixture.party("ann"), Self.plain
    ).id
    await it.tick()
    let first = try await it.days(id)
    #expect(first.map(\.date) == ["2027-03-09", "2027-03-10"].map(Fixture.date))
    let dear = try await it.partyService.get(try #require(first[0].appearedID)).fare.expected / 2
    let none = await reason {
      _ = try await it.partyService.joinCommute(
        id, JoinParty(riderID: "ben", maxShare: dear / 2), Self.plain)
    }
    #expect(none == "share_exceeded")
    _ = try await it.partyService.joinCommute(
      id, JoinParty(riderID: "ben", maxShare: dear - 1), Self.plain)
    for _ in 0..<7 { await it.advance(hours: 24) }
    var ridden: [CivilDate] = []
    for day in try await it.days(id) {
      guard let partyID = day.appearedID else { continue }
      let riders = try await it.partyService.get(partyID).riders.map(\.id)
      if riders == ["ann", "ben"] { ridden.append(day.date) }
    }
    #expect(
      ridden == ["2027-03-15", "2027-03-16", "2027-03-17"].map(Fixture.date))
    #expect(try await it.told(["commute.join_refused"]).count == 4)
  }

  // MARK: - Changes

  @Test func anUpdateReachesWhatHasNotAppearedAndOnRequestWhatNobodyJoined() async throws {
    let it = try Fixture.make()
    defer { it.partyService.stop() }
    let id = try await it.partyService.createCommute(
      Fixture.schedule(), Fixture.party("ann"), Self.plain
    ).id
    await it.tick()
    let before = try await it.days(id)
    let ridden = try #require(before[0].appearedID)
    let empty = try #require(before[1].appearedID)
    _ = try await it.partyService.join(partyID: ridden, JoinParty(riderID: "ben"), Self.plain)
    var later = UpdateCommute()
    later.minute = 8 * 60
    _ = try await it.partyService.updateCommute(id, actorID: "ann", later, Self.plain)
    await it.tick()
    #expect(try await it.days(id) == before)
    var all = UpdateCommute()
    all.minute = 9 * 60
    all.includesAppeared = true
    _ = try await it.partyService.updateCommute(id, actorID: "ann", all, Self.plain)
    await it.tick()
    let after = try await it.days(id)
    #expect(after[0] == before[0])
    #expect(after[1].date == before[1].date)
    #expect(after[1].appearedID != empty)
    #expect(after[1].departure.milliseconds(since: before[1].departure) == 75 * 60_000)
    let cancelled = try await it.partyService.get(empty)
    #expect(cancelled.state == .cancelled)
    #expect(cancelled.endReason == "commute_updated")
    // A date that is taken out takes its party along.
    var without = UpdateCommute()
    without.removed = [before[1].date]
    without.includesAppeared = true
    _ = try await it.partyService.updateCommute(id, actorID: nil, without, Self.plain)
    await it.tick()
    #expect(try await it.days(id).map(\.date) == [before[0].date])
    #expect(
      try await it.partyService.get(try #require(after[1].appearedID)).state == .cancelled)
    // One that is added in time appears at once.
    var with = UpdateCommute()
    with.restored = [before[1].date]
    _ = try await it.partyService.updateCommute(id, actorID: nil, with, Self.plain)
    await it.tick()
    #expect(try await it.days(id).count == 2)
    #expect(
      await reason {
        _ = try await it.partyService.updateCommute(id, actorID: "eve", later, Self.plain)
      } == "not_host")
  }

  /// A commute of which two days have appeared; ben rides with the first.
  private static func twoDays(_ it: PartyFixture) async throws -> (id: String, parties: [String]) {
    let id = try await it.partyService.createCommute(
      Fixture.schedule(), Fixture.party("ann"), plain
    ).id
    await it.tick()
    let parties = try await it.days(id).compactMap(\.appearedID)
    try #require(parties.count == 2)
    _ = try await it.partyService.join(partyID: parties[0], JoinParty(riderID: "ben"), plain)
    return (id, parties)
  }

  @Test(arguments: [true, false])
  func cancellingStopsWhatHasNotAppeared(includesAppeared: Bool) async throws {
    let it = try Fixture.make()
    defer { it.partyService.stop() }
    let (id, _) = try await Self.twoDays(it)
    for _ in 0..<2 {
      let cancelled = try await it.partyService.cancelCommute(
        id, actorID: "ann", reason: "moved", includesAppeared: includesAppeared, Self.plain)
      #expect(cancelled.state == .cancelled)
      #expect(cancelled.endReason == "moved")
    }
    await it.advance(hours: 72)
    let states = try await it.partyService.list(
      PartyListQuery(person: .host("ann"), limit: 100)
    ).parties.sorted { $0.window.time < $1.window.time }.map(\.state)
    #expect(states == [.ended, includesAppeared ? .cancelled : .ended])
    #expect(try await it.told(["commute.cancelled"]).count == 1)
    #expect(
      await reason {
        _ = try await it.partyService.joinCommute(id, JoinParty(riderID: "eve"), Self.plain)
      } == "commute_cancelled")
  }

  @Test(arguments: [true, false])
  func anOperatorEndsACommuteAndItsDaysIfTheySaySo(includesAppeared: Bool) async throws {
    let it = try Fixture.make()
    defer { it.partyService.stop() }
    let (id, parties) = try await Self.twoDays(it)
    let note = OperatorNote(.commuteClosed, actor: "olga", reason: "complaints")
    func close(_ includesAppeared: Bool) async throws -> Commute {
      try await it.partyService.closeCommute(
        id, by: note, includesAppeared: includesAppeared, Self.plain)
    }
    func states() async throws -> [Party.State] {
      var found: [Party.State] = []
      for party in parties { found.append(try await it.partyService.get(party).state) }
      return found
    }
    let first = try await close(includesAppeared)
    #expect(first.state == .cancelled)
    #expect(first.endReason == "operator")
    let second = try await close(includesAppeared)
    #expect(second.version == first.version)
    #expect(second.state == first.state)
    #expect(second.days == first.days)
    #expect(
      try await states() == (includesAppeared ? [.cancelled, .cancelled] : [.open, .open]))
    // Days that were left go later.
    #expect(try await close(true).version == first.version + (includesAppeared ? 0 : 1))
    #expect(try await states() == [.cancelled, .cancelled])
    await it.advance(hours: 72)
    #expect(try await it.days(id).compactMap(\.appearedID) == parties)
    let told = try await it.told(["admin.commute_closed"])
    #expect(told.count == (includesAppeared ? 1 : 2))
    #expect(told.allSatisfy { $0.aggregateID == id && $0.userIDs.isEmpty })
    #expect(String(decoding: told[0].body, as: UTF8.self).contains("olga"))
    #expect(
      await reason {
        _ = try await it.partyService.closeCommute(
          "nobody", by: note, includesAppeared: false, Self.plain)
      } == "unknown_commute")
  }

  // MARK: - Requests

  @Test func aRidersRequestAppearsEachDayAndFindsItsParties() async throws {
    let it = try Fixture.make()
    defer { it.partyService.stop() }
    let departure = Fixture.start.advanced(milliseconds: 19 * Fixture.hour + 50 * 60_000)
    let party = try await it.partyService.create(
      CreateParty(
        hostID: "ann", origin: PartyFixture.sinchon, destination: PartyFixture.gangnam,
        window: DepartureWindow(time: departure)), Self.plain
    ).party
    let id = try await it.partyService.createCommute(
      Fixture.schedule(), Fixture.request("ben"), Self.plain
    ).id
    await it.tick()
    let kept = it.partyService.standingRequests(of: "ben")
    #expect(kept.count == 2)
    #expect(kept.allSatisfy { $0.commuteID == id })
    #expect(Set(kept.map(\.id)) == Set(try await it.days(id).compactMap(\.appearedID)))
    var after: UInt64 = 0
    var found: [StoredEvent] = []
    while found.isEmpty {
      _ = await it.partyService.waitForEvents(after: after, atMost: .seconds(20))
      let page = try await it.partyService.events(after: after)
      after = page.next
      found = page.events.filter { $0.kind == "match.found" }
    }
    #expect(found[0].aggregateID == party.id)
    #expect(found[0].matchID == kept.first { $0.query.window.meets(party.window) }?.id)
    #expect(it.partyService.commutes(riddenBy: "ben").map(\.id) == [id])
    #expect(
      await reason { _ = try await it.partyService.commute(id, riderID: "eve") }
        == "unknown_commute")
    _ = try await it.partyService.cancelCommute(
      id, actorID: "ben", includesAppeared: true, Self.plain)
    #expect(it.partyService.standingRequests(of: "ben").isEmpty)
  }

  // MARK: - Bounds and repetition

  @Test func aRepeatedKeyAnswersTheSameCommute() async throws {
    let it = try Fixture.make()
    defer { it.partyService.stop() }
    let key = PartyFixture.key("k", "create")
    let first = try await it.partyService.createCommute(
      Fixture.schedule(), Fixture.party("ann"), key)
    await it.tick()
    let again = try await it.partyService.createCommute(
      Fixture.schedule(), Fixture.party("ann"), key)
    #expect(again.id == first.id)
    #expect(it.partyService.commutes(hostedBy: "ann").count == 1)
    let end = PartyFixture.key("c", "cancel")
    for _ in 0..<2 {
      #expect(
        try await it.partyService.cancelCommute(first.id, actorID: nil, end).state == .cancelled)
    }
    // Over, it is in the record alone.
    #expect(
      try await it.partyService.createCommute(
        Fixture.schedule(), Fixture.party("ann"), key
      ).state == .cancelled)
    #expect(
      await reason {
        _ = try await it.partyService.createCommute(
          Fixture.schedule(), Fixture.party("ann"), PartyFixture.key("k", "other"))
      } == "idempotency_mismatch")
  }

  @Test func aPersonAndATenantHaveSoManyAndNoMore() async throws {
    let it = try Fixture.make {
      $0.commutes.perPerson = 2
      $0.commutes.maximum = 3
    }
    defer { it.partyService.stop() }
    func create(_ host: String, at hour: Int) async -> String? {
      await reason {
        _ = try await it.partyService.createCommute(
          Fixture.schedule(hour * 60), Fixture.party(host), Self.plain)
      }
    }
    #expect(await create("ann", at: 7) == nil)
    #expect(await create("ann", at: 12) == nil)
    #expect(await create("ann", at: 18) == "quota_exceeded")
    #expect(await create("ben", at: 18) == nil)
    #expect(await create("carl", at: 18) == "quota_exceeded")
    let first = try #require(it.partyService.commutes(hostedBy: "ann").first)
    _ = try await it.partyService.cancelCommute(first.id, actorID: nil, Self.plain)
    #expect(await create("ann", at: 18) == nil)
  }

  @Test func partiesOfOneHostAreBoundedForDaysToo() async throws {
    let it = try Fixture.make { $0.activePartiesPerHost = 1 }
    defer { it.partyService.stop() }
    let id = try await it.partyService.createCommute(
      Fixture.schedule(), Fixture.party("ann"), Self.plain
    ).id
    await it.tick()
    let days = try await it.days(id)
    #expect(days[0].appearedID != nil)
    #expect(days[1].outcome == .skipped(reason: "quota_exceeded"))
  }

  @Test func aTripThatNoDayAllowsIsRefused() async throws {
    let it = try Fixture.make()
    defer { it.partyService.stop() }
    guard case .party(var create) = Fixture.party("ann") else { return }
    create.destination = create.origin
    let short = create
    #expect(
      await reason {
        _ = try await it.partyService.createCommute(
          Fixture.schedule(), .party(short), Self.plain)
      } == "trip_too_short")
    create.destination = PartyFixture.gangnam
    create.seats = 9
    let wide = create
    #expect(
      await reason {
        _ = try await it.partyService.createCommute(Fixture.schedule(), .party(wide), Self.plain)
      } == "seats_out_of_range")
    #expect(try await it.told([]).isEmpty)
  }

  // MARK: - People and records

  @Test func whoIsErasedLeavesTheirOwnAndOthersCommutes() async throws {
    let it = try Fixture.make()
    defer { it.partyService.stop() }
    let own = try await it.partyService.createCommute(
      Fixture.schedule(), Fixture.party("ann"), Self.plain
    ).id
    let other = try await it.partyService.createCommute(
      Fixture.schedule(18 * 60), Fixture.party("ben"), Self.plain
    ).id
    _ = try await it.partyService.joinCommute(other, JoinParty(riderID: "ann"), Self.plain)
    await it.tick()
    try await it.partyService.retire("ann", Self.plain)
    #expect(try await it.partyService.commute(own).state == .cancelled)
    #expect(try await it.partyService.commute(other).riders.isEmpty)
    for day in try await it.days(other) {
      #expect(
        try await it.partyService.get(try #require(day.appearedID)).riders.map(\.id) == ["ben"])
    }
    let bytes = CommuteRecord.encode(
      try #require(it.partyService.commutes(hostedBy: "ben").first))
    #expect(try CommuteRecord.people(in: bytes) == ["ben"])
  }

  @Test func aRecordHoldsAllOfACommute() throws {
    var rider = JoinParty(
      riderID: "ben", destination: PartyFixture.yeoksam,
      origin: PartyFixture.sinchon.coordinate, seats: 2, attributes: ["a": "1", "b": "2"],
      wishes: RideWishes(
        maxWalkMeters: 1, maxDetourRatio: 2, minSharedRatio: 0.5, maxRideSeconds: 3,
        maxDetourSeconds: 4), weight: 1.5, maxShare: 900)
    rider.boarding = PartyFixture.yeoksam
    var create = CreateParty(
      hostID: "ann", origin: PartyFixture.sinchon, destination: PartyFixture.gangnam,
      window: DepartureWindow(time: Instant(milliseconds: 0), toleranceMilliseconds: 1),
      hostSeats: 2, attributes: ["gender": "f"], hostWeight: 2, seats: 3,
      limits: RideLimits(
        maxWalkMeters: 1, maxDetourRatio: 2, minSharedRatio: 0.5, maxRideSeconds: 3,
        maxDetourSeconds: 4), tags: ["quiet"], policyPack: "kr-small-taxi", splitRule: .equal,
      allowsRaisedShares: true, isCalled: true, tariffID: "kr-seoul-medium",
      vehicleClass: "medium")
    create.policy.sameAttributes = ["gender"]
    let schedule = Fixture.schedule(added: ["2026-11-28"], removed: ["2026-11-30"])
    for trip in [CommuteTrip.party(create), Fixture.request("ann")] {
      var commute = Commute(
        id: "c", version: 7, state: .cancelled, stateSince: Fixture.start,
        createdAt: Fixture.start, schedule: schedule, trip: trip,
        riders: [CommuteRider(join: rider, joinedAt: Fixture.start)],
        doneBefore: Fixture.date("2026-11-26"),
        days: [
          CommuteDay(
            date: Fixture.date("2026-11-26"), departure: Fixture.start,
            outcome: .appeared(id: "p")),
          CommuteDay(
            date: Fixture.date("2026-11-27"), departure: Fixture.start,
            outcome: .skipped(reason: "party_full")),
        ], endReason: "moved")
      commute.schedule.holidays = "kr-public"
      let bytes = CommuteRecord.encode(commute)
      #expect(try CommuteRecord.decode(bytes) == commute)
      #expect(try CommuteRecord.people(in: bytes) == ["ann", "ben"])
      let without = try #require(try CommuteRecord.removing(rider: "ben", from: bytes))
      #expect(without.ownerID == "ann")
      #expect(try CommuteRecord.decode(without.bytes).riders.isEmpty)
      #expect(try CommuteRecord.removing(rider: "eve", from: bytes) == nil)
      for count in stride(from: 0, to: bytes.count, by: 3) {
        // Cut short it is refused or another commute, and never a crash.
        _ = try? CommuteRecord.decode(Array(bytes.prefix(count)))
      }
    }
  }
}
