import MoyeoAPI
import FareEstimation
import RoutePlanning
import TaxiFares

extension APIError {
  /// The one place where fare errors get their reasons.
  init(_ error: FareRequestError) {
    self.init(Reason(error), field: error.field, error.message)
  }

  /// The one place where route errors get their reasons.
  init(_ error: RouteError, field: String) {
    switch error {
    case .tooManyStops(let count, let maximum):
      self.init(.limitOutOfRange, field: field, "at most \(maximum) stops; got \(count)")
    case .noRoute(let detail):
      self.init(.noRoute, field: field, "no road connects these places: \(detail)")
    case .rateLimited(let milliseconds):
      self.init(
        .unavailable, "the route provider's quota is used up",
        retryAfterMilliseconds: milliseconds ?? 1000)
    case .circuitOpen(let milliseconds):
      self.init(
        .unavailable, "the route provider failed too often of late",
        retryAfterMilliseconds: milliseconds)
    case .refused, .unauthorized, .timedOut, .unavailable, .tooLarge, .malformed, .implausible,
      .cancelled:
      self.init(.unavailable, "the route provider failed (\(error.reason))")
    }
  }
}

extension Reason {
  fileprivate init(_ error: FareRequestError) {
    switch error {
    case .missingField: self = .missingField
    case .conflictingFields: self = .conflictingFields
    case .limitOutOfRange: self = .limitOutOfRange
    case .duplicateRider: self = .duplicateRider
    case .tripTooShort: self = .tripTooShort
    case .noTariffHere: self = .noTariffHere
    case .route(.tooManyStops): self = .limitOutOfRange
    case .route(.noRoute): self = .noRoute
    case .route: self = .unavailable
    case .fare(let error): self = Reason(error)
    case .share(let error): self = Reason(error)
    }
  }

  private init(_ error: FareError) {
    switch error {
    case .unknownTariff: self = .unknownTariff
    case .noTariff(_, let vehicleClass):
      self = vehicleClass == nil ? .unknownTariff : .unknownVehicleClass
    case .departureBeforeTariffs: self = .departureBeforeTariffs
    case .tariffEnded: self = .departureAfterTariffs
    case .departureOutOfRange: self = .departureOutOfRange
    case .distanceOutOfRange: self = .distanceOutOfRange
    case .durationOutOfRange, .slowTimeExceedsDuration: self = .durationOutOfRange
    case .amountOutOfRange: self = .amountOutOfRange
    case .segmentCountOutOfRange: self = .limitOutOfRange
    case .unknownFlatTrip: self = .unknownFlatTrip
    }
  }

  private init(_ error: ShareError) {
    switch error {
    case .riderCountOutOfRange, .seatsOutOfRange: self = .limitOutOfRange
    case .duplicateRider: self = .duplicateRider
    case .missing: self = .missingField
    case .amountOutOfRange: self = .amountOutOfRange
    case .numberOutOfRange: self = .numberOutOfRange
    case .unknownRider: self = .unknownRider
    case .nothingToShareBy: self = .nothingToShareBy
    }
  }
}
