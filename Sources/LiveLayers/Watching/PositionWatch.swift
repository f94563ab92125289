import SpatialIndexing
import Synchronization
import Threading

/// The question of a watcher.
package struct WatchQuery: Sendable {
  /// One area, or a collection of fences.
  package var areas: [WatchArea]
  package var filter: ObjectFilter

  package init(areas: [WatchArea], filter: ObjectFilter = ObjectFilter()) {
    self.areas = areas
    self.filter = filter
  }

  /// Returns a number by which equal queries share one watch.
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

/// What happened to an object in one area of a watch; it takes 16 bytes.
struct WatchRecord {
  enum Kind: UInt8 {
    case enter
    case move
    case exit
  }

  var handle: ObjectHandle
  /// The index among the watch's areas.
  var area: UInt32
  var kind: Kind

  /// The object in the area, whatever happened to it.
  var membership: WatchMembership { WatchMembership(handle: handle.packed, area: area) }
}

/// An object in one area of a watch.
struct WatchMembership: Hashable {
  let handle: UInt64
  /// The index among the watch's areas.
  let area: UInt32
}

/// A record as it is read, with the id of an object that left. Other ids are looked up when the
/// record is reported.
struct WatchChange {
  var record: WatchRecord
  var id: String?
}

/// A watched query, shared by all streams that ask it: a bounded log of what entered, moved and
/// left.
///
/// A stream holds a position in the log. A stream that falls behind what is kept begins anew with a
/// snapshot, so that one that is never read costs nothing here.
final class PositionWatch: Sendable {
  private struct Log {
    /// The sequence before that of the first record kept.
    var floor: UInt64 = 0
    /// A ring of records, of which the first kept is at `first`.
    var ring: [WatchRecord] = []
    var first = 0
    var count = 0
    /// The ids of the exits kept, by ascending sequence; those before `firstExit` are dropped.
    var exits: [(sequence: UInt64, id: String)] = []
    var firstExit = 0
    /// The number of objects in the areas, each counted once for each area.
    var members = 0
    /// Whether a record was appended that ``announce()`` has not told streams of.
    var hasUnannounced = false

    /// The number of records kept: two for each member, within bounds.
    var capacity: Int {
      max(PositionWatch.minimumCapacity, min(PositionWatch.maximumCapacity, 2 * members))
    }
    var newest: UInt64 { floor + UInt64(count) }

    mutating func append(_ record: WatchRecord, id: String?) {
      if count >= capacity {
        drop(count - capacity + 1)
      } else if count == ring.count {
        grow()
      }
      let place = (first + count) % ring.count
      ring[place] = record
      count += 1
      if let id {
        makeRoomForExit()
        exits.append((newest, id))
      }
    }

    /// Rather than growing, the list gives up the room of what was dropped; and it grows by an
    /// eighth, where an array would double: a thousand watches keep a list each.
    private mutating func makeRoomForExit() {
      guard exits.count == exits.capacity else { return }
      if firstExit * 8 >= exits.count { forgetDroppedExits() }
      if exits.count == exits.capacity { exits.reserveCapacity(exits.count + exits.count / 8 + 8) }
    }

    private mutating func grow() {
      var larger: [WatchRecord] = []
      let size = min(max(16, 2 * count), capacity)
      larger.reserveCapacity(size)
      larger.append(contentsOf: ring[first...])
      larger.append(contentsOf: ring[..<first])
      while larger.count < size {
        larger.append(
          WatchRecord(handle: ObjectHandle(packed: 0), area: 0, kind: .move))
      }
      ring = larger
      first = 0
    }

    mutating func drop(_ dropped: Int) {
      first = (first + dropped) % ring.count
      count -= dropped
      floor += UInt64(dropped)
      while firstExit < exits.count, exits[firstExit].sequence <= floor { firstExit += 1 }
      if firstExit > 16, firstExit * 2 > exits.count { forgetDroppedExits() }
    }

    private mutating func forgetDroppedExits() {
      exits.removeFirst(firstExit)
      firstExit = 0
    }

    mutating func removeAllRecords() {
      let (floor, members) = (newest + 1, members)
      self = Log()
      self.floor = floor
      self.members = members
    }

    /// Returns the records after a sequence, the oldest first.
    func changes(after sequence: UInt64) -> [WatchChange] {
      var exit = firstExit
      var out: [WatchChange] = []
      let skipped = Int(sequence - floor)
      out.reserveCapacity(count - skipped)
      for offset in skipped..<count {
        let record = ring[(first + offset) % ring.count]
        var id: String?
        if record.kind == .exit {
          let wanted = floor + UInt64(offset) + 1
          while exit < exits.count, exits[exit].sequence < wanted { exit += 1 }
          if exit < exits.count, exits[exit].sequence == wanted { id = exits[exit].id }
        }
        out.append(WatchChange(record: record, id: id))
      }
      return out
    }
  }

  static let minimumCapacity = 256

  /// The number of this watch, which is part of resume tokens.
  let number: UInt64
  let fingerprint: UInt64
  let query: WatchQuery
  let areas: [PreparedWatchArea]
  let filter: ObjectFilter
  let isUnfiltered: Bool
  /// Whether ``LayerWatches`` knows which objects were in the areas when the watch began.
  let isScanned = Atomic<Bool>(false)
  /// Wakes streams after each batch of records.
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

  /// The sequence of the newest record. It is 1 before the first, so that 0 is never a position to
  /// resume from.
  var sequence: UInt64 { log.withLock { $0.newest } + 1 }

  /// Appends a record to the log and counts the objects inside.
  ///
  /// - Parameters:
  ///   - record: The record. An entry adds one to the count, an exit subtracts one.
  ///   - id: The id of the object for an exit; nil for other records.
  /// - Returns: Whether the record is the first since ``announce()``.
  func append(_ record: WatchRecord, id: String? = nil) -> Bool {
    log.withLock { log in
      switch record.kind {
      case .enter: log.members += 1
      case .exit: log.members -= 1
      case .move: break
      }
      log.append(record, id: id)
      defer { log.hasUnannounced = true }
      return !log.hasUnannounced
    }
  }

  /// Counts an object that was in an area before the watch began.
  func noteMember() { log.withLock { $0.members += 1 } }

  private static let maximumCapacity = 16_384

  /// Tells streams of the records that were appended.
  func announce() {
    let newest = log.withLock { log in
      log.hasUnannounced = false
      return log.newest + 1
    }
    signal.advance(to: newest)
  }

  /// Drops all records, so that every stream begins anew.
  func removeAllRecords() {
    log.withLock { $0.removeAllRecords() }
    announce()
  }

  /// Sets the count of objects to 0, before all objects in the areas are counted anew.
  func resetMemberCount() { log.withLock { $0.members = 0 } }

  /// Returns what happened after a position, with one record for each object and area, ordered by
  /// their last change.
  ///
  /// - Parameters:
  ///   - sequence: The position, which is the `sequence` of an earlier answer.
  ///   - mayKnowMore: Whether the reader comes back and may have heard some of what follows its
  ///     position. Then it is also told of the exit of objects that came and left since.
  /// - Returns: The changes and the position after them; `nil` when the log does not reach back to
  ///   `sequence`, or never gave it.
  func changes(after sequence: UInt64, mayKnowMore: Bool = false) -> (
    changes: [WatchChange], sequence: UInt64
  )? {
    log.withLock { log in
      let newest = log.newest + 1
      guard sequence >= log.floor + 1, sequence <= newest else { return nil }
      // A position is one more than the newest sequence heard.
      let new = log.changes(after: sequence - 1)
      guard new.count > 1 else { return (new, newest) }
      return (Self.merged(new, keepsGuests: mayKnowMore), newest)
    }
  }

  /// Returns whether a reader can go on from a position.
  func keeps(_ sequence: UInt64) -> Bool {
    log.withLock { $0.floor + 1 <= sequence && sequence <= $0.newest + 1 }
  }

  private static func merged(_ changes: [WatchChange], keepsGuests: Bool) -> [WatchChange] {
    // For each object: whether the reader had it before these changes, and its last record.
    var had: [WatchMembership: Bool] = [:]
    var last: [WatchMembership: Int] = [:]
    had.reserveCapacity(changes.count)
    last.reserveCapacity(changes.count)
    for (index, change) in changes.enumerated() {
      let key = change.record.membership
      if had[key] == nil { had[key] = change.record.kind != .enter }
      last[key] = index
    }
    var out: [WatchChange] = []
    out.reserveCapacity(last.count)
    for (index, change) in changes.enumerated() {
      let key = change.record.membership
      guard last[key] == index, let had = had[key] else { continue }
      var merged = change
      switch (had, change.record.kind) {
      case (false, .exit): if !keepsGuests { continue }
      case (false, _): merged.record.kind = .enter
      case (true, .exit): break
      case (true, _): merged.record.kind = .move
      }
      out.append(merged)
    }
    return out
  }
}
