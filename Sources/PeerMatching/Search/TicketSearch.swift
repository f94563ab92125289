public import GeoMath
public import ObjectModel

/// Who is around: people who wait, best first, all filters before the limit.
public struct TicketSearch: Hashable, Sendable {
  /// Who asks; not in their own answer.
  public var userID: String
  /// Where they look; snapped before anything is measured, if the layer is protected.
  public var around: Coordinate
  /// Inclusive, whole millimetres.
  public var radiusMillimeters: Int64
  /// Interests of the searcher; none: any. People with none are found by all.
  public var tags: [String]
  /// What the searcher is, for what others look for.
  public var attributes: [String: String]
  /// What others must have.
  public var wanted: [WantedAttribute]
  /// Whom the searcher has blocked.
  public var blocked: Set<String>
  /// Only people who were heard of just now.
  public var onlineOnly = false
  /// Only people with so many stars on average.
  public var minimumStars: Double?
  /// How people are ordered.
  public var ranking: TicketRanking
  /// At most so many people; 0: none.
  public var limit: Int
  /// People of earlier pages, and others who are listed apart; ``TicketIndex/number(of:)`` of them.
  public var passedOver: Set<UInt64> = []
  /// The moment of the question.
  public var now: Instant
  /// Whether to count whom each rule removed.
  public var explains = false

  /// Makes a search without optional filters.
  public init(
    userID: String, around: Coordinate, radiusMillimeters: Int64, tags: [String] = [],
    attributes: [String: String] = [:], wanted: [WantedAttribute] = [],
    blocked: Set<String> = [], ranking: TicketRanking = TicketRanking(), limit: Int = 20,
    now: Instant
  ) {
    self.userID = userID
    self.around = around
    self.radiusMillimeters = radiusMillimeters
    self.tags = tags
    self.attributes = attributes
    self.wanted = wanted
    self.blocked = blocked
    self.ranking = ranking
    self.limit = limit
    self.now = now
  }
}

/// A person that a search found, with what decided their rank.
public struct TicketHit: Hashable, Sendable {
  /// The id of the person found.
  public var userID: String
  /// Where others see them.
  public var position: Coordinate
  /// Meters along the side of the cell they are in; 0 without protection.
  public var cellMeters: Double
  /// From where the searcher looks, both ends as others see them.
  public var distanceMillimeters: Int64
  /// Interests of both, as the searcher names them.
  public var commonTags: [String]
  /// Whether they were heard of just now.
  public var isOnline: Bool
  /// When they were heard of last.
  public var lastSeen: Instant
  /// Why they stand where they stand.
  public var score: TicketScore
}

/// The rules of a search, in the order in which they are looked at.
public enum TicketFilterRule: String, Hashable, Sendable, CaseIterable {
  /// The waiting is over.
  case expired
  /// No interest in common.
  case tags
  /// Not what the searcher looks for.
  case wanted
  /// Not heard of just now, where that is asked for.
  case online
  /// Too few stars, where that is asked for.
  case rating
  /// The searcher is not what they look for.
  case wantedByThem
  /// Blocked by the searcher. Who has blocked the searcher is counted nowhere.
  case blocked
}

/// What a search finds.
public struct TicketSearchResult: Hashable, Sendable {
  /// Best first; equals by id as UTF-8.
  public var hits: [TicketHit]
  /// Whether more follow.
  public var hasMore: Bool
  /// People within the radius; only with ``TicketSearch/explains``. With the removed, those passed over
  /// and the matching ones it adds up.
  public var considered = 0
  /// How many each rule removed, each person under the first one they fail.
  public var removed: [TicketFilterRule: Int] = [:]
  /// How many passed all rules.
  public var matching = 0
}

/// An interest and how many people around share it.
public struct PopularTag: Hashable, Sendable {
  /// The tag as it is stored, normalised.
  public var tag: String
  /// At least ``TicketIndex/popularFrom``.
  public var count: Int

  /// Makes a count.
  public init(tag: String, count: Int) {
    self.tag = tag
    self.count = count
  }
}
