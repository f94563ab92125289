package import ObjectModel
package import RideMatching
package import Threading
package import DurableCommands

/// How parties are kept. Every figure can be configured.
package struct PartyServiceConfiguration: Sendable {
  /// First part of every key in the store.
  package var tenant = "default"
  /// The rules' own figures.
  package var rules = PartyConfiguration()
  package var commits = CommitConfiguration()
  /// Keeps idempotency keys from colliding on purpose; must stay the same for a record.
  package var idempotencySecret: (UInt64, UInt64) = (0x6D6F_7965_6F2D_6B31, 0x9E37_79B9_7F4A_7C15)
  /// How long events are kept.
  package var eventMilliseconds: Int64 = 7 * 86_400_000
  /// Events that readers get without asking the store.
  package var eventsInMemory = 16_384
  /// Parties that are over and stay in memory; those that ended before them are read from the store.
  package var endedInMemory = 1024
  /// Between two looks at what is due.
  package var timerMilliseconds: Int64 = 250
  /// Between two rounds of dropping what is too old.
  package var pruneMilliseconds: Int64 = 3_600_000
  /// How long a route provider may take before the estimate stands.
  package var routeMilliseconds: Int64 = 1500
  /// Points of a stored route's line.
  package var routePathPoints = 500
  package var matchLimit = 100
  package var defaultMatches = 10
  package var searchLimit = 1000
  package var defaultSearch = 20
  package var defaultSearchRadiusMeters = 1000.0
  /// Requests of one MatchBatch.
  package var batchRequests = 5000
  package var batchIterationLimit = 1_000_000
  package var batchMilliseconds = 10...10_000
  package var defaultBatchMilliseconds = 500
  /// WatchMatches calls at one time.
  package var matchWatchers = 10_000
  /// Parties under way (open, full or departed) that one person may host.
  package var activePartiesPerHost = 100
  /// Requests kept until their window ends.
  package var storedRequests = 100_000
  /// Of them, those of one rider.
  package var storedRequestsPerRider = 20
  /// Requests of one rider that wait for hosts at one time.
  package var pendingJoinRequestsPerRider = 10
  /// Parties that a watched request finds at most at one time.
  package var watchedMatches = 100
  /// How standing requests are matched with one another.
  package var together = JointMatchingConfiguration()
  /// Trips that repeat.
  package var commutes = CommuteServiceConfiguration()
  /// What people do to each other elsewhere.
  package var meetings = PartyMeetings()

  package init() {}

  /// A pipeline for the tenant's record, which other services may share.
  ///
  /// - Parameters:
  ///   - store: The record.
  ///   - clock: Of deadlines and replies.
  ///   - monotonic: By which a record that refuses writes is opened again.
  ///   - startsReadOnly: Whether a record that cannot be read in whole is served all the same.
  /// - Returns: The pipeline, its feed and its table of replies; nothing runs yet.
  /// - Throws: What the store says when it cannot be read, unless `startsReadOnly`.
  package func makeCommands(
    store: any AggregateStore, clock: any WallClock,
    monotonic: any MonotonicClock = SystemMonotonicClock(), startsReadOnly: Bool = false
  ) throws(StoreFailure) -> TenantCommands {
    try TenantCommands(
      tenant: tenant, store: store, clock: clock, eventsInMemory: eventsInMemory,
      idempotencySecret: idempotencySecret, configuration: commits, monotonic: monotonic,
      startsReadOnly: startsReadOnly)
  }

  var quotas: PartyQuotas {
    PartyQuotas(
      activePartiesPerHost: activePartiesPerHost, storedRequests: storedRequests,
      storedRequestsPerRider: storedRequestsPerRider,
      pendingJoinRequestsPerRider: pendingJoinRequestsPerRider)
  }
}

/// What the commit thread refuses beyond: it alone counts without a race.
struct PartyQuotas: Sendable, Hashable {
  var activePartiesPerHost: Int
  var storedRequests: Int
  var storedRequestsPerRider: Int
  var pendingJoinRequestsPerRider: Int
}
