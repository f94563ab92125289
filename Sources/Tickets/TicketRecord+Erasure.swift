import PeerMatching
package import WireFormat

extension TicketRecord {
  /// Somebody's ticket without what they asked of another person, or noted about them. Reports by that
  /// person still count, under another name.
  ///
  /// - Parameters:
  ///   - userID: The other person.
  ///   - pseudonym: Their name from now on.
  ///   - bytes: The record as it is.
  /// - Returns: The record and whose it is; nil when the ticket does not name them.
  /// - Throws: ``WireFormatError``.
  package static func replacing(
    _ userID: String, by pseudonym: String, in bytes: [UInt8]
  ) throws(WireFormatError) -> (bytes: [UInt8], ownerID: String)? {
    let known = try decode(bytes)
    var ticket = known
    ticket.blocked.removeAll { $0 == userID }
    ticket.proposalsFrom.removeAll { $0.userID == userID }
    ticket.proposalsTo.removeAll { $0.userID == userID }
    ticket.declined.removeAll { $0.userID == userID }
    if ticket.match?.userID == userID {
      // Only of a record that was restored: else the match has ended before.
      ticket.lastMatch = ticket.match
      ticket.match = nil
      if ticket.state == .matched { ticket.state = .closed }
    }
    if ticket.lastMatch?.userID == userID { ticket.lastMatch?.userID = pseudonym }
    if ticket.dodgedBy == userID { ticket.dodgedBy = pseudonym }
    for i in ticket.conduct.reports.indices
    where ticket.conduct.reports[i].reporterID == userID {
      ticket.conduct.reports[i].reporterID = pseudonym
    }
    return ticket == known ? nil : (encode(ticket), ticket.userID)
  }

  /// Everybody whom a ticket names.
  ///
  /// - Throws: ``WireFormatError``.
  package static func people(in bytes: [UInt8]) throws(WireFormatError) -> [String] {
    let ticket = try decode(bytes)
    var out = [ticket.userID]
    out += ticket.blocked
    for list in [ticket.proposalsFrom, ticket.proposalsTo, ticket.declined] {
      out += list.map(\.userID)
    }
    for other in [ticket.match?.userID, ticket.lastMatch?.userID, ticket.dodgedBy] {
      if let other { out.append(other) }
    }
    return out + ticket.conduct.reports.map(\.reporterID)
  }
}
