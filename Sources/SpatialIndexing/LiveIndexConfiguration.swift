public import GeoMath
public import ObjectModel

/// What is fixed for the life of a ``LiveIndex``.
public struct LiveIndexConfiguration: Sendable {
  /// Numeric columns that conditions can name, 0...4.
  public var columnCount: Int

  /// Keys the ranks of ids in the change feed. Ranks name clusters, so a service gives the same
  /// secret key at each start.
  public var rankKey: HashKey

  /// Objects held at most, expired ones that are not reclaimed yet included; what comes on top is
  /// ``UpdateOutcome/full``. About 1.7 KB of address space are reserved for each when the index is
  /// made; memory is taken as objects come.
  public var maximumObjects: Int

  /// What this index and others may hold together; nil: as much as each holds alone. What comes on
  /// top is ``UpdateOutcome/full``.
  public var quota: SharedQuota?

  /// Describes an index.
  ///
  /// - Precondition: `columnCount` is 0...4, `maximumObjects` 1...134,217,728.
  public init(
    columnCount: Int = 0, rankKey: HashKey = .publicKey, maximumObjects: Int = 1 << 24,
    quota: SharedQuota? = nil
  ) {
    precondition((0...4).contains(columnCount), "a live index has 0 to 4 columns")
    precondition(
      (1...1 << 27).contains(maximumObjects), "a live index holds 1 to 134,217,728 objects")
    self.columnCount = columnCount
    self.rankKey = rankKey
    self.maximumObjects = maximumObjects
    self.quota = quota
  }
}

/// Slot + generation of an object; stays valid until the object leaves, and never again after.
public struct ObjectHandle: Hashable, Sendable {
  /// The place of the object in the index; used again when it has left.
  public let slot: UInt32
  /// How often the place was given away; tells objects of one place apart.
  public let generation: UInt32

  /// Makes a handle of its parts.
  @inlinable
  public init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}

/// What became of one entry of an ``UpdateBatch``.
public enum UpdateOutcome: UInt8, Sendable {
  /// The object was absent (or expired) and is now there.
  case inserted
  /// The object was there and now has the new position.
  case updated
  /// The stored live report is newer than this one; nothing changed.
  case stale
  /// The handle's object has left (or expired); nothing changed.
  case unknownHandle
  /// The index holds as many objects, bytes of records or tags as it may; nothing changed, except
  /// that an expired object of the same id is gone.
  case full
}

/// One record of the ordered change feed. It never names a bare slot: the handle's generation tells
/// objects apart when a slot is used again.
public struct IndexChange: Hashable, Sendable {
  /// What became of the object.
  public enum Kind: UInt8, Sendable {
    /// Appeared at `to` (`from` equals `to`).
    case inserted
    /// Went from `from` to `to`, which may be equal when only times changed hands.
    case moved
    /// Was removed or expired at `from` (`to` equals `from`).
    case removed
    /// Payload, tags or columns changed; the position may have changed too.
    case retagged
  }

  /// What became of the object.
  public var kind: Kind
  /// The rank of the object's id under ``LiveIndexConfiguration/rankKey``.
  public var rank: ObjectRank
  /// The handle that the object has, or had.
  public var handle: ObjectHandle
  /// Where the object was.
  public var from: MercatorPoint
  /// Where the object is.
  public var to: MercatorPoint

  /// Describes a change.
  public init(
    kind: Kind, rank: ObjectRank, handle: ObjectHandle, from: MercatorPoint, to: MercatorPoint
  ) {
    self.kind = kind
    self.rank = rank
    self.handle = handle
    self.from = from
    self.to = to
  }
}

/// Sizes of a live index at one moment.
public struct LiveIndexStatistics: Hashable, Sendable {
  /// Objects held, those that have expired but are not reclaimed yet included.
  public var objectCount = 0
  /// Leaves of the quadtree.
  public var leafCount = 0
  /// All nodes of the quadtree.
  public var nodeCount = 0
  /// Different tags carried by at least one object.
  public var distinctTagCount = 0
  /// Bytes of the tree, its leaf blocks and the slots.
  public var indexBytes = 0
  /// Bytes of the records: ids, tags, payloads.
  public var recordBytes = 0
  /// Bytes of the id map.
  public var idMapBytes = 0
  /// Bytes of the posting lists and the tag dictionary.
  public var tagBytes = 0
  /// Bytes of the numeric columns.
  public var columnBytes = 0
  /// See ``SharedLiveIndex/version``.
  public var version: UInt64 = 0

  /// Makes statistics of an empty index.
  public init() {}

  /// Bytes of all parts together.
  public var totalBytes: Int { indexBytes + recordBytes + idMapBytes + tagBytes + columnBytes }
}
