import GeoMath
import ObjectModel
import PeerMatching
import PositionProtection
import QueryCoalescing
import SpatialIndexing
import Testing

@testable import DurableCommands
@testable import LiveLayers
@testable import Tickets
import TestSupport

@Suite struct TicketServiceTests {
  @Test func asksAcceptsAndSurvivesARestart() async throws {
    let store = MemoryStore()
    let first = try TicketFixture(store: store)
    try await first.open("ann", tags: ["swift"])
    try await first.open("ben", tags: ["swift"])
    let asked = try await first.propose("ann", "ben")
    #expect(asked.asks == ["ben"])
    #expect(try first.service.get("ben").askedBy == ["ann"])
    let met = try await first.accept("ben", "ann")
    #expect(met.ticket.state == .matched)
    let before = ["ann", "ben"].map { first.service.book.ticket($0) }
    first.stop()
    let second = try TicketFixture(store: store)
    defer { second.stop() }
    #expect(["ann", "ben"].map { second.service.book.ticket($0) } == before)
    let events = try await second.service.events(after: 0, userID: "ann", limit: 10).events
    #expect(events.map(\.kind) == ["ticket.opened", "ticket.asked", "ticket.matched"])
    #expect(events.last?.matchID == met.ticket.match?.id)
    // Dense over all that happened.
    #expect(second.service.eventBounds.newest == 6)
  }

  @Test func aRecordReadsAsItWasWritten() throws {
    var ticket = Ticket(userID: "ann")
    ticket.version = 7
    ticket.state = .matched
    ticket.stateSince = Instant(milliseconds: -5)
    ticket.opening = 3
    ticket.here = TicketFixture.gangnam
    ticket.cell = ProtectedCell(level: 2, row: 14_000, column: 88)
    ticket.lookingAt = Coordinate(uncheckedLatitude: -1.5, longitude: 179)
    ticket.tags = ["swift", "수학"]
    ticket.attributes = ["gender": "f", "level": "3"]
    ticket.wanted = [WantedAttribute(name: "gender", values: ["f", "m"])]
    ticket.expiresAt = TicketFixture.start
    let proposal = Proposal(
      userID: "ben", opening: 2, at: TicketFixture.start, expiresAt: TicketFixture.start)
    ticket.proposalsFrom = [proposal]
    ticket.proposalsTo = [Proposal(userID: "cat", opening: 3, at: TicketFixture.start)]
    ticket.declined = [proposal, proposal]
    ticket.match = TicketMatch(id: "m", userID: "ben", at: TicketFixture.start)
    ticket.lastMatch = TicketMatch(id: "l", userID: "cat", at: TicketFixture.start)
    ticket.dodgedBy = "cat"
    ticket.reviewed = true
    ticket.conduct.dodges = [TicketFixture.start]
    ticket.conduct.reports = [.init(reporterID: "dan", at: TicketFixture.start)]
    ticket.conduct.penaltyUntil = TicketFixture.start
    ticket.conduct.bannedUntil = TicketFixture.start
    ticket.rating.count = 2
    ticket.rating.stars = 9
    ticket.rating.reputation = [0, 2]
    ticket.rating.comments = ["kind"]
    ticket.blocked = ["eve", "mal"]
    #expect(try TicketRecord.decode(TicketRecord.encode(ticket)) == ticket)
    #expect(
      try TicketRecord.decode(TicketRecord.encode(Ticket(userID: "x"))) == Ticket(userID: "x"))
    for length in 0..<TicketRecord.encode(ticket).count {
      _ = try? TicketRecord.decode(Array(TicketRecord.encode(ticket).prefix(length)))
    }
  }

  @Test func aRepeatedKeyAnswersTheSameAndMatchesOnce() async throws {
    let fixture = try TicketFixture()
    defer { fixture.stop() }
    try await fixture.open("ann", key: "1")
    let again = try await fixture.open("ann", key: "1")
    #expect(again.ticket.version == 1)
    await #expect(throws: TicketServiceError.commit(.idempotencyMismatch)) {
      var context = TicketFixture.context("/v1/tickets", key: "1")
      context.requestHash = 9
      _ = try await fixture.service.carryOut(
        .open(userID: "ann", OpenTicket(here: TicketFixture.gangnam)), context)
    }
  }

  @Test func theLayerShowsTheMiddleOfTheCellAndNothingElse() async throws {
    let fixture = try TicketFixture()
    defer { fixture.stop() }
    let answer = try await fixture.open("ann", tags: ["swift"])
    #expect(answer.ticket.here == TicketFixture.gangnam)
    #expect(answer.cellMeters == 2000)
    let layer = try fixture.layers.layer("tickets")
    var shown: [Coordinate] = []
    _ = try layer.nearby(
      NearbySearch(origin: TicketFixture.gangnam, limit: 10), now: fixture.clock.now()
    ) { hit in
      shown.append(Coordinate(uncheckedLatitude: hit.latitude, longitude: hit.longitude))
    }
    #expect(shown.count == 1)
    #expect(shown.first?.distanceMeters(to: try #require(answer.shownAt)) ?? 9 < 0.05)
    #expect(shown.first?.distanceMeters(to: TicketFixture.gangnam) ?? 0 > 10)
    #expect(throws: LayerError.reservedLayer("tickets")) {
      _ = try fixture.layers.layerForReports("tickets")
    }
    _ = try await fixture.service.carryOut(.close(userID: "ann"), TicketFixture.context())
    #expect(layer.index.statistics().objectCount == 0)
  }

  @Test func searchTellsWhoAskedApartFromWhoIsAround() async throws {
    let fixture = try TicketFixture { $0.recommendedTags = ["toeic"] }
    defer { fixture.stop() }
    for id in ["ann", "ben", "cat", "dan"] { try await fixture.open(id, tags: ["swift"]) }
    try await fixture.propose("ben", "ann")
    try await fixture.propose("ann", "cat")
    _ = try await fixture.service.carryOut(
      .block(userID: "dan", otherID: "ann"), TicketFixture.context())
    let found = try fixture.service.search(TicketSearchQuery(userID: "ann"))
    #expect(found.around.map(\.ticket.userID) == ["cat"])
    #expect(found.around.map(\.isAsked) == [true])
    #expect(found.askedMe.map(\.ticket.userID) == ["ben"])
    #expect(
      found.popularTags == [
        PopularTag(tag: "swift", count: 4), PopularTag(tag: "toeic", count: 0),
      ])
    #expect(throws: TicketServiceError.nowhereToLook) {
      _ = try fixture.service.search(TicketSearchQuery(userID: "nobody"))
    }
    #expect(fixture.service.isBlocked("ann", "dan"))
    #expect(fixture.service.isBlocked("dan", "ann"))
    #expect(!fixture.service.isBlocked("ann", "ben"))
  }

  @Test func cursorsPageThroughEveryoneOnceAndBelongToTheirQuery() async throws {
    let fixture = try TicketFixture()
    defer { fixture.stop() }
    for i in 0..<23 { try await fixture.open("u\(i)") }
    var query = TicketSearchQuery(userID: "me")
    query.lookingAt = TicketFixture.gangnam
    query.limit = 5
    var seen: [String] = []
    while true {
      let page = try fixture.service.search(query)
      seen += page.around.map(\.ticket.userID)
      guard let next = page.nextCursor else { break }
      query.cursor = next
    }
    #expect(seen.count == 23)
    #expect(Set(seen).count == 23)
    query.radiusMeters = 100
    #expect(throws: TicketServiceError.badCursor) { _ = try fixture.service.search(query) }
  }

  @Test func aLongPollEndsWithTheChange() async throws {
    let fixture = try TicketFixture()
    defer { fixture.stop() }
    try await fixture.open("ann")
    try await fixture.open("ben")
    async let polled = fixture.service.get("ben", afterVersion: "1", waitSeconds: 30)
    try await fixture.propose("ann", "ben")
    let answer = try await polled
    #expect(answer.ticket.version == 2)
    #expect(answer.askedBy == ["ann"])
    let same = try await fixture.service.get("ben", afterVersion: "2", waitSeconds: 0)
    #expect(same.ticket.version == 2)
    await #expect(throws: TicketServiceError.badVersion("x")) {
      _ = try await fixture.service.get("ben", afterVersion: "x", waitSeconds: 0)
    }
  }

  @Test func aLapsedLeaseEndsNoTicketAndTheClockDoes() async throws {
    let fixture = try TicketFixture()
    defer { fixture.stop() }
    try await fixture.open("ann")
    try await fixture.open("ben")
    fixture.clock.advance(milliseconds: 61_000)
    let found = try fixture.service.search(TicketSearchQuery(userID: "ben"))
    #expect(found.around.map(\.hit.isOnline) == [false])
    _ = try fixture.service.heartbeat("ann")
    let again = try fixture.service.search(TicketSearchQuery(userID: "ben"))
    #expect(again.around.map(\.hit.isOnline) == [true])
    fixture.clock.advance(milliseconds: 3_600_000)
    #expect(fixture.service.carryOutDue(by: fixture.clock.now()) == 2)
    await fixture.service.settleCommands()
    #expect(try fixture.service.get("ann").ticket.state == .expired)
  }

  @Test func thirtyTwoRaceForTen() async throws {
    let fixture = try TicketFixture { configuration in
      // Nobody waits for a penalty here.
      configuration.policy.dodgePenalties = []
    }
    defer { fixture.stop() }
    let wanted = (0..<10).map { "w\($0)" }
    for round in 0..<20 {
      for id in wanted { try await fixture.open(id) }
      let pairs = await withTaskGroup(of: [String].self) { group in
        for client in 0..<32 {
          group.addTask {
            var random = SplitMix64(seed: UInt64(round * 32 + client))
            let me = "c\(client)"
            _ = try? await fixture.open(me)
            for _ in 0..<6 {
              let other = wanted[random.below(10)]
              _ = try? await fixture.propose(me, other)
              _ = try? await fixture.accept(other, me)
            }
            let ticket = fixture.service.book.ticket(me)
            return ticket?.match.map { [me, $0.userID] } ?? []
          }
        }
        var found: [[String]] = []
        for await pair in group where !pair.isEmpty { found.append(pair) }
        return found
      }
      #expect(Set(pairs.map { $0[1] }).count == pairs.count)
      #expect(pairs.count > 5)
      for pair in pairs {
        #expect(fixture.service.book.ticket(pair[1])?.match?.userID == pair[0])
      }
      for id in wanted + (0..<32).map({ "c\($0)" }) {
        _ = try await fixture.service.carryOut(.close(userID: id), TicketFixture.context())
      }
    }
  }

  // MARK: - Work

  @Test func aSearchEndsWithItsBudgetAndNamesWhatMakesItLong() async throws {
    let fixture = try TicketFixture()
    defer { fixture.stop() }
    for i in 0..<600 { try await fixture.open("u\(i)", tags: ["swift"]) }
    let query = TicketSearchQuery(userID: "u0")
    #expect(throws: TicketServiceError.tooMuchWork(limit: 500, field: "radiusMeters")) {
      try fixture.service.search(query, budget: WorkBudget(steps: 500))
    }
    #expect(throws: TicketServiceError.abandoned) {
      try fixture.service.search(
        query, budget: WorkBudget(steps: .max, deadline: WorkDeadline(.now)))
    }
    #expect(throws: TicketServiceError.abandoned) {
      try fixture.service.search(query, budget: WorkBudget(steps: .max) { true })
    }
    let whole = try fixture.service.search(query, budget: WorkBudget(steps: 10_000))
    #expect(whole.around.count == fixture.service.configuration.defaultSearch)
    #expect(whole.popularTags.first?.count == 600)
  }

  @Test func popularTagsOfAPlaceAreWorkedOutOnceForAMoment() async throws {
    let fixture = try TicketFixture()
    defer { fixture.stop() }
    for i in 0..<4 { try await fixture.open("u\(i)", tags: ["swift"]) }
    func told() throws -> [PopularTag] {
      try fixture.service.search(TicketSearchQuery(userID: "u0")).popularTags
    }
    #expect(try told().map(\.count) == [4])
    try await fixture.open("u4", tags: ["swift"])
    #expect(try told().map(\.count) == [4])
    #expect(fixture.service.popular.statistics.hits == 1)
    fixture.clock.advance(milliseconds: fixture.service.configuration.popularMilliseconds + 1)
    #expect(try told().map(\.count) == [5])
    // A clock that is put back makes nothing fresh.
    try await fixture.open("u5", tags: ["swift"])
    fixture.clock.advance(milliseconds: -1000)
    #expect(try told().map(\.count) == [6])
  }
}
