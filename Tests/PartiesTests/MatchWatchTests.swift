import ObjectModel
import RideMatching
import Testing

@testable import DurableCommands
@testable import Parties
import TestSupport

/// Watching for matches: what is there, what comes, what goes; and requests that are kept.
struct MatchWatchTests {
  typealias Fixture = PartyFixture

  static func request(_ it: Fixture, rider: String = "bob", seats: Int = 1) -> PartyMatchRequest {
    PartyMatchRequest(
      query: MatchQuery(
        riderID: rider, origin: Fixture.sinchon.coordinate, destination: Fixture.gangnam,
        window: DepartureWindow(time: Fixture.start.advanced(milliseconds: 3_600_000)),
        now: it.clock.now(), seats: seats))
  }

  @Test func presentThenEachThatComesAndGoes() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let first = try await it.partyService.create(Fixture.create("ann", seats: 2), Fixture.plain)
      .party
    var updates = try it.partyService.watchMatches(Self.request(it)).makeAsyncIterator()
    guard case .candidates(let present) = await updates.next() else {
      Issue.record("the present candidates come first")
      return
    }
    #expect(present.map(\.party.id) == [first.id])
    let second = try await it.partyService.create(Fixture.create("eve"), Fixture.plain).party
    guard case .candidate(let new) = await updates.next() else {
      Issue.record("a new party is a candidate")
      return
    }
    #expect(new.party == second)
    _ = try await it.partyService.join(partyID: first.id, JoinParty(riderID: "zoe"), Fixture.plain)
    #expect(await updates.next() == .gone(partyID: first.id))
    _ = try await it.partyService.cancel(partyID: second.id, actorID: nil, Fixture.plain)
    #expect(await updates.next() == .gone(partyID: second.id))
    // A party that was never a match is not told of.
    _ = try await it.partyService.create(Fixture.create("far", minutes: 600), Fixture.plain)
    _ = try await it.partyService.leave(partyID: first.id, riderID: "zoe", Fixture.plain)
    guard case .candidate(let again) = await updates.next() else {
      Issue.record("a seat that is free again")
      return
    }
    #expect(again.party.id == first.id)
  }

  @Test func watchersEndWithTheirConsumerAndTheService() async throws {
    let it = try Fixture { $0.matchWatchers = 3 }
    let own = it.partyService.watchers.count
    do {
      var updates = try it.partyService.watchMatches(Self.request(it)).makeAsyncIterator()
      _ = await updates.next()
      #expect(it.partyService.watchers.count >= own)
    }
    // The stream's end is heard of a moment later; the service itself watches for kept requests.
    while it.partyService.watchers.count > 1 { await Task.yield() }
    let held = try (0..<2).map { _ in try it.partyService.watchMatches(Self.request(it)) }
    it.partyService.stop()
    for stream in held { for await _ in stream {} }
    #expect(
      await reason { _ = try it.partyService.watchMatches(Self.request(it)) } == "quota_exceeded")
  }

  /// However many ask at once, as many are kept as may be, in all and of one rider.
  @Test func standingRequestsHaveAQuota() async throws {
    let it = try Fixture {
      $0.storedRequests = 5
      $0.storedRequestsPerRider = 2
    }
    defer { it.partyService.stop() }
    let service = it.partyService
    @Sendable func keep(_ rider: String) async -> String? {
      await reason {
        var request = Self.request(it)
        request.query.riderID = rider
        _ = try await service.keepRequest(request, Fixture.plain)
      }
    }
    let ofOne = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<12 { group.addTask { await keep("bob") } }
      return await group.reduce(into: [:]) { $0[$1 ?? "kept", default: 0] += 1 }
    }
    #expect(ofOne == ["kept": 2, "quota_exceeded": 10])
    let ofMany = await withTaskGroup(of: String?.self) { group in
      for rider in 0..<12 { group.addTask { await keep("rider-\(rider)") } }
      return await group.reduce(into: [:]) { $0[$1 ?? "kept", default: 0] += 1 }
    }
    #expect(ofMany == ["kept": 3, "quota_exceeded": 9])
    // One that is dropped makes room.
    let id = try #require(service.standingRequests.first { $0.query.riderID == "bob" }).id
    try await service.dropRequest(id, Fixture.plain)
    #expect(await keep("bob") == nil)
    #expect(service.standingRequests.count == 5)
  }

  @Test func standingRequestsTellOnceOfEachAndOutliveARestart() async throws {
    let store = MemoryStore()
    let clock = ManualClock(Fixture.start)
    let it = try Fixture(store: store, clock: clock)
    let first = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party
    let id = try await it.partyService.keepRequest(Self.request(it), Fixture.key("keep"))
    #expect(try await it.partyService.keepRequest(Self.request(it), Fixture.key("keep")) == id)
    #expect(it.partyService.standingRequests.count == 1)
    func found(_ it: Fixture, count: Int) async throws -> [StoredEvent] {
      var after: UInt64 = 0
      var all: [StoredEvent] = []
      while all.count < count {
        let page = try await it.partyService.events(after: after, kinds: ["match.found"])
        all += page.events
        after = page.next
        if all.count < count {
          guard await it.partyService.waitForEvents(after: after, atMost: .seconds(20)) else {
            break
          }
        }
      }
      return all
    }
    let told = try await found(it, count: 1)
    #expect(told.map(\.aggregateID) == [first.id])
    #expect(told.map(\.matchID) == [id])
    #expect(told.map(\.userIDs) == [["bob"]])
    // The party's own events are its own.
    let own = try await it.partyService.events(after: 0, partyID: first.id).events
    #expect(own.map(\.kind) == ["party.created"])
    it.partyService.stop()

    let again = try Fixture(store: store, clock: clock)
    defer { again.partyService.stop() }
    #expect(again.partyService.standingRequests.map(\.id) == [id])
    let second = try await again.partyService.create(Fixture.create("eve"), Fixture.plain).party
    let both = try await found(again, count: 2)
    #expect(both.map(\.aggregateID) == [first.id, second.id])
    // Its window ends: it is kept no longer.
    clock.advance(milliseconds: 71 * 60_000)
    again.partyService.carryOutDue(by: clock.now())
    await again.partyService.settleCommands()
    #expect(again.partyService.standingRequests.isEmpty)
  }

  /// A party that one's own party hides is told of once the rider is out of that.
  @Test(arguments: [false, true]) func standingRequestsTellOfWhatOverlappedOnceItDoesNot(
    cancels: Bool
  ) async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let own = try await it.partyService.create(Fixture.create("zoe"), Fixture.plain).party
    _ = try await it.partyService.join(
      partyID: own.id, JoinParty(riderID: "bob"), Fixture.plain)
    _ = try await it.partyService.keepRequest(Self.request(it), Fixture.plain)
    let hidden = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party
    await it.partyService.settleCommands()
    #expect(
      try await it.partyService.events(after: 0, kinds: ["match.found"]).events.isEmpty)
    let before = it.partyService.eventBounds.newest
    if cancels {
      _ = try await it.partyService.cancel(partyID: own.id, actorID: nil, Fixture.plain)
    } else {
      _ = try await it.partyService.leave(partyID: own.id, riderID: "bob", Fixture.plain)
    }
    var after = before
    var told: Set<String> = []
    while !told.contains(hidden.id) {
      let page = try await it.partyService.events(after: after)
      told.formUnion(page.events.filter { $0.kind == "match.found" }.map(\.aggregateID))
      after = page.next
      guard !told.contains(hidden.id) else { break }
      guard await it.partyService.waitForEvents(after: after, atMost: .seconds(20)) else {
        Issue.record("the party that overlaps no longer is not told of")
        break
      }
    }
    // The party that bob left is a match again, unless it is gone.
    #expect(told.isSubset(of: [hidden.id, own.id]))
  }
}
