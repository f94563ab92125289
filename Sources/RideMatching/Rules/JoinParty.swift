public import GeoMath

/// Someone who wants to get in.
public struct JoinParty: Hashable, Sendable {
  /// Who gets in; not empty.
  public var riderID: String
  /// Nil: the party's.
  public var destination: RidePlace?
  /// Where the walk to the pick-up begins; nil: no walk is checked, or it begins at ``boarding``.
  public var origin: Coordinate?
  /// Where the rider would get in on the way: the taxi stops there or at a meeting point on its path
  /// within the rider's walk. Nil: at the party's origin.
  public var boarding: RidePlace?
  /// When the rider can get in; nil: whenever the taxi is there.
  public var window: DepartureWindow?
  /// The seats taken; nil stands for one.
  public var seats: Int?
  /// What policies look at, such as `gender`: name to value.
  public var attributes: [String: String]
  /// The limits that the rider states; the party's are in force for the others.
  public var wishes: RideWishes
  /// For ``SplitRule/weights``; nil: 1.
  public var weight: Double?
  /// The most they would pay, minor units. Nil: what they would pay alone from the pick-up, so that
  /// nobody joins at a loss without asking for it; of ``CreateParty/riders``, and where no tariff says
  /// what they would pay alone: any share.
  public var maxShare: Int64?

  /// Makes a join in which only the rider is named: to the party's destination, one seat, no walk.
  public init(
    riderID: String, destination: RidePlace? = nil, origin: Coordinate? = nil,
    seats: Int? = nil, attributes: [String: String] = [:], wishes: RideWishes = .none,
    weight: Double? = nil, maxShare: Int64? = nil, boarding: RidePlace? = nil,
    window: DepartureWindow? = nil
  ) {
    self.riderID = riderID
    self.destination = destination
    self.origin = origin
    self.seats = seats
    self.attributes = attributes
    self.wishes = wishes
    self.weight = weight
    self.maxShare = maxShare
    self.boarding = boarding
    self.window = window
  }
}
