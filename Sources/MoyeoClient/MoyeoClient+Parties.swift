import GRPCCore
public import MoyeoAPI
import SwiftProtobuf

/// Calls on parties. Commands take an idempotency key: sent again with the same one they have the
/// effect once and answer it again.
extension MoyeoClient {
  /// Opens a party whose first rider is its host, and answers it as the service stored it.
  public func createParty(
    _ request: Moyeo_V1_CreatePartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    try await unary(
      request, Moyeo_V1_PartyService.Method.Create.descriptor, .post("parties"),
      idempotencyKey: idempotencyKey)
  }

  /// One party by its id; with a `minVersion`, the service refuses a state older than that.
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
  public func listParties(_ request: Moyeo_V1_ListPartiesRequest) async throws(MoyeoError)
    -> Moyeo_V1_PartyListResponse
  {
    try await unary(request, Moyeo_V1_PartyService.Method.List.descriptor, .get("parties"))
  }

  /// Open and full parties near a place or in a box.
  public func searchParties(_ request: Moyeo_V1_SearchPartiesRequest) async throws(MoyeoError)
    -> Moyeo_V1_PartyListResponse
  {
    try await unary(
      request, Moyeo_V1_PartyService.Method.Search.descriptor, .post("parties", "search"))
  }

  /// The parties that a rider could join, best first.
  public func matchParties(_ request: Moyeo_V1_MatchPartiesRequest) async throws(MoyeoError)
    -> Moyeo_V1_MatchPartiesResponse
  {
    try await unary(
      request, Moyeo_V1_PartyService.Method.Match.descriptor, .post("parties", "match"))
  }

  /// The ride requests of a person that are kept, oldest first.
  public func rideRequests(_ request: Moyeo_V1_ListRideRequestsRequest) async throws(MoyeoError)
    -> Moyeo_V1_RideRequestListResponse
  {
    try await unary(
      request, Moyeo_V1_PartyService.Method.ListRideRequests.descriptor, .get("ride-requests"))
  }

  /// A ride request that is kept.
  public func rideRequest(_ request: Moyeo_V1_GetRideRequestRequest) async throws(MoyeoError)
    -> Moyeo_V1_RideRequestResponse
  {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.GetRideRequest.descriptor,
      .get("ride-requests", request.id), overHTTP: rest)
  }

  /// Ends a ride request at its rider's word.
  public func withdrawRideRequest(
    _ request: Moyeo_V1_WithdrawRideRequestRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_RideRequestResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.WithdrawRideRequest.descriptor,
      .post("ride-requests", request.id, "withdraw"), overHTTP: rest,
      idempotencyKey: idempotencyKey)
  }

  /// Waiting requests sorted into taxis.
  public func matchBatch(_ request: Moyeo_V1_MatchBatchRequest) async throws(MoyeoError)
    -> Moyeo_V1_MatchBatchResponse
  {
    try await unary(
      request, Moyeo_V1_PartyService.Method.MatchBatch.descriptor,
      .post("parties", "match-batch"))
  }

  /// What joining would mean.
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
  public func joinParty(
    _ request: Moyeo_V1_JoinPartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.Join.descriptor,
      .post("parties", request.id, "join"), overHTTP: rest, idempotencyKey: idempotencyKey)
  }

  /// Lets a rider in who asked the host.
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
  public func leaveParty(
    _ request: Moyeo_V1_LeavePartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.Leave.descriptor,
      .post("parties", request.id, "leave"), overHTTP: rest, idempotencyKey: idempotencyKey)
  }

  /// Changes a party's departure time, window or seats, on behalf of its host.
  public func updateParty(
    _ request: Moyeo_V1_UpdatePartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.Update.descriptor,
      .post("parties", request.id, "update"), overHTTP: rest, idempotencyKey: idempotencyKey)
  }

  /// Tells the service that a party sets off, on behalf of its host.
  public func departParty(
    _ request: Moyeo_V1_DepartPartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.Depart.descriptor,
      .post("parties", request.id, "depart"), overHTTP: rest, idempotencyKey: idempotencyKey)
  }

  /// Takes another rider out of a party, for the reason `no_show` or `host`.
  public func removeRider(
    _ request: Moyeo_V1_RemoveRiderRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    rest.clearRiderID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.RemoveRider.descriptor,
      .post("parties", request.id, "riders", request.riderID, "remove"), overHTTP: rest,
      idempotencyKey: idempotencyKey)
  }

  /// Reports who paid the taxi and how much, tolls included, in minor units of the currency.
  public func settleParty(
    _ request: Moyeo_V1_SettlePartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.Settle.descriptor,
      .post("parties", request.id, "settle"), overHTTP: rest, idempotencyKey: idempotencyKey)
  }

  /// Calls a party off, on behalf of its host or of a service that names nobody.
  public func cancelParty(
    _ request: Moyeo_V1_CancelPartyRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_PartyResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_PartyService.Method.Cancel.descriptor,
      .post("parties", request.id, "cancel"), overHTTP: rest, idempotencyKey: idempotencyKey)
  }
}

extension MoyeoClient {
  /// What happens to a party, until the task is cancelled, `onEvent` throws or the service goes
  /// down. Heartbeats are left out.
  public func watchParty(
    _ request: Moyeo_V1_WatchPartyRequest,
    onEvent: @Sendable @escaping (Moyeo_V1_Event) async throws -> Void
  ) async throws(MoyeoError) {
    let onlyEvents = Self.withoutHeartbeats(onEvent)
    switch transport {
    case .grpc(let grpc):
      try await grpc.events(
        request, Moyeo_V1_PartyService.Method.Watch.descriptor, onEvent: onlyEvents)
    case .http(let http):
      var rest = request
      rest.clearID()
      let path = HTTPRoute.get("parties", request.id, "events").path + (try Self.query(rest))
      try await http.events(path, lastEventID: nil, onEvent: onlyEvents)
    }
  }

  /// The tenant's durable events, likewise.
  public func watchEvents(
    _ request: Moyeo_V1_WatchEventsRequest,
    onEvent: @Sendable @escaping (Moyeo_V1_Event) async throws -> Void
  ) async throws(MoyeoError) {
    let onlyEvents = Self.withoutHeartbeats(onEvent)
    switch transport {
    case .grpc(let grpc):
      try await grpc.events(
        request, Moyeo_V1_EventService.Method.Watch.descriptor, onEvent: onlyEvents)
    case .http(let http):
      try await http.events(
        HTTPRoute.get("events").path + (try Self.query(request)), lastEventID: nil,
        onEvent: onlyEvents)
    }
  }

  /// Durable events after a sequence; waits for a first one as long as the request says.
  public func listEvents(_ request: Moyeo_V1_ListEventsRequest) async throws(MoyeoError)
    -> Moyeo_V1_ListEventsResponse
  {
    try await unary(request, Moyeo_V1_EventService.Method.List.descriptor, .get("events"))
  }

  static func withoutHeartbeats(
    _ onEvent: @Sendable @escaping (Moyeo_V1_Event) async throws -> Void
  ) -> @Sendable (Moyeo_V1_Event) async throws -> Void {
    { event in if event.kind != "heartbeat" { try await onEvent(event) } }
  }

  static func query(_ request: some Message) throws(MoyeoError) -> String {
    do { return try HTTPRoute.query(request) } catch {
      throw .refused(
        Refusal(
          code: "INVALID_ARGUMENT", reason: "malformed_request",
          message: "the request has no query: \(error)"))
    }
  }
}
