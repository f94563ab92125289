import GeoMath
import PeerMatching
import Tickets
import WireFormat

/// Bodies of the study-mate queue, as its clients decode them: every field always there, `""` and
/// never null.
enum StudyAnswers {
  /// Clients show so many of the app's words without looking at how many came.
  private static let minimumReputation = 9

  static func message(_ text: String) -> [UInt8] {
    JSONWriter.object { $0.string("message", text) }
  }

  static func search(_ answer: TicketSearchAnswer) -> [UInt8] {
    JSONWriter.object { out in
      out.objects("fromQueueDB", answer.around, item)
      out.objects("fromQueueDBRequested", answer.askedMe, item)
      out.strings("fromRecommend", answer.popularTags.map(\.tag))
    }
  }

  /// One person; tags under the names of both dialects.
  private static func item(_ person: TicketPersonAnswer, _ out: inout JSONWriter) {
    let ticket = person.ticket
    let profile = ticket.attributes
    let tags = ticket.tags.isEmpty ? [StudyFields.anything] : ticket.tags
    out.string("uid", ticket.userID)
    out.string("nick", Profile.nick(profile, userID: ticket.userID))
    out.number("lat", person.hit.position.latitude)
    out.number("long", person.hit.position.longitude)
    let missing = max(0, minimumReputation - ticket.rating.reputation.count)
    let reputation = ticket.rating.reputation + Array(repeating: 0, count: missing)
    var numbers: [UInt8] = [UInt8(ascii: "[")]
    for (i, number) in reputation.enumerated() {
      if i > 0 { numbers.append(UInt8(ascii: ",")) }
      JSONText.append(Int64(number), to: &numbers)
    }
    numbers.append(UInt8(ascii: "]"))
    out.raw("reputation", numbers)
    out.strings("studylist", tags)
    out.strings("hf", tags)
    out.strings("reviews", ticket.rating.comments)
    out.integer("gender", Int64(Profile.integer(profile, "gender") ?? -1))
    out.integer("type", Int64(wantedGender(ticket)))
    out.integer("sesac", Int64(Profile.integer(profile, "sesac") ?? 0))
    out.integer("background", Int64(Profile.integer(profile, "background") ?? 0))
  }

  /// The gender that somebody looks for; 2 is either.
  private static func wantedGender(_ ticket: Ticket) -> Int {
    guard let wish = ticket.wanted.first(where: { $0.name == "gender" }), wish.values.count == 1,
      let gender = Int(wish.values[0])
    else { return 2 }
    return gender
  }

  /// How it stands with somebody's search.
  struct State: Hashable, Sendable {
    var isDodged = false
    /// The other one, of a match that goes on or of the one that ended this waiting; empty: none.
    var matchedUserID = ""
    var matchedNick = ""
    var isReviewed = false
  }

  static func state(_ state: State) -> [UInt8] {
    JSONWriter.object { out in
      out.integer("dodged", state.isDodged ? 1 : 0)
      out.integer("matched", state.matchedUserID.isEmpty ? 0 : 1)
      out.integer("reviewed", state.isReviewed ? 1 : 0)
      out.string("matchedNick", state.matchedNick)
      out.string("matchedUid", state.matchedUserID)
    }
  }
}
