import GeoMath
import MoyeoAPI
import ObjectModel
import PeerMatching
import SwiftProtobuf
import Tickets

/// Tickets as messages.
enum TicketMessage {
  static func response(_ answer: TicketAnswer) -> Moyeo_V1_TicketResponse {
    var out = Moyeo_V1_TicketResponse()
    out.ticket = ticket(answer)
    out.version = answer.layerVersion
    return out
  }

  private static func ticket(_ answer: TicketAnswer) -> Moyeo_V1_Ticket {
    let ticket = answer.ticket
    var out = Moyeo_V1_Ticket()
    out.userID = ticket.userID
    out.version = String(ticket.version)
    out.state = ticket.state.rawValue
    if let here = ticket.here { out.here = point(here) }
    if let place = ticket.lookingAt { out.lookingAt = point(place) }
    if let place = answer.shownAt { out.shownAt = point(place) }
    out.cellMeters = answer.cellMeters
    out.tags = ticket.tags
    out.attributes = attributes(ticket.attributes)
    out.wanted = ticket.wanted.map(wish)
    out.proposalsFrom = answer.askedBy
    out.proposalsTo = answer.asks
    if let match = ticket.match {
      out.matchedWith = match.userID
      out.matchID = match.id
    }
    if ticket.opening > 0 { out.expiresAt = Google_Protobuf_Timestamp(ticket.expiresAt) }
    out.online = answer.isOnline
    out.lastSeenSeconds = Double(answer.lastSeenMilliseconds) / 1000
    if let dodger = ticket.dodgedBy { out.dodgedBy = dodger }
    out.reviewed = ticket.reviewed
    if let until = ticket.conduct.penaltyUntil {
      out.penaltyUntil = Google_Protobuf_Timestamp(until)
    }
    if let until = ticket.conduct.bannedUntil {
      out.bannedUntil = Google_Protobuf_Timestamp(until)
    }
    out.blocked = ticket.blocked
    if let match = ticket.lastMatch { out.lastMatchedWith = match.userID }
    return out
  }

  static func response(
    _ answer: TicketSearchAnswer, explains: Bool
  ) -> Moyeo_V1_SearchTicketsResponse {
    var out = Moyeo_V1_SearchTicketsResponse()
    out.around = answer.around.map { person($0, explains: explains) }
    out.askedMe = answer.askedMe.map { person($0, explains: explains) }
    out.popularTags = answer.popularTags.map { popular in
      var tag = Moyeo_V1_PopularTag()
      tag.tag = popular.tag
      tag.count = Int32(clamping: popular.count)
      return tag
    }
    if let cursor = answer.nextCursor { out.nextCursor = cursor }
    if explains {
      var explanation = Moyeo_V1_TicketExplanation()
      explanation.considered = Int32(clamping: answer.result.considered)
      explanation.matching = Int32(clamping: answer.result.matching)
      for (rule, count) in answer.result.removed {
        explanation.removed.fields[rule.rawValue] = Google_Protobuf_Value(
          numberValue: Double(count))
      }
      out.explanation = explanation
    }
    out.version = answer.layerVersion
    return out
  }

  private static func person(
    _ answer: TicketPersonAnswer, explains: Bool
  ) -> Moyeo_V1_TicketPerson {
    let (ticket, hit) = (answer.ticket, answer.hit)
    var out = Moyeo_V1_TicketPerson()
    out.userID = ticket.userID
    out.latitude = hit.position.latitude
    out.longitude = hit.position.longitude
    out.cellMeters = hit.cellMeters
    out.distanceMeters = Double(hit.distanceMillimeters) / 1000
    out.tags = ticket.tags
    out.commonTags = hit.commonTags
    out.attributes = attributes(ticket.attributes)
    out.wanted = ticket.wanted.map(wish)
    out.online = hit.isOnline
    out.lastSeenSeconds = Double(answer.lastSeenMilliseconds) / 1000
    if let stars = ticket.rating.average { out.stars = stars }
    out.reputation = ticket.rating.reputation.map { Int32(clamping: $0) }
    out.comments = ticket.rating.comments
    out.asked = answer.isAsked
    if explains {
      var score = Moyeo_V1_TicketScore()
      score.commonTags = hit.score.commonTags
      score.distance = hit.score.distance
      score.online = hit.score.online
      score.rating = hit.score.rating
      score.lastSeen = hit.score.lastSeen
      score.total = Double(hit.score.millionths) / 1_000_000
      out.score = score
    }
    return out
  }

  private static func point(_ place: Coordinate) -> Moyeo_V1_Point {
    var out = Moyeo_V1_Point()
    out.latitude = place.latitude
    out.longitude = place.longitude
    return out
  }

  private static func attributes(_ attributes: [String: String]) -> Google_Protobuf_Struct {
    Google_Protobuf_Struct(fields: attributes.mapValues { Google_Protobuf_Value(stringValue: $0) })
  }

  private static func wish(_ wish: WantedAttribute) -> Moyeo_V1_WantedAttribute {
    var out = Moyeo_V1_WantedAttribute()
    out.name = wish.name
    out.values = wish.values
    return out
  }
}
