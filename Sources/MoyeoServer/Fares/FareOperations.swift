import GeoMath
import MoyeoAPI
import FareEstimation
import ObjectModel
import SwiftProtobuf
import TaxiFares

/// The calls of FareService.
struct FareOperations: Sendable {
  let estimator: FareEstimator
  let clock: any WallClock
  let validation: RequestValidation

  var all: [Operation] {
    let service = "FareService"
    return [
      Operation(
        service, "Estimate", request: Moyeo_V1_EstimateFareRequest.self,
        response: Moyeo_V1_EstimateFareResponse.self, routes: [.init("POST", "/v1/fares/estimate")]
      ) { request, _ in try await estimate(request) },
      Operation(
        service, "Split", request: Moyeo_V1_SplitFareRequest.self,
        response: Moyeo_V1_SplitFareResponse.self,
        routes: [.init("POST", "/v1/fares/split")]
      ) { request, _ in try split(request) },
      Operation(
        service, "ListTariffs", request: Moyeo_V1_ListTariffsRequest.self,
        response: Moyeo_V1_ListTariffsResponse.self, routes: [.init("GET", "/v1/tariffs")]
      ) { request, _ in try listTariffs(request) },
    ]
  }

  private func estimate(_ request: Moyeo_V1_EstimateFareRequest) async throws -> [UInt8] {
    let fareRequest = try fareRequest(request)
    var response = Moyeo_V1_EstimateFareResponse()
    do throws(FareRequestError) {
      response.fare = message(of: try await estimator.estimate(fareRequest, now: clock.now()))
    } catch {
      throw APIError(error)
    }
    return try encoded(response)
  }

  private func fareRequest(_ request: Moyeo_V1_EstimateFareRequest) throws(APIError) -> FareRequest
  {
    var out = FareRequest()
    if request.hasOrigin { out.origin = try coordinate(of: request.origin, field: "origin") }
    if request.hasDestination {
      out.destination = try coordinate(of: request.destination, field: "destination")
    }
    if !request.segments.isEmpty {
      var segments: [TripSegment] = []
      for (i, segment) in request.segments.enumerated() {
        guard segment.hasDistanceMeters, segment.hasDurationSeconds else {
          throw APIError(
            .missingField, field: "segments[\(i)]",
            "a segment needs distanceMeters and durationSeconds")
        }
        segments.append(
          TripSegment(
            distanceMeters: segment.distanceMeters, durationSeconds: segment.durationSeconds))
      }
      out.segments = segments
    }
    out.distanceMeters = request.distanceMetersIfSet
    out.durationSeconds = request.durationSecondsIfSet
    out.slowSeconds = request.slowSecondsIfSet
    out.departure =
      request.hasDepartureTime
      ? try validation.time(request.departureTime, field: "departureTime") : nil
    out.tariffID = request.tariffIDIfSet
    out.vehicleClass = request.vehicleClassIfSet
    out.riderCount = request.riderCountIfSet.map(Int.init)
    out.riders = try riders(request.riders)
    out.splitRule = try rule(request.splitRuleIfSet, field: "splitRule")
    out.hostID = try hostID(request.hostIDIfSet)
    out.tolls = request.hasTolls ? request.tolls : 0
    out.isCalled = request.called
    out.isOutOfArea = request.outOfAreaIfSet
    out.flatTrip = request.flatTripIfSet
    out.seats = request.seatsIfSet.map(Int.init)
    return out
  }

  private func hostID(_ id: String?) throws(APIError) -> String? {
    guard let id else { return nil }
    return try validation.id(id, field: "hostId")
  }

  private func coordinate(of place: Moyeo_V1_Place, field: String) throws(APIError) -> Coordinate {
    try validation.coordinate(of: place, field: field)
  }

  /// Riders or legs that are looked at; a taxi holds fewer, which the rules say.
  private static let maximumItems = 100

  private func riders(_ riders: [Moyeo_V1_FareRider]) throws(APIError) -> [FareRider] {
    try validation.bounded(riders.count, Self.maximumItems, field: "riders")
    var out: [FareRider] = []
    for (i, rider) in riders.enumerated() {
      let field = "riders[\(i)]"
      var entry = FareRider(
        id: try validation.id(rider.riderIDIfSet, field: field + ".riderId"))
      if rider.hasDropOff {
        entry.dropOff = try coordinate(of: rider.dropOff, field: field + ".dropOff")
      }
      if rider.hasSeats { entry.seats = Int(rider.seats) }
      entry.weight = rider.weightIfSet
      out.append(entry)
    }
    return out
  }

  private func rule(_ word: String?, field: String) throws(APIError) -> SplitRule? {
    guard let word else { return nil }
    guard let rule = SplitRule(rawValue: word) else {
      let words = SplitRule.allCases.map(\.rawValue).joined(separator: ", ")
      throw APIError(.badValue, field: field, "\(field) is one of \(words); got \(quoted(word))")
    }
    return rule
  }

  private func split(_ request: Moyeo_V1_SplitFareRequest) throws -> [UInt8] {
    guard request.hasAmount else {
      throw APIError(.missingField, field: "amount", "amount is required")
    }
    let rule = try rule(request.ruleIfSet, field: "rule") ?? .equal
    try validation.bounded(request.riders.count, Self.maximumItems, field: "riders")
    try validation.bounded(request.legs.count, Self.maximumItems, field: "legs")
    for (i, leg) in request.legs.enumerated() {
      try validation.bounded(leg.aboard.count, Self.maximumItems, field: "legs[\(i)].aboard")
    }
    var riders: [ShareRider] = []
    for (i, rider) in request.riders.enumerated() {
      riders.append(
        ShareRider(
          id: try validation.id(
            rider.riderIDIfSet, field: "riders[\(i)].riderId"),
          seats: rider.hasSeats ? Int(rider.seats) : 1,
          soloFare: rider.soloFareIfSet,
          distanceMeters: rider.distanceMetersIfSet,
          weight: rider.weightIfSet))
    }
    let legs = request.legs.map { ShareLeg(amount: $0.amount, aboard: $0.aboard) }
    let split = FareSplit(
      amount: request.amount, rule: rule, riders: riders, legs: legs,
      extras: request.hasTolls ? request.tolls : 0,
      hostID: try hostID(request.hostIDIfSet))
    var response = Moyeo_V1_SplitFareResponse()
    do throws(FareRequestError) {
      response.shares = try estimator.split(split).map(message)
    } catch {
      throw APIError(error)
    }
    if request.hasCurrency { response.currency = request.currency }
    return try encoded(response)
  }

  private func listTariffs(_ request: Moyeo_V1_ListTariffsRequest) throws -> [UInt8] {
    let moment = request.hasAt ? try validation.time(request.at, field: "at") : nil
    var response = Moyeo_V1_ListTariffsResponse()
    response.tariffs = estimator.tariffs.filter { tariff in
      (!request.hasArea || tariff.area == request.area)
        && (!request.hasTariffID || tariff.id == request.tariffID)
        && (moment.map(tariff.isInForce) ?? true)
    }.map(message)
    if request.hasTariffID && response.tariffs.isEmpty
      && !estimator.tariffs.contains(where: { $0.id == request.tariffID })
    {
      throw APIError(
        .unknownTariff, field: "tariffId", "no tariff has the id \(quoted(request.tariffID))")
    }
    return try encoded(response)
  }
}
