import DurableCommands
import MoyeoAPI
import ObjectModel
import Parties
import RideMatching
import SwiftProtobuf

/// The calls of CommuteService.
struct CommuteOperations: Sendable {
  let partyService: PartyService
  let reading: CommuteRequestReading
  let services: RequestServices
  private static let service = "CommuteService"
  /// Days to come that an answer tells.
  static let days = 0...400
  static let standardDays = 14

  init(partyService: PartyService, services: RequestServices) {
    self.partyService = partyService
    self.services = services
    reading = CommuteRequestReading(
      parties: PartyRequestReading(validation: services.validation),
      offsets: partyService.commuteRules.calendars.offsets)
  }

  var all: [Operation] {
    [
      Operation(
        Self.service, "Get", request: Moyeo_V1_GetCommuteRequest.self,
        response: Moyeo_V1_CommuteResponse.self, routes: [.init("GET", "/v1/commutes/{id}")]
      ) { request, _ in try await get(request) },
      Operation(
        Self.service, "List", request: Moyeo_V1_ListCommutesRequest.self,
        response: Moyeo_V1_CommuteListResponse.self, routes: [.init("GET", "/v1/commutes")]
      ) { request, _ in try list(request) },
      command("Create", "/v1/commutes", Moyeo_V1_CreateCommuteRequest.self) { request, scope in
        let (schedule, trip) = try reading.create(request, now: services.clock.now())
        let context = try scope()
        return { () async throws(PartyServiceError) in
          try await partyService.createCommute(schedule, trip, context)
        }
      },
      command("Update", "/v1/commutes/{id}/update", Moyeo_V1_UpdateCommuteRequest.self) {
        request, scope in
        let id = try reading.parties.partyID(request.idIfSet)
        let actor = try reading.parties.actor(request.riderIDIfSet, field: "riderId")
        let update = try reading.update(request, now: services.clock.now())
        let context = try scope(id)
        return { () async throws(PartyServiceError) in
          try await partyService.updateCommute(id, actorID: actor, update, context)
        }
      },
      command("Cancel", "/v1/commutes/{id}/cancel", Moyeo_V1_CancelCommuteRequest.self) {
        request, scope in
        let id = try reading.parties.partyID(request.idIfSet)
        let actor = try reading.parties.actor(request.riderIDIfSet, field: "riderId")
        let reason = try reading.parties.word(request.reasonIfSet, field: "reason")
        let context = try scope(id)
        let includesAppeared = request.includeAppeared
        return { () async throws(PartyServiceError) in
          try await partyService.cancelCommute(
            id, actorID: actor, reason: reason ?? "host", includesAppeared: includesAppeared,
            context)
        }
      },
      command("Join", "/v1/commutes/{id}/join", Moyeo_V1_JoinCommuteRequest.self) {
        request, scope in
        let id = try reading.parties.partyID(request.idIfSet)
        let join = try reading.join(request)
        let context = try scope(id)
        return { () async throws(PartyServiceError) in
          try await partyService.joinCommute(id, join, context)
        }
      },
      command("Leave", "/v1/commutes/{id}/leave", Moyeo_V1_LeaveCommuteRequest.self) {
        request, scope in
        let id = try reading.parties.partyID(request.idIfSet)
        let rider = try reading.parties.validation.id(request.riderIDIfSet, field: "riderId")
        let context = try scope(id)
        return { () async throws(PartyServiceError) in
          try await partyService.leaveCommute(id, riderID: rider, context)
        }
      },
    ]
  }

  /// Makes what a command carries, of the values of its route's parameters in their order.
  private typealias CommandScope = (_ ids: String...) throws(APIError) -> CommandContext
  private typealias Command = () async throws(PartyServiceError) -> Commute

  private func command<Request: Message & Sendable>(
    _ rpc: String, _ template: String, _ request: Request.Type,
    handler: @escaping @Sendable (Request, CommandScope) throws -> Command
  ) -> Operation {
    let route = Operation.Route("POST", template)
    return Operation(
      Self.service, rpc, request: request, response: Moyeo_V1_CommuteResponse.self,
      routes: [route], isRead: false
    ) { request, context in
      let command = try handler(request) { (ids: String...) throws(APIError) in
        try context.command(request, route, ids, now: services.clock.now())
      }
      return try await answer(command, days: Self.standardDays)
    }
  }

  // MARK: - Reads

  private func get(_ request: Moyeo_V1_GetCommuteRequest) async throws -> [UInt8] {
    let id = try reading.parties.partyID(request.idIfSet)
    let rider = try reading.parties.actor(request.riderIDIfSet, field: "riderId")
    let days = request.hasDays ? Int(request.days) : Self.standardDays
    guard Self.days.contains(days) else {
      throw APIError(
        .limitOutOfRange, field: "days",
        "days is \(Self.days.lowerBound) to \(Self.days.upperBound); got \(days)")
    }
    return try await answer(
      { () async throws(PartyServiceError) in try await partyService.commute(id, riderID: rider) },
      days: days)
  }

  private func list(_ request: Moyeo_V1_ListCommutesRequest) throws -> [UInt8] {
    let found: [Commute]
    switch (request.hasRiderID, request.hasHostID) {
    case (true, true):
      throw APIError(.conflictingFields, field: "hostId", "give riderId or hostId, not both")
    case (false, false):
      throw APIError(.missingField, field: "riderId", "riderId or hostId is required")
    case (true, false):
      found = partyService.commutes(
        riddenBy: try reading.parties.validation.id(request.riderID, field: "riderId"))
    case (false, true):
      found = partyService.commutes(
        hostedBy: try reading.parties.validation.id(request.hostID, field: "hostId"))
    }
    var response = Moyeo_V1_CommuteListResponse()
    response.commutes = found.prefix(Self.listed).map {
      CommuteMessage.commute($0, partyService.commuteRules, days: Self.standardDays)
    }
    return try encoded(response)
  }

  /// A person may ride with the series of many hosts.
  private static let listed = 1000

  private func answer(_ command: Command, days: Int) async throws(APIError) -> [UInt8] {
    let commute: Commute
    do throws(PartyServiceError) {
      commute = try await command()
    } catch {
      throw APIError(error)
    }
    var response = Moyeo_V1_CommuteResponse()
    response.commute = CommuteMessage.commute(commute, partyService.commuteRules, days: days)
    return try encoded(response)
  }
}
