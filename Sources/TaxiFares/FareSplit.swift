/// How a fare is shared.
public enum SplitRule: String, Hashable, Sendable, CaseIterable {
  /// The same for every seat.
  case equal
  /// In proportion to the meters ridden, per seat.
  case byDistance
  /// Each leg shared by the seats aboard.
  case byLeg
  /// In proportion to what each would pay alone.
  case bySoloFare
  /// What each adds to the fare, averaged over all orders of getting in (L. S. Shapley, 1953).
  case shapley
  /// The host pays everything.
  case hostPays
  /// In proportion to given weights.
  case weights
}

/// One who shares a fare.
public struct ShareRider: Hashable, Sendable {
  /// Unlike that of any other rider of the split.
  public var id: String
  /// Seats taken, 1-100.
  public var seats: Int
  /// What the ride alone would cost, minor units.
  public var soloFare: Int64?
  /// Ridden in the taxi; only ``SplitRule/byDistance`` needs it.
  public var distanceMeters: Double?
  /// From 0 to 10^12; only ``SplitRule/weights`` needs it.
  public var weight: Double?

  /// Makes a rider with what the rule in use needs.
  public init(
    id: String, seats: Int = 1, soloFare: Int64? = nil, distanceMeters: Double? = nil,
    weight: Double? = nil
  ) {
    self.id = id
    self.seats = seats
    self.soloFare = soloFare
    self.distanceMeters = distanceMeters
    self.weight = weight
  }
}

/// A part of the ride with the same riders aboard.
public struct ShareLeg: Hashable, Sendable {
  /// What this stretch costs, in minor units of the currency.
  public var amount: Int64
  /// The ids of the riders who share the stretch.
  public var aboard: [String]

  /// Makes a part of the ride with everyone who was aboard.
  public init(amount: Int64, aboard: [String]) {
    self.amount = amount
    self.aboard = aboard
  }
}

/// What one rider pays.
public struct FareShare: Hashable, Sendable {
  /// The id of the rider who pays.
  public var riderID: String
  /// What they pay, minor units.
  public var amount: Int64
  /// What the ride alone would cost, where known.
  public var soloFare: Int64?
  /// Set when the rider pays more than alone: why.
  public var exceedsSoloBecause: String?

  /// Negative when the rider pays more than alone.
  public var saving: Int64? { soloFare.map { $0 - amount } }

  /// Puts the share of one rider together.
  public init(
    riderID: String, amount: Int64, soloFare: Int64? = nil, exceedsSoloBecause: String? = nil
  ) {
    self.riderID = riderID
    self.amount = amount
    self.soloFare = soloFare
    self.exceedsSoloBecause = exceedsSoloBecause
  }
}

/// Why a fare cannot be shared. Paths are those of the request, such as `riders[1].soloFare`.
public enum ShareError: Error, Hashable, Sendable {
  /// Nobody to share, or more than ``FareSplit/maximumRiders``.
  case riderCountOutOfRange(Int)
  /// Two riders have the same id.
  case duplicateRider(field: String, id: String)
  /// The rule needs a field that is not there.
  case missing(field: String)
  /// Negative or beyond ``FareLimits/maximumAmount``.
  case amountOutOfRange(field: String, amount: Int64)
  /// Negative, not a number, or too large.
  case numberOutOfRange(field: String, value: Double)
  /// Not 1-100 seats.
  case seatsOutOfRange(field: String, seats: Int)
  /// An id that is not among the riders.
  case unknownRider(field: String, id: String)
  /// All weights, distances or solo fares are 0, and the amount is not.
  case nothingToShareBy(field: String)
}

/// A fare to be shared. Shares sum to ``amount`` exactly: what is left after rounding down goes,
/// one minor unit each, to the largest remainders, the earlier rider first among equals.
public struct FareSplit: Hashable, Sendable {
  /// Riders of one split at most.
  public static let maximumRiders = 1000
  /// Riders up to whom ``SplitRule/shapley`` takes the fares of coalitions: 2^8 of them. With more,
  /// the value is that of the legs, or else of the solo fares, which has a closed form.
  public static let exactShapleyRiders = 8

  /// The whole bill, minor units.
  public var amount: Int64
  /// How the amount is shared.
  public var rule: SplitRule
  /// In order of joining, the host first.
  public var riders: [ShareRider]
  /// For ``SplitRule/byLeg`` and ``SplitRule/shapley``; their amounts weigh, they need not sum.
  public var legs: [ShareLeg]
  /// Tolls and call fee within ``amount``: shared per seat aboard, except when the host pays.
  public var extras: Int64
  /// Who pays under ``SplitRule/hostPays``; nil: the first rider.
  public var hostID: String?

  /// Makes a split; tolls and call fee among the amount are named by `extras`.
  public init(
    amount: Int64, rule: SplitRule, riders: [ShareRider], legs: [ShareLeg] = [],
    extras: Int64 = 0, hostID: String? = nil
  ) {
    self.amount = amount
    self.rule = rule
    self.riders = riders
    self.legs = legs
    self.extras = extras
    self.hostID = hostID
  }

  /// The shares in the order of ``riders``.
  ///
  /// - Parameter coalitionFare: For ``SplitRule/shapley``: the fare of some riders (ascending
  ///   indices) travelling without the others. Nil: from ``legs`` (each leg costs whoever is
  ///   aboard), else from solo fares. More riders than ``exactShapleyRiders``: as if it were nil.
  /// - Returns: Shares that sum to ``amount``.
  /// - Throws: ``ShareError`` naming the field.
  /// - Complexity: O(riders log riders + legs x aboard); Shapley asks for at most 2^8 coalitions.
  public func shares(
    coalitionFare: (([Int]) -> Int64)? = nil
  ) throws(ShareError) -> [FareShare] {
    let seats = try validate()
    let total = Allocation.split
    let amounts: [Int64]
    switch rule {
    case .equal:
      amounts = total(amount, seats)
    case .hostPays:
      let host = try hostIndex()
      amounts = riders.indices.map { $0 == host ? amount : 0 }
    case .byDistance, .byLeg, .bySoloFare, .shapley, .weights:
      let weights = try weights(coalitionFare: coalitionFare)
      let metered = total(amount - extras, weights)
      let shared = total(extras, seats)
      amounts = zip(metered, shared).map { $0 + $1 }
    }
    let soloSum = soloFareSum
    return riders.indices.map { i in
      let solo = riders[i].soloFare
      let exceeds = solo.map { amounts[i] > $0 } ?? false
      return FareShare(
        riderID: riders[i].id, amount: amounts[i], soloFare: solo,
        exceedsSoloBecause: exceeds ? reason(soloSum: soloSum) : nil)
    }
  }

  /// Nil unless all solo fares are known.
  private var soloFareSum: Int64? {
    var sum: Int64 = 0
    for rider in riders {
      guard let solo = rider.soloFare else { return nil }
      sum += solo
    }
    return sum
  }

  private func reason(soloSum: Int64?) -> String {
    if rule == .hostPays { return "hostPays: the host pays everything" }
    if let soloSum, amount > soloSum {
      return "the shared ride costs \(amount), more than all riders alone: \(soloSum)"
    }
    switch rule {
    case .equal: return "equal: every seat pays the same, however far it rides"
    case .byDistance: return "byDistance: a meter costs every rider the same"
    case .byLeg: return "byLeg: each leg is shared by who is aboard, detours too"
    case .weights: return "weights: as given"
    case .bySoloFare: return "bySoloFare: tolls and call fee are shared per seat"
    case .shapley: return "shapley: others save more by the order of the stops"
    case .hostPays: return "hostPays: the host pays everything"
    }
  }
}
