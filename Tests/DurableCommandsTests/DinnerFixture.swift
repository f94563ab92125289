import DurableCommands
import ObjectModel
import TestSupport
import Threading

/// Dinners over a store, with clocks that stand still until a test moves them.
struct DinnerFixture {
  typealias Outcome = Result<Dinner, DinnerFailure>

  static let start = Instant(milliseconds: 1_790_000_000_000)
  static let kind = AggregateKind(rawValue: "dinner")

  let clock: ManualClock
  /// By which a record that refuses writes is opened again.
  let monotonic = ManualMonotonicClock()
  let store: MemoryStore
  let commands: TenantCommands
  let dinners: DinnerModel
  let lane: CommandLane<DinnerModel>

  init(
    store: MemoryStore = MemoryStore(), clock: ManualClock = ManualClock(start),
    starts: Bool = true, _ change: (inout CommitConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = CommitConfiguration()
    change(&configuration)
    self.clock = clock
    self.store = store
    commands = try TenantCommands(
      tenant: DinnerModel.tenant, store: store, clock: clock, eventsInMemory: 1024,
      idempotencySecret: (1, 2), configuration: configuration, monotonic: monotonic)
    (dinners, lane) = try Self.add(Self.kind, to: commands)
    if starts { commands.start() }
  }

  /// Puts a loaded model of one kind of dinner under the pipeline.
  static func add(
    _ kind: AggregateKind, to commands: TenantCommands
  ) throws -> (DinnerModel, CommandLane<DinnerModel>) {
    let model = DinnerModel(kind: kind, feed: commands.feed)
    try model.reload(from: commands.store, now: commands.clock.now())
    return (model, commands.lane(model))
  }

  /// Submits a command, under an idempotency key of the caller's if there is one.
  func submit(
    _ command: DinnerCommand, key: String? = nil, content: String = "", deadline: Instant? = nil
  ) async throws -> Outcome {
    let context = CommandContext(
      caller: "app", path: "/dinners", idempotencyKey: key,
      requestHash: CommandContext.requestHash(Array(content.utf8)))
    return await lane.submit(command, claim: try commands.claim(context), deadline: deadline)
  }

  @discardableResult
  func announce(
    _ id: String = "d", seats: Int = 4, host: String = "ann", key: String? = nil,
    content: String = "", deadline: Instant? = nil
  ) async throws -> Outcome {
    try await submit(
      .announce(id: id, seats: seats, host: host), key: key, content: content, deadline: deadline)
  }

  @discardableResult
  func join(
    _ guest: String, id: String = "d", key: String? = nil, content: String = ""
  ) async throws -> Outcome {
    try await submit(.join(id: id, guest: guest), key: key, content: content)
  }

  /// Carries a command out on the calling thread, under a pipeline that has not been started.
  func carryOut(_ command: DinnerCommand) -> Outcome? {
    let outcome = StateLock<Outcome?>(nil)
    lane.submit(command) { answer in outcome.withLock { $0 = answer } }
    lane.carryOutWaiting()
    return outcome.withLock { $0 }
  }

  /// Returns once so many commands wait for the pipeline, which has not been started.
  func untilQueued(_ count: Int) async {
    while lane.statistics.queued < count { await Task.yield() }
  }

  /// Returns once what was asked of the commit thread so far is done.
  func settle() async {
    await withCheckedContinuation { done in
      if !lane.perform({ done.resume() }) { done.resume() }
    }
  }

  static func refused(_ failure: CommitFailure) -> Outcome { .failure(.commit(failure)) }
  static func unavailable(_ reason: String) -> Outcome { refused(.unavailable(reason: reason)) }
  static func readOnly(_ reason: String) -> Outcome { refused(.readOnly(reason: reason)) }
}
