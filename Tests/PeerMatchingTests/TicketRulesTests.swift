import GeoMath
import ObjectModel
import PeerMatching
import Testing

/// What one command does, told step by step.
@Suite struct TicketRulesTests {
  final class Town {
    let rules: TicketRules
    var tickets: [String: Ticket] = [:]
    var now = SampleCity.start
    var events: [TicketEvent] = []

    init(_ policy: TicketPolicy = TicketPolicy()) {
      rules = TicketRules(policy: policy, grid: SampleCity.grid)
    }

    @discardableResult
    func act(_ command: TicketCommand) throws -> TicketChange {
      let people = tickets
      let change = try rules.apply(command, now: now, people: { people[$0] }, crowd: { _ in 0 })
      if !change.isUnchanged { for one in change.tickets { tickets[one.userID] = one } }
      events += change.events
      return change
    }

    func open(_ names: String...) throws {
      for name in names { try act(.open(userID: name, OpenTicket(here: SampleCity.middle))) }
    }

    func propose(_ from: String, _ to: String) throws {
      try act(.propose(userID: from, otherID: to, matchID: "m", matchesIfAsked: true))
    }
  }

  @Test func askingEachOtherIsAMatch() throws {
    let town = Town()
    try town.open("ann", "ben")
    try town.propose("ann", "ben")
    #expect(town.tickets["ben"]?.proposalsFrom.map(\.userID) == ["ann"])
    #expect(town.tickets["ann"]?.proposalsTo.map(\.userID) == ["ben"])
    #expect(throws: TicketError.otherAskedYou(otherID: "ann")) {
      try town.act(.propose(userID: "ben", otherID: "ann", matchID: "m", matchesIfAsked: false))
    }
    try town.propose("ben", "ann")
    #expect(town.tickets["ann"]?.match == TicketMatch(id: "m", userID: "ben", at: town.now))
    #expect(town.tickets["ben"]?.match == TicketMatch(id: "m", userID: "ann", at: town.now))
    #expect(town.events.suffix(2).map(\.kind) == ["matched", "matched"])
    #expect(town.events.suffix(2).map(\.userID) == ["ben", "ann"])
    // Both phones send it; the second one finds it done.
    let again = try town.act(.accept(userID: "ann", otherID: "ben", matchID: "n"))
    #expect(again.isUnchanged)
  }

  @Test func acceptingSomeoneTakenOrGoneHasItsOwnReason() throws {
    let town = Town()
    try town.open("ann", "ben", "cat", "dan")
    try town.propose("ann", "ben")
    try town.propose("cat", "ben")
    try town.propose("dan", "ben")
    try town.propose("dan", "ann")
    try town.propose("ann", "dan")
    #expect(throws: TicketError.otherMatched(otherID: "ann")) {
      try town.act(.accept(userID: "ben", otherID: "ann", matchID: "x"))
    }
    try town.act(.close(userID: "cat"))
    #expect(throws: TicketError.otherGone(otherID: "cat")) {
      try town.act(.accept(userID: "ben", otherID: "cat", matchID: "x"))
    }
    // Back again, but it did not ask again.
    try town.open("cat")
    #expect(throws: TicketError.otherGone(otherID: "cat")) {
      try town.act(.accept(userID: "ben", otherID: "cat", matchID: "x"))
    }
    #expect(throws: TicketError.alreadyMatched(otherID: "dan")) {
      try town.act(.accept(userID: "ann", otherID: "cat", matchID: "x"))
    }
  }

  @Test func callingOffCostsOneTwoAndThreeMinutes() throws {
    let town = Town()
    for minutes in [1, 2, 3, 3] as [Int64] {
      try town.open("ann", "ben")
      try town.propose("ann", "ben")
      try town.propose("ben", "ann")
      try town.act(.dodge(userID: "ann", otherID: "ben"))
      #expect(town.tickets["ben"]?.dodgedBy == "ann")
      #expect(town.tickets["ben"]?.state == .closed)
      #expect(try town.act(.dodge(userID: "ann", otherID: "ben")).isUnchanged)
      let until = town.now.advanced(milliseconds: minutes * 60_000)
      #expect(throws: TicketError.penalised(until: until)) { try town.open("ann") }
      town.now = until
    }
    town.now = town.now.advanced(milliseconds: 86_400_000)
    try town.open("ann", "ben")
    try town.propose("ann", "ben")
    try town.propose("ben", "ann")
    try town.act(.dodge(userID: "ann", otherID: "ben"))
    #expect(
      town.tickets["ann"]?.conduct.penaltyUntil == town.now.advanced(milliseconds: 60_000))
  }

  @Test func threeReportersBanForAWeek() throws {
    let town = Town()
    try town.open("ann")
    for name in ["ben", "ben", "cat"] { try town.act(.report(userID: name, otherID: "ann")) }
    #expect(town.tickets["ann"]?.state == .open)
    try town.act(.report(userID: "dan", otherID: "ann"))
    #expect(town.tickets["ann"]?.state == .closed)
    let until = town.now.advanced(milliseconds: 7 * 86_400_000)
    #expect(throws: TicketError.banned(until: until)) { try town.open("ann") }
    town.now = until
    try town.open("ann")
  }

  @Test func aBlockedPersonIsToldNothing() throws {
    let town = Town()
    try town.open("ann", "ben")
    try town.propose("ben", "ann")
    try town.act(.block(userID: "ann", otherID: "ben"))
    #expect(town.tickets["ben"]?.version == 2)
    #expect(!town.events.contains { $0.userID == "ben" && $0.kind == "blocked" })
    #expect(throws: TicketError.otherGone(otherID: "ann")) { try town.propose("ben", "ann") }
    #expect(throws: TicketError.blockedByYou(otherID: "ben")) { try town.propose("ann", "ben") }
    try town.act(.unblock(userID: "ann", otherID: "ben"))
    try town.propose("ann", "ben")
  }

  @Test func ratingEndsTheMatchAndBothMayRateOnce() throws {
    let town = Town()
    try town.open("ann", "ben")
    try town.propose("ann", "ben")
    try town.propose("ben", "ann")
    let rating = RateUser(stars: 4, reputation: [0, 1], comment: "on time")
    try town.act(.rate(userID: "ann", otherID: "ben", rating))
    #expect(town.tickets["ben"]?.rating.average == 4)
    #expect(town.tickets["ben"]?.rating.reputation == [0, 1])
    #expect(town.tickets["ben"]?.state == .closed)
    #expect(town.tickets["ben"]?.reviewed == false)
    #expect(throws: TicketError.alreadyRated(otherID: "ben")) {
      try town.act(.rate(userID: "ann", otherID: "ben", rating))
    }
    try town.act(.rate(userID: "ben", otherID: "ann", RateUser(stars: 5)))
    #expect(town.tickets["ann"]?.rating.count == 1)
    #expect(throws: TicketError.numberOutOfRange(field: "stars", value: 6, allowed: 1...5)) {
      try town.act(.rate(userID: "ben", otherID: "ann", RateUser(stars: 6)))
    }
  }

  @Test func theClockEndsAWaitingAndAProposalButNotAMatch() throws {
    var policy = TicketPolicy()
    policy.proposalMilliseconds = 30_000
    let town = Town(policy)
    try town.open("ann", "ben", "cat", "dan")
    try town.propose("ann", "ben")
    #expect(town.tickets["ben"]?.nextTick == town.now.advanced(milliseconds: 30_000))
    town.now = town.now.advanced(milliseconds: 30_000)
    try town.act(.tick(userID: "ben"))
    #expect(town.tickets["ben"]?.proposalsFrom.isEmpty == true)
    #expect(town.events.last?.detail == .withdrawn(byClock: true))
    try town.propose("cat", "dan")
    try town.propose("dan", "cat")
    town.now = town.now.advanced(milliseconds: 3_600_000)
    for name in ["ben", "cat"] { try town.act(.tick(userID: name)) }
    #expect(town.tickets["ben"]?.state == .expired)
    #expect(town.tickets["cat"]?.state == .matched)
    // Past its time, though no timer said so.
    #expect(town.tickets["ann"]?.state == .open)
    #expect(throws: TicketError.notWaiting) { try town.propose("ann", "ben") }
  }

  @Test func openingAgainRenewsAndMovesTheShownPointOnlyBeyondTheMargin() throws {
    let town = Town()
    try town.open("ann")
    let cell = town.tickets["ann"]?.cell
    town.now = town.now.advanced(milliseconds: 1000)
    try town.open("ann")
    #expect(town.tickets["ann"]?.version == 2)
    #expect(town.tickets["ann"]?.opening == 1)
    #expect(town.tickets["ann"]?.cell == cell)
    let same = try town.act(.open(userID: "ann", OpenTicket(here: SampleCity.middle)))
    #expect(same.isUnchanged)
    let far = SampleCity.middle.destination(bearingDegrees: 0, meters: 5000)
    try town.act(.open(userID: "ann", OpenTicket(here: far)))
    #expect(town.tickets["ann"]?.cell != cell)
  }

  @Test func whoIsDeclinedMayNotAskAgainInThatWaiting() throws {
    let town = Town()
    try town.open("ann", "ben")
    try town.propose("ann", "ben")
    try town.act(.decline(userID: "ben", otherID: "ann"))
    #expect(town.events.suffix(2).map(\.kind) == ["declined", "declined"])
    #expect(throws: TicketError.declined(otherID: "ben")) { try town.propose("ann", "ben") }
    try town.act(.close(userID: "ben"))
    try town.open("ben")
    try town.propose("ann", "ben")
  }

  @Test func whatIsWrongInARequestIsNamed() throws {
    var policy = TicketPolicy()
    policy.requiredAttributes = ["gender"]
    let town = Town(policy)
    #expect(throws: TicketError.attributeRequired(name: "gender")) { try town.open("ann") }
    #expect(throws: TicketError.missingID(field: "userId")) { try town.open("") }
    var open = OpenTicket(here: SampleCity.middle, attributes: ["gender": "f"], milliseconds: 1)
    #expect(
      throws: TicketError.numberOutOfRange(
        field: "expiresInSeconds", value: 0, allowed: 60...86_400)
    ) { try town.act(.open(userID: "ann", open)) }
    open.milliseconds = nil
    open.wanted = [WantedAttribute(name: "gender", values: [])]
    #expect(throws: TicketError.badWish(name: "gender")) {
      try town.act(.open(userID: "ann", open))
    }
    #expect(throws: TicketError.unknown(userID: "ann")) { try town.act(.close(userID: "ann")) }
  }
}
