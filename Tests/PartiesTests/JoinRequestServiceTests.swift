import GeoMath
import LiveLayers
import ObjectModel
import RideMatching
import Testing
import Threading

@testable import DurableCommands
@testable import Parties

/// Requests to join, through the record: durable, once a key, ended by the clock and by other parties.
struct JoinRequestServiceTests {
  typealias Fixture = PartyFixture

  private func create(
    _ it: Fixture, _ host: String, minutes: Int64 = 60, holds: Bool = false, seats: Int = 4
  ) async throws -> String {
    var command = Fixture.create(host, seats: seats, minutes: minutes)
    command.needsApproval = true
    command.holdsSeats = holds
    return try await it.partyService.create(command, Fixture.plain).party.id
  }

  private func ask(
    _ it: Fixture, _ rider: String, _ party: String, key: String? = nil
  ) async throws -> PartyJoinRequest {
    let answer = try await it.partyService.join(
      partyID: party, JoinParty(riderID: rider), Fixture.key(key, rider))
    return try #require(answer.party.lastRequest(of: rider))
  }

  private func kinds(_ it: Fixture) async throws -> [String] {
    try await it.partyService.events(after: 0, limit: 1000).events.map(\.kind)
  }

  private func pass(_ it: Fixture, minutes: Int64) async {
    it.clock.advance(milliseconds: minutes * 60_000)
    it.partyService.carryOutDue(by: it.clock.now())
    await it.partyService.settleCommands()
    await it.partyService.settleCommands()
  }

  @Test func askedApprovedAndReadAgain() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let id = try await create(it, "ann")
    let request = try await ask(it, "bob", id, key: "k1")
    #expect(try await ask(it, "bob", id, key: "k1") == request)
    #expect(try await ask(it, "bob", id) == request)
    #expect(try await it.partyService.list(.init(person: .requester("bob"))).parties.count == 1)
    #expect(try await it.partyService.list(.init(person: .rider("bob"))).parties.isEmpty)
    // A restart has it, with its timer.
    let again = try Fixture(store: it.store, clock: it.clock, starts: false)
    #expect(try await again.partyService.get(id) == it.partyService.get(id))
    #expect(again.partyService.book.partyIDs(requester: "bob") == [id])
    #expect(again.partyService.carryOutDue(by: Fixture.start.advanced(milliseconds: 600_000)) == 1)
    for _ in 0..<2 {
      let party = try await it.partyService.approveJoin(
        requestID: request.id, partyID: id, actorID: "ann", Fixture.key("k2", "yes")
      ).party
      #expect(party.riders.map(\.id) == ["ann", "bob"])
      #expect(party.joinRequest(request.id)?.state == .approved)
    }
    #expect(
      try await kinds(it) == [
        "party.created", "party.join_requested", "party.request_approved", "party.joined",
        "party.shares_changed",
      ])
    let events = try await it.partyService.events(after: 1, limit: 2).events
    #expect(events.allSatisfy { $0.userIDs == ["ann", "bob"] })
    #expect(String(decoding: events[0].body, as: UTF8.self).contains("\"riderId\":\"bob\""))
    #expect(it.partyService.book.partyIDs(requester: "bob").isEmpty)
  }

  @Test func requestsExpireByTheTimer() async throws {
    let it = try Fixture { $0.rules.requestMilliseconds = 120_000 }
    defer { it.partyService.stop() }
    let id = try await create(it, "ann", holds: true, seats: 2)
    let request = try await ask(it, "bob", id)
    #expect(try await it.partyService.get(id).state == .full)
    await pass(it, minutes: 1)
    #expect(try await it.partyService.get(id).joinRequest(request.id)?.isPending == true)
    await pass(it, minutes: 1)
    let party = try await it.partyService.get(id)
    #expect(party.joinRequest(request.id)?.state == .expired && party.state == .open)
    #expect(try await kinds(it).last == "party.request_expired")
    #expect(
      await reason {
        _ = try await it.partyService.approveJoin(
          requestID: request.id, partyID: id, actorID: "ann", Fixture.plain)
      } == "join_request_ended")
  }

  @Test func joiningElsewhereAtThatTimeEndsThem() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let waiting = try await create(it, "ann")
    let later = try await create(it, "ann2", minutes: 600)
    let open = try await it.partyService.create(Fixture.create("eve"), Fixture.plain).party.id
    let ended = try await ask(it, "bob", waiting)
    let kept = try await ask(it, "bob", later)
    let before = try await it.partyService.get(waiting).version
    _ = try await it.partyService.join(
      partyID: open, JoinParty(riderID: "bob"), Fixture.key("join", "x"))
    let party = try await it.partyService.get(waiting)
    #expect(party.joinRequest(ended.id)?.endReason == .joinedAnother)
    #expect(party.version == before + 1)
    #expect(try await it.partyService.get(later).joinRequest(kept.id)?.isPending == true)
    #expect(
      try await kinds(it).suffix(3) == [
        "party.joined", "party.shares_changed", "party.request_withdrawn",
      ])
    // One transaction: the record has both, and the answer is that of the party joined.
    let again = try Fixture(store: it.store, clock: it.clock, starts: false).partyService
    #expect(try await again.get(waiting) == party)
    #expect(try await again.get(open) == it.partyService.get(open))
    let repeated = try await it.partyService.join(
      partyID: open, JoinParty(riderID: "bob"), Fixture.key("join", "x"))
    #expect(repeated.party.id == open)
    // Approving one ends the other as well; so does making a party of one's own.
    let first = try await create(it, "h1", minutes: 300)
    let second = try await create(it, "h2", minutes: 300)
    let one = try await ask(it, "zoe", first)
    _ = try await ask(it, "zoe", second)
    _ = try await it.partyService.approveJoin(
      requestID: one.id, partyID: first, actorID: "h1", Fixture.plain)
    #expect(try await it.partyService.get(second).lastRequest(of: "zoe")?.state == .withdrawn)
    _ = try await ask(it, "max", second)
    _ = try await it.partyService.create(
      Fixture.create("max", minutes: 300), Fixture.plain)
    #expect(try await it.partyService.get(second).lastRequest(of: "max")?.state == .withdrawn)
  }

  @Test func soManyAsOneRiderMayHave() async throws {
    let it = try Fixture { $0.pendingJoinRequestsPerRider = 2 }
    defer { it.partyService.stop() }
    var ids: [String] = []
    for i in 0..<3 { ids.append(try await create(it, "h\(i)", minutes: 60 + Int64(i) * 300)) }
    _ = try await ask(it, "bob", ids[0])
    let second = try await ask(it, "bob", ids[1])
    #expect(await reason { _ = try await ask(it, "bob", ids[2]) } == "quota_exceeded")
    // The same again is no other one.
    #expect(await reason { _ = try await ask(it, "bob", ids[1]) } == nil)
    _ = try await it.partyService.withdrawJoin(
      requestID: second.id, partyID: ids[1], riderID: "bob", Fixture.plain)
    #expect(await reason { _ = try await ask(it, "bob", ids[2]) } == nil)
  }

  @Test func whoIsErasedWaitsNoLonger() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let id = try await create(it, "ann")
    _ = try await ask(it, "bob", id)
    try await it.partyService.retire("bob", Fixture.plain)
    let party = try await it.partyService.get(id)
    #expect(party.lastRequest(of: "bob")?.state == .withdrawn)
    let bytes = PartyRecord.encode(party)
    #expect(try PartyRecord.people(in: bytes).contains("bob"))
    let renamed = try #require(try PartyRecord.replacing("bob", by: "erased-1", in: bytes))
    let after = try PartyRecord.decode(renamed.bytes)
    #expect(after.joinRequests.map(\.riderID) == ["erased-1"])
    #expect(
      after.joinRequests[0].join.attributes.isEmpty && after.joinRequests[0].join.origin == nil)
  }

  @Test func bansHoldForRequestsToo() async throws {
    let until = Fixture.start.advanced(milliseconds: 86_400_000)
    let banned = StateLock(false)
    let it = try Fixture {
      $0.meetings.bannedUntil = { id, _ in id == "bob" && banned.withLock { $0 } ? until : nil }
    }
    defer { it.partyService.stop() }
    let id = try await create(it, "ann")
    let request = try await ask(it, "bob", id)
    banned.withLock { $0 = true }
    #expect(
      await reason {
        _ = try await it.partyService.approveJoin(
          requestID: request.id, partyID: id, actorID: "ann", Fixture.plain)
      } == "banned")
    #expect(try await it.partyService.get(id).joinRequest(request.id)?.isPending == true)
  }

  /// Thirty-two riders ask and withdraw while two hosts' devices approve and decline: no seat is sold twice,
  /// held ones included, and every request has one end.
  @Test(arguments: [1, 2] as [UInt64])
  func racesAreDecidedByTheRecord(seed: UInt64) async throws {
    let it = try Fixture { configuration in
      configuration.rules.overlappingParties = 1000
      configuration.rules.pendingRequests = 100
      configuration.rules.requestsOfRider = 20
    }
    defer { it.partyService.stop() }
    var approved = 0
    for round in 0..<RaceTests.longRounds {
      let id = try await create(it, "host-\(round)", holds: (round + Int(seed)) % 2 == 0)
      let asking = StateLock(32)
      await withTaskGroup(of: Void.self) { group in
        for client in 0..<32 {
          group.addTask {
            await Self.askAndWithdraw(it.partyService, id, client, seed)
            asking.withLock { $0 -= 1 }
          }
        }
        for device in 0..<2 {
          group.addTask {
            await Self.decide(it.partyService, id, "host-\(round)", device) {
              asking.withLock { $0 > 0 }
            }
          }
        }
      }
      let party = try await it.partyService.get(id)
      #expect(party.seatsTaken + party.seatsHeld <= party.seats)
      #expect(Set(party.riders.map(\.id)).count == party.riders.count)
      let told = try await it.partyService.events(after: 0, partyID: id, limit: 1000).events
      var ends: [String: Int] = [:]
      for event in told where event.kind.hasPrefix("party.request_") {
        let body = String(decoding: event.body, as: UTF8.self)
        let name = try #require(
          body.split(separator: "\"requestId\":\"").last?.prefix { $0 != "\"" })
        ends[String(name), default: 0] += 1
        if event.kind == "party.request_approved" { approved += 1 }
      }
      #expect(ends.values.allSatisfy { $0 == 1 })
      let again = try Fixture(store: it.store, clock: it.clock, starts: false).partyService
      #expect(try await again.get(id) == party)
    }
    #expect(approved > 0)
  }

  private static func askAndWithdraw(
    _ service: PartyService, _ id: String, _ client: Int, _ seed: UInt64
  ) async {
    var generator = SplitMix64(seed: seed &* 31 &+ UInt64(client))
    for _ in 0..<3 {
      let rider = "rider-\(client)"
      guard
        let party = try? await service.join(
          partyID: id, JoinParty(riderID: rider), Fixture.plain
        ).party, let request = party.lastRequest(of: rider),
        Int.random(in: 0..<3, using: &generator) == 0
      else { continue }
      _ = await reason {
        _ = try await service.withdrawJoin(
          requestID: request.id, partyID: id, riderID: rider, Fixture.plain)
      }
    }
  }

  /// Until nobody asks any more and nothing is pending; what cannot be approved is declined in time.
  private static func decide(
    _ service: PartyService, _ id: String, _ host: String, _ device: Int,
    isAsked: @Sendable () -> Bool
  ) async {
    var turn = 0
    while true {
      let isAsked = isAsked()
      guard let request = service.partyUnderWay(id)?.pendingRequests.first else {
        guard isAsked else { return }
        await Task.yield()
        continue
      }
      turn += 1
      _ = await reason {
        if (turn + device) % 3 == 0 {
          _ = try await service.declineJoin(
            requestID: request.id, partyID: id, actorID: host, Fixture.plain)
        } else {
          _ = try await service.approveJoin(
            requestID: request.id, partyID: id, actorID: host, Fixture.plain)
        }
      }
    }
  }
}
