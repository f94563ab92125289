public import GeoMath
public import ObjectModel
public import PositionProtection

/// A person with what they look for: the one state that all rules of tickets work on.
///
/// It outlives the waiting, since blocks, penalties and ratings belong to the person.
public struct Ticket: Hashable, Sendable {
  /// What the person does now.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Waits to be asked, and asks.
    case open
    /// Meets ``Ticket/match``.
    case matched
    /// Ended by the person, or by the end of a match.
    case closed
    /// Ended by the clock.
    case expired
  }

  /// Whose it is; not empty.
  public let userID: String
  /// Grows by one with each change; 0: never changed.
  public var version: UInt64 = 0
  /// What the person does now.
  public var state = State.closed
  /// The moment since which this holds.
  public var stateSince = Instant(milliseconds: 0)
  /// How often the person began to wait; proposals belong to one waiting.
  public var opening: UInt64 = 0
  /// Where the person is; nil before the first waiting. Only they themselves are shown it.
  public var here: Coordinate?
  /// Where others see the person.
  public var cell: ProtectedCell?
  /// Where the person looks for others; nil: where they are.
  public var lookingAt: Coordinate?
  /// Interests, normalised; none: any.
  public var tags: [String] = []
  /// What others may look for, such as `gender`: name to value.
  public var attributes: [String: String] = [:]
  /// What others must have.
  public var wanted: [WantedAttribute] = []
  /// When the waiting ends by itself.
  public var expiresAt = Instant(milliseconds: 0)
  /// Who asked, oldest first.
  public var proposalsFrom: [Proposal] = []
  /// Whom the person asked, oldest first.
  public var proposalsTo: [Proposal] = []
  /// Whom the person declined in this waiting.
  public var declined: [Proposal] = []
  /// The one they meet; only while matched.
  public var match: TicketMatch?
  /// The match that ended last.
  public var lastMatch: TicketMatch?
  /// Which of the two called the last match off; nil: neither, or a new waiting has begun.
  public var dodgedBy: String?
  /// Whether the person has rated ``match``, or else ``lastMatch``.
  public var reviewed = false
  /// What the person did to others.
  public var conduct = Conduct()
  /// What others say of the person.
  public var rating = Rating()
  /// Whom the person does not want to meet; sorted.
  public var blocked: [String] = []

  /// Makes the ticket of somebody who did nothing yet.
  public init(userID: String) { self.userID = userID }

  /// Whether the person can be asked at a moment. What the clock has ended is over, whether or not
  /// a timer has said so.
  public func isWaiting(at now: Instant) -> Bool { state == .open && expiresAt > now }

  /// Whether the person wants not to meet another.
  public func blocks(_ userID: String) -> Bool { blocked.contains(userID) }

  /// When the clock has something to do; nil: never.
  public var nextTick: Instant? {
    guard state == .open else { return nil }
    let proposals = (proposalsFrom + proposalsTo).compactMap(\.expiresAt)
    return min(expiresAt, proposals.min() ?? expiresAt)
  }

  /// Since when nothing of it need be kept; nil: something must be.
  ///
  /// Blocks and ratings are kept. Dodges, reports, penalties and bans count for some time only.
  public var forgettableSince: Instant? {
    switch state {
    case .open, .matched: return nil
    case .closed, .expired:
      guard blocked.isEmpty, rating == Rating() else { return nil }
      let ends =
        [conduct.penaltyUntil, conduct.bannedUntil, conduct.dodges.last, conduct.reports.last?.at]
      return max(stateSince, ends.compactMap { $0 }.max() ?? stateSince)
    }
  }
}

/// A value that others must have.
public struct WantedAttribute: Hashable, Sendable {
  /// The attribute's name.
  public var name: String
  /// Any of these will do; not empty.
  public var values: [String]

  /// Makes a wish.
  public init(name: String, values: [String]) {
    self.name = name
    self.values = values
  }

  /// Whether somebody with these attributes fulfils it.
  public func isMet(by attributes: [String: String]) -> Bool {
    attributes[name].map(values.contains) ?? false
  }
}

/// One person's wish to meet another, seen from one of the two.
public struct Proposal: Hashable, Sendable {
  /// The other one.
  public var userID: String
  /// Of the one who asks: a proposal ends with the waiting in which it was made.
  public var opening: UInt64
  /// When it was made.
  public var at: Instant
  /// When it ends by itself; nil: with the waiting.
  public var expiresAt: Instant?

  /// Makes a proposal.
  public init(userID: String, opening: UInt64, at: Instant, expiresAt: Instant? = nil) {
    self.userID = userID
    self.opening = opening
    self.at = at
    self.expiresAt = expiresAt
  }

  /// Whether the clock has not ended it.
  public func isLive(at now: Instant) -> Bool { expiresAt.map { $0 > now } ?? true }
}

/// Two people who meet, seen from one of them.
public struct TicketMatch: Hashable, Sendable {
  /// The same for both.
  public var id: String
  /// The other one.
  public var userID: String
  /// The moment since which this holds.
  public var at: Instant

  /// Makes a match.
  public init(id: String, userID: String, at: Instant) {
    self.id = id
    self.userID = userID
    self.at = at
  }
}

/// What a person did to others, as far as policy counts it.
public struct Conduct: Hashable, Sendable {
  /// When they called matches off or did not show up, oldest first; only what still counts.
  public var dodges: [Instant] = []
  /// Who reported them and when, oldest first; only what still counts.
  public var reports: [Report] = []
  /// No waiting before it.
  public var penaltyUntil: Instant?
  /// No waiting before it.
  public var bannedUntil: Instant?
  /// Whether an operator set ``bannedUntil``: such a ban holds for rides as well, one that reports
  /// brought about does not.
  public var isBannedByOperator = false

  /// A report of this person by another one.
  public struct Report: Hashable, Sendable {
    /// The id of the person who reported.
    public var reporterID: String
    /// The moment of the report.
    public var at: Instant

    /// Makes a report.
    public init(reporterID: String, at: Instant) {
      self.reporterID = reporterID
      self.at = at
    }
  }

  /// Makes the conduct of somebody who did nothing.
  public init() {}
}

/// What others said of a person after meeting them.
public struct Rating: Hashable, Sendable {
  /// How many rated with stars.
  public var count = 0
  /// Of all stars given.
  public var stars = 0
  /// How often each of the app's own words was chosen, by its place in the app's list.
  public var reputation: [Int] = []
  /// The newest comments, oldest first.
  public var comments: [String] = []

  /// Makes the rating of somebody whom nobody met yet.
  public init() {}

  /// 1...5; nil where nobody rated.
  public var average: Double? { count > 0 ? Double(stars) / Double(count) : nil }
}
