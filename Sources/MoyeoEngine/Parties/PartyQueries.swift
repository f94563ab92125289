public import GeoMath
public import ObjectModel
public import RideMatching
public import SpatialIndexing

/// The parties of a person, newest first.
public struct PartyListQuery: Hashable, Sendable {
  public enum Person: Hashable, Sendable {
    /// Aboard, as host or not.
    case rider(String)
    case host(String)
  }

  public var person: Person
  /// Empty: all.
  public var states: Set<Party.State>
  /// Nil: the default.
  public var limit: Int?
  public var cursor: String?

  public init(
    person: Person, states: Set<Party.State> = [], limit: Int? = nil, cursor: String? = nil
  ) {
    self.person = person
    self.states = states
    self.limit = limit
    self.cursor = cursor
  }
}

/// Open and full parties near a place (nearest first, then by id), or in a box (by Morton code of
/// the origin, then by id).
public struct PartySearchQuery: Hashable, Sendable {
  public enum Area: Hashable, Sendable {
    /// Nil: the default radius. Inclusive, meters.
    case around(Coordinate, radiusMeters: Double?)
    case box(GeoBox)
  }

  public var area: Area
  public var destination: Coordinate?
  /// Of ``destination``; nil: the default radius. Inclusive, meters.
  public var destinationRadiusMeters: Double?
  /// Departure windows that meet [from, to]; ends count.
  public var from: Instant?
  public var to: Instant?
  /// Free at least; nil or 0: full parties as well.
  public var seats: Int?
  /// Normalised.
  public var tags: [String]
  public var tagMatch: TagMatch
  public var limit: Int?
  public var cursor: String?
  public var minVersion: String?

  public init(
    area: Area, destination: Coordinate? = nil, destinationRadiusMeters: Double? = nil,
    from: Instant? = nil, to: Instant? = nil, seats: Int? = nil, tags: [String] = [],
    tagMatch: TagMatch = .all, limit: Int? = nil, cursor: String? = nil,
    minVersion: String? = nil
  ) {
    self.area = area
    self.destination = destination
    self.destinationRadiusMeters = destinationRadiusMeters
    self.from = from
    self.to = to
    self.seats = seats
    self.tags = tags
    self.tagMatch = tagMatch
    self.limit = limit
    self.cursor = cursor
    self.minVersion = minVersion
  }
}

public struct PartyPage: Hashable, Sendable {
  public var parties: [Party]
  public var nextCursor: String?
  /// Of the layer `parties`.
  public var layerVersion: String
}

/// A rider's trip: which parties go that way?
public struct PartyMatchRequest: Hashable, Sendable {
  /// Its `now` and `limit` are set by the desk.
  public var query: MatchQuery
  /// All of them; normalised.
  public var tags: [String]
  /// Nil: the default.
  public var limit: Int?
  public var minVersion: String?

  public init(
    query: MatchQuery, tags: [String] = [], limit: Int? = nil, minVersion: String? = nil
  ) {
    self.query = query
    self.tags = tags
    self.limit = limit
    self.minVersion = minVersion
  }
}

public struct PartyMatchAnswer: Hashable, Sendable {
  /// Best first.
  public var candidates: [MatchCandidate]
  /// Only when asked for. Its `matched` counts those that carry the tags.
  public var explanation: MatchExplanation?
  /// Parties that hold all rules and lack a tag; with the explanation's counts they add up to
  /// `considered`.
  public var removedByTags: Int
  /// Of the layer `parties`.
  public var layerVersion: String
}

/// What ``PartyDesk/watchMatches(_:)`` tells.
public enum PartyMatchUpdate: Hashable, Sendable {
  /// Those there are now; comes first, and again after the watcher fell behind.
  case candidates([MatchCandidate])
  /// One more, or one that changed and still matches.
  case candidate(MatchCandidate)
  /// No longer a match.
  case gone(partyID: String)
}

/// Waiting requests to be sorted into taxis.
public struct PartyBatchQuery: Hashable, Sendable {
  public var requests: [RideRequest]
  public var maxSeats: Int?
  public var seed: UInt64
  /// Deterministic; nil: by time.
  public var iterations: Int?
  public var timeBudgetMilliseconds: Int?
  public var policy: RidePolicy
  /// Nil: by the first request's origin.
  public var tariffID: String?

  public init(
    requests: [RideRequest], maxSeats: Int? = nil, seed: UInt64 = 1, iterations: Int? = nil,
    timeBudgetMilliseconds: Int? = nil, policy: RidePolicy = .none, tariffID: String? = nil
  ) {
    self.requests = requests
    self.maxSeats = maxSeats
    self.seed = seed
    self.iterations = iterations
    self.timeBudgetMilliseconds = timeBudgetMilliseconds
    self.policy = policy
    self.tariffID = tariffID
  }
}

public struct PartyBatchAnswer: Hashable, Sendable {
  public var result: BatchResult
  public var currency: String
}

/// Some of a tenant's events, in the order of their commits.
public struct EventPage: Hashable, Sendable {
  public var events: [StoredEvent]
  /// Ask with it next: the newest sequence that was looked at.
  public var next: UInt64
}
