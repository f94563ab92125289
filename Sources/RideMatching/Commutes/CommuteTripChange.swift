/// What an update sets of a commute's trip.
///
/// The values stand in a whole party and a whole request, read as those of a new commute are; of either
/// only ``fields`` are looked at. A field that is among them with the value of a trip that does not name it
/// is cleared.
public struct CommuteTripChange: Hashable, Sendable {
  /// A field of a commute's trip; the raw value is its name on the wire.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    case origin, destination, departureWindowSeconds, seats, maxWalkMeters, maxDetourRatio
    case minSharedRatio, maxRideSeconds, maxDetourSeconds, tags, attributes
    case hostSeats, policy, policyPack, splitRule, allowRaisedShares, called
    case tariffID = "tariffId"
    case vehicleClass, weight, agreedFare, approval, holdSeats
    case boarding, maxShare, allowsOverlap

    /// Whose commutes have it.
    public enum Owner: Hashable, Sendable { case anybody, host, rider }

    /// Whose commutes have it.
    public var owner: Owner {
      switch self {
      case .origin, .destination, .departureWindowSeconds, .seats, .maxWalkMeters,
        .maxDetourRatio, .minSharedRatio, .maxRideSeconds, .maxDetourSeconds, .tags, .attributes:
        .anybody
      case .hostSeats, .policy, .policyPack, .splitRule, .allowRaisedShares, .called, .tariffID,
        .vehicleClass, .weight, .agreedFare, .approval, .holdSeats:
        .host
      case .boarding, .maxShare, .allowsOverlap: .rider
      }
    }

    /// Whether it can be taken back: not what policies read, which comes from a token or a service.
    public var isClearable: Bool {
      self != .origin && self != .destination && self != .attributes
    }
  }

  /// What is set, ascending by ``Field/allCases``.
  public let fields: [Field]
  /// The values for a host's commute.
  public let party: CreateParty
  /// The values for a rider's commute.
  public let query: MatchQuery
  /// The tags that a party must carry, for a rider's commute.
  public let queryTags: [String]

  /// Puts a change together; fields that neither trip names are cleared.
  public init(_ fields: Set<Field>, party: CreateParty, query: MatchQuery, queryTags: [String]) {
    self.fields = Field.allCases.filter(fields.contains)
    self.party = party
    self.query = query
    self.queryTags = queryTags
  }

  /// The trip with these values.
  ///
  /// - Throws: ``CommuteError/fieldOfOthers(_:)`` for a field that such a commute does not have.
  public func applied(to trip: CommuteTrip) throws(CommuteError) -> CommuteTrip {
    switch trip {
    case .party(var create):
      if let field = fields.first(where: { $0.owner == .rider }) { throw .fieldOfOthers(field) }
      for field in fields { set(field, of: &create) }
      return .party(create)
    case .request(var query, var tags):
      if let field = fields.first(where: { $0.owner == .host }) { throw .fieldOfOthers(field) }
      for field in fields { set(field, of: &query, &tags) }
      return .request(query, tags: tags)
    }
  }

  private func set(_ field: Field, of create: inout CreateParty) {
    switch field {
    case .origin: create.origin = party.origin
    case .destination: create.destination = party.destination
    case .departureWindowSeconds:
      create.window.toleranceMilliseconds = party.window.toleranceMilliseconds
    case .seats: create.seats = party.seats
    case .maxWalkMeters: create.limits.maxWalkMeters = party.limits.maxWalkMeters
    case .maxDetourRatio: create.limits.maxDetourRatio = party.limits.maxDetourRatio
    case .minSharedRatio: create.limits.minSharedRatio = party.limits.minSharedRatio
    case .maxRideSeconds: create.limits.maxRideSeconds = party.limits.maxRideSeconds
    case .maxDetourSeconds: create.limits.maxDetourSeconds = party.limits.maxDetourSeconds
    case .tags: create.tags = party.tags
    case .attributes: create.attributes = party.attributes
    case .hostSeats: create.hostSeats = party.hostSeats
    case .policy: create.policy = party.policy
    case .policyPack: create.policyPack = party.policyPack
    case .splitRule: create.splitRule = party.splitRule
    case .allowRaisedShares: create.allowsRaisedShares = party.allowsRaisedShares
    case .called: create.isCalled = party.isCalled
    case .tariffID: create.tariffID = party.tariffID
    case .vehicleClass: create.vehicleClass = party.vehicleClass
    case .weight: create.hostWeight = party.hostWeight
    case .agreedFare: create.agreedFare = party.agreedFare
    case .approval: create.needsApproval = party.needsApproval
    case .holdSeats: create.holdsSeats = party.holdsSeats
    case .boarding, .maxShare, .allowsOverlap: break
    }
  }

  private func set(_ field: Field, of given: inout MatchQuery, _ tags: inout [String]) {
    switch field {
    case .origin: given.originPlace = query.originPlace
    case .destination: given.destination = query.destination
    case .departureWindowSeconds:
      given.window.toleranceMilliseconds = query.window.toleranceMilliseconds
    case .seats: given.seats = query.seats
    case .maxWalkMeters: given.wishes.maxWalkMeters = query.wishes.maxWalkMeters
    case .maxDetourRatio: given.wishes.maxDetourRatio = query.wishes.maxDetourRatio
    case .minSharedRatio: given.wishes.minSharedRatio = query.wishes.minSharedRatio
    case .maxRideSeconds: given.wishes.maxRideSeconds = query.wishes.maxRideSeconds
    case .maxDetourSeconds: given.wishes.maxDetourSeconds = query.wishes.maxDetourSeconds
    case .tags: tags = queryTags
    case .attributes: given.attributes = query.attributes
    case .boarding: given.boarding = query.boarding
    case .maxShare: given.maxShare = query.maxShare
    case .allowsOverlap: given.allowsOverlap = query.allowsOverlap
    case .hostSeats, .policy, .policyPack, .splitRule, .allowRaisedShares, .called, .tariffID,
      .vehicleClass, .weight, .agreedFare, .approval, .holdSeats:
      break
    }
  }
}
