package import ObjectModel
import RideMatching
package import DurableCommands

extension PartyService {
  /// Looks at what is due until the task is cancelled: departures, notices, ends, retention.
  func runTimers() async {
    async let requests: Void = followStandingRequests()
    async let together: Void = matchTogetherRepeatedly()
    // Monotonic: a wall clock that is set back must not put pruning off.
    var nextPrune = ContinuousClock.now
    var wasLeading = pipeline.commands.isLeading
    while !Task.isCancelled {
      do {
        try await Task.sleep(for: .milliseconds(configuration.timerMilliseconds))
      } catch { break }
      let now = clock.now()
      let isLeading = pipeline.commands.isLeading
      // What fell due, and was reported, before this daemon took it over.
      if isLeading, !wasLeading { watchers.tellAll() }
      wasLeading = isLeading
      if isLeading { carryOutDue(by: now) } else { putOffDue(by: now) }
      pipeline.tryToRecover()
      if ContinuousClock.now >= nextPrune {
        prune(now: now)
        nextPrune = .now + .milliseconds(configuration.pruneMilliseconds)
      }
    }
    await requests
    await together
  }

  /// Enters what is due into the pipeline; the service does it by itself, tests by a manual clock.
  /// - Returns: How much was due.
  @discardableResult
  package func carryOutDue(by now: Instant) -> Int {
    var count = 0
    while true {
      let due = model.timers.take(by: now, limit: 512)
      guard !due.isEmpty else { return count }
      let commands =
        due.compactMap { command($0, now: now) } + due.flatMap { commuteCommands($0, now: now) }
      count += commands.count
      pipeline.submitOwn(commands)
    }
  }

  /// Another daemon carries out what is due; if it does not, this one may be the next.
  func putOffDue(by now: Instant) {
    while true {
      let due = model.timers.take(by: now, limit: 512)
      guard !due.isEmpty else { return }
      for subject in due { model.timers.retry(subject, at: now.advanced(milliseconds: 1000)) }
    }
  }

  /// Nil: nothing is to be done after all.
  private func command(_ subject: PartyTimers.Subject, now: Instant) -> PartyServiceCommand? {
    // If the command should fail, it is due again; its success sets another moment.
    let retry = now.advanced(milliseconds: 5000)
    switch subject {
    case .party(let id):
      guard let party = book.party(id), let next = rules.nextTick(party) else { return nil }
      guard next <= now else {
        model.timers.retry(subject, at: next)
        return nil
      }
      model.timers.retry(subject, at: retry)
      return .tick(partyID: id)
    case .request(let id):
      guard model.requests.request(id) != nil else { return nil }
      model.timers.retry(subject, at: retry)
      return .dropRequest(id: id)
    case .offer(let id):
      guard let offer = model.requests.offer(id)?.offer, offer.isOpen else { return nil }
      guard offer.expiresAt <= now else {
        model.timers.retry(subject, at: offer.expiresAt)
        return nil
      }
      model.timers.retry(subject, at: retry)
      return .expireOffer(id: id)
    // Of one several days may be due: see ``commuteCommands(_:now:)``.
    case .commute: return nil
    }
  }

  /// Drops what is kept no longer: old events and replies, parties and requests that ended long
  /// ago. On the commit thread, between two batches.
  package func prune(now: Instant) {
    pipeline.commands.prune(
      eventsBefore: now.advanced(milliseconds: -configuration.eventMilliseconds),
      repliesBefore: now.advanced(milliseconds: -configuration.commits.replyMilliseconds),
      endedBefore: now.advanced(milliseconds: -configuration.rules.retentionMilliseconds))
  }

  /// Returns when every command that came before it is carried out and shown; for tests and drains.
  package func settleCommands() async {
    await withCheckedContinuation { done in
      if !pipeline.perform({ done.resume() }) { done.resume() }
    }
  }

  // MARK: - Events

  /// Durable events of the tenant above a sequence, ascending; 0: from the oldest kept.
  ///
  /// - Parameters:
  ///   - sequence: The last one already known.
  ///   - kinds: Such as `party.joined`; empty: all.
  ///   - partyID: Only of this party; nil: of all.
  ///   - limit: At most so many events; nil: 100.
  /// - Returns: The events, and the sequence to ask with next.
  /// - Throws: `resumeTokenExpired`, `limitOutOfRange`, `commit(.unavailable)`.
  package func events(
    after sequence: UInt64, kinds: Set<String> = [], partyID: String? = nil, limit: Int? = nil
  ) async throws(PartyServiceError) -> EventPage {
    let limit = try self.limit(limit, default: 100)
    // What a standing request found is told of a party, and is not the party's own.
    let isOwn = partyID != nil && kinds.isEmpty
    do throws(EventFeedError) {
      return try await feed.events(
        after: sequence, kinds: isOwn ? PartyEventBody.kinds : kinds, aggregateID: partyID,
        limit: limit)
    } catch {
      throw PartyServiceError(error)
    }
  }

  /// Returns once there is an event above a sequence (of one party, if named), the time has passed
  /// or the task is cancelled: true in the first case. Nothing polls.
  package func waitForEvents(
    after sequence: UInt64, partyID: String? = nil, atMost time: Duration
  ) async -> Bool {
    await feed.wait(past: sequence, aggregateID: partyID, atMost: time)
  }

  /// The oldest sequence kept and the newest given; (1, 0) when there was none yet.
  package var eventBounds: (oldest: UInt64, newest: UInt64) { feed.bounds }
}
