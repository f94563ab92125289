import GRPCCore
public import MoyeoAPI
import SwiftProtobuf

/// Calls on commutes. Commands take an idempotency key: sent again with the same one they have the
/// effect once and answer it again.
extension MoyeoClient {
  /// Makes a party, or a request, that repeats; its days appear some time ahead of their departures.
  ///
  /// - Throws: ``MoyeoError``: `bad_weekday`, `bad_local_time`, `bad_time_zone`, `bad_date` or
  ///   `unknown_calendar`, or what a party of such a day would be refused for.
  public func createCommute(
    _ request: Moyeo_V1_CreateCommuteRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_CommuteResponse {
    try await unary(
      request, Moyeo_V1_CommuteService.Method.Create.descriptor, .post("commutes"),
      idempotencyKey: idempotencyKey)
  }

  /// One commute with its next days.
  ///
  /// - Throws: ``MoyeoError``: `unknown_commute`.
  public func commute(_ request: Moyeo_V1_GetCommuteRequest) async throws(MoyeoError)
    -> Moyeo_V1_CommuteResponse
  {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_CommuteService.Method.Get.descriptor, .get("commutes", request.id),
      overHTTP: rest)
  }

  /// The commutes under way of a host or a rider, oldest first.
  ///
  /// - Throws: ``MoyeoError``: `bad_cursor`, or `forbidden` for somebody else's.
  public func listCommutes(_ request: Moyeo_V1_ListCommutesRequest) async throws(MoyeoError)
    -> Moyeo_V1_CommuteListResponse
  {
    try await unary(request, Moyeo_V1_CommuteService.Method.List.descriptor, .get("commutes"))
  }

  /// Changes the days that have not appeared, or with `includeAppeared` those too that nobody joined.
  ///
  /// - Throws: ``MoyeoError``: `unknown_commute`, `commute_cancelled`, `commute_ended`, or what
  ///   the new days are refused for.
  public func updateCommute(
    _ request: Moyeo_V1_UpdateCommuteRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_CommuteResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_CommuteService.Method.Update.descriptor,
      .post("commutes", request.id, "update"), overHTTP: rest, idempotencyKey: idempotencyKey)
  }

  /// Lets no further day appear.
  ///
  /// - Throws: ``MoyeoError``: `unknown_commute` or `commute_ended`.
  public func cancelCommute(
    _ request: Moyeo_V1_CancelCommuteRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_CommuteResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_CommuteService.Method.Cancel.descriptor,
      .post("commutes", request.id, "cancel"), overHTTP: rest, idempotencyKey: idempotencyKey)
  }

  /// Joins each day as it appears, and those that have.
  ///
  /// - Throws: ``MoyeoError``: `unknown_commute`, `commute_cancelled`, `commute_ended`, or what a
  ///   join of one day would be refused for.
  public func joinCommute(
    _ request: Moyeo_V1_JoinCommuteRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_CommuteResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_CommuteService.Method.Join.descriptor,
      .post("commutes", request.id, "join"), overHTTP: rest, idempotencyKey: idempotencyKey)
  }

  /// Joins no further day, and leaves those that have not departed.
  ///
  /// - Throws: ``MoyeoError``: `unknown_commute` or `not_member`.
  public func leaveCommute(
    _ request: Moyeo_V1_LeaveCommuteRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_CommuteResponse {
    var rest = request
    rest.clearID()
    return try await unary(
      request, Moyeo_V1_CommuteService.Method.Leave.descriptor,
      .post("commutes", request.id, "leave"), overHTTP: rest, idempotencyKey: idempotencyKey)
  }
}
