package import DurableCommands
package import LiveLayers
package import ObjectModel
package import PeerMatching
import PositionProtection
import QueryCoalescing
import Threading

/// Tickets of a tenant: every command and question about people who look for each other, safe to
/// call from any task.
///
/// Commands go through the tenant's pipeline (``TenantCommands``) and answer once the record, memory
/// and the layer `tickets` show them. Questions are answered from memory. Who was heard of when is
/// soft state: it starts anew with the daemon.
package final class TicketService: Sendable {
  package let configuration: TicketServiceConfiguration
  let commands: TenantCommands
  let clock: any WallClock
  let model: TicketCommitModel
  let lane: CommandLane<TicketCommitModel>
  /// Everyone on a map asks for the same.
  let popular = FreshnessCache<PopularTagKey, [PopularTag]>(capacityBytes: 1 << 20)
  private let makeID: @Sendable () -> String
  private let timers = StateLock<Task<Void, Never>?>(nil)

  var book: TicketBook { model.book }

  /// Loads all tickets from the store; blocks until they are in memory.
  ///
  /// - Parameters:
  ///   - layers: Its layer `tickets` is filled.
  ///   - commands: The tenant's pipeline, not yet started.
  ///   - configuration: The rules' settings and the limits.
  ///   - startsReadOnly: Whether a record that cannot be read in whole is served as far as it can,
  ///     without taking commands; else that is thrown.
  ///   - makeID: Ids of matches; nil: sortable by time, 26 characters.
  /// - Throws: ``StoreFailure``, also for a record that cannot be read.
  package init(
    layers: LayerRegistry, commands: TenantCommands,
    configuration: TicketServiceConfiguration = TicketServiceConfiguration(),
    startsReadOnly: Bool = false, makeID: (@Sendable () -> String)? = nil
  ) throws(StoreFailure) {
    self.configuration = configuration
    self.commands = commands
    clock = commands.clock
    self.makeID = makeID ?? { [clock = commands.clock] in SortableID.make(at: clock.now()) }
    let layer: TicketLayer
    do { layer = try TicketLayer(layers) } catch { throw StoreFailure("\(error)") }
    let grid = ProtectionGrid(settings: configuration.protection, marginKey: configuration.key)
    model = TicketCommitModel(
      tenant: commands.tenant, rules: TicketRules(policy: configuration.policy, grid: grid),
      layer: layer, feed: commands.feed
    ) { [configuration] in
      TicketIndex(
        grid: grid, isProtected: configuration.isProtected,
        leaseMilliseconds: configuration.leaseMilliseconds, key: configuration.key)
    }
    if startsReadOnly {
      let unread = model.loadWhatCanBeRead(from: commands.store, now: clock.now())
      if let unread { commands.refuseCommands(because: unread) }
    } else {
      try model.reload(from: commands.store, now: clock.now())
    }
    lane = commands.lane(model)
  }

  /// Starts the pipeline, if nobody has, and the timers; call once.
  package func start() {
    commands.start()
    let task = Task.detached { [self] in await runTimers() }
    timers.withLock { $0 = task }
  }

  /// Ends the timers; whoever owns the pipeline stops it.
  package func stop() { timers.withLock { $0 }?.cancel() }

  /// Tickets in memory, of all states.
  package var ticketCount: Int { book.count }
  /// People who wait.
  package var waitingCount: Int { book.withIndex(\.count) }
  /// Of the pipeline, all its services together.
  package var commitStatistics: CommitStatistics { lane.statistics }
  /// Of the layer `tickets`.
  package var layerVersion: String { model.layer.layer.version.text }

  // MARK: - Commands

  /// An id for the match that a command may bring about.
  package func makeMatchID() -> String { makeID() }

  /// Any command; the ticket of who acts comes back. One with an operator's note is no sign of life.
  package func carryOut(
    _ command: TicketCommand, _ context: CommandContext, note: OperatorNote? = nil
  ) async throws(TicketServiceError) -> TicketAnswer {
    let claim: IdempotencyClaim?
    do throws(BadIdempotencyKey) {
      claim = try commands.claim(context)
    } catch {
      throw .badField("idempotencyKey", message: BadIdempotencyKey.message)
    }
    let given = TicketServiceCommand(command, note: note)
    let ticket = try await lane.submit(given, claim: claim, deadline: context.deadline).get()
    if note == nil { book.touch(command.userID, at: clock.now()) }
    return answer(ticket)
  }

  /// What the answers of ``isBlocked`` and ``bannedUntil`` rest on for one person.
  package func expectation(of userID: String) -> StateExpectation? {
    StateExpectation(
      key: AggregateKey(tenant: commands.tenant, kind: .ticket, id: userID),
      version: model.book.ticket(userID)?.version ?? 0)
  }

  /// Somebody did not come to what they had joined elsewhere; counts as calling off, and is committed
  /// with what brought it about.
  package func noShow(_ userID: String, at moment: Instant) -> CommandConsequence? {
    lane.consequence(TicketServiceCommand(.noShow(userID: userID, at: moment)))
  }

  /// The person is heard of: their stream is open, or they do something elsewhere.
  package func noteSignOfLife(_ userID: String) { book.touch(userID, at: clock.now()) }

  /// Whether one of two people does not want to meet the other.
  package func isBlocked(_ one: String, _ other: String) -> Bool {
    book.tickets([one, other]).contains { $0.blocks($0.userID == one ? other : one) }
  }

  /// Until when an operator has banned a person; nil: none has. What reports brought about is of
  /// tickets alone.
  package func bannedUntil(_ userID: String, at now: Instant) -> Instant? {
    guard let conduct = book.ticket(userID)?.conduct, conduct.isBannedByOperator else { return nil }
    return conduct.bannedUntil.flatMap { $0 > now ? $0 : nil }
  }

  // MARK: - Timers

  private func runTimers() async {
    while !Task.isCancelled {
      do {
        try await Task.sleep(for: .milliseconds(configuration.timerMilliseconds))
      } catch { return }
      if commands.isLeading { carryOutDue(by: clock.now()) } else { putOffDue(by: clock.now()) }
    }
  }

  /// Another daemon carries out what is due; if it does not, this one may be the next.
  func putOffDue(by now: Instant) {
    while true {
      let due = model.times.take(by: now, limit: 512)
      guard !due.isEmpty else { return }
      for id in due { model.times.retry(id, at: now.advanced(milliseconds: 1000)) }
    }
  }

  /// Enters what is due into the pipeline; the service does it by itself, tests by a manual clock.
  /// - Returns: How much was due.
  @discardableResult
  package func carryOutDue(by now: Instant) -> Int {
    var count = 0
    while true {
      let due = model.times.take(by: now, limit: 512)
      guard !due.isEmpty else { return count }
      count += due.count
      // If the command should fail, it is due again; its success sets another moment.
      for id in due { model.times.retry(id, at: now.advanced(milliseconds: 5000)) }
      lane.submitOwn(due.map { TicketServiceCommand(.tick(userID: $0)) })
    }
  }

  /// Returns when every command that came before it is carried out and shown; for tests and drains.
  package func settleCommands() async {
    await withCheckedContinuation { done in
      if !lane.perform({ done.resume() }) { done.resume() }
    }
  }

  // MARK: - Events

  /// Durable events that a ticket's person may hear of, above a sequence, ascending.
  /// - Throws: `resumeTokenExpired`, `commit(.unavailable)`.
  package func events(
    after sequence: UInt64, userID: String, limit: Int
  ) async throws(TicketServiceError) -> EventPage {
    do throws(EventFeedError) {
      return try await commands.feed.events(
        after: sequence, kinds: TicketEventBody.personKinds, aggregateID: userID, limit: limit)
    } catch {
      throw TicketServiceError(error)
    }
  }

  /// Returns once there is an event of a person above a sequence, the time has passed or the task is
  /// cancelled: true in the first case. Nothing polls.
  package func waitForEvents(
    after sequence: UInt64, userID: String, atMost time: Duration
  ) async -> Bool {
    await commands.feed.wait(past: sequence, aggregateID: userID, atMost: time)
  }

  /// The oldest sequence kept and the newest given; (1, 0) when there was none yet.
  package var eventBounds: (oldest: UInt64, newest: UInt64) { commands.feed.bounds }
}
