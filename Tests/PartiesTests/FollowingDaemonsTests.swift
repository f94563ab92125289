import GeoMath
import LiveLayers
import ObjectModel
import PeerMatching
import RideMatching
import SpatialIndexing
import Testing

@testable import DurableCommands
@testable import Parties
@testable import Tickets
import TestSupport

/// Parties, kept requests and tickets of two daemons on one record.
struct FollowingDaemonsTests {
  typealias Fixture = PartyFixture

  private struct Daemons {
    let store = MemoryStore(isShared: true)
    let clock = ManualClock(Fixture.start)
    let one: Fixture
    let other: Fixture

    init(_ change: (inout PartyServiceConfiguration) -> Void = { _ in }) throws {
      one = try Fixture(store: store, clock: clock, change)
      other = try Fixture(store: store, clock: clock, change)
    }

    func stop() {
      one.partyService.stop()
      other.partyService.stop()
    }

    /// Returns once both know what was committed.
    func follow() async {
      for _ in 0..<2 {
        await one.partyService.settleCommands()
        await other.partyService.settleCommands()
        store.hurry()
      }
      await one.partyService.settleCommands()
      await other.partyService.settleCommands()
    }
  }

  private static func shown(_ it: Fixture) throws -> [String] {
    var ids: [String] = []
    _ = try it.layers.layer("parties").nearby(
      NearbySearch(origin: Fixture.sinchon.coordinate, limit: 50), now: it.clock.now()
    ) { ids.append($0.idString) }
    return ids.sorted()
  }

  @Test func aPartyIsFoundMatchedAndListedElsewhere() async throws {
    let it = try Daemons()
    defer { it.stop() }
    let (one, other) = (it.one.partyService, it.other.partyService)
    let party = try await one.create(Fixture.create("ann"), Fixture.plain).party
    var updates = try other.watchMatches(MatchWatchTests.request(it.other)).makeAsyncIterator()
    #expect(await updates.next() == .candidates([]))
    await it.follow()
    #expect(try await other.get(party.id) == party)
    guard case .candidate(let candidate) = await updates.next() else {
      Issue.record("a party of another daemon is a candidate")
      return
    }
    #expect(candidate.party == party)
    #expect(try Self.shown(it.other) == [party.id])
    #expect(
      try await other.list(PartyListQuery(person: .host("ann"))).parties.map(\.id) == [party.id])
    // An own write is seen at once, and the feed has both in their order.
    _ = try await one.join(partyID: party.id, JoinParty(riderID: "bob"), Fixture.plain)
    let joined = try await other.join(
      partyID: party.id, JoinParty(riderID: "eve"), Fixture.plain
    ).party
    #expect(joined.riders.map(\.id) == ["ann", "bob", "eve"])
    #expect(try await other.get(party.id) == joined)
    #expect(
      try await other.events(after: 0).events.map(\.kind).filter { $0 != "party.shares_changed" }
        == ["party.created", "party.joined", "party.joined"])
    _ = try await other.cancel(partyID: party.id, actorID: nil, Fixture.plain)
    await it.follow()
    #expect(try Self.shown(it.one) == [])
    #expect(try await one.get(party.id).state == .cancelled)
  }

  @Test func whatEndedAndIsPrunedGoesEverywhere() async throws {
    let it = try Daemons()
    defer { it.stop() }
    let (one, other) = (it.one.partyService, it.other.partyService)
    var ids: [String] = []
    for number in 0..<6 {
      let party = try await one.create(Fixture.create("ann"), Fixture.key("\(number)")).party
      ids.append(party.id)
      _ = try await one.cancel(partyID: party.id, actorID: nil, Fixture.plain)
      if number % 2 == 0 { await it.follow() }
    }
    let live = try await one.create(Fixture.create("ann", minutes: 600), Fixture.plain).party
    await it.follow()
    for id in ids { #expect(try await other.get(id) == one.get(id)) }
    #expect(other.partyCount == 7)
    #expect(other.book.all.count == 2)
    #expect(
      try await other.list(PartyListQuery(person: .host("ann"))).parties.count == 7)
    it.clock.advance(
      milliseconds: PartyServiceConfiguration().rules.retentionMilliseconds + 1000)
    one.prune(now: it.clock.now())
    await one.settleCommands()
    // What the record has no longer is refused, though this daemon has it still.
    #expect(
      await reason {
        _ = try await other.join(partyID: ids[5], JoinParty(riderID: "bob"), Fixture.plain)
      } == "unknown_party")
    await it.follow()
    #expect(one.partyCount == 1)
    #expect(other.partyCount == 1)
    #expect(other.eventBounds == one.eventBounds)
    #expect(try await other.get(live.id) == live)
    #expect(await reason { _ = try await other.get(ids[0]) } == "unknown_party")
  }

  /// Only the daemon that leads drops anything.
  @Test func whoDoesNotLeadDropsNothing() async throws {
    let it = try Daemons()
    defer { it.stop() }
    let party = try await it.one.partyService.create(Fixture.create("ann"), Fixture.plain).party
    _ = try await it.one.partyService.cancel(partyID: party.id, actorID: nil, Fixture.plain)
    it.clock.advance(
      milliseconds: PartyServiceConfiguration().rules.retentionMilliseconds + 1000)
    it.store.lead(false)
    it.one.partyService.prune(now: it.clock.now())
    await it.follow()
    #expect(it.one.partyService.partyCount == 1)
    #expect(it.one.partyService.eventBounds.oldest == 1)
    it.store.lead(true)
    it.one.partyService.prune(now: it.clock.now())
    await it.follow()
    #expect(it.one.partyService.partyCount == 0)
    #expect(it.other.partyService.eventBounds.oldest == 3)
  }

  @Test func aRequestIsWithdrawnAtAnyDaemon() async throws {
    let it = try Daemons()
    defer { it.stop() }
    let (one, other) = (it.one.partyService, it.other.partyService)
    let ids = [
      try await one.keepRequest(MatchWatchTests.request(it.one), Fixture.plain),
      try await one.keepRequest(MatchWatchTests.request(it.one), Fixture.plain),
    ]
    // It is not known there yet.
    #expect(other.standingRequests.isEmpty)
    try await other.withdrawRequest(ids[0], riderID: "bob", Fixture.key("w"))
    try await one.withdrawRequest(ids[0], riderID: "bob", Fixture.key("w"))
    // Over elsewhere: refused, as it is after a while.
    for _ in 0..<2 {
      #expect(
        await reason { try await one.withdrawRequest(ids[0], riderID: "bob", Fixture.plain) }
          == "unknown_ride_request")
      #expect(
        await reason { try await other.withdrawRequest("none", riderID: nil, Fixture.plain) }
          == "unknown_ride_request")
      try await one.dropRequest(ids[0], Fixture.plain)
      await it.follow()
    }
    #expect(one.standingRequests.map(\.id) == [ids[1]])
    #expect(other.standingRequests.map(\.id) == [ids[1]])
    #expect(it.one.partyService.commitStatistics.notDone == 0)
  }

  /// A party of one daemon is told to a request that another one keeps.
  @Test func keptRequestsHearOfPartiesElsewhere() async throws {
    let it = try Daemons()
    defer { it.stop() }
    let (one, other) = (it.one.partyService, it.other.partyService)
    let id = try await one.keepRequest(MatchWatchTests.request(it.one), Fixture.plain)
    await it.follow()
    let party = try await other.create(Fixture.create("ann"), Fixture.plain).party
    // Both daemons take themselves for the one that reports: it is told once all the same.
    await it.follow()
    while try await one.events(after: 0, kinds: ["match.found"]).events.isEmpty {
      #expect(await one.waitForEvents(after: one.eventBounds.newest, atMost: .seconds(20)))
    }
    for _ in 0..<3 { await it.follow() }
    let found = try await other.events(after: 0, kinds: ["match.found"]).events
    #expect(found.map(\.aggregateID) == [party.id])
    #expect(found.map(\.matchID) == [id])
  }

  @Test func ticketsAreFollowed() async throws {
    let store = MemoryStore(isShared: true)
    let clock = ManualClock(Fixture.start)
    let one = try NoShowTests.Both(store, clock)
    let other = try NoShowTests.Both(store, clock)
    defer {
      one.commands.stop()
      other.commands.stop()
    }
    let here = Coordinate(uncheckedLatitude: 37.5, longitude: 127.03)
    func follow() async {
      store.hurry()
      for both in [one, other] { await both.tickets.settleCommands() }
    }
    _ = try await one.tickets.carryOut(
      .open(userID: "ann", OpenTicket(here: here, tags: ["swift"])),
      Fixture.plain)
    #expect(other.tickets.waitingCount == 0)
    await follow()
    #expect(other.tickets.waitingCount == 1)
    #expect(other.tickets.book.ticket("ann") == one.tickets.book.ticket("ann"))
    _ = try await other.tickets.carryOut(.close(userID: "ann"), Fixture.plain)
    await follow()
    #expect(one.tickets.waitingCount == 0)
    #expect(one.tickets.book.ticket("ann") == other.tickets.book.ticket("ann"))
  }
}
