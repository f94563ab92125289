/// A named set of rules for parties, as data: a tenant's, or one that hosts may choose.
public struct PolicyPack: Hashable, Sendable {
  /// What hosts choose it by, 1-64 bytes.
  public var name: String
  /// What is in force in parties that choose it.
  public var policy: RidePolicy
  /// Seats of a party; nil: the tenant's range.
  public var seats: ClosedRange<Int>?
  /// Where the rules come from.
  public var source: String

  /// - Throws: ``PolicyProblem`` naming the field.
  public init(
    name: String, policy: RidePolicy, seats: ClosedRange<Int>? = nil, source: String = ""
  ) throws(PolicyProblem) {
    self.name = name
    self.policy = policy
    self.policy.pack = name
    self.seats = seats
    self.source = source
    try validate()
  }

  /// What ships as `data/policies/kr-small-taxi.json`, for programs without that file: small and mid-size taxis in Korea since 2022-06-15 ask for the same
  /// gender; pick-ups within 1 km, at least 70 % of the route shared and at most 15 minutes extra are
  /// the rules of a licensed sharing service there.
  public static let koreanSmallTaxi: PolicyPack = {
    let policy = RidePolicy(
      sameAttributes: ["gender"], maxWalkMeters: 1000, maxDetourSeconds: 900,
      minSharedRatio: 0.7)
    guard
      let pack = try? PolicyPack(
        name: "kr-small-taxi", policy: policy, seats: 2...4,
        source: "rule in force in Korea since 2022-06-15: the same gender in small and mid-size "
          + "taxis; terms of a licensed sharing service: pick-ups within 1 km, at least 70 % of "
          + "the route shared, at most 15 minutes extra")
    else { preconditionFailure("the shipped policy pack breaks its own rules") }
    return pack
  }()

  private func validate() throws(PolicyProblem) {
    func require(
      _ condition: Bool, _ field: String, _ message: String
    ) throws(PolicyProblem) {
      if !condition { throw PolicyProblem(field: field, message: message) }
    }
    try require((1...64).contains(name.utf8.count), "name", "must have 1-64 bytes")
    try require(policy.sameAttributes.count <= 8, "sameAttributes", "must be at most 8")
    for attribute in policy.sameAttributes {
      try require(
        (1...64).contains(attribute.utf8.count), "sameAttributes", "must have 1-64 bytes each")
    }
    try require(
      Set(policy.sameAttributes).count == policy.sameAttributes.count, "sameAttributes",
      "must not repeat a name")
    for (field, value) in [
      ("maxWalkMeters", policy.maxWalkMeters), ("maxDetourRatio", policy.maxDetourRatio),
      ("maxDetourSeconds", policy.maxDetourSeconds),
    ] {
      guard let value else { continue }
      try require(value >= 0 && value.isFinite, field, "must be a number from 0 on, is \(value)")
    }
    if let ratio = policy.minSharedRatio {
      try require(ratio >= 0 && ratio <= 1, "minSharedRatio", "must be 0-1, is \(ratio)")
    }
    if let seats {
      try require(
        seats.lowerBound >= 1 && seats.upperBound <= PartyConfiguration.maximumSeatsOfTaxi, "seats",
        "must lie within 1-\(PartyConfiguration.maximumSeatsOfTaxi)")
    }
  }
}

/// The field of a policy pack that cannot be.
public struct PolicyProblem: Error, Hashable, Sendable {
  /// The field's name in the document.
  public let field: String
  /// What the field must be, and what it is.
  public let message: String
}
