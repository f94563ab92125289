import GeoMath
import MoyeoAPI
import Parties
import ObjectModel
import RideMatching
import SwiftProtobuf
import TaxiFares

/// Turns what stands in a request about parties into commands and queries, or says which field is
/// wrong and why. Ranges that the rules know are theirs to check.
struct PartyRequestReading: Sendable {
  let validation: RequestValidation
  static let wordBytes = 256

  // MARK: - Commands

  func create(_ request: Moyeo_V1_CreatePartyRequest) throws(APIError) -> CreateParty {
    let window = DepartureWindow(
      time: try requiredTime(
        request.departureTimeIfSet, field: "departureTime"),
      toleranceMilliseconds: try tolerance(
        request.departureWindowSecondsIfSet)
        ?? DepartureWindow.standardToleranceMilliseconds)
    var command = CreateParty(
      hostID: try validation.id(request.hostIDIfSet, field: "hostId"),
      origin: try place(request.originIfSet, field: "origin"),
      destination: try place(
        request.destinationIfSet, field: "destination"),
      window: window)
    if request.hasHostSeats { command.hostSeats = Int(request.hostSeats) }
    command.attributes = try attributes(
      request.attributesIfSet, field: "attributes")
    command.hostWeight = request.weightIfSet
    try validation.bounded(request.riders.count, 100, field: "riders")
    for (i, rider) in request.riders.enumerated() {
      command.riders.append(try self.rider(rider, prefix: "riders[\(i)]."))
    }
    command.seats = request.seatsIfSet.map(Int.init)
    if request.hasMaxWalkMeters { command.limits.maxWalkMeters = request.maxWalkMeters }
    if request.hasMaxDetourRatio { command.limits.maxDetourRatio = request.maxDetourRatio }
    if request.hasMinSharedRatio { command.limits.minSharedRatio = request.minSharedRatio }
    command.limits.maxRideSeconds = request.maxRideSecondsIfSet
    command.limits.maxDetourSeconds = request.maxDetourSecondsIfSet
    if request.hasArriveBy {
      command.limits.arriveBy = try time(request.arriveBy, field: "arriveBy")
    }
    command.tags = try validation.tags(request.tags, field: "tags")
    if request.hasPolicy { command.policy = try policy(request.policy) }
    command.policyPack = try word(
      request.policyPackIfSet, field: "policyPack")
    if let rule = try splitRule(request.splitRuleIfSet) {
      command.splitRule = rule
    }
    command.allowsRaisedShares = request.allowRaisedShares
    command.isCalled = request.called
    command.tariffID = try word(request.tariffIDIfSet, field: "tariffId")
    command.vehicleClass = try word(
      request.vehicleClassIfSet, field: "vehicleClass")
    if request.hasAgreedFare { command.agreedFare = try agreedFare(request.agreedFare) }
    command.needsApproval = try needsApproval(request.approvalIfSet)
    command.holdsSeats = request.holdSeats
    if try originPrecision(request.originPrecisionIfSet) == .snapped {
      command.meetingPlace = command.origin
      command.origin = OriginPrecision.snapped(command.origin)
    }
    return command
  }

  private func agreedFare(_ fare: Moyeo_V1_AgreedFare) throws(APIError) -> AgreedFare {
    guard let amount = fare.amountIfSet else {
      throw APIError(.missingField, field: "agreedFare.amount", "agreedFare needs an amount")
    }
    guard let currency = fare.currencyIfSet else {
      throw APIError(.missingField, field: "agreedFare.currency", "agreedFare needs a currency")
    }
    return AgreedFare(amount: amount, currency: currency)
  }

  private func needsApproval(_ word: String?) throws(APIError) -> Bool {
    guard let word else { return false }
    guard word == "host" else {
      throw APIError(.badValue, field: "approval", "approval is host; got \(quoted(word))")
    }
    return true
  }

  private func originPrecision(_ word: String?) throws(APIError) -> OriginPrecision {
    guard let word else { return .exact }
    guard let precision = OriginPrecision(rawValue: word) else {
      throw APIError(
        .badValue, field: "originPrecision",
        "originPrecision is exact or snapped; got \(quoted(word))")
    }
    return precision
  }

  /// Who comes along with a host.
  private func rider(
    _ rider: Moyeo_V1_PartyRider, prefix: String
  ) throws(APIError) -> JoinParty {
    JoinParty(
      riderID: try validation.id(
        rider.riderIDIfSet, field: prefix + "riderId"),
      destination: try place(ifSet: rider.dropOffIfSet, field: prefix + "dropOff"),
      origin: try place(ifSet: rider.originIfSet, field: prefix + "origin")?.coordinate,
      seats: rider.seatsIfSet.map(Int.init),
      attributes: try attributes(
        rider.attributesIfSet, field: prefix + "attributes"),
      wishes: RideWishes(
        maxWalkMeters: rider.maxWalkMetersIfSet,
        maxDetourRatio: rider.maxDetourRatioIfSet,
        minSharedRatio: rider.minSharedRatioIfSet,
        maxRideSeconds: rider.maxRideSecondsIfSet,
        maxDetourSeconds: rider.maxDetourSecondsIfSet,
        arriveBy: try time(ifSet: rider.arriveByIfSet, field: prefix + "arriveBy")),
      weight: rider.weightIfSet,
      maxShare: rider.maxShareIfSet)
  }

  func join(_ request: Moyeo_V1_JoinPartyRequest) throws(APIError) -> JoinParty {
    JoinParty(
      riderID: try validation.id(request.riderIDIfSet, field: "riderId"),
      destination: try place(ifSet: request.destinationIfSet, field: "destination"),
      origin: try place(ifSet: request.originIfSet, field: "origin")?.coordinate,
      seats: request.seatsIfSet.map(Int.init),
      attributes: try attributes(
        request.attributesIfSet, field: "attributes"),
      wishes: RideWishes(
        maxWalkMeters: request.maxWalkMetersIfSet,
        maxDetourRatio: request.maxDetourRatioIfSet,
        minSharedRatio: request.minSharedRatioIfSet,
        maxRideSeconds: request.maxRideSecondsIfSet,
        maxDetourSeconds: request.maxDetourSecondsIfSet,
        arriveBy: try time(ifSet: request.arriveByIfSet, field: "arriveBy")),
      weight: request.weightIfSet,
      maxShare: request.maxShareIfSet,
      boarding: try place(ifSet: request.boardingIfSet, field: "boarding"),
      window: try window(request))
  }

  /// When the rider can get in; a width without a time says nothing.
  private func window(
    _ request: Moyeo_V1_JoinPartyRequest
  ) throws(APIError) -> DepartureWindow? {
    let width = try tolerance(request.departureWindowSecondsIfSet)
    guard request.hasDepartureTime else {
      guard width == nil else {
        throw APIError(
          .missingField, field: "departureTime", "departureWindowSeconds needs departureTime")
      }
      return nil
    }
    return DepartureWindow(
      time: try time(request.departureTime, field: "departureTime"),
      toleranceMilliseconds: width ?? DepartureWindow.standardToleranceMilliseconds)
  }

  /// The same fields: what is previewed is the join.
  func join(_ request: Moyeo_V1_PreviewJoinRequest) throws(APIError) -> JoinParty {
    var same = Moyeo_V1_JoinPartyRequest()
    if request.hasRiderID { same.riderID = request.riderID }
    if request.hasDestination { same.destination = request.destination }
    if request.hasAttributes { same.attributes = request.attributes }
    if request.hasSeats { same.seats = request.seats }
    if request.hasMaxShare { same.maxShare = request.maxShare }
    if request.hasOrigin { same.origin = request.origin }
    if request.hasMaxWalkMeters { same.maxWalkMeters = request.maxWalkMeters }
    if request.hasMaxDetourRatio { same.maxDetourRatio = request.maxDetourRatio }
    if request.hasMinSharedRatio { same.minSharedRatio = request.minSharedRatio }
    if request.hasWeight { same.weight = request.weight }
    if request.hasBoarding { same.boarding = request.boarding }
    if request.hasDepartureTime { same.departureTime = request.departureTime }
    if request.hasDepartureWindowSeconds {
      same.departureWindowSeconds = request.departureWindowSeconds
    }
    if request.hasMaxRideSeconds { same.maxRideSeconds = request.maxRideSeconds }
    if request.hasMaxDetourSeconds { same.maxDetourSeconds = request.maxDetourSeconds }
    if request.hasArriveBy { same.arriveBy = request.arriveBy }
    return try join(same)
  }

  func update(_ request: Moyeo_V1_UpdatePartyRequest) throws(APIError) -> UpdateParty {
    UpdateParty(
      departureTime: try time(ifSet: request.departureTimeIfSet, field: "departureTime"),
      toleranceMilliseconds: try tolerance(
        request.departureWindowSecondsIfSet),
      seats: request.seatsIfSet.map(Int.init))
  }

  func removalReason(_ word: String?) throws(APIError) -> RemovalReason {
    guard let word else { return .host }
    guard let reason = RemovalReason(rawValue: word) else {
      throw APIError(
        .badValue, field: "reason", "reason is no_show or host; got \(quoted(word))")
    }
    return reason
  }

  func settle(_ request: Moyeo_V1_SettlePartyRequest) throws(APIError) -> SettleParty {
    guard request.hasAmount else {
      throw APIError(.missingField, field: "amount", "amount is required")
    }
    return SettleParty(
      payerID: try validation.id(request.payerIDIfSet, field: "payerId"),
      amount: request.amount, tolls: request.hasTolls ? request.tolls : 0)
  }

  // MARK: - Queries

  func list(_ request: Moyeo_V1_ListPartiesRequest) throws(APIError) -> PartyListQuery {
    let person: PartyListQuery.Person
    switch (request.hasRiderID, request.hasHostID, request.hasRequesterID) {
    case (true, false, false):
      person = .rider(try validation.id(request.riderID, field: "riderId"))
    case (false, true, false):
      person = .host(try validation.id(request.hostID, field: "hostId"))
    case (false, false, true):
      person = .requester(try validation.id(request.requesterID, field: "requesterId"))
    case (false, false, false):
      throw APIError(
        .missingField, field: "riderId", "riderId, hostId or requesterId is required")
    default:
      throw APIError(
        .conflictingFields, field: request.hasHostID ? "hostId" : "requesterId",
        "give one of riderId, hostId and requesterId")
    }
    var states: Set<Party.State> = []
    for word in request.state {
      guard let state = Party.State(rawValue: word) else {
        let words = Party.State.allCases.map(\.rawValue).joined(separator: ", ")
        throw APIError(.badValue, field: "state", "state is one of \(words); got \(quoted(word))")
      }
      states.insert(state)
    }
    return PartyListQuery(
      person: person, states: states, limit: request.limitIfSet.map(Int.init),
      cursor: request.cursorIfSet)
  }

  func search(_ request: Moyeo_V1_SearchPartiesRequest) throws(APIError) -> PartySearchQuery {
    var query = PartySearchQuery(area: try area(request))
    if request.hasDestination {
      query.destination = try point(request.destination, field: "destination")
    }
    query.destinationRadiusMeters =
      request.destinationRadiusMetersIfSet
    query.from = try time(ifSet: request.fromIfSet, field: "from")
    query.to = try time(ifSet: request.toIfSet, field: "to")
    query.seats = request.seatsIfSet.map(Int.init)
    query.tags = try validation.tags(request.tags, field: "tags")
    query.tagMatch = try validation.tagMatch(request.tagMatchIfSet)
    query.limit = request.limitIfSet.map(Int.init)
    query.cursor = request.cursorIfSet
    query.minVersion = request.minVersionIfSet
    return query
  }

  private func area(
    _ request: Moyeo_V1_SearchPartiesRequest
  ) throws(APIError) -> PartySearchQuery.Area {
    guard request.hasBox else {
      return .around(
        try validation.coordinate(
          latitude: request.latitudeIfSet,
          longitude: request.longitudeIfSet),
        radiusMeters: request.radiusMetersIfSet)
    }
    guard !request.hasLatitude && !request.hasLongitude && !request.hasRadiusMeters else {
      throw APIError(
        .conflictingFields, field: "box", "give a place and radius or a box, not both")
    }
    let box = request.box
    do throws(APIError) {
      guard
        let area = try validation.box(
          west: box.westIfSet, south: box.southIfSet,
          east: box.eastIfSet, north: box.northIfSet)
      else {
        throw APIError(.missingField, field: "west", "a box needs west, south, east and north")
      }
      return .box(area)
    } catch {
      throw error.prefixingFields("box.")
    }
  }

  /// Reads and validates a search for parties that suit one rider.
  ///
  /// - Parameters:
  ///   - request: As it came.
  ///   - now: The departure of a request that names none.
  /// - Returns: What the party service takes.
  /// - Throws: ``APIError`` for the first field that is missing or out of range.
  func match(
    _ request: Moyeo_V1_MatchPartiesRequest, now: Instant
  ) throws(APIError) -> PartyMatchRequest {
    let departure =
      request.hasDepartureTime ? try time(request.departureTime, field: "departureTime") : now
    let riderID = try validation.id(request.riderIDIfSet, field: "riderId")
    let origin = try place(request.originIfSet, field: "origin")
    var query = MatchQuery(
      riderID: riderID, origin: origin.coordinate,
      destination: try place(
        request.destinationIfSet, field: "destination"),
      window: DepartureWindow(
        time: departure,
        toleranceMilliseconds: try tolerance(
          request.departureWindowSecondsIfSet)
          ?? DepartureWindow.standardToleranceMilliseconds),
      now: now,
      wishes: RideWishes(
        maxWalkMeters: request.maxWalkMetersIfSet,
        maxDetourRatio: request.maxDetourRatioIfSet,
        minSharedRatio: request.minSharedRatioIfSet,
        maxRideSeconds: request.maxRideSecondsIfSet,
        maxDetourSeconds: request.maxDetourSecondsIfSet,
        arriveBy: try time(ifSet: request.arriveByIfSet, field: "arriveBy")),
      seats: request.hasSeats ? Int(request.seats) : 1,
      attributes: try attributes(
        request.attributesIfSet, field: "attributes"),
      maxShare: request.maxShareIfSet, explain: request.explain,
      allowsOverlap: request.allowsOverlap,
      boarding: try place(ifSet: request.boardingIfSet, field: "boarding"))
    query.originName = origin.name
    return PartyMatchRequest(
      query: query, tags: try validation.tags(request.tags, field: "tags"),
      limit: request.limitIfSet.map(Int.init),
      minVersion: request.minVersionIfSet)
  }

  func batch(
    _ request: Moyeo_V1_MatchBatchRequest, now: Instant
  ) throws(APIError) -> PartyBatchQuery {
    var requests: [RideRequest] = []
    requests.reserveCapacity(request.requests.count)
    for (i, one) in request.requests.enumerated() {
      do throws(APIError) {
        requests.append(try rideRequest(one, now: now))
      } catch {
        throw error.prefixingFields("requests[\(i)].")
      }
    }
    return PartyBatchQuery(
      requests: requests, maxSeats: request.maxSeatsIfSet.map(Int.init),
      seed: request.hasSeed ? UInt64(bitPattern: request.seed) : 1,
      iterations: request.iterationsIfSet.map(Int.init),
      timeBudgetMilliseconds: request.timeBudgetMillisecondsIfSet.map(Int.init),
      policy: request.hasPolicy ? try policy(request.policy) : .none,
      tariffID: try word(request.tariffIDIfSet, field: "tariffId"))
  }

  private func rideRequest(
    _ request: Moyeo_V1_BatchRequest, now: Instant
  ) throws(APIError) -> RideRequest {
    var limits = RideLimits.standard
    if request.hasMaxWalkMeters {
      limits.maxWalkMeters = try number(request.maxWalkMeters, field: "maxWalkMeters")
    }
    if request.hasMaxDetourRatio {
      limits.maxDetourRatio = try number(request.maxDetourRatio, field: "maxDetourRatio")
    }
    if request.hasMinSharedRatio {
      let ratio = try number(request.minSharedRatio, field: "minSharedRatio")
      guard ratio <= 1 else {
        throw APIError(
          .limitOutOfRange, field: "minSharedRatio", "minSharedRatio is 0 to 1; got \(ratio)")
      }
      limits.minSharedRatio = ratio
    }
    if request.hasMaxRideSeconds {
      limits.maxRideSeconds = try number(request.maxRideSeconds, field: "maxRideSeconds")
    }
    if request.hasMaxDetourSeconds {
      limits.maxDetourSeconds = try number(request.maxDetourSeconds, field: "maxDetourSeconds")
    }
    limits.arriveBy = try time(ifSet: request.arriveByIfSet, field: "arriveBy")
    let seats = request.hasSeats ? Int(request.seats) : 1
    guard (1...PartyConfiguration.maximumSeatsOfTaxi).contains(seats) else {
      throw APIError(
        .limitOutOfRange, field: "seats",
        "seats is 1 to \(PartyConfiguration.maximumSeatsOfTaxi); got \(seats)")
    }
    return RideRequest(
      riderID: try validation.id(request.riderIDIfSet, field: "riderId"),
      origin: try place(request.originIfSet, field: "origin"),
      destination: try place(
        request.destinationIfSet, field: "destination"),
      window: DepartureWindow(
        time: request.hasDepartureTime
          ? try time(request.departureTime, field: "departureTime") : now,
        toleranceMilliseconds: try tolerance(
          request.departureWindowSecondsIfSet)
          ?? DepartureWindow.standardToleranceMilliseconds),
      limits: limits, seats: seats,
      attributes: try attributes(
        request.attributesIfSet, field: "attributes"),
      boarding: request.hasBoarding
        ? try place(request.boarding, field: "boarding") : nil)
  }
}
