import MoyeoAPI
import MoyeoServer

/// Which status code the taxi-party app is told for a refusal: its interceptor refreshes the token on
/// 419 alone, signs out on 418, and waits on 429.
enum TaxiStatus {
  static let badRequest = 400
  static let unauthenticated = 401
  static let forbidden = 403
  static let notFound = 404
  static let conflict = 409
  static let refreshTokenExpired = 418
  static let accessTokenExpired = 419
  static let badKey = 420
  static let overCall = 429
  static let badURL = 444
  static let serverError = 500

  /// The status of a reason; every reason has its place.
  static func code(_ reason: Reason) -> Int {
    switch reason {
    case .malformedRequest, .missingField, .unknownField, .conflictingFields,
      .latitudeOutOfRange, .longitudeOutOfRange, .nullIsland, .badID, .badTag, .badAttributes,
      .badPolygon, .badBox, .badCursor, .badLayer, .badTile, .badClusterID, .badVersion, .badValue,
      .badTime, .badRoute, .badWeekday, .badLocalTime, .badTimeZone, .badDate, .limitOutOfRange,
      .ttlOutOfRange, .departureBeforeTariffs,
      .departureAfterTariffs, .departureOutOfRange, .distanceOutOfRange, .durationOutOfRange,
      .amountOutOfRange, .numberOutOfRange, .duplicateRider, .unknownRider, .unknownFlatTrip,
      .tripTooShort, .currencyMismatch, .nothingToShareBy, .tooManyItems, .requestTooLarge,
      .unsupportedMediaType,
      .unsupportedCoding, .tooMuchWork, .attributeRequired, .oneself, .noTariffHere:
      badRequest
    case .unauthenticated: unauthenticated
    case .tokenExpired: accessTokenExpired
    case .forbidden, .forbiddenHost, .forbiddenOrigin, .attributeProtected, .notHost, .banned:
      forbidden
    case .unknownTenant, .unknownLayer, .unknownObject,
      .unknownCluster, .unknownParty, .unknownRideRequest, .unknownJoinRequest, .unknownCommute,
      .unknownRideOffer,
      .unknownCalendar, .unknownTicket,
      .unknownTariff, .unknownPolicy, .unknownVehicleClass, .noRoute:
      notFound
    case .unknownRoute, .methodNotAllowed: badURL
    case .idempotencyMismatch, .alreadyMember, .alreadyMatched, .alreadyRequested,
      .joinRequestEnded, .rideOfferEnded, .partyFull, .partyDeparted,
      .partyCancelled, .partyEnded, .commuteCancelled, .commuteEnded, .policyViolation,
      .overlappingParty, .windowMissed,
      .detourExceeded, .sharedTooLittle, .rideTooLong,
      .arrivesTooLate, .walkExceeded, .shareExceeded, .raisesShare, .notMember,
      .departureInPast, .hostNotRemovable, .tooEarly, .notDeparted, .alreadySettled, .penalty,
      .notWaiting, .otherMatched, .otherGone, .otherAskedYou, .notAsked, .proposalExpired,
      .declined, .notWanted, .blockedByYou, .notMatched, .alreadyRated, .blocked, .reservedLayer,
      .clustersOff, .superseded, .resumeTokenExpired, .resumeTokenAhead, .stale:
      conflict
    case .rateLimited, .quotaExceeded, .tooSlowConsumer, .overloaded: overCall
    case .readOnly, .deadlineExceeded, .unavailable, .internalError: serverError
    }
  }
}

/// A refusal of the taxi-party app: its status where the reason alone does not say it.
struct TaxiRefusal: Error, Hashable, Sendable {
  var refusal: DoorRefusal
  var status: Int
  /// Of the directions call: 1 the ends are one place, 2 no road near one of them, 3 no way found.
  var directionsCode: Int?

  init(_ refusal: DoorRefusal, status: Int? = nil, directionsCode: Int? = nil) {
    self.refusal = refusal
    self.status = status ?? TaxiStatus.code(refusal.reason)
    self.directionsCode = directionsCode
  }

  init(_ reason: Reason, _ message: String, status: Int? = nil) {
    self.init(DoorRefusal(reason, message), status: status)
  }

  init(_ error: PostTextError, field: String) {
    switch error {
    case .notAPlace:
      self.init(.malformedRequest, "\(field) must end in longitude and latitude: \"name,lng,lat\"")
    case .longitudeOutOfRange:
      self.init(.longitudeOutOfRange, "the longitude of \(field) is not from -180 to 180")
    case .latitudeOutOfRange:
      self.init(.latitudeOutOfRange, "the latitude of \(field) is not from -90 to 90")
    case .nullIsland:
      self.init(.nullIsland, "\(field) is 0, 0, which is what a failed geocode leaves")
    case .notATime:
      self.init(.badTime, "\(field) is a time such as 2026-11-22 18:30:00 +0900")
    }
  }
}
