public import GeoMath
public import ObjectModel
public import TaxiFares

/// A party to be made, with everyone who gets in from the start: all or nothing.
public struct CreateParty: Hashable, Sendable {
  public var hostID: String
  public var hostSeats: Int
  /// What policies look at, such as `gender`: of the host.
  public var attributes: [String: String]
  /// For ``SplitRule/weights``; nil: 1.
  public var hostWeight: Double?
  /// Who comes along.
  public var riders: [JoinParty]
  public var origin: RidePlace
  public var destination: RidePlace
  public var window: DepartureWindow
  /// Nil: the configuration's default.
  public var seats: Int?
  public var limits: RideLimits
  public var tags: [String]
  public var policy: RidePolicy
  /// The name of a ``PolicyPack``, in force beside ``policy``.
  public var policyPack: String?
  public var splitRule: SplitRule
  public var allowsRaisedShares: Bool
  public var isCalled: Bool
  /// Nil: found from the origin's area.
  public var tariffID: String?
  public var vehicleClass: String?

  public init(
    hostID: String, origin: RidePlace, destination: RidePlace, window: DepartureWindow,
    hostSeats: Int = 1, attributes: [String: String] = [:], hostWeight: Double? = nil,
    riders: [JoinParty] = [], seats: Int? = nil, limits: RideLimits = .standard,
    tags: [String] = [], policy: RidePolicy = .none, policyPack: String? = nil,
    splitRule: SplitRule = .bySoloFare, allowsRaisedShares: Bool = false, isCalled: Bool = false,
    tariffID: String? = nil, vehicleClass: String? = nil
  ) {
    self.hostID = hostID
    self.hostSeats = hostSeats
    self.attributes = attributes
    self.hostWeight = hostWeight
    self.riders = riders
    self.origin = origin
    self.destination = destination
    self.window = window
    self.seats = seats
    self.limits = limits
    self.tags = tags
    self.policy = policy
    self.policyPack = policyPack
    self.splitRule = splitRule
    self.allowsRaisedShares = allowsRaisedShares
    self.isCalled = isCalled
    self.tariffID = tariffID
    self.vehicleClass = vehicleClass
  }
}

/// Someone who wants to get in.
public struct JoinParty: Hashable, Sendable {
  public var riderID: String
  /// Nil: the party's.
  public var destination: RidePlace?
  /// Where the walk to the pick-up begins; nil: no walk is checked.
  public var origin: Coordinate?
  /// Nil: 1.
  public var seats: Int?
  public var attributes: [String: String]
  public var wishes: RideWishes
  /// For ``SplitRule/weights``; nil: 1.
  public var weight: Double?
  /// The most they would pay, minor units.
  public var maxShare: Int64?

  public init(
    riderID: String, destination: RidePlace? = nil, origin: Coordinate? = nil,
    seats: Int? = nil, attributes: [String: String] = [:], wishes: RideWishes = .none,
    weight: Double? = nil, maxShare: Int64? = nil
  ) {
    self.riderID = riderID
    self.destination = destination
    self.origin = origin
    self.seats = seats
    self.attributes = attributes
    self.wishes = wishes
    self.weight = weight
    self.maxShare = maxShare
  }
}

/// Changes of the host; nil stays as it is.
public struct UpdateParty: Hashable, Sendable {
  public var departureTime: Instant?
  public var toleranceMilliseconds: Int64?
  public var seats: Int?

  public init(
    departureTime: Instant? = nil, toleranceMilliseconds: Int64? = nil, seats: Int? = nil
  ) {
    self.departureTime = departureTime
    self.toleranceMilliseconds = toleranceMilliseconds
    self.seats = seats
  }
}

/// Why the host removes a rider.
public enum RemovalReason: String, Hashable, Sendable, CaseIterable {
  case noShow = "no_show"
  case host
}

/// What the meter said in the end.
public struct SettleParty: Hashable, Sendable {
  /// Who paid the driver.
  public var payerID: String
  /// Tolls included, minor units.
  public var amount: Int64
  /// Shared per seat, whatever the rule but `hostPays`.
  public var tolls: Int64

  public init(payerID: String, amount: Int64, tolls: Int64 = 0) {
    self.payerID = payerID
    self.amount = amount
    self.tolls = tolls
  }
}
