import DurableCommands
import Foundation
import MoyeoAPI
import ObjectModel
import ServiceLifecycle
import Tickets

/// Watch: what happens to one ticket.
struct TicketWatch: Sendable {
  let operations: TicketOperations

  var operation: StreamOperation {
    StreamOperation(
      TicketOperations.service, "Watch", request: Moyeo_V1_WatchTicketRequest.self,
      event: Moyeo_V1_Event.self,
      routes: [.init("GET", "/v1/tickets/{userId}/events")], resumeToken: \.resumeToken,
      heartbeat: Moyeo_V1_Event.heartbeat
    ) { request, _ in try source(request) }
  }

  private func source(_ request: Moyeo_V1_WatchTicketRequest) throws(APIError) -> any EventSource {
    let service = operations.ticketService
    let id = try operations.reading.userID(request.userIDIfSet)
    // Before the ticket is looked up: nothing that comes after it is missed.
    let newest = service.eventBounds.newest
    do throws(TicketServiceError) {
      _ = try service.get(id)
    } catch {
      throw APIError(error, now: operations.clock.now())
    }
    var source = TicketEventSource(operations: operations, userID: id, position: newest)
    if request.hasResumeToken {
      source.position = try DurableEventSource.sequence(
        of: request.resumeToken, field: "resumeToken")
    } else if request.hasAfterVersion {
      guard let version = UInt64(request.afterVersion) else {
        throw APIError(
          .badVersion, field: "afterVersion",
          "\(quoted(request.afterVersion)) is not a version of a ticket")
      }
      source.position = 0
      source.afterVersion = version
    }
    try source.checkPosition()
    return source
  }
}

/// Durable events of one ticket from a sequence on; each look is a sign of life of its person.
struct TicketEventSource: EventSource {
  let operations: TicketOperations
  let userID: String
  /// The last sequence handed out or passed over.
  var position: UInt64
  /// Of the ticket: events up to it are left out.
  var afterVersion: UInt64 = 0

  /// - Throws: `resume_token_expired` for a position that is kept no more, or was never given.
  func checkPosition() throws(APIError) {
    let (oldest, newest) = operations.ticketService.eventBounds
    guard position == 0 || (position + 1 >= oldest && position <= newest) else {
      throw APIError(
        TicketServiceError.resumeTokenExpired(oldest: oldest, newest: newest),
        now: operations.clock.now())
    }
  }

  mutating func next(_ room: StreamRoom, patience: Duration) async throws -> [StreamEvent] {
    let service = operations.ticketService
    let end = ContinuousClock.now + patience
    while true {
      service.noteSignOfLife(userID)
      let page: EventPage
      do throws(TicketServiceError) {
        page = try await service.events(after: position, userID: userID, limit: room.events)
      } catch {
        throw APIError(error, now: operations.clock.now())
      }
      let isStill = page.next <= position
      position = max(position, page.next)
      let events = try page.events.filter { $0.version > afterVersion }.map(streamEvent)
      if !events.isEmpty { return events }
      try Task.checkCancellation()
      let left = end - .now
      guard left > .zero else { return [] }
      if isStill {
        _ = await service.waitForEvents(after: position, userID: userID, atMost: left)
      }
    }
  }

  private func streamEvent(_ event: StoredEvent) throws(APIError) -> StreamEvent {
    let message = Moyeo_V1_Event(event, isOfParty: true)
    return StreamEvent(
      kind: message.kind, resumeToken: message.resumeToken, message: try message.encodedInOrder())
  }
}

/// TicketService over one ticketService.
struct TicketCalls: Sendable {
  let operations: [Operation]
  let streams: [StreamOperation]

  init(
    ticketService: TicketService, clock: any WallClock, validation: RequestValidation,
    shutdown: ShutdownSignal
  ) {
    let tickets = TicketOperations(
      ticketService: ticketService, clock: clock, validation: validation, shutdown: shutdown)
    operations = tickets.all
    streams = [TicketWatch(operations: tickets).operation]
  }
}

/// Runs the tickets' timers.
struct TicketLifecycle: Service {
  let ticketService: TicketService

  func run() async throws {
    ticketService.start()
    try? await gracefulShutdown()
    ticketService.stop()
  }
}
