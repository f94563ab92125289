import ObjectModel
import RideMatching
import WireFormat

/// An offer as it stands in the records of its requests. Of the other riders it names the requests
/// alone, so that a person who is erased is in no record but their own.
extension PartyRecord {
  static func write(_ offer: RideOffer, to out: inout ProtobufWriter) {
    out.string(1, offer.id)
    out.varint(2, offer.version)
    out.varint(3, number(offer.state))
    out.signed(4, offer.createdAt.milliseconds)
    out.signed(5, offer.expiresAt.milliseconds)
    if let ended = offer.endedAt { out.signed(6, ended.milliseconds) }
    if let reason = offer.endReason { out.string(7, reason) }
    out.signed(8, offer.window.time.milliseconds)
    out.signed(9, offer.window.toleranceMilliseconds)
    out.message(10) { write(offer.origin, to: &$0) }
    out.signed(11, offer.fare)
    out.string(12, offer.currency)
    for member in offer.members { out.message(13) { write(member, to: &$0) } }
    if let party = offer.partyID { out.string(14, party) }
  }

  private static func write(_ member: RideOffer.Member, to out: inout ProtobufWriter) {
    out.string(1, member.requestID)
    out.signed(2, member.share)
    out.signed(3, member.soloFare)
    out.double(4, member.walkMeters)
    out.double(5, member.rideSeconds)
    out.double(6, member.detourSeconds)
    if let place = member.boarding { out.message(7) { write(place, to: &$0) } }
    out.varint(8, number(member.answer))
  }

  static func offer(_ reader: ProtobufReader) throws(WireFormatError) -> RideOffer {
    var reader = reader
    var parts = OfferParts()
    while let field = try reader.next() { try parts.take(field) }
    return try parts.made()
  }

  fileprivate static func member(
    _ reader: ProtobufReader
  ) throws(WireFormatError) -> RideOffer.Member {
    var reader = reader
    var member = RideOffer.Member(
      requestID: "", share: 0, soloFare: 0, walkMeters: 0, rideSeconds: 0, detourSeconds: 0)
    while let field = try reader.next() {
      switch field.number {
      case 1: member.requestID = try field.string()
      case 2: member.share = try field.signed()
      case 3: member.soloFare = try field.signed()
      case 4: member.walkMeters = try field.double()
      case 5: member.rideSeconds = try field.double()
      case 6: member.detourSeconds = try field.double()
      case 7: member.boarding = try place(try field.reader())
      case 8:
        guard let answer = answer(try field.unsigned()) else {
          throw .missing(field: "offer.answer")
        }
        member.answer = answer
      default: break
      }
    }
    return member
  }

  private static func number(_ state: RideOffer.State) -> UInt64 {
    switch state {
    case .open: 1
    case .confirmed: 2
    case .declined: 3
    case .expired: 4
    case .withdrawn: 5
    }
  }

  fileprivate static func offerState(_ number: UInt64) -> RideOffer.State? {
    RideOffer.State.allCases.first { self.number($0) == number }
  }

  private static func number(_ answer: RideOffer.Answer) -> UInt64 {
    switch answer {
    case .pending: 1
    case .accepted: 2
    case .declined: 3
    }
  }

  private static func answer(_ number: UInt64) -> RideOffer.Answer? {
    RideOffer.Answer.allCases.first { self.number($0) == number }
  }
}

private struct OfferParts {
  var id = ""
  var version: UInt64 = 0
  var state: RideOffer.State?
  var createdAt = Instant(milliseconds: 0)
  var expiresAt = Instant(milliseconds: 0)
  var endedAt: Instant?
  var endReason: String?
  var time = Instant(milliseconds: 0)
  var tolerance: Int64 = 0
  var origin: RidePlace?
  var fare: Int64 = 0
  var currency = ""
  var members: [RideOffer.Member] = []
  var partyID: String?

  mutating func take(_ field: ProtobufReader.Field) throws(WireFormatError) {
    switch field.number {
    case 1: id = try field.string()
    case 2: version = try field.unsigned()
    case 3: state = PartyRecord.offerState(try field.unsigned())
    case 4: createdAt = Instant(milliseconds: try field.signed())
    case 5: expiresAt = Instant(milliseconds: try field.signed())
    case 6: endedAt = Instant(milliseconds: try field.signed())
    case 7: endReason = try field.string()
    case 8: time = Instant(milliseconds: try field.signed())
    case 9: tolerance = try field.signed()
    case 10: origin = try PartyRecord.place(try field.reader())
    case 11: fare = try field.signed()
    case 12: currency = try field.string()
    case 13: members.append(try PartyRecord.member(try field.reader()))
    case 14: partyID = try field.string()
    default: break
    }
  }

  func made() throws(WireFormatError) -> RideOffer {
    guard !id.isEmpty, let state, let origin else { throw .missing(field: "offer") }
    return RideOffer(
      id: id, version: version, state: state, createdAt: createdAt, expiresAt: expiresAt,
      endedAt: endedAt, endReason: endReason,
      window: DepartureWindow(time: time, toleranceMilliseconds: tolerance), origin: origin,
      fare: fare, currency: currency, members: members, partyID: partyID)
  }
}
