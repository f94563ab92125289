package import RideMatching
import GeoMath
import ObjectModel
import TaxiFares
import WireFormat

/// A party as bytes, as the store keeps it.
///
/// Fields by number, see the code; numbers are never used anew. ``version`` changes only when an
/// older daemon could no longer make sense of a record; new fields alone do not change it.
package enum PartyRecord {
  /// Of the layout.
  package static let version: UInt64 = 1

  /// Encodes all that a store must keep of a party, in the layout of ``version``.
  ///
  /// - Parameters:
  ///   - party: In any state.
  ///   - hasRoom: With bytes to spare for those who may still get in, so that a store can write the
  ///     record of a fuller party over it, in its place.
  /// - Returns: The record's bytes.
  package static func encode(_ party: Party, hasRoom: Bool = false) -> [UInt8] {
    var out = ProtobufWriter(capacity: 1536)
    out.varint(1, version)
    out.string(2, party.id)
    out.varint(3, party.version)
    out.varint(4, stateNumber(party.state))
    out.signed(5, party.createdAt.milliseconds)
    out.signed(6, party.stateSince.milliseconds)
    let beforeRiders = out.bytes.count
    for rider in party.riders { out.message(7) { write(rider, to: &$0) } }
    let riderBytes = (out.bytes.count - beforeRiders) / max(1, party.riders.count)
    out.varint(8, UInt64(max(0, party.seats)))
    out.message(9) { write(party.origin, to: &$0) }
    out.message(10) { write(party.destination, to: &$0) }
    out.signed(11, party.window.time.milliseconds)
    out.signed(12, party.window.toleranceMilliseconds)
    out.message(13) { write(party.limits, to: &$0) }
    for tag in party.tags { out.string(14, tag) }
    if party.policy != .none { out.message(15) { write(party.policy, to: &$0) } }
    out.string(16, party.splitRule.rawValue)
    if party.allowsRaisedShares { out.varint(17, 1) }
    if party.isCalled { out.varint(18, 1) }
    out.string(19, party.tariffID)
    out.message(20) { write(party.route, to: &$0) }
    out.message(21) { write(party.fare, to: &$0) }
    if let settlement = party.settlement { out.message(22) { write(settlement, to: &$0) } }
    if let reason = party.endReason { out.string(23, reason) }
    if let notice = party.departingNoticeAt { out.signed(24, notice.milliseconds) }
    if let agreed = party.agreedFare { out.message(26) { write(agreed, to: &$0) } }
    if party.needsApproval { out.varint(27, 1) }
    if party.holdsSeats { out.varint(28, 1) }
    for request in party.joinRequests { out.message(29) { write(request, to: &$0) } }
    if let commute = party.commuteID { out.string(40, commute) }
    if let place = party.meetingPlace { out.message(44) { write(place, to: &$0) } }
    if hasRoom, party.isActive {
      let wanted = party.seatsFree * (riderBytes + bytesBesideRider)
      out.zeros(25, count: min(wanted, maximumBytesWithRoom - out.bytes.count))
    }
    return out.bytes
  }

  /// What a rider adds beside their own field: a stop, a line of the way, a claim in the row.
  private static let bytesBesideRider = 96
  /// A row that does not fit in one page of the file is slower than one that moves.
  private static let maximumBytesWithRoom = 2800

  private static func write(_ rider: PartyRider, to out: inout ProtobufWriter) {
    out.string(1, rider.id)
    out.signed(2, rider.joinedAt.milliseconds)
    if let drop = rider.dropOff { out.message(3) { write(drop, to: &$0) } }
    out.varint(4, UInt64(max(0, rider.seats)))
    for (name, value) in rider.attributes.sorted(by: { $0.key < $1.key }) {
      out.message(5) {
        $0.string(1, name)
        $0.string(2, value)
      }
    }
    out.message(6) { write(rider.limits, to: &$0) }
    if let weight = rider.weight { out.double(7, weight) }
    out.signed(8, rider.share)
    out.signed(9, rider.acceptedShare)
    out.signed(10, rider.soloFare)
    out.double(11, rider.rideMeters)
    out.double(12, rider.rideSeconds)
    out.double(13, rider.directMeters)
    out.double(14, rider.directSeconds)
    guard let boarding = rider.boarding else { return }
    out.message(15) {
      $0.message(1) { write(boarding.place, to: &$0) }
      $0.message(2) { write(RidePlace(coordinate: boarding.asked), to: &$0) }
      $0.double(3, boarding.walkMeters)
      if let window = boarding.window {
        $0.signed(4, window.time.milliseconds)
        $0.signed(5, window.toleranceMilliseconds)
      }
    }
  }

  static func write(_ place: RidePlace, to out: inout ProtobufWriter) {
    if !place.name.isEmpty { out.string(1, place.name) }
    out.double(2, place.coordinate.latitude)
    out.double(3, place.coordinate.longitude)
  }

  static func write(_ limits: RideLimits, to out: inout ProtobufWriter) {
    out.double(1, limits.maxWalkMeters)
    out.double(2, limits.maxDetourRatio)
    if let ratio = limits.minSharedRatio { out.double(3, ratio) }
    if let seconds = limits.maxRideSeconds { out.double(4, seconds) }
    if let seconds = limits.maxDetourSeconds { out.double(5, seconds) }
    if let time = limits.arriveBy { out.signed(6, time.milliseconds) }
  }

  static func write(_ policy: RidePolicy, to out: inout ProtobufWriter) {
    for name in policy.sameAttributes { out.string(1, name) }
    if let pack = policy.pack { out.string(2, pack) }
    if let value = policy.maxWalkMeters { out.double(3, value) }
    if let value = policy.maxDetourRatio { out.double(4, value) }
    if let value = policy.maxDetourSeconds { out.double(5, value) }
    if let value = policy.minSharedRatio { out.double(6, value) }
  }

  private static func write(_ route: PartyRoute, to out: inout ProtobufWriter) {
    out.double(1, route.distanceMeters)
    out.double(2, route.durationSeconds)
    for id in route.stopOrder { out.string(3, id) }
    RoutePathCoding.write(route.path, to: &out)
    out.string(6, route.source)
    for stop in route.stops {
      out.message(7) {
        $0.string(1, stop.riderID)
        if stop.isBoarding { $0.varint(2, 1) }
        $0.double(3, stop.meters)
        $0.double(4, stop.seconds)
      }
    }
  }

  private static func write(_ fare: PartyFare, to out: inout ProtobufWriter) {
    out.string(1, fare.currency)
    out.signed(2, fare.expected)
    out.signed(3, fare.low)
    out.signed(4, fare.high)
    out.signed(5, fare.perPersonNow)
    out.signed(6, fare.perPersonIfFull)
    out.string(7, fare.source)
  }

  private static func write(_ settlement: PartySettlement, to out: inout ProtobufWriter) {
    out.string(1, settlement.payerID)
    out.signed(2, settlement.amount)
    out.signed(3, settlement.tolls)
    out.signed(4, settlement.at.milliseconds)
    for share in settlement.shares {
      out.message(5) {
        $0.string(1, share.riderID)
        $0.signed(2, share.amount)
        if let solo = share.soloFare { $0.signed(3, solo) }
        if let reason = share.exceedsSoloBecause { $0.string(4, reason) }
      }
    }
  }

  private static func stateNumber(_ state: Party.State) -> UInt64 {
    switch state {
    case .open: 1
    case .full: 2
    case .departed: 3
    case .cancelled: 4
    case .ended: 5
    }
  }

  static func state(_ number: UInt64) -> Party.State? {
    switch number {
    case 1: .open
    case 2: .full
    case 3: .departed
    case 4: .cancelled
    case 5: .ended
    default: nil
    }
  }
}
