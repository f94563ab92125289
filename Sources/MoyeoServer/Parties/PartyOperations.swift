import MoyeoAPI
import DurableCommands
import Parties
import ObjectModel
import RideMatching
import SwiftProtobuf

/// The unary calls of PartyService.
struct PartyOperations: Sendable {
  let partyService: PartyService
  let reading: PartyRequestReading
  let message: PartyMessage
  let services: RequestServices
  private static let service = "PartyService"

  init(partyService: PartyService, services: RequestServices) {
    self.services = services
    self.partyService = partyService
    reading = PartyRequestReading(validation: services.validation)
    message = PartyMessage(catalog: partyService.rules.pricing.catalog)
  }

  /// Routes that differ in one place from `/v1/parties/{id}/...` do not meet them: each has its own
  /// number of segments or method.
  var all: [Operation] { reads + commands + joinRequests + rideRequests + rideOffers }

  private var reads: [Operation] {
    let service = Self.service
    return [
      Operation(
        service, "Get", request: Moyeo_V1_GetPartyRequest.self,
        response: Moyeo_V1_PartyResponse.self,
        routes: [.init("GET", "/v1/parties/{id}")]
      ) { request, _ in try await get(request) },
      Operation(
        service, "List", request: Moyeo_V1_ListPartiesRequest.self,
        response: Moyeo_V1_PartyListResponse.self,
        routes: [.init("GET", "/v1/parties")]
      ) { request, _ in try await list(request) },
      Operation(
        service, "Search", request: Moyeo_V1_SearchPartiesRequest.self,
        response: Moyeo_V1_PartyListResponse.self,
        routes: [.init("POST", "/v1/parties/search")], throttleScope: { _ in "" }
      ) { request, _ in try await search(request) },
      Operation(
        service, "Match", request: Moyeo_V1_MatchPartiesRequest.self,
        response: Moyeo_V1_MatchPartiesResponse.self,
        routes: [.init("POST", "/v1/parties/match")]
      ) { request, _ in try await match(request) },
      Operation(
        service, "MatchBatch", request: Moyeo_V1_MatchBatchRequest.self,
        response: Moyeo_V1_MatchBatchResponse.self,
        routes: [.init("POST", "/v1/parties/match-batch")], maximumRequestBytes: 4 << 20
      ) { request, _ in try await matchBatch(request) },
      Operation(
        service, "PreviewJoin", request: Moyeo_V1_PreviewJoinRequest.self,
        response: Moyeo_V1_PreviewJoinResponse.self,
        routes: [.init("POST", "/v1/parties/{id}/preview")]
      ) { request, _ in try await preview(request) },
    ]
  }

  private var commands: [Operation] { hostCommands + riderCommands }

  private var hostCommands: [Operation] {
    [
      command("Create", "/v1/parties", Moyeo_V1_CreatePartyRequest.self) { request, scope in
        let command = try reading.create(request)
        let context = try scope()
        return try await answer { () async throws(PartyServiceError) in
          try await partyService.create(command, context)
        }
      },
      command("Update", "/v1/parties/{id}/update", Moyeo_V1_UpdatePartyRequest.self) {
        request, scope in
        let id = try reading.partyID(request.idIfSet)
        let actor = try reading.actor(request.riderIDIfSet, field: "riderId")
        let command = try reading.update(request)
        let context = try scope(id)
        return try await answer { () async throws(PartyServiceError) in
          try await partyService.update(partyID: id, actorID: actor, command, context)
        }
      },
      command("Depart", "/v1/parties/{id}/depart", Moyeo_V1_DepartPartyRequest.self) {
        request, scope in
        let id = try reading.partyID(request.idIfSet)
        let actor = try reading.actor(request.riderIDIfSet, field: "riderId")
        let context = try scope(id)
        return try await answer { () async throws(PartyServiceError) in
          try await partyService.depart(partyID: id, actorID: actor, context)
        }
      },
      command(
        "RemoveRider", "/v1/parties/{id}/riders/{riderId}/remove",
        Moyeo_V1_RemoveRiderRequest.self
      ) { request, scope in try await removeRider(request, scope) },
      command("Settle", "/v1/parties/{id}/settle", Moyeo_V1_SettlePartyRequest.self) {
        request, scope in
        let id = try reading.partyID(request.idIfSet)
        let command = try reading.settle(request)
        let context = try scope(id)
        return try await answer { () async throws(PartyServiceError) in
          try await partyService.settle(partyID: id, actorID: nil, command, context)
        }
      },
      command("Cancel", "/v1/parties/{id}/cancel", Moyeo_V1_CancelPartyRequest.self) {
        request, scope in
        let id = try reading.partyID(request.idIfSet)
        let actor = try reading.actor(request.riderIDIfSet, field: "riderId")
        let reason = try reading.word(request.reasonIfSet, field: "reason")
        let context = try scope(id)
        return try await answer { () async throws(PartyServiceError) in
          try await partyService.cancel(
            partyID: id, actorID: actor, reason: reason ?? "host", context)
        }
      },
    ]
  }

  private var riderCommands: [Operation] {
    [
      command("Join", "/v1/parties/{id}/join", Moyeo_V1_JoinPartyRequest.self) {
        request, scope in
        let id = try reading.partyID(request.idIfSet)
        let command = try reading.join(request)
        let context = try scope(id)
        return try await answer(about: .rider(command.riderID)) {
          () async throws(PartyServiceError) in
          try await partyService.join(partyID: id, command, context)
        }
      },
      command("Leave", "/v1/parties/{id}/leave", Moyeo_V1_LeavePartyRequest.self) {
        request, scope in
        let id = try reading.partyID(request.idIfSet)
        let rider = try reading.validation.id(request.riderIDIfSet, field: "riderId")
        let context = try scope(id)
        return try await answer { () async throws(PartyServiceError) in
          try await partyService.leave(partyID: id, riderID: rider, context)
        }
      },
    ]
  }

  /// Makes what a command carries, of the values of its route's parameters in their order.
  typealias CommandScope = (_ ids: String...) throws(APIError) -> CommandContext

  func command<Request: Message & Sendable>(
    _ rpc: String, _ template: String, _ request: Request.Type,
    handler: @escaping @Sendable (Request, CommandScope) async throws -> [UInt8]
  ) -> Operation {
    let route = Operation.Route("POST", template)
    return Operation(
      Self.service, rpc, request: request, response: Moyeo_V1_PartyResponse.self,
      routes: [route], isRead: false
    ) { request, context in
      try await handler(request) { (ids: String...) throws(APIError) in
        try context.command(request, route, ids, now: services.clock.now())
      }
    }
  }

  private func removeRider(
    _ request: Moyeo_V1_RemoveRiderRequest, _ scope: CommandScope
  ) async throws -> [UInt8] {
    let id = try reading.partyID(request.idIfSet)
    let rider = try reading.validation.id(request.riderIDIfSet, field: "riderId")
    let reason = try reading.removalReason(request.reasonIfSet)
    let actor = try reading.actor(request.hostIDIfSet, field: "hostId")
    let context = try scope(id, rider)
    return try await answer { () async throws(PartyServiceError) in
      try await partyService.removeRider(
        partyID: id, riderID: rider, reason: reason, actorID: actor, context)
    }
  }

  // MARK: - Answer

  func answer(
    about request: AnsweredRequest = .none,
    _ command: () async throws(PartyServiceError) -> PartyAnswer
  ) async throws(APIError) -> [UInt8] {
    let answer: PartyAnswer
    do throws(PartyServiceError) {
      answer = try await command()
    } catch {
      throw APIError(error)
    }
    return try response(answer.party, layerVersion: answer.layerVersion, about: request)
  }

  func response(
    _ party: Party, layerVersion: String, about request: AnsweredRequest = .none
  ) throws(APIError) -> [UInt8] {
    var response = Moyeo_V1_PartyResponse()
    response.party = message.party(party)
    response.version = layerVersion
    if let found = request.found(in: party) {
      response.joinRequest = PartyMessage.joinRequest(found, party)
    }
    return try encoded(response)
  }
}
