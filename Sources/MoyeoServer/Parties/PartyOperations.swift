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
  /// A command that has not been applied by then is dropped.
  static let deadlineMilliseconds: Int64 = 5000
  private static let service = "PartyService"

  init(partyService: PartyService, services: RequestServices) {
    self.services = services
    self.partyService = partyService
    reading = PartyRequestReading(validation: services.validation)
    message = PartyMessage(catalog: partyService.rules.pricing.catalog)
  }

  /// Routes that differ in one place from `/v1/parties/{id}/...` do not meet them: each has its own
  /// number of segments or method.
  var all: [Operation] { reads + commands }

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
      ) { request, _ in try list(request) },
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
      ) { request, _ in try preview(request) },
    ]
  }

  private var commands: [Operation] {
    [
      command("Create", "/v1/parties", Moyeo_V1_CreatePartyRequest.self) { request, context in
        let command = try reading.create(request)
        return try await answer {
          () async throws(PartyServiceError) in
          try await partyService.create(command, try scope(request, context, "/v1/parties"))
        }
      },
      command("Update", "/v1/parties/{id}/update", Moyeo_V1_UpdatePartyRequest.self) {
        request, context in
        let id = try reading.partyID(request.idIfSet)
        let actor = try reading.actor(
          request.riderIDIfSet, field: "riderId")
        let command = try reading.update(request)
        return try await answer { () async throws(PartyServiceError) in
          try await partyService.update(
            partyID: id, actorID: actor, command,
            try scope(request, context, "/v1/parties/\(id)/update"))
        }
      },
      command("Depart", "/v1/parties/{id}/depart", Moyeo_V1_DepartPartyRequest.self) {
        request, context in
        let id = try reading.partyID(request.idIfSet)
        let actor = try reading.actor(
          request.riderIDIfSet, field: "riderId")
        return try await answer { () async throws(PartyServiceError) in
          try await partyService.depart(
            partyID: id, actorID: actor, try scope(request, context, "/v1/parties/\(id)/depart"))
        }
      },
      command(
        "RemoveRider", "/v1/parties/{id}/riders/{riderId}/remove",
        Moyeo_V1_RemoveRiderRequest.self
      ) { request, context in try await removeRider(request, context) },
      command("Settle", "/v1/parties/{id}/settle", Moyeo_V1_SettlePartyRequest.self) {
        request, context in
        let id = try reading.partyID(request.idIfSet)
        let command = try reading.settle(request)
        return try await answer { () async throws(PartyServiceError) in
          try await partyService.settle(
            partyID: id, actorID: nil, command,
            try scope(request, context, "/v1/parties/\(id)/settle"))
        }
      },
      command("Cancel", "/v1/parties/{id}/cancel", Moyeo_V1_CancelPartyRequest.self) {
        request, context in
        let id = try reading.partyID(request.idIfSet)
        let actor = try reading.actor(
          request.riderIDIfSet, field: "riderId")
        let reason = try reading.word(request.reasonIfSet, field: "reason")
        return try await answer { () async throws(PartyServiceError) in
          try await partyService.cancel(
            partyID: id, actorID: actor, reason: reason ?? "host",
            try scope(request, context, "/v1/parties/\(id)/cancel"))
        }
      },
      command("Join", "/v1/parties/{id}/join", Moyeo_V1_JoinPartyRequest.self) {
        request, context in
        let id = try reading.partyID(request.idIfSet)
        let command = try reading.join(request)
        return try await answer { () async throws(PartyServiceError) in
          try await partyService.join(
            partyID: id, command, try scope(request, context, "/v1/parties/\(id)/join"))
        }
      },
      command("Leave", "/v1/parties/{id}/leave", Moyeo_V1_LeavePartyRequest.self) {
        request, context in
        let id = try reading.partyID(request.idIfSet)
        let rider = try reading.validation.id(
          request.riderIDIfSet, field: "riderId")
        return try await answer { () async throws(PartyServiceError) in
          try await partyService.leave(
            partyID: id, riderID: rider, try scope(request, context, "/v1/parties/\(id)/leave"))
        }
      },
    ]
  }

  private func command<Request: Message & Sendable>(
    _ rpc: String, _ route: String, _ request: Request.Type,
    handler: @escaping @Sendable (Request, CallContext) async throws -> [UInt8]
  ) -> Operation {
    Operation(
      Self.service, rpc, request: request, response: Moyeo_V1_PartyResponse.self,
      routes: [.init("POST", route)],
      isRead: false, handler: handler)
  }

  private func removeRider(
    _ request: Moyeo_V1_RemoveRiderRequest, _ context: CallContext
  ) async throws -> [UInt8] {
    let id = try reading.partyID(request.idIfSet)
    let rider = try reading.validation.id(
      request.riderIDIfSet, field: "riderId")
    let reason = try reading.removalReason(request.reasonIfSet)
    let actor = try reading.actor(request.hostIDIfSet, field: "hostId")
    return try await answer { () async throws(PartyServiceError) in
      try await partyService.removeRider(
        partyID: id, riderID: rider, reason: reason, actorID: actor,
        try scope(request, context, "/v1/parties/\(id)/riders/\(rider)/remove"))
    }
  }

  // MARK: - Context and answer

  /// The scope of the idempotency key: tenant, caller, method and path, the same over gRPC and
  /// HTTP. Callers are all one until they carry tokens.
  func scope(
    _ request: some Message, _ context: CallContext, _ path: String
  ) throws(PartyServiceError) -> CommandContext {
    var out = CommandContext(
      method: "POST", path: path, idempotencyKey: context.idempotencyKey,
      deadline: services.clock.now().advanced(milliseconds: Self.deadlineMilliseconds))
    guard context.idempotencyKey != nil else { return out }
    var options = BinaryEncodingOptions()
    options.useDeterministicOrdering = true
    guard let bytes: [UInt8] = try? request.serializedBytes(options: options) else {
      throw .badField("body", message: "cannot be encoded")
    }
    out.requestHash = CommandContext.requestHash(bytes)
    return out
  }

  private func answer(
    _ command: () async throws(PartyServiceError) -> PartyAnswer
  ) async throws(APIError) -> [UInt8] {
    let answer: PartyAnswer
    do throws(PartyServiceError) {
      answer = try await command()
    } catch {
      throw APIError(error)
    }
    return try response(answer.party, layerVersion: answer.layerVersion)
  }

  func response(_ party: Party, layerVersion: String) throws(APIError) -> [UInt8] {
    var response = Moyeo_V1_PartyResponse()
    response.party = message.party(party)
    response.version = layerVersion
    return try encoded(response)
  }
}
