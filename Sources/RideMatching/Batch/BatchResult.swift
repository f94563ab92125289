public import ObjectModel
public import TaxiFares

/// Requests sorted into taxis.
public struct BatchResult: Hashable, Sendable {
  /// By the smallest member index.
  public var groups: [BatchGroup]
  /// Indices of requests that ride alone, ascending.
  public var unmatched: [Int]
  /// Rounds of ruin and recreate that were run.
  public var iterations: Int
  /// Sum of the groups' estimated savings, minor units: what the search made as large as it could.
  public var objective: Double
  /// Feasible groups it was chosen from.
  public var candidateGroups: Int

  public init(
    groups: [BatchGroup], unmatched: [Int], iterations: Int, objective: Double,
    candidateGroups: Int
  ) {
    self.groups = groups
    self.unmatched = unmatched
    self.iterations = iterations
    self.objective = objective
    self.candidateGroups = candidateGroups
  }
}

/// Requests that share a taxi.
public struct BatchGroup: Hashable, Sendable {
  /// Indices into the requests, the one at whose origin all get in first, the others ascending.
  public var members: [Int]
  /// Indices into the requests in the order of getting out.
  public var dropOffOrder: [Int]
  /// The latest of the members' times, or the earliest end of their windows if that is sooner.
  public var departure: Instant
  public var distanceMeters: Double
  public var durationSeconds: Double
  /// What the meter shows, minor units.
  public var fare: Int64
  /// Sum of what the members pay alone, minor units.
  public var soloFares: Int64
  /// By ``members``: on foot to the pick-up, straight, meters.
  public var walkMeters: [Double]
  /// By ``members``: from the pick-up to the drop-off, meters.
  public var rideMeters: [Double]
  /// By ``members``, in proportion to what each pays alone; they sum to ``fare`` and nobody pays
  /// more than alone.
  public var shares: [FareShare]
  /// Estimated solo fares less the estimated fare and the cost of walking, minor units: this
  /// group's part of ``BatchResult/objective``.
  public var saving: Double

  /// Index of the request whose origin is the pick-up.
  public var pickUp: Int { members[0] }
}
