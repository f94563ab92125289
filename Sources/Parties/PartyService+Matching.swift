package import ObjectModel
package import RideMatching
import RoutePlanning
import TaxiFares
import Threading
import DurableCommands

extension PartyService {
  /// The parties that a rider could join, best first. By the built-in estimate.
  ///
  /// - Parameters:
  ///   - request: What the rider wants.
  ///   - budget: Spent from every 256 parties that are planned with the rider; those that are
  ///     passed by cost a fiftieth.
  /// - Returns: Those that match, all of them looked at.
  /// - Throws: `limitOutOfRange`, `badVersion`, `versionNotReached`, `badField`; `tooMuchWork` and
  ///   `abandoned` by the budget.
  package func match(
    _ request: PartyMatchRequest, budget: WorkBudget = .unlimited
  ) throws(PartyServiceError) -> PartyMatchAnswer {
    let limit = request.limit ?? configuration.defaultMatches
    let allowed = 1...configuration.matchLimit
    guard allowed.contains(limit) else {
      throw .limitOutOfRange(field: "limit", value: limit, allowed: allowed)
    }
    if let minVersion = request.minVersion { try require(minVersion) }
    try validate(request.query)
    var (budget, exhaustion) = (budget, WorkBudget.Exhaustion?.none)
    let answer = answer(request, limit: limit, now: clock.now()) {
      do throws(WorkBudget.Exhaustion) {
        try budget.spend(WorkBudget.stepsBetweenLooks)
      } catch {
        exhaustion = error
      }
      return exhaustion != nil
    }
    if let exhaustion {
      throw PartyServiceError(
        exhaustion, field: request.query.explain ? "explain" : "maxWalkMeters")
    }
    return answer
  }

  /// What matches, whether or not all was looked at: a caller that said `shouldStop` once has no use
  /// for it.
  func answer(
    _ request: PartyMatchRequest, limit: Int, now: Instant, shouldStop: () -> Bool = { false }
  ) -> PartyMatchAnswer {
    var query = request.query
    query.now = now
    // Tags act before the limit.
    query.limit = request.tags.isEmpty ? limit : Int.max
    // Before the parties are read: what it covers is in the answer.
    let version = layerVersion
    let index = model.index.withLock { $0 }
    func match() -> MatchAnswer {
      index.match(
        query, claims: { [book] in book.claims(of: $0) },
        overlappingParties: rules.configuration.overlappingParties, shouldStop: shouldStop)
    }
    var answer = match()
    // Blocks act before the limit; most riders have none near them.
    if query.limit != Int.max, answer.candidates.contains(where: { isBlocked(query, $0.party) }) {
      query.limit = Int.max
      answer = match()
    }
    var candidates = answer.candidates.filter { !isBlocked(query, $0.party) }
    var explanation = answer.explanation
    // Nobody is told of parties with people who avoid them.
    let hidden = answer.candidates.count - candidates.count
    explanation?.matched -= hidden
    explanation?.considered -= hidden
    var removedByTags = 0
    if !request.tags.isEmpty {
      candidates.removeAll { !Self.carries($0.party, request.tags) }
      removedByTags = answer.candidates.count - hidden - candidates.count
      explanation?.matched -= removedByTags
    }
    return PartyMatchAnswer(
      candidates: Array(candidates.prefix(limit)), explanation: explanation,
      removedByTags: removedByTags, layerVersion: version)
  }

  func isBlocked(_ query: MatchQuery, _ party: Party) -> Bool {
    configuration.meetings.isBlocked(query.riderID, party)
  }

  static func carries(_ party: Party, _ tags: [String]) -> Bool {
    tags.allSatisfy(party.tags.contains)
  }

  func validate(_ query: MatchQuery) throws(PartyServiceError) { try model.validate(query) }

  /// What joining would mean: equal to what the join then does.
  /// - Throws: What the join would throw, overlaps included.
  package func previewJoin(
    partyID: String, _ command: JoinParty
  ) async throws(PartyServiceError) -> (party: Party, preview: JoinPreview) {
    let party = try await get(partyID)
    let now = clock.now()
    do throws(PartyError) {
      try configuration.meetings.check(command.riderID, party)
      let preview = try rules.preview(command, party, now: now)
      // The claims are asked for by the join itself.
      _ = try rules.join(command, party, now: now) { book.claims(of: $0) }
      return (party, preview)
    } catch {
      throw .rule(error)
    }
  }

  /// Waiting requests sorted into taxis that save most. Runs off the event loops; a time budget
  /// counts from when it runs.
  package func matchBatch(_ query: PartyBatchQuery) async throws(PartyServiceError)
    -> PartyBatchAnswer
  {
    let requests = query.requests
    let options = try batchOptions(query)
    guard !requests.isEmpty else {
      return PartyBatchAnswer(
        result: BatchResult(
          groups: [], unmatched: [], iterations: 0, objective: 0, candidateGroups: 0),
        currency: "")
    }
    guard requests.count <= configuration.batchRequests else {
      throw .limitOutOfRange(
        field: "requests", value: requests.count, allowed: 0...configuration.batchRequests)
    }
    let currency = try currency(of: query)
    // Rounds that are named end there too: the clock has the last word.
    let milliseconds =
      query.iterations == nil
      ? try batchBudget(query) : configuration.batchMilliseconds.upperBound
    let result: BatchResult
    do {
      result = try await threadPool.run { isCancelled in
        let start = ContinuousClock.now
        func isOver(_ budget: Duration) -> Bool {
          isCancelled() || start.duration(to: .now) >= budget
        }
        let budget = Duration.milliseconds(milliseconds)
        guard case .parties(let terms) = options.pricing else {
          return BatchMatching.solve(requests: requests, options: options) { isOver(budget) }
        }
        return BatchMatching.solveBoarding(
          requests: requests, options: options, terms: terms, shouldStop: { isOver(budget) },
          isTimeToBoard: { isOver(budget / 2) })
      }
    } catch ThreadPoolError.overloaded(let waiting) {
      throw .commit(.overloaded(waiting: waiting))
    } catch {
      throw .commit(.unavailable(reason: "\(error)"))
    }
    let currencies = Set(result.groups.map(\.currency))
    return PartyBatchAnswer(
      result: result, currency: currencies.count == 1 ? currencies.first ?? currency : currency)
  }

  /// The currency of the first request that a tariff prices; empty where no area with a tariff holds one.
  /// - Throws: Why there is none, of the first request that has a tariff.
  private func currency(of query: PartyBatchQuery) throws(PartyServiceError) -> String {
    var refusal: PartyError?
    for request in query.requests {
      do throws(PartyError) {
        return try rules.pricing.tariff(
          id: query.tariffID, origin: request.origin.coordinate, departure: request.window.time
        ).currency
      } catch {
        if case .noTariffHere = error { continue }
        if refusal == nil { refusal = error }
      }
    }
    // Where no tariff says what rides cost, none saves anything: nobody is put together.
    guard let refusal else { return "" }
    throw .rule(refusal)
  }

  private func batchBudget(_ query: PartyBatchQuery) throws(PartyServiceError) -> Int {
    let budget = query.timeBudgetMilliseconds ?? configuration.defaultBatchMilliseconds
    guard configuration.batchMilliseconds.contains(budget) else {
      throw .limitOutOfRange(
        field: "timeBudgetMilliseconds", value: budget, allowed: configuration.batchMilliseconds)
    }
    return budget
  }

  private func batchOptions(
    _ query: PartyBatchQuery
  ) throws(PartyServiceError) -> BatchOptions {
    let seats = query.maxSeats ?? configuration.rules.defaultSeats
    guard (1...PartyConfiguration.maximumSeatsOfTaxi).contains(seats) else {
      throw .limitOutOfRange(
        field: "maxSeats", value: seats, allowed: 1...PartyConfiguration.maximumSeatsOfTaxi)
    }
    if let iterations = query.iterations,
      !(0...configuration.batchIterationLimit).contains(iterations)
    {
      throw .limitOutOfRange(
        field: "iterations", value: iterations, allowed: 0...configuration.batchIterationLimit)
    }
    var options = BatchOptions(
      maxSeats: seats, seed: query.seed,
      iterations: query.iterations ?? configuration.batchIterationLimit,
      parties: BatchPartyTerms(
        rules: rules, now: clock.now(), tariffID: query.tariffID, policy: query.policy,
        claims: { [book] in book.claims(of: $0) }))
    // Named rounds are to give the same answer again: work ends them before the clock does.
    if query.iterations == nil { options.workLimit = .max }
    return options
  }
}
