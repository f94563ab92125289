/// A call of the taxi-party app.
enum TaxiCall: Hashable, Sendable {
  case create
  case list
  case listNearby
  case listHosted(userID: String)
  case listMine
  case one(postID: String)
  case like(postID: String)
  case driving
  case geocode
  case reverseGeocode
  case keyword
  /// No call of theirs.
  case unknown

  /// In metrics.
  var name: String {
    switch self {
    case .create: "TaxiPartyCreate"
    case .list: "TaxiPartyList"
    case .listNearby: "TaxiPartyListNearby"
    case .listHosted: "TaxiPartyListHosted"
    case .listMine: "TaxiPartyListMine"
    case .one: "TaxiPartyGet"
    case .like: "TaxiPartyLike"
    case .driving: "TaxiPartyDriving"
    case .geocode: "TaxiPartyGeocode"
    case .reverseGeocode: "TaxiPartyReverseGeocode"
    case .keyword: "TaxiPartyKeyword"
    case .unknown: "TaxiPartyUnknown"
    }
  }

  static let names =
    [
      TaxiCall.create, .list, .listNearby, .listHosted(userID: ""), .listMine, .one(postID: ""),
      .like(postID: ""), .driving, .geocode, .reverseGeocode, .keyword, .unknown,
    ].map(\.name)

  /// Calls that the app makes to a map provider with that provider's keys, so that no token of ours
  /// comes with them.
  var isOfMapProvider: Bool {
    switch self {
    case .driving, .geocode, .reverseGeocode, .keyword: true
    case .create, .list, .listNearby, .listHosted, .listMine, .one, .like, .unknown: false
    }
  }

  static let roots = [
    "/v1/posts", "/map-direction", "/map-geocode", "/map-reversegeocode", "/v2/local",
  ]

  static func match(method: String, path: String) -> TaxiCall {
    guard let segments = DoorPath.segments(path) else { return .unknown }
    let isGet = method == "GET" || method == "HEAD"
    switch segments.prefix(2) {
    case ["v1", "posts"]: return post(Array(segments.dropFirst(2)), isGet: isGet, method: method)
    default: break
    }
    guard isGet else { return .unknown }
    switch segments {
    case ["map-direction", "v1", "driving"]: return .driving
    case ["map-geocode", "v2", "geocode"]: return .geocode
    case ["map-reversegeocode", "v2", "gc"]: return .reverseGeocode
    case ["v2", "local", "search", "keyword"], ["v2", "local", "search", "keyword.json"]:
      return .keyword
    default: return .unknown
    }
  }

  private static func post(_ rest: [String], isGet: Bool, method: String) -> TaxiCall {
    switch (rest.count, isGet, method == "POST") {
    case (0, true, _): return .list
    case (0, _, true): return .create
    case (1, true, _) where rest[0] == "geolocation": return .listNearby
    case (1, true, _) where !rest[0].isEmpty: return .one(postID: rest[0])
    case (2, true, _) where rest[0] == "users" && !rest[1].isEmpty:
      return .listHosted(userID: rest[1])
    case (2, true, _) where rest == ["likes", "me"]: return .listMine
    case (2, _, true) where rest[1] == "like" && !rest[0].isEmpty: return .like(postID: rest[0])
    default: return .unknown
    }
  }
}
