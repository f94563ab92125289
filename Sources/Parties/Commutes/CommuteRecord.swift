import GeoMath
import ObjectModel
package import RideMatching
import TaxiFares
package import WireFormat

/// A commute as bytes, as the store keeps it; see ``PartyRecord`` for the layout's rules.
package enum CommuteRecord {
  package static func encode(_ commute: Commute) -> [UInt8] {
    var out = ProtobufWriter(capacity: 1024)
    out.varint(1, PartyRecord.version)
    out.string(2, commute.id)
    out.varint(3, commute.version)
    out.string(4, commute.state.rawValue)
    out.signed(5, commute.stateSince.milliseconds)
    out.signed(6, commute.createdAt.milliseconds)
    out.message(7) { write(commute.schedule, to: &$0) }
    switch commute.trip {
    case .party(let create): out.message(8) { write(create, to: &$0) }
    case .request(let query, let tags):
      out.embedded(
        9, StandingRequest(id: "-", createdAt: query.now, query: query, tags: tags).encoded())
    }
    for rider in commute.riders {
      out.message(10) {
        $0.signed(1, rider.joinedAt.milliseconds)
        $0.message(2) { write(rider.join, to: &$0) }
      }
    }
    out.signed(11, Int64(commute.doneBefore.daysSince1970))
    for day in commute.days {
      out.message(12) {
        $0.signed(1, Int64(day.date.daysSince1970))
        $0.signed(2, day.departure.milliseconds)
        switch day.outcome {
        case .appeared(let id): $0.string(3, id)
        case .skipped(let reason): $0.string(4, reason)
        }
      }
    }
    if let reason = commute.endReason { out.string(13, reason) }
    return out.bytes
  }

  private static func write(_ schedule: CommuteSchedule, to out: inout ProtobufWriter) {
    out.varint(1, UInt64(schedule.weekdays.rawValue))
    out.varint(2, UInt64(max(0, schedule.minute)))
    out.string(3, schedule.timeZone)
    out.signed(4, Int64(schedule.from.daysSince1970))
    out.signed(5, Int64(schedule.through.daysSince1970))
    for date in schedule.added { out.signed(6, Int64(date.daysSince1970)) }
    for date in schedule.removed { out.signed(7, Int64(date.daysSince1970)) }
    if let name = schedule.holidays { out.string(8, name) }
    if let minute = schedule.arriveByMinute { out.signed(9, Int64(minute)) }
  }

  private static func write(_ create: CreateParty, to out: inout ProtobufWriter) {
    out.string(1, create.hostID)
    out.varint(2, UInt64(max(0, create.hostSeats)))
    write(create.attributes, 3, to: &out)
    if let weight = create.hostWeight { out.double(4, weight) }
    out.message(5) { PartyRecord.write(create.origin, to: &$0) }
    out.message(6) { PartyRecord.write(create.destination, to: &$0) }
    out.signed(7, create.window.toleranceMilliseconds)
    if let seats = create.seats { out.varint(8, UInt64(max(0, seats))) }
    out.message(9) { PartyRecord.write(create.limits, to: &$0) }
    for tag in create.tags { out.string(10, tag) }
    if create.policy != .none { out.message(11) { PartyRecord.write(create.policy, to: &$0) } }
    if let pack = create.policyPack { out.string(12, pack) }
    out.string(13, create.splitRule.rawValue)
    if create.allowsRaisedShares { out.varint(14, 1) }
    if create.isCalled { out.varint(15, 1) }
    if let tariff = create.tariffID { out.string(16, tariff) }
    if let vehicle = create.vehicleClass { out.string(17, vehicle) }
    if let agreed = create.agreedFare { out.message(18) { PartyRecord.write(agreed, to: &$0) } }
    if create.needsApproval { out.varint(19, 1) }
    if create.holdsSeats { out.varint(20, 1) }
  }

  private static func write(_ join: JoinParty, to out: inout ProtobufWriter) {
    out.string(1, join.riderID)
    if let place = join.destination { out.message(2) { PartyRecord.write(place, to: &$0) } }
    if let origin = join.origin {
      out.message(3) { PartyRecord.write(RidePlace(coordinate: origin), to: &$0) }
    }
    if let place = join.boarding { out.message(4) { PartyRecord.write(place, to: &$0) } }
    if let seats = join.seats { out.varint(5, UInt64(max(0, seats))) }
    write(join.attributes, 6, to: &out)
    if let value = join.wishes.maxWalkMeters { out.double(7, value) }
    if let value = join.wishes.maxDetourRatio { out.double(8, value) }
    if let value = join.wishes.minSharedRatio { out.double(9, value) }
    if let value = join.wishes.maxRideSeconds { out.double(10, value) }
    if let value = join.wishes.maxDetourSeconds { out.double(11, value) }
    if let weight = join.weight { out.double(12, weight) }
    if let most = join.maxShare { out.signed(13, most) }
  }

  private static func write(
    _ attributes: [String: String], _ number: Int, to out: inout ProtobufWriter
  ) {
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
      out.message(number) {
        $0.string(1, name)
        $0.string(2, value)
      }
    }
  }

  // MARK: - People

  /// A commute without somebody who rides with it.
  /// - Returns: The record; nil when they do not.
  /// - Throws: ``WireFormatError``.
  package static func removing(
    rider userID: String, from bytes: [UInt8]
  ) throws(WireFormatError) -> (bytes: [UInt8], ownerID: String)? {
    var commute = try decode(bytes)
    guard commute.riders.contains(where: { $0.join.riderID == userID }) else { return nil }
    commute.riders.removeAll { $0.join.riderID == userID }
    return (encode(commute), commute.ownerID)
  }

  /// Everybody whom a commute names.
  /// - Throws: ``WireFormatError``.
  package static func people(in bytes: [UInt8]) throws(WireFormatError) -> [String] {
    let commute = try decode(bytes)
    return [commute.ownerID] + commute.riders.map(\.join.riderID)
  }
}
