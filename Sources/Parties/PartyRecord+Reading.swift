import GeoMath
import ObjectModel
package import RideMatching
import TaxiFares
package import WireFormat

extension PartyRecord {
  /// - Throws: ``WireFormatError``.
  package static func decode(_ bytes: [UInt8]) throws(WireFormatError) -> Party {
    try bytes.withProtobufReader { reader throws(WireFormatError) in
      var party = PartyParts()
      while let field = try reader.next() { try party.take(field) }
      return try party.made()
    }
  }

  static func place(_ reader: ProtobufReader) throws(WireFormatError) -> RidePlace {
    var reader = reader
    var name = ""
    var latitude: Double?
    var longitude: Double?
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try field.string()
      case 2: latitude = try field.double()
      case 3: longitude = try field.double()
      default: break
      }
    }
    guard let latitude, let longitude else { throw .missing(field: "place") }
    return RidePlace(name: name, coordinate: try coordinate(latitude, longitude))
  }

  static func coordinate(
    _ latitude: Double, _ longitude: Double
  ) throws(WireFormatError) -> Coordinate {
    guard latitude >= -90, latitude <= 90, longitude >= -180, longitude <= 180 else {
      throw .missing(field: "place")
    }
    return Coordinate(uncheckedLatitude: latitude, longitude: longitude)
  }

  static func limits(_ reader: ProtobufReader) throws(WireFormatError) -> RideLimits {
    var reader = reader
    var limits = RideLimits.standard
    while let field = try reader.next() {
      switch field.number {
      case 1: limits.maxWalkMeters = try field.double()
      case 2: limits.maxDetourRatio = try field.double()
      case 3: limits.minSharedRatio = try field.double()
      case 4: limits.maxRideSeconds = try field.double()
      case 5: limits.maxDetourSeconds = try field.double()
      case 6: limits.arriveBy = Instant(milliseconds: try field.signed())
      default: break
      }
    }
    return limits
  }

  static func policy(_ reader: ProtobufReader) throws(WireFormatError) -> RidePolicy {
    var reader = reader
    var policy = RidePolicy.none
    while let field = try reader.next() {
      switch field.number {
      case 1: policy.sameAttributes.append(try field.string())
      case 2: policy.pack = try field.string()
      case 3: policy.maxWalkMeters = try field.double()
      case 4: policy.maxDetourRatio = try field.double()
      case 5: policy.maxDetourSeconds = try field.double()
      case 6: policy.minSharedRatio = try field.double()
      default: break
      }
    }
    return policy
  }

  fileprivate static func rider(_ reader: ProtobufReader) throws(WireFormatError) -> PartyRider {
    var reader = reader
    var rider = PartyRider(id: "", joinedAt: Instant(milliseconds: 0), limits: .standard)
    while let field = try reader.next() {
      switch field.number {
      case 1: rider.id = try field.string()
      case 2: rider.joinedAt = Instant(milliseconds: try field.signed())
      case 3: rider.dropOff = try place(try field.reader())
      case 4: rider.seats = try field.int()
      case 5:
        let (name, value) = try pair(try field.reader())
        rider.attributes[name] = value
      case 6: rider.limits = try limits(try field.reader())
      case 7: rider.weight = try field.double()
      case 8: rider.share = try field.signed()
      case 9: rider.acceptedShare = try field.signed()
      case 10: rider.soloFare = try field.signed()
      case 11: rider.rideMeters = try field.double()
      case 12: rider.rideSeconds = try field.double()
      case 13: rider.directMeters = try field.double()
      case 14: rider.directSeconds = try field.double()
      case 15: rider.boarding = try boarding(try field.reader())
      default: break
      }
    }
    guard !rider.id.isEmpty else { throw .missing(field: "rider") }
    return rider
  }

  private static func boarding(
    _ reader: ProtobufReader
  ) throws(WireFormatError) -> RiderBoarding {
    var reader = reader
    var stop: RidePlace?
    var asked: RidePlace?
    var walk = 0.0
    var time: Instant?
    var tolerance: Int64 = 0
    while let field = try reader.next() {
      switch field.number {
      case 1: stop = try place(try field.reader())
      case 2: asked = try place(try field.reader())
      case 3: walk = try field.double()
      case 4: time = Instant(milliseconds: try field.signed())
      case 5: tolerance = try field.signed()
      default: break
      }
    }
    guard let stop else { throw .missing(field: "boarding") }
    return RiderBoarding(
      place: stop, asked: (asked ?? stop).coordinate, walkMeters: walk,
      window: time.map { DepartureWindow(time: $0, toleranceMilliseconds: tolerance) })
  }

  private static func stop(_ reader: ProtobufReader) throws(WireFormatError) -> RouteStop {
    var reader = reader
    var stop = RouteStop(riderID: "", isBoarding: false, meters: 0, seconds: 0)
    while let field = try reader.next() {
      switch field.number {
      case 1: stop.riderID = try field.string()
      case 2: stop.isBoarding = try field.unsigned() != 0
      case 3: stop.meters = try field.double()
      case 4: stop.seconds = try field.double()
      default: break
      }
    }
    return stop
  }

  static func pair(_ reader: ProtobufReader) throws(WireFormatError) -> (String, String) {
    var reader = reader
    var name = ""
    var value = ""
    while let field = try reader.next() {
      switch field.number {
      case 1: name = try field.string()
      case 2: value = try field.string()
      default: break
      }
    }
    return (name, value)
  }

  fileprivate static func route(_ reader: ProtobufReader) throws(WireFormatError) -> PartyRoute {
    var reader = reader
    var route = PartyRoute(
      distanceMeters: 0, durationSeconds: 0, stopOrder: [], path: [], source: "")
    while let field = try reader.next() {
      switch field.number {
      case 1: route.distanceMeters = try field.double()
      case 2: route.durationSeconds = try field.double()
      case 3: route.stopOrder.append(try field.string())
      case 4, 5: route.path = try RoutePathCoding.read(field)
      case 6: route.source = try field.string()
      case 7: route.stops.append(try stop(try field.reader()))
      default: break
      }
    }
    return route
  }

  fileprivate static func fare(_ reader: ProtobufReader) throws(WireFormatError) -> PartyFare {
    var reader = reader
    var fare = PartyFare(
      currency: "", expected: 0, low: 0, high: 0, perPersonNow: 0, perPersonIfFull: 0, source: "")
    while let field = try reader.next() {
      switch field.number {
      case 1: fare.currency = try field.string()
      case 2: fare.expected = try field.signed()
      case 3: fare.low = try field.signed()
      case 4: fare.high = try field.signed()
      case 5: fare.perPersonNow = try field.signed()
      case 6: fare.perPersonIfFull = try field.signed()
      case 7: fare.source = try field.string()
      default: break
      }
    }
    return fare
  }

  fileprivate static func settlement(
    _ reader: ProtobufReader
  ) throws(WireFormatError) -> PartySettlement {
    var reader = reader
    var settlement = PartySettlement(
      payerID: "", amount: 0, tolls: 0, at: Instant(milliseconds: 0), shares: [])
    while let field = try reader.next() {
      switch field.number {
      case 1: settlement.payerID = try field.string()
      case 2: settlement.amount = try field.signed()
      case 3: settlement.tolls = try field.signed()
      case 4: settlement.at = Instant(milliseconds: try field.signed())
      case 5: settlement.shares.append(try share(try field.reader()))
      default: break
      }
    }
    return settlement
  }

  private static func share(_ reader: ProtobufReader) throws(WireFormatError) -> FareShare {
    var reader = reader
    var share = FareShare(riderID: "", amount: 0)
    while let field = try reader.next() {
      switch field.number {
      case 1: share.riderID = try field.string()
      case 2: share.amount = try field.signed()
      case 3: share.soloFare = try field.signed()
      case 4: share.exceedsSoloBecause = try field.string()
      default: break
      }
    }
    return share
  }
}

/// The fields of a record as they come.
private struct PartyParts {
  var id = ""
  var commuteID: String?
  var version: UInt64 = 0
  var state: Party.State?
  var createdAt = Instant(milliseconds: 0)
  var stateSince = Instant(milliseconds: 0)
  var riders: [PartyRider] = []
  var seats = 0
  var origin: RidePlace?
  var destination: RidePlace?
  var time: Instant?
  var tolerance = DepartureWindow.standardToleranceMilliseconds
  var limits = RideLimits.standard
  var tags: [String] = []
  var policy = RidePolicy.none
  var splitRule = SplitRule.bySoloFare
  var allowsRaisedShares = false
  var isCalled = false
  var tariffID = ""
  var route = PartyRoute(
    distanceMeters: 0, durationSeconds: 0, stopOrder: [], path: [], source: "")
  var fare = PartyFare(
    currency: "", expected: 0, low: 0, high: 0, perPersonNow: 0, perPersonIfFull: 0, source: "")
  var settlement: PartySettlement?
  var endReason: String?
  var departingNoticeAt: Instant?
  var agreedFare: AgreedFare?
  var needsApproval = false
  var holdsSeats = false
  var joinRequests: [PartyJoinRequest] = []
  var meetingPlace: RidePlace?

  mutating func take(_ field: ProtobufReader.Field) throws(WireFormatError) {
    switch field.number {
    case 1:
      let version = try field.unsigned()
      if version > PartyRecord.version { throw .tooNew(version: version) }
    case 2: id = try field.string()
    case 3: version = try field.unsigned()
    case 4: state = PartyRecord.state(try field.unsigned())
    case 5: createdAt = Instant(milliseconds: try field.signed())
    case 6: stateSince = Instant(milliseconds: try field.signed())
    case 7: riders.append(try PartyRecord.rider(try field.reader()))
    case 8: seats = try field.int()
    case 9: origin = try PartyRecord.place(try field.reader())
    case 10: destination = try PartyRecord.place(try field.reader())
    case 11: time = Instant(milliseconds: try field.signed())
    case 12: tolerance = try field.signed()
    case 13: limits = try PartyRecord.limits(try field.reader())
    default: try takeMore(field)
    }
  }

  private mutating func takeMore(_ field: ProtobufReader.Field) throws(WireFormatError) {
    switch field.number {
    case 14: tags.append(try field.string())
    case 15: policy = try PartyRecord.policy(try field.reader())
    case 16: splitRule = SplitRule(rawValue: try field.string()) ?? .bySoloFare
    case 17: allowsRaisedShares = try field.unsigned() != 0
    case 18: isCalled = try field.unsigned() != 0
    case 19: tariffID = try field.string()
    case 20: route = try PartyRecord.route(try field.reader())
    case 21: fare = try PartyRecord.fare(try field.reader())
    case 22: settlement = try PartyRecord.settlement(try field.reader())
    case 23: endReason = try field.string()
    case 24: departingNoticeAt = Instant(milliseconds: try field.signed())
    case 26: agreedFare = try PartyRecord.agreedFare(try field.reader())
    case 27: needsApproval = try field.unsigned() != 0
    case 28: holdsSeats = try field.unsigned() != 0
    case 29: joinRequests.append(try PartyRecord.joinRequest(try field.reader()))
    case 40: commuteID = try field.string()
    case 44: meetingPlace = try PartyRecord.place(try field.reader())
    default: break
    }
  }

  func made() throws(WireFormatError) -> Party {
    guard !id.isEmpty else { throw .missing(field: "id") }
    guard let state else { throw .missing(field: "state") }
    guard let origin else { throw .missing(field: "origin") }
    guard let destination else { throw .missing(field: "destination") }
    guard let time else { throw .missing(field: "departureTime") }
    var party = Party(
      id: id, version: version, state: state, createdAt: createdAt, stateSince: stateSince,
      riders: riders, seats: seats, origin: origin, destination: destination,
      window: DepartureWindow(time: time, toleranceMilliseconds: tolerance), limits: limits,
      tags: tags, policy: policy, splitRule: splitRule, allowsRaisedShares: allowsRaisedShares,
      isCalled: isCalled, tariffID: tariffID, route: route, fare: fare, settlement: settlement,
      endReason: endReason, departingNoticeAt: departingNoticeAt, agreedFare: agreedFare,
      needsApproval: needsApproval, holdsSeats: holdsSeats, joinRequests: joinRequests,
      meetingPlace: meetingPlace)
    party.commuteID = commuteID
    return party
  }
}
