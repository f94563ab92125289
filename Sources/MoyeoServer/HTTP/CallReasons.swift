import MoyeoAPI

/// The reasons with which each call may be refused, as /openapi.json tells them.
///
/// They are put together from what calls have in common (who calls, what a request is read from, whose
/// commands take effect once) and from what is each call's own. A test holds every ``Reason`` against
/// it: one that no call has is missing here.
enum CallReasons {
  /// Reasons of a call of moyeo.v1.
  ///
  /// - Parameters:
  ///   - service: With the package, e.g. `moyeo.v1.PartyService`.
  ///   - rpc: E.g. `Join`.
  ///   - isRead: Whether it changes nothing.
  ///   - isStream: Whether it answers events.
  /// - Returns: Each reason once, in the order of ``Reason``.
  static func of(
    service: String, rpc: String, isRead: Bool, isStream: Bool = false
  ) -> [Reason] {
    let short = service.split(separator: ".").last.map(String.init) ?? ""
    var found = Set(anyCall)
    if !isRead { found.formUnion(anyChange) }
    if isStream { found.formUnion(anyStream) }
    found.formUnion(services[short] ?? [])
    found.formUnion(calls["\(short).\(rpc)"] ?? [])
    if ["PartyService", "CommuteService", "TicketService"].contains(short), !isRead {
      found.formUnion(anyCommand)
    }
    return Reason.allCases.filter(found.contains)
  }

  /// Reasons of `POST /v1/batch` itself; each answer in it has those of its call.
  static let batch: [Reason] = Reason.allCases.filter(Set(anyCall + [.tooManyItems]).contains)

  private static let anyCall: [Reason] = [
    .malformedRequest, .missingField, .unknownField, .conflictingFields, .badValue,
    .limitOutOfRange, .numberOutOfRange, .tooManyItems, .requestTooLarge, .unknownRoute,
    .methodNotAllowed, .unsupportedMediaType, .unsupportedCoding,
    .unauthenticated, .tokenExpired, .forbidden, .forbiddenHost, .unknownTenant,
    .rateLimited, .quotaExceeded, .overloaded, .deadlineExceeded, .unavailable, .internalError,
  ]
  private static let anyChange: [Reason] = [.forbiddenOrigin, .readOnly, .badID]
  private static let anyCommand: [Reason] = [
    .idempotencyMismatch, .attributeProtected, .badAttributes, .badTime, .badTag,
  ]
  private static let anyStream: [Reason] = [
    .tooSlowConsumer, .resumeTokenExpired, .resumeTokenAhead,
  ]
  private static let coordinates: [Reason] = [
    .latitudeOutOfRange, .longitudeOutOfRange, .nullIsland,
  ]
  private static let filters: [Reason] = [
    .badTag, .badAttributes, .badPolygon, .badCursor, .badVersion, .tooMuchWork, .superseded,
  ]
  private static let trips: [Reason] =
    coordinates + [
      .unknownTariff, .noTariffHere, .departureBeforeTariffs, .departureAfterTariffs,
      .departureOutOfRange, .distanceOutOfRange, .durationOutOfRange, .amountOutOfRange,
      .unknownFlatTrip, .unknownVehicleClass, .tripTooShort, .badRoute, .noRoute, .badTime,
    ]
  private static let aboard: [Reason] = [
    .partyDeparted, .partyCancelled, .partyEnded, .notMember,
  ]
  private static let decided: [Reason] = [.unknownJoinRequest, .joinRequestEnded]
  private static let ride: [Reason] =
    trips + [
      .unknownPolicy, .policyViolation, .windowMissed, .detourExceeded, .sharedTooLittle,
      .rideTooLong, .arrivesTooLate, .walkExceeded, .shareExceeded, .raisesShare, .overlappingParty,
      .departureInPast, .partyFull, .alreadyMember, .blocked, .nothingToShareBy,
    ]

  private static let schedule: [Reason] = [
    .badWeekday, .badLocalTime, .badTimeZone, .badDate, .unknownCalendar,
  ]
  private static let overCommute: [Reason] = [.unknownCommute, .commuteCancelled, .commuteEnded]

  private static let services: [String: [Reason]] = [
    "PositionService": [.badLayer, .badID, .unknownLayer] + coordinates,
    "ClusterService": [
      .badLayer, .unknownLayer, .clustersOff, .badBox, .badTile, .badTag, .badVersion, .superseded,
      .tooMuchWork,
    ] + coordinates,
    "PartyService": [.badID, .unknownParty],
    "CommuteService": [.badID],
    "RoadService": [.badTile],
    "TicketService": [.badID, .unknownTicket, .badLayer, .unknownLayer],
    "FareService": trips, "RouteService": trips + [.badID], "PlaceService": coordinates + [.badTag],
    "EventService": [.badCursor, .resumeTokenExpired, .resumeTokenAhead, .badID],
  ]

  private static let waits: [Reason] = [.notWaiting, .penalty, .banned]
  private static let meets: [Reason] =
    waits + [
      .otherMatched, .otherGone, .proposalExpired, .declined, .notWanted, .alreadyMatched,
      .blockedByYou, .oneself,
    ]

  static let calls: [String: [Reason]] = [
    "PositionService.Report": [
      .badTag, .badAttributes, .ttlOutOfRange, .badTime, .stale, .reservedLayer,
      .attributeProtected,
    ],
    "PositionService.Remove": [.reservedLayer],
    "PositionService.DeleteLayer": [.reservedLayer],
    "PositionService.Get": [.unknownObject, .badVersion],
    "PositionService.Nearby": filters,
    "PositionService.NearbyBatch": filters,
    "PositionService.Within": filters + [.badBox],
    "PositionService.TagHistogram": filters + [.badBox],
    "PositionService.Watch": filters + [.badBox],
    "ClusterService.GetChildren": [.badClusterID, .unknownCluster, .badCursor],
    "ClusterService.GetLeaves": [.badClusterID, .unknownCluster, .badCursor],
    "ClusterService.GetExpansionZoom": [.badClusterID, .unknownCluster],
    "PartyService.Create": ride + [
      .duplicateRider, .ttlOutOfRange, .banned, .currencyMismatch,
    ],
    "PartyService.Join": ride + aboard + [.attributeProtected, .banned, .alreadyRequested],
    "PartyService.ApproveJoin": ride + aboard + decided + [.banned, .notHost],
    "PartyService.DeclineJoin": decided + [.notHost],
    "PartyService.WithdrawJoin": decided,
    "PartyService.PreviewJoin": ride + aboard + [.attributeProtected, .badAttributes],
    "PartyService.Match": ride + [
      .attributeProtected, .badAttributes, .tooMuchWork, .badTag, .badVersion,
    ],
    "PartyService.WatchMatches": ride + [.attributeProtected, .badAttributes, .badTag],
    "PartyService.MatchBatch": ride + [.duplicateRider, .tooMuchWork, .badAttributes],
    "PartyService.Get": [.badVersion],
    "PartyService.Search": coordinates + filters,
    "PartyService.List": [.badCursor, .badTime],
    "PartyService.Watch": coordinates + filters,
    "PartyService.Leave": aboard,
    "PartyService.Update": ride + aboard + [.notHost],
    "PartyService.Depart": aboard + [.notHost, .tooEarly],
    "PartyService.Cancel": aboard + [.notHost],
    "PartyService.RemoveRider": aboard + [
      .notHost, .hostNotRemovable, .unknownRider, .tooEarly,
    ],
    "PartyService.Settle": aboard + [
      .notDeparted, .alreadySettled, .amountOutOfRange, .unknownRider, .nothingToShareBy,
    ],
    "PartyService.ListRideRequests": [],
    "PartyService.GetRideRequest": [.unknownRideRequest],
    "PartyService.WithdrawRideRequest": [.unknownRideRequest],
    "PartyService.ListRideOffers": [],
    "PartyService.GetRideOffer": [.unknownRideOffer],
    "PartyService.AcceptRideOffer": [.unknownRideOffer, .rideOfferEnded],
    "PartyService.DeclineRideOffer": [.unknownRideOffer, .rideOfferEnded],
    "CommuteService.Create": ride + schedule + [.banned],
    "CommuteService.Get": [.unknownCommute],
    "CommuteService.List": [],
    "CommuteService.Update": ride + schedule + overCommute + [.notHost],
    "CommuteService.Cancel": overCommute + [.notHost],
    "CommuteService.Join": ride + overCommute + [.banned],
    "CommuteService.Leave": [.unknownCommute],
    "TicketService.Open": coordinates + waits + [
      .badTag, .attributeRequired, .ttlOutOfRange, .alreadyMatched, .conflictingFields,
    ],
    "TicketService.Get": [.badVersion],
    "TicketService.Search": coordinates + filters + [.notWaiting],
    "TicketService.Watch": [.badCursor, .badVersion],
    "TicketService.Heartbeat": coordinates + waits,
    "TicketService.Close": waits,
    "TicketService.Propose": meets + [.otherAskedYou],
    "TicketService.Accept": meets + [.notAsked],
    "TicketService.Decline": meets + [.notAsked],
    "TicketService.Withdraw": meets + [.notAsked],
    "TicketService.Dodge": [.notMatched, .oneself],
    "TicketService.Rate": [.notMatched, .alreadyRated, .oneself],
    "TicketService.ReportUser": [.oneself, .notMatched],
    "TicketService.Block": [.oneself],
    "TicketService.Unblock": [.oneself],
    "FareService.Estimate": [.badID],
    "FareService.Split": [.badID, .duplicateRider, .unknownRider, .nothingToShareBy],
  ]
}
