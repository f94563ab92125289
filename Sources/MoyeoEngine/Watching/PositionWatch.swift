import QueryCoalescing
import SpatialIndexing
import Synchronization

/// What a watcher wants to hear of.
public struct WatchQuery: Sendable {
  /// One, or a collection of fences.
  public var areas: [WatchArea]
  public var filter: ObjectFilter

  public init(areas: [WatchArea], filter: ObjectFilter = ObjectFilter()) {
    self.areas = areas
    self.filter = filter
  }

  /// Equal queries share one watch.
  func fingerprint(layer: String) -> UInt64 {
    var fingerprint = QueryFingerprint()
    fingerprint.add("watch")
    fingerprint.add(layer)
    fingerprint.add(areas.count)
    for area in areas { area.addFingerprint(to: &fingerprint) }
    filter.addFingerprint(to: &fingerprint)
    return fingerprint.value
  }
}

/// What happened to an object in one area of a watch.
struct WatchRecord {
  enum Kind: UInt8 {
    case enter
    case move
    case exit
  }

  var handle: ObjectHandle
  /// Index among the watch's areas.
  var area: UInt32
  var kind: Kind
  /// Of an object that left; others are looked up when they are told of.
  var id: String?
}

/// One question that is watched, shared by all streams that ask it: a bounded log of what entered,
/// moved and left.
///
/// Streams hold a position in the log. One that falls behind what is kept begins anew with a
/// snapshot, so a stream that is never read costs nothing here.
final class PositionWatch: Sendable {
  private struct Log {
    /// Of the first record kept, minus one.
    var floor: UInt64 = 0
    var records: [WatchRecord] = []
    /// Records before it have been dropped.
    var head = 0
    /// Objects in the areas, each once an area.
    var members = 0
    /// Whether something was appended that streams have not been told of.
    var isNews = false

    /// Room for two records of each member.
    var capacity: Int {
      max(PositionWatch.minimumCapacity, min(PositionWatch.maximumCapacity, 2 * members))
    }
    var count: Int { records.count - head }
    var newest: UInt64 { floor + UInt64(count) }
  }

  static let minimumCapacity = 256

  /// Part of resume tokens.
  let number: UInt64
  let fingerprint: UInt64
  let query: WatchQuery
  let areas: [PreparedWatchArea]
  let filter: ObjectFilter
  let isUnfiltered: Bool
  /// Whether ``LayerWatches`` knows who was in the areas when the watch began.
  let isScanned = Atomic<Bool>(false)
  /// Raised after each batch of records.
  let signal = ChangeSignal()
  private let log = StateLock(Log())

  init(number: UInt64, fingerprint: UInt64, query: WatchQuery, areas: [PreparedWatchArea]) {
    self.number = number
    self.fingerprint = fingerprint
    self.query = query
    self.areas = areas
    filter = query.filter
    isUnfiltered = query.filter.isEmpty
  }

  /// Of the newest record; 1 before the first, so that 0 is never a position to resume from.
  var sequence: UInt64 { log.withLock { $0.newest } + 1 }

  /// - Returns: Whether it is the first since ``announce()``.
  func append(_ record: WatchRecord) -> Bool {
    log.withLock { log in
      switch record.kind {
      case .enter: log.members += 1
      case .exit: log.members -= 1
      case .move: break
      }
      log.records.append(record)
      if log.count > log.capacity {
        log.records[log.head].id = nil
        log.head += 1
        log.floor += 1
      }
      if log.head > 64, log.head * 2 > log.records.count {
        log.records.removeFirst(log.head)
        log.head = 0
      }
      defer { log.isNews = true }
      return !log.isNews
    }
  }

  /// An object was there before anybody watched.
  func noteMember() { log.withLock { $0.members += 1 } }

  private static let maximumCapacity = 16_384

  /// Tells streams of what was appended.
  func announce() {
    let newest = log.withLock { log in
      log.isNews = false
      return log.newest + 1
    }
    signal.advance(to: newest)
  }

  /// Forgets everything: every stream begins anew.
  func lose() {
    log.withLock { log in
      log.floor = log.newest + 1
      log.records = []
      log.head = 0
    }
    announce()
  }

  /// Before everybody in the areas is counted anew.
  func forgetMembers() { log.withLock { $0.members = 0 } }

  /// What happened after a position, one record an object and area, oldest last change first;
  /// `nil` when it is kept no more.
  ///
  /// - Parameter mayKnowMore: The reader comes back and may have heard some of what follows its
  ///   position: then it is told of the end of those, too, that came and left since.
  func changes(after sequence: UInt64, mayKnowMore: Bool = false) -> (
    changes: [WatchRecord], sequence: UInt64
  )? {
    log.withLock { log in
      let newest = log.newest + 1
      guard sequence >= log.floor + 1, sequence <= newest else { return nil }
      let new = log.records[(log.records.count - Int(newest - sequence))...]
      guard new.count > 1 else { return (Array(new), newest) }
      return (Self.merged(new, keepsGuests: mayKnowMore), newest)
    }
  }

  /// Whether a reader can go on from a position.
  func keeps(_ sequence: UInt64) -> Bool {
    log.withLock { $0.floor + 1 <= sequence && sequence <= $0.newest + 1 }
  }

  private struct Key: Hashable {
    let handle: UInt64
    let area: UInt32
  }

  private static func merged(
    _ records: ArraySlice<WatchRecord>, keepsGuests: Bool
  ) -> [WatchRecord] {
    // Whether the reader had the object before the first of these, and its last record.
    var had: [Key: Bool] = [:]
    var last: [Key: Int] = [:]
    had.reserveCapacity(records.count)
    last.reserveCapacity(records.count)
    for (index, record) in zip(records.indices, records) {
      let key = Key(handle: record.handle.packed, area: record.area)
      if had[key] == nil { had[key] = record.kind != .enter }
      last[key] = index
    }
    var out: [WatchRecord] = []
    out.reserveCapacity(last.count)
    for (index, record) in zip(records.indices, records) {
      let key = Key(handle: record.handle.packed, area: record.area)
      guard last[key] == index, let had = had[key] else { continue }
      var merged = record
      switch (had, record.kind) {
      case (false, .exit): if !keepsGuests { continue }
      case (false, _): merged.kind = .enter
      case (true, .exit): break
      case (true, _): merged.kind = .move
      }
      out.append(merged)
    }
    return out
  }
}
