import MoyeoAPI
import ObjectModel
import RideMatching
import SwiftProtobuf
import TaxiFares

/// Commutes as messages.
enum CommuteMessage {
  /// - Parameters:
  ///   - commute: The newest state.
  ///   - rules: Which days are to come.
  ///   - days: So many of them are told at most.
  /// - Returns: The message, its days ascending.
  static func commute(
    _ commute: Commute, _ rules: CommuteRules, days: Int
  ) -> Moyeo_V1_Commute {
    var out = Moyeo_V1_Commute()
    out.id = commute.id
    out.version = String(commute.version)
    out.state = commute.state.rawValue
    out.createdAt = Google_Protobuf_Timestamp(commute.createdAt)
    if let reason = commute.endReason { out.endReason = reason }
    fill(&out, of: commute.schedule)
    switch commute.trip {
    case .party(let create): fill(&out, of: create)
    case .request(let query, let tags): fill(&out, of: query, tags)
    }
    out.riders = commute.riders.map(rider)
    out.riderCount = Int32(clamping: commute.riders.count)
    let offsets = rules.calendars.offsets(commute.schedule.timeZone)
    out.occurrences = commute.days.map { day in
      let kind = offsets.map { commute.schedule.occurrence(on: day.date, $0) }
        .flatMap { $0.departure == day.departure ? $0.kind : nil }
      var isParty = false
      if case .party = commute.trip { isParty = true }
      return occurrence(day, isParty: isParty, kind ?? .once)
    }
    out.occurrences += rules.upcoming(commute, limit: days).map { day in
      var out = Moyeo_V1_CommuteOccurrence()
      out.date = day.date.isoText
      out.departureTime = Google_Protobuf_Timestamp(day.departure)
      out.state = "planned"
      if let word = word(day.kind) { out.clockChange = word }
      return out
    }
    out.occurrences.sort { $0.date < $1.date }
    return out
  }

  private static func fill(_ out: inout Moyeo_V1_Commute, of schedule: CommuteSchedule) {
    out.weekdays = schedule.weekdays.words
    out.localTime = schedule.localTimeText
    out.timeZone = schedule.timeZone
    out.from = schedule.from.isoText
    out.to = schedule.through.isoText
    out.added = schedule.added.map(\.isoText)
    out.removed = schedule.removed.map(\.isoText)
    if let name = schedule.holidays { out.holidays = name }
    if let minute = schedule.arriveByMinute {
      out.arriveBy = CommuteSchedule.localTimeText(minute: minute)
    }
  }

  private static func fill(_ out: inout Moyeo_V1_Commute, of create: CreateParty) {
    out.hostID = create.hostID
    out.origin = PartyMessage.place(create.origin)
    out.destination = PartyMessage.place(create.destination)
    out.departureWindowSeconds = Double(create.window.toleranceMilliseconds) / 1000
    if let seats = create.seats { out.seats = Int32(clamping: seats) }
    out.hostSeats = Int32(clamping: create.hostSeats)
    out.maxWalkMeters = create.limits.maxWalkMeters
    out.maxDetourRatio = create.limits.maxDetourRatio
    if let ratio = create.limits.minSharedRatio { out.minSharedRatio = ratio }
    if let seconds = create.limits.maxRideSeconds { out.maxRideSeconds = seconds }
    if let seconds = create.limits.maxDetourSeconds { out.maxDetourSeconds = seconds }
    out.tags = create.tags
    if create.policy != .none { out.policy = PartyMessage.policy(create.policy) }
    if let pack = create.policyPack { out.policyPack = pack }
    out.splitRule = create.splitRule.rawValue
    out.allowRaisedShares = create.allowsRaisedShares
    out.called = create.isCalled
    if let tariff = create.tariffID { out.tariffID = tariff }
    if let vehicle = create.vehicleClass { out.vehicleClass = vehicle }
    if let agreed = create.agreedFare { out.agreedFare = PartyMessage.agreedFare(agreed) }
    if create.needsApproval {
      out.approval = "host"
      out.holdSeats = create.holdsSeats
    }
  }

  private static func fill(
    _ out: inout Moyeo_V1_Commute, of query: MatchQuery, _ tags: [String]
  ) {
    out.riderID = query.riderID
    out.origin = PartyMessage.place(query.originPlace)
    out.destination = PartyMessage.place(query.destination)
    out.departureWindowSeconds = Double(query.window.toleranceMilliseconds) / 1000
    out.seats = Int32(clamping: query.seats)
    if let value = query.wishes.maxWalkMeters { out.maxWalkMeters = value }
    if let value = query.wishes.maxDetourRatio { out.maxDetourRatio = value }
    if let value = query.wishes.minSharedRatio { out.minSharedRatio = value }
    if let value = query.wishes.maxRideSeconds { out.maxRideSeconds = value }
    if let value = query.wishes.maxDetourSeconds { out.maxDetourSeconds = value }
    out.tags = tags
    if let place = query.boarding { out.boarding = PartyMessage.place(place) }
    if let most = query.maxShare { out.maxShare = most }
    if query.allowsOverlap { out.allowsOverlap = true }
  }

  private static func rider(_ rider: CommuteRider) -> Moyeo_V1_CommuteRider {
    var out = Moyeo_V1_CommuteRider()
    out.riderID = rider.join.riderID
    out.joinedAt = Google_Protobuf_Timestamp(rider.joinedAt)
    if let place = rider.join.destination { out.destination = PartyMessage.place(place) }
    if let place = rider.join.boarding { out.boarding = PartyMessage.place(place) }
    out.seats = Int32(clamping: rider.join.seats ?? 1)
    if let most = rider.join.maxShare { out.maxShare = most }
    return out
  }

  private static func occurrence(
    _ day: CommuteDay, isParty: Bool, _ kind: UTCOffsets.LocalMoment.Kind
  ) -> Moyeo_V1_CommuteOccurrence {
    var out = Moyeo_V1_CommuteOccurrence()
    out.date = day.date.isoText
    out.departureTime = Google_Protobuf_Timestamp(day.departure)
    switch day.outcome {
    case .appeared(let id):
      out.state = "appeared"
      if isParty { out.partyID = id } else { out.requestID = id }
    case .skipped(let reason):
      out.state = "skipped"
      out.reason = reason
    }
    if let word = word(kind) { out.clockChange = word }
    return out
  }

  private static func word(_ kind: UTCOffsets.LocalMoment.Kind) -> String? {
    switch kind {
    case .once: nil
    case .skipped: "skipped"
    case .repeated: "repeated"
    }
  }
}

extension Moyeo_V1_Commute {
  /// Who has a part in it sees all of it; others the trip, its days, and how many ride along.
  fileprivate mutating func hide(from subject: String) {
    guard hostID != subject, riderID != subject,
      !riders.contains(where: { $0.riderID == subject })
    else { return }
    clearHostID()
    clearRiderID()
    riders = []
  }
}

extension Moyeo_V1_CommuteResponse: RoleViewed {
  mutating func hide(from subject: String) { if hasCommute { commute.hide(from: subject) } }
}

extension Moyeo_V1_CommuteListResponse: RoleViewed {
  mutating func hide(from subject: String) {
    for index in commutes.indices { commutes[index].hide(from: subject) }
  }
}
