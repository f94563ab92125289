import DurableCommands
import MoyeoAPI
import ObjectModel
import Parties
import RideMatching
import SwiftProtobuf

/// The calls about ride requests that are kept.
extension PartyOperations {
  private static let withdrawal = Operation.Route("POST", "/v1/ride-requests/{id}/withdraw")

  var rideRequests: [Operation] {
    [
      Operation(
        "PartyService", "ListRideRequests", request: Moyeo_V1_ListRideRequestsRequest.self,
        response: Moyeo_V1_RideRequestListResponse.self,
        routes: [.init("GET", "/v1/ride-requests")]
      ) { request, _ in
        let rider = try reading.validation.id(request.riderIDIfSet, field: "riderId")
        var response = Moyeo_V1_RideRequestListResponse()
        response.requests = partyService.standingRequests(of: rider).map(Self.message)
        return try encoded(response)
      },
      Operation(
        "PartyService", "GetRideRequest", request: Moyeo_V1_GetRideRequestRequest.self,
        response: Moyeo_V1_RideRequestResponse.self,
        routes: [.init("GET", "/v1/ride-requests/{id}")]
      ) { request, _ in
        let id = try reading.partyID(request.idIfSet)
        let rider = try reading.actor(request.riderIDIfSet, field: "riderId")
        var response = Moyeo_V1_RideRequestResponse()
        do throws(PartyServiceError) {
          response.request = Self.message(try partyService.standingRequest(id, riderID: rider))
        } catch {
          throw APIError(error)
        }
        return try encoded(response)
      },
      Operation(
        "PartyService", "WithdrawRideRequest", request: Moyeo_V1_WithdrawRideRequestRequest.self,
        response: Moyeo_V1_RideRequestResponse.self, routes: [Self.withdrawal], isRead: false
      ) { request, context in try await withdraw(request, context) },
    ]
  }

  private func withdraw(
    _ request: Moyeo_V1_WithdrawRideRequestRequest, _ context: CallContext
  ) async throws -> [UInt8] {
    let id = try reading.partyID(request.idIfSet)
    let rider = try reading.actor(request.riderIDIfSet, field: "riderId")
    let command = try context.command(
      request, Self.withdrawal, [id], now: services.clock.now())
    do throws(PartyServiceError) {
      try await partyService.withdrawRequest(id, riderID: rider, command)
    } catch {
      throw APIError(error)
    }
    var response = Moyeo_V1_RideRequestResponse()
    response.request.id = id
    response.request.state = "withdrawn"
    if let rider { response.request.riderID = rider }
    return try encoded(response)
  }

  private static func message(_ kept: StandingRequest) -> Moyeo_V1_RideRequest {
    let query = kept.query
    var out = Moyeo_V1_RideRequest()
    out.id = kept.id
    if let commute = kept.commuteID { out.commuteID = commute }
    out.riderID = query.riderID
    out.state = "open"
    out.origin = PartyMessage.place(query.originPlace)
    out.destination = PartyMessage.place(query.destination)
    if let boarding = query.boarding { out.boarding = PartyMessage.place(boarding) }
    out.departureTime = .init(query.window.time)
    out.departureWindowSeconds = Double(query.window.toleranceMilliseconds) / 1000
    if let value = query.wishes.maxWalkMeters { out.maxWalkMeters = value }
    if let value = query.wishes.maxDetourRatio { out.maxDetourRatio = value }
    if let value = query.wishes.minSharedRatio { out.minSharedRatio = value }
    if let value = query.wishes.maxRideSeconds { out.maxRideSeconds = value }
    if let value = query.wishes.maxDetourSeconds { out.maxDetourSeconds = value }
    if let time = query.wishes.arriveBy { out.arriveBy = .init(time) }
    out.seats = Int32(clamping: query.seats)
    out.tags = kept.tags
    if let most = query.maxShare { out.maxShare = most }
    if query.allowsOverlap { out.allowsOverlap = true }
    out.createdAt = .init(kept.createdAt)
    out.foundPartyIds = kept.found
    if kept.hasOpenOffer, let offer = kept.offer { out.offerID = offer.id }
    return out
  }
}
