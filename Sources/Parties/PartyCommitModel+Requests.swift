import ObjectModel
import RideMatching
import WireFormat
import DurableCommands

extension PartyCommitModel {
  /// Standing requests: each is an aggregate of its own, so that what was reported survives a restart.
  func decidedRequest(
    _ command: PartyServiceCommand, _ overlay: PartyOverlay, _ now: Instant
  ) -> Decision {
    switch command {
    case .keepRequest(let request):
      guard overlay.keptRequests() < quotas.storedRequests else {
        return Decision(
          result: .failure(.quotaExceeded(field: "storedRequests", limit: quotas.storedRequests)))
      }
      let rider = request.query.riderID
      guard overlay.keptRequests(of: rider) < quotas.storedRequestsPerRider else {
        return Decision(
          result: .failure(
            .quotaExceeded(
              field: "stored requests of one rider", limit: quotas.storedRequestsPerRider)))
      }
      return changed(request, from: 0, candidate: nil, overlay: overlay, now: now)
    case .found(let id, let candidate):
      guard var request = overlay.request(id), !request.isOver,
        !request.found.contains(candidate.party.id)
      else { break }
      let version = request.version
      request.version += 1
      request.found.append(candidate.party.id)
      return changed(request, from: version, candidate: candidate, overlay: overlay, now: now)
    case .dropRequest(let id):
      guard let request = overlay.request(id), !request.isOver else { break }
      return ended(request, overlay: overlay, now: now)
    case .withdrawRequest(let id, let rider):
      guard let request = overlay.request(id), !request.isOver,
        rider == nil || rider == request.query.riderID
      else { return Decision(result: .failure(.unknownRequest(id))) }
      return ended(request, overlay: overlay, now: now)
    default: break
    }
    return Decision(change: nil, result: .success(.nothing))
  }

  func ended(
    _ request: StandingRequest, overlay: PartyOverlay, now: Instant
  ) -> Decision {
    if request.hasOpenOffer, let offer = request.offer {
      let ended = offer.ended(.withdrawn, reason: "request_ended", at: now)
      return told(ended, .withdrawn, first: request.id, overlay, now) { member in
        if member.id == request.id { member.endedAt = now }
      }
    }
    var over = request
    over.version += 1
    over.endedAt = now
    return changed(over, from: request.version, candidate: nil, overlay: overlay, now: now)
  }

  func changed(
    _ request: StandingRequest, from version: UInt64, candidate: MatchCandidate?,
    overlay: PartyOverlay, now: Instant
  ) -> Decision {
    let query = request.query
    var group = ChangeGroup(changes: [stored(request, from: version)], claimsMustNotOverlap: false)
    if let candidate {
      group.events = [
        StoredEvent(
          tenant: tenant, kind: "match.found", at: now,
          aggregateID: candidate.party.id, matchID: request.id, userIDs: [query.riderID],
          version: candidate.party.version, body: Self.body(request, candidate))
      ]
    }
    overlay.put(request)
    return Decision(
      change: (group, .request(request, group.events)), result: .success(.request(id: request.id)))
  }

  func stored(_ request: StandingRequest, from version: UInt64) -> ChangeGroup.Change {
    let query = request.query
    return ChangeGroup.Change(
      expectedVersion: version,
      aggregate: StoredAggregate(
        key: AggregateKey(tenant: tenant, kind: .rideRequest, id: request.id),
        version: request.version, bytes: request.encoded(),
        summary: AggregateSummary(
          state: request.isOver ? "closed" : "open", ownerID: query.riderID,
          origin: query.origin, originName: query.originName,
          destination: query.destination.coordinate, destinationName: query.destination.name,
          startsAt: query.window.start,
          endsAt: query.window.end, seats: query.seats, endedAt: request.endedAt)))
  }

  private static func body(_ request: StandingRequest, _ candidate: MatchCandidate) -> [UInt8] {
    JSONWriter.object { json in
      json.string("matchId", request.id)
      json.string("riderId", request.query.riderID)
      json.string("partyId", candidate.party.id)
      json.integer("yourFare", candidate.yourFare)
      json.integer("yourSaving", candidate.yourSaving)
      json.string("currency", candidate.party.fare.currency)
      json.number("walkMeters", candidate.walkMeters)
      json.number("detourSeconds", candidate.detourSeconds)
      json.number("sharedRatio", candidate.sharedRatio)
      json.string("departureTime", RFC3339.utc(candidate.party.window.time))
    }
  }
}
