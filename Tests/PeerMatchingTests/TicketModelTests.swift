import GeoMath
import ObjectModel
import PeerMatching
import Testing

/// Random histories, each answer and state compared with ``ReferenceWorld``.
@Suite struct TicketModelTests {
  static let seeds: [UInt64] = [1, 2, 3, 4]
  let names = (0..<9).map { "u\($0)" }

  func command(_ random: inout SplitMix64, _ step: Int, _ now: Instant) -> TicketCommand {
    let me = names[random.below(9)]
    let other = names[random.below(9)]
    switch random.below(100) {
    case 0..<26:
      var open = OpenTicket(here: SampleCity.place(&random, withinMeters: 2000))
      open.attributes = random.below(8) == 0 ? [:] : ["gender": random.below(2) == 0 ? "f" : "m"]
      if random.below(4) == 0 {
        open.wanted = [WantedAttribute(name: "gender", values: [random.below(2) == 0 ? "f" : "m"])]
      }
      if random.below(3) == 0 { open.milliseconds = Int64(60_000 + random.below(600_000)) }
      return .open(userID: me, open)
    case 26..<30: return .close(userID: me)
    case 30..<56:
      return .propose(
        userID: me, otherID: other, matchID: "m\(step)", matchesIfAsked: random.below(3) > 0)
    case 56..<60: return .withdraw(userID: me, otherID: other)
    case 60..<70: return .accept(userID: me, otherID: other, matchID: "m\(step)")
    case 70..<77: return .decline(userID: me, otherID: other)
    case 77..<81: return .dodge(userID: me, otherID: other)
    case 81..<86: return .rate(userID: me, otherID: other, RateUser(stars: 1 + random.below(5)))
    case 86..<88: return .report(userID: me, otherID: other)
    case 88..<90: return .block(userID: me, otherID: other)
    case 90..<93: return .unblock(userID: me, otherID: other)
    case 93..<97: return .tick(userID: me)
    case 97: return .noShow(userID: me, at: now.advanced(milliseconds: -Int64(random.below(999))))
    case 98: return .ban(userID: me, until: nil)
    default: return .ban(userID: me, until: now.advanced(milliseconds: 30_000))
    }
  }

  @Test(arguments: seeds, [nil, 45_000])
  func historiesAgreeWithTheReference(seed: UInt64, proposal: Int64?) {
    var random = SplitMix64(seed: seed)
    var policy = TicketPolicy()
    policy.proposalMilliseconds = proposal
    let rules = TicketRules(policy: policy, grid: SampleCity.grid)
    var tickets: [String: Ticket] = [:]
    var world = ReferenceWorld(proposal: proposal)
    var now = SampleCity.start
    var reasons: [String: Int] = [:]
    for step in 0..<10_000 {
      now = now.advanced(milliseconds: Int64(random.below(8000)))
      // Else everybody is banned before long.
      if step.isMultiple(of: 300) { now = now.advanced(milliseconds: 8 * 86_400_000) }
      let command = command(&random, step, now)
      let expected = world.apply(command, now.milliseconds)
      var reason: String?
      do {
        let people = tickets
        let change = try rules.apply(
          command, now: now, people: { people[$0] }, crowd: { _ in 0 })
        for ticket in change.tickets where !change.isUnchanged {
          #expect(ticket.version == (tickets[ticket.userID]?.version ?? 0) + 1)
          #expect(change.events.contains { $0.userID == ticket.userID })
          tickets[ticket.userID] = ticket
        }
        #expect(change.isUnchanged || change.tickets.count <= 2)
      } catch {
        reason = error.reason
      }
      reasons[reason ?? "done", default: 0] += 1
      guard reason == expected else {
        let differ = "\(reason ?? "-"), not \(expected ?? "-")"
        Issue.record("seed \(seed), step \(step): \(command): \(differ)")
        return
      }
      guard agree(tickets, world, now, "seed \(seed), step \(step), \(command)") else { return }
    }
    for reason in [
      "done", "banned", "penalty", "already_matched", "not_waiting", "other_matched", "other_gone",
      "other_asked_you", "not_asked", "not_wanted", "blocked_by_you", "not_matched",
      "already_rated", "oneself",
    ] {
      #expect(reasons[reason, default: 0] > 0, "no history met \(reason)")
    }
    #expect(proposal == nil || reasons["proposal_expired", default: 0] > 0)
  }

  func agree(
    _ tickets: [String: Ticket], _ world: ReferenceWorld, _ now: Instant, _ place: String
  ) -> Bool {
    var isSame = true
    func check(_ same: Bool, _ what: String) {
      if !same {
        Issue.record("\(place): \(what)")
        isSame = false
      }
    }
    var partners: [String: String] = [:]
    for name in names {
      let ticket = tickets[name] ?? Ticket(userID: name)
      check(ticket.state.rawValue == world.state(name), "state of \(name): \(ticket.state)")
      check(ticket.match?.userID == world.partner(name), "match of \(name)")
      if let match = ticket.match { partners[name] = match.userID }
      if ticket.isWaiting(at: now) {
        let live = ticket.proposalsFrom.filter { proposal in
          let other = tickets[proposal.userID]
          return proposal.isLive(at: now) && other?.isWaiting(at: now) == true
            && other?.opening == proposal.opening && other?.blocks(name) == false
        }
        let expected = world.standing(to: name, now.milliseconds).filter {
          world.isWaiting($0, now.milliseconds)
        }
        check(live.map(\.userID) == expected, "asked \(name): \(live) not \(expected)")
      }
      check(
        (ticket.conduct.penaltyUntil ?? now) <= now
          ? (world.penalties[name] ?? .min) <= now.milliseconds
          : ticket.conduct.penaltyUntil?.milliseconds == world.penalties[name],
        "penalty of \(name)")
      check(
        Set(ticket.blocked) == Set(world.blocks.filter { $0[0] == name }.map { $0[1] }),
        "blocks of \(name)")
      check(ticket.rating.count == world.stars[name, default: []].count, "ratings of \(name)")
      check(
        ticket.rating.stars == world.stars[name, default: []].reduce(0, +), "stars of \(name)")
    }
    // Nobody is in two matches: whoever meets somebody is met by them.
    for (one, other) in partners { check(partners[other] == one, "\(one) meets \(other) alone") }
    return isSame
  }
}
