public import TaxiFares

/// A party to be made, with everyone who gets in from the start: all or nothing.
public struct CreateParty: Hashable, Sendable {
  /// Who makes the party and rides first; not empty.
  public var hostID: String
  /// Seats that the host takes, from 1 on.
  public var hostSeats: Int
  /// What policies look at, such as `gender`: of the host.
  public var attributes: [String: String]
  /// For ``SplitRule/weights``; nil: 1.
  public var hostWeight: Double?
  /// Who comes along.
  public var riders: [JoinParty]
  /// Where everyone gets in: what is searched, routed and priced, and what anybody is shown.
  public var origin: RidePlace
  /// Where exactly they meet, for members alone; nil: at ``origin``.
  public var meetingPlace: RidePlace?
  /// Where the host goes, and riders who name no place of their own.
  public var destination: RidePlace
  /// When the taxi may leave.
  public var window: DepartureWindow
  /// Nil: the configuration's default.
  public var seats: Int?
  /// The host's own limits, and those of riders who state none.
  public var limits: RideLimits
  /// Words to be found by, normalised.
  public var tags: [String]
  /// Who may ride along and how far riders may be asked to walk and to ride.
  public var policy: RidePolicy
  /// The name of a ``PolicyPack``, in force beside ``policy``.
  public var policyPack: String?
  /// How the fare is shared.
  public var splitRule: SplitRule
  /// Whether a join may raise what someone aboard has accepted to pay.
  public var allowsRaisedShares: Bool
  /// Whether the taxi is called, so that a call fee is due.
  public var isCalled: Bool
  /// Nil: found from the origin's area; there may be none.
  public var tariffID: String?
  /// Among the tariffs of the origin's area; nil: its default.
  public var vehicleClass: String?
  /// What the whole ride costs, whatever a meter would say. Nil: what the tariff says; where there is
  /// none, the party has no price.
  public var agreedFare: AgreedFare?
  /// Whether the host decides who gets in.
  public var needsApproval: Bool
  /// Whether a pending request keeps its seats from others; only where the host decides.
  public var holdsSeats: Bool

  /// Makes a party of the host alone, called by nobody, under no policy but the tenant's.
  public init(
    hostID: String, origin: RidePlace, destination: RidePlace, window: DepartureWindow,
    hostSeats: Int = 1, attributes: [String: String] = [:], hostWeight: Double? = nil,
    riders: [JoinParty] = [], seats: Int? = nil, limits: RideLimits = .standard,
    tags: [String] = [], policy: RidePolicy = .none, policyPack: String? = nil,
    splitRule: SplitRule = .bySoloFare, allowsRaisedShares: Bool = false, isCalled: Bool = false,
    tariffID: String? = nil, vehicleClass: String? = nil, agreedFare: AgreedFare? = nil,
    needsApproval: Bool = false, holdsSeats: Bool = false, meetingPlace: RidePlace? = nil
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
    self.agreedFare = agreedFare
    self.needsApproval = needsApproval
    self.holdsSeats = holdsSeats
    self.meetingPlace = meetingPlace
  }
}
