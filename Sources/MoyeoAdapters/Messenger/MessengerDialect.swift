import MoyeoAPI
package import MoyeoServer
import WireFormat

/// Refusals of every `/v1` call as the messengers' clients read them: HTTP 400 with an `errorCode`, one
/// for each kind of cause, so that no client takes an over-call for an expired token and makes the
/// overload worse by refreshing. Calls and answers stay those of the API.
package struct MessengerDialect: HTTPDoor {
  /// Asks for the dialect by the value ``dialectName``.
  package static let headerName = "x-moyeo-dialect"
  package static let dialectName = "messenger"

  private let speaksAlways: Bool

  package let calls: [String] = []
  package let maximumRequestBytes = 0

  /// Makes the dialect.
  ///
  /// - Parameter speaksAlways: Whether requests without the header are refused in it too, for apps
  ///   that cannot be changed.
  package init(speaksAlways: Bool) { self.speaksAlways = speaksAlways }

  package func owns(path: String) -> Bool { false }

  package func speaks(path: String, header: (String) -> String?) -> Bool {
    guard path.hasPrefix("/v1/") else { return false }
    return speaksAlways || header(Self.headerName)?.lowercased() == Self.dialectName
  }

  package func answer(_ request: DoorRequest, _ services: DoorServices) async -> DoorAnswer {
    answer(refusing: DoorRefusal(.unknownRoute, "no call is answered here"), path: request.path)
  }

  package func answer(refusing refusal: DoorRefusal, path: String) -> DoorAnswer {
    let code = MessengerCode(refusal.reason)
    let body = JSONWriter.object { out in
      out.string("errorCode", code.rawValue)
      out.integer("code", Int64(code.number))
      out.string("reason", refusal.reason.rawValue)
      out.string("message", refusal.message)
      if let retry = refusal.retryAfterMilliseconds { out.integer("retry_after_ms", retry) }
    }
    return DoorAnswer(
      call: "", status: code == .serverError ? 500 : 400, body: body, reason: refusal.reason,
      retryAfterMilliseconds: refusal.retryAfterMilliseconds)
  }
}

/// Kinds of causes, by the codes that the messengers' clients know.
enum MessengerCode: String, Hashable, Sendable, CaseIterable {
  /// The app itself may not call: its key, its host or its origin.
  case badKey = "E01"
  /// The token is none.
  case badToken = "E02"
  /// The token is good, but the person is not known here.
  case unknownAccount = "E03"
  case accessTokenExpired = "E05"
  case refreshTokenExpired = "E06"
  case badRequest = "E11"
  /// It is so already.
  case duplicate = "E12"
  case notFound = "E13"
  /// This person may not do this.
  case notAllowed = "E14"
  /// The state forbids it.
  case refused = "E15"
  case badPath = "E97"
  /// Too often, or too much at a time: wait for `retry_after_ms`, refresh nothing.
  case overCall = "E98"
  case serverError = "E99"

  /// The same as a number, for clients that decode one: E01 is 1.
  var number: Int { Int(rawValue.dropFirst()) ?? 99 }

  /// The code of a reason; every reason has its place.
  init(_ reason: Reason) {
    switch reason {
    case .forbiddenHost, .forbiddenOrigin: self = .badKey
    case .unauthenticated: self = .badToken
    case .unknownTicket: self = .unknownAccount
    case .tokenExpired: self = .accessTokenExpired
    case .malformedRequest, .missingField, .unknownField, .conflictingFields,
      .latitudeOutOfRange, .longitudeOutOfRange, .nullIsland, .badID, .badTag, .badAttributes,
      .badPolygon, .badBox, .badCursor, .badLayer, .badTile, .badClusterID, .badVersion, .badValue,
      .badTime, .badRoute, .badWeekday, .badLocalTime, .badTimeZone, .badDate, .limitOutOfRange,
      .ttlOutOfRange, .departureBeforeTariffs,
      .departureAfterTariffs, .departureOutOfRange, .distanceOutOfRange, .durationOutOfRange,
      .amountOutOfRange, .numberOutOfRange, .duplicateRider, .unknownRider, .unknownFlatTrip,
      .tripTooShort, .currencyMismatch, .nothingToShareBy, .tooManyItems, .requestTooLarge,
      .unsupportedMediaType,
      .unsupportedCoding, .tooMuchWork, .attributeRequired, .oneself, .stale:
      self = .badRequest
    case .idempotencyMismatch, .alreadyMember, .alreadyMatched, .alreadySettled, .alreadyRated,
      .alreadyRequested:
      self = .duplicate
    case .unknownTenant, .unknownLayer, .unknownObject,
      .unknownCluster, .unknownParty, .unknownRideRequest, .unknownJoinRequest, .unknownCommute,
      .unknownRideOffer,
      .unknownCalendar, .unknownTariff,
      .unknownPolicy, .unknownVehicleClass, .noTariffHere, .noRoute:
      self = .notFound
    case .forbidden, .attributeProtected, .notHost, .banned: self = .notAllowed
    case .joinRequestEnded, .rideOfferEnded, .partyFull, .partyDeparted, .partyCancelled,
      .partyEnded,
      .commuteCancelled, .commuteEnded,
      .policyViolation,
      .overlappingParty, .windowMissed, .detourExceeded, .sharedTooLittle, .rideTooLong,
      .arrivesTooLate, .walkExceeded,
      .shareExceeded, .raisesShare, .notMember, .departureInPast, .hostNotRemovable, .tooEarly,
      .notDeparted, .penalty, .notWaiting, .otherMatched, .otherGone, .otherAskedYou, .notAsked,
      .proposalExpired, .declined, .notWanted, .blockedByYou, .notMatched, .blocked,
      .reservedLayer, .clustersOff, .superseded, .resumeTokenExpired, .resumeTokenAhead:
      self = .refused
    case .unknownRoute, .methodNotAllowed: self = .badPath
    case .rateLimited, .quotaExceeded, .tooSlowConsumer, .overloaded: self = .overCall
    case .readOnly, .deadlineExceeded, .unavailable, .internalError: self = .serverError
    }
  }
}
