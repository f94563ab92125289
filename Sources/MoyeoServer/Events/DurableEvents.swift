import MoyeoAPI
import DurableCommands
import ObjectModel
import Parties
import Tickets

/// Durable events as one of the services tells them.
protocol DurableEvents: Sendable {
  /// The oldest sequence kept and the newest given.
  var bounds: (oldest: UInt64, newest: UInt64) { get }
  /// Whether they are of one aggregate, whose version they then tell.
  var areOfOne: Bool { get }
  /// Those above a sequence, ascending; called at each look.
  func page(after sequence: UInt64, limit: Int) async throws(APIError) -> EventPage
  /// Returns once there is one above a sequence, or the time has passed.
  func wait(after sequence: UInt64, atMost time: Duration) async
  /// Of a position outside ``bounds``.
  func refusal(after position: UInt64, _ bounds: (oldest: UInt64, newest: UInt64)) -> APIError
}

/// Those of the tenant, or of one party.
struct PartyEvents: DurableEvents {
  let partyService: PartyService
  var partyID: String?
  var kinds: Set<String> = []

  var bounds: (oldest: UInt64, newest: UInt64) { partyService.eventBounds }
  var areOfOne: Bool { partyID != nil }

  func page(after sequence: UInt64, limit: Int) async throws(APIError) -> EventPage {
    do throws(PartyServiceError) {
      return try await partyService.events(
        after: sequence, kinds: kinds, partyID: partyID, limit: limit)
    } catch {
      throw APIError(error)
    }
  }

  func wait(after sequence: UInt64, atMost time: Duration) async {
    _ = await partyService.waitForEvents(after: sequence, partyID: partyID, atMost: time)
  }

  func refusal(after position: UInt64, _ bounds: (oldest: UInt64, newest: UInt64)) -> APIError {
    APIError(
      position > bounds.newest
        ? PartyServiceError.resumeTokenAhead(newest: bounds.newest)
        : .resumeTokenExpired(oldest: bounds.oldest, newest: bounds.newest))
  }
}

/// Those of one ticket; each look is a sign of life of its person.
struct TicketEvents: DurableEvents {
  let ticketService: TicketService
  let userID: String
  let clock: any WallClock

  var bounds: (oldest: UInt64, newest: UInt64) { ticketService.eventBounds }
  var areOfOne: Bool { true }

  func page(after sequence: UInt64, limit: Int) async throws(APIError) -> EventPage {
    ticketService.noteSignOfLife(userID)
    do throws(TicketServiceError) {
      return try await ticketService.events(after: sequence, userID: userID, limit: limit)
    } catch {
      throw APIError(error, now: clock.now())
    }
  }

  func wait(after sequence: UInt64, atMost time: Duration) async {
    _ = await ticketService.waitForEvents(after: sequence, userID: userID, atMost: time)
  }

  func refusal(after position: UInt64, _ bounds: (oldest: UInt64, newest: UInt64)) -> APIError {
    APIError(
      position > bounds.newest
        ? TicketServiceError.resumeTokenAhead(newest: bounds.newest)
        : .resumeTokenExpired(oldest: bounds.oldest, newest: bounds.newest),
      now: clock.now())
  }
}

extension EventLogSource {
  /// A stream of durable events from a sequence on. The resume token is the sequence, so that it holds
  /// across restarts.
  ///
  /// - Parameters:
  ///   - events: Where they come from.
  ///   - position: The reader has all up to this sequence.
  ///   - version: Of the aggregate: events up to it are left out.
  /// - Throws: `resume_token_expired` for a position that is kept no more, `resume_token_ahead` for
  ///   one that was never given.
  init(
    _ events: some DurableEvents, after position: UInt64, version: UInt64 = 0
  ) async throws(APIError) {
    // Another daemon may have told it: the first look waits for what it has told.
    if position > events.bounds.newest { _ = try await events.page(after: position, limit: 1) }
    let bounds = events.bounds
    guard position == 0 || (position + 1 >= bounds.oldest && position <= bounds.newest) else {
      throw events.refusal(after: position, bounds)
    }
    self.init(
      after: position, wait: { await events.wait(after: $0, atMost: $1) }
    ) { after, room in
      let page = try await events.page(after: after, limit: room.events)
      let told = try page.events.filter { $0.version > version }.map { event in
        try StreamEvent(Moyeo_V1_Event(event, isOfParty: events.areOfOne))
      }
      return Page(events: told, reached: page.next)
    }
  }
}

extension StreamEvent {
  fileprivate init(_ message: Moyeo_V1_Event) throws(APIError) {
    self.init(
      kind: message.kind, resumeToken: message.resumeToken, message: try message.encodedInOrder())
  }
}

/// The resume token of a durable stream.
enum ResumeToken {
  /// - Throws: `bad_value` for what is no token of ours.
  static func sequence(of token: String, field: String) throws(APIError) -> UInt64 {
    guard let sequence = UInt64(token), sequence <= UInt64(Int64.max) else {
      throw APIError(.badValue, field: field, "\(quoted(token)) is not a resume token")
    }
    return sequence
  }
}
