import GeoMath
import ObjectModel
import RideMatching
import Testing

@testable import LiveLayers
@testable import DurableCommands
@testable import Parties
import TestSupport

/// What the clock does to parties, by a clock that is moved by hand; and what a restart keeps.
struct PartyTimerTests {
  typealias Fixture = PartyFixture

  private func pass(_ it: Fixture, minutes: Int64) async {
    it.clock.advance(milliseconds: minutes * 60_000)
    it.partyService.carryOutDue(by: it.clock.now())
    await it.partyService.settleCommands()
    await it.partyService.settleCommands()
  }

  private func kinds(_ it: Fixture) async throws -> [String] {
    try await it.partyService.events(after: 0, limit: 1000).events.map(\.kind)
  }

  @Test func noticeDepartureAndEnd() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let id = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party.id
    await pass(it, minutes: 44)
    #expect(try await kinds(it) == ["party.created"])
    await pass(it, minutes: 1)
    #expect(try await kinds(it).last == "party.departing")
    #expect(try await it.partyService.get(id).departingNoticeAt == it.clock.now())
    #expect(it.partyService.carryOutDue(by: it.clock.now()) == 0)
    // The window's end: 60 + 10 minutes after the start.
    await pass(it, minutes: 24)
    #expect(try await it.partyService.get(id).state == .open)
    await pass(it, minutes: 1)
    #expect(try await it.partyService.get(id).state == .departed)
    #expect(
      await reason {
        _ = try await it.partyService.join(partyID: id, JoinParty(riderID: "bob"), Fixture.plain)
      } == "party_departed")
    await pass(it, minutes: 180)
    #expect(try await it.partyService.get(id).state == .ended)
    #expect(
      try await kinds(it) == [
        "party.created", "party.departing", "party.departed", "party.ended",
      ])
    let layer = try it.layers.layer("parties")
    var shown = 0
    _ = try layer.nearby(
      NearbySearch(origin: Fixture.sinchon.coordinate, limit: 5), now: it.clock.now()
    ) { _ in shown += 1 }
    #expect(shown == 0)
    // Nothing comes of a later look.
    await pass(it, minutes: 60)
    #expect(it.partyService.carryOutDue(by: it.clock.now()) == 0)
  }

  @Test func retentionForgetsWhatEndedLongAgo() async throws {
    let store = MemoryStore()
    let it = try Fixture(store: store)
    defer { it.partyService.stop() }
    let id = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party.id
    _ = try await it.partyService.cancel(partyID: id, actorID: nil, Fixture.plain)
    await pass(it, minutes: 7 * 24 * 60 + 1)
    it.partyService.prune(now: it.clock.now())
    await it.partyService.settleCommands()
    // Events are gone, the party is not.
    #expect(try await it.partyService.get(id).state == .cancelled)
    #expect(it.partyService.eventBounds.newest == 2)
    #expect(it.partyService.eventBounds.oldest == 3)
    #expect(
      await reason { _ = try await it.partyService.events(after: 1) } == "resume_token_expired")
    #expect(try await it.partyService.events(after: 2).events == [])
    await pass(it, minutes: 83 * 24 * 60)
    it.partyService.prune(now: it.clock.now())
    await it.partyService.settleCommands()
    #expect(await reason { _ = try await it.partyService.get(id) } == "unknown_party")
    // The numbers go on.
    _ = try await it.partyService.create(Fixture.create("bob", minutes: 200_000), Fixture.plain)
    #expect(it.partyService.eventBounds.newest == 3)
  }

  @Test(arguments: [11, 12, 13] as [UInt64])
  func aRestartShowsTheSame(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let store = MemoryStore()
    let clock = ManualClock(Fixture.start)
    let first = try Fixture(store: store, clock: clock)
    var ids: [String] = []
    for i in 0..<60 {
      clock.advance(milliseconds: Int64.random(in: 0..<60_000, using: &generator))
      let place = RidePlace(
        coordinate: Coordinate(
          uncheckedLatitude: 37.55 + Double.random(in: -0.01...0.01, using: &generator),
          longitude: 126.93 + Double.random(in: -0.01...0.01, using: &generator)))
      var minutes = Int64.random(in: 61..<200, using: &generator)
      minutes += clock.now().milliseconds(since: Fixture.start) / 60_000
      ids.append(
        try await first.partyService.create(
          Fixture.create("host\(i)", minutes: minutes, from: place), Fixture.plain
        ).party.id)
      let id = ids[Int.random(in: 0..<ids.count, using: &generator)]
      let rider = "rider\(Int.random(in: 0..<20, using: &generator))"
      _ = await reason {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: _ = try await first.partyService.leave(partyID: id, riderID: rider, Fixture.plain)
        case 1: _ = try await first.partyService.cancel(partyID: id, actorID: nil, Fixture.plain)
        default:
          _ = try await first.partyService.join(
            partyID: id, JoinParty(riderID: rider, destination: Fixture.yeoksam), Fixture.plain)
        }
      }
    }
    first.partyService.stop()
    let second = try Fixture(store: store, clock: clock)
    defer { second.partyService.stop() }
    #expect(second.partyService.partyCount == first.partyService.partyCount)
    for id in ids { #expect(try await second.partyService.get(id) == first.partyService.get(id)) }
    #expect(second.partyService.eventBounds.newest == first.partyService.eventBounds.newest)
    for i in 0..<20 {
      let query = PartyListQuery(person: .rider("rider\(i)"))
      #expect(
        try await second.partyService.list(query).parties == first.partyService.list(query).parties)
    }
    var search = PartySearchQuery(
      area: .around(Fixture.sinchon.coordinate, radiusMeters: 5000), limit: 100)
    #expect(
      try second.partyService.search(search).parties == first.partyService.search(search).parties)
    search.seats = 3
    #expect(
      try second.partyService.search(search).parties == first.partyService.search(search).parties)
    let match = PartyMatchRequest(
      query: MatchQuery(
        riderID: "new", origin: Fixture.sinchon.coordinate, destination: Fixture.gangnam,
        window: DepartureWindow(
          time: clock.now().advanced(milliseconds: 5_400_000), toleranceMilliseconds: 3_600_000),
        now: clock.now(), wishes: RideWishes(maxWalkMeters: 3000, maxDetourRatio: 1)))
    #expect(
      try second.partyService.match(match).candidates == first.partyService.match(match).candidates)
    #expect(try !second.partyService.match(match).candidates.isEmpty)
    // Timers go on where they were.
    clock.advance(milliseconds: 400 * 60_000)
    #expect(second.partyService.carryOutDue(by: clock.now()) > 0)
    await second.partyService.settleCommands()
    for id in ids { #expect(try await !second.partyService.get(id).isActive) }
  }
}
