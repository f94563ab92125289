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
    ) { request, _ in try await source(request) }
  }

  private func source(_ request: Moyeo_V1_WatchTicketRequest) async throws(APIError)
    -> any EventSource
  {
    let service = operations.ticketService
    let id = try operations.reading.userID(request.userIDIfSet)
    // Before the ticket is looked up: nothing that comes after it is missed.
    let newest = service.eventBounds.newest
    do throws(TicketServiceError) {
      _ = try service.get(id)
    } catch {
      throw APIError(error, now: operations.clock.now())
    }
    let events = TicketEvents(ticketService: service, userID: id, clock: operations.clock)
    if request.hasResumeToken {
      return try await EventLogSource(
        events, after: try ResumeToken.sequence(of: request.resumeToken, field: "resumeToken"))
    }
    guard request.hasAfterVersion else { return try await EventLogSource(events, after: newest) }
    guard let version = UInt64(request.afterVersion) else {
      throw APIError(
        .badVersion, field: "afterVersion",
        "\(quoted(request.afterVersion)) is not a version of a ticket")
    }
    return try await EventLogSource(events, after: 0, version: version)
  }
}

/// TicketService over one ticketService.
struct TicketCalls: Sendable {
  let operations: [Operation]
  let streams: [StreamOperation]

  init(
    ticketService: TicketService, services: RequestServices, shutdown: ShutdownSignal
  ) {
    let tickets = TicketOperations(
      ticketService: ticketService, services: services, shutdown: shutdown)
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
