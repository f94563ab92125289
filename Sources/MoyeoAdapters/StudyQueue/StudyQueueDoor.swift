import DurableCommands
package import Identity
import MoyeoAPI
package import MoyeoServer
package import ObjectModel
import PeerMatching
package import Tickets
import WireFormat

/// The study-mate queue in both of its dialects, over ``TicketService``: it translates, and every rule
/// is the service's.
package struct StudyQueueDoor: HTTPDoor {
  let tickets: TicketService
  let verifier: any TokenVerifier
  let profiles: ProfileSource
  let clock: any WallClock
  let workPerRequest: Int
  let fingerprints = RequestFingerprints()
  let searches = NewestSearches()

  /// People that one search answers.
  private static let searchLimit = 100

  package let calls = StudyCall.allCases.map(\.name)
  package let maximumRequestBytes = 64 * 1024

  /// Makes the door; it keeps nothing of its own but searches on their way.
  ///
  /// - Parameters:
  ///   - tickets: Who waits, asks and meets.
  ///   - verifier: Whose token the header `idtoken` carries.
  ///   - profiles: What the backend reports of people.
  ///   - workPerRequest: Steps of work that one search may cost.
  ///   - clock: The service's.
  package init(
    tickets: TicketService, verifier: any TokenVerifier, profiles: ProfileSource,
    workPerRequest: Int, clock: any WallClock
  ) {
    self.tickets = tickets
    self.verifier = verifier
    self.profiles = profiles
    self.workPerRequest = workPerRequest
    self.clock = clock
  }

  package func owns(path: String) -> Bool {
    StudyCall.roots.contains { DoorPath.stands(path, under: $0) }
  }

  package func speaks(path: String, header: (String) -> String?) -> Bool { owns(path: path) }

  package func answer(refusing refusal: DoorRefusal, path: String) -> DoorAnswer {
    answer(.unknown, refusing: refusal, dodges: 1)
  }

  package func answer(_ request: DoorRequest, _ services: DoorServices) async -> DoorAnswer {
    let match = StudyCall.match(method: request.method, path: request.path)
    var userID: String?
    do {
      guard match.call != .unknown else {
        throw DoorRefusal(.unknownRoute, "the queue has no call of this method and path")
      }
      let caller = try self.caller(request)
      userID = caller
      try services.charge(method: request.method, userID: caller)
      let body = try await carryOut(match, of: caller, request, services)
      return DoorAnswer(call: match.call.name, status: 200, body: body)
    } catch let refusal as DoorRefusal {
      return answer(match.call, refusing: refusal, dodges: userID.map(dodges) ?? 1)
    } catch {
      return answer(
        match.call, refusing: DoorRefusal(.deadlineExceeded, "the caller has left"), dodges: 1)
    }
  }

  private func answer(
    _ call: StudyCall, refusing refusal: DoorRefusal, dodges: Int
  ) -> DoorAnswer {
    let status = StudyStatus.code(refusal.reason, of: call, dodges: dodges)
    let body =
      StudyStatus.allowsBody(status)
      ? JSONWriter.object { out in
        out.string("message", refusal.message)
        out.string("reason", refusal.reason.rawValue)
      } : []
    return DoorAnswer(
      call: call.name, status: status, body: body, reason: refusal.reason,
      retryAfterMilliseconds: refusal.retryAfterMilliseconds)
  }

  /// Matches that a person has called off, as far as they count.
  private func dodges(_ userID: String) -> Int {
    (try? tickets.peek(userID))?.ticket.conduct.dodges.count ?? 1
  }

  /// Whose token it is.
  private func caller(_ request: DoorRequest) throws(DoorRefusal) -> String {
    guard let token = request.header("idtoken"), !token.isEmpty else {
      throw DoorRefusal(.unauthenticated, "the header idtoken is missing")
    }
    switch verifier.verify(token, now: clock.now()) {
    case .caller(let caller):
      return try DoorCaller.person(caller)
    case .expired: throw DoorRefusal(.tokenExpired, "the idtoken has expired: refresh it")
    case .refreshExpired, .invalid:
      throw DoorRefusal(.unauthenticated, "the idtoken is no token of this service")
    }
  }

  // MARK: - Calls

  private func carryOut(
    _ match: StudyCall.Match, of userID: String, _ request: DoorRequest, _ services: DoorServices
  ) async throws -> [UInt8] {
    switch match.call {
    case .join: return try await join(userID, request)
    case .leave:
      try await command(.stopWaiting(userID: userID), request)
      return StudyAnswers.message("left")
    case .search: return try await search(userID, request, services)
    case .state: return try state(userID)
    case .ask:
      let otherID = try StudyFields(request).otherID()
      try await command(
        .propose(
          userID: userID, otherID: otherID, matchID: tickets.makeMatchID(), matchesIfAsked: false),
        request)
      return StudyAnswers.message("asked")
    case .accept:
      let otherID = try StudyFields(request).otherID()
      try await command(
        .accept(userID: userID, otherID: otherID, matchID: tickets.makeMatchID()), request)
      return StudyAnswers.message("matched")
    case .dodge:
      let otherID = try StudyFields(request).otherID()
      try await command(.dodge(userID: userID, otherID: otherID), request)
      return StudyAnswers.message("cancelled")
    case .rate:
      let fields = try StudyFields(request)
      let otherID = try fields.otherID(inPath: match.pathUserID)
      // The one command here that does not set a state: said twice, it would count twice.
      let key = fingerprints.key(
        caller: userID, path: request.path, body: request.body, now: clock.now())
      try await command(
        .rate(userID: userID, otherID: otherID, try fields.rating()), request, key: key)
      return StudyAnswers.message("rated")
    case .unknown: preconditionFailure("what is no call is refused before")
    }
  }

  private func join(_ userID: String, _ request: DoorRequest) async throws -> [UInt8] {
    let fields = try StudyFields(request)
    let profile = profiles.profile(of: userID)
    let open = OpenTicket(
      here: try fields.place(), tags: try fields.tags(), attributes: profile.attributes,
      wanted: try fields.wanted())
    guard !fields.isOlderDialect || profile.gender != nil else {
      throw DoorRefusal(
        .attributeRequired, "the backend has not reported whether this person is 0 or 1 (gender)")
    }
    try await command(.open(userID: userID, open), request)
    return StudyAnswers.message("joined")
  }

  private func command(
    _ command: TicketCommand, _ request: DoorRequest, key: String? = nil
  ) async throws(DoorRefusal) {
    let now = clock.now()
    do throws(TicketServiceError) {
      _ = try await tickets.carryOut(
        command, request.command(of: command.userID, key: key, now: now))
    } catch {
      throw DoorRefusal(error, now: now)
    }
  }

  /// A superseded search has the list of the newest one.
  private func search(
    _ userID: String, _ request: DoorRequest, _ services: DoorServices
  ) async throws -> [UInt8] {
    var query = TicketSearchQuery(userID: userID)
    query.lookingAt = try StudyFields(request).place()
    query.limit = min(Self.searchLimit, tickets.configuration.searchLimit)
    return try await searches.answer(StudyCall.search.name, of: userID, services) {
      try await found(query, services)
    }
  }

  private func found(
    _ query: TicketSearchQuery, _ services: DoorServices
  ) async throws -> [UInt8] {
    let (tickets, clock) = (tickets, clock)
    return try await services.read(steps: workPerRequest) { budget throws(DoorRefusal) in
      do throws(TicketServiceError) {
        return StudyAnswers.search(try tickets.search(query, budget: budget))
      } catch {
        throw DoorRefusal(error, now: clock.now())
      }
    }
  }

  // MARK: - State

  /// The poll: a sign of life, answered from memory.
  private func state(_ userID: String) throws(DoorRefusal) -> [UInt8] {
    let ticket: Ticket
    do throws(TicketServiceError) {
      ticket = try tickets.get(userID).ticket
    } catch {
      throw DoorRefusal(error, now: clock.now())
    }
    if ticket.isWaiting(at: clock.now()) { return StudyAnswers.state(.init()) }
    guard let match = ticket.match ?? endingMatch(of: ticket) else {
      throw DoorRefusal(.unknownTicket, "this person is not in the queue")
    }
    return StudyAnswers.state(
      .init(
        isDodged: ticket.dodgedBy != nil, matchedUserID: match.userID,
        matchedNick: nick(match.userID), isReviewed: ticket.reviewed))
  }

  /// The match that ended the last waiting, until the person joins the queue again: its chat says why
  /// it is over.
  private func endingMatch(of ticket: Ticket) -> TicketMatch? {
    guard let match = ticket.lastMatch else { return nil }
    let joinedAt = ticket.expiresAt.advanced(
      milliseconds: -tickets.configuration.policy.openMilliseconds)
    return ticket.dodgedBy != nil || match.at >= joinedAt ? match : nil
  }

  /// Looked up without a sign of life of theirs.
  private func nick(_ userID: String) -> String {
    let known = (try? tickets.peek(userID))?.ticket.attributes ?? [:]
    return Profile.nick(
      known.merging(profiles.profile(of: userID).attributes) { _, newer in newer },
      userID: userID)
  }
}
