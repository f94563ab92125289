import LiveLayers
import MoyeoAPI
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
    case "layer":
      return ["minLength": 1, "maxLength": 63, "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$"]
    case "id" where message == "moyeo.v1.Position": return ["minLength": 1]
    case "q" where message == "moyeo.v1.SearchPlacesRequest": return ["minLength": 1]
    case "splitRule" where message == "moyeo.v1.CreatePartyRequest":
      return ["enum": SplitRule.allCases.map(\.rawValue)]
    case "approval": return ["enum": ["host"]]
    case "amount" where message == "moyeo.v1.AgreedFare": return ["minimum": 0]
    case "currency" where message == "moyeo.v1.AgreedFare": return ["pattern": "^[A-Z]{3}$"]
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

  /// Fields without which a message is refused.
  static let required: [String: [String]] = [
    "moyeo.v1.Position": ["id", "latitude", "longitude"],
    "moyeo.v1.NearbyRequest": ["latitude", "longitude"],
    "moyeo.v1.SearchPlacesRequest": ["q"],
    "moyeo.v1.ReversePlacesRequest": ["latitude", "longitude"],
    "moyeo.v1.Point": ["latitude", "longitude"],
    "moyeo.v1.Polygon": ["points"],
    "moyeo.v1.AttributeCondition": ["attribute"],
    "moyeo.v1.CreatePartyRequest": ["hostId", "origin", "destination", "departureTime"],
    "moyeo.v1.AgreedFare": ["amount", "currency"],
    "moyeo.v1.MatchPartiesRequest": ["riderId", "origin", "destination", "departureTime"],
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
