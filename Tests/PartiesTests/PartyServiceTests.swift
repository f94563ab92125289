import GeoMath
import ObjectModel
import RideMatching
import SpatialIndexing
import Testing

@testable import LiveLayers
@testable import Parties

/// Commands and questions through the whole partyService, over the store in memory.
struct PartyServiceTests {
  typealias Fixture = PartyFixture

  @Test func createJoinLeaveCancel() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let made = try await it.partyService.create(Fixture.create("ann"), Fixture.plain)
    let id = made.party.id
    #expect(made.party.version == 1)
    #expect(made.party.state == .open)
    #expect(made.party.riders.map(\.id) == ["ann"])
    #expect(made.party.fare.expected > 0)
    let joined = try await it.partyService.join(
      partyID: id, JoinParty(riderID: "bob", destination: Fixture.yeoksam), Fixture.plain)
    #expect(joined.party.riders.map(\.id) == ["ann", "bob"])
    #expect(joined.party.riders.reduce(0) { $0 + $1.share } == joined.party.fare.expected)
    #expect(try await it.partyService.get(id) == joined.party)
    // Again: unchanged.
    let again = try await it.partyService.join(
      partyID: id, JoinParty(riderID: "bob", destination: Fixture.yeoksam), Fixture.plain)
    #expect(again.party == joined.party)
    #expect(
      await reason {
        _ = try await it.partyService.join(
          partyID: id, JoinParty(riderID: "bob", destination: Fixture.sinchon), Fixture.plain)
      } == "already_member")
    let left = try await it.partyService.leave(partyID: id, riderID: "ann", Fixture.plain)
    #expect(left.party.hostID == "bob")
    let absent = try await it.partyService.leave(partyID: id, riderID: "zoe", Fixture.plain)
    #expect(absent.party == left.party)
    #expect(
      await reason {
        _ = try await it.partyService.cancel(partyID: id, actorID: "zoe", Fixture.plain)
      } == "not_host")
    let cancelled = try await it.partyService.cancel(partyID: id, actorID: "bob", Fixture.plain)
    #expect(cancelled.party.state == .cancelled)
    #expect(
      await reason {
        _ = try await it.partyService.join(partyID: id, JoinParty(riderID: "eve"), Fixture.plain)
      } == "party_cancelled")
    #expect(
      await reason {
        _ = try await it.partyService.leave(partyID: "none", riderID: "a", Fixture.plain)
      }
        == "unknown_party")
  }

  @Test func aRiderIsInOnePartyAtATime() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let first = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party
    let second = try await it.partyService.create(Fixture.create("bob"), Fixture.plain).party
    let later = try await it.partyService.create(Fixture.create("eve", minutes: 600), Fixture.plain)
      .party
    #expect(
      await reason {
        _ = try await it.partyService.join(
          partyID: second.id, JoinParty(riderID: "ann"), Fixture.plain)
      } == "overlapping_party")
    _ = try await it.partyService.join(partyID: later.id, JoinParty(riderID: "ann"), Fixture.plain)
    _ = try await it.partyService.leave(partyID: first.id, riderID: "ann", Fixture.plain)
    _ = try await it.partyService.join(partyID: second.id, JoinParty(riderID: "ann"), Fixture.plain)
    let all = try await it.partyService.list(PartyListQuery(person: .rider("ann")))
    #expect(Set(all.parties.map(\.id)) == [second.id, later.id])
  }

  @Test func theLayerShowsWhatIsOpen() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let made = try await it.partyService.create(Fixture.create("ann", seats: 2), Fixture.plain)
    let layer = try it.layers.layer("parties")
    try layer.require(minVersion: made.layerVersion)
    func seatsFree() throws -> [Double] {
      var found: [Double] = []
      _ = try layer.nearby(
        NearbySearch(origin: Fixture.sinchon.coordinate, limit: 10), now: it.clock.now()
      ) { hit in
        let attributes = ObjectPayload.attributes(in: hit.payload)
        guard
          case .number(let free)? = ObjectPayload.value(
            of: "seats_free", inAttributes: attributes)
        else { return }
        found.append(free)
      }
      return found
    }
    #expect(try seatsFree() == [1])
    _ = try await it.partyService.join(
      partyID: made.party.id, JoinParty(riderID: "bob"), Fixture.plain)
    #expect(try seatsFree() == [0])
    _ = try await it.partyService.cancel(partyID: made.party.id, actorID: nil, Fixture.plain)
    #expect(try seatsFree() == [])
  }

  @Test func searchFiltersBeforeItsLimitAndPagesOnce() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    var ids: [String] = []
    for i in 0..<30 {
      let place = RidePlace(
        coordinate: Coordinate(
          uncheckedLatitude: 37.5551 + Double(i) * 0.0002, longitude: 126.9368))
      let made = try await it.partyService.create(
        Fixture.create("host\(i)", seats: i % 3 == 0 ? 2 : 4, from: place, tags: ["t\(i % 2)"]),
        Fixture.plain)
      if i % 3 == 0 {
        _ = try await it.partyService.join(
          partyID: made.party.id, JoinParty(riderID: "guest\(i)"), Fixture.plain)
      }
      ids.append(made.party.id)
    }
    func all(_ query: PartySearchQuery) throws -> [String] {
      var query = query
      var found: [String] = []
      repeat {
        let page = try it.partyService.search(query)
        #expect(page.parties.count <= query.limit ?? 20)
        found += page.parties.map(\.id)
        query.cursor = page.nextCursor
      } while query.cursor != nil
      return found
    }
    var query = PartySearchQuery(
      area: .around(Fixture.sinchon.coordinate, radiusMeters: nil), limit: 4)
    #expect(try all(query) == ids)
    query.seats = 1
    #expect(try all(query) == ids.enumerated().filter { $0.offset % 3 != 0 }.map(\.element))
    query.seats = nil
    query.tags = ["t1"]
    #expect(try all(query) == ids.enumerated().filter { $0.offset % 2 == 1 }.map(\.element))
    query.tags = []
    query.area = .around(Fixture.sinchon.coordinate, radiusMeters: 100)
    #expect(try all(query) == Array(ids.prefix(5)))
    query.area = .box(GeoBox(uncheckedWest: 126.9, south: 37.5, east: 127, north: 37.5562))
    #expect(Set(try all(query)) == Set(ids.prefix(6)))
    query.destination = Fixture.sinchon.coordinate
    #expect(try all(query) == [])
    query.destination = nil
    query.from = Fixture.start.advanced(milliseconds: 71 * 60_000)
    #expect(try all(query) == [])
    query.cursor = "AAAA"
    #expect(await reason { _ = try it.partyService.search(query) } == "bad_cursor")
  }

  @Test func listsPageNewestFirst() async throws {
    let it = try Fixture { $0.rules.overlappingParties = 100 }
    defer { it.partyService.stop() }
    var ids: [String] = []
    for i in 0..<7 {
      it.clock.advance(milliseconds: 10)
      ids.append(
        try await it.partyService.create(
          Fixture.create("ann", minutes: 60 + Int64(i)), Fixture.plain
        )
        .party.id)
    }
    var query = PartyListQuery(person: .host("ann"), limit: 3)
    var found: [String] = []
    repeat {
      let page = try await it.partyService.list(query)
      found += page.parties.map(\.id)
      query.cursor = page.nextCursor
    } while query.cursor != nil
    #expect(found == ids.reversed())
    #expect(
      try await it.partyService.list(PartyListQuery(person: .rider("ann"), states: [.full])).parties
        .isEmpty)
  }

  @Test func whatPreviewAndMatchPromiseIsWhatJoiningDoes() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    let made = try await it.partyService.create(Fixture.create("ann"), Fixture.plain).party
    let request = PartyMatchRequest(
      query: MatchQuery(
        riderID: "bob", origin: Fixture.sinchon.coordinate, destination: Fixture.yeoksam,
        window: made.window, now: it.clock.now(), explain: true))
    let answer = try it.partyService.match(request)
    let candidate = try #require(answer.candidates.first)
    #expect(candidate.party.id == made.id)
    #expect(answer.explanation?.considered == 1)
    let (_, preview) = try await it.partyService.previewJoin(partyID: made.id, request.query.join)
    let joined = try await it.partyService.join(
      partyID: made.id, request.query.join, Fixture.plain
    ).party
    #expect(joined.riders.last?.share == candidate.yourFare)
    #expect(preview.now.riders.map(\.share) == joined.riders.map(\.share))
    #expect(preview.now.route == joined.route)
    var tagged = request
    tagged.query.riderID = "eve"
    tagged.tags = ["none"]
    let filtered = try it.partyService.match(tagged)
    #expect(filtered.candidates.isEmpty)
    #expect(filtered.removedByTags == 1)
  }

  /// A match looks at its budget, its deadline and its caller while it runs, and gives no answer
  /// that is not complete.
  @Test func aMatchEndsWithItsBudget() async throws {
    let it = try Fixture()
    defer { it.partyService.stop() }
    for host in 0..<600 {
      _ = try await it.partyService.create(Fixture.create("host-\(host)"), Fixture.plain)
    }
    let window = Fixture.create("x").window
    let request = PartyMatchRequest(
      query: MatchQuery(
        riderID: "bob", origin: Fixture.sinchon.coordinate, destination: Fixture.yeoksam,
        window: window, now: it.clock.now()))
    let enough = try it.partyService.match(request, budget: WorkBudget(steps: 4096))
    #expect(!enough.candidates.isEmpty)
    #expect(throws: PartyServiceError.tooMuchWork(limit: 300, field: "maxWalkMeters")) {
      try it.partyService.match(request, budget: WorkBudget(steps: 300))
    }
    #expect(throws: PartyServiceError.abandoned) {
      try it.partyService.match(
        request, budget: WorkBudget(steps: 4096, deadline: WorkDeadline(.now - .seconds(1))))
    }
    #expect(throws: PartyServiceError.abandoned) {
      try it.partyService.match(request, budget: WorkBudget(steps: 4096) { true })
    }
    let search = PartySearchQuery(area: .around(Fixture.sinchon.coordinate, radiusMeters: 3000))
    #expect(throws: PartyServiceError.abandoned) {
      try it.partyService.search(search, budget: WorkBudget(steps: 1 << 20) { true })
    }
    #expect(throws: PartyServiceError.tooMuchWork(limit: 100, field: "radiusMeters")) {
      try it.partyService.search(search, budget: WorkBudget(steps: 100))
    }
  }
}
