import GeoMath
import ObjectModel
package import PeerMatching
import PositionProtection
package import WireFormat

/// A ticket as bytes, as the store keeps it.
///
/// Fields by number, see the code; numbers are never used anew. ``version`` changes only when an
/// older daemon could no longer make sense of a record; new fields alone do not change it.
package enum TicketRecord {
  /// Of the layout.
  package static let version: UInt64 = 1

  /// Encodes all that a store must keep of a ticket.
  package static func encode(_ ticket: Ticket) -> [UInt8] {
    var out = ProtobufWriter(capacity: 384)
    out.varint(1, version)
    out.string(2, ticket.userID)
    out.varint(3, ticket.version)
    out.varint(4, number(of: ticket.state))
    out.signed(5, ticket.stateSince.milliseconds)
    out.varint(6, ticket.opening)
    if let here = ticket.here { out.message(7) { write(here, to: &$0) } }
    if let cell = ticket.cell {
      out.message(8) {
        $0.signed(1, Int64(cell.level))
        $0.signed(2, Int64(cell.row))
        $0.signed(3, Int64(cell.column))
      }
    }
    if let place = ticket.lookingAt { out.message(9) { write(place, to: &$0) } }
    for tag in ticket.tags { out.string(10, tag) }
    for (name, value) in ticket.attributes.sorted(by: { $0.key < $1.key }) {
      out.message(11) {
        $0.string(1, name)
        $0.string(2, value)
      }
    }
    for wish in ticket.wanted {
      out.message(12) {
        $0.string(1, wish.name)
        for value in wish.values { $0.string(2, value) }
      }
    }
    out.signed(13, ticket.expiresAt.milliseconds)
    for proposal in ticket.proposalsFrom { out.message(14) { write(proposal, to: &$0) } }
    for proposal in ticket.proposalsTo { out.message(15) { write(proposal, to: &$0) } }
    for proposal in ticket.declined { out.message(16) { write(proposal, to: &$0) } }
    if let match = ticket.match { out.message(17) { write(match, to: &$0) } }
    if let match = ticket.lastMatch { out.message(18) { write(match, to: &$0) } }
    if let dodger = ticket.dodgedBy { out.string(19, dodger) }
    if ticket.reviewed { out.varint(20, 1) }
    if ticket.conduct != Conduct() { out.message(21) { write(ticket.conduct, to: &$0) } }
    if ticket.rating != Rating() { out.message(22) { write(ticket.rating, to: &$0) } }
    for id in ticket.blocked { out.string(23, id) }
    return out.bytes
  }

  private static func write(_ place: Coordinate, to out: inout ProtobufWriter) {
    out.double(1, place.latitude)
    out.double(2, place.longitude)
  }

  private static func write(_ proposal: Proposal, to out: inout ProtobufWriter) {
    out.string(1, proposal.userID)
    out.varint(2, proposal.opening)
    out.signed(3, proposal.at.milliseconds)
    if let end = proposal.expiresAt { out.signed(4, end.milliseconds) }
  }

  private static func write(_ match: TicketMatch, to out: inout ProtobufWriter) {
    out.string(1, match.id)
    out.string(2, match.userID)
    out.signed(3, match.at.milliseconds)
  }

  private static func write(_ conduct: Conduct, to out: inout ProtobufWriter) {
    for dodge in conduct.dodges { out.signed(1, dodge.milliseconds) }
    for report in conduct.reports {
      out.message(2) {
        $0.string(1, report.reporterID)
        $0.signed(2, report.at.milliseconds)
      }
    }
    if let until = conduct.penaltyUntil { out.signed(3, until.milliseconds) }
    if let until = conduct.bannedUntil { out.signed(4, until.milliseconds) }
    if conduct.isBannedByOperator { out.varint(5, 1) }
  }

  private static func write(_ rating: Rating, to out: inout ProtobufWriter) {
    out.varint(1, UInt64(max(0, rating.count)))
    out.varint(2, UInt64(max(0, rating.stars)))
    for count in rating.reputation { out.varint(3, UInt64(max(0, count))) }
    for comment in rating.comments { out.string(4, comment) }
  }

  private static func number(of state: Ticket.State) -> UInt64 {
    switch state {
    case .open: 1
    case .matched: 2
    case .closed: 3
    case .expired: 4
    }
  }

  private static func state(_ number: UInt64) -> Ticket.State? {
    switch number {
    case 1: .open
    case 2: .matched
    case 3: .closed
    case 4: .expired
    default: nil
    }
  }

  // MARK: Reading

  /// - Throws: ``WireFormatError``, also for a record of a later layout.
  package static func decode(_ bytes: [UInt8]) throws(WireFormatError) -> Ticket {
    try bytes.withProtobufReader { reader throws(WireFormatError) in
      var ticket: Ticket?
      while let field = try reader.next() {
        switch field.number {
        case 1:
          let version = try field.unsigned()
          if version > Self.version { throw .tooNew(version: version) }
        case 2: ticket = Ticket(userID: try field.string())
        default:
          guard ticket != nil else { throw .missing(field: "userId") }
          try take(field, into: &ticket!)
        }
      }
      guard let ticket, !ticket.userID.isEmpty else { throw .missing(field: "userId") }
      return ticket
    }
  }

  private static func take(
    _ field: ProtobufReader.Field, into ticket: inout Ticket
  ) throws(WireFormatError) {
    switch field.number {
    case 3: ticket.version = try field.unsigned()
    case 4:
      guard let state = state(try field.unsigned()) else { throw .missing(field: "state") }
      ticket.state = state
    case 5: ticket.stateSince = Instant(milliseconds: try field.signed())
    case 6: ticket.opening = try field.unsigned()
    case 7: ticket.here = try place(try field.reader())
    case 8: ticket.cell = try cell(try field.reader())
    case 9: ticket.lookingAt = try place(try field.reader())
    case 10: ticket.tags.append(try field.string())
    case 11:
      let (name, values) = try words(try field.reader())
      ticket.attributes[name] = values.first ?? ""
    case 12:
      let (name, values) = try words(try field.reader())
      ticket.wanted.append(WantedAttribute(name: name, values: values))
    case 13: ticket.expiresAt = Instant(milliseconds: try field.signed())
    case 14: ticket.proposalsFrom.append(try proposal(try field.reader()))
    case 15: ticket.proposalsTo.append(try proposal(try field.reader()))
    case 16: ticket.declined.append(try proposal(try field.reader()))
    case 17: ticket.match = try match(try field.reader())
    case 18: ticket.lastMatch = try match(try field.reader())
    case 19: ticket.dodgedBy = try field.string()
    case 20: ticket.reviewed = try field.unsigned() != 0
    case 21: ticket.conduct = try conduct(try field.reader())
    case 22: ticket.rating = try rating(try field.reader())
    case 23: ticket.blocked.append(try field.string())
    default: break
    }
  }

  private static func place(_ input: ProtobufReader) throws(WireFormatError) -> Coordinate {
    var reader = input
    var latitude = 0.0
    var longitude = 0.0
    while let field = try reader.next() {
      switch field.number {
      case 1: latitude = try field.double()
      case 2: longitude = try field.double()
      default: break
      }
    }
    guard let place = try? Coordinate(latitude: latitude, longitude: longitude) else {
      throw .missing(field: "place")
    }
    return place
  }

  private static func cell(_ input: ProtobufReader) throws(WireFormatError) -> ProtectedCell {
    var reader = input
    var cell = ProtectedCell(level: 0, row: 0, column: 0)
    while let field = try reader.next() {
      switch field.number {
      case 1: cell.level = Int(clamping: try field.signed())
      case 2: cell.row = Int(clamping: try field.signed())
      case 3: cell.column = Int(clamping: try field.signed())
      default: break
      }
    }
    return cell
  }

  private static func words(
    _ input: ProtobufReader
  ) throws(WireFormatError) -> (name: String, values: [String]) {
    var reader = input
    var name = ""
    var values: [String] = []
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try field.string()
      case 2: values.append(try field.string())
      default: break
      }
    }
    return (name, values)
  }

  private static func proposal(_ input: ProtobufReader) throws(WireFormatError) -> Proposal {
    var reader = input
    var proposal = Proposal(userID: "", opening: 0, at: Instant(milliseconds: 0))
    while let field = try reader.next() {
      switch field.number {
      case 1: proposal.userID = try field.string()
      case 2: proposal.opening = try field.unsigned()
      case 3: proposal.at = Instant(milliseconds: try field.signed())
      case 4: proposal.expiresAt = Instant(milliseconds: try field.signed())
      default: break
      }
    }
    return proposal
  }

  private static func match(_ input: ProtobufReader) throws(WireFormatError) -> TicketMatch {
    var reader = input
    var match = TicketMatch(id: "", userID: "", at: Instant(milliseconds: 0))
    while let field = try reader.next() {
      switch field.number {
      case 1: match.id = try field.string()
      case 2: match.userID = try field.string()
      case 3: match.at = Instant(milliseconds: try field.signed())
      default: break
      }
    }
    return match
  }

  private static func conduct(_ input: ProtobufReader) throws(WireFormatError) -> Conduct {
    var reader = input
    var conduct = Conduct()
    while let field = try reader.next() {
      switch field.number {
      case 1: conduct.dodges.append(Instant(milliseconds: try field.signed()))
      case 2: conduct.reports.append(try report(try field.reader()))
      case 3: conduct.penaltyUntil = Instant(milliseconds: try field.signed())
      case 4: conduct.bannedUntil = Instant(milliseconds: try field.signed())
      case 5: conduct.isBannedByOperator = try field.unsigned() != 0
      default: break
      }
    }
    return conduct
  }

  private static func report(_ input: ProtobufReader) throws(WireFormatError) -> Conduct.Report {
    var reader = input
    var report = Conduct.Report(reporterID: "", at: Instant(milliseconds: 0))
    while let field = try reader.next() {
      switch field.number {
      case 1: report.reporterID = try field.string()
      case 2: report.at = Instant(milliseconds: try field.signed())
      default: break
      }
    }
    return report
  }

  private static func rating(_ input: ProtobufReader) throws(WireFormatError) -> Rating {
    var reader = input
    var rating = Rating()
    while let field = try reader.next() {
      switch field.number {
      case 1: rating.count = try field.int()
      case 2: rating.stars = try field.int()
      case 3: rating.reputation.append(try field.int())
      case 4: rating.comments.append(try field.string())
      default: break
      }
    }
    return rating
  }
}
