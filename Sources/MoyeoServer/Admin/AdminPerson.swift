import DurableCommands
import MoyeoAPI
import ObjectModel
import Parties
import PeerMatching
import RideMatching
import SwiftProtobuf
import Tickets
import WireFormat

/// A person's parties, ticket and what happened to them, as JSON.
///
/// The events are looked through from the newest backwards by a fixed number, whoever they are of: the
/// record finds them by sequence, not by person. `next` is where to go on with `after`.
struct AdminPerson: Sendable {
  let id: String
  /// Nil: the newest ones.
  let after: UInt64?
  let room: TenantRoom

  /// Events that one call looks at.
  static let eventsLookedAt = 10_000

  /// - Returns: The person as a JSON object.
  /// - Throws: `unknown_object` for somebody of whom there is nothing; what parties and events refuse.
  func json() async throws -> [UInt8] {
    let parts = room.parts
    guard let parties = parts.parties else {
      throw APIError(.unavailable, "this daemon keeps no parties and tickets")
    }
    let page: PartyPage
    do throws(PartyServiceError) {
      page = try await parties.list(PartyListQuery(person: .rider(id), limit: nil))
    } catch { throw APIError(error) }
    let ticket = try? parts.tickets?.peek(id)
    let conduct = parts.tickets?.conduct(of: id)
    let found = try await events(of: Set(page.parties.map(\.id)), parties)
    guard !page.parties.isEmpty || ticket != nil || conduct != nil || !found.events.isEmpty else {
      throw APIError(.unknownObject, field: "id", "nothing is known of \(quoted(id))")
    }
    let message = PartyMessage(catalog: parties.rules.pricing.catalog)
    let shown = try page.parties.map { try Self.json(message.party($0)) }
    let state = try ticket.map { try Self.json(TicketMessage.response($0).ticket) }
    let told = try found.events.map { try Self.json(Moyeo_V1_Event($0, isOfParty: false)) }
    return JSONWriter.object { json in
      json.string("id", id)
      json.raw("parties", Self.list(shown))
      json.bool("moreParties", page.nextCursor != nil)
      if let state { json.raw("ticket", state) }
      if let conduct {
        json.object("conduct") { json in
          if let until = conduct.bannedUntil { json.string("bannedUntil", RFC3339.utc(until)) }
          if let until = conduct.penaltyUntil { json.string("penaltyUntil", RFC3339.utc(until)) }
          json.integer("reports", Int64(conduct.reports.count))
          json.integer("dodges", Int64(conduct.dodges.count))
        }
      }
      json.raw("events", Self.list(told))
      json.string("next", String(found.next))
    }
  }

  private func events(
    of partyIDs: Set<String>, _ parties: PartyService
  ) async throws -> (events: [StoredEvent], next: UInt64) {
    let bounds = parties.eventBounds
    let newest = bounds.newest
    let lookedAt = UInt64(Self.eventsLookedAt)
    var next = after ?? max(max(1, bounds.oldest) - 1, newest > lookedAt ? newest - lookedAt : 0)
    let atOnce = parties.configuration.searchLimit
    var out: [StoredEvent] = []
    for _ in 0..<Self.eventsLookedAt / atOnce where next < newest || after != nil {
      let page: EventPage
      do throws(PartyServiceError) {
        page = try await parties.events(after: next, limit: atOnce)
      } catch { throw APIError(error) }
      out += page.events.filter {
        $0.userIDs.contains(id) || $0.aggregateID == id || partyIDs.contains($0.aggregateID)
      }
      guard page.next > next else { break }
      next = page.next
      if page.events.isEmpty { break }
    }
    return (out, next)
  }

  private static func json<Value: Message>(_ message: Value) throws -> [UInt8] {
    try JSONTranscoder(Value.self).json(try encodedWithSortedKeys(message))
  }

  private static func list(_ items: [[UInt8]]) -> [UInt8] {
    var out: [UInt8] = [UInt8(ascii: "[")]
    for (i, item) in items.enumerated() {
      if i > 0 { out.append(UInt8(ascii: ",")) }
      out += item
    }
    out.append(UInt8(ascii: "]"))
    return out
  }
}
