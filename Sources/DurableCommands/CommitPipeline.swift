import Foundation
package import ObjectModel
package import Threading

/// Carries out commands that must survive: one thread, in batches, each command on top of the ones
/// before it, one commit of the store a batch; then memory and replies, while the next batch runs.
///
/// ```
/// commit thread:  submit -> queue (bounded) -> batch of at most 64 -> decide on the overlay
///                 -> store.commit -> apply
/// publishing:     publish -> replies                   in order, at most 4 batches behind
/// ```
/// - Every answer of a batch waits for its commit, refusals too: they may rest on the overlay.
/// - What surely did not happen (a conflict, a rollback) is decided anew, one command at a time.
/// - After an unknown outcome the record is opened anew before anything else is written. A store that
///   can tell what became of the batch has it answered as if nothing had happened; else all of the
///   batch is answered `unavailable` and the record loaded afresh. While that fails, commands are
///   refused as read-only.
/// - Sequences of events come from the store, with the commit.
/// - Where others write to the record, a result without a change is verified by it as well.
/// - A command past its deadline is dropped before it is applied, never after.
///
/// `thread` runs ``run()``; everything marked *commit thread* belongs to it alone.
package final class CommitPipeline<Model: CommitModel>: @unchecked Sendable {
  package typealias Outcome = Result<Model.Answer, Model.Failure>

  private struct Queue {
    var items: [Item] = []
    /// Items that ever came, and that ever left for a batch.
    var entered: UInt64 = 0
    var taken: UInt64 = 0
    /// Of the pipeline's own; not counted by the bound. Each waits for the items before it.
    var jobs: [(after: UInt64, work: @Sendable () -> Void)] = []
    var isThreadAsleep = false
    var isStarted = false
    var isStopping = false
    /// Nothing is carried out any more.
    var isOver = false
    var statistics = CommitStatistics()
    var readOnlyReason: String?
  }

  package let model: Model
  package let store: any AggregateStore
  package let clock: any WallClock
  package let configuration: CommitConfiguration
  private let queue = StateLock(Queue())
  // DispatchSemaphore is thread-safe.
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  /// Shows what is committed, batch by batch.
  private let publishing = DispatchQueue(label: "moyeo-publish", qos: .userInitiated)
  // DispatchSemaphore is thread-safe.
  private let publishingRoom = DispatchSemaphore(value: 4)
  /// Commit thread only.
  var replies: ReplyTable
  /// Commit thread only.
  private var deferred: [Item] = []
  /// Commit thread only: when the record may be opened again. Monotonic, so that a wall clock that
  /// is set back does not keep the record closed.
  private var nextReopen = Nanoseconds.min
  private let monotonic: any MonotonicClock
  /// Commit thread only: tries in a row that found damage.
  private var damagedReopenings = 0
  /// Commit thread only: the record must be loaded before anything is decided.
  private var needsReload = false
  /// Set before the thread starts; nil: nobody else writes to the record.
  var follower: RecordFollower?
  /// Commit thread only: whoever calls ``carryOutWaiting()`` is the commit thread, and publishes.
  private var isDrivenByCaller = false

  /// A pipeline over a model that was loaded from the store.
  ///
  /// - Parameters:
  ///   - model: The state that commands work on.
  ///   - store: The record.
  ///   - clock: Of deadlines and replies.
  ///   - configuration: Bounds.
  ///   - monotonic: By which a record that refuses writes is opened again.
  ///   - failure: Why the model could not be loaded in whole; commands are refused until it was.
  /// - Throws: What the store says when its replies cannot be read, and `failure` is nil.
  package init(
    model: Model, store: any AggregateStore, clock: any WallClock,
    configuration: CommitConfiguration = CommitConfiguration(),
    monotonic: any MonotonicClock = SystemMonotonicClock(), failure: StoreFailure? = nil
  ) throws(StoreFailure) {
    self.monotonic = monotonic
    self.model = model
    self.store = store
    self.clock = clock
    self.configuration = configuration
    replies = ReplyTable(limit: configuration.repliesInMemory)
    guard let failure else {
      try loadReplies()
      return
    }
    // What was answered before is answered again, as far as it can be read.
    try? loadReplies()
    refuseCommands(because: failure)
  }

  /// Refuses commands until the record was loaded in whole; before ``start()``.
  package func refuseCommands(because failure: StoreFailure) {
    needsReload = true
    putReopeningOff(isDamage: failure.isDamage)
    queue.withLock { $0.readOnlyReason = $0.readOnlyReason ?? failure.reason }
  }

  /// Starts the thread; call once.
  package func start() {
    queue.withLock { $0.isStarted = true }
    let thread = Thread { [self] in run() }
    thread.name = "moyeo-commit"
    thread.stackSize = 4 << 20
    thread.start()
  }

  /// Carries out what waits, then shows and answers it, all on the caller's thread; in place of
  /// ``start()``, for a caller that decides what happens when, such as a simulation.
  package func carryOutWaiting() {
    isDrivenByCaller = true
    while let batch = next(waits: false) { carryOut(batch) }
  }

  /// Carries out what waits, then ends the thread. Commands that come later are refused.
  package func stop() {
    let (mustWait, dropped) = queue.withLock { queue -> (Bool, [Item]) in
      guard !queue.isStopping else { return (false, []) }
      queue.isStopping = true
      guard !queue.isStarted else { return (true, []) }
      queue.isOver = true
      defer { queue.items = [] }
      return (false, queue.items)
    }
    for item in dropped { settle(item, .failure(model.failure(.stopped))) }
    guard mustWait else { return }
    wake.signal()
    ended.wait()
  }

  package var statistics: CommitStatistics {
    queue.withLock { queue in
      var statistics = queue.statistics
      statistics.queued = queue.items.count
      return statistics
    }
  }

  /// Why commands are refused; nil while they are taken.
  package var readOnlyReason: String? { queue.withLock { $0.readOnlyReason } }

  // MARK: - Callers

  package func submit(
    _ command: Model.Command, claim: IdempotencyClaim? = nil, deadline: Instant? = nil
  ) async -> Outcome {
    await withCheckedContinuation { continuation in
      submit(command, claim: claim, deadline: deadline) { continuation.resume(returning: $0) }
    }
  }

  /// The same for callers that do not wait.
  ///
  /// - Parameters:
  ///   - command: What is to be done.
  ///   - claim: The caller's key, if there is one.
  ///   - deadline: The command is not applied after it.
  ///   - reply: Is told the outcome, once, maybe before this returns.
  package func submit(
    _ command: Model.Command, claim: IdempotencyClaim? = nil, deadline: Instant? = nil,
    reply: @escaping @Sendable (Outcome) -> Void
  ) {
    let item = Item(command: command, claim: claim, deadline: deadline, reply: reply)
    let refusal = queue.withLock { queue -> CommitFailure? in
      if queue.isStopping { return .stopped }
      if queue.items.count >= configuration.queueLimit {
        queue.statistics.refusedForLoad += 1
        return .overloaded(waiting: queue.items.count)
      }
      queue.items.append(item)
      queue.entered += 1
      return nil
    }
    if let refusal {
      reply(.failure(model.failure(refusal)))
    } else {
      signal()
    }
  }

  /// Commands of the service itself: no bound, no answer.
  package func submitOwn(_ commands: [Model.Command]) {
    guard !commands.isEmpty else { return }
    queue.withLock { queue in
      guard !queue.isStopping else { return }
      queue.items += commands.map { Item(command: $0) }
      queue.entered += UInt64(commands.count)
    }
    signal()
  }

  /// Runs work between two batches, on the commit thread, after the commands that came before it.
  /// - Returns: Whether it will run: not once the pipeline is stopped.
  @discardableResult
  package func perform(_ work: @escaping @Sendable () -> Void) -> Bool {
    enter(work, isUrgent: false)
  }

  /// The same; urgent work goes before commands that wait already.
  func enter(_ work: @escaping @Sendable () -> Void, isUrgent: Bool) -> Bool {
    let isOver = queue.withLock { queue in
      guard !queue.isOver else { return true }
      if isUrgent {
        queue.jobs.insert((0, work), at: 0)
      } else {
        queue.jobs.append((queue.entered, work))
      }
      return false
    }
    if !isOver { signal() }
    return !isOver
  }

  private func signal() {
    let mustWake = queue.withLock { queue in
      defer { queue.isThreadAsleep = false }
      return queue.isThreadAsleep
    }
    if mustWake { wake.signal() }
  }

  // MARK: - Commit thread

  private func run() {
    while let batch = next(waits: true) { carryOut(batch) }
    finishPublishing()
    ended.signal()
  }

  /// The next batch.
  ///
  /// - Parameter waits: Whether to block for work.
  /// - Returns: Nil when nothing waits and the pipeline is stopped or the caller does not block.
  private func next(waits: Bool) -> [Item]? {
    while true {
      let limit = configuration.batchLimit - deferred.count
      let isCaughtUp = deferred.isEmpty
      let (items, jobs, isOver) = queue.withLock { queue in
        // What was taken before is carried out by now, except for what was put off.
        let ready = isCaughtUp ? queue.jobs.prefix { $0.after <= queue.taken }.count : 0
        let jobs = queue.jobs.prefix(ready).map(\.work)
        queue.jobs.removeFirst(ready)
        let count = jobs.isEmpty ? min(max(0, limit), queue.items.count) : 0
        let items = Array(queue.items.prefix(count))
        queue.items.removeFirst(count)
        queue.taken += UInt64(count)
        let isEmpty = queue.items.isEmpty && items.isEmpty && jobs.isEmpty && isCaughtUp
        queue.isThreadAsleep = waits && isEmpty && !queue.isStopping
        queue.isOver = isEmpty && queue.isStopping
        return (items, jobs, queue.isOver)
      }
      if isOver { return nil }
      if !jobs.isEmpty { finishPublishing() }
      for job in jobs { job() }
      let batch = deferred + items
      deferred = []
      if !batch.isEmpty { return batch }
      guard jobs.isEmpty else { continue }
      guard waits else { return nil }
      wake.wait()
    }
  }

  /// Where others write as well, a popular party is changed by them again and again.
  private var attemptLimit: Int {
    follower == nil ? configuration.attempts : max(configuration.attempts, 16)
  }

  /// A batch, and then, one by one, what of it has to be decided anew.
  private func carryOut(_ batch: [Item]) {
    if let reason = refusesWrites() {
      for item in batch { refuse(item, because: reason) }
      return
    }
    let retries = attempt(batch)
    for item in retries {
      if let reason = refusesWrites() {
        settle(item, .failure(refusal(because: reason)))
        continue
      }
      var rest = attempt([item])
      while let again = rest.popLast() {
        if again.attempts >= attemptLimit {
          settle(again, .failure(model.failure(.unavailable(reason: "tried too often"))))
        } else if let reason = refusesWrites() {
          settle(again, .failure(refusal(because: reason)))
        } else {
          rest += attempt([again])
        }
      }
    }
  }

  /// Nothing may be written; what took effect before is answered all the same.
  private func refuse(_ item: Item, because reason: String) {
    if let claim = item.claim, let reply = reply(to: claim) {
      count { $0.duplicates += 1 }
      publish([], [(item, replay(reply, claim, item))], now: clock.now())
    } else {
      settle(item, .failure(refusal(because: reason)))
    }
  }

  /// A file that takes no writes needs somebody; a server that is away comes back.
  private func refusal(because reason: String) -> Model.Failure {
    model.failure(store.isShared ? .unavailable(reason: reason) : .readOnly(reason: reason))
  }

  /// - Returns: What has to be decided anew.
  private func attempt(_ batch: [Item]) -> [Item] {
    let now = clock.now()
    let pending = decide(batch, now: now)
    let groups = pending.compactMap { $0.change?.group ?? $0.verification }
    count {
      $0.batches += 1
      $0.commands += batch.count
      $0.largestBatch = max($0.largestBatch, batch.count)
    }
    guard !groups.isEmpty else {
      publish([], pending.map { ($0.item, $0.result) }, now: now)
      return []
    }
    let outcomes = store.commit(groups)
    if let reason = unknownReason(outcomes, expected: groups.count) {
      count { $0.unknownOutcomes += 1 }
      if let settled = recover(now: now, isUnsettled: true), settled.count == groups.count,
        unknownReason(settled, expected: groups.count) == nil
      {
        return conclude(pending, settled, now: now)
      }
      for one in pending {
        settle(one.item, .failure(model.failure(.unavailable(reason: reason))))
      }
      return []
    }
    return conclude(pending, outcomes, now: now)
  }

  private func decide(_ batch: [Item], now: Instant) -> [Pending] {
    var pending: [Pending] = []
    pending.reserveCapacity(batch.count)
    var overlay = model.makeOverlay(now: now)
    var keys: Set<IdempotencyHash> = []
    for item in batch {
      if let deadline = item.deadline, now > deadline {
        count { $0.missedDeadlines += 1 }
        settle(item, .failure(model.failure(.deadlineExceeded)))
        continue
      }
      if let claim = item.claim {
        if keys.contains(claim.key) {
          // Its twin is in this batch: it will find the reply.
          deferred.append(item)
          continue
        }
        if let reply = reply(to: claim) {
          count { $0.duplicates += 1 }
          publish([], [(item, replay(reply, claim, item))], now: now)
          continue
        }
      }
      let decision = model.decide(item.command, in: &overlay, now: now)
      var one = Pending(item: item, result: decision.result, change: decision.change)
      if let claim = item.claim, let first = decision.change?.group.changes.first {
        keys.insert(claim.key)
        one.change?.group.reply = StoredReply(
          tenant: claim.tenant, key: claim.key, requestHash: claim.requestHash,
          aggregateID: first.aggregate.key.id, version: first.aggregate.version, at: now)
      }
      if decision.change == nil, store.isShared {
        one.verification = ChangeGroup(changes: [])
        one.verification?.expectations = model.expectations(
          of: item.command, in: overlay, now: now)
        one.verification?.earlierKey = item.claim
      }
      pending.append(one)
    }
    return pending
  }

  private func unknownReason(_ outcomes: [CommitOutcome], expected: Int) -> String? {
    guard outcomes.count == expected else { return "the store lost track of the batch" }
    for case .unknown(let reason) in outcomes { return reason }
    return nil
  }

  /// Shows effects to readers, then answers; beside the commit thread, in the order of the calls.
  func publish(
    _ effects: [Model.Effect], _ answers: [(item: Item, result: Outcome)], now: Instant
  ) {
    guard !isDrivenByCaller else { return show(effects, answers, now) }
    publishingRoom.wait()
    publishing.async { [self] in
      show(effects, answers, now)
      publishingRoom.signal()
    }
  }

  private func show(
    _ effects: [Model.Effect], _ answers: [(item: Item, result: Outcome)], _ now: Instant
  ) {
    if !effects.isEmpty { model.publish(effects, now: now) }
    for answer in answers { settle(answer.item, answer.result) }
  }

  /// Returns when all that is committed is shown and answered; commit thread.
  func finishPublishing() { publishing.sync {} }

  private func settle(_ item: Item, _ result: Outcome) {
    item.reply?(result)
  }

  func count(_ change: (inout CommitStatistics) -> Void) {
    queue.withLock { change(&$0.statistics) }
  }

  // MARK: - Replies

  private func reply(to claim: IdempotencyClaim) -> StoredReply? {
    let oldest = clock.now().advanced(milliseconds: -configuration.replyMilliseconds)
    if let known = replies[claim.key] {
      return known.tenant == claim.tenant && known.at >= oldest ? known : nil
    }
    // Until it was loaded, the record may hold replies to commands whose effect memory lacks. One that
    // is shared looks for the key with each group.
    guard replies.isTruncated, !needsReload, !store.isShared else { return nil }
    // A failing read decides nothing: the commit looks again.
    guard let stored = try? store.reply(tenant: claim.tenant, key: claim.key), stored.at >= oldest
    else { return nil }
    replies.insert(stored)
    return stored
  }

  func replay(
    _ reply: StoredReply, _ claim: IdempotencyClaim, _ item: Item
  ) -> Outcome {
    guard reply.requestHash == claim.requestHash else {
      return .failure(model.failure(.idempotencyMismatch))
    }
    return model.answer(to: reply, of: item.command)
  }

  private func loadReplies() throws(StoreFailure) {
    var table = ReplyTable(limit: configuration.repliesInMemory)
    try store.loadReplies { table.insert($0) }
    replies = table
  }

  /// Drops replies that are too old; commit thread.
  package func forgetReplies(before moment: Instant) { replies.removeAll(before: moment) }

  /// Gives an aggregate another id in the replies; commit thread.
  package func renameReplies(of id: String, to other: String, tenant: String) {
    replies.rename(id, to: other, tenant: tenant)
  }

  // MARK: - Recovery

  /// Why nothing may be written now; tries to open the record anew first, now and then.
  private func refusesWrites() -> String? {
    guard needsReload || store.readOnlyReason != nil else {
      setReadOnly(nil)
      return nil
    }
    if monotonic.now() >= nextReopen { _ = recover(now: clock.now()) }
    guard needsReload || store.readOnlyReason != nil else { return nil }
    return readOnlyReason ?? store.readOnlyReason ?? "the record has to be read again"
  }

  /// Opens the record anew, and loads it where memory may differ from it.
  ///
  /// - Parameters:
  ///   - now: When.
  ///   - isUnsettled: Whether a batch waits to be told what became of it.
  /// - Returns: What became of that batch, if the store can tell.
  private func recover(now: Instant, isUnsettled: Bool = false) -> [CommitOutcome]? {
    var isDamage = false
    // Also when opening it took longer than that.
    defer { putReopeningOff(isDamage: isDamage) }
    finishPublishing()
    do {
      let settlement = try store.reopen()
      let isUnknown = isUnsettled && settlement.outcomes == nil
      if needsReload || settlement.needsReload || isUnknown {
        needsReload = true
        try follower?.beginReload()
        try model.reload(from: store, now: now)
        try loadReplies()
      }
      needsReload = false
      setReadOnly(nil)
      return settlement.outcomes
    } catch {
      follower?.failReload()
      // A batch that is settled later was answered by then: what it did has to be read.
      needsReload = needsReload || isUnsettled || error.isDamage
      isDamage = error.isDamage
      setReadOnly(error.reason)
      return nil
    }
  }

  /// Takes over what others committed by now; commit thread.
  /// - Returns: Whether memory has all of it.
  @discardableResult
  func follow(now: Instant) -> Bool {
    guard let follower else { return false }
    follower.begin()
    guard !needsReload else { return false }
    finishPublishing()
    switch follower.follow(now: now) {
    case .isUpToDate: return true
    case .failed: return false
    case .mustReload:
      needsReload = true
      _ = recover(now: now)
      return !needsReload
    }
  }

  private func putReopeningOff(isDamage: Bool) {
    var wait = configuration.reopenMilliseconds
    if isDamage {
      let longer = min(wait << min(damagedReopenings, 16), configuration.damagedReopenMilliseconds)
      wait = max(wait, longer)
    }
    damagedReopenings = isDamage ? damagedReopenings + 1 : 0
    nextReopen = monotonic.now() &+ wait &* 1_000_000
  }

  private func setReadOnly(_ reason: String?) {
    queue.withLock { if $0.readOnlyReason != reason { $0.readOnlyReason = reason } }
  }

  /// Tries again to take writes, if they are refused; asked now and then by the service.
  package func tryToRecover() {
    guard readOnlyReason != nil || store.readOnlyReason != nil else { return }
    perform { [self] in _ = refusesWrites() }
  }
}
