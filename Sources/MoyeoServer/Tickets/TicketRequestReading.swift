import GeoMath
import LiveLayers
import MoyeoAPI
import PeerMatching
import Tickets

/// Requests of TicketService to commands and questions, once for both wires.
struct TicketRequestReading: Sendable {
  let validation: RequestValidation
  let ranking: TicketRankingBounds
  private static let wishLimit = 8
  private static let valueLimit = 16

  func userID(_ id: String?) throws(APIError) -> String {
    try validation.id(id, field: "userId")
  }

  func otherID(_ id: String?) throws(APIError) -> String {
    try validation.id(id, field: "otherId")
  }

  func open(_ request: Moyeo_V1_OpenTicketRequest) throws(APIError) -> OpenTicket {
    guard request.hasHere else {
      throw APIError(.missingField, field: "here", "here is required")
    }
    return OpenTicket(
      here: try point(request.here, field: "here"),
      lookingAt: request.hasLookingAt ? try point(request.lookingAt, field: "lookingAt") : nil,
      tags: try validation.tags(request.tags, field: "tags"),
      attributes: try PartyRequestReading(validation: validation).attributes(
        request.attributesIfSet, field: "attributes"),
      wanted: try wanted(request.wanted),
      milliseconds: try milliseconds(
        request.expiresInSecondsIfSet,
        field: "expiresInSeconds"))
  }

  func rating(_ request: Moyeo_V1_RateUserRequest) throws(APIError) -> RateUser {
    RateUser(
      stars: request.starsIfSet.map(Int.init),
      reputation: request.reputation.map(Int.init), comment: request.comment)
  }

  func search(_ request: Moyeo_V1_SearchTicketsRequest) throws(APIError) -> TicketSearchQuery {
    var query = TicketSearchQuery(
      userID: try userID(request.userIDIfSet))
    if request.hasLookingAt {
      query.lookingAt = try point(request.lookingAt, field: "lookingAt")
    }
    query.tags = try validation.tags(request.tags, field: "tags")
    query.radiusMeters =
      request.hasRadiusMeters ? try number(request.radiusMeters, field: "radiusMeters") : nil
    query.limit = request.limitIfSet.map(Int.init)
    query.cursor = request.cursorIfSet
    query.wanted = try wanted(request.wanted)
    query.onlineOnly = request.onlineOnly
    query.minimumStars = request.minimumStarsIfSet
    if request.hasRanking {
      let asked = request.ranking
      var weights = ranking.standard
      if asked.hasCommonTags { weights.commonTags = asked.commonTags }
      if asked.hasDistance { weights.distance = asked.distance }
      if asked.hasOnline { weights.online = asked.online }
      if asked.hasRating { weights.rating = asked.rating }
      if asked.hasLastSeen { weights.lastSeen = asked.lastSeen }
      query.ranking = weights
    }
    query.explains = request.explain
    return query
  }

  private func wanted(
    _ wanted: [Moyeo_V1_WantedAttribute]
  ) throws(APIError) -> [WantedAttribute] {
    try validation.bounded(wanted.count, Self.wishLimit, field: "wanted")
    var out: [WantedAttribute] = []
    for (i, wish) in wanted.enumerated() {
      let field = "wanted[\(i)]"
      try validation.bounded(wish.values.count, Self.valueLimit, field: field + ".values")
      for text in [wish.name] + wish.values
      where text.isEmpty || text.utf8.count > validation.limits.tagBytes {
        throw APIError(
          .badValue, field: field,
          "names and values have 1 to \(validation.limits.tagBytes) bytes")
      }
      guard !wish.values.isEmpty else {
        throw APIError(.missingField, field: field + ".values", "a value is required")
      }
      out.append(WantedAttribute(name: wish.name, values: wish.values))
    }
    return out
  }

  private func point(_ point: Moyeo_V1_Point, field: String) throws(APIError) -> Coordinate {
    try validation.coordinate(
      latitude: point.latitudeIfSet,
      longitude: point.longitudeIfSet, prefix: field + ".")
  }

  private func number(_ value: Double, field: String) throws(APIError) -> Double {
    guard value.isFinite else {
      throw APIError(.limitOutOfRange, field: field, "\(field) is a number; got \(value)")
    }
    return value
  }

  private func milliseconds(_ seconds: Double?, field: String) throws(APIError) -> Int64? {
    guard let seconds else { return nil }
    return Int64((try number(min(max(seconds, -1e9), 1e9), field: field) * 1000).rounded())
  }
}
