package import ObjectModel

/// The replicated store and log of positions that daemons share: for each partition the last state of
/// every object, and a log of what changed, some of which has been trimmed.
///
/// ```
/// append ──> [state of objects] + [entry | entry | entry] ──> read, by every daemon
///                 └──────── scan ──────────┘  replaces what a reader holds when entries are missing
/// ```
/// Every call ends by calling `end` once, on any thread, and waits for nothing itself.
package protocol PositionLog: Sendable {
  /// Decides on changes against the stored state, and stores and logs those that count, as one step.
  ///
  /// - Parameters:
  ///   - changes: At most ``SharedPositions/changesPerAppend``, all of `partition`.
  ///   - partition: Below ``SharedPositions/partitionCount``.
  ///   - end: Is told what became of each change, or why it is not known.
  func append(
    _ changes: [PositionChange], to partition: Int,
    _ end: @escaping @Sendable (Result<PositionAppend, PositionLogFailure>) -> Void)

  /// Waits until what was appended is on a second machine, so that the loss of one does not bring it back.
  ///
  /// - Parameters:
  ///   - partition: Below ``SharedPositions/partitionCount``.
  ///   - source: Who answered the append.
  ///   - end: Is told why that is not known; nil: it is there.
  func confirm(
    _ partition: Int, source: UInt64, _ end: @escaping @Sendable (PositionLogFailure?) -> Void)

  /// Reads entries in their order.
  ///
  /// - Parameters:
  ///   - partition: Below ``SharedPositions/partitionCount``.
  ///   - start: Where to begin.
  ///   - includesStart: Whether the entry of `start` comes too, if it still is in the log.
  ///   - limit: The most entries of the answer.
  ///   - end: Is told the entries.
  func read(
    _ partition: Int, from start: LogEntryID, includesStart: Bool, limit: Int,
    _ end: @escaping @Sendable (Result<[PositionLogEntry], PositionLogFailure>) -> Void)

  /// Tells the newest entry.
  func newest(
    _ partition: Int,
    _ end: @escaping @Sendable (Result<PositionLogHead, PositionLogFailure>) -> Void)

  /// Reads a page of the stored state: what is there from the first page to the last is on one of them.
  ///
  /// - Parameters:
  ///   - partition: Below ``SharedPositions/partitionCount``.
  ///   - cursor: What the page before answered; `nil` for the first.
  ///   - end: Is told the page.
  func scan(
    _ partition: Int, cursor: String?,
    _ end: @escaping @Sendable (Result<PositionPage, PositionLogFailure>) -> Void)
}

/// Why the log did not do something. What was appended may have taken effect all the same.
package enum PositionLogFailure: Error, Hashable, Sendable {
  /// The log cannot be reached, or it refuses to serve; the text says which.
  case unavailable(String)
  /// As much is on its way to the log as may be.
  case overloaded
}

/// The place of an entry in its partition's log.
package struct LogEntryID: Hashable, Comparable, Sendable {
  package var milliseconds: UInt64
  package var sequence: UInt64

  package init(milliseconds: UInt64, sequence: UInt64) {
    self.milliseconds = milliseconds
    self.sequence = sequence
  }

  /// Before every entry.
  package static let zero = LogEntryID(milliseconds: 0, sequence: 0)

  /// Reads `1526919030474-55`.
  package init?(text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let milliseconds = UInt64(parts[0]), let sequence = UInt64(parts[1])
    else { return nil }
    self.init(milliseconds: milliseconds, sequence: sequence)
  }

  package var text: String { "\(milliseconds)-\(sequence)" }

  package static func < (a: LogEntryID, b: LogEntryID) -> Bool {
    (a.milliseconds, a.sequence) < (b.milliseconds, b.sequence)
  }
}

/// One object's change, as a daemon asks for it.
package enum PositionChange: Sendable, Hashable {
  /// A report. Where `isReceiptTime`, the log stamps it with its own time, and it expires as long after
  /// that as after the time that it came with; else it counts unless a newer one is stored.
  case put(StoredPosition, isReceiptTime: Bool)
  case remove(StoredPositionKey)

  package var key: StoredPositionKey {
    switch self {
    case .put(let position, _): position.key
    case .remove(let key): key
    }
  }

  var isRemoval: Bool { if case .remove = self { true } else { false } }
}

/// What the log did with one change.
package enum PositionDecision: Hashable, Sendable {
  /// The change was stored; of a report with these times.
  case stored(observedAt: Instant, expiresAt: Instant)
  /// A newer observation is stored.
  case stale
  case removed(wasThere: Bool)
}

/// What an append came to.
package struct PositionAppend: Sendable, Hashable {
  /// The entry and the one before it; nil where nothing was logged.
  package var entry: (id: LogEntryID, previous: LogEntryID)? {
    id.map { ($0, previous) }
  }
  package var id: LogEntryID?
  package var previous: LogEntryID
  /// Of each change, in its order.
  package var decisions: [PositionDecision]
  /// Who answered: another number may be another server.
  package var source: UInt64

  package init(
    id: LogEntryID?, previous: LogEntryID, decisions: [PositionDecision], source: UInt64 = 0
  ) {
    self.id = id
    self.previous = previous
    self.decisions = decisions
    self.source = source
  }
}

/// What is stored, or logged, of one object.
package enum PositionRecord: Sendable, Hashable {
  case position(StoredPosition)
  case removal(StoredPositionKey)

  package var key: StoredPositionKey {
    switch self {
    case .position(let position): position.key
    case .removal(let key): key
    }
  }
}

package struct PositionLogEntry: Sendable, Hashable {
  package var id: LogEntryID
  /// The entry before it: a reader that read another one last has missed some.
  package var previous: LogEntryID
  package var records: [PositionRecord]

  package init(id: LogEntryID, previous: LogEntryID, records: [PositionRecord]) {
    self.id = id
    self.previous = previous
    self.records = records
  }
}

/// How far a partition's log goes, and who says so.
package struct PositionLogHead: Sendable, Hashable {
  /// ``LogEntryID/zero`` before the first entry.
  package var newest: LogEntryID
  /// Two answers with one source are of one history: nothing was lost between them.
  package var source: UInt64

  package init(newest: LogEntryID, source: UInt64) {
    self.newest = newest
    self.source = source
  }
}

/// Some of a partition's objects.
package struct PositionPage: Sendable, Hashable {
  package var positions: [StoredPosition]
  /// As in ``PositionLogHead``.
  package var source: UInt64
  /// Nil: it is the last page.
  package var next: String?

  package init(positions: [StoredPosition], next: String?, source: UInt64 = 0) {
    self.source = source
    self.positions = positions
    self.next = next
  }
}
