package import GeoMath
package import RoutePlanning
package import TaxiFares
import WireFormat

/// Why a fare request is refused. ``reason`` and ``field`` are words for the wire.
package enum FareRequestError: Error, Hashable, Sendable {
  /// Neither places, nor segments, nor totals; or half of them.
  case missingField(String)
  /// Two fields that say the same thing differently.
  case conflictingFields(String, String)
  case limitOutOfRange(field: String, value: Int, allowed: ClosedRange<Int>)
  case duplicateRider(field: String, id: String)
  /// No area with a tariff holds the origin.
  case noTariffHere(Coordinate)
  /// A trip that ends where it begins, within ``TripLength/minimumMeters``.
  case tripTooShort(field: String, meters: Double)
  /// The way cannot be driven or no provider answers.
  case route(RouteError)
  case fare(FareError)
  case share(ShareError)
}

extension FareRequestError {
  /// One word a cause, as in the error table.
  package var reason: String {
    switch self {
    case .missingField: "missing_field"
    case .conflictingFields: "conflicting_fields"
    case .limitOutOfRange: "limit_out_of_range"
    case .duplicateRider: "duplicate_rider"
    case .noTariffHere: "no_tariff_here"
    case .tripTooShort: "trip_too_short"
    case .route(.tooManyStops): "limit_out_of_range"
    case .route(.noRoute): "no_route"
    case .route: "unavailable"
    case .fare(let error): error.reason
    case .share(let error): error.reason
    }
  }

  /// The offending field of the request.
  package var field: String {
    switch self {
    case .missingField(let field): field
    case .conflictingFields(let field, _): field
    case .limitOutOfRange(let field, _, _): field
    case .duplicateRider(let field, _): field
    case .noTariffHere: "origin"
    case .tripTooShort(let field, _): field
    case .route(.tooManyStops): "riders"
    case .route: "destination"
    case .fare(let error): error.field
    case .share(let error): error.field
    }
  }

  /// What happened, with the offending value.
  package var message: String {
    switch self {
    case .missingField(let field):
      "\(field) is missing"
    case .conflictingFields(let one, let other):
      "give \(one) or \(other), not both"
    case .limitOutOfRange(let field, let value, let allowed):
      "\(field) must be \(allowed.lowerBound)-\(allowed.upperBound), is \(value)"
    case .duplicateRider(let field, let id):
      "\(field): rider \"\(id)\" is named twice"
    case .noTariffHere(let place):
      "no tariff covers origin \(place.latitude), \(place.longitude); name a tariffId"
    case .tripTooShort(let field, let meters):
      "\(field) is \(Int(meters.rounded())) m from origin, closer than the "
        + "\(Int(TripLength.minimumMeters)) m that a trip must have"
    case .route(let error):
      "no route: \(error.reason)"
    case .fare(let error):
      error.message
    case .share(let error):
      error.message
    }
  }
}

extension FareError {
  package var reason: String {
    switch self {
    case .unknownTariff: "unknown_tariff"
    case .noTariff(_, let vehicleClass):
      vehicleClass == nil ? "unknown_tariff" : "unknown_vehicle_class"
    case .departureBeforeTariffs: "departure_before_tariffs"
    case .tariffEnded: "departure_after_tariffs"
    case .departureOutOfRange: "departure_out_of_range"
    case .distanceOutOfRange: "distance_out_of_range"
    case .durationOutOfRange, .slowTimeExceedsDuration: "duration_out_of_range"
    case .amountOutOfRange: "amount_out_of_range"
    case .segmentCountOutOfRange: "limit_out_of_range"
    case .unknownFlatTrip: "unknown_flat_trip"
    }
  }

  package var field: String {
    switch self {
    case .unknownTariff: "tariffId"
    case .noTariff(_, let vehicleClass): vehicleClass == nil ? "origin" : "vehicleClass"
    case .departureBeforeTariffs, .tariffEnded, .departureOutOfRange: "departureTime"
    case .distanceOutOfRange(let field, _): field
    case .durationOutOfRange(let field, _): field
    case .slowTimeExceedsDuration: "slowSeconds"
    case .amountOutOfRange(let field, _): field
    case .segmentCountOutOfRange: "segments"
    case .unknownFlatTrip: "flatTrip"
    }
  }

  package var message: String {
    switch self {
    case .unknownTariff(let id):
      "no tariff has the id \"\(id)\""
    case .noTariff(let area, nil):
      "no tariff for area \(area)"
    case .noTariff(let area, let vehicleClass?):
      "no tariff for vehicleClass \"\(vehicleClass)\" in area \(area)"
    case .departureBeforeTariffs(let id, let departure, let first):
      "departureTime \(RFC3339.utc(departure)) is before every tariff of \(id); "
        + "the first is in force from \(RFC3339.utc(first))"
    case .tariffEnded(let id, let departure, let ended):
      "departureTime \(RFC3339.utc(departure)) is after the last tariff of \(id), "
        + "which ended at \(RFC3339.utc(ended))"
    case .departureOutOfRange:
      "departureTime must lie in the years 1900-2500"
    case .distanceOutOfRange(let field, let meters):
      "\(field) must be 0-\(Int(FareLimits.maximumDistanceMeters)) meters, is \(meters)"
    case .durationOutOfRange(let field, let seconds):
      "\(field) must be 0-\(Int(FareLimits.maximumDurationSeconds)) seconds, is \(seconds)"
    case .slowTimeExceedsDuration(let slow, let duration):
      "slowSeconds must be at most durationSeconds \(duration), is \(slow)"
    case .amountOutOfRange(let field, let amount):
      "\(field) must be 0-\(FareLimits.maximumAmount), is \(amount)"
    case .segmentCountOutOfRange(let count):
      "segments must be 1-\(FareLimits.maximumSegments), are \(count)"
    case .unknownFlatTrip(let id):
      "the tariff has no flatTrip \"\(id)\""
    }
  }
}

extension ShareError {
  package var reason: String {
    switch self {
    case .riderCountOutOfRange, .seatsOutOfRange: "limit_out_of_range"
    case .duplicateRider: "duplicate_rider"
    case .missing: "missing_field"
    case .amountOutOfRange: "amount_out_of_range"
    case .numberOutOfRange: "number_out_of_range"
    case .unknownRider: "unknown_rider"
    case .nothingToShareBy: "nothing_to_share_by"
    }
  }

  package var field: String {
    switch self {
    case .riderCountOutOfRange: "riders"
    case .duplicateRider(let field, _): field
    case .missing(let field): field
    case .amountOutOfRange(let field, _): field
    case .numberOutOfRange(let field, _): field
    case .seatsOutOfRange(let field, _): field
    case .unknownRider(let field, _): field
    case .nothingToShareBy(let field): field
    }
  }

  package var message: String {
    switch self {
    case .riderCountOutOfRange(let count):
      "riders must be 1-\(FareSplit.maximumRiders), are \(count)"
    case .duplicateRider(let field, let id):
      "\(field): rider \"\(id)\" is named twice"
    case .missing(let field):
      "\(field) is missing; the split rule needs it"
    case .amountOutOfRange(let field, let amount):
      "\(field) must be 0-\(FareLimits.maximumAmount), is \(amount)"
    case .numberOutOfRange(let field, let value):
      "\(field) must be a number from 0 on, is \(value)"
    case .seatsOutOfRange(let field, let seats):
      "\(field) must be 1-100, is \(seats)"
    case .unknownRider(let field, let id):
      "\(field): \"\(id)\" is not among the riders"
    case .nothingToShareBy(let field):
      "\(field) is 0 for everyone, and there is an amount to share"
    }
  }
}
