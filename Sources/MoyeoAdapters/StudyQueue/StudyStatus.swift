import MoyeoAPI

/// Which status code of the study-mate queue a refusal has.
enum StudyStatus {
  static let refreshToken = 401
  static let notRegistered = 406
  static let serverError = 500
  static let malformed = 501

  /// What the app shows for the first, the second and every further match called off.
  static let penalties = [203, 204, 205]

  /// Statuses that cannot carry a body.
  static func allowsBody(_ status: Int) -> Bool { status != 204 && status != 205 }

  /// The status of a refusal.
  ///
  /// - Parameters:
  ///   - reason: Why.
  ///   - call: What was asked; the same reason means something else to each call.
  ///   - dodges: Matches that the person has called off and that still count; for `penalty`.
  /// - Returns: A status that the clients know.
  static func code(_ reason: Reason, of call: StudyCall, dodges: Int = 1) -> Int {
    let own: Int? =
      switch call {
      case .join: join(reason, dodges: dodges)
      case .leave: reason == .alreadyMatched ? 201 : nil
      case .ask: ask(reason)
      case .accept: accept(reason)
      case .dodge: reason == .notMatched || reason == .oneself ? 201 : nil
      case .rate: rate(reason)
      case .state: reason == .unknownTicket ? 201 : nil
      case .search, .unknown: nil
      }
    return own ?? common(reason)
  }

  private static func join(_ reason: Reason, dodges: Int) -> Int? {
    switch reason {
    case .banned: 201
    case .penalty: penalties[min(max(dodges, 1), penalties.count) - 1]
    case .attributeRequired: 206
    // The next look at the state tells of the match and opens the chat.
    case .alreadyMatched: 200
    default: nil
    }
  }

  private static func rate(_ reason: Reason) -> Int? {
    switch reason {
    // Said once already: nothing is left to do.
    case .alreadyRated: 200
    // Too long a comment, or too many words.
    case .quotaExceeded: malformed
    default: nil
    }
  }

  private static func ask(_ reason: Reason) -> Int? {
    switch reason {
    case .otherAskedYou: 201
    case .otherGone, .otherMatched, .declined, .notWanted, .blockedByYou: 202
    case .alreadyMatched: 203
    default: nil
    }
  }

  private static func accept(_ reason: Reason) -> Int? {
    switch reason {
    case .otherMatched: 201
    case .otherGone, .notAsked, .proposalExpired, .declined, .notWanted, .blockedByYou: 202
    case .alreadyMatched: 203
    default: nil
    }
  }

  /// What holds on all calls. Every reason has its place: a new one does not compile until it has.
  static func common(_ reason: Reason) -> Int {
    switch reason {
    case .unauthenticated, .tokenExpired: refreshToken
    case .unknownTicket: notRegistered
    case .malformedRequest, .missingField, .unknownField, .conflictingFields,
      .latitudeOutOfRange, .longitudeOutOfRange, .nullIsland, .badID, .badTag, .badAttributes,
      .badPolygon, .badBox, .badCursor, .badLayer, .badTile, .badClusterID, .badVersion, .badValue,
      .badTime, .badRoute, .badWeekday, .badLocalTime, .badTimeZone, .badDate, .limitOutOfRange,
      .ttlOutOfRange, .departureBeforeTariffs,
      .departureAfterTariffs, .departureOutOfRange, .distanceOutOfRange, .durationOutOfRange,
      .amountOutOfRange, .numberOutOfRange, .duplicateRider, .unknownRider, .unknownFlatTrip,
      .unknownVehicleClass, .tripTooShort, .currencyMismatch, .nothingToShareBy, .tooManyItems,
      .requestTooLarge,
      .unknownRoute, .methodNotAllowed, .unsupportedMediaType, .unsupportedCoding, .tooMuchWork,
      .stale, .forbidden, .forbiddenHost, .forbiddenOrigin, .attributeProtected, .unknownLayer,
      .unknownTenant, .unknownObject, .unknownCluster, .unknownParty, .unknownRideRequest,
      .unknownRideOffer, .rideOfferEnded, .unknownJoinRequest, .alreadyRequested, .joinRequestEnded,
      .unknownCommute, .unknownCalendar,
      .unknownTariff,
      .unknownPolicy,
      .noTariffHere, .noRoute, .idempotencyMismatch, .alreadyMember, .alreadyMatched, .partyFull,
      .partyDeparted, .partyCancelled, .partyEnded, .commuteCancelled, .commuteEnded,
      .policyViolation, .overlappingParty,
      .windowMissed, .detourExceeded, .sharedTooLittle, .rideTooLong,
      .arrivesTooLate, .walkExceeded, .shareExceeded,
      .raisesShare, .notHost, .notMember, .departureInPast, .hostNotRemovable, .tooEarly,
      .notDeparted, .alreadySettled, .banned, .penalty, .attributeRequired, .notWaiting,
      .otherMatched, .otherGone, .otherAskedYou, .notAsked, .proposalExpired, .declined,
      .notWanted, .blockedByYou, .notMatched, .alreadyRated, .oneself, .blocked, .reservedLayer,
      .clustersOff, .superseded, .resumeTokenExpired, .resumeTokenAhead:
      malformed
    case .rateLimited, .quotaExceeded, .overloaded, .tooSlowConsumer, .readOnly,
      .deadlineExceeded, .unavailable, .internalError:
      serverError
    }
  }
}
