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
  /// Sum of the groups' savings, minor units: what the search made as large as it could. Without
  /// meaning where groups have different currencies.
  public var objective: Double
  /// Feasible groups it was chosen from.
  public var candidateGroups: Int
  /// Why the search ended.
  public var end: End

  /// Why a search ended.
  public enum End: String, Hashable, Sendable {
    /// All rounds were run, or there was nothing to search.
    case finished
    /// ``BatchOptions/workLimit`` was reached; repeated, the answer is the same.
    case workLimit = "work_limit"
    /// It was told to stop, as by the clock; repeated, the answer may differ.
    case stopped
  }

  /// Puts a result together.
  public init(
    groups: [BatchGroup], unmatched: [Int], iterations: Int, objective: Double,
    candidateGroups: Int, end: End = .finished
  ) {
    self.groups = groups
    self.unmatched = unmatched
    self.iterations = iterations
    self.objective = objective
    self.candidateGroups = candidateGroups
    self.end = end
  }
}

/// Requests that share a taxi.
public struct BatchGroup: Hashable, Sendable {
  /// Indices into the requests: the one at whose origin all get in first, the others by rider id.
  public var members: [Int]
  /// Indices into the requests in the order of getting out.
  public var dropOffOrder: [Int]
  /// The latest of the members' times, or the earliest end of their windows if that is sooner.
  public var departure: Instant
  /// From the pick-up to the last drop-off.
  public var distanceMeters: Double
  /// The same, halts not counted.
  public var durationSeconds: Double
  /// What the meter shows, minor units.
  public var fare: Int64
  /// Of all amounts; empty for a plain price list.
  public var currency: String
  /// The tariff of the pick-up; empty for a plain price list.
  public var tariffID: String
  /// Sum of what the members pay alone, minor units: of a party from the pick-up, at its departure.
  public var soloFares: Int64
  /// By ``members``: on foot to the pick-up, straight, meters.
  public var walkMeters: [Double]
  /// By ``members``: from the pick-up to the drop-off, meters.
  public var rideMeters: [Double]
  /// By ``members``, in proportion to what each pays alone; they sum to ``fare`` and nobody pays
  /// more than alone.
  public var shares: [FareShare]
  /// What members pay alone from their own doors, less the fare and the cost of walking, minor
  /// units: this group's part of ``BatchResult/objective``. By the meter for parties, by the
  /// estimate for a plain price list.
  public var saving: Double

  /// Members who get in on the way, in the order of joining; the others get in at the pick-up.
  public var boardings: [BatchBoarding] = []

  /// Index of the request whose origin is the pick-up.
  public var pickUp: Int { members[0] }

  /// A group of which only members and departure are known.
  init(_ members: [Int], _ departure: Instant) {
    self.members = members
    dropOffOrder = members
    self.departure = departure
    distanceMeters = 0
    durationSeconds = 0
    fare = 0
    currency = ""
    tariffID = ""
    soloFares = 0
    walkMeters = []
    rideMeters = []
    shares = []
    saving = 0
  }
}
