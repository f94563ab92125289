import GeoMath
import ObjectModel
import RideMatching
package import DurableCommands

extension PartyService {
  /// The matches there are now, then each party that becomes one, changes and stays one, or is one
  /// no longer. Ends when its consumer ends, at the window's end, or when the service goes down.
  ///
  /// - Throws: `quotaExceeded`, and what ``match(_:)`` throws.
  package func watchMatches(
    _ request: PartyMatchRequest
  ) throws(PartyServiceError) -> AsyncStream<PartyMatchUpdate> {
    try validate(request.query)
    let limit = request.limit ?? configuration.watchedMatches
    let allowed = 1...configuration.watchedMatches
    guard allowed.contains(limit) else {
      throw .limitOutOfRange(field: "limit", value: limit, allowed: allowed)
    }
    guard let id = watchers.open(limit: configuration.matchWatchers) else {
      throw .quotaExceeded(field: "watchers", limit: configuration.matchWatchers)
    }
    // Bounded by what the watcher knows: it waits for its consumer by the mailbox, not here.
    let (stream, output) = AsyncStream.makeStream(
      of: PartyMatchUpdate.self, bufferingPolicy: .bufferingOldest(1024))
    let task = Task.detached { [self] in
      await follow(request, limit: limit, watcher: id, output)
      watchers.close(id)
      output.finish()
    }
    output.onTermination = { _ in task.cancel() }
    return stream
  }

  private func follow(
    _ request: PartyMatchRequest, limit: Int, watcher: UInt64,
    _ output: AsyncStream<PartyMatchUpdate>.Continuation
  ) async {
    var known: Set<String> = []
    func send(_ update: PartyMatchUpdate) -> Bool {
      if case .enqueued = output.yield(update) { return true }
      return false
    }
    func visitAll() -> Bool {
      let all = answer(request, limit: limit, now: clock.now()).candidates
      known = Set(all.map(\.party.id))
      guard send(.candidates(all)) else { return false }
      return rideOffers(of: request.query.riderID).filter(\.offer.isOpen).reversed()
        .allSatisfy { send(.offer($0)) }
    }
    /// - Returns: Nil where the id is none of an offer.
    func sendOffer(_ id: String) -> Bool? {
      guard let entry = model.requests.offer(id) else { return nil }
      guard let mine = PartyRideOffer(entry, riderID: request.query.riderID) else { return true }
      return send(.offer(mine))
    }
    var claims = Set(book.claims(of: request.query.riderID))
    guard visitAll() else { return }
    while !Task.isCancelled {
      let news = await watchers.next(watcher)
      guard clock.now() <= request.query.window.end else { return }
      switch news {
      case .closed: return
      case .everything: guard visitAll() else { return }
      case .changed(let changed):
        var ids: [String] = []
        for id in changed.sorted() {
          guard let isSent = sendOffer(id) else {
            ids.append(id)
            continue
          }
          guard isSent else { return }
        }
        // Another party of the rider's own may hide others, or no longer do.
        let claimsNow = Set(book.claims(of: request.query.riderID))
        if claimsNow != claims {
          claims = claimsNow
          guard visitAll() else { return }
          continue
        }
        for id in ids {
          if let candidate = candidate(request, partyID: id) {
            known.insert(id)
            guard send(.candidate(candidate)) else { return }
          } else if known.remove(id) != nil {
            guard send(.gone(partyID: id)) else { return }
          }
        }
      }
    }
  }

  /// Whether one party matches, with what that would mean.
  func candidate(_ request: PartyMatchRequest, partyID: String) -> MatchCandidate? {
    guard let party = book.party(partyID), party.isActive,
      Self.carries(party, request.tags), !isBlocked(request.query, party)
    else { return nil }
    var query = request.query
    query.now = clock.now()
    query.limit = 1
    query.explain = false
    var index = PartyIndex(pricing: rules.pricing)
    do { try index.update(party) } catch { return nil }
    return index.match(
      query, claims: { [book] in book.claims(of: $0) },
      overlappingParties: rules.configuration.overlappingParties
    ).candidates.first
  }

  // MARK: - Standing requests

  /// Keeps a request until its window ends; each party that matches it, now or later, is told once
  /// by an event `match.found` of the tenant's feed.
  /// - Returns: The id that the events carry as `matchID`.
  package func keepRequest(
    _ request: PartyMatchRequest, _ context: CommandContext
  ) async throws(PartyServiceError) -> String {
    try validate(request.query)
    let now = clock.now()
    guard request.query.window.end > now else {
      throw .rule(.departureInPast(departure: request.query.window.time, now: now))
    }
    let kept = StandingRequest(
      id: makeID(), createdAt: now, query: request.query, tags: request.tags)
    guard case .request(let id) = try await submit(.keepRequest(kept), context) else {
      preconditionFailure("keeping a request answers its id")
    }
    requestsToScan(id)
    return id
  }

  /// Forgets a standing request. Unknown or over already: nothing.
  package func dropRequest(
    _ id: String, _ context: CommandContext
  ) async throws(PartyServiceError) {
    _ = try await submit(.dropRequest(id: id), context)
  }

  /// Ends a standing request at its rider's word.
  ///
  /// - Parameters:
  ///   - id: The request.
  ///   - riderID: Whose it is; nil: anybody's.
  ///   - context: Who asks, and their idempotency key.
  /// - Throws: `unknownRequest` for one that is not kept, is over or is another rider's.
  package func withdrawRequest(
    _ id: String, riderID: String?, _ context: CommandContext
  ) async throws(PartyServiceError) {
    _ = try await submit(.withdrawRequest(id: id, riderID: riderID), context)
  }

  /// The requests of a rider that are kept now, oldest first.
  package func standingRequests(of rider: String) -> [StandingRequest] {
    model.requests.requests(rider: rider)
  }

  /// A request that is kept now.
  /// - Throws: `unknownRequest`, also where it is another rider's.
  package func standingRequest(
    _ id: String, riderID: String?
  ) throws(PartyServiceError) -> StandingRequest {
    guard let kept = model.requests.request(id), riderID == nil || riderID == kept.query.riderID
    else { throw .unknownRequest(id) }
    return kept
  }

  /// Whether the rider has joined a party since then that takes the time of the request.
  private func isServed(_ kept: StandingRequest) -> Bool {
    let rider = kept.query.riderID
    return book.claims(of: rider).contains { claim in
      guard kept.query.window.start <= claim.through, claim.from <= kept.query.window.end,
        let aboard = book.party(claim.partyID)?.riders.first(where: { $0.id == rider })
      else { return false }
      // A request may be kept beside a ride that one has already.
      return aboard.joinedAt > kept.createdAt
    }
  }

  /// Requests that are kept now.
  package var standingRequests: [StandingRequest] { model.requests.all }

  private func requestsToScan(_ id: String) {
    guard let kept = model.requests.request(id) else { return }
    report(
      kept,
      answer(kept.request, limit: configuration.watchedMatches, now: clock.now())
        .candidates)
  }

  private func report(_ kept: StandingRequest, _ candidates: [MatchCandidate]) {
    pipeline.submitOwn(
      candidates.filter { !kept.found.contains($0.party.id) }.map {
        .found(requestID: kept.id, $0)
      })
  }

  /// Tells standing requests of parties as they change; ends when the service goes down.
  func followStandingRequests() async {
    guard let id = watchers.open(limit: .max) else { return }
    defer { watchers.close(id) }
    // Of each request's rider, when the request was last held against every party.
    var claims: [String: Set<PartyInterval>] = [:]
    func scan(_ kept: StandingRequest) {
      claims[kept.id] = Set(book.claims(of: kept.query.riderID))
      guard !isServed(kept) else { return pipeline.submitOwn([.dropRequest(id: kept.id)]) }
      requestsToScan(kept.id)
    }
    if pipeline.commands.isLeading { for kept in model.requests.all { scan(kept) } }
    while !Task.isCancelled {
      let news = await watchers.next(id)
      // Of several daemons one reports; it looks at everything once it is the one.
      if case .closed = news { return }
      guard pipeline.commands.isLeading else { continue }
      switch news {
      case .closed: return
      case .everything: for kept in model.requests.all { scan(kept) }
      case .changed(let ids):
        let kept = model.requests.all
        if claims.count > 2 * kept.count + 64 {
          let known = Set(kept.map(\.id))
          claims = claims.filter { known.contains($0.key) }
        }
        guard !kept.isEmpty else { continue }
        // Another party of the rider's own may have hidden others, and no longer does.
        let freed = kept.filter { claims[$0.id] != Set(book.claims(of: $0.query.riderID)) }
        for request in freed { scan(request) }
        for id in ids {
          // One that another daemon keeps since a moment ago.
          if let request = model.requests.request(id) { scan(request) } else { tell(id, kept) }
        }
      }
    }
  }

  private func tell(_ partyID: String, _ kept: [StandingRequest]) {
    guard let party = book.party(partyID), party.isActive else { return }
    for request in kept {
      let query = request.query
      // Cheap bounds first; the exact rules then.
      guard !request.found.contains(partyID), mayGetIn(query, party),
        let candidate = candidate(request.request, partyID: partyID)
      else { continue }
      report(request, [candidate])
    }
  }
}

/// Cheap bounds of the rules, for those who get in at the origin and those who do on the way.
private func mayGetIn(_ query: MatchQuery, _ party: Party) -> Bool {
  guard query.boarding == nil else { return mayBoard(query, party) }
  return party.state == .open && query.window.meets(party.window)
    && query.seats <= party.seatsFree
    && query.origin.distanceMeters(to: party.origin.coordinate)
      <= query.wishes.maxWalkMeters ?? party.limits.maxWalkMeters
}

/// On the way somebody must be aboard who accepts the way by a place within the walk; no road is
/// shorter than the straight line.
private func mayBoard(_ query: MatchQuery, _ party: Party) -> Bool {
  guard party.window.start <= query.window.end else { return false }
  let walk = query.wishes.maxWalkMeters ?? party.limits.maxWalkMeters
  return party.riders.contains { rider in
    let from = rider.boarding?.place.coordinate ?? party.origin.coordinate
    let to = (rider.dropOff ?? party.destination).coordinate
    let straight = query.origin.distanceMeters(to: from) + query.origin.distanceMeters(to: to)
    return straight - 2 * walk
      <= party.policy.bounding(rider.limits).longestRideMeters(direct: rider.directMeters) + 1
  }
}

extension StandingRequest {
  var request: PartyMatchRequest { PartyMatchRequest(query: query, tags: tags) }
}
