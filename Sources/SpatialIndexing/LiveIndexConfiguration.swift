public import GeoMath
import ObjectModel

/// What is fixed for the life of a ``LiveIndex``.
public struct LiveIndexConfiguration: Sendable {
  /// Numeric columns that conditions can name, 0...4.
  public var columnCount: Int

  /// - Precondition: `columnCount` is 0...4.
  public init(columnCount: Int = 0) {
    precondition((0...4).contains(columnCount), "a live index has 0 to 4 columns")
    self.columnCount = columnCount
  }
}

/// Slot + generation of an object; stays valid until the object leaves, and never again after.
public struct ObjectHandle: Hashable, Sendable {
  public let slot: UInt32
  public let generation: UInt32

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
  /// A later entry of the same batch has the same id; nothing changed.
  case superseded
  /// The handle's object has left (or expired); nothing changed.
  case unknownHandle
}

/// One record of the ordered change feed. It never names a bare slot: `idHash` and the handle's
/// generation tell objects apart when a slot is used again.
public struct IndexChange: Hashable, Sendable {
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

  public var kind: Kind
  /// `StableHash.hash64` of the id's UTF-8 bytes.
  public var idHash: UInt64
  public var handle: ObjectHandle
  public var from: MercatorPoint
  public var to: MercatorPoint

  public init(
    kind: Kind, idHash: UInt64, handle: ObjectHandle, from: MercatorPoint, to: MercatorPoint
  ) {
    self.kind = kind
    self.idHash = idHash
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

  public init() {}

  public var totalBytes: Int { indexBytes + recordBytes + idMapBytes + tagBytes + columnBytes }
}
