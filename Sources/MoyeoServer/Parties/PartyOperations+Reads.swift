import LiveLayers
import MoyeoAPI
import Parties
import ObjectModel
import RideMatching
import QueryCoalescing

extension PartyOperations {
  /// Runs a read, and again after changes for as long as the version it asks for is on its way.
  func whenReached<Answer>(
    _ minVersion: String?, _ read: () async throws(PartyServiceError) -> Answer
  ) async throws(APIError) -> Answer {
    let end = ContinuousClock.now + .milliseconds(services.limits.versionWaitMilliseconds)
    while true {
      // Asked before the read, so that no change falls in between.
      let newest = partyService.eventBounds.newest
      do throws(PartyServiceError) {
        return try await read()
      } catch {
        guard minVersion != nil, case .versionNotReached = error, ContinuousClock.now < end,
          await partyService.waitForEvents(
            after: newest, atMost: ContinuousClock.now.duration(to: end))
        else { throw APIError(error) }
      }
    }
  }

  func get(_ request: Moyeo_V1_GetPartyRequest) async throws(APIError) -> [UInt8] {
    let id = try reading.partyID(request.idIfSet)
    let minVersion = request.minVersionIfSet
    let (party, version) = try await whenReached(minVersion) { () async throws(PartyServiceError) in
      let version = partyService.layerVersion
      return (try await partyService.get(id, minVersion: minVersion), version)
    }
    return try response(party, layerVersion: version)
  }

  func list(_ request: Moyeo_V1_ListPartiesRequest) async throws(APIError) -> [UInt8] {
    let query = try reading.list(request)
    let page: PartyPage
    do throws(PartyServiceError) {
      page = try await partyService.list(query)
    } catch {
      throw APIError(error)
    }
    return try response(page)
  }

  func search(_ request: Moyeo_V1_SearchPartiesRequest) async throws -> [UInt8] {
    let query = try reading.search(request)
    let staleness = try services.shared.staleness(request.maxStalenessSecondsIfSet)
    if let minVersion = query.minVersion {
      _ = try await whenReached(minVersion) { () throws(PartyServiceError) in
        try partyService.require(minVersion)
      }
    }
    var question = request
    question.clearMaxStalenessSeconds()
    question.tags = QuerySnapping.words(request.tags)
    return try await read(
      SharedReads.Question(call: "SearchParties", question),
      SharedReads.Demand(maximumStaleness: query.minVersion == nil ? staleness : 0)
    ) { budget throws(APIError) in
      let page: PartyPage
      do throws(PartyServiceError) {
        page = try partyService.search(query, budget: budget)
      } catch {
        throw APIError(error)
      }
      return try answer(page)
    }.encoded
  }

  /// Steps of a read on the event loop: a party that is planned takes about a microsecond.
  private static let stepsOnEventLoop = 1024

  /// Works out on the event loop what is short, and all else on the pool, once for all who ask the
  /// same.
  private func read(
    _ question: @autoclosure () -> SharedReads.Question, _ demand: SharedReads.Demand,
    _ work: @escaping @Sendable (WorkBudget) throws(APIError) -> SharedReads.Answer
  ) async throws -> SharedReads.Shared {
    let (now, steps) = (services.clock.now(), services.limits.workPerRequest)
    do throws(APIError) {
      return try services.shared.onEventLoop(
        question(), demand, version: partyService.layerCounter, now: now
      ) { () throws(APIError) in try work(WorkBudget(steps: min(steps, Self.stepsOnEventLoop))) }
    } catch {
      guard error.reason == .tooMuchWork, steps > Self.stepsOnEventLoop else { throw error }
    }
    return try await services.shared.heavy(
      question(), demand, version: { partyService.layerCounter }, now: now
    ) { caller throws(APIError) in try work(caller.budget(steps: steps)) }
  }

  private func answer(_ page: PartyPage) throws(APIError) -> SharedReads.Answer {
    SharedReads.Answer(bytes: try response(page), expiresAt: Self.firstDeparture(page.parties))
  }

  /// When the first of them leaves, and the answer is no longer true.
  private static func firstDeparture(_ parties: [Party]) -> ObjectModel.Instant {
    parties.lazy.filter(\.isActive).map(\.window.end).min() ?? .distantFuture
  }

  private func response(_ page: PartyPage) throws(APIError) -> [UInt8] {
    var response = Moyeo_V1_PartyListResponse()
    response.parties = page.parties.map(message.party)
    if let next = page.nextCursor { response.nextCursor = next }
    response.version = page.layerVersion
    return try encoded(response)
  }

  /// A look at every party, or far from the rider, takes milliseconds.
  func match(_ request: Moyeo_V1_MatchPartiesRequest) async throws -> [UInt8] {
    let query = try reading.match(request, now: services.clock.now())
    let staleness = try services.shared.staleness(request.maxStalenessSecondsIfSet)
    if let minVersion = query.minVersion {
      // Only the version is waited for here: a search that is repeated would be paid for again.
      _ = try await whenReached(minVersion) { () throws(PartyServiceError) in
        try partyService.require(minVersion)
      }
    }
    var question = request
    question.clearMaxStalenessSeconds()
    question.tags = QuerySnapping.words(request.tags)
    let work: @Sendable (WorkBudget) throws(APIError) -> SharedReads.Answer = {
      budget throws(APIError) in
      let found: PartyMatchAnswer
      do throws(PartyServiceError) {
        found = try partyService.match(query, budget: budget)
      } catch {
        throw APIError(error)
      }
      return try answer(found)
    }
    return try await read(
      SharedReads.Question(call: "MatchParties", question),
      SharedReads.Demand(maximumStaleness: query.minVersion == nil ? staleness : 0), work
    ).encoded
  }

  private func answer(_ answer: PartyMatchAnswer) throws(APIError) -> SharedReads.Answer {
    var response = Moyeo_V1_MatchPartiesResponse()
    response.candidates = answer.candidates.map(message.candidate)
    if let explanation = answer.explanation {
      response.explanation = PartyMessage.explanation(
        explanation, removedByTags: answer.removedByTags)
    }
    response.version = answer.layerVersion
    return SharedReads.Answer(
      bytes: try encodedWithSortedKeys(response),
      expiresAt: Self.firstDeparture(answer.candidates.map(\.party)))
  }

  /// A join that would be refused for the party's state is an answer that says so; a request that
  /// is wrong whatever the state is refused.
  func preview(_ request: Moyeo_V1_PreviewJoinRequest) async throws(APIError) -> [UInt8] {
    let id = try reading.partyID(request.idIfSet)
    let command = try reading.join(request)
    var response = Moyeo_V1_PreviewJoinResponse()
    do throws(PartyServiceError) {
      let (party, preview) = try await partyService.previewJoin(partyID: id, command)
      response.now = preview.now.riders.map { PartyMessage.terms($0, party) }
      response.ifFull = preview.ifFull.map { PartyMessage.terms($0, party) }
      response.route = PartyMessage.route(preview.now.route)
      if party.hasPrice { response.fare = message.fare(preview.now, party) }
      response.version = String(party.version)
      if let boarding = preview.boarding {
        response.boarding = PartyMessage.place(boarding.place)
        response.walkMeters = boarding.walkMeters
        if let time = preview.now.boardingTime(command.riderID, party) {
          response.boardingTime = .init(time)
        }
      }
    } catch {
      guard case .rule(let rule) = error, !rule.isInvalidArgument else { throw APIError(error) }
      let refusal = APIError(rule)
      response.refusal = refusal.reason.rawValue
      response.refusalMessage = refusal.message
    }
    return try encoded(response)
  }

  func matchBatch(_ request: Moyeo_V1_MatchBatchRequest) async throws(APIError) -> [UInt8] {
    let query = try reading.batch(request, now: services.clock.now())
    let answer: PartyBatchAnswer
    do throws(PartyServiceError) {
      answer = try await partyService.matchBatch(query)
    } catch {
      throw APIError(error)
    }
    let result = answer.result
    var response = Moyeo_V1_MatchBatchResponse()
    response.groups = result.groups.map { group in
      var out = Moyeo_V1_BatchGroup()
      out.riderIds = group.members.map { query.requests[$0].riderID }
      out.pickUp = PartyMessage.place(query.requests[group.pickUp].origin)
      out.departureTime = .init(group.departure)
      out.stopOrder = group.dropOffOrder.map { query.requests[$0].riderID }
      out.distanceMeters = group.distanceMeters
      out.durationSeconds = group.durationSeconds
      out.fare = group.fare
      out.saving = Int64(group.saving.rounded())
      out.shares = group.shares.map(PartyMessage.share)
      out.currency = group.currency
      out.departureWindowSeconds =
        Double(group.toleranceMilliseconds(query.requests, partyService.rules.configuration)) / 1000
      out.tariffID = group.tariffID
      out.soloFares = group.soloFares
      out.boardings = group.boardings.map { one in
        var boarding = Moyeo_V1_BatchBoarding()
        boarding.riderID = query.requests[one.member].riderID
        boarding.boarding = PartyMessage.place(one.boarding.place)
        if let time = one.time { boarding.boardingTime = .init(time) }
        boarding.walkMeters = one.boarding.walkMeters
        return boarding
      }
      return out
    }
    response.unmatched = result.unmatched.map { query.requests[$0].riderID }
    response.saving = response.groups.reduce(0) { $0 + $1.saving }
    response.iterations = Int32(clamping: result.iterations)
    response.currency = answer.currency
    response.end = result.end.rawValue
    return try encoded(response)
  }
}
