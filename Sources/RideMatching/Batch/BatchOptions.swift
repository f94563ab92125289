public import RoutePlanning

/// What a batch is solved by.
public struct BatchOptions: Sendable {
  /// Seats of a taxi; at most four requests share one, which get out in one of 24 orders.
  public var maxSeats: Int
  /// The same seed and ``iterations`` give the same groups on every machine.
  public var seed: UInt64
  /// Rounds of ruin and recreate at most; 0 leaves it at greedy and local search.
  public var iterations: Int
  /// What rides cost, and how long they take.
  public var pricing: BatchPricing
  /// Groups kept for each request, best by saving / solo fares. Nil: of the first groups 64, and
  /// more while a batch has fewer than ``freeGroups`` in all; long searches add to them.
  public var maxGroupsPerRequest: Int?
  /// Candidate groups of three or four looked at for each possible pick-up at first. Nil: 24, and
  /// more for small batches, 24,000 in all; of a crowd at one place not all are pick-ups.
  public var maxCandidatesPerPickUp: Int?
  /// Whether two requests (by index) may ride together, such as a policy of the same gender; must
  /// be symmetric. Nil: all may, within the policy of ``BatchPricing/parties(_:)``.
  public var isCompatible: (@Sendable (Int, Int) -> Bool)?

  /// Work after which the answer is what there is by then; the same on every machine. Counted are
  /// rows looked at, orders tried, groups swept and nodes of the rounds, weighed so that a unit took
  /// 12-14 ns on every committed instance.
  public var workLimit = BatchOptions.standardWorkLimit

  /// About five seconds of one core.
  public static let standardWorkLimit = 400_000_000

  /// Groups below which nothing is cut.
  public static let freeGroups = 65_536
  /// Rounds of a batch that names none: some tens of milliseconds for a thousand requests.
  public static let standardIterations = 2_000

  /// Makes options for rides of one price list and one profile.
  public init(
    maxSeats: Int = 4, seed: UInt64 = 1, iterations: Int = BatchOptions.standardIterations,
    pricing: RidePricing, profile: TrafficProfile = .general, maxGroupsPerRequest: Int? = nil,
    maxCandidatesPerPickUp: Int? = nil, isCompatible: (@Sendable (Int, Int) -> Bool)? = nil
  ) {
    self.maxSeats = maxSeats
    self.seed = seed
    self.iterations = iterations
    self.pricing = .list(pricing, profile: profile)
    self.maxGroupsPerRequest = maxGroupsPerRequest
    self.maxCandidatesPerPickUp = maxCandidatesPerPickUp
    self.isCompatible = isCompatible
  }

  /// Makes options for groups that become parties.
  public init(
    maxSeats: Int = 4, seed: UInt64 = 1, iterations: Int = BatchOptions.standardIterations,
    parties: BatchPartyTerms
  ) {
    self.maxSeats = maxSeats
    self.seed = seed
    self.iterations = iterations
    pricing = .parties(parties)
  }
}
