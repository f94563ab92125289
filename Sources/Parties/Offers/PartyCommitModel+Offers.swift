import DurableCommands
import ObjectModel
import RideMatching
import WireFormat

/// What a change of an offer shows.
struct OfferEffect: Sendable {
  var offer: RideOffer
  /// All of the offer.
  var requests: [StandingRequest]
  /// The party that it became, and those that this changed as well.
  var parties: [PartyEntry]
  var events: [StoredEvent]
}

/// What is told of an offer: the word of its event behind `offer.`.
enum OfferNews: String {
  case made, accepted, confirmed, declined, expired, withdrawn
}

extension PartyCommitModel {
  func decidedOffer(
    _ command: PartyServiceCommand, _ overlay: PartyOverlay, _ now: Instant
  ) throws(PartyServiceError) -> Decision {
    switch command {
    case .makeOffer(let offer):
      guard mayBeMade(offer, overlay, now) else { break }
      return told(offer, .made, first: nil, overlay, now)
    case .answerOffer(let id, let riderID, let accepts, let partyID):
      guard let entry = overlay.offer(id), let request = entry.requestID(of: riderID) else {
        throw gap.refusal.map { .commit($0) } ?? .unknownOffer(id)
      }
      do throws(RideOfferError) {
        guard accepts else {
          guard let offer = try entry.offer.declined(by: request, at: now) else {
            return Decision(result: .success(.offer(entry)))
          }
          return declined(offer, by: request, overlay, now)
        }
        guard let offer = try entry.offer.accepted(by: request, at: now) else {
          return Decision(result: .success(.offer(entry)))
        }
        guard offer.isAccepted else {
          return told(offer, .accepted, first: request, overlay, now)
        }
        return confirmed(offer, partyID: partyID, last: request, overlay, now)
      } catch {
        switch error {
        case .notMember: throw .unknownOffer(id)
        case .over(let state): throw .offerOver(state)
        }
      }
    case .expireOffer(let id):
      guard let entry = overlay.offer(id), let offer = entry.offer.expired(at: now) else { break }
      return told(offer, .expired, first: nil, overlay, now) { request in
        // Who lets offers pass keeps others waiting.
        if offer.member(request.id)?.answer == .pending { request.refusedOffers += 1 }
      }
    default: break
    }
    return Decision(result: .success(.nothing))
  }

  /// Whether all of its requests still wait, and nobody is promised two rides at once.
  private func mayBeMade(_ offer: RideOffer, _ overlay: PartyOverlay, _ now: Instant) -> Bool {
    var riders: Set<String> = []
    for member in offer.members {
      guard let request = overlay.request(member.requestID), !request.isOver else { return false }
      let rider = request.query.riderID
      guard riders.insert(rider).inserted, !overlay.hasOpenOffer(rider: rider) else {
        return false
      }
    }
    return offer.isOpen && now < offer.expiresAt && riders.count > 1
  }

  private func declined(
    _ offer: RideOffer, by id: String, _ overlay: PartyOverlay, _ now: Instant
  ) -> Decision {
    told(offer, .declined, first: id, overlay, now) { request in
      guard request.id == id else { return }
      request.refusedOffers += 1
      let others = offer.members.map(\.requestID).filter { $0 != id }
      request.avoids += others.filter { !request.avoids.contains($0) }
    }
  }

  /// Everybody has accepted: the party is made as it was told, or the offer is withdrawn.
  private func confirmed(
    _ offer: RideOffer, partyID: String, last: String, _ overlay: PartyOverlay, _ now: Instant
  ) -> Decision {
    do throws(PartyServiceError) {
      let change = try party(of: offer, partyID, overlay, now)
      let made = made(change, from: nil, nil, overlay, now)
      let firm = offer.ended(.confirmed, partyID: partyID, at: now)
      return told(firm, .confirmed, first: last, overlay, now, with: made) { request in
        request.endedAt = now
      }
    } catch {
      let off = offer.ended(.withdrawn, reason: error.reason, at: now)
      return told(off, .withdrawn, first: last, overlay, now)
    }
  }

  private func party(
    of offer: RideOffer, _ id: String, _ overlay: PartyOverlay, _ now: Instant
  ) throws(PartyServiceError) -> PartyChange {
    let requests = offer.members.compactMap { overlay.request($0.requestID) }
    guard requests.count == offer.members.count else { throw .offerOver(.withdrawn) }
    let riders = requests.map(\.query.riderID)
    try meetings.checkBans(riders, now)
    for (i, rider) in riders.enumerated() {
      for other in riders[..<i] where meetings.areBlocked(rider, other) {
        throw .rule(.blocked(riderID: rider))
      }
    }
    guard overlay.activeParties(hostedBy: riders[0]) < quotas.activePartiesPerHost else {
      throw .quotaExceeded(field: "parties of one host", limit: quotas.activePartiesPerHost)
    }
    let ride = OfferedRide(
      riders: requests.map(\.query), boardingCount: offer.members.count { $0.boarding != nil },
      window: offer.window, tags: requests[0].tags)
    let change = try rule { () throws(PartyError) in
      try rules.create(ride, id: id, now: now) { overlay.claims(of: $0) }
    }
    let terms = RideOffer.members(
      of: change.party, requestIDs: offer.members.map(\.requestID), ride)
    guard offer.isKept(by: terms), change.party.fare.currency == offer.currency else {
      throw .badField("offer", message: "would cost, walk or ride more than was told")
    }
    return change
  }

  /// An offer after a change, in the records of all its requests.
  ///
  /// - Parameters:
  ///   - offer: As it is now.
  ///   - news: What the event says.
  ///   - first: The request whose rider asked: a repeated command is answered with it; nil: none.
  ///   - overlay: Where its requests are.
  ///   - now: When it changes.
  ///   - made: The party that it became.
  ///   - change: What else becomes of a request.
  /// - Returns: The decision; it answers the offer.
  func told(
    _ offer: RideOffer, _ news: OfferNews, first: String?, _ overlay: PartyOverlay,
    _ now: Instant, with made: Decision? = nil, _ change: (inout StandingRequest) -> Void = { _ in }
  ) -> Decision {
    var changes: [ChangeGroup.Change] = []
    var requests: [StandingRequest] = []
    for member in offer.members {
      guard var request = overlay.request(member.requestID), !request.isOver else { continue }
      let version = request.version
      request.version += 1
      request.offer = offer
      change(&request)
      let stored = stored(request, from: version)
      if request.id == first { changes.insert(stored, at: 0) } else { changes.append(stored) }
      requests.append(request)
      overlay.put(request)
    }
    var group = ChangeGroup(
      changes: changes, claims: made?.change?.group.claims ?? [],
      claimsMustNotOverlap: made?.change?.group.claimsMustNotOverlap ?? false,
      events: made?.change?.group.events ?? [])
    group.changes += made?.change?.group.changes ?? []
    group.events.append(
      StoredEvent(
        tenant: tenant, kind: "offer." + news.rawValue, at: now, aggregateID: offer.id,
        userIDs: requests.map(\.query.riderID), version: offer.version,
        body: Self.body(offer, requests)))
    var parties: [PartyEntry] = []
    if case .parties(let entries, _) = made?.change?.effect { parties = entries }
    let effect = OfferEffect(
      offer: offer, requests: requests, parties: parties, events: group.events)
    var entry = OfferEntry(offer: offer)
    for request in requests {
      entry.riders[request.id] = request.query.riderID
      entry.versions[request.id] = request.version
    }
    return Decision(
      change: (group, .offer(effect)), result: .success(.offer(entry)),
      consequences: made?.consequences ?? [])
  }

  private static func body(_ offer: RideOffer, _ requests: [StandingRequest]) -> [UInt8] {
    let riders = Dictionary(
      requests.map { ($0.id, $0.query.riderID) }, uniquingKeysWith: { first, _ in first })
    return JSONWriter.object { json in
      json.string("offerId", offer.id)
      json.string("state", offer.state.rawValue)
      if let party = offer.partyID { json.string("partyId", party) }
      if let reason = offer.endReason { json.string("reason", reason) }
      json.string("expiresAt", RFC3339.utc(offer.expiresAt))
      json.string("departureTime", RFC3339.utc(offer.window.time))
      json.number(
        "departureWindowSeconds", Double(offer.window.toleranceMilliseconds) / 1000)
      PartyEventBody.place("origin", offer.origin, &json)
      json.string("currency", offer.currency)
      json.integer("fare", offer.fare)
      json.objects("riders", offer.members) { member, json in
        json.string("riderId", riders[member.requestID] ?? "")
        json.string("requestId", member.requestID)
        json.string("answer", member.answer.rawValue)
        json.integer("share", member.share)
        json.integer("soloFare", member.soloFare)
        json.number("walkMeters", member.walkMeters)
        json.number("rideSeconds", member.rideSeconds)
        json.number("detourSeconds", member.detourSeconds)
        if let place = member.boarding { PartyEventBody.place("boarding", place, &json) }
      }
    }
  }

  /// What an answer to an offer is told that took effect before.
  func offerAnswer(
    _ id: String, to reply: StoredReply
  ) -> Result<PartyServiceReply, PartyServiceError> {
    guard let entry = requests.offer(id) else {
      return .failure(gap.refusal.map { .commit($0) } ?? .unknownOffer(id))
    }
    guard entry.versions[reply.aggregateID] ?? 0 >= reply.version else {
      return .failure(.commit(.unavailable(reason: "the record is being read again")))
    }
    return .success(.offer(entry))
  }
}
