import LiveLayers
import MoyeoAPI
import RideMatching
import TaxiFares

/// What the fields of requests may be, as /openapi.json tells it: bounds, words, and what must be
/// there. What is refused beyond is ``RequestValidation``'s to say; a test asks the daemon about each.
struct FieldBounds {
  let limits: LayerLimits

  /// Keywords of JSON Schema beside a field's type, for one value of a list where there is one.
  func keywords(of field: MessageSchema.Field, in message: String) -> [String: Any] {
    switch field.jsonName {
    case "latitude", "south", "north": return ["minimum": -90, "maximum": 90]
    case "longitude", "west", "east": return ["minimum": -180, "maximum": 180]
    case "radiusMeters", "destinationRadiusMeters", "maxAgeSeconds", "maxStalenessSeconds",
      "maxWalkMeters", "maxDetourRatio", "minSharedRatio", "departureWindowSeconds",
      "distanceMeters", "durationSeconds", "maxRideSeconds", "maxDetourSeconds":
      return ["minimum": 0]
    case "limit": return limit(of: message)
    case "tagMatch": return ["enum": ["all", "any"]]
    case "layer": return layerName
    default: return [:]
    }
  }

  let layerName: [String: any Sendable] = [
    "minLength": 1, "maxLength": 63, "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$",
  ]

  /// Keywords that hold of requests alone: what answers say was accepted, whatever its bounds are by now.
  func requestKeywords(of field: MessageSchema.Field, in message: String) -> [String: Any] {
    if case .string = field.kind { return words(of: field.jsonName, in: message) }
    if case .message("google.protobuf.Value") = field.kind {
      return ["type": ["string", "number", "boolean"]]
    }
    switch (message, field.jsonName) {
    case (_, "ttlSeconds"):
      return ["minimum": 0, "maximum": Double(limits.maximumTTLMilliseconds) / 1000]
    case (_, "waitSeconds"): return ["minimum": 0, "maximum": 30]
    case ("moyeo.v1.GetTileRequest", "zoom"), (_, "zoom"):
      return ["minimum": 0, "maximum": limits.maximumZoom]
    case ("moyeo.v1.GetTileRequest", "x"), ("moyeo.v1.GetTileRequest", "y"):
      return ["minimum": 0, "maximum": (1 << limits.maximumZoom) - 1]
    case (_, "metersPerPixel"): return ["exclusiveMinimum": 0]
    case (_, "intervalMilliseconds"): return ["minimum": 50, "maximum": 60_000]
    case (_, "stars"): return ["minimum": 1, "maximum": 5]
    case (_, "reputation"): return ["minimum": 0, "maximum": 1]
    case ("moyeo.v1.SearchPartiesRequest", "seats"):
      return ["minimum": 0, "maximum": Self.maximumSeats]
    case (_, "seats"), (_, "hostSeats"), (_, "maxSeats"), (_, "riderCount"):
      return ["minimum": 1, "maximum": Self.maximumSeats]
    case (_, "minSharedRatio"): return ["minimum": 0, "maximum": 1]
    case (_, "amount"), (_, "tolls"), (_, "soloFare"):
      return ["minimum": 0, "maximum": Self.maximumAmount]
    case (_, "maxShare"), (_, "weight"), (_, "slowSeconds"), (_, "after"): return ["minimum": 0]
    default: return [:]
    }
  }

  private static let maximumSeats = PartyConfiguration.maximumSeatsOfTaxi
  /// In minor units, of a fare.
  private static let maximumAmount = 1_000_000_000_000

  private func words(of name: String, in message: String) -> [String: Any] {
    let splitRules = SplitRule.allCases.map(\.rawValue)
    switch (message, name) {
    case (_, "splitRule"), ("moyeo.v1.SplitFareRequest", "rule"): return ["enum": splitRules]
    case (_, "approval"): return ["enum": ["host"]]
    case (_, "originPrecision"): return ["enum": OriginPrecision.allCases.map(\.rawValue)]
    case ("moyeo.v1.AgreedFare", "currency"): return ["pattern": "^[A-Z]{3}$"]
    case ("moyeo.v1.RemoveRiderRequest", "reason"): return ["enum": ["no_show", "host"]]
    case ("moyeo.v1.RouteStop", "kind"): return ["enum": ["stop", "pick_up", "drop_off"]]
    case ("moyeo.v1.WatchPositionsRequest", "kinds"): return ["enum": ["enter", "move", "exit"]]
    case ("moyeo.v1.ListPartiesRequest", "state"):
      return ["enum": Party.State.allCases.map(\.rawValue)]
    case (_, "clusterId"): return ["pattern": "^[0-9a-f]{16}$"]
    // A tag may be longer as it is sent.
    case (_, "tags"), (_, "notTags"): return ["minLength": 1]
    // As they were given out; a resume token of another life begins anew, whatever it is.
    case (_, "resumeToken"): return [:]
    case (_, "minVersion"), (_, "cursor"), (_, "afterVersion"): return ["minLength": 1]
    case (_, "tariffId"), (_, "vehicleClass"), (_, "policyPack"), (_, "pack"), (_, "attribute"):
      return ["minLength": 1, "maxLength": 256]
    case (_, "q"): return ["minLength": 1, "maxLength": RequestValidation.placeQueryBytes]
    case ("moyeo.v1.Place", "name"):
      return ["maxLength": RequestValidation.placeNameBytes]
    case (_, "id"), (_, "userId"), (_, "otherId"), (_, "riderId"), (_, "hostId"), (_, "payerId"):
      return ["minLength": 1, "maxLength": limits.idBytes]
    default: return [:]
    }
  }

  /// Keywords of a list.
  func listKeywords(of field: MessageSchema.Field, in message: String) -> [String: Any] {
    switch (message, field.jsonName) {
    case ("moyeo.v1.ReportRequest", "positions"): ["maxItems": limits.reportBatch]
    case ("moyeo.v1.NearbyBatchRequest", "requests"): ["maxItems": limits.nearbyBatch]
    case ("moyeo.v1.Polygon", "points"): ["minItems": 3, "maxItems": limits.polygonCorners]
    case (_, "where"): ["maxItems": limits.conditions]
    case (_, "excludeIds"): ["maxItems": limits.excludedIDs]
    case ("moyeo.v1.Position", "tags"), (_, "notTags"): ["maxItems": limits.tagsAsSent]
    default: [:]
    }
  }

  /// Fields without which a request is refused; more may be, by what else is in it.
  static func required(of message: String) -> [String] { required[message] ?? [] }

  private static let required: [String: [String]] = [
    "moyeo.v1.Position": ["id", "latitude", "longitude"],
    "moyeo.v1.NearbyRequest": ["latitude", "longitude"],
    "moyeo.v1.SearchPlacesRequest": ["q"],
    "moyeo.v1.ReversePlacesRequest": ["latitude", "longitude"],
    "moyeo.v1.Point": ["latitude", "longitude"],
    "moyeo.v1.Place": ["latitude", "longitude"],
    "moyeo.v1.Box": ["west", "south", "east", "north"],
    "moyeo.v1.Fence": ["id"],
    "moyeo.v1.Polygon": ["points"],
    "moyeo.v1.AttributeCondition": ["attribute"],
    "moyeo.v1.WantedAttribute": ["name", "values"],
    "moyeo.v1.RouteStop": ["latitude", "longitude"],
    "moyeo.v1.RouteSegment": ["distanceMeters", "durationSeconds"],
    "moyeo.v1.PartyRider": ["riderId"],
    "moyeo.v1.FareRider": ["riderId"],
    "moyeo.v1.SplitRider": ["riderId"],
    "moyeo.v1.SplitFareRequest": ["amount"],
    "moyeo.v1.PlanRouteRequest": ["origin", "destination"],
    "moyeo.v1.GetClustersRequest": ["west", "south", "east", "north"],
    "moyeo.v1.WatchTilesRequest": ["west", "south", "east", "north", "zoom"],
    "moyeo.v1.CreatePartyRequest": ["hostId", "origin", "destination", "departureTime"],
    "moyeo.v1.AgreedFare": ["amount", "currency"],
    "moyeo.v1.MatchPartiesRequest": ["riderId", "origin", "destination"],
    "moyeo.v1.WatchMatchesRequest": ["riderId", "origin", "destination"],
    "moyeo.v1.BatchRequest": ["riderId", "origin", "destination"],
    "moyeo.v1.JoinPartyRequest": ["riderId"],
    "moyeo.v1.PreviewJoinRequest": ["riderId"],
    "moyeo.v1.LeavePartyRequest": ["riderId"],
    "moyeo.v1.SettlePartyRequest": ["payerId", "amount"],
    "moyeo.v1.ListRideRequestsRequest": ["riderId"],
    "moyeo.v1.ListRideOffersRequest": ["riderId"],
    "moyeo.v1.GetRideOfferRequest": ["riderId"],
    "moyeo.v1.AcceptRideOfferRequest": ["riderId"],
    "moyeo.v1.DeclineRideOfferRequest": ["riderId"],
    "moyeo.v1.OpenTicketRequest": ["userId", "here"],
    "moyeo.v1.SearchTicketsRequest": ["userId"],
    "moyeo.v1.OtherUserRequest": ["otherId"],
    "moyeo.v1.ProposeRequest": ["otherId"],
    "moyeo.v1.RateUserRequest": ["otherId"],
  ]

  private func limit(of message: String) -> [String: Any] {
    switch message {
    case "moyeo.v1.GetClustersRequest": ["minimum": 1, "maximum": limits.clustersPerAnswer]
    case "moyeo.v1.NearbyRequest", "moyeo.v1.WithinRequest", "moyeo.v1.TagHistogramRequest",
      "moyeo.v1.SearchPlacesRequest", "moyeo.v1.ReversePlacesRequest":
      ["minimum": 1, "maximum": limits.hits]
    default: ["minimum": 1]
    }
  }
}
