import ObjectModel
import RideMatching
import WireFormat

extension StandingRequest {
  /// As the store keeps it; see ``PartyRecord`` for the layout's rules.
  func encoded() -> [UInt8] {
    var out = ProtobufWriter()
    out.varint(1, PartyRecord.version)
    out.string(2, id)
    out.varint(3, version)
    out.signed(4, createdAt.milliseconds)
    out.string(5, query.riderID)
    out.message(6) { PartyRecord.write(query.originPlace, to: &$0) }
    out.message(7) { PartyRecord.write(query.destination, to: &$0) }
    out.signed(8, query.window.time.milliseconds)
    out.signed(9, query.window.toleranceMilliseconds)
    if let value = query.wishes.maxWalkMeters { out.double(10, value) }
    if let value = query.wishes.maxDetourRatio { out.double(11, value) }
    if let value = query.wishes.minSharedRatio { out.double(12, value) }
    for (name, value) in query.attributes.sorted(by: { $0.key < $1.key }) {
      out.message(13) {
        $0.string(1, name)
        $0.string(2, value)
      }
    }
    out.varint(14, UInt64(max(0, query.seats)))
    for tag in tags { out.string(15, tag) }
    if let most = query.maxShare { out.signed(16, most) }
    for party in found { out.string(17, party) }
    if let weight = query.weight { out.double(19, weight) }
    if let endedAt { out.signed(18, endedAt.milliseconds) }
    if query.allowsOverlap { out.varint(20, 1) }
    if let place = query.boarding { out.message(21) { PartyRecord.write(place, to: &$0) } }
    if let value = query.wishes.maxRideSeconds { out.double(22, value) }
    if let value = query.wishes.maxDetourSeconds { out.double(23, value) }
    if let value = query.wishes.arriveBy { out.signed(24, value.milliseconds) }
    if let commuteID { out.string(40, commuteID) }
    if let offer { out.message(50) { PartyRecord.write(offer, to: &$0) } }
    if refusedOffers > 0 { out.varint(51, UInt64(refusedOffers)) }
    for id in avoids { out.string(52, id) }
    return out.bytes
  }

  /// - Throws: ``WireFormatError``.
  init(record bytes: [UInt8]) throws(WireFormatError) {
    self = try bytes.withProtobufReader { reader throws(WireFormatError) in
      try StandingRequest(reading: &reader)
    }
  }

  init(reading reader: inout ProtobufReader) throws(WireFormatError) {
    var origin: RidePlace?
    var destination: RidePlace?
    var time: Instant?
    var tolerance = DepartureWindow.standardToleranceMilliseconds
    var parts = Parts()
    while let field = try reader.next() {
      switch field.number {
      case 1:
        let version = try field.unsigned()
        if version > PartyRecord.version { throw .tooNew(version: version) }
      case 6: origin = try PartyRecord.place(try field.reader())
      case 7: destination = try PartyRecord.place(try field.reader())
      case 8: time = Instant(milliseconds: try field.signed())
      case 9: tolerance = try field.signed()
      default: try parts.take(field)
      }
    }
    guard !parts.id.isEmpty, let origin, let destination, let time else {
      throw .missing(field: "request")
    }
    self.init(
      id: parts.id, version: parts.version, createdAt: parts.createdAt,
      query: MatchQuery(
        riderID: parts.riderID, origin: origin.coordinate, destination: destination,
        window: DepartureWindow(time: time, toleranceMilliseconds: tolerance),
        now: parts.createdAt, wishes: parts.wishes, seats: parts.seats,
        attributes: parts.attributes, weight: parts.weight, maxShare: parts.maxShare,
        allowsOverlap: parts.allowsOverlap, boarding: parts.boarding),
      tags: parts.tags, found: parts.found, endedAt: parts.endedAt)
    query.originName = origin.name
    commuteID = parts.commuteID
    offer = parts.offer
    refusedOffers = parts.refusedOffers
    avoids = parts.avoids
  }

  private struct Parts {
    var id = ""
    var version: UInt64 = 0
    var createdAt = Instant(milliseconds: 0)
    var riderID = ""
    var wishes = RideWishes.none
    var attributes: [String: String] = [:]
    var seats = 1
    var tags: [String] = []
    var maxShare: Int64?
    var weight: Double?
    var found: [String] = []
    var endedAt: Instant?
    var allowsOverlap = false
    var boarding: RidePlace?
    var commuteID: String?
    var offer: RideOffer?
    var refusedOffers = 0
    var avoids: [String] = []

    mutating func take(_ field: ProtobufReader.Field) throws(WireFormatError) {
      switch field.number {
      case 2: id = try field.string()
      case 3: version = try field.unsigned()
      case 4: createdAt = Instant(milliseconds: try field.signed())
      case 5: riderID = try field.string()
      case 10: wishes.maxWalkMeters = try field.double()
      case 11: wishes.maxDetourRatio = try field.double()
      case 12: wishes.minSharedRatio = try field.double()
      case 13:
        let (name, value) = try PartyRecord.pair(try field.reader())
        attributes[name] = value
      case 14: seats = try field.int()
      case 15: tags.append(try field.string())
      case 16: maxShare = try field.signed()
      case 17: found.append(try field.string())
      case 18: endedAt = Instant(milliseconds: try field.signed())
      case 19: weight = try field.double()
      case 20: allowsOverlap = try field.unsigned() != 0
      case 21: boarding = try PartyRecord.place(try field.reader())
      case 22: wishes.maxRideSeconds = try field.double()
      case 23: wishes.maxDetourSeconds = try field.double()
      case 24: wishes.arriveBy = Instant(milliseconds: try field.signed())
      case 40: commuteID = try field.string()
      case 50: offer = try PartyRecord.offer(try field.reader())
      case 51: refusedOffers = try field.int()
      case 52: avoids.append(try field.string())
      default: break
      }
    }
  }
}
