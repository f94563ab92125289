/// Why a request was refused: one reason for each cause, never shared, the same over gRPC and
/// HTTP. The raw value is what stands on the wire.
public enum Reason: String, Hashable, Sendable, CaseIterable {
  // What the caller sent.
  case malformedRequest = "malformed_request"
  case missingField = "missing_field"
  case unknownField = "unknown_field"
  case conflictingFields = "conflicting_fields"
  case latitudeOutOfRange = "latitude_out_of_range"
  case longitudeOutOfRange = "longitude_out_of_range"
  case nullIsland = "null_island"
  case badID = "bad_id"
  case badTag = "bad_tag"
  case badAttributes = "bad_attributes"
  case badPolygon = "bad_polygon"
  case badBox = "bad_box"
  case badCursor = "bad_cursor"
  case badLayer = "bad_layer"
  case badTile = "bad_tile"
  case badClusterID = "bad_cluster_id"
  case badVersion = "bad_version"
  case badValue = "bad_value"
  case badTime = "bad_time"
  case badRoute = "bad_route"
  /// None of MON to SUN, or no day at all.
  case badWeekday = "bad_weekday"
  /// No time of the day such as 07:45.
  case badLocalTime = "bad_local_time"
  /// No IANA name of a time zone.
  case badTimeZone = "bad_time_zone"
  /// No date such as 2026-11-30, or one that cannot be here.
  case badDate = "bad_date"
  case limitOutOfRange = "limit_out_of_range"
  case ttlOutOfRange = "ttl_out_of_range"
  case departureBeforeTariffs = "departure_before_tariffs"
  case departureAfterTariffs = "departure_after_tariffs"
  case departureOutOfRange = "departure_out_of_range"
  case distanceOutOfRange = "distance_out_of_range"
  case durationOutOfRange = "duration_out_of_range"
  case amountOutOfRange = "amount_out_of_range"
  case numberOutOfRange = "number_out_of_range"
  case duplicateRider = "duplicate_rider"
  case unknownRider = "unknown_rider"
  case unknownFlatTrip = "unknown_flat_trip"
  case unknownVehicleClass = "unknown_vehicle_class"
  case tripTooShort = "trip_too_short"
  /// An agreed fare in another currency than the tariff that is named with it.
  case currencyMismatch = "currency_mismatch"
  case nothingToShareBy = "nothing_to_share_by"
  case tooManyItems = "too_many_items"
  case requestTooLarge = "request_too_large"
  case unknownRoute = "unknown_route"
  case methodNotAllowed = "method_not_allowed"
  case unsupportedMediaType = "unsupported_media_type"
  case unsupportedCoding = "unsupported_coding"
  /// More counted work than one request may cause.
  case tooMuchWork = "too_much_work"
  /// Only per item of a batch.
  case stale
  // Who is calling.
  case unauthenticated
  case tokenExpired = "token_expired"
  case forbidden
  /// A `Host` under which this service does not answer.
  case forbiddenHost = "forbidden_host"
  /// A page of another origin that writes.
  case forbiddenOrigin = "forbidden_origin"
  case attributeProtected = "attribute_protected"
  // What is not there.
  case unknownTenant = "unknown_tenant"
  case unknownLayer = "unknown_layer"
  case unknownObject = "unknown_object"
  case unknownCluster = "unknown_cluster"
  case unknownParty = "unknown_party"
  case unknownRideRequest = "unknown_ride_request"
  case unknownRideOffer = "unknown_ride_offer"
  case unknownJoinRequest = "unknown_join_request"
  case unknownCommute = "unknown_commute"
  /// No calendar of holidays has this name.
  case unknownCalendar = "unknown_calendar"
  case unknownTicket = "unknown_ticket"
  case unknownTariff = "unknown_tariff"
  case unknownPolicy = "unknown_policy"
  case noTariffHere = "no_tariff_here"
  case noRoute = "no_route"
  // What the state forbids.
  case idempotencyMismatch = "idempotency_mismatch"
  case alreadyMember = "already_member"
  /// A request with another destination or other seats waits for the host already.
  case alreadyRequested = "already_requested"
  case alreadyMatched = "already_matched"
  /// A request to join that was decided otherwise, taken back, or expired.
  case joinRequestEnded = "join_request_ended"
  /// An offer that ended otherwise than asked for.
  case rideOfferEnded = "ride_offer_ended"
  case partyFull = "party_full"
  case partyDeparted = "party_departed"
  case partyCancelled = "party_cancelled"
  case partyEnded = "party_ended"
  case commuteCancelled = "commute_cancelled"
  case commuteEnded = "commute_ended"
  case policyViolation = "policy_violation"
  case overlappingParty = "overlapping_party"
  case windowMissed = "window_missed"
  case detourExceeded = "detour_exceeded"
  case sharedTooLittle = "shared_too_little"
  /// A ride would take longer than its rider allows.
  case rideTooLong = "ride_too_long"
  /// A rider would arrive after the time that they named.
  case arrivesTooLate = "arrives_too_late"
  case walkExceeded = "walk_exceeded"
  case shareExceeded = "share_exceeded"
  case raisesShare = "raises_share"
  case notHost = "not_host"
  case notMember = "not_member"
  case departureInPast = "departure_in_past"
  case hostNotRemovable = "host_not_removable"
  case tooEarly = "too_early"
  case notDeparted = "not_departed"
  case alreadySettled = "already_settled"
  // What tickets forbid.
  case banned
  case penalty
  case attributeRequired = "attribute_required"
  case notWaiting = "not_waiting"
  case otherMatched = "other_matched"
  case otherGone = "other_gone"
  case otherAskedYou = "other_asked_you"
  case notAsked = "not_asked"
  case proposalExpired = "proposal_expired"
  case declined
  case notWanted = "not_wanted"
  case blockedByYou = "blocked_by_you"
  case notMatched = "not_matched"
  case alreadyRated = "already_rated"
  case oneself
  /// Somebody aboard a party and the joiner do not ride together.
  case blocked
  case reservedLayer = "reserved_layer"
  case clustersOff = "clusters_off"
  case superseded
  // What the service can bear.
  case rateLimited = "rate_limited"
  case quotaExceeded = "quota_exceeded"
  case overloaded
  case tooSlowConsumer = "too_slow_consumer"
  case resumeTokenExpired = "resume_token_expired"
  /// A place in the stream of events that was never given.
  case resumeTokenAhead = "resume_token_ahead"
  case readOnly = "read_only"
  case deadlineExceeded = "deadline_exceeded"
  case unavailable
  case internalError = "internal"
}

/// A gRPC status code by number (grpc/grpc doc/statuscodes.md) and its name in HTTP bodies.
public enum StatusCode: Int, Hashable, Sendable {
  case invalidArgument = 3
  case deadlineExceeded = 4
  case notFound = 5
  case alreadyExists = 6
  case permissionDenied = 7
  case resourceExhausted = 8
  case failedPrecondition = 9
  case aborted = 10
  case outOfRange = 11
  case unimplemented = 12
  case internalError = 13
  case unavailable = 14
  case unauthenticated = 16

  /// The status as gRPC spells it in capitals, e.g. `INVALID_ARGUMENT`; `code` of an HTTP error
  /// body.
  public var name: String {
    switch self {
    case .invalidArgument: "INVALID_ARGUMENT"
    case .deadlineExceeded: "DEADLINE_EXCEEDED"
    case .notFound: "NOT_FOUND"
    case .alreadyExists: "ALREADY_EXISTS"
    case .permissionDenied: "PERMISSION_DENIED"
    case .resourceExhausted: "RESOURCE_EXHAUSTED"
    case .failedPrecondition: "FAILED_PRECONDITION"
    case .aborted: "ABORTED"
    case .outOfRange: "OUT_OF_RANGE"
    case .unimplemented: "UNIMPLEMENTED"
    case .internalError: "INTERNAL"
    case .unavailable: "UNAVAILABLE"
    case .unauthenticated: "UNAUTHENTICATED"
    }
  }
}

extension Reason {
  /// The gRPC status and the HTTP status of every reason: the one error table.
  public var status: (grpc: StatusCode, http: Int) {
    switch self {
    case .malformedRequest, .missingField, .unknownField, .conflictingFields,
      .latitudeOutOfRange, .longitudeOutOfRange, .nullIsland, .badID, .badTag, .badAttributes,
      .badPolygon, .badBox, .badCursor, .badLayer, .badTile, .badClusterID, .badVersion,
      .badValue, .badTime, .badRoute, .badWeekday, .badLocalTime, .badTimeZone, .badDate,
      .limitOutOfRange, .ttlOutOfRange, .tooManyItems,
      .departureBeforeTariffs, .departureAfterTariffs, .departureOutOfRange, .distanceOutOfRange,
      .durationOutOfRange, .amountOutOfRange, .numberOutOfRange, .duplicateRider, .unknownRider,
      .unknownFlatTrip, .tripTooShort, .currencyMismatch, .nothingToShareBy, .attributeRequired,
      .oneself:
      (.invalidArgument, 400)
    case .requestTooLarge: (.resourceExhausted, 413)
    case .unknownRoute: (.unimplemented, 404)
    case .methodNotAllowed: (.unimplemented, 405)
    case .unsupportedMediaType: (.unimplemented, 415)
    case .unsupportedCoding: (.unimplemented, 501)
    case .tooMuchWork: (.resourceExhausted, 422)
    case .stale: (.failedPrecondition, 409)
    case .unauthenticated, .tokenExpired: (.unauthenticated, 401)
    case .forbidden, .forbiddenHost, .forbiddenOrigin, .attributeProtected:
      (.permissionDenied, 403)
    case .unknownTenant, .unknownLayer, .unknownObject, .unknownCluster, .unknownParty,
      .unknownRideRequest, .unknownRideOffer, .unknownJoinRequest, .unknownCommute,
      .unknownCalendar,
      .unknownTicket, .unknownTariff, .unknownPolicy, .unknownVehicleClass, .noTariffHere, .noRoute:
      (.notFound, 404)
    case .idempotencyMismatch, .alreadyMember, .alreadyRequested, .alreadyMatched:
      (.alreadyExists, 409)
    case .joinRequestEnded, .rideOfferEnded, .partyFull, .partyDeparted, .partyCancelled,
      .partyEnded,
      .commuteCancelled, .commuteEnded, .policyViolation,
      .overlappingParty, .windowMissed, .detourExceeded, .sharedTooLittle, .rideTooLong,
      .arrivesTooLate, .walkExceeded,
      .shareExceeded, .raisesShare, .notHost, .notMember, .hostNotRemovable, .departureInPast,
      .tooEarly, .notDeparted, .banned, .penalty, .notWaiting, .otherMatched, .otherGone,
      .otherAskedYou, .notAsked, .proposalExpired, .declined, .notWanted, .blockedByYou,
      .notMatched, .alreadyRated, .blocked,
      .alreadySettled, .reservedLayer, .clustersOff:
      (.failedPrecondition, 409)
    case .superseded: (.aborted, 409)
    case .rateLimited, .quotaExceeded, .tooSlowConsumer: (.resourceExhausted, 429)
    case .overloaded: (.resourceExhausted, 503)
    case .resumeTokenExpired, .resumeTokenAhead: (.outOfRange, 410)
    case .readOnly, .unavailable: (.unavailable, 503)
    case .deadlineExceeded: (.deadlineExceeded, 504)
    case .internalError: (.internalError, 500)
    }
  }
}
