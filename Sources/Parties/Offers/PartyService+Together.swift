import DurableCommands
import ObjectModel
import RideMatching
import TaxiFares
import Threading

/// Standing requests that are matched with one another.
///
/// A round sorts those that wait into taxis, as MatchBatch does. A taxi that is full, or that leaves
/// soon, is offered to its riders; the others are sorted anew in the next round, so that nobody is tied
/// to a group while a better one may come. Requests with an open offer are left alone until it ends.
extension PartyService {
  /// Runs a round every so often, where this daemon leads; ends when the task is cancelled.
  func matchTogetherRepeatedly() async {
    let pause = configuration.together.batchMilliseconds
    guard pause > 0 else { return }
    while !Task.isCancelled {
      do { try await Task.sleep(for: .milliseconds(pause)) } catch { return }
      guard pipeline.commands.isLeading, readOnlyReason == nil else { continue }
      _ = await matchTogether()
    }
  }

  /// One round; the service runs them by itself, tests by hand.
  ///
  /// - Returns: How many offers were entered into the pipeline.
  @discardableResult
  package func matchTogether() async -> Int {
    let now = clock.now()
    var pool = requestsToMatch(now)
    guard pool.count > 1 else { return 0 }
    let (terms, seats) = (jointTerms(now), configuration.rules.defaultSeats)
    let (together, meetings) = (configuration.together, configuration.meetings)
    let (rules, book, makeID) = (rules, book, makeID)
    let limit = configuration.batchRequests
    if pool.count > limit { pool.removeLast(pool.count - limit) }
    let waiting = pool
    let offers = try? await threadPool.run { isCancelled in
      let start = ContinuousClock.now
      return JointRound(
        waiting: waiting, now: now, terms: terms, maxSeats: seats, configuration: together,
        rules: rules, claims: { book.claims(of: $0) }, areBlocked: meetings.areBlocked,
        makeID: makeID
      ).offers {
        isCancelled()
          || start.duration(to: .now) >= .milliseconds(together.budgetMilliseconds)
      }
    }
    // Too much waits for the threads: the next round comes soon.
    guard let offers, !offers.isEmpty else { return 0 }
    pipeline.submitOwn(offers.map { .makeOffer($0) })
    return offers.count
  }

  private func jointTerms(_ now: Instant) -> BatchPartyTerms {
    BatchPartyTerms(rules: rules, now: now, claims: { [book] in book.claims(of: $0) })
  }

  /// Of each rider the one whose window ends first, those first; nobody who is promised a ride, banned, or
  /// has let too many offers pass.
  private func requestsToMatch(_ now: Instant) -> [StandingRequest] {
    let together = configuration.together
    let soonest = now.advanced(milliseconds: together.offerMilliseconds)
    let all = model.requests.all
    let promised = Set(all.lazy.filter(\.hasOpenOffer).map(\.query.riderID))
    var seen: Set<String> = []
    return all.filter { request in
      request.query.window.end >= soonest && request.refusedOffers < together.refusedOffers
        && !promised.contains(request.query.riderID)
        && configuration.meetings.bannedUntil(request.query.riderID, now) == nil
    }
    .sorted {
      ($0.query.window.end, $0.createdAt, $0.id) < ($1.query.window.end, $1.createdAt, $1.id)
    }
    .filter { seen.insert($0.query.riderID).inserted }
  }
}

/// One look at all that wait. Pure: what it does depends on its values, and on when it is told to stop.
struct JointRound: Sendable {
  let waiting: [StandingRequest]
  let now: Instant
  let terms: BatchPartyTerms
  let maxSeats: Int
  let configuration: JointMatchingConfiguration
  let rules: PartyRules
  let claims: @Sendable (String) -> [PartyInterval]
  let areBlocked: @Sendable (String, String) -> Bool
  let makeID: @Sendable () -> String

  /// Looks at most: after each, those who would pay more than they stated are left out of the next.
  private static let passes = 3

  /// The offers to be made now.
  func offers(shouldStop isOver: () -> Bool) -> [RideOffer] {
    var places = Array(waiting.indices)
    for pass in 1...Self.passes {
      let requests = places.map { rideRequest(waiting[$0]) }
      let result = solve(requests, places, isOver)
      var offers: [RideOffer] = []
      var tooDear: Set<Int> = []
      for group in result.groups {
        let members = ordered(group)
        let late = dear(members.map { places[$0] }, group)
        tooDear.formUnion(late)
        guard late.isEmpty, isDue(group, requests) else { continue }
        if let offer = offer(group, members, requests, places) { offers.append(offer) }
      }
      guard !tooDear.isEmpty, pass < Self.passes, !isOver() else { return offers }
      places.removeAll { tooDear.contains($0) }
    }
    return []
  }

  private func solve(
    _ requests: [RideRequest], _ places: [Int], _ isOver: () -> Bool
  ) -> BatchResult {
    var options = BatchOptions(maxSeats: maxSeats, parties: terms)
    options.isCompatible = { [waiting, areBlocked] a, b in
      let (one, other) = (waiting[places[a]], waiting[places[b]])
      return one.tags == other.tags && !one.avoids.contains(other.id)
        && !other.avoids.contains(one.id)
        && !areBlocked(one.query.riderID, other.query.riderID)
        && !areBlocked(other.query.riderID, one.query.riderID)
    }
    return BatchMatching.solveBoarding(
      requests: requests, options: options, terms: terms, shouldStop: isOver)
  }

  /// What is left of a request's window once an offer made now has ended.
  private func rideRequest(_ request: StandingRequest) -> RideRequest {
    let query = request.query
    let start = max(
      query.window.start, now.advanced(milliseconds: configuration.offerMilliseconds))
    var window = query.window
    if start > window.start {
      let left = window.end.milliseconds(since: start)
      window = DepartureWindow(
        time: start.advanced(milliseconds: left / 2), toleranceMilliseconds: left / 2)
    }
    return RideRequest(
      riderID: query.riderID, origin: query.originPlace,
      destination: query.destination, window: window,
      limits: query.wishes.limits(else: .standard), seats: query.seats,
      attributes: query.attributes, boarding: query.boarding)
  }

  /// The host, those at the pick-up, then those who get in on the way in the order of joining.
  private func ordered(_ group: BatchGroup) -> [Int] {
    let onTheWay = group.boardings.map(\.member)
    return group.members.filter { !onTheWay.contains($0) } + onTheWay
  }

  /// Those of a group who would pay more than they stated.
  private func dear(_ members: [Int], _ group: BatchGroup) -> [Int] {
    members.filter { member in
      let query = waiting[member].query
      guard let most = query.maxShare,
        let share = group.shares.first(where: { $0.riderID == query.riderID })
      else { return false }
      return share.amount > most
    }
  }

  /// Whether a group is told now: it is full, or has no time for another round.
  private func isDue(_ group: BatchGroup, _ requests: [RideRequest]) -> Bool {
    let seats = group.members.reduce(0) { $0 + requests[$1].seats }
    guard seats < maxSeats else { return true }
    let ahead = max(
      configuration.aheadMilliseconds,
      configuration.offerMilliseconds + configuration.batchMilliseconds)
    return group.departure <= now.advanced(milliseconds: ahead)
  }

  private func offer(
    _ group: BatchGroup, _ members: [Int], _ requests: [RideRequest], _ places: [Int]
  ) -> RideOffer? {
    let standing = members.map { waiting[places[$0]] }
    let window = DepartureWindow(
      time: group.departure,
      toleranceMilliseconds: group.toleranceMilliseconds(requests, rules.configuration))
    let ride = OfferedRide(
      riders: standing.map(\.query), boardingCount: group.boardings.count, window: window,
      tags: standing[0].tags)
    guard
      let party = try? rules.create(ride, id: "offer", now: now, claims: claims).party,
      party.hasTariff
    else { return nil }
    let terms = RideOffer.members(of: party, requestIDs: standing.map(\.id), ride)
    guard terms.allSatisfy({ $0.share <= $0.soloFare }) else { return nil }
    return RideOffer(
      id: makeID(), createdAt: now,
      expiresAt: now.advanced(milliseconds: configuration.offerMilliseconds), window: window,
      origin: party.origin, fare: party.fare.expected, currency: party.fare.currency,
      members: terms)
  }
}
