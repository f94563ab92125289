import GeoMath
import ObjectModel
import RideMatching
import TaxiFares
import TestSupport
import Testing

/// Random commands against a naive model and the laws that hold whatever was asked.
@Suite struct PartyModelTests {
  /// Who is aboard and what they agreed to, kept by hand.
  struct Model {
    var aboard: [String]
    var accepted: [String: Int64]
    var seatsOf: [String: Int]
  }

  static let people = (0..<7).map { "u\($0)" }

  @Test(arguments: [1 as UInt64, 2, 3, 4, 5, 6, 7, 8])
  func seatsAreNeverOversoldAndSharesSumToTheFare(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let rules = try PartyWorld.rules {
      $0.basePolicy = seed % 3 == 0 ? RidePolicy(sameAttributes: ["gender"]) : .none
    }
    var reasons: [String: Int] = [:]
    var kinds: Set<String> = []
    for round in 0..<60 {
      var now = PartyWorld.seoulTime(17, random.int(0...59))
      guard let created = create(rules, &random, now, round, &reasons) else { continue }
      var party = created.party
      #expect(created.events.map(\.kind) == ["created"])
      #expect(party.version == 1)
      var model = Model(
        aboard: party.riders.map(\.id),
        accepted: Dictionary(uniqueKeysWithValues: party.riders.map { ($0.id, $0.share) }),
        seatsOf: Dictionary(uniqueKeysWithValues: party.riders.map { ($0.id, $0.seats) }))
      checkAgainstTheModel(party, model)
      for _ in 0..<40 {
        now = now.advanced(milliseconds: Int64(random.int(0...240_000)))
        let before = party
        do {
          let change = try step(rules, party, now, &random)
          party = change.party
          checkChange(before, change)
          apply(change.events, party, &model)
          if !party.riders.isEmpty && party.isActive {
            let again = try rules.pricing.price(party)
            #expect(again.route == party.route && again.fare == party.fare)
            #expect(again.riders.map(\.share) == party.riders.map(\.share))
          }
          kinds.formUnion(change.events.map(\.kind))
        } catch {
          reasons[error.reason, default: 0] += 1
          #expect(!error.message.isEmpty)
        }
        checkAgainstTheModel(party, model)
      }
    }
    #expect(
      kinds.isSuperset(of: [
        "joined", "left", "removed", "host_changed", "updated", "shares_changed", "departing",
        "departed", "cancelled", "ended", "settled",
      ]))
    for reason in [
      "party_full", "party_departed", "party_cancelled", "party_ended", "detour_exceeded",
      "walk_exceeded", "share_exceeded", "not_host", "not_member", "already_member",
      "departure_in_past", "seats_out_of_range", "departure_too_early", "party_not_departed",
    ] {
      #expect(reasons[reason, default: 0] > 0, "\(reason) never came up")
    }
  }

  private func create(
    _ rules: PartyRules, _ random: inout SplitMix64, _ now: Instant, _ round: Int,
    _ reasons: inout [String: Int]
  ) -> PartyChange? {
    let origin = PartyWorld.place(near: PartyWorld.seoul, meters: 400, &random)
    let destination = PartyWorld.place(near: PartyWorld.seoul, meters: 9000, &random)
    let command = CreateParty(
      hostID: random.pick(Self.people), origin: PartyWorld.named(origin),
      destination: PartyWorld.named(destination),
      window: DepartureWindow(
        time: now.advanced(milliseconds: Int64(random.int(-200_000...3_600_000))),
        toleranceMilliseconds: Int64(random.int(0...900)) * 1000),
      attributes: ["gender": "f"],
      riders: random.chance(0.2)
        ? [join(&random, destination)] : [],
      seats: random.int(1...5),
      limits: RideLimits(maxWalkMeters: 600, maxDetourRatio: random.pick([0, 0.25, 1])),
      splitRule: SplitRule.allCases[round % 7], allowsRaisedShares: random.chance(0.3),
      isCalled: random.chance(0.3), tariffID: "kr-seoul-medium")
    do {
      return try rules.create(command, id: "p\(round)", now: now, claims: PartyWorld.noClaims)
    } catch {
      reasons[error.reason, default: 0] += 1
      return nil
    }
  }

  private func join(_ random: inout SplitMix64, _ destination: Coordinate) -> JoinParty {
    JoinParty(
      riderID: random.pick(Self.people),
      destination: random.chance(0.4)
        ? nil : PartyWorld.named(PartyWorld.place(near: destination, meters: 2500, &random)),
      origin: random.chance(0.5)
        ? nil : PartyWorld.place(near: PartyWorld.seoul, meters: 1500, &random),
      seats: random.pick([nil, 1, 1, 2]),
      attributes: random.chance(0.9) ? ["gender": random.pick(["f", "f", "f", "m"])] : [:],
      wishes: RideWishes(
        maxDetourRatio: random.pick([nil, 0.1, 2]),
        minSharedRatio: random.pick([nil, nil, nil, 0.5])),
      maxShare: random.pick([nil, nil, nil, 2000, 9000]))
  }

  private func step(
    _ rules: PartyRules, _ party: Party, _ now: Instant, _ random: inout SplitMix64
  ) throws(PartyError) -> PartyChange {
    let someone = random.pick(Self.people)
    let actor = random.chance(0.85) ? party.hostID : someone
    switch random.int(0...99) {
    case 0..<50:
      let command = join(&random, party.destination.coordinate)
      let preview = Result { () throws(PartyError) in
        try rules.preview(command, party, now: now)
      }
      let change: PartyChange
      do {
        change = try rules.join(command, party, now: now, claims: PartyWorld.noClaims)
      } catch {
        #expect(preview == .failure(error))
        throw error
      }
      checkPreview(try preview.get(), party, change.party)
      checkIdempotent(rules, command, change, now)
      return change
    case 50..<65: return try rules.leave(riderID: someone, party, now: now)
    case 65..<73:
      return try rules.remove(
        riderID: someone, reason: random.pick(RemovalReason.allCases), party, actorID: actor,
        now: now)
    case 73..<82:
      return try rules.update(
        UpdateParty(
          departureTime: random.chance(0.5)
            ? party.window.time.advanced(
              milliseconds: Int64(random.int(-900_000...1_800_000))) : nil,
          toleranceMilliseconds: random.chance(0.2) ? 300_000 : nil,
          seats: random.chance(0.5) ? random.int(1...5) : nil), party, actorID: actor, now: now,
        claims: PartyWorld.noClaims)
    case 82..<86: return try rules.depart(party, actorID: actor, now: now)
    case 86..<88: return try rules.cancel(party, actorID: actor, now: now)
    case 88..<94:
      return try rules.settle(
        SettleParty(
          payerID: someone, amount: Int64(random.int(0...40_000)),
          tolls: Int64(random.int(0...3000))), party, actorID: actor, now: now)
    default:
      let due = rules.nextTick(party)
      let change = rules.tick(party, now: now)
      // The timer is told of everything that happens.
      if let due { #expect(change.unchanged == (now < due)) } else { #expect(change.unchanged) }
      return change
    }
  }

  private func checkPreview(_ preview: JoinPreview, _ before: Party, _ after: Party) {
    guard before.riders.count < after.riders.count else { return }
    #expect(preview.now.route == after.route)
    #expect(preview.now.fare == after.fare)
    #expect(preview.now.riders.map(\.riderID) == after.riders.map(\.id))
    #expect(preview.now.riders.map(\.share) == after.riders.map(\.share))
    #expect(preview.now.riders.map(\.rideSeconds) == after.riders.map(\.rideSeconds))
    #expect(preview.ifFull.map(\.riderID) == after.riders.map(\.id))
    if after.seatsFree == 0 { #expect(preview.ifFull.map(\.share) == after.riders.map(\.share)) }
  }

  private func checkIdempotent(
    _ rules: PartyRules, _ command: JoinParty, _ change: PartyChange, _ now: Instant
  ) {
    let again = Result { () throws(PartyError) in
      try rules.join(command, change.party, now: now, claims: PartyWorld.noClaims)
    }
    #expect((try? again.get())?.unchanged == true)
    #expect((try? again.get())?.party == change.party)
  }

  private func checkChange(_ before: Party, _ change: PartyChange) {
    if change.unchanged {
      #expect(change.party == before)
      return
    }
    #expect(change.party.version == before.version + 1)
    #expect(change.events.allSatisfy { $0.version == change.party.version })
    #expect(change.events.reduce(before) { $0.applying($1) } == change.party)
    let heard = Set(before.riders.map(\.id)).union(change.party.riders.map(\.id))
    #expect(change.events.allSatisfy { Set($0.userIDs) == heard })
  }

  private func apply(_ events: [PartyEvent], _ party: Party, _ model: inout Model) {
    var lowered = false
    for event in events {
      switch event.detail {
      case .joined(let rider):
        model.aboard.append(rider.id)
        model.seatsOf[rider.id] = rider.seats
      case .left(let id), .removed(let id, _):
        model.aboard.removeAll { $0 == id }
        lowered = true
      case .updated: lowered = lowered || false
      case .sharesChanged(let ride):
        for terms in ride.riders {
          guard let known = model.accepted[terms.riderID] else {
            model.accepted[terms.riderID] = terms.share
            continue
          }
          let isHost = terms.riderID == model.aboard.first
          if lowered || party.allowsRaisedShares || isHost {
            model.accepted[terms.riderID] = max(known, terms.share)
          }
        }
      default: break
      }
    }
    for id in model.accepted.keys where !model.aboard.contains(id) {
      model.accepted[id] = nil
    }
  }

  private func checkAgainstTheModel(_ party: Party, _ model: Model) {
    #expect(party.riders.map(\.id) == model.aboard)
    let taken = model.aboard.reduce(0) { $0 + (model.seatsOf[$1] ?? 0) }
    #expect(party.seatsTaken == taken)
    #expect(taken <= party.seats, "oversold")
    if party.isActive { #expect(party.state == (taken == party.seats ? .full : .open)) }
    guard !party.riders.isEmpty else {
      #expect(party.state == .cancelled)
      return
    }
    #expect(party.riders.reduce(0) { $0 + $1.share } == party.fare.expected)
    #expect(party.fare.low <= party.fare.expected && party.fare.expected <= party.fare.high)
    for rider in party.riders {
      #expect(rider.share <= rider.acceptedShare, "above the accepted share")
      #expect(rider.acceptedShare == model.accepted[rider.id])
    }
    #expect(Set(party.route.stopOrder) == Set(model.aboard))
    if let settlement = party.settlement {
      #expect(settlement.shares.reduce(0) { $0 + $1.amount } == settlement.amount)
    }
  }
}
