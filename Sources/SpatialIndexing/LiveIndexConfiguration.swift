public import GeoMath
public import ObjectModel

/// The settings of a ``LiveIndex``, which are fixed when it is made.
public struct LiveIndexConfiguration: Sendable {
  /// The number of numeric columns that conditions can name, 0...4.
  public var columnCount: Int

  /// The key under which the change feed ranks ids. Ranks name clusters, so that a service gives
  /// the same secret key at each start.
  public var rankKey: HashKey

  /// The most objects that the index holds; those that have expired but are not yet reclaimed
  /// count. Further objects get ``UpdateOutcome/full``. About 1.7 KB of address space are reserved
  /// for each when the index is made; memory is taken as objects come.
  public var maximumObjects: Int

  /// A bound on what this index and others hold together. With `nil` each index has only its own
  /// bound. Objects beyond the quota get ``UpdateOutcome/full``.
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

/// Names an object by its slot and generation. A handle is valid until the object leaves, and never
/// again after.
public struct ObjectHandle: Hashable, Sendable {
  /// The place of the object in the index, which another object may get once this one has left.
  public let slot: UInt32
  /// The number of objects that had the slot before this one; it tells their handles apart.
  public let generation: UInt32

  /// Makes a handle of its parts.
  @inlinable
  public init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}

/// What an index did with one entry of an ``UpdateBatch``.
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
  /// The kinds of change.
  public enum Kind: UInt8, Sendable {
    /// The object appeared at `to`, which equals `from`.
    case inserted
    /// The object went from `from` to `to`. The two are equal when only its times changed.
    case moved
    /// The object was removed or expired at `from`, which equals `to`.
    case removed
    /// The payload, tags or columns changed; the position may have changed too.
    case retagged
  }

  /// The kind of the change.
  public var kind: Kind
  /// The rank of the object's id under ``LiveIndexConfiguration/rankKey``.
  public var rank: ObjectRank
  /// The handle that the object has, or had.
  public var handle: ObjectHandle
  /// The position before the change.
  public var from: MercatorPoint
  /// The position after the change.
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

/// The sizes of a live index at one moment.
public struct LiveIndexStatistics: Hashable, Sendable {
  /// The number of objects. Objects that have expired but are not yet reclaimed count.
  public var objectCount = 0
  /// The number of leaves of the quadtree.
  public var leafCount = 0
  /// The number of all nodes of the quadtree, leaves included.
  public var nodeCount = 0
  /// The number of different tags that at least one object carries.
  public var distinctTagCount = 0
  /// The bytes of the tree, its leaf blocks and the slots.
  public var indexBytes = 0
  /// The bytes of the records, which hold ids, tags and payloads.
  public var recordBytes = 0
  /// The bytes of the id map.
  public var idMapBytes = 0
  /// The bytes of the posting lists and the tag dictionary.
  public var tagBytes = 0
  /// The bytes of the numeric columns.
  public var columnBytes = 0
  /// The index's ``SharedLiveIndex/version``.
  public var version: UInt64 = 0

  /// Makes the statistics of an empty index.
  public init() {}

  /// The bytes of all parts together.
  public var totalBytes: Int { indexBytes + recordBytes + idMapBytes + tagBytes + columnBytes }
}
