import ObjectModel
import QueryCoalescing
public import RideMatching
import RoutePlanning
import TaxiFares

extension PartyDesk {
  /// The parties that a rider could join, best first. By the built-in estimate.
  /// - Throws: `limitOutOfRange`, `badVersion`, `versionNotReached`, `badField`.
  public func match(_ request: PartyMatchRequest) throws(PartyDeskError) -> PartyMatchAnswer {
    let limit = request.limit ?? configuration.defaultMatches
    let allowed = 1...configuration.matchLimit
    guard allowed.contains(limit) else {
      throw .limitOutOfRange(field: "limit", value: limit, allowed: allowed)
    }
    if let minVersion = request.minVersion { try require(minVersion) }
    try validate(request.query)
    return answer(request, limit: limit, now: clock.now())
  }

  func answer(_ request: PartyMatchRequest, limit: Int, now: Instant) -> PartyMatchAnswer {
    var query = request.query
    query.now = now
    // Tags act before the limit.
    query.limit = request.tags.isEmpty ? limit : Int.max
    // Before the parties are read: what it covers is in the answer.
    let version = layerVersion
    let index = model.index.withLock { $0 }
    let answer = index.match(query)
    var candidates = answer.candidates
    var explanation = answer.explanation
    var removedByTags = 0
    if !request.tags.isEmpty {
      candidates.removeAll { !Self.carries($0.party, request.tags) }
      removedByTags = answer.candidates.count - candidates.count
      explanation?.matched -= removedByTags
    }
    return PartyMatchAnswer(
      candidates: Array(candidates.prefix(limit)), explanation: explanation,
      removedByTags: removedByTags, layerVersion: version)
  }

  static func carries(_ party: Party, _ tags: [String]) -> Bool {
    tags.allSatisfy(party.tags.contains)
  }

  func validate(_ query: MatchQuery) throws(PartyDeskError) {
    guard (1...PartyConfiguration.mostSeats).contains(query.seats) else {
      throw .limitOutOfRange(
        field: "seats", value: query.seats, allowed: 1...PartyConfiguration.mostSeats)
    }
    let tolerance = query.window.toleranceMilliseconds
    guard (0...configuration.rules.maximumToleranceMilliseconds).contains(tolerance) else {
      throw .badField("departureWindowSeconds", message: "is \(Double(tolerance) / 1000)")
    }
    for (field, value) in [
      ("maxWalkMeters", query.wishes.maxWalkMeters),
      ("maxDetourRatio", query.wishes.maxDetourRatio),
      ("minSharedRatio", query.wishes.minSharedRatio),
    ] {
      if let value, !(value >= 0 && value.isFinite) {
        throw .badField(field, message: "must be a number from 0 on")
      }
    }
  }

  /// What joining would mean: equal to what the join then does.
  /// - Throws: What the join would throw, overlaps included.
  public func previewJoin(
    partyID: String, _ command: JoinParty
  ) throws(PartyDeskError) -> (party: Party, preview: JoinPreview) {
    guard let party = book.party(partyID) else { throw .unknownParty(partyID) }
    let now = clock.now()
    do throws(PartyError) {
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
  public func matchBatch(_ query: PartyBatchQuery) async throws(PartyDeskError) -> PartyBatchAnswer
  {
    let requests = query.requests
    guard let first = requests.first else {
      return PartyBatchAnswer(
        result: BatchResult(
          groups: [], unmatched: [], iterations: 0, objective: 0, candidateGroups: 0),
        currency: "")
    }
    guard requests.count <= configuration.batchRequests else {
      throw .limitOutOfRange(
        field: "requests", value: requests.count, allowed: 0...configuration.batchRequests)
    }
    let tariff: Tariff
    do throws(PartyError) {
      tariff = try rules.pricing.tariff(
        id: query.tariffID, origin: first.origin.coordinate, departure: first.window.time)
    } catch {
      throw .rule(error)
    }
    let options = try batchOptions(query, tariff)
    let milliseconds = query.iterations == nil ? try batchBudget(query) : nil
    let result: BatchResult
    do {
      result = try await heavyWork.run { isCancelled in
        let start = ContinuousClock.now
        return BatchMatching.solve(requests: requests, options: options) {
          guard !isCancelled() else { return true }
          guard let milliseconds else { return false }
          return start.duration(to: .now) >= .milliseconds(milliseconds)
        }
      }
    } catch HeavyWorkError.overloaded(let waiting) {
      throw .commit(.overloaded(waiting: waiting))
    } catch {
      throw .commit(.unavailable(reason: "\(error)"))
    }
    return PartyBatchAnswer(result: result, currency: tariff.currency)
  }

  private func batchBudget(_ query: PartyBatchQuery) throws(PartyDeskError) -> Int {
    let budget = query.timeBudgetMilliseconds ?? configuration.defaultBatchMilliseconds
    guard configuration.batchMilliseconds.contains(budget) else {
      throw .limitOutOfRange(
        field: "timeBudgetMilliseconds", value: budget, allowed: configuration.batchMilliseconds)
    }
    return budget
  }

  private func batchOptions(
    _ query: PartyBatchQuery, _ tariff: Tariff
  ) throws(PartyDeskError) -> BatchOptions {
    let seats = query.maxSeats ?? configuration.rules.defaultSeats
    guard (1...PartyConfiguration.mostSeats).contains(seats) else {
      throw .limitOutOfRange(
        field: "maxSeats", value: seats, allowed: 1...PartyConfiguration.mostSeats)
    }
    if let iterations = query.iterations,
      !(0...configuration.batchIterationLimit).contains(iterations)
    {
      throw .limitOutOfRange(
        field: "iterations", value: iterations, allowed: 0...configuration.batchIterationLimit)
    }
    let times = query.requests.map(\.window)
    let from = times.map(\.start).min() ?? clock.now()
    let to = times.map(\.end).max() ?? from
    let pricing: RidePricing
    do {
      pricing = try RidePricing.tariff(tariff, departures: from...max(from, to))
    } catch {
      throw .rule(.fare(error))
    }
    var options = BatchOptions(
      maxSeats: seats, seed: query.seed,
      iterations: query.iterations ?? configuration.batchIterationLimit, pricing: pricing,
      profile: rules.pricing.routes.profile(at: query.requests[0].origin.coordinate))
    let policy = rules.configuration.basePolicy.joined(with: query.policy)
    if !policy.sameAttributes.isEmpty {
      let attributes = query.requests.map(\.attributes)
      options.isCompatible = { first, second in
        policy.conflict(host: attributes[first], other: attributes[second]) == nil
      }
    }
    return options
  }
}
