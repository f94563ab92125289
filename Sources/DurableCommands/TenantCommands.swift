import Synchronization
package import ObjectModel
package import Threading

/// The one commit pipeline, reply table and event feed of a tenant, for every kind of command.
///
/// Each service adds its model before the pipeline starts and talks to it by a ``CommandLane``.
package final class TenantCommands: Sendable {
  package let tenant: String
  package let store: any AggregateStore
  package let clock: any WallClock
  package let feed: EventFeed
  private let keying: IdempotencyKeying
  private let model: SharedCommitModel
  let pipeline: CommitPipeline<SharedCommitModel>
  /// Nil: nobody else writes to the record.
  private let shared: (store: any FollowedStore, follower: RecordFollower)?
  private let isStarted = Atomic(false)

  /// A pipeline without models yet.
  ///
  /// - Parameters:
  ///   - tenant: First part of every key in the store.
  ///   - store: The record.
  ///   - clock: Of deadlines and replies.
  ///   - eventsInMemory: Events that readers get without asking the store.
  ///   - idempotencySecret: The same for a record at each start.
  ///   - configuration: Bounds of the pipeline.
  ///   - monotonic: By which a record that refuses writes is opened again.
  ///   - startsReadOnly: Whether a record that cannot be read in whole is served all the same,
  ///     without taking commands.
  /// - Throws: What the store says when its replies or events cannot be read, unless
  ///   `startsReadOnly`.
  package init(
    tenant: String, store: any AggregateStore, clock: any WallClock, eventsInMemory: Int,
    idempotencySecret: (UInt64, UInt64),
    configuration: CommitConfiguration = CommitConfiguration(),
    monotonic: any MonotonicClock = SystemMonotonicClock(), startsReadOnly: Bool = false
  ) throws(StoreFailure) {
    self.tenant = tenant
    self.store = store
    self.clock = clock
    var failure: StoreFailure?
    let followed = store.isShared ? store as? any FollowedStore : nil
    // Before anything is loaded, which then has all up to there.
    let head = try? followed?.head(tenant: tenant)
    do throws(StoreFailure) {
      feed = try EventFeed(tenant: tenant, store: store, limit: eventsInMemory)
    } catch {
      guard startsReadOnly else { throw error }
      failure = error
      feed = EventFeed(tenant: tenant, store: store, limit: eventsInMemory, failure: error)
    }
    keying = IdempotencyKeying(secret: idempotencySecret)
    model = SharedCommitModel(feed: feed, isFollowing: followed != nil)
    shared = followed.map { [tenant, model, feed] store in
      (
        store,
        RecordFollower(
          tenant: tenant, store: store, model: model, feed: feed, monotonic: monotonic, known: head)
      )
    }
    do throws(StoreFailure) {
      pipeline = try CommitPipeline(
        model: model, store: store, clock: clock, configuration: configuration,
        monotonic: monotonic, failure: failure)
    } catch {
      guard startsReadOnly else { throw error }
      pipeline = try CommitPipeline(
        model: model, store: store, clock: clock, configuration: configuration,
        monotonic: monotonic, failure: error)
    }
    pipeline.follower = shared?.follower
    if let shared {
      feed.follows(
        EventFeed.Behind(
          hurry: { shared.store.hurry() }, trouble: { shared.follower.figures.reason }))
    }
  }

  /// Not all of the record could be loaded: no commands until it was; before ``start()``.
  package func refuseCommands(because failure: StoreFailure) {
    pipeline.refuseCommands(because: failure)
  }

  /// Takes a model in; before ``start()``. The model has loaded itself.
  package func lane<Model: CommitModel>(_ added: Model) -> CommandLane<Model> {
    precondition(!isStarted.load(ordering: .acquiring), "the pipeline runs already")
    return CommandLane(part: model.add(added), model: added, commands: self)
  }

  /// Starts the commit thread; the second time, nothing.
  package func start() {
    guard !isStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
    pipeline.start()
    shared?.store.watch(tenant: tenant) { [weak self] in self?.note($0) }
  }

  /// Carries out what waits, then refuses everything.
  package func stop() {
    shared?.store.stopWatching(tenant: tenant)
    pipeline.stop()
  }

  // MARK: - Following

  /// The head of the record was looked at; from any thread.
  package func note(_ head: Result<RecordHead, StoreFailure>) {
    guard let shared, shared.follower.note(head) else { return }
    _ = pipeline.enter({ [self] in pipeline.follow(now: clock.now()) }, isUrgent: true)
  }

  /// Somebody knows of something that others committed: it is looked for soon. Does not wait.
  package func hurry() { shared?.store.hurry() }

  /// Whether timers and pruning are this daemon's to run.
  package var isLeading: Bool { shared?.store.isLeading ?? true }

  /// How what others commit is followed; nil: nobody else writes to the record.
  package var following: FollowingFigures? { shared?.follower.figures }

  /// Drops what is kept no longer, between two batches: see ``AggregateStore``.
  package func prune(eventsBefore: Instant, repliesBefore: Instant, endedBefore: Instant) {
    pipeline.perform { [self] in
      guard isLeading else { return pipeline.forgetReplies(before: repliesBefore) }
      do {
        try store.prune(
          eventsBefore: eventsBefore, repliesBefore: repliesBefore, endedBefore: endedBefore)
        if shared == nil { try feed.refresh() } else { pipeline.follow(now: clock.now()) }
      } catch { return }
      pipeline.forgetReplies(before: repliesBefore)
      model.forget(endedBefore: endedBefore)
    }
  }

  /// Changes the record beside the rules, between two batches; memory then has what it has.
  ///
  /// - Parameters:
  ///   - userID: Whose replies get another name in memory.
  ///   - pseudonym: That name.
  ///   - work: Changes the record, on the commit thread.
  /// - Returns: What changed.
  /// - Throws: What `work` throws, and ``StoreFailure`` when the pipeline is stopped.
  package func rewriteRecord(
    replacing userID: String, by pseudonym: String,
    _ work: @escaping @Sendable () throws(StoreFailure) -> RecordChanges
  ) async throws(StoreFailure) -> RecordChanges {
    let result: Result<RecordChanges, StoreFailure> = await withCheckedContinuation { done in
      let willRun = pipeline.perform { [self] in
        let result = Result { () throws(StoreFailure) in try work() }
        if case .success(let changes) = result {
          let now = clock.now()
          model.remove(changes.removed, now: now)
          model.take(changes.changed, now: now)
          pipeline.renameReplies(of: userID, to: pseudonym, tenant: tenant)
        }
        done.resume(returning: result)
      }
      if !willRun { done.resume(returning: .failure(StoreFailure("the service is going down"))) }
    }
    return try result.get()
  }

  /// The claim of a command's key; nil: it has none.
  /// - Throws: ``BadIdempotencyKey``.
  package func claim(
    _ context: CommandContext
  ) throws(BadIdempotencyKey) -> IdempotencyClaim? {
    guard let key = context.idempotencyKey else { return nil }
    guard CommandContext.idempotencyKeyBytes.contains(key.utf8.count) else {
      throw BadIdempotencyKey()
    }
    return IdempotencyClaim(
      tenant: tenant,
      key: keying.hash(
        tenant: tenant, caller: context.caller, method: context.method, path: context.path,
        key: key), requestHash: context.requestHash)
  }
}

/// The key has not 1-128 bytes.
package struct BadIdempotencyKey: Error, Hashable, Sendable {
  package static let message = "must have 1-128 bytes"
}

/// A model's own way into the pipeline that it shares: as a ``CommitPipeline`` of its own would be.
package struct CommandLane<Model: CommitModel>: Sendable {
  package typealias Outcome = Result<Model.Answer, Model.Failure>

  let part: Int
  let model: Model
  package let commands: TenantCommands

  private var pipeline: CommitPipeline<SharedCommitModel> { commands.pipeline }

  package func submit(
    _ command: Model.Command, claim: IdempotencyClaim? = nil, deadline: Instant? = nil
  ) async -> Outcome {
    let ended = CommitObserver.current?.began()
    defer { ended?() }
    return own(
      await pipeline.submit(
        SharedCommand(part: part, command: command), claim: claim, deadline: deadline))
  }

  private func own(_ outcome: CommitPipeline<SharedCommitModel>.Outcome) -> Outcome {
    switch outcome {
    case .success(let answer):
      guard let own = answer as? Model.Answer else {
        preconditionFailure("an answer of another model")
      }
      return .success(own)
    case .failure(let error):
      if let own = error as? Model.Failure { return .failure(own) }
      guard let failure = error as? CommitFailure else {
        preconditionFailure("a failure of another model")
      }
      return .failure(model.failure(failure))
    }
  }

  /// The same for callers that do not wait; see ``CommitPipeline/submit(_:claim:deadline:reply:)``.
  package func submit(
    _ command: Model.Command, claim: IdempotencyClaim? = nil, deadline: Instant? = nil,
    reply: @escaping @Sendable (Outcome) -> Void
  ) {
    pipeline.submit(
      SharedCommand(part: part, command: command), claim: claim, deadline: deadline
    ) { reply(own($0)) }
  }

  /// See ``CommitPipeline/carryOutWaiting()``.
  package func carryOutWaiting() { pipeline.carryOutWaiting() }

  /// A command that another model's change brings about, to be committed with it.
  package func consequence(_ command: Model.Command) -> CommandConsequence {
    CommandConsequence(command: SharedCommand(part: part, command: command))
  }

  /// Commands of the service itself: no bound, no answer.
  package func submitOwn(_ own: [Model.Command]) {
    pipeline.submitOwn(own.map { SharedCommand(part: part, command: $0) })
  }

  /// See ``CommitPipeline/perform(_:)``.
  @discardableResult
  package func perform(_ work: @escaping @Sendable () -> Void) -> Bool { pipeline.perform(work) }

  package func tryToRecover() { pipeline.tryToRecover() }

  /// Why commands are refused now; nil while they are taken.
  package var readOnlyReason: String? { pipeline.readOnlyReason ?? commands.store.readOnlyReason }

  package var statistics: CommitStatistics { pipeline.statistics }
}
