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
  /// UTF-8 bytes of a place's name.
  static let placeNameBytes = 512
  static let wordBytes = 256

  // MARK: - Commands

  func create(_ request: Moyeo_V1_CreatePartyRequest) throws(APIError) -> CreateParty {
    let window = DepartureWindow(
      time: try requiredTime(
        request.hasDepartureTime ? request.departureTime : nil, field: "departureTime"),
      toleranceMilliseconds: try tolerance(
        request.hasDepartureWindowSeconds ? request.departureWindowSeconds : nil)
        ?? DepartureWindow.standardToleranceMilliseconds)
    var command = CreateParty(
      hostID: try validation.id(request.hasHostID ? request.hostID : nil, field: "hostId"),
      origin: try place(request.hasOrigin ? request.origin : nil, field: "origin"),
      destination: try place(
        request.hasDestination ? request.destination : nil, field: "destination"),
      window: window)
    if request.hasHostSeats { command.hostSeats = Int(request.hostSeats) }
    command.attributes = try attributes(
      request.hasAttributes ? request.attributes : nil, field: "attributes")
    command.hostWeight = request.hasWeight ? request.weight : nil
    try validation.bounded(request.riders.count, 100, field: "riders")
    for (i, rider) in request.riders.enumerated() {
      command.riders.append(try self.rider(rider, prefix: "riders[\(i)]."))
    }
    command.seats = request.hasSeats ? Int(request.seats) : nil
    if request.hasMaxWalkMeters { command.limits.maxWalkMeters = request.maxWalkMeters }
    if request.hasMaxDetourRatio { command.limits.maxDetourRatio = request.maxDetourRatio }
    if request.hasMinSharedRatio { command.limits.minSharedRatio = request.minSharedRatio }
    command.tags = try validation.tags(request.tags, field: "tags")
    if request.hasPolicy { command.policy = try policy(request.policy) }
    command.policyPack = try word(
      request.hasPolicyPack ? request.policyPack : nil, field: "policyPack")
    if let rule = try splitRule(request.hasSplitRule ? request.splitRule : nil) {
      command.splitRule = rule
    }
    command.allowsRaisedShares = request.allowRaisedShares
    command.isCalled = request.called
    command.tariffID = try word(request.hasTariffID ? request.tariffID : nil, field: "tariffId")
    command.vehicleClass = try word(
      request.hasVehicleClass ? request.vehicleClass : nil, field: "vehicleClass")
    return command
  }

  /// Who comes along with a host.
  private func rider(
    _ rider: Moyeo_V1_PartyRider, prefix: String
  ) throws(APIError) -> JoinParty {
    JoinParty(
      riderID: try validation.id(
        rider.hasRiderID ? rider.riderID : nil, field: prefix + "riderId"),
      destination: rider.hasDropOff
        ? try place(rider.dropOff, field: prefix + "dropOff") : nil,
      origin: rider.hasOrigin
        ? try place(rider.origin, field: prefix + "origin").coordinate : nil,
      seats: rider.hasSeats ? Int(rider.seats) : nil,
      attributes: try attributes(
        rider.hasAttributes ? rider.attributes : nil, field: prefix + "attributes"),
      wishes: RideWishes(
        maxWalkMeters: rider.hasMaxWalkMeters ? rider.maxWalkMeters : nil,
        maxDetourRatio: rider.hasMaxDetourRatio ? rider.maxDetourRatio : nil,
        minSharedRatio: rider.hasMinSharedRatio ? rider.minSharedRatio : nil),
      weight: rider.hasWeight ? rider.weight : nil,
      maxShare: rider.hasMaxShare ? rider.maxShare : nil)
  }

  func join(_ request: Moyeo_V1_JoinPartyRequest) throws(APIError) -> JoinParty {
    JoinParty(
      riderID: try validation.id(request.hasRiderID ? request.riderID : nil, field: "riderId"),
      destination: request.hasDestination
        ? try place(request.destination, field: "destination") : nil,
      origin: request.hasOrigin
        ? try place(request.origin, field: "origin").coordinate : nil,
      seats: request.hasSeats ? Int(request.seats) : nil,
      attributes: try attributes(
        request.hasAttributes ? request.attributes : nil, field: "attributes"),
      wishes: RideWishes(
        maxWalkMeters: request.hasMaxWalkMeters ? request.maxWalkMeters : nil,
        maxDetourRatio: request.hasMaxDetourRatio ? request.maxDetourRatio : nil,
        minSharedRatio: request.hasMinSharedRatio ? request.minSharedRatio : nil),
      weight: request.hasWeight ? request.weight : nil,
      maxShare: request.hasMaxShare ? request.maxShare : nil)
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
    return try join(same)
  }

  func update(_ request: Moyeo_V1_UpdatePartyRequest) throws(APIError) -> UpdateParty {
    UpdateParty(
      departureTime: request.hasDepartureTime
        ? try time(request.departureTime, field: "departureTime") : nil,
      toleranceMilliseconds: try tolerance(
        request.hasDepartureWindowSeconds ? request.departureWindowSeconds : nil),
      seats: request.hasSeats ? Int(request.seats) : nil)
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
      payerID: try validation.id(request.hasPayerID ? request.payerID : nil, field: "payerId"),
      amount: request.amount, tolls: request.hasTolls ? request.tolls : 0)
  }

  // MARK: - Queries

  func list(_ request: Moyeo_V1_ListPartiesRequest) throws(APIError) -> PartyListQuery {
    let person: PartyListQuery.Person
    switch (request.hasRiderID, request.hasHostID) {
    case (true, true):
      throw APIError(.conflictingFields, field: "hostId", "give riderId or hostId, not both")
    case (false, false):
      throw APIError(.missingField, field: "riderId", "riderId or hostId is required")
    case (true, false):
      person = .rider(try validation.id(request.riderID, field: "riderId"))
    case (false, true):
      person = .host(try validation.id(request.hostID, field: "hostId"))
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
      person: person, states: states, limit: request.hasLimit ? Int(request.limit) : nil,
      cursor: request.hasCursor ? request.cursor : nil)
  }

  func search(_ request: Moyeo_V1_SearchPartiesRequest) throws(APIError) -> PartySearchQuery {
    var query = PartySearchQuery(area: try area(request))
    if request.hasDestination {
      query.destination = try point(request.destination, field: "destination")
    }
    query.destinationRadiusMeters =
      request.hasDestinationRadiusMeters ? request.destinationRadiusMeters : nil
    query.from = request.hasFrom ? try time(request.from, field: "from") : nil
    query.to = request.hasTo ? try time(request.to, field: "to") : nil
    query.seats = request.hasSeats ? Int(request.seats) : nil
    query.tags = try validation.tags(request.tags, field: "tags")
    query.tagMatch = try validation.tagMatch(request.hasTagMatch ? request.tagMatch : nil)
    query.limit = request.hasLimit ? Int(request.limit) : nil
    query.cursor = request.hasCursor ? request.cursor : nil
    query.minVersion = request.hasMinVersion ? request.minVersion : nil
    return query
  }

  private func area(
    _ request: Moyeo_V1_SearchPartiesRequest
  ) throws(APIError) -> PartySearchQuery.Area {
    guard request.hasBox else {
      return .around(
        try validation.coordinate(
          latitude: request.hasLatitude ? request.latitude : nil,
          longitude: request.hasLongitude ? request.longitude : nil),
        radiusMeters: request.hasRadiusMeters ? request.radiusMeters : nil)
    }
    guard !request.hasLatitude && !request.hasLongitude && !request.hasRadiusMeters else {
      throw APIError(
        .conflictingFields, field: "box", "give a place and radius or a box, not both")
    }
    let box = request.box
    do throws(APIError) {
      guard
        let area = try validation.box(
          west: box.hasWest ? box.west : nil, south: box.hasSouth ? box.south : nil,
          east: box.hasEast ? box.east : nil, north: box.hasNorth ? box.north : nil)
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
    let query = MatchQuery(
      riderID: try validation.id(request.hasRiderID ? request.riderID : nil, field: "riderId"),
      origin: try place(request.hasOrigin ? request.origin : nil, field: "origin").coordinate,
      destination: try place(
        request.hasDestination ? request.destination : nil, field: "destination"),
      window: DepartureWindow(
        time: departure,
        toleranceMilliseconds: try tolerance(
          request.hasDepartureWindowSeconds ? request.departureWindowSeconds : nil)
          ?? DepartureWindow.standardToleranceMilliseconds),
      now: now,
      wishes: RideWishes(
        maxWalkMeters: request.hasMaxWalkMeters ? request.maxWalkMeters : nil,
        maxDetourRatio: request.hasMaxDetourRatio ? request.maxDetourRatio : nil,
        minSharedRatio: request.hasMinSharedRatio ? request.minSharedRatio : nil),
      seats: request.hasSeats ? Int(request.seats) : 1,
      attributes: try attributes(
        request.hasAttributes ? request.attributes : nil, field: "attributes"),
      maxShare: request.hasMaxShare ? request.maxShare : nil, explain: request.explain,
      allowsOverlap: request.allowsOverlap)
    return PartyMatchRequest(
      query: query, tags: try validation.tags(request.tags, field: "tags"),
      limit: request.hasLimit ? Int(request.limit) : nil,
      minVersion: request.hasMinVersion ? request.minVersion : nil)
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
      requests: requests, maxSeats: request.hasMaxSeats ? Int(request.maxSeats) : nil,
      seed: request.hasSeed ? UInt64(bitPattern: request.seed) : 1,
      iterations: request.hasIterations ? Int(request.iterations) : nil,
      timeBudgetMilliseconds: request.hasTimeBudgetMilliseconds
        ? Int(request.timeBudgetMilliseconds) : nil,
      policy: request.hasPolicy ? try policy(request.policy) : .none,
      tariffID: try word(request.hasTariffID ? request.tariffID : nil, field: "tariffId"))
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
    let seats = request.hasSeats ? Int(request.seats) : 1
    guard (1...PartyConfiguration.maximumSeatsOfTaxi).contains(seats) else {
      throw APIError(
        .limitOutOfRange, field: "seats",
        "seats is 1 to \(PartyConfiguration.maximumSeatsOfTaxi); got \(seats)")
    }
    return RideRequest(
      riderID: try validation.id(request.hasRiderID ? request.riderID : nil, field: "riderId"),
      origin: try place(request.hasOrigin ? request.origin : nil, field: "origin"),
      destination: try place(
        request.hasDestination ? request.destination : nil, field: "destination"),
      window: DepartureWindow(
        time: request.hasDepartureTime
          ? try time(request.departureTime, field: "departureTime") : now,
        toleranceMilliseconds: try tolerance(
          request.hasDepartureWindowSeconds ? request.departureWindowSeconds : nil)
          ?? DepartureWindow.standardToleranceMilliseconds),
      limits: limits, seats: seats,
      attributes: try attributes(
        request.hasAttributes ? request.attributes : nil, field: "attributes"))
  }
}
