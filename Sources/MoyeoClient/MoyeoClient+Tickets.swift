import GRPCCore
public import MoyeoAPI
import SwiftProtobuf

/// Calls on tickets. Commands take an idempotency key, as those of parties do.
extension MoyeoClient {
  /// Begins to wait, or changes what one waits for.
  ///
  /// - Throws: ``MoyeoError``: `already_matched`, `banned`, or what the ticket's fields are
  ///   refused for, such as `attribute_required`.
  public func openTicket(
    _ request: Moyeo_V1_OpenTicketRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_TicketResponse {
    try await unary(
      request, Moyeo_V1_TicketService.Method.Open.descriptor, .post("tickets"),
      effect: .keyed, idempotencyKey: idempotencyKey)
  }

  /// Ends a waiting, or a match for both.
  ///
  /// - Throws: ``MoyeoError``: `unknown_ticket`.
  public func closeTicket(
    _ request: Moyeo_V1_CloseTicketRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_TicketResponse {
    try await unary(
      request, Moyeo_V1_TicketService.Method.Close.descriptor,
      .delete("tickets", request.userID), overHTTP: Moyeo_V1_CloseTicketRequest(),
      effect: .keyed, idempotencyKey: idempotencyKey)
  }

  /// A ticket as it is; with `afterVersion` and `waitSeconds`, once it has changed.
  ///
  /// - Throws: ``MoyeoError``: `unknown_ticket`.
  public func ticket(_ request: Moyeo_V1_GetTicketRequest) async throws(MoyeoError)
    -> Moyeo_V1_TicketResponse
  {
    var rest = request
    rest.clearUserID()
    return try await unary(
      request, Moyeo_V1_TicketService.Method.Get.descriptor, .get("tickets", request.userID),
      overHTTP: rest, patience: Self.patience(request.waitSeconds))
  }

  /// Says that a person is there.
  ///
  /// - Throws: ``MoyeoError``: `unknown_ticket`.
  public func heartbeatTicket(_ request: Moyeo_V1_HeartbeatTicketRequest)
    async throws(MoyeoError) -> Moyeo_V1_TicketResponse
  {
    try await unary(
      request, Moyeo_V1_TicketService.Method.Heartbeat.descriptor,
      .post("tickets", request.userID, "heartbeat"),
      overHTTP: Moyeo_V1_HeartbeatTicketRequest(), effect: .set)
  }

  /// Who is around, and who asked.
  ///
  /// - Throws: ``MoyeoError``: `bad_cursor` or `too_much_work`.
  public func searchTickets(_ request: Moyeo_V1_SearchTicketsRequest) async throws(MoyeoError)
    -> Moyeo_V1_SearchTicketsResponse
  {
    try await unary(
      request, Moyeo_V1_TicketService.Method.Search.descriptor, .post("tickets", "search"))
  }

  /// Asks somebody to meet; a match if they asked already.
  ///
  /// - Throws: ``MoyeoError``: `unknown_ticket`, `not_waiting`, `not_wanted`, `other_gone` or
  ///   `other_matched`.
  public func propose(
    _ request: Moyeo_V1_ProposeRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_TicketResponse {
    var rest = request
    rest.clearUserID()
    return try await unary(
      request, Moyeo_V1_TicketService.Method.Propose.descriptor,
      .post("tickets", request.userID, "propose"), overHTTP: rest,
      effect: .keyed, idempotencyKey: idempotencyKey)
  }

  /// Rates the one met, or met last.
  ///
  /// - Throws: ``MoyeoError``: `not_matched` or `already_rated`.
  public func rateUser(
    _ request: Moyeo_V1_RateUserRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_TicketResponse {
    var rest = request
    rest.clearUserID()
    return try await unary(
      request, Moyeo_V1_TicketService.Method.Rate.descriptor,
      .post("tickets", request.userID, "rate"), overHTTP: rest, effect: .keyed,
      idempotencyKey: idempotencyKey)
  }

  /// What one person does about another.
  public enum TicketVerb: String, Hashable, Sendable, CaseIterable {
    case withdraw, accept, decline, dodge, report, block, unblock
  }

  /// Does something about another person.
  ///
  /// - Throws: ``MoyeoError``: `unknown_ticket`, `not_asked` or `proposal_expired`.
  public func changeTicket(
    _ verb: TicketVerb, _ request: Moyeo_V1_OtherUserRequest, idempotencyKey: String? = nil
  ) async throws(MoyeoError) -> Moyeo_V1_TicketResponse {
    var rest = request
    rest.clearUserID()
    let method =
      switch verb {
      case .withdraw: Moyeo_V1_TicketService.Method.Withdraw.descriptor
      case .accept: Moyeo_V1_TicketService.Method.Accept.descriptor
      case .decline: Moyeo_V1_TicketService.Method.Decline.descriptor
      case .dodge: Moyeo_V1_TicketService.Method.Dodge.descriptor
      case .report: Moyeo_V1_TicketService.Method.ReportUser.descriptor
      case .block: Moyeo_V1_TicketService.Method.Block.descriptor
      case .unblock: Moyeo_V1_TicketService.Method.Unblock.descriptor
      }
    return try await unary(
      request, method, .post("tickets", request.userID, verb.rawValue), overHTTP: rest,
      effect: .keyed, idempotencyKey: idempotencyKey)
  }
}
