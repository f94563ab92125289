public import GeoMath
public import ObjectModel

/// What an object of a party layer adds to the aggregates of its clusters.
public struct ClusterContribution: Hashable, Sendable, BitwiseCopyable {
  /// The number of free seats, of which clusters show the sum.
  public var seatsFree: Int32
  /// The earliest departure in milliseconds since 1970, of which clusters show the least; `.max`
  /// for none.
  public var earliestDeparture: Int64
  /// The lowest fare in minor units of the layer's currency, of which clusters show the least;
  /// `.max` for none.
  public var lowestFarePerPerson: Int64

  /// Describes a contribution. A part that is left out adds nothing.
  public init(
    seatsFree: Int32 = 0, earliestDeparture: Int64 = .max, lowestFarePerPerson: Int64 = .max
  ) {
    self.seatsFree = seatsFree
    self.earliestDeparture = earliestDeparture
    self.lowestFarePerPerson = lowestFarePerPerson
  }

  /// A contribution that adds nothing.
  public static let none = ClusterContribution()
}

/// A point for a static build of ``LiveClusters``.
public struct ClusterPoint: Hashable, Sendable {
  /// The keyed hash of the object's id. It orders objects and names clusters, also over restarts.
  public var rank: ObjectRank
  /// The caller's handle, which no other object has. It tells objects apart and is returned with
  /// single points.
  public var key: UInt64
  /// The position of the object.
  public var position: MercatorPoint
  /// A summary of the object's tags. Its bits are combined over clusters and let filters skip them.
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

/// A record of a layer's ordered change feed.
///
/// Changes of one object merge while they wait, because only the last state counts. A change
/// therefore says where the object is now (``to``), and ``from`` is only a hint.
public struct ClusterChange: Hashable, Sendable {
  /// The kinds of change.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    /// The object appeared.
    case inserted
    /// The object's position was reported again, the same or another one.
    case moved
    /// The object left.
    case removed
    /// The object's tags or attributes changed; its position may have changed too.
    case retagged
  }
  /// The kind of the change.
  public var kind: Kind
  /// The object's ``ClusterPoint/rank``, which is the same in all changes of one id.
  public var rank: ObjectRank
  /// The object's ``ClusterPoint/key``. An id that left and came back may have another.
  public var key: UInt64
  /// The position before the change.
  public var from: MercatorPoint
  /// The position after the change; for a removal the same as ``from``.
  public var to: MercatorPoint
  /// The object's ``ClusterPoint/tagMask``.
  public var tagMask: UInt64
  /// The object's ``ClusterPoint/contribution``.
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
