public import GeoMath
public import ObjectModel

/// What an object of a party layer adds to the aggregates of its clusters.
public struct ClusterContribution: Hashable, Sendable, BitwiseCopyable {
  /// Seats still free; summed.
  public var seatsFree: Int32
  /// Milliseconds since 1970; the least wins, `.max` means none.
  public var earliestDeparture: Int64
  /// Minor units of the layer's currency; the least wins, `.max` means none.
  public var lowestFarePerPerson: Int64

  /// Describes a contribution; what is left out adds nothing.
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
  /// The keyed hash of the object's id: orders objects and names clusters, over restarts too.
  public var rank: ObjectRank
  /// The caller's handle, which no other object has: tells objects apart, and is given back with
  /// single points.
  public var key: UInt64
  /// Where the object is.
  public var position: MercatorPoint
  /// Summary of the object's tags: its bits are or-ed over clusters and let filters skip them.
  public var tagMask: UInt64
  /// What the object adds to the aggregates of its clusters.
  public var contribution: ClusterContribution

  /// Describes a point.
  public init(
    rank: ObjectRank, key: UInt64, position: MercatorPoint, tagMask: UInt64 = 0,
    contribution: ClusterContribution = .none
  ) {
    self.rank = rank
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
  /// What became of the object.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    /// It appeared.
    case inserted
    /// Its position was reported again, the same or another one.
    case moved
    /// It left.
    case removed
    /// Its tags or attributes changed; its position may have too.
    case retagged
  }
  /// What became of the object.
  public var kind: Kind
  /// See ``ClusterPoint/rank``; the same in all changes of one id.
  public var rank: ObjectRank
  /// See ``ClusterPoint/key``; an id that left and came back may have another.
  public var key: UInt64
  /// Where the object was.
  public var from: MercatorPoint
  /// Where the object is; for a removal the same as ``from``.
  public var to: MercatorPoint
  /// See ``ClusterPoint/tagMask``.
  public var tagMask: UInt64
  /// See ``ClusterPoint/contribution``.
  public var contribution: ClusterContribution

  /// Describes a change.
  public init(
    kind: Kind, rank: ObjectRank, key: UInt64, from: MercatorPoint, to: MercatorPoint,
    tagMask: UInt64 = 0, contribution: ClusterContribution = .none
  ) {
    self.kind = kind
    self.rank = rank
    self.key = key
    self.from = from
    self.to = to
    self.tagMask = tagMask
    self.contribution = contribution
  }
}
