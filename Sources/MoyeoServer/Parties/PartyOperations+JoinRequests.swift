import DurableCommands
import MoyeoAPI
import Parties
import RideMatching
import SwiftProtobuf

/// The commands about requests to join a party whose host decides.
extension PartyOperations {
  var joinRequests: [Operation] {
    let root = "/v1/parties/{id}/requests/{requestId}"
    return [
      command("ApproveJoin", root + "/approve", Moyeo_V1_ApproveJoinRequest.self) {
        request, scope in
        let (id, requestID) = try ids(request.idIfSet, request.requestIDIfSet)
        let actor = try reading.actor(request.hostIDIfSet, field: "hostId")
        let context = try scope(id, requestID)
        return try await answer(about: .request(requestID)) {
          () async throws(PartyServiceError) in
          try await partyService.approveJoin(
            requestID: requestID, partyID: id, actorID: actor, context)
        }
      },
      command("DeclineJoin", root + "/decline", Moyeo_V1_DeclineJoinRequest.self) {
        request, scope in
        let (id, requestID) = try ids(request.idIfSet, request.requestIDIfSet)
        let actor = try reading.actor(request.hostIDIfSet, field: "hostId")
        let context = try scope(id, requestID)
        return try await answer(about: .request(requestID)) {
          () async throws(PartyServiceError) in
          try await partyService.declineJoin(
            requestID: requestID, partyID: id, actorID: actor, context)
        }
      },
      command("WithdrawJoin", root + "/withdraw", Moyeo_V1_WithdrawJoinRequest.self) {
        request, scope in
        let (id, requestID) = try ids(request.idIfSet, request.requestIDIfSet)
        let rider = try reading.actor(request.riderIDIfSet, field: "riderId")
        let context = try scope(id, requestID)
        return try await answer(about: .request(requestID)) {
          () async throws(PartyServiceError) in
          try await partyService.withdrawJoin(
            requestID: requestID, partyID: id, riderID: rider, context)
        }
      },
    ]
  }

  private func ids(
    _ party: String?, _ request: String?
  ) throws(APIError) -> (party: String, request: String) {
    (
      try reading.partyID(party), try reading.validation.id(request, field: "requestId")
    )
  }
}

/// Which request an answer is about.
enum AnsweredRequest: Sendable {
  case none
  case request(String)
  /// A rider's last one.
  case rider(String)

  func found(in party: Party) -> PartyJoinRequest? {
    switch self {
    case .none: nil
    case .request(let id): party.joinRequest(id)
    case .rider(let id): party.lastRequest(of: id)
    }
  }
}

extension PartyMessage {
  static func joinRequest(
    _ request: PartyJoinRequest, _ party: Party
  ) -> Moyeo_V1_JoinRequest {
    var out = Moyeo_V1_JoinRequest()
    out.id = request.id
    out.riderID = request.riderID
    out.state = request.state.rawValue
    out.createdAt = .init(request.createdAt)
    out.expiresAt = .init(request.expiresAt)
    if let ended = request.endedAt { out.endedAt = .init(ended) }
    if let reason = request.endReason { out.endReason = reason.rawValue }
    out.seats = Int32(clamping: request.seats)
    if let place = request.join.destination { out.dropOff = Self.place(place) }
    if let place = request.join.boarding { out.boarding = Self.place(place) }
    if let most = request.join.maxShare { out.maxShare = most }
    if party.hasPrice { out.share = request.share }
    return out
  }

  static func agreedFare(_ agreed: AgreedFare) -> Moyeo_V1_AgreedFare {
    var out = Moyeo_V1_AgreedFare()
    out.amount = agreed.amount
    out.currency = agreed.currency
    return out
  }
}
