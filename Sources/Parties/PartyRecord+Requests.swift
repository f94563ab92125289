import ObjectModel
import RideMatching
import WireFormat

/// Requests to join, in the record of their party.
extension PartyRecord {
  static func write(_ request: PartyJoinRequest, to out: inout ProtobufWriter) {
    out.string(1, request.id)
    out.varint(2, number(request.state))
    out.signed(3, request.createdAt.milliseconds)
    out.signed(4, request.expiresAt.milliseconds)
    if let ended = request.endedAt { out.signed(5, ended.milliseconds) }
    if let reason = request.endReason { out.string(6, reason.rawValue) }
    out.signed(7, request.share)
    out.message(8) { write(request.join, to: &$0) }
  }

  private static func write(_ join: JoinParty, to out: inout ProtobufWriter) {
    out.string(1, join.riderID)
    if let place = join.destination { out.message(2) { write(place, to: &$0) } }
    if let place = join.origin { out.message(3) { write(RidePlace(coordinate: place), to: &$0) } }
    if let place = join.boarding { out.message(4) { write(place, to: &$0) } }
    if let window = join.window {
      out.signed(5, window.time.milliseconds)
      out.signed(6, window.toleranceMilliseconds)
    }
    if let seats = join.seats { out.varint(7, UInt64(max(0, seats))) }
    for (name, value) in join.attributes.sorted(by: { $0.key < $1.key }) {
      out.message(8) {
        $0.string(1, name)
        $0.string(2, value)
      }
    }
    let wishes = join.wishes
    if let value = wishes.maxWalkMeters { out.double(9, value) }
    if let value = wishes.maxDetourRatio { out.double(10, value) }
    if let value = wishes.minSharedRatio { out.double(11, value) }
    if let value = wishes.maxRideSeconds { out.double(12, value) }
    if let value = wishes.maxDetourSeconds { out.double(13, value) }
    if let time = wishes.arriveBy { out.signed(14, time.milliseconds) }
    if let weight = join.weight { out.double(15, weight) }
    if let most = join.maxShare { out.signed(16, most) }
  }

  static func joinRequest(
    _ reader: ProtobufReader
  ) throws(WireFormatError) -> PartyJoinRequest {
    var reader = reader
    var request = PartyJoinRequest(
      id: "", createdAt: Instant(milliseconds: 0), expiresAt: Instant(milliseconds: 0), share: 0,
      join: JoinParty(riderID: ""))
    while let field = try reader.next() {
      switch field.number {
      case 1: request.id = try field.string()
      case 2:
        guard let state = requestState(try field.unsigned()) else {
          throw .missing(field: "joinRequest.state")
        }
        request.state = state
      case 3: request.createdAt = Instant(milliseconds: try field.signed())
      case 4: request.expiresAt = Instant(milliseconds: try field.signed())
      case 5: request.endedAt = Instant(milliseconds: try field.signed())
      case 6: request.endReason = PartyJoinRequest.EndReason(rawValue: try field.string())
      case 7: request.share = try field.signed()
      case 8: request.join = try join(try field.reader())
      default: break
      }
    }
    guard !request.id.isEmpty, !request.riderID.isEmpty else {
      throw .missing(field: "joinRequest")
    }
    return request
  }

  private static func join(_ reader: ProtobufReader) throws(WireFormatError) -> JoinParty {
    var reader = reader
    var join = JoinParty(riderID: "")
    var time: Instant?
    var tolerance = DepartureWindow.standardToleranceMilliseconds
    while let field = try reader.next() {
      switch field.number {
      case 1: join.riderID = try field.string()
      case 2: join.destination = try place(try field.reader())
      case 3: join.origin = try place(try field.reader()).coordinate
      case 4: join.boarding = try place(try field.reader())
      case 5: time = Instant(milliseconds: try field.signed())
      case 6: tolerance = try field.signed()
      case 7: join.seats = try field.int()
      case 8:
        let (name, value) = try pair(try field.reader())
        join.attributes[name] = value
      case 15: join.weight = try field.double()
      case 16: join.maxShare = try field.signed()
      default: try take(field, into: &join.wishes)
      }
    }
    join.window = time.map { DepartureWindow(time: $0, toleranceMilliseconds: tolerance) }
    return join
  }

  private static func take(
    _ field: ProtobufReader.Field, into wishes: inout RideWishes
  ) throws(WireFormatError) {
    switch field.number {
    case 9: wishes.maxWalkMeters = try field.double()
    case 10: wishes.maxDetourRatio = try field.double()
    case 11: wishes.minSharedRatio = try field.double()
    case 12: wishes.maxRideSeconds = try field.double()
    case 13: wishes.maxDetourSeconds = try field.double()
    case 14: wishes.arriveBy = Instant(milliseconds: try field.signed())
    default: break
    }
  }

  static func write(_ agreed: AgreedFare, to out: inout ProtobufWriter) {
    out.signed(1, agreed.amount)
    out.string(2, agreed.currency)
  }

  static func agreedFare(_ reader: ProtobufReader) throws(WireFormatError) -> AgreedFare {
    var reader = reader
    var agreed = AgreedFare(amount: 0, currency: "")
    while let field = try reader.next() {
      switch field.number {
      case 1: agreed.amount = try field.signed()
      case 2: agreed.currency = try field.string()
      default: break
      }
    }
    return agreed
  }

  private static func number(_ state: PartyJoinRequest.State) -> UInt64 {
    switch state {
    case .pending: 1
    case .approved: 2
    case .declined: 3
    case .withdrawn: 4
    case .expired: 5
    }
  }

  private static func requestState(_ number: UInt64) -> PartyJoinRequest.State? {
    switch number {
    case 1: .pending
    case 2: .approved
    case 3: .declined
    case 4: .withdrawn
    case 5: .expired
    default: nil
    }
  }
}
