import GeoMath
import ObjectModel
package import RideMatching
import TaxiFares
package import WireFormat

extension CommuteRecord {
  /// - Throws: ``WireFormatError``.
  package static func decode(_ bytes: [UInt8]) throws(WireFormatError) -> Commute {
    try bytes.withProtobufReader { reader throws(WireFormatError) in
      var parts = CommuteParts()
      while let field = try reader.next() { try parts.take(field) }
      return try parts.made()
    }
  }

  fileprivate static func date(
    _ field: ProtobufReader.Field
  ) throws(WireFormatError) -> CivilDate {
    CivilDate(daysSince1970: Int(try field.signed()))
  }

  fileprivate static func schedule(
    _ reader: ProtobufReader
  ) throws(WireFormatError) -> CommuteSchedule {
    var reader = reader
    var out = CommuteSchedule(
      weekdays: [], minute: 0, timeZone: "", from: CivilDate(daysSince1970: 0),
      through: CivilDate(daysSince1970: 0))
    while let field = try reader.next() {
      switch field.number {
      case 1: out.weekdays = Weekdays(rawValue: UInt8(truncatingIfNeeded: try field.unsigned()))
      case 2: out.minute = try field.int()
      case 3: out.timeZone = try field.string()
      case 4: out.from = try date(field)
      case 5: out.through = try date(field)
      case 6: out.added.append(try date(field))
      case 7: out.removed.append(try date(field))
      case 8: out.holidays = try field.string()
      case 9: out.arriveByMinute = Int(try field.signed())
      default: break
      }
    }
    guard (0..<1440).contains(out.minute) else { throw .missing(field: "localTime") }
    return out
  }

  fileprivate static func party(_ reader: ProtobufReader) throws(WireFormatError) -> CreateParty {
    var reader = reader
    var parts = TripParts()
    while let field = try reader.next() { try parts.take(field) }
    return try parts.made()
  }

  fileprivate static func rider(_ reader: ProtobufReader) throws(WireFormatError) -> CommuteRider {
    var reader = reader
    var joinedAt = Instant(milliseconds: 0)
    var join: JoinParty?
    while let field = try reader.next() {
      switch field.number {
      case 1: joinedAt = Instant(milliseconds: try field.signed())
      case 2: join = try self.join(try field.reader())
      default: break
      }
    }
    guard let join, !join.riderID.isEmpty else { throw .missing(field: "rider") }
    return CommuteRider(join: join, joinedAt: joinedAt)
  }

  private static func join(_ reader: ProtobufReader) throws(WireFormatError) -> JoinParty {
    var reader = reader
    var out = JoinParty(riderID: "")
    while let field = try reader.next() {
      switch field.number {
      case 1: out.riderID = try field.string()
      case 2: out.destination = try PartyRecord.place(try field.reader())
      case 3: out.origin = try PartyRecord.place(try field.reader()).coordinate
      case 4: out.boarding = try PartyRecord.place(try field.reader())
      case 5: out.seats = try field.int()
      case 6:
        let (name, value) = try PartyRecord.pair(try field.reader())
        out.attributes[name] = value
      case 7: out.wishes.maxWalkMeters = try field.double()
      case 8: out.wishes.maxDetourRatio = try field.double()
      case 9: out.wishes.minSharedRatio = try field.double()
      case 10: out.wishes.maxRideSeconds = try field.double()
      case 11: out.wishes.maxDetourSeconds = try field.double()
      case 12: out.weight = try field.double()
      case 13: out.maxShare = try field.signed()
      default: break
      }
    }
    return out
  }

  fileprivate static func day(_ reader: ProtobufReader) throws(WireFormatError) -> CommuteDay {
    var reader = reader
    var day = CommuteDay(
      date: CivilDate(daysSince1970: 0), departure: Instant(milliseconds: 0),
      outcome: .skipped(reason: ""))
    while let field = try reader.next() {
      switch field.number {
      case 1: day.date = try date(field)
      case 2: day.departure = Instant(milliseconds: try field.signed())
      case 3: day.outcome = .appeared(id: try field.string())
      case 4: day.outcome = .skipped(reason: try field.string())
      default: break
      }
    }
    return day
  }
}

/// A commute while its record is read.
private struct CommuteParts {
  var id = ""
  var version: UInt64 = 0
  var state: Commute.State?
  var stateSince = Instant(milliseconds: 0)
  var createdAt = Instant(milliseconds: 0)
  var schedule: CommuteSchedule?
  var trip: CommuteTrip?
  var riders: [CommuteRider] = []
  var doneBefore: CivilDate?
  var days: [CommuteDay] = []
  var endReason: String?

  mutating func take(_ field: ProtobufReader.Field) throws(WireFormatError) {
    switch field.number {
    case 1:
      let version = try field.unsigned()
      if version > PartyRecord.version { throw .tooNew(version: version) }
    case 2: id = try field.string()
    case 3: version = try field.unsigned()
    case 4: state = Commute.State(rawValue: try field.string())
    case 5: stateSince = Instant(milliseconds: try field.signed())
    case 6: createdAt = Instant(milliseconds: try field.signed())
    case 7: schedule = try CommuteRecord.schedule(try field.reader())
    case 8: trip = .party(try CommuteRecord.party(try field.reader()))
    case 9:
      var reader = try field.reader()
      let request = try StandingRequest(reading: &reader)
      trip = .request(request.query, tags: request.tags)
    case 10: riders.append(try CommuteRecord.rider(try field.reader()))
    case 11: doneBefore = try CommuteRecord.date(field)
    case 12: days.append(try CommuteRecord.day(try field.reader()))
    case 13: endReason = try field.string()
    default: break
    }
  }

  func made() throws(WireFormatError) -> Commute {
    guard !id.isEmpty else { throw .missing(field: "id") }
    guard let state else { throw .missing(field: "state") }
    guard let schedule else { throw .missing(field: "schedule") }
    guard let trip else { throw .missing(field: "trip") }
    return Commute(
      id: id, version: version, state: state, stateSince: stateSince, createdAt: createdAt,
      schedule: schedule, trip: trip, riders: riders, doneBefore: doneBefore ?? schedule.from,
      days: days, endReason: endReason)
  }
}

/// A host's trip while its record is read.
private struct TripParts {
  var hostID = ""
  var origin: RidePlace?
  var destination: RidePlace?
  var tolerance = DepartureWindow.standardToleranceMilliseconds
  /// Places stand in once they are known.
  var rest = CreateParty(
    hostID: "", origin: RidePlace(coordinate: Coordinate(uncheckedLatitude: 0, longitude: 0)),
    destination: RidePlace(coordinate: Coordinate(uncheckedLatitude: 0, longitude: 0)),
    window: DepartureWindow(time: Instant(milliseconds: 0)))

  mutating func take(_ field: ProtobufReader.Field) throws(WireFormatError) {
    switch field.number {
    case 1: hostID = try field.string()
    case 2: rest.hostSeats = try field.int()
    case 3:
      let (name, value) = try PartyRecord.pair(try field.reader())
      rest.attributes[name] = value
    case 4: rest.hostWeight = try field.double()
    case 5: origin = try PartyRecord.place(try field.reader())
    case 6: destination = try PartyRecord.place(try field.reader())
    case 7: tolerance = try field.signed()
    case 8: rest.seats = try field.int()
    case 9: rest.limits = try PartyRecord.limits(try field.reader())
    case 10: rest.tags.append(try field.string())
    case 11: rest.policy = try PartyRecord.policy(try field.reader())
    case 12: rest.policyPack = try field.string()
    case 13: rest.splitRule = SplitRule(rawValue: try field.string()) ?? .bySoloFare
    case 14: rest.allowsRaisedShares = try field.unsigned() != 0
    case 15: rest.isCalled = try field.unsigned() != 0
    case 16: rest.tariffID = try field.string()
    case 17: rest.vehicleClass = try field.string()
    case 18: rest.agreedFare = try PartyRecord.agreedFare(try field.reader())
    case 19: rest.needsApproval = try field.unsigned() != 0
    case 20: rest.holdsSeats = try field.unsigned() != 0
    default: break
    }
  }

  func made() throws(WireFormatError) -> CreateParty {
    guard !hostID.isEmpty else { throw .missing(field: "hostId") }
    guard let origin else { throw .missing(field: "origin") }
    guard let destination else { throw .missing(field: "destination") }
    var out = rest
    out.hostID = hostID
    out.origin = origin
    out.destination = destination
    out.window.toleranceMilliseconds = tolerance
    return out
  }
}
