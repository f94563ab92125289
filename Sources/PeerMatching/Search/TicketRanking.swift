/// How much each reason to meet somebody counts, as data.
public struct TicketRanking: Hashable, Sendable {
  /// The share of the searcher's interests that the other one has.
  public var commonTags: Double
  /// Nearness: 1 here, 0 at the radius.
  public var distance: Double
  /// Whether the other one's phone was heard of just now.
  public var online: Double
  /// The stars of those who met the other one, a fifth of them; 0.6 of somebody unrated.
  public var rating: Double
  /// 1 / (1 + time since the other one was heard of / 10 minutes).
  public var lastSeen: Double

  /// Makes weights; the standard ones put people online first, then common interests.
  public init(
    commonTags: Double = 1, distance: Double = 1, online: Double = 2, rating: Double = 0.25,
    lastSeen: Double = 0.25
  ) {
    self.commonTags = commonTags
    self.distance = distance
    self.online = online
    self.rating = rating
    self.lastSeen = lastSeen
  }

  /// The weights by name, in a fixed order.
  public var weights: [(name: String, value: Double)] {
    [
      ("commonTags", commonTags), ("distance", distance), ("online", online), ("rating", rating),
      ("lastSeen", lastSeen),
    ]
  }
}

/// The weights that requests may set.
public struct TicketRankingBounds: Hashable, Sendable {
  /// What a request that sets nothing is ranked by.
  public var standard: TicketRanking
  /// Of each weight.
  public var allowed: ClosedRange<Double>

  /// Makes bounds: the standard weights, and 0 to 10 of each.
  public init(standard: TicketRanking = TicketRanking(), allowed: ClosedRange<Double> = 0...10) {
    self.standard = standard
    self.allowed = allowed
  }

  /// The first weight outside the bounds; nil: all are inside. NaN is outside.
  public func violation(in ranking: TicketRanking) -> (name: String, value: Double)? {
    ranking.weights.first { !allowed.contains($0.value) }
  }
}

/// Why a person stands where they stand: each weight times what it weighs.
public struct TicketScore: Hashable, Sendable {
  /// Millionths of the sum, by which people are ordered.
  public var millionths: Int64
  /// ``TicketRanking/commonTags`` times the share in common.
  public var commonTags: Double
  /// ``TicketRanking/distance`` times the nearness.
  public var distance: Double
  /// ``TicketRanking/online`` times 1 or 0.
  public var online: Double
  /// ``TicketRanking/rating`` times the stars.
  public var rating: Double
  /// ``TicketRanking/lastSeen`` times the freshness.
  public var lastSeen: Double
}
