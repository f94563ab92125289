import DurableCommands
import MoyeoAPI
import ObjectModel
import Parties
import RideMatching
import SwiftProtobuf

/// The calls about offers to riders whose standing requests were matched with one another.
extension PartyOperations {
  private static let list = Operation.Route("GET", "/v1/ride-offers")
  private static let one = Operation.Route("GET", "/v1/ride-offers/{id}")
  private static let acceptance = Operation.Route("POST", "/v1/ride-offers/{id}/accept")
  private static let refusal = Operation.Route("POST", "/v1/ride-offers/{id}/decline")

  var rideOffers: [Operation] {
    [
      Operation(
        "PartyService", "ListRideOffers", request: Moyeo_V1_ListRideOffersRequest.self,
        response: Moyeo_V1_RideOfferListResponse.self, routes: [Self.list]
      ) { request, _ in
        let rider = try reading.validation.id(request.riderIDIfSet, field: "riderId")
        var response = Moyeo_V1_RideOfferListResponse()
        response.offers = partyService.rideOffers(of: rider).map(PartyMessage.offer)
        return try encoded(response)
      },
      Operation(
        "PartyService", "GetRideOffer", request: Moyeo_V1_GetRideOfferRequest.self,
        response: Moyeo_V1_RideOfferResponse.self, routes: [Self.one]
      ) { request, _ in
        let id = try reading.partyID(request.idIfSet)
        let rider = try reading.validation.id(request.riderIDIfSet, field: "riderId")
        return try await offer { () async throws(PartyServiceError) in
          try partyService.rideOffer(id, riderID: rider)
        }
      },
      Operation(
        "PartyService", "AcceptRideOffer", request: Moyeo_V1_AcceptRideOfferRequest.self,
        response: Moyeo_V1_RideOfferResponse.self, routes: [Self.acceptance], isRead: false
      ) { request, context in
        try await answered(
          request, request.idIfSet, request.riderIDIfSet, accepts: true, Self.acceptance, context)
      },
      Operation(
        "PartyService", "DeclineRideOffer", request: Moyeo_V1_DeclineRideOfferRequest.self,
        response: Moyeo_V1_RideOfferResponse.self, routes: [Self.refusal], isRead: false
      ) { request, context in
        try await answered(
          request, request.idIfSet, request.riderIDIfSet, accepts: false, Self.refusal, context)
      },
    ]
  }

  private func answered(
    _ request: some Message, _ id: String?, _ rider: String?, accepts: Bool,
    _ route: Operation.Route, _ context: CallContext
  ) async throws -> [UInt8] {
    let id = try reading.partyID(id)
    let rider = try reading.validation.id(rider, field: "riderId")
    let command = try context.command(request, route, [id], now: services.clock.now())
    return try await offer { () async throws(PartyServiceError) in
      try await partyService.answerOffer(id, riderID: rider, accepts: accepts, command)
    }
  }

  private func offer(
    _ body: () async throws(PartyServiceError) -> PartyRideOffer
  ) async throws(APIError) -> [UInt8] {
    var response = Moyeo_V1_RideOfferResponse()
    do throws(PartyServiceError) {
      response.offer = PartyMessage.offer(try await body())
    } catch {
      throw APIError(error)
    }
    return try encoded(response)
  }
}

extension PartyMessage {
  /// An offer as its rider sees it: of the others how many they are.
  static func offer(_ mine: PartyRideOffer) -> Moyeo_V1_RideOffer {
    let (offer, own) = (mine.offer, mine.own)
    var out = Moyeo_V1_RideOffer()
    out.id = offer.id
    out.requestID = mine.requestID
    out.riderID = mine.riderID
    out.state = offer.state.rawValue
    out.answer = own.answer.rawValue
    out.createdAt = .init(offer.createdAt)
    out.expiresAt = .init(offer.expiresAt)
    if let ended = offer.endedAt { out.endedAt = .init(ended) }
    if let reason = offer.endReason { out.endReason = reason }
    if let party = offer.partyID { out.partyID = party }
    out.riders = Int32(clamping: offer.members.count)
    out.accepted = Int32(clamping: offer.members.count { $0.answer == .accepted })
    out.departureTime = .init(offer.window.time)
    out.departureWindowSeconds = Double(offer.window.toleranceMilliseconds) / 1000
    out.origin = place(offer.origin)
    if let boarding = own.boarding { out.boarding = place(boarding) }
    out.share = own.share
    out.soloFare = own.soloFare
    out.fare = offer.fare
    out.currency = offer.currency
    out.walkMeters = own.walkMeters
    out.rideSeconds = own.rideSeconds
    out.detourSeconds = own.detourSeconds
    return out
  }
}
