import DurableCommands
import ObjectModel
import RideMatching

extension PartyCommitModel {
  func expectations(
    of command: PartyServiceCommand, in overlay: PartyOverlay, now: Instant
  ) -> [StateExpectation] {
    var parties: Set<String> = []
    var requests: Set<String> = []
    var people: Set<String> = []
    switch command {
    case .create(let create, _, _):
      people = Set([create.hostID] + create.riders.map(\.riderID))
      parties = Set(overlay.partiesUnderWay(hostedBy: create.hostID))
    case .join(let id, let join, _, _):
      parties = [id]
      // Whom the rider may not meet.
      people = Set([join.riderID] + (overlay.party(id)?.riders.map(\.id) ?? []))
      parties.formUnion(overlay.partiesRequested(by: join.riderID))
    case .approveJoin(let id, let requestID, _, _):
      parties = [id]
      let rider = overlay.party(id)?.joinRequest(requestID)?.riderID
      people = Set((overlay.party(id)?.riders.map(\.id) ?? []) + (rider.map { [$0] } ?? []))
    case .update(let id, _, _):
      parties = [id]
      people = Set(overlay.party(id)?.riders.map(\.id) ?? [])
    case .declineJoin(let id, _, _), .withdrawJoin(let id, _, _), .leave(let id, _),
      .depart(let id, _), .remove(let id, _, _, _), .settle(let id, _, _),
      .cancel(let id, _, _), .cancelByOperator(let id, _), .tick(let id):
      parties = [id]
    case .found(let id, _), .dropRequest(let id), .withdrawRequest(let id, _): requests = [id]
    case .commute(let command):
      return commuteExpectations(of: command, in: overlay)
    case .makeOffer(let offer): requests = Set(offer.members.map(\.requestID))
    case .answerOffer(let id, _, _, _), .expireOffer(let id):
      let entry = overlay.offer(id)
      requests = Set(entry?.offer.members.map(\.requestID) ?? [])
      people = Set(entry?.riders.values.map(\.self) ?? [])
    case .note, .keepRequest: break
    }
    for id in people { parties.formUnion(overlay.claims(of: id).map(\.partyID)) }
    return parties.sorted().map { expect(.party, $0, overlay.party($0)?.version) }
      + requests.sorted().map {
        expect(
          .rideRequest, $0, overlay.request($0)?.version ?? overlay.endedVersion(ofRequest: $0))
      }
      + people.sorted().compactMap(meetings.expectation)
  }

  func expect(_ kind: AggregateKind, _ id: String, _ version: UInt64?) -> StateExpectation {
    StateExpectation(key: AggregateKey(tenant: tenant, kind: kind, id: id), version: version ?? 0)
  }
}
