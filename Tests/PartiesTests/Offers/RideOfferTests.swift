import DurableCommands
import Foundation
import GeoMath
import ObjectModel
import RideMatching
import Testing
import TestSupport
import Threading

@testable import Parties

private typealias Fixture = PartyFixture

/// Standing requests that are matched with one another: what is offered, and what answers do.
@Suite("Ride offers") struct RideOfferTests {
  /// From near Sinchon to Gangnam, in `minutes`, within five minutes of that.
  private static func request(
    _ rider: String, minutes: Int64 = 10, north: Double = 0, seats: Int = 1,
    maxShare: Int64? = nil, tags: [String] = [], tolerance: Int64 = 5
  ) -> PartyMatchRequest {
    let origin = Fixture.sinchon.coordinate
    var query = MatchQuery(
      riderID: rider,
      origin: Coordinate(
        uncheckedLatitude: origin.latitude + north, longitude: origin.longitude),
      destination: Fixture.gangnam,
      window: DepartureWindow(
        time: Fixture.start.advanced(milliseconds: minutes * 60_000),
        toleranceMilliseconds: tolerance * 60_000), now: Fixture.start,
      wishes: RideWishes(maxWalkMeters: 400), seats: seats, maxShare: maxShare)
    query.originName = "Sinchon, of \(rider)"
    return PartyMatchRequest(query: query, tags: tags)
  }

  private static func keep(
    _ it: Fixture, _ requests: PartyMatchRequest...
  ) async throws -> [String] {
    var ids: [String] = []
    for request in requests {
      ids.append(try await it.partyService.keepRequest(request, Fixture.plain))
    }
    return ids
  }

  /// A round, carried out.
  private static func match(_ it: Fixture) async -> Int {
    let count = await it.partyService.matchTogether()
    await it.partyService.settleCommands()
    return count
  }

  private static func answer(
    _ it: Fixture, _ id: String, _ rider: String, accepts: Bool = true, key: String? = nil
  ) async throws -> PartyRideOffer {
    try await it.partyService.answerOffer(
      id, riderID: rider, accepts: accepts, Fixture.key(key, "\(id) \(rider) \(accepts)"))
  }

  private static func kinds(_ it: Fixture) async throws -> [String] {
    try await it.partyService.events(after: 0, limit: 100).events.map(\.kind)
      .filter { $0.hasPrefix("offer.") || $0 == "party.created" }
  }

  @Test func whatEverybodyAcceptsBecomesThePartyThatWasTold() async throws {
    let store = MemoryStore()
    let it = try Fixture(store: store)
    let ids = try await Self.keep(it, Self.request("ann"), Self.request("ben", north: 0.001))
    #expect(await Self.match(it) == 1)
    let ann = try #require(it.partyService.rideOffers(of: "ann").first)
    let ben = try #require(it.partyService.rideOffers(of: "ben").first)
    #expect(ann.offer == ben.offer && [ann.requestID, ben.requestID] == ids)
    #expect(ann.offer.fare == ann.own.share + ben.own.share)
    #expect(ann.own.share < ann.own.soloFare && ben.own.share < ben.own.soloFare)
    // An open offer leaves its requests alone.
    #expect(await Self.match(it) == 0)
    let id = ann.offer.id
    #expect(try await Self.answer(it, id, "ann", key: "yes").offer.state == .open)
    let version = it.partyService.rideOffers(of: "ann").first?.offer.version
    #expect(try await Self.answer(it, id, "ann").offer.version == version)
    let firm = try await Self.answer(it, id, "ben", key: "me too")
    #expect(firm.offer.state == .confirmed)
    let party = try await it.partyService.get(try #require(firm.offer.partyID))
    #expect(Set(party.riders.map(\.id)) == ["ann", "ben"])
    #expect(party.origin.name == "Sinchon, of \(party.hostID)")
    #expect(ann.offer.origin == party.origin)
    for (rider, mine) in [("ann", ann), ("ben", ben)] {
      #expect(party.riders.first { $0.id == rider }?.share == mine.own.share)
    }
    #expect(it.partyService.standingRequests.isEmpty)
    #expect(
      try await Self.kinds(it) == [
        "offer.made", "offer.accepted", "party.created", "offer.confirmed",
      ])
    it.partyService.stop()
    // The same key, and the same word without one, after a restart.
    let again = try Fixture(store: store)
    defer { again.partyService.stop() }
    #expect(try await Self.answer(again, id, "ben", key: "me too").offer == firm.offer)
    #expect(try await Self.answer(again, id, "ann").offer.partyID == party.id)
    #expect(again.partyService.partyCount == 1)
    #expect(
      await reason { _ = try await Self.answer(again, id, "ann", accepts: false) }
        == "ride_offer_ended")
    #expect(await reason { _ = try await Self.answer(again, id, "eve") } == "unknown_ride_offer")
  }

  @Test func anOpenOfferOutlivesARestart() async throws {
    let store = MemoryStore()
    let clock = ManualClock(Fixture.start)
    let it = try Fixture(store: store, clock: clock)
    _ = try await Self.keep(it, Self.request("ann"), Self.request("ben", north: 0.001))
    #expect(await Self.match(it) == 1)
    let told = try #require(it.partyService.rideOffers(of: "ann").first)
    _ = try await Self.answer(it, told.offer.id, "ann")
    it.partyService.stop()
    let again = try Fixture(store: store, clock: clock)
    defer { again.partyService.stop() }
    #expect(again.partyService.openOffers == 1)
    #expect(again.partyService.rideOffers(of: "ann").first?.own.answer == .accepted)
    #expect(try await Self.answer(again, told.offer.id, "ben").offer.state == .confirmed)
    // Both in it at its end as well: nobody answers, and the clock ends it.
    _ = try await Self.keep(
      again, Self.request("cho", minutes: 8), Self.request("dan", minutes: 8, north: 0.001))
    #expect(await Self.match(again) == 1)
    clock.advance(milliseconds: 120_000)
    #expect(
      await reason {
        let open = again.partyService.rideOffers(of: "cho")[0].offer.id
        _ = try await Self.answer(again, open, "cho")
      } == "ride_offer_ended")
    again.partyService.carryOutDue(by: clock.now())
    await again.partyService.settleCommands()
    #expect(again.partyService.rideOffers(of: "cho").first?.offer.state == .expired)
    #expect(again.partyService.openOffers == 0)
  }

  @Test func whoDeclinesIsNotPutTogetherWithThemAgain() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    _ = try await Self.keep(it, Self.request("ann"), Self.request("ben", north: 0.001))
    #expect(await Self.match(it) == 1)
    let id = try #require(it.partyService.rideOffers(of: "ann").first).offer.id
    _ = try await Self.answer(it, id, "ann")
    #expect(try await Self.answer(it, id, "ben", accepts: false).offer.state == .declined)
    #expect(try await Self.answer(it, id, "ben", accepts: false).offer.state == .declined)
    #expect(await reason { _ = try await Self.answer(it, id, "ann") } == "ride_offer_ended")
    #expect(it.partyService.standingRequests.count == 2)
    #expect(it.partyService.partyCount == 0)
    #expect(await Self.match(it) == 0)
    // Somebody else may come along with either.
    _ = try await Self.keep(it, Self.request("cho", north: 0.0005))
    #expect(await Self.match(it) == 1)
    let next = try #require(it.partyService.rideOffers(of: "cho").first)
    #expect(next.offer.members.count == 2)
  }

  /// After so many offers that a rider let pass, others are no longer kept waiting for them.
  @Test func whoNeverAnswersIsLeftOut() async throws {
    let it = try Fixture {
      $0.together.refusedOffers = 2
      $0.together.offerMilliseconds = 30_000
    }
    defer { it.partyService.stop() }
    _ = try await Self.keep(
      it, Self.request("ann", minutes: 12), Self.request("mute", minutes: 12, north: 0.001))
    for _ in 0..<2 {
      #expect(await Self.match(it) == 1)
      let id = try #require(it.partyService.rideOffers(of: "ann").first).offer.id
      _ = try await Self.answer(it, id, "ann")
      it.clock.advance(milliseconds: 30_000)
      it.partyService.carryOutDue(by: it.clock.now())
      await it.partyService.settleCommands()
    }
    #expect(await Self.match(it) == 0)
    _ = try await Self.keep(it, Self.request("cho", minutes: 12, north: 0.0005))
    #expect(await Self.match(it) == 1)
    #expect(it.partyService.rideOffers(of: "cho").first?.offer.members.count == 2)
    #expect(it.partyService.rideOffers(of: "mute").allSatisfy { !$0.offer.isOpen })
  }

  @Test func aRequestThatEndsTakesItsOfferBack() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let ids = try await Self.keep(it, Self.request("ann"), Self.request("ben", north: 0.001))
    #expect(await Self.match(it) == 1)
    let id = try #require(it.partyService.rideOffers(of: "ann").first).offer.id
    _ = try await Self.answer(it, id, "ann")
    try await it.partyService.withdrawRequest(ids[1], riderID: "ben", Fixture.plain)
    let ended = try #require(it.partyService.rideOffers(of: "ann").first).offer
    #expect(ended.state == .withdrawn && ended.endReason == "request_ended")
    #expect(it.partyService.standingRequests.map(\.id) == [ids[0]])
    #expect(try await Self.kinds(it).last == "offer.withdrawn")
  }

  /// What can no longer be kept is not made otherwise.
  @Test func whatCannotBeKeptIsWithdrawn() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    _ = try await Self.keep(it, Self.request("ann"), Self.request("ben", north: 0.001))
    #expect(await Self.match(it) == 1)
    let id = try #require(it.partyService.rideOffers(of: "ann").first).offer.id
    _ = try await Self.answer(it, id, "ann")
    let own = try await it.partyService.create(
      Fixture.create("ben", minutes: 15, from: Fixture.yeoksam), Fixture.plain
    ).party
    let off = try await Self.answer(it, id, "ben").offer
    #expect(off.state == .withdrawn)
    #expect(["overlapping_party", "request_ended"].contains(off.endReason ?? ""))
    #expect(it.partyService.partyCount == 1 && own.riders.map(\.id) == ["ben"])
  }

  @Test func ataxiWithASeatFreeIsSortedAnewUntilItLeavesSoon() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    _ = try await Self.keep(
      it, Self.request("ann", minutes: 60), Self.request("ben", minutes: 60, north: 0.001))
    #expect(await Self.match(it) == 0)
    _ = try await Self.keep(it, Self.request("cho", minutes: 60, north: 0.0005))
    #expect(await Self.match(it) == 0)
    it.clock.advance(milliseconds: 46 * 60_000)
    #expect(await Self.match(it) == 1)
    #expect(it.partyService.rideOffers(of: "ann").first?.offer.members.count == 3)
    // A full one has no reason to wait.
    _ = try await Self.keep(
      it, Self.request("dan", minutes: 300, seats: 2),
      Self.request("eve", minutes: 300, north: 0.001, seats: 2))
    #expect(await Self.match(it) == 1)
    #expect(it.partyService.rideOffers(of: "eve").first?.offer.members.count == 2)
  }

  @Test func statedSharesTagsAndBlocksBind() async throws {
    let it = try Fixture {
      $0.together.budgetMilliseconds = 60_000
      $0.meetings = PartyMeetings(areBlocked: { one, other in one == "eve" && other == "dan" })
    }
    defer { it.partyService.stop() }
    // Too little to pay for anybody's part of the fare.
    _ = try await Self.keep(
      it, Self.request("ann"), Self.request("poor", north: 0.001, maxShare: 10))
    #expect(await Self.match(it) == 0)
    _ = try await Self.keep(it, Self.request("ben", north: 0.0005))
    #expect(await Self.match(it) == 1)
    #expect(it.partyService.rideOffers(of: "poor").isEmpty)
    _ = try await Self.keep(
      it, Self.request("dan", minutes: 9), Self.request("eve", minutes: 9, north: 0.001),
      Self.request("tag", minutes: 9, tags: ["quiet"]))
    #expect(await Self.match(it) == 0)
  }

  @Test func aWatcherIsToldOfOffers() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let wanted = Self.request("ann")
    _ = try await Self.keep(it, wanted, Self.request("ben", north: 0.001))
    var updates = try it.partyService.watchMatches(wanted).makeAsyncIterator()
    #expect(await updates.next() == .candidates([]))
    #expect(await Self.match(it) == 1)
    guard case .offer(let made) = await updates.next() else {
      Issue.record("no offer was told")
      return
    }
    #expect(made.riderID == "ann" && made.own.answer == .pending)
    _ = try await Self.answer(it, made.offer.id, "ben", accepts: false)
    guard case .offer(let ended) = await updates.next() else {
      Issue.record("its end was not told")
      return
    }
    #expect(ended.offer.state == .declined)
  }

  @Test func theRecordHoldsAllOfAnOffer() throws {
    let place = Fixture.yeoksam
    for state in RideOffer.State.allCases {
      var kept = StandingRequest(
        id: "r1", version: 3, createdAt: Fixture.start, query: Self.request("ann").query)
      kept.offer = RideOffer(
        id: "o", version: 5, state: state, createdAt: Fixture.start,
        expiresAt: Fixture.start.advanced(milliseconds: 9),
        endedAt: state == .open ? nil : Fixture.start, endReason: "x",
        window: DepartureWindow(time: Fixture.start, toleranceMilliseconds: 7), origin: place,
        fare: 9000, currency: "KRW",
        members: RideOffer.Answer.allCases.map {
          RideOffer.Member(
            requestID: $0.rawValue, share: 3000, soloFare: 5000, walkMeters: 1.5, rideSeconds: 2.5,
            detourSeconds: 3.5, boarding: $0 == .pending ? place : nil, answer: $0)
        }, partyID: "p")
      kept.refusedOffers = 2
      kept.avoids = ["r2", "r3"]
      kept.query.now = kept.createdAt
      #expect(try StandingRequest(record: kept.encoded()) == kept)
    }
  }
}
