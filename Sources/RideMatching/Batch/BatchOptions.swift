public import RoutePlanning

/// What a batch is solved by.
public struct BatchOptions: Sendable {
  /// Seats of a taxi; at most ``largestGroup`` requests share one.
  public var maxSeats: Int
  /// The same seed and ``iterations`` give the same groups on every machine.
  public var seed: UInt64
  /// Rounds of ruin and recreate at most; 0 leaves it at greedy and local search.
  public var iterations: Int
  public var pricing: RidePricing
  public var profile: TrafficProfile
  /// Groups kept for each request, best by saving / solo fares. Nil: of the first groups 64, and
  /// more while a batch has fewer than ``freeGroups`` in all; long searches add to them.
  public var maxGroupsPerRequest: Int?
  /// Candidate groups of three or four looked at for each possible pick-up at first. Nil: 24, and
  /// more for small batches, 24,000 in all; of a crowd at one place not all are pick-ups.
  public var maxCandidatesPerPickUp: Int?
  /// Whether two requests (by index) may ride together, such as a policy of the same gender; must
  /// be symmetric. Nil: all may.
  public var isCompatible: (@Sendable (Int, Int) -> Bool)?

  /// Requests that share a taxi at most: 24 orders of getting out.
  public static let largestGroup = 4
  /// Groups below which nothing is cut.
  public static let freeGroups = 65_536
  public static let standardIterations = 2_000

  public init(
    maxSeats: Int = 4, seed: UInt64 = 1, iterations: Int = BatchOptions.standardIterations,
    pricing: RidePricing, profile: TrafficProfile = .general, maxGroupsPerRequest: Int? = nil,
    maxCandidatesPerPickUp: Int? = nil, isCompatible: (@Sendable (Int, Int) -> Bool)? = nil
  ) {
    self.maxSeats = maxSeats
    self.seed = seed
    self.iterations = iterations
    self.pricing = pricing
    self.profile = profile
    self.maxGroupsPerRequest = maxGroupsPerRequest
    self.maxCandidatesPerPickUp = maxCandidatesPerPickUp
    self.isCompatible = isCompatible
  }
}
