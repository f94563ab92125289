public import RideMatching

/// How parties are kept. Every figure can be configured.
public struct PartyDeskConfiguration: Sendable {
  /// First part of every key in the store.
  public var tenant = "default"
  /// The rules' own figures.
  public var rules = PartyConfiguration()
  public var commits = CommitConfiguration()
  /// Keeps idempotency keys from colliding on purpose; must stay the same for a record.
  public var idempotencySecret: (UInt64, UInt64) = (0x6D6F_7965_6F2D_6B31, 0x9E37_79B9_7F4A_7C15)
  /// How long events are kept.
  public var eventMilliseconds: Int64 = 7 * 86_400_000
  /// Events that readers get without asking the store.
  public var eventsInMemory = 16_384
  /// Between two looks at what is due.
  public var timerMilliseconds: Int64 = 250
  /// Between two rounds of dropping what is too old.
  public var pruneMilliseconds: Int64 = 3_600_000
  /// How long a route provider may take before the estimate stands.
  public var routeMilliseconds: Int64 = 1500
  /// Points of a stored route's line.
  public var routePathPoints = 500
  public var matchLimit = 100
  public var defaultMatches = 10
  public var searchLimit = 1000
  public var defaultSearch = 20
  public var defaultSearchRadiusMeters = 1000.0
  /// Requests of one MatchBatch.
  public var batchRequests = 5000
  public var batchIterationLimit = 1_000_000
  public var batchMilliseconds = 10...10_000
  public var defaultBatchMilliseconds = 500
  /// WatchMatches calls at one time.
  public var matchWatchers = 10_000
  /// Requests kept until their window ends.
  public var storedRequests = 100_000
  /// Parties that a watched request finds at most at one time.
  public var watchedMatches = 100

  public init() {}
}
