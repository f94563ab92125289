import DurableCommands
import Identity
import LiveLayers
import MoyeoAPI
import ObjectModel
import Parties
import PeerMatching
import RideMatching
import Tickets
import WireFormat

/// What an operator does to a person, a party or a commute. It is committed as every command is, with an event
/// that says who did it and why; where things are so already, nothing happens.
struct AdminCommand: Sendable {
  let call: AdminCall
  let asked: AdminRequest
  let caller: Caller
  let room: TenantRoom

  static let maximumReasonBytes = 500
  /// Ten years.
  static let longestBan: Int64 = 3_653 * 86_400_000
  /// As for the commands of people.
  private static let commandMilliseconds: Int64 = 5000

  private var now: Instant { room.parts.layers.clock.now() }

  /// - Returns: The ticket, the party or the commute after it, as JSON.
  /// - Throws: What the request has wrong, and what the commands refuse.
  func carryOut() async throws -> [UInt8] {
    let id = try checkedID()
    let reason = try checkedReason()
    func note(_ action: OperatorNote.Action) -> OperatorNote {
      OperatorNote(action, actor: actor, reason: reason)
    }
    switch call {
    case .ban:
      return try await ticket(.ban(userID: id, until: try until()), note(.banned))
    case .unban: return try await ticket(.unban(userID: id), note(.unbanned))
    case .clearPenalty:
      return try await ticket(.clearPenalty(userID: id), note(.penaltyCleared))
    case .closeTicket: return try await ticket(.shut(userID: id), note(.ticketClosed))
    case .cancelParty: return try await cancelParty(id, note(.partyCancelled))
    case .closeCommute: return try await closeCommute(id, note(.commuteClosed))
    case .erase: return try await erase(id, reason: reason, actor: actor)
    default: throw APIError(.internalError, "this call is no command")
    }
  }

  /// Who acts, for the record: in open mode nobody is asked.
  private var actor: String {
    if caller.role == .open { return "open mode" }
    return caller.subject ?? caller.keyID.map { "API key \($0)" } ?? "an API key"
  }

  private func checkedID() throws(APIError) -> String {
    let id = asked.path["id"] ?? ""
    guard (1...room.parts.layers.limits.idBytes).contains(id.utf8.count) else {
      throw APIError(
        .badID, field: "id", "an id has 1 to \(room.parts.layers.limits.idBytes) bytes")
    }
    return id
  }

  private func checkedReason() throws(APIError) -> String {
    guard let reason = asked.body["reason"] else {
      throw APIError(.missingField, field: "reason", "reason is missing: the record keeps it")
    }
    guard reason.contains(where: { !$0.isWhitespace }),
      reason.utf8.count <= Self.maximumReasonBytes
    else {
      throw APIError(
        .badValue, field: "reason", "reason has 1 to \(Self.maximumReasonBytes) bytes")
    }
    return reason
  }

  private func until() throws(APIError) -> Instant {
    guard let text = asked.body["until"] else {
      throw APIError(.missingField, field: "until", "until is missing: when the ban ends")
    }
    guard let moment = RFC3339.parse(text) else {
      throw APIError(.badTime, field: "until", "until is a moment such as 2026-12-01T00:00:00Z")
    }
    let now = now
    guard moment > now, moment <= now.advanced(milliseconds: Self.longestBan) else {
      throw APIError(
        .badTime, field: "until", "a ban ends after now, and within ten years")
    }
    return moment
  }

  func context() -> CommandContext {
    let names = asked.path["id"] ?? ""
    var out = CommandContext(
      caller: "admin:" + caller.name, method: call.route.method,
      path: call.route.template.replacing("{id}", with: names),
      idempotencyKey: asked.idempotencyKey,
      deadline: now.advanced(milliseconds: Self.commandMilliseconds))
    let content = asked.body.sorted { $0.key < $1.key }
      .map { "\($0.key.utf8.count):\($0.key)\($0.value.utf8.count):\($0.value)" }.joined()
    out.requestHash = CommandContext.requestHash(Array(content.utf8))
    return out
  }

  private func ticket(_ command: TicketCommand, _ note: OperatorNote) async throws -> [UInt8] {
    guard let tickets = room.parts.tickets else {
      throw APIError(.unavailable, "this daemon keeps no tickets")
    }
    do throws(TicketServiceError) {
      let answer = try await tickets.carryOut(command, context(), note: note)
      let conduct = answer.ticket.conduct
      return JSONWriter.object { json in
        json.string("userId", command.userID)
        json.string("state", answer.ticket.state.rawValue)
        json.string("version", String(answer.ticket.version))
        if let until = conduct.bannedUntil { json.string("bannedUntil", RFC3339.utc(until)) }
        if let until = conduct.penaltyUntil { json.string("penaltyUntil", RFC3339.utc(until)) }
      }
    } catch {
      throw APIError(error, now: now)
    }
  }

  private func closeCommute(_ id: String, _ note: OperatorNote) async throws -> [UInt8] {
    try await ofRides { parties throws(PartyServiceError) in
      let commute = try await parties.closeCommute(
        id, by: note, includesAppeared: asked.body["includeAppeared"] == "true", context())
      return (commute.id, commute.state.rawValue, commute.version)
    }
  }

  private func cancelParty(_ id: String, _ note: OperatorNote) async throws -> [UInt8] {
    try await ofRides { parties throws(PartyServiceError) in
      let party = try await parties.cancel(partyID: id, by: note, context()).party
      return (party.id, party.state.rawValue, party.version)
    }
  }

  private func ofRides(
    _ change: (PartyService) async throws(PartyServiceError) -> (
      id: String, state: String, version: UInt64
    )
  ) async throws -> [UInt8] {
    guard let parties = room.parts.parties else {
      throw APIError(.unavailable, "this daemon keeps no parties")
    }
    do throws(PartyServiceError) {
      let after = try await change(parties)
      return JSONWriter.object { json in
        json.string("id", after.id)
        json.string("state", after.state)
        json.string("version", String(after.version))
      }
    } catch {
      throw APIError(error)
    }
  }
}
