public import GeoMath

/// What an object of a party layer adds to the aggregates of its clusters.
public struct ClusterContribution: Hashable, Sendable, BitwiseCopyable {
  /// Seats still free; summed.
  public var seatsFree: Int32
  /// Milliseconds since 1970; the least wins, `.max` means none.
  public var earliestDeparture: Int64
  /// Minor units of the layer's currency; the least wins, `.max` means none.
  public var lowestFarePerPerson: Int64

  public init(
    seatsFree: Int32 = 0, earliestDeparture: Int64 = .max, lowestFarePerPerson: Int64 = .max
  ) {
    self.seatsFree = seatsFree
    self.earliestDeparture = earliestDeparture
    self.lowestFarePerPerson = lowestFarePerPerson
  }

  /// Adds nothing.
  public static let none = ClusterContribution()
}

/// A point for a static build of ``LiveClusters``.
public struct ClusterPoint: Hashable, Sendable {
  /// `StableHash.hash64` of the object's id: identity and rank at once.
  public var idHash: UInt64
  /// The caller's handle, given back with single points; never interpreted.
  public var key: UInt64
  public var position: MercatorPoint
  /// Summary of the object's tags: its bits are or-ed over clusters and let filters skip them.
  public var tagMask: UInt64
  public var contribution: ClusterContribution

  public init(
    idHash: UInt64, key: UInt64, position: MercatorPoint, tagMask: UInt64 = 0,
    contribution: ClusterContribution = .none
  ) {
    self.idHash = idHash
    self.key = key
    self.position = position
    self.tagMask = tagMask
    self.contribution = contribution
  }
}

/// One record of a layer's ordered change feed.
///
/// Changes of one object merge while they wait: only the last state counts, so a change says where
/// the object is now (``to``) and ``from`` is advice.
public struct ClusterChange: Hashable, Sendable {
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case inserted, moved, removed, retagged
  }
  public var kind: Kind
  public var idHash: UInt64
  public var key: UInt64
  public var from: MercatorPoint
  public var to: MercatorPoint
  public var tagMask: UInt64
  public var contribution: ClusterContribution

  public init(
    kind: Kind, idHash: UInt64, key: UInt64, from: MercatorPoint, to: MercatorPoint,
    tagMask: UInt64 = 0, contribution: ClusterContribution = .none
  ) {
    self.kind = kind
    self.idHash = idHash
    self.key = key
    self.from = from
    self.to = to
    self.tagMask = tagMask
    self.contribution = contribution
  }
}
