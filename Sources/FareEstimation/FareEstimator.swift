import GeoMath
package import ObjectModel
package import RoutePlanning
package import TaxiFares
import WireFormat

/// Fares for requests: finds tariff, route, flat trip and area rule, prices, and shares.
///
/// A value without state of its own; safe to call from any task.
package struct FareEstimator: Sendable {
  package let library: TariffLibrary
  package let routes: any RouteProvider
  package let limits: FareRequestLimits
  /// Orders stops and gives routes their range where the provider gives none.
  let estimated = EstimatedRouteProvider()

  package init(
    library: TariffLibrary, routes: any RouteProvider = EstimatedRouteProvider(),
    limits: FareRequestLimits = FareRequestLimits()
  ) {
    self.library = library
    self.routes = routes
    self.limits = limits
  }

  /// All versions of all tariffs, by id, then by effective moment.
  package var tariffs: [Tariff] { library.catalog.tariffs }

  /// - Throws: ``FareRequestError`` naming the field.
  package func estimate(
    _ request: FareRequest, now: Instant
  ) async throws(FareRequestError) -> FareEstimate {
    let request = try normalized(request)
    let departure = request.departure ?? now
    try checkDeparture(departure)
    let tariff = try tariff(for: request, at: departure)
    let way = try await way(of: request, departure: departure)
    var trip = Trip(way.course, departure: departure)
    trip.tolls = request.tolls
    trip.isCalled = request.isCalled
    applyAreas(tariff, request, to: &trip)
    let fare = try price(tariff, trip, way)
    let shares = try await shares(of: fare.expected, tariff, trip: trip, way: way, request: request)
    let totals = trip.totals
    let seatsTaken = max(1, request.riders.reduce(0) { $0 + $1.seats }, request.riderCount ?? 1)
    let content = tariff.content
    return FareEstimate(
      currency: tariff.currency, minorUnitDigits: content.minorUnitDigits,
      expected: fare.expected.total, low: fare.low, high: fare.high, tariffID: tariff.id,
      tariffName: content.name, tariffEffective: tariff.effective,
      tariffEffectiveText: RFC3339.local(tariff.effective, content.offsets),
      tariffSource: content.source, unverifiedFields: content.unverified, departure: departure,
      distanceMeters: totals.distanceMeters, durationSeconds: totals.durationSeconds,
      lines: fare.expected.lines, shares: shares,
      perPersonNow: Self.perSeat(fare.expected.total, seats: seatsTaken),
      perPersonIfFull: Self.perSeat(
        fare.expected.total, seats: max(seatsTaken, request.seats ?? limits.defaultSeats)),
      source: way.source, fallbackReason: way.fallbackReason, path: way.path,
      stopOrder: way.stopOrder.map { request.riders[$0].id })
  }

  /// The largest of equal shares. - Requires: `seats` at least 1.
  package static func perSeat(_ amount: Int64, seats: Int) -> Int64 {
    amount / Int64(seats) + (amount % Int64(seats) == 0 ? 0 : 1)
  }

  /// Splits an amount. - Throws: ``FareRequestError/limitOutOfRange(field:value:allowed:)`` for
  /// more riders than a taxi holds, and what ``FareSplit/shares(coalitionFare:)`` throws.
  package func split(_ split: FareSplit) throws(FareRequestError) -> [FareShare] {
    guard (1...limits.maximumRiders).contains(split.riders.count) else {
      throw .limitOutOfRange(
        field: "riders", value: split.riders.count, allowed: 1...limits.maximumRiders)
    }
    do {
      return try split.shares()
    } catch {
      throw .share(error)
    }
  }

  private func price(
    _ tariff: Tariff, _ trip: Trip, _ way: FareRoute
  ) throws(FareRequestError) -> Fare {
    do {
      guard let range = way.range, trip.flatTrip == nil else { return try tariff.fare(for: trip) }
      return try tariff.fare(
        expected: trip, low: range.low.course, high: range.high.course)
    } catch {
      throw .fare(error)
    }
  }

  private func checkDeparture(_ departure: Instant) throws(FareRequestError) {
    guard FareLimits.departures.contains(departure) else {
      throw .fare(.departureOutOfRange(departure))
    }
  }

  /// Checks counts and names, and turns a rider count into riders.
  private func normalized(_ given: FareRequest) throws(FareRequestError) -> FareRequest {
    var request = given
    let allowed = 1...limits.maximumRiders
    if let count = request.riderCount {
      guard allowed.contains(count) else {
        throw .limitOutOfRange(field: "riderCount", value: count, allowed: allowed)
      }
      guard request.riders.isEmpty else { throw .conflictingFields("riderCount", "riders") }
      request.riders = (1...count).map { FareRider(id: "rider-\($0)") }
    }
    guard request.riders.count <= limits.maximumRiders else {
      throw .limitOutOfRange(field: "riders", value: request.riders.count, allowed: allowed)
    }
    var ids: Set<String> = []
    var seats = 0
    for (i, rider) in request.riders.enumerated() {
      guard ids.insert(rider.id).inserted else {
        throw .duplicateRider(field: "riders[\(i)].riderId", id: rider.id)
      }
      guard allowed.contains(rider.seats) else {
        throw .limitOutOfRange(field: "riders[\(i)].seats", value: rider.seats, allowed: allowed)
      }
      seats += rider.seats
    }
    guard seats <= limits.maximumRiders else {
      throw .limitOutOfRange(field: "riders[].seats", value: seats, allowed: allowed)
    }
    if let seats = request.seats, !allowed.contains(seats) {
      throw .limitOutOfRange(field: "seats", value: seats, allowed: allowed)
    }
    if let count = request.segments?.count, !(1...limits.maximumSegments).contains(count) {
      throw .limitOutOfRange(
        field: "segments", value: count, allowed: 1...limits.maximumSegments)
    }
    return request
  }
}
