import DurableCommands
import ObjectModel
import PeerMatching
import WireFormat

/// What a ticket's event says, as a JSON object: the names of the API's Ticket where it has them.
enum TicketEventBody {
  private static let prefix = "ticket."
  /// Those that the ticket's person hears of.
  static let personKinds: Set<String> = [
    "ticket.opened", "ticket.updated", "ticket.closed", "ticket.expired", "ticket.proposed",
    "ticket.asked", "ticket.withdrawn", "ticket.declined", "ticket.matched", "ticket.dodged",
    "ticket.penalised", "ticket.banned", "ticket.pardoned", "ticket.blocked", "ticket.unblocked",
  ]

  /// - Returns: The event as the feed keeps it.
  static func stored(
    _ event: TicketEvent, _ ticket: Ticket, tenant: String
  ) -> StoredEvent {
    StoredEvent(
      tenant: tenant, kind: prefix + event.kind, at: event.at,
      aggregateID: event.userID, matchID: event.matchID,
      userIDs: event.isForPerson ? [event.userID] : [], version: event.version,
      body: bytes(event, ticket))
  }

  private static func bytes(_ event: TicketEvent, _ ticket: Ticket) -> [UInt8] {
    JSONWriter.object { json in
      json.string("userId", event.userID)
      if let other = event.otherID { json.string("otherId", other) }
      json.string("state", ticket.state.rawValue)
      switch event.detail {
      case .opened, .updated:
        json.strings("tags", ticket.tags)
        json.string("expiresAt", RFC3339.utc(ticket.expiresAt))
      case .closed(let reason): json.string("reason", reason.rawValue)
      case .withdrawn(let byClock): json.string("reason", byClock ? "expired" : "withdrawn")
      case .dodged(let by): json.string("dodgedBy", by)
      case .rated(let stars): if let stars { json.integer("stars", Int64(stars)) }
      case .reported(let count): json.integer("reports", Int64(count))
      case .penalised(let until), .banned(let until): json.string("until", RFC3339.utc(until))
      case .expired, .proposed, .asked, .declined, .matched, .pardoned, .blocked, .unblocked:
        break
      }
    }
  }
}
