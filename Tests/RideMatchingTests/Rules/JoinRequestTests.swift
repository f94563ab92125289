import GeoMath
import ObjectModel
import RideMatching
import TestSupport
import Testing

/// Parties whose host decides who gets in.
@Suite struct JoinRequestTests {
  let rules: PartyRules
  let now = PartyWorld.seoulTime(18)
  static let departure = PartyWorld.seoulTime(18, 30)

  init() throws {
    rules = try PartyWorld.rules {
      $0.seats = 1...8
      $0.pendingRequests = 4
      $0.requestsOfRider = 3
    }
  }

  func create(
    holds: Bool = false, _ change: (inout CreateParty) -> Void = { _ in }
  ) throws -> Party {
    var command = CreateParty(
      hostID: "host", origin: PartyWorld.named(PartyWorld.seoul),
      destination: PartyWorld.named(
        PartyWorld.seoul.destination(bearingDegrees: 0, meters: 6000)),
      window: DepartureWindow(time: Self.departure), needsApproval: true, holdsSeats: holds)
    change(&command)
    return try rules.create(command, id: "p", now: now, claims: PartyWorld.noClaims).party
  }

  func ask(
    _ rider: String, _ party: Party, seats: Int? = nil, id: String? = nil, at moment: Instant? = nil
  ) throws -> PartyChange {
    try rules.join(
      JoinParty(riderID: rider, seats: seats), party, requestID: id ?? "r-\(rider)",
      now: moment ?? now, claims: PartyWorld.noClaims)
  }

  func approve(_ id: String, _ party: Party, at moment: Instant? = nil) throws -> PartyChange {
    try rules.approve(
      requestID: id, party, actorID: "host", now: moment ?? now, claims: PartyWorld.noClaims)
  }

  @Test func aJoinIsARequestUntilTheHostApproves() throws {
    let asked = try ask("a", try create())
    #expect(asked.events.map(\.kind) == ["join_requested"])
    #expect(asked.events[0].userIDs == ["host", "a"])
    let request = try #require(asked.party.joinRequest("r-a"))
    #expect(request.isPending && request.expiresAt == now.advanced(milliseconds: 600_000))
    #expect(asked.party.riders.map(\.id) == ["host"] && asked.party.seatsFree == 3)
    // Asked twice it is the same request, whatever id the second one would have had.
    #expect(try ask("a", asked.party, id: "other").unchanged)
    #expect(throws: PartyError.alreadyRequested(riderID: "a")) {
      _ = try ask("a", asked.party, seats: 2)
    }
    let letIn = try approve("r-a", asked.party)
    #expect(letIn.events.map(\.kind) == ["request_approved", "joined", "shares_changed"])
    #expect(letIn.events[0].userIDs == ["host", "a"])
    #expect(letIn.party.riders.map(\.id) == ["host", "a"])
    #expect(letIn.party.riders[1].share == request.share)
    #expect(letIn.party.joinRequest("r-a")?.state == .approved)
    // Applied one by one the events lead there.
    #expect(letIn.events.reduce(asked.party) { $0.applying($1) } == letIn.party)
    #expect(try approve("r-a", letIn.party).unchanged)
    #expect(try ask("a", letIn.party).unchanged)
    #expect(throws: PartyError.joinRequestOver(state: .approved)) {
      _ = try rules.decline(requestID: "r-a", letIn.party, actorID: "host", now: now)
    }
  }

  @Test func whoDecidesAndWhoWithdraws() throws {
    let party = try ask("a", try create()).party
    #expect(throws: PartyError.notHost(actorID: "a")) {
      _ = try rules.approve(
        requestID: "r-a", party, actorID: "a", now: now, claims: PartyWorld.noClaims)
    }
    #expect(throws: PartyError.notHost(actorID: "b")) {
      _ = try rules.decline(requestID: "r-a", party, actorID: "b", now: now)
    }
    #expect(throws: PartyError.unknownJoinRequest(id: "r-a")) {
      _ = try rules.withdraw(requestID: "r-a", party, riderID: "b", now: now)
    }
    #expect(throws: PartyError.unknownJoinRequest(id: "r-z")) { _ = try approve("r-z", party) }
    let declined = try rules.decline(requestID: "r-a", party, actorID: nil, now: now)
    #expect(declined.events.map(\.kind) == ["request_declined"])
    #expect(
      try rules.decline(requestID: "r-a", declined.party, actorID: "host", now: now).unchanged)
    #expect(throws: PartyError.joinRequestOver(state: .declined)) {
      _ = try approve("r-a", declined.party)
    }
    // Declined, somebody may ask again, so many times.
    var again = try ask("a", declined.party, id: "r-2").party
    let taken = try rules.withdraw(requestID: "r-2", again, riderID: "a", now: now)
    #expect(taken.party.joinRequest("r-2")?.endReason == .rider)
    again = try ask("a", taken.party, id: "r-3").party
    again = try rules.withdraw(requestID: "r-3", again, riderID: nil, now: now).party
    #expect(throws: PartyError.tooManyRequests(limit: 3)) { _ = try ask("a", again, id: "r-4") }
  }

  @Test func approvingIsAJoinAtThatMoment() throws {
    var party = try create { $0.seats = 2 }
    party = try ask("a", party).party
    party = try ask("b", party).party
    party = try approve("r-a", party).party
    #expect(party.state == .full)
    #expect(throws: PartyError.full(seatsFree: 0, wanted: 1)) { _ = try approve("r-b", party) }
    #expect(party.joinRequest("r-b")?.isPending == true)
    // A seat is free again, and the same request is good.
    party = try rules.leave(riderID: "a", party, now: now).party
    let busy = PartyInterval(
      partyID: "other", from: Self.departure, through: Self.departure)
    #expect(
      throws: PartyError.overlapping(riderID: "b", partyID: "other", allowed: 1)
    ) {
      _ = try rules.approve(requestID: "r-b", party, actorID: "host", now: now) {
        $0 == "b" ? [busy] : []
      }
    }
    #expect(try approve("r-b", party).party.riders.map(\.id) == ["host", "b"])
    // What would be refused as a join is refused as a request.
    #expect(throws: PartyError.shareExceeded(share: party.riders[0].share / 2, maxShare: 1)) {
      _ = try rules.join(
        JoinParty(riderID: "c", maxShare: 1), party, now: now, claims: PartyWorld.noClaims)
    }
  }

  @Test func heldSeatsAreNotForOthers() throws {
    var party = try create(holds: true) { $0.seats = 3 }
    party = try ask("a", party, seats: 2).party
    #expect(party.state == .full && party.seatsFree == 0 && party.seatsHeld == 2)
    #expect(throws: PartyError.full(seatsFree: 0, wanted: 1)) { _ = try ask("b", party) }
    // Its own seats are there for it, in the preview as well.
    #expect(
      try rules.preview(JoinParty(riderID: "a", seats: 2), party, now: now).now.riders.count == 2)
    #expect(throws: PartyError.self) {
      _ = try rules.preview(JoinParty(riderID: "b"), party, now: now)
    }
    #expect(throws: PartyError.seatsOutOfRange(field: "seats", seats: 2, allowed: 3...8)) {
      _ = try rules.update(
        UpdateParty(seats: 2), party, actorID: "host", now: now, claims: PartyWorld.noClaims)
    }
    let full = try approve("r-a", party).party
    #expect(full.seatsTaken == 3 && full.state == .full && full.seatsHeld == 0)
    let free = try rules.decline(requestID: "r-a", party, actorID: "host", now: now).party
    #expect(free.state == .open && free.seatsFree == 2)
    #expect(throws: PartyError.nothingToHold) {
      _ = try create { command in
        command.needsApproval = false
        command.holdsSeats = true
      }
    }
  }

  @Test func requestsEndByTheClock() throws {
    var party = try ask("a", try create()).party
    #expect(rules.nextTick(party) == now.advanced(milliseconds: 600_000))
    let due = now.advanced(milliseconds: 600_000)
    #expect(rules.tick(party, now: due.advanced(milliseconds: -1)).unchanged)
    #expect(throws: PartyError.joinRequestOver(state: .expired)) {
      _ = try approve("r-a", party, at: due)
    }
    let over = rules.tick(party, now: due.advanced(milliseconds: 5000))
    #expect(over.events.map(\.kind) == ["request_expired"])
    #expect(over.events[0].at == due)
    #expect(over.party.joinRequest("r-a")?.endReason == .time)
    // Never past the departure, nor past the window's end once that time is over.
    let late = Self.departure.advanced(milliseconds: -60_000)
    party = try ask("b", party, at: late).party
    #expect(party.joinRequest("r-b")?.expiresAt == Self.departure)
    let inWindow = Self.departure.advanced(milliseconds: 120_000)
    party = try ask("c", party, at: inWindow).party
    #expect(party.joinRequest("r-c")?.expiresAt == party.window.end)
    // A departure that is moved forward takes the end with it.
    let asked = try ask("d", try create()).party
    let moved = try rules.update(
      UpdateParty(departureTime: now.advanced(milliseconds: 300_000)), asked, actorID: "host",
      now: now, claims: PartyWorld.noClaims
    ).party
    #expect(moved.joinRequest("r-d")?.expiresAt == now.advanced(milliseconds: 300_000))
  }

  @Test func requestsEndWithTheirParty() throws {
    let party = try ask("b", try ask("a", try create()).party).party
    let off = try rules.cancel(party, actorID: "host", now: now)
    #expect(off.events.map(\.kind) == ["cancelled", "request_expired", "request_expired"])
    #expect(
      off.party.joinRequests.allSatisfy { $0.state == .expired && $0.endReason == .cancelled })
    let gone = try rules.depart(party, actorID: "host", now: Self.departure)
    #expect(gone.party.state == .departed && gone.party.pendingRequests.isEmpty)
    let left = try rules.leave(riderID: "host", party, now: now)
    #expect(left.events.map(\.kind) == ["left", "cancelled", "request_expired", "request_expired"])
    let elsewhere = rules.endRequest(ofRider: "a", party, now: now)
    #expect(elsewhere.events.map(\.kind) == ["request_withdrawn"])
    #expect(elsewhere.party.joinRequest("r-a")?.endReason == .joinedAnother)
    #expect(rules.endRequest(ofRider: "z", party, now: now).unchanged)
  }

  @Test func soManyWaitAndSoManyAreKept() throws {
    var party = try create()
    for i in 0..<4 { party = try ask("w\(i)", party).party }
    #expect(throws: PartyError.tooManyPending(limit: 4)) { _ = try ask("w4", party) }
    for i in 0..<60 {
      party = try rules.decline(
        requestID: party.pendingRequests[0].id, party, actorID: nil, now: now
      ).party
      party = try ask("x\(i)", party).party
    }
    #expect(party.pendingRequests.count == 4)
    #expect(party.joinRequests.count == 4 + PartyJoinRequest.keptAfterEnd)
  }

  /// Random commands: seats are never oversold, held ones included; the events of each lead from one
  /// state to the next; nobody waits who is aboard, and nobody waits for what is over.
  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func whateverHappensTheLawsHold(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var party = try create(holds: seed % 2 == 0) { $0.seats = 5 }
    var moment = now
    var kinds: Set<String> = []
    for step in 0..<400 {
      moment = moment.advanced(milliseconds: Int64(random.int(0...9000)))
      let rider = "r\(random.int(0...9))"
      let known = party.joinRequests.isEmpty ? "none" : random.pick(party.joinRequests).id
      let change: PartyChange?
      switch random.int(0...9) {
      case 0...3:
        change = try? ask(
          rider, party, seats: random.pick([nil, 1, 2]), id: "q\(step)", at: moment)
      case 4, 5: change = try? approve(known, party, at: moment)
      case 6: change = try? rules.decline(requestID: known, party, actorID: nil, now: moment)
      case 7: change = try? rules.withdraw(requestID: known, party, riderID: nil, now: moment)
      case 8: change = try? rules.leave(riderID: rider, party, now: moment)
      default: change = rules.tick(party, now: moment)
      }
      guard let change, !change.unchanged else { continue }
      kinds.formUnion(change.events.map(\.kind))
      #expect(change.events.reduce(party) { $0.applying($1) } == change.party)
      party = change.party
      #expect(party.seatsTaken + party.seatsHeld <= party.seats)
      let aboard = Set(party.riders.map(\.id))
      for request in party.pendingRequests {
        #expect(!aboard.contains(request.riderID) && party.isActive)
        #expect(request.expiresAt <= party.window.end && request.endedAt == nil)
      }
      #expect(Set(party.pendingRequests.map(\.riderID)).count == party.pendingRequests.count)
      #expect(party.isActive == false || (party.state == .full) == (party.seatsFree == 0))
    }
    #expect(
      kinds.isSuperset(of: [
        "join_requested", "request_approved", "request_declined", "request_withdrawn",
      ]))
  }
}
