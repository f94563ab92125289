/// What a tenant allows; operators may change it.
public struct PartyConfiguration: Hashable, Sendable {
  /// More than this no taxi takes.
  public static let maximumSeatsOfTaxi = RidePlan.maximumRiders

  /// Seats of a party, those of the host included; within 1-``maximumSeatsOfTaxi``.
  public var seats: ClosedRange<Int> = 2...4
  /// Seats of a party that names none, as far as its policy allows that many.
  public var defaultSeats = 4
  /// How long before the departure riders are told.
  public var departingNoticeMilliseconds: Int64 = 900_000
  /// Parties that one person may be in at one time.
  public var overlappingParties = 1
  /// How long ended and cancelled parties stay readable.
  public var retentionMilliseconds: Int64 = 90 * 86_400_000
  /// A departure so little in the past counts as now: clocks differ.
  public var departureGraceMilliseconds: Int64 = 60_000
  /// The widest window of a departure, to each side of its time.
  public var maximumToleranceMilliseconds: Int64 = 86_400_000
  /// The longest walk that anybody may state, meters.
  public var maximumWalkMeters = 50_000.0
  /// The largest detour that anybody may state, as a share of the direct route.
  public var maximumDetourRatio = 1000.0
  /// How long a host has to decide on a request to join.
  public var requestMilliseconds: Int64 = 600_000
  /// Requests of one party that wait at one time.
  public var pendingRequests = 20
  /// Requests that one person may make of one party, as far as its record has them.
  public var requestsOfRider = 5
  /// In force in every party, whatever it asks itself; it cannot be weakened.
  public var basePolicy = RidePolicy.none
  /// What parties may choose by name.
  public var packs: [PolicyPack] = [.koreanSmallTaxi]

  /// Makes the standard configuration: 2-4 seats and one party at a time for each person.
  public init() {}

  /// Finds the policy that parties may choose by a name; nil where there is none.
  public func pack(named name: String) -> PolicyPack? { packs.first { $0.name == name } }

  /// The seats that a party of a policy may have.
  func seats(of policy: RidePolicy) -> ClosedRange<Int> {
    let bounded = max(1, seats.lowerBound)...max(1, min(seats.upperBound, Self.maximumSeatsOfTaxi))
    guard let name = policy.pack, let own = pack(named: name)?.seats else { return bounded }
    return own
  }
}
