/// Who may ride together and how far a party may ask of its riders, as data.
///
/// A party carries its own; limits in it bind every rider, whatever wider limits they state.
public struct RidePolicy: Hashable, Sendable {
  /// The ``PolicyPack`` it came from, if any.
  public var pack: String?
  /// Attributes that must be the same for everyone aboard, such as `gender`. A rider for whom one
  /// is unknown is refused.
  public var sameAttributes: [String]
  /// The longest walk to the pick-up, meters; nil: riders' limits alone bind.
  public var maxWalkMeters: Double?
  /// The largest detour as a share of the direct route; nil: riders' limits alone bind.
  public var maxDetourRatio: Double?
  /// The most that a ride may take beyond the direct route, both estimated for the departure.
  public var maxDetourSeconds: Double?
  /// The lower bound for all riders of ``RideLimits/minSharedRatio``.
  public var minSharedRatio: Double?

  /// A policy that binds nobody.
  public static let none = RidePolicy()

  /// Makes a policy that binds only in what is named.
  public init(
    sameAttributes: [String] = [], pack: String? = nil, maxWalkMeters: Double? = nil,
    maxDetourRatio: Double? = nil, maxDetourSeconds: Double? = nil,
    minSharedRatio: Double? = nil
  ) {
    self.pack = pack
    self.sameAttributes = sameAttributes
    self.maxWalkMeters = maxWalkMeters
    self.maxDetourRatio = maxDetourRatio
    self.maxDetourSeconds = maxDetourSeconds
    self.minSharedRatio = minSharedRatio
  }

  /// What both ask: neither weakens the other.
  public func joined(with other: RidePolicy) -> RidePolicy {
    func least(_ a: Double?, _ b: Double?) -> Double? {
      guard let a else { return b }
      return b.map { min(a, $0) } ?? a
    }
    func most(_ a: Double?, _ b: Double?) -> Double? {
      guard let a else { return b }
      return b.map { max(a, $0) } ?? a
    }
    var names = sameAttributes
    for name in other.sameAttributes where !names.contains(name) { names.append(name) }
    return RidePolicy(
      sameAttributes: names, pack: pack ?? other.pack,
      maxWalkMeters: least(maxWalkMeters, other.maxWalkMeters),
      maxDetourRatio: least(maxDetourRatio, other.maxDetourRatio),
      maxDetourSeconds: least(maxDetourSeconds, other.maxDetourSeconds),
      minSharedRatio: most(minSharedRatio, other.minSharedRatio))
  }

  /// A rider's limits under this policy.
  public func bounding(_ limits: RideLimits) -> RideLimits {
    var shared = limits.minSharedRatio
    if let minSharedRatio { shared = max(shared ?? 0, minSharedRatio) }
    return RideLimits(
      maxWalkMeters: min(limits.maxWalkMeters, maxWalkMeters ?? .infinity),
      maxDetourRatio: min(limits.maxDetourRatio, maxDetourRatio ?? .infinity),
      minSharedRatio: shared, maxRideSeconds: limits.maxRideSeconds,
      maxDetourSeconds: limits.maxDetourSeconds, arriveBy: limits.arriveBy)
  }

  /// The first attribute in which someone differs from the host, or that is unknown of them.
  public func conflict(
    host: [String: String], other: [String: String]
  ) -> (attribute: String, isUnknown: Bool)? {
    for name in sameAttributes {
      guard let mine = other[name], !mine.isEmpty, let theirs = host[name] else {
        return (name, true)
      }
      if mine != theirs { return (name, false) }
    }
    return nil
  }
}
