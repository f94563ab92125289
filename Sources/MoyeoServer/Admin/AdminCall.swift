import Identity

/// The calls of the operator: each has a row in ``AccessTable`` under its raw value.
enum AdminCall: String, CaseIterable, Sendable {
  case statistics = "AdminStatistics"
  case getLogLevel = "AdminGetLogLevel"
  case setLogLevel = "AdminSetLogLevel"
  case drain = "AdminDrain"
  case undrain = "AdminUndrain"
  case endDrain = "AdminEndDrain"
  case snapshot = "AdminSnapshot"
  case tenants = "AdminTenants"
  case keys = "AdminKeys"
  case user = "AdminUser"
  case ban = "AdminBan"
  case unban = "AdminUnban"
  case clearPenalty = "AdminClearPenalty"
  case cancelParty = "AdminCancelParty"
  case closeTicket = "AdminCloseTicket"
  case closeCommute = "AdminCloseCommute"
  case erase = "AdminErase"

  var route: Operation.Route {
    switch self {
    case .statistics: .init("GET", "/v1/admin/statistics")
    case .getLogLevel: .init("GET", "/v1/admin/log-level")
    case .setLogLevel: .init("PUT", "/v1/admin/log-level")
    case .drain: .init("POST", "/v1/admin/drain")
    case .undrain: .init("POST", "/v1/admin/undrain")
    case .endDrain: .init("DELETE", "/v1/admin/drain")
    case .snapshot: .init("POST", "/v1/admin/snapshot")
    case .tenants: .init("GET", "/v1/admin/tenants")
    case .keys: .init("GET", "/v1/admin/keys")
    case .user: .init("GET", "/v1/admin/users/{id}")
    case .ban: .init("POST", "/v1/admin/users/{id}/ban")
    case .unban: .init("POST", "/v1/admin/users/{id}/unban")
    case .clearPenalty: .init("POST", "/v1/admin/users/{id}/clear-penalty")
    case .cancelParty: .init("POST", "/v1/admin/parties/{id}/cancel")
    case .closeTicket: .init("POST", "/v1/admin/tickets/{id}/close")
    case .closeCommute: .init("POST", "/v1/admin/commutes/{id}/close")
    case .erase: .init("POST", "/v1/admin/users/{id}/erase")
    }
  }

  /// Names that the query may have.
  var queryNames: Set<String> {
    switch self {
    case .statistics, .keys, .ban, .unban, .clearPenalty, .cancelParty, .closeTicket,
      .closeCommute, .erase:
      ["tenant"]
    case .user: ["tenant", "after"]
    default: []
    }
  }

  /// Names that the body may have; none: the call takes no body.
  var bodyNames: Set<String> {
    switch self {
    case .setLogLevel: ["level"]
    case .ban: ["until", "reason"]
    case .closeCommute: ["reason", "includeAppeared"]
    case .unban, .clearPenalty, .cancelParty, .closeTicket, .erase: ["reason"]
    default: []
    }
  }

  /// Those of them that may be missing: `true` or `false`, which is as without.
  var flagNames: Set<String> { self == .closeCommute ? ["includeAppeared"] : [] }

  /// Whether the whole daemon is concerned, and so the operator of the default tenant alone.
  var isOfDaemon: Bool {
    switch self {
    case .getLogLevel, .setLogLevel, .drain, .undrain, .endDrain, .snapshot, .tenants: true
    case .statistics, .keys, .user, .ban, .unban, .clearPenalty, .cancelParty, .closeTicket,
      .closeCommute, .erase:
      false
    }
  }
}
