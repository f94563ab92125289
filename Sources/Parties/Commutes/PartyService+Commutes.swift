package import DurableCommands
import FareEstimation
import ObjectModel
package import RideMatching
import RoutePlanning

/// Trips that repeat: their commands and questions, and the timer by which each day's party or request
/// appears.
extension PartyService {
  /// Zones, calendars and figures of commutes.
  package var commuteRules: CommuteRules { model.commutes.rules }

  // MARK: - Commands

  /// Makes a commute; the days that are due appear right after it.
  ///
  /// - Parameters:
  ///   - schedule: On which dates it runs.
  ///   - trip: What appears on each; its times are not looked at.
  ///   - context: Who asks, and their idempotency key.
  /// - Returns: The commute as it was made.
  /// - Throws: `commute` with all that is wrong with the schedule, `rule` for a trip that no day would
  ///   allow, `banned`, `quotaExceeded`.
  package func createCommute(
    _ schedule: CommuteSchedule, _ trip: CommuteTrip, _ context: CommandContext
  ) async throws(PartyServiceError) -> Commute {
    if case .request(let query, _) = trip { try validate(query) }
    let commute = try await carryOut(.create(id: makeID(), schedule, trip), context)
    appearDue(commute.id)
    return commute
  }

  /// Changes what has not appeared and, where the command says so, what has and nobody has joined. Only
  /// who made it may; `actorID` is nil for a service.
  package func updateCommute(
    _ id: String, actorID: String?, _ command: UpdateCommute, _ context: CommandContext
  ) async throws(PartyServiceError) -> Commute {
    let commute = try await carryOut(.update(id: id, actorID: actorID, command), context)
    appearDue(id)
    return commute
  }

  /// Calls a commute off. Cancelled already: unchanged.
  ///
  /// - Parameters:
  ///   - id: The commute.
  ///   - actorID: Who asks; nil for a service.
  ///   - reason: A word that is told.
  ///   - includesAppeared: Whether days that nobody has joined are called off as well.
  ///   - context: Who asks, and their idempotency key.
  /// - Returns: The commute after it.
  /// - Throws: `commute` for one that is unknown, over or another person's.
  package func cancelCommute(
    _ id: String, actorID: String?, reason: String = "host", includesAppeared: Bool = false,
    _ context: CommandContext
  ) async throws(PartyServiceError) -> Commute {
    try await carryOut(
      .cancel(id: id, actorID: actorID, reason: reason, includesAppeared: includesAppeared),
      context)
  }

  /// Ends a commute as an operator. Over with all its days already: unchanged.
  ///
  /// - Parameters:
  ///   - id: The commute.
  ///   - note: Who does it and why; it is told to services.
  ///   - includesAppeared: Whether its days that have not departed are called off as well, those too that
  ///     somebody rides with.
  ///   - context: Who asks, and their idempotency key.
  /// - Returns: The commute after it.
  /// - Throws: `commute` for one that is unknown or has ended.
  package func closeCommute(
    _ id: String, by note: OperatorNote, includesAppeared: Bool, _ context: CommandContext
  ) async throws(PartyServiceError) -> Commute {
    try await carryOut(.close(id: id, note, includesAppeared: includesAppeared), context)
  }

  /// Joins the days that have appeared, and each further one as it appears. A day that refuses is told
  /// by an event `commute.join_refused`; the others go on.
  package func joinCommute(
    _ id: String, _ join: JoinParty, _ context: CommandContext
  ) async throws(PartyServiceError) -> Commute {
    try await carryOut(.join(id: id, join), context)
  }

  /// Leaves the days that have not departed, and joins no further one. Not with it: unchanged.
  package func leaveCommute(
    _ id: String, riderID: String, _ context: CommandContext
  ) async throws(PartyServiceError) -> Commute {
    try await carryOut(.leave(id: id, riderID: riderID), context)
  }

  private func carryOut(
    _ command: CommuteCommand, _ context: CommandContext
  ) async throws(PartyServiceError) -> Commute {
    guard case .commute(let commute) = try await submit(.commute(command), context) else {
      preconditionFailure("a command on a commute answers a commute")
    }
    return commute
  }

  // MARK: - Questions

  /// One commute; those that are over are read from the record.
  ///
  /// - Parameters:
  ///   - id: The commute's.
  ///   - riderID: Who asks, where a rider's request is known to its rider alone; nil: anybody.
  /// - Returns: The commute as it is now.
  /// - Throws: `commute` for an unknown one, `unreadable` where the record does not tell.
  package func commute(
    _ id: String, riderID: String? = nil
  ) async throws(PartyServiceError) -> Commute {
    let found: Commute?
    if let known = model.commutes.book.commute(id) {
      found = known
    } else {
      let keeping = model.commutes
      found = try await recorded.asking { () throws(StoreFailure) in try keeping.commute(id) }
    }
    guard let commute = found else { throw model.unknownCommute(id) }
    if case .request(let query, _) = commute.trip, let riderID, riderID != query.riderID {
      throw .commute(.unknown(id: id))
    }
    return commute
  }

  /// Commutes under way that somebody hosts, oldest first.
  package func commutes(hostedBy host: String) -> [Commute] {
    model.commutes.book.commutes(of: host).filter { commute in
      if case .party(let create) = commute.trip { create.hostID == host } else { false }
    }
  }

  /// Commutes under way that somebody rides with each day, or whose requests are theirs; oldest first.
  package func commutes(riddenBy rider: String) -> [Commute] {
    model.commutes.book.commutes(of: rider).filter { commute in
      if case .party(let create) = commute.trip { create.hostID != rider } else { true }
    }
  }

  // MARK: - The clock

  /// Enters the days of one commute that are due.
  private func appearDue(_ id: String) {
    pipeline.submitOwn(commuteCommands(.commute(id), now: clock.now()))
  }

  /// What the clock does to a commute: its days appear, or it ends. A day that is entered twice appears
  /// once: the record knows which are decided.
  func commuteCommands(_ subject: PartyTimers.Subject, now: Instant) -> [PartyServiceCommand] {
    guard case .commute(let id) = subject, let commute = model.commutes.book.commute(id) else {
      return []
    }
    let due = commuteRules.due(commute, now: now)
    guard let first = due.first else {
      guard let next = commuteRules.nextTick(commute) else { return [] }
      guard next <= now else {
        model.timers.retry(subject, at: next)
        return []
      }
      model.timers.retry(subject, at: now.advanced(milliseconds: 5000))
      return [.commute(.tick(id: id))]
    }
    // If a command should fail, it is due again; its success sets another moment.
    model.timers.retry(subject, at: now.advanced(milliseconds: 5000))
    guard fares.routes.source != .estimate, commute.party(at: first.departure) != nil else {
      return due.map { .commute(.appear(id: id, $0.date, dayID: makeID(), nil)) }
    }
    Task.detached { [self] in
      for occurrence in due {
        guard let create = commute.party(at: occurrence.departure) else { continue }
        let refined = await refinedRoute(creating: create)
        pipeline.submitOwn([
          .commute(.appear(id: id, occurrence.date, dayID: makeID(), refined))
        ])
      }
    }
    return []
  }

  // MARK: - Erasure

  /// Calls off somebody's commutes, with the days that nobody has joined, and takes them out of others'.
  func retireCommutes(
    of userID: String, _ context: CommandContext
  ) async throws(PartyServiceError) {
    for command in commuteRetirements(of: userID) {
      do throws(PartyServiceError) {
        _ = try await submit(.commute(command), context)
      } catch {
        // Over meanwhile.
        if case .commute = error { continue }
        throw error
      }
    }
  }

  func commuteRetirements(of userID: String) -> [CommuteCommand] {
    model.commutes.book.commutes(of: userID).map { commute in
      commute.ownerID == userID
        ? .cancel(id: commute.id, actorID: nil, reason: "erased", includesAppeared: true)
        : .leave(id: commute.id, riderID: userID)
    }
  }
}
