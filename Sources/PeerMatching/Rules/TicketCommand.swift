public import GeoMath
public import ObjectModel

/// Begins to wait, or changes what one waits for.
public struct OpenTicket: Hashable, Sendable {
  /// Where the person is.
  public var here: Coordinate
  /// Where they look for others; nil: where they are.
  public var lookingAt: Coordinate?
  /// Interests, normalised; none: any.
  public var tags: [String]
  /// What others may look for.
  public var attributes: [String: String]
  /// What others must have.
  public var wanted: [WantedAttribute]
  /// How long to wait; nil: the policy's default.
  public var milliseconds: Int64?

  /// Makes the command.
  public init(
    here: Coordinate, lookingAt: Coordinate? = nil, tags: [String] = [],
    attributes: [String: String] = [:], wanted: [WantedAttribute] = [], milliseconds: Int64? = nil
  ) {
    self.here = here
    self.lookingAt = lookingAt
    self.tags = tags
    self.attributes = attributes
    self.wanted = wanted
    self.milliseconds = milliseconds
  }
}

/// What is said of somebody after meeting them.
public struct RateUser: Hashable, Sendable {
  /// 1...5; nil: none given.
  public var stars: Int?
  /// The app's own words, chosen (1) or not (0) by their place in its list; at most 16.
  public var reputation: [Int]
  /// At most 500 bytes; empty: none.
  public var comment: String

  /// Makes a rating.
  public init(stars: Int? = nil, reputation: [Int] = [], comment: String = "") {
    self.stars = stars
    self.reputation = reputation
    self.comment = comment
  }
}

/// What a person does; `userID` acts, `otherID` is whom it concerns.
public enum TicketCommand: Hashable, Sendable {
  case open(userID: String, OpenTicket)
  case close(userID: String)
  /// Ends a waiting, but no match: refused then, so that a match that comes about at the same time is
  /// not called off by mistake.
  case stopWaiting(userID: String)
  /// - `matchID`: Of the match that comes about when the other one has asked already.
  /// - `matchesIfAsked`: False refuses then, so that the app can ask its user first.
  case propose(userID: String, otherID: String, matchID: String, matchesIfAsked: Bool)
  case withdraw(userID: String, otherID: String)
  case accept(userID: String, otherID: String, matchID: String)
  case decline(userID: String, otherID: String)
  case dodge(userID: String, otherID: String)
  case rate(userID: String, otherID: String, RateUser)
  case report(userID: String, otherID: String)
  case block(userID: String, otherID: String)
  case unblock(userID: String, otherID: String)
  /// The clock.
  case tick(userID: String)
  /// Somebody did not come to a ride that they had joined; it counts as a dodge.
  case noShow(userID: String, at: Instant)
  /// An operator's ban; `until` nil lifts ban and penalty.
  case ban(userID: String, until: Instant?)

  /// An operator ends a ban before its time; what was reported before it no longer counts.
  case unban(userID: String)
  /// An operator ends a penalty before its time.
  case clearPenalty(userID: String)
  /// An operator closes somebody's ticket, a match included.
  case shut(userID: String)

  /// The person who gives the command.
  public var userID: String {
    switch self {
    case .open(let id, _), .close(let id), .stopWaiting(let id),
      .propose(let id, _, _, _), .withdraw(let id, _),
      .accept(let id, _, _), .decline(let id, _), .dodge(let id, _), .rate(let id, _, _),
      .report(let id, _), .block(let id, _), .unblock(let id, _), .tick(let id),
      .noShow(let id, _), .ban(let id, _), .unban(let id), .clearPenalty(let id), .shut(let id):
      id
    }
  }
}
