import Identity

/// Who may make which call, in one place: the fast path, the stream handlers, HTTP, the batch call,
/// tiles and streams of events all find their rule here by the call's name.
///
/// A call without a row answers open mode alone; a test holds the rows against the route table, so
/// that it fails before that.
enum AccessTable {
  /// The rule of a call, e.g. of `moyeo.v1.PartyService` and `Join`.
  static func rule(_ service: String, _ rpc: String) -> AccessRule? {
    rules["\(service.split(separator: ".").last ?? "").\(rpc)"]
  }

  /// The rule of a route that makes its own response.
  static func rule(raw name: String) -> AccessRule? { rules["Raw.\(name)"] }

  static let rules: [String: AccessRule] = {
    var out: [String: AccessRule] = [:]
    for (service, rows) in [
      ("PositionService", positions), ("ClusterService", clusters), ("PartyService", parties),
      ("CommuteService", commutes), ("TicketService", tickets), ("EventService", events),
      ("RouteService", routes),
      ("FareService", fares), ("PlaceService", places), ("Raw", raw), ("Raw", admin),
    ] {
      for (rpc, rule) in rows { out["\(service).\(rpc)"] = rule }
    }
    return out
  }()

  /// The calls of the public ports by the names under which they are counted, sorted.
  static let callNames: [String] = rules.keys.compactMap { key in
    let parts = key.split(separator: ".").map(String.init)
    if parts[0] == "Raw" { return admin[parts[1]] == nil ? parts[1] : nil }
    return Operation.name("moyeo.v1." + parts[0], parts[1])
  }.sorted()

  private static let read = AccessRule(scope: .read)
  private static let service = AccessRule(scope: .service)

  private static let positions: [String: AccessRule] = [
    "Report": AccessRule(scope: .report, ownElements: ("positions", "id")),
    // Its messages are looked at one by one: see `ReportStream`.
    "StreamReports": AccessRule(scope: .report, ownElements: ("positions", "id")),
    "Remove": AccessRule(scope: .report, own: ["id"]),
    "Get": read, "Nearby": read, "NearbyBatch": read, "Within": read, "TagHistogram": read,
    "Watch": read, "ListLayers": read, "DeleteLayer": service,
  ]

  private static let clusters: [String: AccessRule] = [
    "GetTile": read, "GetClusters": read, "GetChildren": read, "GetLeaves": read,
    "GetExpansionZoom": read, "WatchTiles": read,
  ]

  private static let parties: [String: AccessRule] = [
    "Get": read, "Search": read, "Watch": read,
    "List": AccessRule(scope: .read, own: ["riderId", "hostId", "requesterId"]),
    "Match": AccessRule(scope: .read, own: ["riderId"], attributes: .ofToken),
    "PreviewJoin": AccessRule(scope: .read, own: ["riderId"], attributes: .ofToken),
    "WatchMatches": AccessRule(
      scope: .read, own: ["riderId"], commandFlag: "store", attributes: .ofToken),
    "MatchBatch": service,
    "ListRideRequests": AccessRule(scope: .read, own: ["riderId"]),
    "GetRideRequest": AccessRule(scope: .read, own: ["riderId"]),
    "WithdrawRideRequest": AccessRule(scope: .command, own: ["riderId"]),
    "ListRideOffers": AccessRule(scope: .read, own: ["riderId"]),
    "GetRideOffer": AccessRule(scope: .read, own: ["riderId"]),
    "AcceptRideOffer": AccessRule(scope: .command, own: ["riderId"]),
    "DeclineRideOffer": AccessRule(scope: .command, own: ["riderId"]),
    "Create": AccessRule(
      scope: .command, own: ["hostId"], emptyForUsers: ["riders"], attributes: .ofToken),
    "Join": AccessRule(scope: .command, own: ["riderId"], attributes: .ofToken),
    "ApproveJoin": AccessRule(scope: .command, own: ["hostId"]),
    "DeclineJoin": AccessRule(scope: .command, own: ["hostId"]),
    "WithdrawJoin": AccessRule(scope: .command, own: ["riderId"]),
    "Leave": AccessRule(scope: .command, own: ["riderId"]),
    "Update": AccessRule(scope: .command, own: ["riderId"]),
    "Depart": AccessRule(scope: .command, own: ["riderId"]),
    "Cancel": AccessRule(scope: .command, own: ["riderId"]),
    // `riderId` is who is removed.
    "RemoveRider": AccessRule(scope: .command, own: ["hostId"]),
    "Settle": AccessRule(scope: .command, own: ["payerId"]),
  ]

  private static let commutes: [String: AccessRule] = [
    "Create": AccessRule(
      scope: .command, own: ["hostId", "riderId"], attributes: .ofToken),
    "Get": AccessRule(scope: .read, own: ["riderId"]),
    "List": AccessRule(scope: .read, own: ["riderId", "hostId"]),
    "Update": AccessRule(scope: .command, own: ["riderId"], attributes: .ofToken),
    "Cancel": AccessRule(scope: .command, own: ["riderId"]),
    "Join": AccessRule(scope: .command, own: ["riderId"], attributes: .ofToken),
    "Leave": AccessRule(scope: .command, own: ["riderId"]),
  ]

  private static let tickets: [String: AccessRule] = {
    let own = AccessRule(scope: .command, own: ["userId"])
    let ownRead = AccessRule(scope: .read, own: ["userId"])
    return [
      "Open": AccessRule(scope: .command, own: ["userId"], attributes: .namedOfToken),
      "Close": own, "Heartbeat": own, "Propose": own, "Withdraw": own, "Accept": own,
      "Decline": own, "Dodge": own, "Rate": own, "ReportUser": own, "Block": own, "Unblock": own,
      "Get": ownRead, "Search": ownRead, "Watch": ownRead,
    ]
  }()

  /// The tenant's feed names everybody.
  private static let events: [String: AccessRule] = ["List": service, "Watch": service]
  private static let routes: [String: AccessRule] = ["Plan": read]
  private static let fares: [String: AccessRule] = [
    "Estimate": read, "Split": read, "ListTariffs": read,
  ]
  private static let places: [String: AccessRule] = ["Search": read, "Reverse": read]
  private static let raw: [String: AccessRule] = [
    "GetTileMVT": read, "GetTileJSON": read, "TileJSON": read, "GetRoadTile": read,
  ]

  /// On a listener of their own.
  private static let admin: [String: AccessRule] = {
    let rule = AccessRule(scope: .admin)
    return [
      "AdminStatistics": rule, "AdminGetLogLevel": rule, "AdminSetLogLevel": rule,
      "AdminDrain": rule, "AdminUndrain": rule, "AdminEndDrain": rule, "AdminSnapshot": rule,
      "AdminTenants": rule, "AdminKeys": rule, "AdminUser": rule, "AdminBan": rule,
      "AdminUnban": rule,
      "AdminClearPenalty": rule, "AdminCancelParty": rule, "AdminCloseTicket": rule,
      "AdminCloseCommute": rule, "AdminErase": rule,
    ]
  }()

  /// What a call does where no rule is known: it is open mode's.
  static let ruleOfUnknown = AccessRule(scope: .all)
}
