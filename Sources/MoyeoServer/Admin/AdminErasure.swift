import DurableCommands
import LiveLayers
import MoyeoAPI
import ObjectModel
import Parties
import Tickets
import WireFormat

/// What there was of a person who was erased.
package struct ErasureReport: Hashable, Sendable {
  /// What stands in the place of their id.
  package var pseudonym: String
  package var positions = 0
  package var parties = 0
  /// Their own, and those of others that named them.
  package var tickets = 0
  package var requests = 0
  package var events = 0
  package var replies = 0
  package var letters = 0

  package init(pseudonym: String) { self.pseudonym = pseudonym }

  /// Counts aggregates by the words of their kinds.
  package mutating func count(_ kinds: [String]) {
    for kind in kinds {
      switch kind {
      case "party": parties += 1
      case "ticket": tickets += 1
      default: requests += 1
      }
    }
  }

  var isEmpty: Bool {
    positions + parties + tickets + requests + events + replies + letters == 0
  }
}

extension AdminCommand {
  /// Erases a person. Nobody there: nothing happens but that backups will not bring them back.
  ///
  /// - Returns: What there was, without the id.
  /// - Throws: `bad_value` for a reason that names the person; `unavailable` where it has to be called
  ///   again.
  func erase(_ id: String, reason: String, actor: String) async throws -> [UInt8] {
    guard !reason.contains(id) else {
      throw APIError(
        .badValue, field: "reason", "the record keeps the reason: it does not name the person")
    }
    guard let erase = room.parts.erase else {
      throw APIError(.unavailable, "this daemon keeps nothing of people")
    }
    let report: ErasureReport
    do {
      report = try await erase(id)
      if !report.isEmpty {
        try await room.parts.parties?.tell(
          OperatorNote(.erased, actor: actor == id ? "the person" : actor, reason: reason),
          of: report.pseudonym, context())
      }
    } catch let failure as StoreFailure {
      throw APIError(
        .unavailable, "not erased in whole (\(failure.reason)): call it again",
        retryAfterMilliseconds: 1000)
    } catch let error as PartyServiceError {
      throw APIError(error)
    } catch let error as TicketServiceError {
      throw APIError(error, now: room.parts.layers.clock.now())
    }
    return JSONWriter.object { json in
      json.bool("erased", !report.isEmpty)
      json.integer("positions", Int64(report.positions))
      json.integer("parties", Int64(report.parties))
      json.integer("tickets", Int64(report.tickets))
      json.integer("requests", Int64(report.requests))
      json.integer("events", Int64(report.events))
      json.integer("replies", Int64(report.replies))
      json.integer("letters", Int64(report.letters))
    }
  }
}
