package import GeoMath
package import ObjectModel
package import RideMatching
package import SpatialIndexing
import DurableCommands

/// The parties of a person, newest first.
package struct PartyListQuery: Hashable, Sendable {
  package enum Person: Hashable, Sendable {
    /// Aboard, as host or not.
    case rider(String)
    case host(String)
    /// Waiting for the host's word.
    case requester(String)
  }

  package var person: Person
  /// Empty: all.
  package var states: Set<Party.State>
  /// Nil: the default.
  package var limit: Int?
  package var cursor: String?

  package init(
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
package struct PartySearchQuery: Hashable, Sendable {
  package enum Area: Hashable, Sendable {
    /// Nil: the default radius. Inclusive, meters.
    case around(Coordinate, radiusMeters: Double?)
    case box(GeoBox)
  }

  package var area: Area
  package var destination: Coordinate?
  /// Of ``destination``; nil: the default radius. Inclusive, meters.
  package var destinationRadiusMeters: Double?
  /// Departure windows that meet [from, to]; ends count.
  package var from: Instant?
  package var to: Instant?
  /// Free at least; nil or 0: full parties as well.
  package var seats: Int?
  /// Normalised.
  package var tags: [String]
  package var tagMatch: TagMatch
  package var limit: Int?
  package var cursor: String?
  package var minVersion: String?

  package init(
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

package struct PartyPage: Hashable, Sendable {
  package var parties: [Party]
  package var nextCursor: String?
  /// Of the layer `parties`.
  package var layerVersion: String
}

/// A rider's trip: which parties go that way?
package struct PartyMatchRequest: Hashable, Sendable {
  /// Its `now` and `limit` are set by ``PartyService``.
  package var query: MatchQuery
  /// All of them; normalised.
  package var tags: [String]
  /// Nil: the default.
  package var limit: Int?
  package var minVersion: String?

  package init(
    query: MatchQuery, tags: [String] = [], limit: Int? = nil, minVersion: String? = nil
  ) {
    self.query = query
    self.tags = tags
    self.limit = limit
    self.minVersion = minVersion
  }
}

package struct PartyMatchAnswer: Hashable, Sendable {
  /// Best first.
  package var candidates: [MatchCandidate]
  /// Only when asked for. Its `matched` counts those that carry the tags.
  package var explanation: MatchExplanation?
  /// Parties that hold all rules and lack a tag; with the explanation's counts they add up to
  /// `considered`.
  package var removedByTags: Int
  /// Of the layer `parties`.
  package var layerVersion: String
}

/// What ``PartyService/watchMatches(_:)`` tells.
package enum PartyMatchUpdate: Hashable, Sendable {
  /// Those there are now; comes first, and again after the watcher fell behind.
  case candidates([MatchCandidate])
  /// One more, or one that changed and still matches.
  case candidate(MatchCandidate)
  /// No longer a match.
  case gone(partyID: String)
  /// An offer to the rider, new or changed.
  case offer(PartyRideOffer)
}

/// Waiting requests to be sorted into taxis.
package struct PartyBatchQuery: Hashable, Sendable {
  package var requests: [RideRequest]
  package var maxSeats: Int?
  package var seed: UInt64
  /// Deterministic; nil: by time.
  package var iterations: Int?
  package var timeBudgetMilliseconds: Int?
  package var policy: RidePolicy
  /// Of every group; nil: each finds that of its own pick-up.
  package var tariffID: String?

  package init(
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

package struct PartyBatchAnswer: Hashable, Sendable {
  package var result: BatchResult
  /// Of all groups where they have one, else of the first request; each group names its own.
  package var currency: String
}
