import GRPCCore
public import MoyeoAPI
import SwiftProtobuf

/// Calls on parties. Commands carry an idempotency key: sent again with the same one they have the
/// effect once and answer it again. The client makes a key for each and keeps it over its attempts;
/// give one where a person may press the button again, or the process may end before it knows.
extension MoyeoClient {
  /// Opens a party whose first rider is its host, and answers it as the service stored it.
  ///
  /// - Throws: ``MoyeoError``: what the rules refuse, such as `overlapping_party`,
  ///   `trip_too_short` or `departure_in_past`.
  public func createParty(
    _ request: Moyeo_V1_CreatePartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    try await unary(
      request, Moyeo_V1_PartyService.Method.Create.descriptor, .post("parties"),
      effect: .keyed, idempotencyKey: idempotencyKey)
  }

  /// One party by its id; with a `minVersion`, the service refuses a state older than that.
  ///
  /// - Throws: ``MoyeoError``: `unknown_party`.
  public func party(_ request: Moyeo_V1_GetPartyRequest) async throws(MoyeoError)
    -> Moyeo_V1_PartyResponse
  {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.Get.descriptor, .get("parties", request.id),
      overHTTP: rest)
  }

  /// The parties of a person, newest first.
  ///
  /// - Throws: ``MoyeoError``: `bad_cursor`, or `forbidden` for somebody else's.
  public func listParties(_ request: Moyeo_V1_ListPartiesRequest) async throws(MoyeoError)
    -> Moyeo_V1_PartyListResponse
  {
    try await unary(request, Moyeo_V1_PartyService.Method.List.descriptor, .get("parties"))
  }

  /// Open and full parties near a place or in a box.
  ///
  /// - Throws: ``MoyeoError``: `bad_cursor` or `superseded`.
  public func searchParties(_ request: Moyeo_V1_SearchPartiesRequest) async throws(MoyeoError)
    -> Moyeo_V1_PartyListResponse
  {
    try await unary(
      request, Moyeo_V1_PartyService.Method.Search.descriptor, .post("parties", "search"))
  }

  /// The parties that a rider could join, best first.
  ///
  /// - Throws: ``MoyeoError``: what the trip is refused for, such as `trip_too_short` or
  ///   `departure_in_past`; that nothing fits is an answer.
  public func matchParties(_ request: Moyeo_V1_MatchPartiesRequest) async throws(MoyeoError)
    -> Moyeo_V1_MatchPartiesResponse
  {
    try await unary(
      request, Moyeo_V1_PartyService.Method.Match.descriptor, .post("parties", "match"))
  }

  /// The ride requests of a person that are kept, oldest first.
  ///
  /// - Throws: ``MoyeoError``: `bad_cursor`, or `forbidden` for somebody else's.
  public func rideRequests(_ request: Moyeo_V1_ListRideRequestsRequest) async throws(MoyeoError)
    -> Moyeo_V1_RideRequestListResponse
  {
    try await unary(
      request, Moyeo_V1_PartyService.Method.ListRideRequests.descriptor, .get("ride-requests"))
  }

  /// A ride request that is kept.
  ///
  /// - Throws: ``MoyeoError``: `unknown_ride_request`.
  public func rideRequest(_ request: Moyeo_V1_GetRideRequestRequest) async throws(MoyeoError)
    -> Moyeo_V1_RideRequestResponse
  {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.GetRideRequest.descriptor,
      .get("ride-requests", request.id), overHTTP: rest)
  }

  /// What is offered to a rider whose requests were matched with others, newest first.
  ///
  /// - Throws: ``MoyeoError``: `bad_cursor`, or `forbidden` for somebody else's.
  public func rideOffers(_ request: Moyeo_V1_ListRideOffersRequest) async throws(MoyeoError)
    -> Moyeo_V1_RideOfferListResponse
  {
    try await unary(
      request, Moyeo_V1_PartyService.Method.ListRideOffers.descriptor, .get("ride-offers"))
  }

  /// An offer as its rider sees it.
  ///
  /// - Throws: ``MoyeoError``: `unknown_ride_offer`.
  public func rideOffer(_ request: Moyeo_V1_GetRideOfferRequest) async throws(MoyeoError)
    -> Moyeo_V1_RideOfferResponse
  {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.GetRideOffer.descriptor,
      .get("ride-offers", request.id), overHTTP: rest)
  }

  /// Takes the ride of an offer; once all of it have, it is a party.
  ///
  /// - Throws: ``MoyeoError``: `unknown_ride_offer` or `ride_offer_ended`.
  public func acceptRideOffer(
    _ request: Moyeo_V1_AcceptRideOfferRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_RideOfferResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.AcceptRideOffer.descriptor,
      .post("ride-offers", request.id, "accept"), overHTTP: rest,
      effect: .keyed, idempotencyKey: idempotencyKey)
  }

  /// Does not take the ride of an offer, which ends it.
  ///
  /// - Throws: ``MoyeoError``: `unknown_ride_offer` or `ride_offer_ended`.
  public func declineRideOffer(
    _ request: Moyeo_V1_DeclineRideOfferRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_RideOfferResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.DeclineRideOffer.descriptor,
      .post("ride-offers", request.id, "decline"), overHTTP: rest,
      effect: .keyed, idempotencyKey: idempotencyKey)
  }

  /// Ends a ride request at its rider's word.
  ///
  /// - Throws: ``MoyeoError``: `unknown_ride_request`.
  public func withdrawRideRequest(
    _ request: Moyeo_V1_WithdrawRideRequestRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_RideRequestResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.WithdrawRideRequest.descriptor,
      .post("ride-requests", request.id, "withdraw"), overHTTP: rest,
      effect: .keyed, idempotencyKey: idempotencyKey)
  }

  /// Waiting requests sorted into taxis.
  ///
  /// - Throws: ``MoyeoError``: `forbidden` for who is no server, `too_many_items`, or what one of
  ///   the requests is refused for, with its field.
  public func matchBatch(_ request: Moyeo_V1_MatchBatchRequest) async throws(MoyeoError)
    -> Moyeo_V1_MatchBatchResponse
  {
    try await unary(
      request, Moyeo_V1_PartyService.Method.MatchBatch.descriptor,
      .post("parties", "match-batch"), patience: Self.batchPatience)
  }

  /// The longest that the service works on a batch, whatever it is asked.
  private static let batchPatience = Duration.seconds(10)

  /// What joining would mean.
  ///
  /// - Throws: ``MoyeoError``: what ``joinParty(_:key:)`` would be refused for.
  public func previewJoin(_ request: Moyeo_V1_PreviewJoinRequest) async throws(MoyeoError)
    -> Moyeo_V1_PreviewJoinResponse
  {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.PreviewJoin.descriptor,
      .post("parties", request.id, "preview"), overHTTP: rest)
  }

  /// Takes seats in a party for a rider; the party's own destination holds when none is given.
  ///
  /// - Throws: ``MoyeoError``: what the rules refuse, such as `party_full`, `share_exceeded`,
  ///   `detour_exceeded` or `overlapping_party`.
  public func joinParty(
    _ request: Moyeo_V1_JoinPartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.Join.descriptor,
      .post("parties", request.id, "join"), overHTTP: rest, effect: .keyed,
      idempotencyKey: idempotencyKey)
  }

  /// Lets a rider in who asked the host.
  ///
  /// - Throws: ``MoyeoError``: `unknown_join_request`, `join_request_ended`, or what a join at
  ///   that moment is refused for.
  public func approveJoin(
    _ request: Moyeo_V1_ApproveJoinRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    rest.clearRequestID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.ApproveJoin.descriptor,
      .post("parties", request.id, "requests", request.requestID, "approve"), overHTTP: rest,
      idempotencyKey: idempotencyKey)
  }

  /// Refuses a rider who asked the host.
  ///
  /// - Throws: ``MoyeoError``: `unknown_join_request` or `join_request_ended`.
  public func declineJoin(
    _ request: Moyeo_V1_DeclineJoinRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    rest.clearRequestID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.DeclineJoin.descriptor,
      .post("parties", request.id, "requests", request.requestID, "decline"), overHTTP: rest,
      idempotencyKey: idempotencyKey)
  }

  /// Takes a rider's request to join back.
  ///
  /// - Throws: ``MoyeoError``: `unknown_join_request` or `join_request_ended`.
  public func withdrawJoin(
    _ request: Moyeo_V1_WithdrawJoinRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    rest.clearRequestID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.WithdrawJoin.descriptor,
      .post("parties", request.id, "requests", request.requestID, "withdraw"), overHTTP: rest,
      idempotencyKey: idempotencyKey)
  }

  /// Takes a rider out of a party, at the rider's own wish.
  ///
  /// - Throws: ``MoyeoError``: `unknown_party`, `not_member` or `party_departed`.
  public func leaveParty(
    _ request: Moyeo_V1_LeavePartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.Leave.descriptor,
      .post("parties", request.id, "leave"), overHTTP: rest, effect: .keyed,
      idempotencyKey: idempotencyKey)
  }

  /// Changes a party's departure time, window or seats, on behalf of its host.
  ///
  /// - Throws: ``MoyeoError``: `unknown_party`, `not_host`, or what the changed party would be
  ///   refused for.
  public func updateParty(
    _ request: Moyeo_V1_UpdatePartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.Update.descriptor,
      .post("parties", request.id, "update"), overHTTP: rest, effect: .keyed,
      idempotencyKey: idempotencyKey)
  }

  /// Tells the service that a party sets off, on behalf of its host.
  ///
  /// - Throws: ``MoyeoError``: `unknown_party` or `not_host`.
  public func departParty(
    _ request: Moyeo_V1_DepartPartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.Depart.descriptor,
      .post("parties", request.id, "depart"), overHTTP: rest, effect: .keyed,
      idempotencyKey: idempotencyKey)
  }

  /// Takes another rider out of a party, for the reason `no_show` or `host`.
  ///
  /// - Throws: ``MoyeoError``: `unknown_party`, `not_host` or `not_member`.
  public func removeRider(
    _ request: Moyeo_V1_RemoveRiderRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    rest.clearRiderID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.RemoveRider.descriptor,
      .post("parties", request.id, "riders", request.riderID, "remove"), overHTTP: rest,
      effect: .keyed, idempotencyKey: idempotencyKey)
  }

  /// Reports who paid the taxi and how much, tolls included, in minor units of the currency.
  ///
  /// - Throws: ``MoyeoError``: `unknown_party`, `not_member` or `already_settled`.
  public func settleParty(
    _ request: Moyeo_V1_SettlePartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.Settle.descriptor,
      .post("parties", request.id, "settle"), overHTTP: rest, effect: .keyed,
      idempotencyKey: idempotencyKey)
  }

  /// Calls a party off, on behalf of its host or of a service that names nobody.
  ///
  /// - Throws: ``MoyeoError``: `unknown_party`, `not_host` or `party_departed`.
  public func cancelParty(
    _ request: Moyeo_V1_CancelPartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.Cancel.descriptor,
      .post("parties", request.id, "cancel"), overHTTP: rest, effect: .keyed,
      idempotencyKey: idempotencyKey)
  }
}

extension MoyeoClient {
  /// Durable events after a sequence; waits for a first one as long as the request says.
  ///
  /// - Throws: ``MoyeoError``: `forbidden` for who is no server, `resume_token_expired` or
  ///   `resume_token_ahead`.
  public func listEvents(_ request: Moyeo_V1_ListEventsRequest) async throws(MoyeoError)
    -> Moyeo_V1_ListEventsResponse
  {
    try await unary(
      request, Moyeo_V1_EventService.Method.List.descriptor, .get("events"),
      patience: Self.patience(request.waitSeconds))
  }

  /// What the service is asked to wait.
  static func patience(_ seconds: Double) -> Duration {
    seconds.isFinite ? .seconds(max(0, min(seconds, 60))) : .zero
  }
}
