import ObjectModel
import Synchronization
package import Threading

/// The positions that daemons share through a ``PositionLog``: writes go to the log first, and the
/// layers follow it.
///
/// ```
/// report ──> gather ──> append ──> apply, if the entry before is the last one applied ──> answer; a removal
///                                │                                                       once a replica has it
///                                └─> else read up to it, apply, answer
/// tick ────> read ──> apply in order; an entry is missing ──> scan, replace, go on behind it
/// ```
/// Of each partition one append and one read are under way at most, so that what is applied is applied
/// in the log's order, once. Reports that come while an append is under way go with the next one.
package final class SharedPositions: Sendable {
  /// Partitions of the log; part of how it is stored.
  package static let partitionCount = 64
  /// The most changes of one append.
  package static let changesPerAppend = 512
  /// The most entries of one read.
  static let entriesPerRead = 128
  /// Partitions that are replaced at once: each takes as much memory as the names of its objects.
  static let replacementsAtOnce = 4

  package struct Settings: Sendable {
    /// Behind by more, the daemon is not ready.
    package var readyMilliseconds: Int64 = 2000
    /// Behind by more, reads are refused.
    package var answerMilliseconds: Int64 = 10_000
    /// The most changes that wait in this daemon for their answer.
    package var waitingChanges = 200_000
    /// How often the last entry that was read is looked up again, which shows that the log lost it.
    package var verifyMilliseconds: Int64 = 500
    package init() {}
  }

  /// A write that waits for its turn.
  struct Waiting {
    var changes: [PositionChange]
    var end: @Sendable (Result<[PositionDecision], PositionLogFailure>) -> Void
  }

  /// An answer that waits until an entry was applied.
  struct Held {
    var entry: LogEntryID
    var end: @Sendable () -> Void
  }

  struct Partition {
    /// The last entry that the layers have; nil while they are to be replaced.
    var applied: LogEntryID?
    /// What was read may show entries up to here: a log that ends before has lost them.
    var mustReach = LogEntryID.zero
    var isReading = false
    var mustReadAgain = false
    var isAppending = false
    var isReplacing = false
    var waiting: [Waiting] = []
    var held: [Held] = []
    /// When the layers last had all that the log had; nil before the first time.
    var current: Nanoseconds?
    /// When the last entry was looked up again; 0: it is to be with the next read.
    var verified: Nanoseconds = 0

    /// Returns whether an entry is the next one, and none is left out that a replacement has shown.
    func follows(_ id: LogEntryID, after previous: LogEntryID) -> Bool {
      guard let applied, applied == previous else { return false }
      return applied >= mustReach || id <= mustReach
    }
  }

  /// What happened since the start.
  package struct Figures: Sendable, Hashable {
    /// Entries of the log that were applied.
    package var entries = 0
    /// Partitions that were replaced because entries were missing; those of the start do not count.
    package var repairedGaps = 0
    /// Partitions that were replaced.
    package var replacements = 0
    /// Objects that replacing a partition took out.
    package var removedByRepair = 0
    /// Positions of the log for which a layer had no room.
    package var withoutRoom = 0
    package var failedReads = 0
    package var failedAppends = 0
  }

  let log: any PositionLog
  let settings: Settings
  let monotonic: @Sendable () -> Nanoseconds
  let partitions = (0..<SharedPositions.partitionCount).map { _ in StateLock(Partition()) }
  private let tenants = StateLock<[String: LayerRegistry]>([:])
  let figuresState = StateLock(Figures())
  /// What the log refused or did not answer last.
  private let trouble = StateLock<String?>(nil)
  /// Why the log refused a write last, and when.
  private let refusal = StateLock<(reason: String, at: Nanoseconds)?>(nil)
  private let waitingChanges = Atomic<Int>(0)
  private let replacing = Atomic<Int>(0)
  private let started: Nanoseconds
  /// The earliest moment at which a partition was current, as of the last tick.
  private let oldest: Atomic<Int64>
  private let hasAll = Atomic(false)

  /// - Parameters:
  ///   - log: What daemons share.
  ///   - settings: Bounds.
  ///   - monotonic: Tells time for staleness; never the wall clock.
  package init(
    log: any PositionLog, settings: Settings = Settings(),
    monotonic: @escaping @Sendable () -> Nanoseconds
  ) {
    self.log = log
    self.settings = settings
    self.monotonic = monotonic
    started = monotonic()
    oldest = Atomic(started)
  }

  // MARK: - Whose positions

  /// Has a tenant's layers follow the log. All that the log has of it is read with the next ticks.
  package func attach(_ layers: LayerRegistry, tenant: String) {
    tenants.withLock { $0[tenant] = layers }
    for partition in partitions { partition.withLock { $0.applied = nil } }
  }

  func layers(of tenant: String) -> LayerRegistry? { tenants.withLock { $0[tenant] } }

  var attached: [(tenant: String, layers: LayerRegistry)] {
    tenants.withLock { $0.map { (tenant: $0.key, layers: $0.value) } }
  }

  // MARK: - How far behind

  /// How long ago the layers had all that was in the log, by the partition that is furthest behind.
  package var staleMilliseconds: Int64 {
    max(0, (monotonic() - oldest.load(ordering: .relaxed)) / 1_000_000)
  }

  /// The same of each partition.
  package var staleMillisecondsByPartition: [Int64] {
    let now = monotonic()
    return partitions.map { partition in
      let current = partition.withLock { $0.current } ?? started
      return max(0, (now - current) / 1_000_000)
    }
  }

  /// Whether everything was read once.
  package var isLoaded: Bool { hasAll.load(ordering: .relaxed) }

  /// Why no new callers should be sent here; nil: the layers keep up with the log.
  package var unreadyReason: String? {
    guard isLoaded else { return "positions are being loaded" + because }
    let stale = staleMilliseconds
    return stale > settings.readyMilliseconds
      ? "positions are \(stale) ms behind the log" + because : nil
  }

  /// The end of a sentence about what the log does not give.
  private var because: String { trouble.withLock { $0 }.map { ": \($0)" } ?? "" }

  /// Notes why the log did not do what it was asked for.
  func note(_ failure: PositionLogFailure) {
    if case .unavailable(let reason) = failure { trouble.withLock { $0 = reason } }
  }

  /// For how long a write that the log refused is told of.
  private static let refusalMilliseconds: Int64 = 5000

  /// Why writes of the last seconds were refused, though positions may be read; nil: none was.
  package var refusingReason: String? {
    guard let (reason, at) = refusal.withLock({ $0 }),
      monotonic() - at < Self.refusalMilliseconds * 1_000_000
    else { return nil }
    return "reports are refused: \(reason)"
  }

  /// Why reads are refused; nil: they are answered.
  package var unanswerableReason: String? {
    let stale = staleMilliseconds
    return stale > settings.answerMilliseconds
      ? "positions here are \(stale / 1000) s behind those of other daemons" : nil
  }

  package var figures: Figures { figuresState.withLock { $0 } }

  func count(_ change: (inout Figures) -> Void) { figuresState.withLock { change(&$0) } }

  // MARK: - Writing

  /// Writes changes to the log and, once they are there, to the layers.
  ///
  /// - Returns: Of each change, what became of it.
  package func write(
    _ changes: [PositionChange]
  ) async -> [Result<PositionDecision, PositionLogFailure>] {
    guard !changes.isEmpty else { return [] }
    return await withCheckedContinuation { done in
      write(changes) { done.resume(returning: $0) }
    }
  }

  /// The same for who waits otherwise; `end` is called once, on any thread.
  package func write(
    _ changes: [PositionChange],
    _ end: @escaping @Sendable ([Result<PositionDecision, PositionLogFailure>]) -> Void
  ) {
    guard !changes.isEmpty else { return end([]) }
    let count = changes.count
    guard waitingChanges.add(count, ordering: .relaxed).newValue <= settings.waitingChanges else {
      waitingChanges.subtract(count, ordering: .relaxed)
      return end(changes.map { _ in .failure(.overloaded) })
    }
    var indices: [Int: [Int]] = [:]
    for (i, change) in changes.enumerated() {
      indices[PositionRecordCoding.partition(change.key), default: []].append(i)
    }
    let gathered = StateLock(
      Gathered(
        left: indices.count,
        results: [Result<PositionDecision, PositionLogFailure>?](repeating: nil, count: count)))
    for (number, places) in indices {
      submit(places.map { changes[$0] }, to: number) { [self] result in
        let all = gathered.withLock { gathered -> [Result<PositionDecision, PositionLogFailure>]? in
          for (k, place) in places.enumerated() {
            gathered.results[place] = result.map { $0[k] }
          }
          gathered.left -= 1
          return gathered.left == 0 ? gathered.results.compactMap { $0 } : nil
        }
        guard let all else { return }
        waitingChanges.subtract(count, ordering: .relaxed)
        end(all)
      }
    }
  }

  private struct Gathered {
    var left: Int
    var results: [Result<PositionDecision, PositionLogFailure>?]
  }

  private func submit(
    _ changes: [PositionChange], to number: Int,
    _ end: @escaping @Sendable (Result<[PositionDecision], PositionLogFailure>) -> Void
  ) {
    partitions[number].withLock {
      $0.waiting.append(Waiting(changes: changes, end: end))
    }
    appendNext(number)
  }

  /// Appends what waits, unless an append is under way.
  private func appendNext(_ number: Int) {
    let batch = partitions[number].withLock { partition -> [Waiting] in
      guard !partition.isAppending, !partition.waiting.isEmpty else { return [] }
      partition.isAppending = true
      var (taken, count) = (0, 0)
      for one in partition.waiting {
        guard taken == 0 || count + one.changes.count <= Self.changesPerAppend else { break }
        taken += 1
        count += one.changes.count
      }
      let batch = Array(partition.waiting[..<taken])
      partition.waiting.removeFirst(taken)
      return batch
    }
    guard !batch.isEmpty else { return }
    let changes = batch.flatMap(\.changes)
    log.append(changes, to: number) { [self] result in
      partitions[number].withLock { $0.isAppending = false }
      switch result {
      case .failure(let failure):
        count { $0.failedAppends += 1 }
        note(failure)
        if case .unavailable(let reason) = failure {
          refusal.withLock { $0 = (reason, monotonic()) }
        }
        for one in batch { one.end(.failure(failure)) }
      case .success(let append):
        conclude(append, of: changes, batch, in: number)
      }
      appendNext(number)
    }
  }

  private func conclude(
    _ append: PositionAppend, of changes: [PositionChange], _ batch: [Waiting], in number: Int
  ) {
    guard append.decisions.count == changes.count else {
      for one in batch { one.end(.failure(.unavailable("the log's answer is damaged"))) }
      return
    }
    let answer: @Sendable () -> Void = { [self] in
      guard changes.contains(where: \.isRemoval) else {
        return Self.answer(batch, append.decisions)
      }
      // What is taken out must not come back with a server that never knew of it.
      log.confirm(number, source: append.source) { [self] failure in
        if let failure { note(failure) }
        Self.answer(batch, append.decisions, removals: failure)
      }
    }
    guard let entry = append.entry else { return answer() }
    let mustRead = partitions[number].withLock { partition -> Bool? in
      if let applied = partition.applied, applied >= entry.id { return nil }
      if partition.follows(entry.id, after: entry.previous) {
        apply(
          PositionLogEntry(
            id: entry.id, previous: entry.previous, records: Self.records(append, of: changes)))
        partition.applied = entry.id
        return nil
      }
      // Others wrote in between, or the partition is to be replaced.
      partition.held.append(Held(entry: entry.id, end: answer))
      return true
    }
    guard mustRead != nil else { return answer() }
    read(number)
  }

  /// Answers each of a batch; where a failure is given, those who remove something get that.
  private static func answer(
    _ batch: [Waiting], _ decisions: [PositionDecision], removals: PositionLogFailure? = nil
  ) {
    var start = 0
    for one in batch {
      let own = Array(decisions[start..<start + one.changes.count])
      start += one.changes.count
      if let removals, one.changes.contains(where: \.isRemoval) {
        one.end(.failure(removals))
      } else {
        one.end(.success(own))
      }
    }
  }

  /// Returns what an append has logged.
  private static func records(
    _ append: PositionAppend, of changes: [PositionChange]
  ) -> [PositionRecord] {
    zip(changes, append.decisions).compactMap { change, decision in
      switch (change, decision) {
      case (.put(var position, _), .stored(let observedAt, let expiresAt)):
        position.observedAt = observedAt
        position.expiresAt = expiresAt
        return .position(position)
      case (.remove(let key), .removed): return .removal(key)
      case (.put, _), (.remove, _): return nil
      }
    }
  }

  // MARK: - Following

  /// Reads what is new, as far as no read is under way; it is called every few tens of milliseconds.
  package func tick() {
    var earliest = Nanoseconds.max
    var all = true
    for (number, partition) in partitions.enumerated() {
      let (current, mustReplace) = partition.withLock { ($0.current, $0.applied == nil) }
      if let current { earliest = min(earliest, current) } else { all = false }
      if mustReplace { replace(number) } else { read(number) }
    }
    oldest.store(all ? earliest : started, ordering: .relaxed)
    if all { hasAll.store(true, ordering: .relaxed) }
  }

  func mayReplace() -> Bool {
    if replacing.add(1, ordering: .relaxed).newValue <= Self.replacementsAtOnce { return true }
    replacing.subtract(1, ordering: .relaxed)
    return false
  }

  func replacementEnded() { replacing.subtract(1, ordering: .relaxed) }
}
