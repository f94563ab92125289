import MoyeoAPI
import ObjectModel
import Parties
import RideMatching
import SwiftProtobuf

/// Turns requests about commutes into what the party service takes, or says which fields are wrong: all
/// of them.
struct CommuteRequestReading: Sendable {
  let parties: PartyRequestReading
  /// Of the zone that a request names; nil: there is none.
  let offsets: @Sendable (_ timeZone: String) -> UTCOffsets?

  /// Texts of a list that are read at most; the rules allow fewer dates.
  private static let maximumTexts = 1000
  private static let maximumWeekdays = 14

  // MARK: - Create

  func create(
    _ request: Moyeo_V1_CreateCommuteRequest, now: Instant
  ) throws(APIError) -> (CommuteSchedule, CommuteTrip) {
    var problems = FieldProblems()
    let weekdays = problems.read { () throws(APIError) in try self.weekdays(request.weekdays) }
    let minute = problems.read { () throws(APIError) in
      guard request.hasLocalTime else { throw Self.missing("localTime") }
      return try self.minute(request.localTime)
    }
    let zone = problems.read { () throws(APIError) in
      guard request.hasTimeZone else { throw Self.missing("timeZone") }
      return try timeZone(request.timeZone)
    }
    let from = problems.read { () throws(APIError) in
      request.hasFrom ? try date(request.from, field: "from") : today(zone, now)
    }
    let through = problems.read { () throws(APIError) in
      guard request.hasTo else { throw Self.missing("to") }
      return try date(request.to, field: "to")
    }
    let added = problems.read { () throws(APIError) in try dates(request.added, field: "added") }
    let removed = problems.read { () throws(APIError) in
      try dates(request.removed, field: "removed")
    }
    let holidays = problems.read { () throws(APIError) in
      try parties.word(request.holidaysIfSet, field: "holidays")
    }
    let arriveBy = problems.read { () throws(APIError) in
      request.hasArriveBy ? try self.minute(request.arriveBy, field: "arriveBy") : nil
    }
    let trip = problems.read { () throws(APIError) in try self.trip(request, now: now) }
    try problems.check()
    guard let weekdays, let minute, let zone, let from, let through, let added, let removed,
      let holidays, let trip
    else { throw APIError(.internalError, "a field was refused without a reason") }
    return (
      CommuteSchedule(
        weekdays: weekdays, minute: minute, timeZone: zone, from: from, through: through,
        added: added, removed: removed, holidays: holidays, arriveByMinute: arriveBy ?? nil), trip
    )
  }

  private func trip(
    _ request: Moyeo_V1_CreateCommuteRequest, now: Instant
  ) throws(APIError) -> CommuteTrip {
    switch (request.hasHostID, request.hasRiderID) {
    case (true, true):
      throw APIError(.conflictingFields, field: "riderId", "give hostId or riderId, not both")
    case (false, false):
      throw APIError(.missingField, field: "hostId", "hostId or riderId is required")
    case (true, false):
      try Self.refuse(
        [
          ("boarding", request.hasBoarding), ("maxShare", request.hasMaxShare),
          ("allowsOverlap", request.hasAllowsOverlap),
        ], "is of a rider's commute")
      return .party(try parties.create(party(request, now: now)))
    case (false, true):
      try Self.refuse(
        [
          ("hostSeats", request.hasHostSeats), ("policy", request.hasPolicy),
          ("policyPack", request.hasPolicyPack), ("splitRule", request.hasSplitRule),
          ("allowRaisedShares", request.hasAllowRaisedShares), ("called", request.hasCalled),
          ("tariffId", request.hasTariffID), ("vehicleClass", request.hasVehicleClass),
          ("weight", request.hasWeight), ("agreedFare", request.hasAgreedFare),
          ("approval", request.hasApproval), ("holdSeats", request.hasHoldSeats),
        ], "is of a host's commute")
      let match = try parties.match(self.match(request), now: now)
      return .request(match.query, tags: match.tags)
    }
  }

  private static func refuse(
    _ fields: [(name: String, isSet: Bool)], _ why: String
  ) throws(APIError) {
    guard let first = fields.first(where: \.isSet) else { return }
    throw APIError(.conflictingFields, field: first.name, "\(first.name) \(why)")
  }

  /// What a request sets of the trip; nil: nothing. The values are read, and refused, as those of a new
  /// commute are, of a host and of a rider: whose commute it is, the record knows.
  private func tripChange(
    _ request: Moyeo_V1_UpdateCommuteRequest, now: Instant
  ) throws(APIError) -> CommuteTripChange? {
    var (named, same) = request.trip
    let cleared = try self.cleared(request.cleared, butNot: named)
    guard !named.isEmpty || !cleared.isEmpty else { return nil }
    if let ofHost = named.first(where: { $0.owner == .host }),
      let ofRider = named.first(where: { $0.owner == .rider })
    {
      throw APIError(
        .conflictingFields, field: ofRider.rawValue,
        "\(ofHost.rawValue) is of a host's commute, \(ofRider.rawValue) of a rider's")
    }
    // In place of what is not set, and so not looked at.
    (same.hostID, same.riderID) = ("-", "-")
    let anywhere = Moyeo_V1_Place.with { ($0.latitude, $0.longitude) = (1, 1) }
    if !same.hasOrigin { same.origin = anywhere }
    if !same.hasDestination { same.destination = anywhere }
    let match = try parties.match(self.match(same), now: now)
    return CommuteTripChange(
      named.union(cleared), party: try parties.create(party(same, now: now)), query: match.query,
      queryTags: match.tags)
  }

  private func cleared(
    _ words: [String], butNot named: Set<CommuteTripChange.Field>
  ) throws(APIError) -> Set<CommuteTripChange.Field> {
    let clearable = CommuteTripChange.Field.allCases.filter(\.isClearable)
    try parties.validation.bounded(words.count, clearable.count, field: "cleared")
    var out: Set<CommuteTripChange.Field> = []
    for (i, word) in words.enumerated() {
      guard let field = clearable.first(where: { $0.rawValue == word }) else {
        let known = clearable.map(\.rawValue).joined(separator: ", ")
        throw APIError(
          .badValue, field: "cleared[\(i)]", "cleared takes \(known); got \(quoted(word))")
      }
      guard !named.contains(field) else {
        throw APIError(
          .conflictingFields, field: "cleared[\(i)]", "\(word) is both given and cleared")
      }
      out.insert(field)
    }
    return out
  }

  /// The same fields of a party; each day has a departure of its own.
  private func party(
    _ request: Moyeo_V1_CreateCommuteRequest, now: Instant
  ) -> Moyeo_V1_CreatePartyRequest {
    var same = Moyeo_V1_CreatePartyRequest()
    same.hostID = request.hostID
    same.departureTime = Google_Protobuf_Timestamp(now)
    if request.hasOrigin { same.origin = request.origin }
    if request.hasDestination { same.destination = request.destination }
    if request.hasDepartureWindowSeconds {
      same.departureWindowSeconds = request.departureWindowSeconds
    }
    if request.hasSeats { same.seats = request.seats }
    if request.hasHostSeats { same.hostSeats = request.hostSeats }
    if request.hasMaxWalkMeters { same.maxWalkMeters = request.maxWalkMeters }
    if request.hasMaxDetourRatio { same.maxDetourRatio = request.maxDetourRatio }
    if request.hasMinSharedRatio { same.minSharedRatio = request.minSharedRatio }
    if request.hasMaxRideSeconds { same.maxRideSeconds = request.maxRideSeconds }
    if request.hasMaxDetourSeconds { same.maxDetourSeconds = request.maxDetourSeconds }
    same.tags = request.tags
    if request.hasAttributes { same.attributes = request.attributes }
    if request.hasPolicy { same.policy = request.policy }
    if request.hasPolicyPack { same.policyPack = request.policyPack }
    if request.hasSplitRule { same.splitRule = request.splitRule }
    if request.hasAllowRaisedShares { same.allowRaisedShares = request.allowRaisedShares }
    if request.hasCalled { same.called = request.called }
    if request.hasTariffID { same.tariffID = request.tariffID }
    if request.hasVehicleClass { same.vehicleClass = request.vehicleClass }
    if request.hasWeight { same.weight = request.weight }
    if request.hasAgreedFare { same.agreedFare = request.agreedFare }
    if request.hasApproval { same.approval = request.approval }
    if request.hasHoldSeats { same.holdSeats = request.holdSeats }
    return same
  }

  /// The same fields of a search.
  private func match(
    _ request: Moyeo_V1_CreateCommuteRequest
  ) -> Moyeo_V1_MatchPartiesRequest {
    var same = Moyeo_V1_MatchPartiesRequest()
    same.riderID = request.riderID
    if request.hasOrigin { same.origin = request.origin }
    if request.hasDestination { same.destination = request.destination }
    if request.hasDepartureWindowSeconds {
      same.departureWindowSeconds = request.departureWindowSeconds
    }
    if request.hasSeats { same.seats = request.seats }
    if request.hasMaxWalkMeters { same.maxWalkMeters = request.maxWalkMeters }
    if request.hasMaxDetourRatio { same.maxDetourRatio = request.maxDetourRatio }
    if request.hasMinSharedRatio { same.minSharedRatio = request.minSharedRatio }
    if request.hasMaxRideSeconds { same.maxRideSeconds = request.maxRideSeconds }
    if request.hasMaxDetourSeconds { same.maxDetourSeconds = request.maxDetourSeconds }
    same.tags = request.tags
    if request.hasAttributes { same.attributes = request.attributes }
    if request.hasBoarding { same.boarding = request.boarding }
    if request.hasMaxShare { same.maxShare = request.maxShare }
    if request.hasAllowsOverlap { same.allowsOverlap = request.allowsOverlap }
    return same
  }

  // MARK: - Other commands

  func update(
    _ request: Moyeo_V1_UpdateCommuteRequest, now: Instant
  ) throws(APIError) -> UpdateCommute {
    var problems = FieldProblems()
    var out = UpdateCommute()
    if !request.weekdays.isEmpty {
      out.weekdays = problems.read { () throws(APIError) in try weekdays(request.weekdays) }
    }
    if request.hasLocalTime {
      out.minute = problems.read { () throws(APIError) in try minute(request.localTime) }
    }
    if request.hasTimeZone {
      out.timeZone = problems.read { () throws(APIError) in try timeZone(request.timeZone) }
    }
    if request.hasFrom {
      out.from = problems.read { () throws(APIError) in try date(request.from, field: "from") }
    }
    if request.hasTo {
      out.through = problems.read { () throws(APIError) in try date(request.to, field: "to") }
    }
    func read(_ texts: [String], _ field: String) -> [CivilDate] {
      problems.read { () throws(APIError) in try dates(texts, field: field) } ?? []
    }
    out.added = read(request.added, "added")
    out.removed = read(request.removed, "removed")
    out.restored = read(request.restored, "restored")
    if request.hasHolidays {
      out.holidays =
        request.holidays.isEmpty
        ? ""
        : problems.read { () throws(APIError) in
          try parties.word(request.holidays, field: "holidays")
        } ?? nil
    }
    if request.hasArriveBy {
      out.arriveByMinute = problems.read { () throws(APIError) in
        request.arriveBy.isEmpty ? nil : try minute(request.arriveBy, field: "arriveBy")
      }
    }
    out.trip = problems.read { () throws(APIError) in try tripChange(request, now: now) } ?? nil
    out.includesAppeared = request.includeAppeared
    try problems.check()
    return out
  }

  func join(_ request: Moyeo_V1_JoinCommuteRequest) throws(APIError) -> JoinParty {
    var same = Moyeo_V1_JoinPartyRequest()
    if request.hasRiderID { same.riderID = request.riderID }
    if request.hasDestination { same.destination = request.destination }
    if request.hasAttributes { same.attributes = request.attributes }
    if request.hasSeats { same.seats = request.seats }
    if request.hasMaxShare { same.maxShare = request.maxShare }
    if request.hasOrigin { same.origin = request.origin }
    if request.hasMaxWalkMeters { same.maxWalkMeters = request.maxWalkMeters }
    if request.hasMaxDetourRatio { same.maxDetourRatio = request.maxDetourRatio }
    if request.hasWeight { same.weight = request.weight }
    if request.hasMinSharedRatio { same.minSharedRatio = request.minSharedRatio }
    if request.hasBoarding { same.boarding = request.boarding }
    if request.hasMaxRideSeconds { same.maxRideSeconds = request.maxRideSeconds }
    if request.hasMaxDetourSeconds { same.maxDetourSeconds = request.maxDetourSeconds }
    return try parties.join(same)
  }

  // MARK: - Fields

  private static func missing(_ field: String) -> APIError {
    APIError(.missingField, field: field, "\(field) is required")
  }

  private func weekdays(_ words: [String]) throws(APIError) -> Weekdays {
    try parties.validation.bounded(words.count, Self.maximumWeekdays, field: "weekdays")
    var out: Weekdays = []
    for (i, word) in words.enumerated() {
      guard let day = Weekdays(word: word) else {
        throw APIError(
          .badWeekday, field: "weekdays[\(i)]",
          "a weekday is one of \(Weekdays.words.joined(separator: ", ")); got \(quoted(word))")
      }
      out.formUnion(day)
    }
    return out
  }

  private func minute(_ text: String, field: String = "localTime") throws(APIError) -> Int {
    guard let minute = CommuteSchedule.minute(ofLocalTime: text) else {
      throw APIError(
        .badLocalTime, field: field,
        "\(field) is 00:00 to 23:59, such as 07:45; got \(quoted(text))")
    }
    return minute
  }

  private func timeZone(_ name: String) throws(APIError) -> String {
    guard offsets(name) != nil else {
      throw APIError(
        .badTimeZone, field: "timeZone",
        "timeZone is an IANA name such as Asia/Seoul; got \(quoted(name))")
    }
    return name
  }

  private func date(_ text: String, field: String) throws(APIError) -> CivilDate {
    guard let date = CivilDate(iso: text) else {
      throw APIError(
        .badDate, field: field, "a date such as 2026-11-30 is expected; got \(quoted(text))")
    }
    return date
  }

  private func dates(_ texts: [String], field: String) throws(APIError) -> [CivilDate] {
    try parties.validation.bounded(texts.count, Self.maximumTexts, field: field)
    var out: [CivilDate] = []
    for (i, text) in texts.enumerated() { out.append(try date(text, field: "\(field)[\(i)]")) }
    return out
  }

  private func today(_ zone: String?, _ now: Instant) -> CivilDate {
    (zone.flatMap(offsets) ?? UTCOffsets(initialSeconds: 0)).date(at: now)
  }
}
