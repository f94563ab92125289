public import ObjectModel
public import RoutePlanning

/// What the rides of a batch cost.
public enum BatchPricing: Sendable {
  /// One price list and one profile for every ride, no areas: benchmarks and replays.
  case list(RidePricing, profile: TrafficProfile)
  /// Each group as the party that its riders would create.
  case parties(BatchPartyTerms)
}

/// The parties that the groups of a batch become.
///
/// Each group is priced in the tariff of its own pick-up, with that tariff's area rules and flat
/// trips and the traffic of the place, and told only if ``PartyRules`` would create it so; see
/// ``BatchGroup/createParty(_:terms:maxSeats:)``.
public struct BatchPartyTerms: Sendable {
  /// What decides and prices.
  public var rules: PartyRules
  /// When the batch is asked for: groups that would leave before are none.
  public var now: Instant
  /// The tariff of every group; nil: that of the first area at its pick-up.
  public var tariffID: String?
  /// Among the tariffs of an area; nil: its default.
  public var vehicleClass: String?
  /// Who may ride together and how far; joined with the rules' own.
  public var policy: RidePolicy
  /// When people are busy in parties that there are already: groups that overlap those are none.
  public var claims: @Sendable (_ riderID: String) -> [PartyInterval]

  /// Makes terms under which every ride finds its own tariff and anybody may share it.
  public init(
    rules: PartyRules, now: Instant, tariffID: String? = nil, vehicleClass: String? = nil,
    policy: RidePolicy = .none,
    claims: @escaping @Sendable (_ riderID: String) -> [PartyInterval] = { _ in [] }
  ) {
    self.rules = rules
    self.now = now
    self.tariffID = tariffID
    self.vehicleClass = vehicleClass
    self.policy = policy
    self.claims = claims
  }

  /// Whether someone could be in a group at all: their window has not ended, their trip has a
  /// length, and no other party keeps them busy for all of the window.
  func mayRide(_ request: RideRequest) -> Bool {
    let window = request.window
    guard window.end >= now,
      TripLength.tooShort(
        from: request.origin.coordinate, to: request.destination.coordinate) == nil
    else { return false }
    let busy = claims(request.riderID).filter {
      $0.from <= window.start && $0.through >= window.end
    }
    return busy.count < max(1, rules.configuration.overlappingParties)
  }

  /// The policy in force: a tenant's own cannot be weakened.
  var effectivePolicy: RidePolicy {
    let base = rules.configuration.basePolicy.joined(with: policy)
    guard let name = policy.pack, let pack = rules.configuration.pack(named: name) else {
      return base
    }
    return base.joined(with: pack.policy)
  }

  /// What someone pays alone, from their own origin at their own time, minor units.
  ///
  /// - Throws: ``PartyError`` where no tariff prices that.
  func fareAlone(_ request: RideRequest) throws(PartyError) -> Int64 {
    try rules.pricing.fareAlone(
      from: request.origin.coordinate, to: request.destination.coordinate,
      departure: request.window.time, tariffID: tariffID, vehicleClass: vehicleClass)
  }

  /// Seats of the parties for a wish.
  func seats(_ maxSeats: Int) -> Int {
    var policy = effectivePolicy
    policy.pack = self.policy.pack
    let allowed = rules.configuration.seats(of: policy)
    return min(max(maxSeats, allowed.lowerBound), allowed.upperBound)
  }
}
