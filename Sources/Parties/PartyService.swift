import Foundation
import GeoMath
package import ObjectModel
package import RideMatching
package import RoutePlanning
package import Threading
package import LiveLayers
package import FareEstimation
package import DurableCommands

/// Parties of a tenant: every command and question about them, safe to call from any task.
///
/// Commands go through one ``CommitPipeline`` and answer once the record, memory and the layer
/// `parties` show them. Questions are answered from memory, but for parties that ended a while ago:
/// these are read from the record.
package final class PartyService: Sendable {
  package let configuration: PartyServiceConfiguration
  package let rules: PartyRules
  let layers: LayerRegistry
  let clock: any WallClock
  let book: PartyBook
  let recorded: RecordedParties
  let model: PartyCommitModel
  let pipeline: CommandLane<PartyCommitModel>
  let feed: EventFeed
  let fares: FareEstimator
  let makeID: @Sendable () -> String
  let watchers: MatchWatchers
  /// Where batches are matched; whoever composes a daemon lets its other long calls share it.
  package let threadPool: BoundedThreadPool
  let service = StateLock<Task<Void, Never>?>(nil)

  /// Loads all parties from the store; blocks until they are in memory.
  ///
  /// - Parameters:
  ///   - layers: Its layer `parties` is filled; its clock is everyone's.
  ///   - store: The record of parties, events and replies.
  ///   - fares: Tariffs by area, and the route provider whose routes parties store.
  ///   - routes: The built-in estimate that rules and matching use.
  ///   - configuration: The tenant, the rules' settings and the limits.
  ///   - threadPool: Where batches are matched; nil: threads of its own.
  ///   - monotonic: By which a record that refuses writes is opened again.
  ///   - startsReadOnly: Whether a record that cannot be read in whole is served as far as it can,
  ///     without taking commands; else that is thrown.
  ///   - commands: The tenant's pipeline, if parties share it; nil: one of their own.
  ///   - makeID: Ids of parties and standing requests; nil: sortable by time, 26 characters.
  /// - Throws: ``StoreFailure``, also for a record that cannot be read, unless `startsReadOnly`.
  package init(
    layers: LayerRegistry, store: any AggregateStore, fares: FareEstimator,
    routes: EstimatedRouteProvider = EstimatedRouteProvider(),
    configuration: PartyServiceConfiguration = PartyServiceConfiguration(),
    threadPool: BoundedThreadPool? = nil,
    monotonic: any MonotonicClock = SystemMonotonicClock(), startsReadOnly: Bool = false,
    commands: TenantCommands? = nil,
    makeID: (@Sendable () -> String)? = nil
  ) throws(StoreFailure) {
    self.configuration = configuration
    self.layers = layers
    self.fares = fares
    self.threadPool = threadPool ?? BoundedThreadPool()
    clock = layers.clock
    self.makeID = makeID ?? { [clock = layers.clock] in SortableID.make(at: clock.now()) }
    rules = PartyRules(
      configuration: configuration.rules,
      pricing: PartyPricing(
        catalog: fares.library.catalog, routes: routes, areas: fares.rideAreas))
    let layer: PartyLayer
    do { layer = try PartyLayer(layers) } catch { throw StoreFailure("\(error)") }
    let shared: TenantCommands
    if let commands {
      shared = commands
    } else {
      shared = try configuration.makeCommands(
        store: store, clock: layers.clock, monotonic: monotonic, startsReadOnly: startsReadOnly)
    }
    feed = shared.feed
    watchers = MatchWatchers()
    book = PartyBook(endedInMemory: configuration.endedInMemory)
    recorded = RecordedParties(tenant: configuration.tenant, store: store)
    model = PartyCommitModel(
      tenant: configuration.tenant, rules: rules, book: book, requests: RequestBook(),
      commutes: CommuteKeeping(configuration.commutes, tenant: configuration.tenant, store: store),
      recorded: recorded, layer: layer, feed: feed, watchers: watchers,
      quotas: configuration.quotas, meetings: configuration.meetings)
    if startsReadOnly {
      let unread = model.loadWhatCanBeRead(from: store, now: layers.clock.now())
      if let unread { shared.refuseCommands(because: unread) }
    } else {
      try model.reload(from: store, now: layers.clock.now())
    }
    pipeline = shared.lane(model)
  }

  /// Starts the commit thread and the timers; call once.
  package func start() {
    pipeline.commands.start()
    let task = Task.detached { [self] in await runTimers() }
    service.withLock { $0 = task }
  }

  /// Carries out what waits, then refuses everything.
  package func stop() {
    service.withLock { $0 }?.cancel()
    watchers.closeAll()
    pipeline.commands.stop()
  }

  /// Why commands are refused now; nil while they are taken.
  package var readOnlyReason: String? { pipeline.readOnlyReason }

  package var commitStatistics: CommitStatistics { pipeline.statistics }

  /// How what other daemons commit is followed; nil: nobody else writes to the record.
  package var following: FollowingFigures? { pipeline.commands.following }

  /// Whether timers and pruning are this daemon's to run.
  package var isLeading: Bool { pipeline.commands.isLeading }

  /// Parties known, of all states.
  package var partyCount: Int { book.count }

  /// Of the layer `parties`.
  package var layerVersion: String { model.layer.layer.version.text }
  /// Grows with each change of the layer.
  package var layerCounter: UInt64 { model.layer.layer.version.counter }

  // MARK: - Commands

  /// Makes a party with everyone who comes along, or nothing.
  package func create(
    _ command: CreateParty, _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyAnswer {
    let refined = await refinedRoute(creating: command)
    return try await carryOut(.create(command, id: makeID(), refined), context)
  }

  /// Gets in, or asks for it where the host decides. Aboard or waiting already with the same destination
  /// and seats: unchanged.
  package func join(
    partyID: String, _ command: JoinParty, _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyAnswer {
    var refined: RefinedRoute?
    if book.party(partyID)?.needsApproval == false {
      refined = await refinedRoute(joining: partyID, command)
    }
    return try await carryOut(
      .join(partyID: partyID, command, requestID: makeID(), refined), context)
  }

  /// Gets out. Not aboard: unchanged.
  package func leave(
    partyID: String, riderID: String, _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyAnswer {
    try await carryOut(.leave(partyID: partyID, riderID: riderID), context)
  }

  /// Changes time, window or seats. - Parameter actorID: Who asks; nil for a service.
  package func update(
    partyID: String, actorID: String?, _ command: UpdateParty, _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyAnswer {
    try await carryOut(.update(partyID: partyID, actorID: actorID, command), context)
  }

  /// The taxi leaves: closes joining, from the window's start on.
  package func depart(
    partyID: String, actorID: String?, _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyAnswer {
    try await carryOut(.depart(partyID: partyID, actorID: actorID), context)
  }

  /// Takes a rider out. Not aboard: unchanged.
  package func removeRider(
    partyID: String, riderID: String, reason: RemovalReason, actorID: String?,
    _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyAnswer {
    try await carryOut(
      .remove(partyID: partyID, riderID: riderID, reason: reason, actorID: actorID), context)
  }

  /// Splits the real amount by the party's rule.
  package func settle(
    partyID: String, actorID: String?, _ command: SettleParty, _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyAnswer {
    try await carryOut(.settle(partyID: partyID, actorID: actorID, command), context)
  }

  /// Calls it off. Cancelled already: unchanged.
  package func cancel(
    partyID: String, actorID: String?, reason: String = "host", _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyAnswer {
    try await carryOut(.cancel(partyID: partyID, actorID: actorID, reason: reason), context)
  }

  /// Calls it off as an operator. Cancelled already: unchanged.
  package func cancel(
    partyID: String, by note: OperatorNote, _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyAnswer {
    try await carryOut(.cancelByOperator(partyID: partyID, note), context)
  }

  func carryOut(
    _ command: PartyServiceCommand, _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyAnswer {
    guard case .party(let party) = try await submit(command, context) else {
      preconditionFailure("a command on a party answers a party")
    }
    return PartyAnswer(party: party, layerVersion: layerVersion)
  }

  func submit(
    _ command: PartyServiceCommand, _ context: CommandContext
  ) async throws(PartyServiceError) -> PartyServiceReply {
    try await pipeline.submit(command, claim: try claim(context), deadline: context.deadline)
      .get()
  }

  private func claim(
    _ context: CommandContext
  ) throws(PartyServiceError) -> IdempotencyClaim? {
    do throws(BadIdempotencyKey) {
      return try pipeline.commands.claim(context)
    } catch {
      throw .badField("idempotencyKey", message: BadIdempotencyKey.message)
    }
  }
}
