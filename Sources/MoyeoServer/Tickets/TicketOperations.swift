import DurableCommands
import LiveLayers
import MoyeoAPI
import ObjectModel
import PeerMatching
import SwiftProtobuf
import Tickets

/// The unary calls of TicketService.
struct TicketOperations: Sendable {
  let ticketService: TicketService
  let services: RequestServices
  let shutdown: ShutdownSignal
  let reading: TicketRequestReading
  static let service = "TicketService"

  init(ticketService: TicketService, services: RequestServices, shutdown: ShutdownSignal) {
    self.ticketService = ticketService
    self.services = services
    self.shutdown = shutdown
    reading = TicketRequestReading(
      validation: services.validation, ranking: ticketService.configuration.ranking)
  }

  var clock: any WallClock { services.clock }

  var all: [Operation] { reads + commands + meetings }

  private var reads: [Operation] {
    [
      Operation(
        Self.service, "Get", request: Moyeo_V1_GetTicketRequest.self,
        response: Moyeo_V1_TicketResponse.self,
        routes: [.init("GET", "/v1/tickets/{userId}")]
      ) { request, _ in try await get(request) },
      Operation(
        Self.service, "Search", request: Moyeo_V1_SearchTicketsRequest.self,
        response: Moyeo_V1_SearchTicketsResponse.self,
        routes: [.init("POST", "/v1/tickets/search")],
        throttleScope: { _ in "" }
      ) { request, _ in try await search(request) },
    ]
  }

  private var commands: [Operation] {
    [
      command("Open", "POST", "/v1/tickets", Moyeo_V1_OpenTicketRequest.self) { request in
        .open(
          userID: try reading.userID(request.userIDIfSet),
          try reading.open(request))
      },
      command("Close", "DELETE", "/v1/tickets/{userId}", Moyeo_V1_CloseTicketRequest.self) {
        request in
        .close(userID: try reading.userID(request.userIDIfSet))
      },
      Operation(
        Self.service, "Heartbeat", request: Moyeo_V1_HeartbeatTicketRequest.self,
        response: Moyeo_V1_TicketResponse.self,
        routes: [.init("POST", "/v1/tickets/{userId}/heartbeat")],
        isRead: false
      ) { request, context in
        try context.requireUsableKey()
        let id = try reading.userID(request.userIDIfSet)
        return try encoded(
          TicketMessage.response(
            try translated { () throws(TicketServiceError) in try ticketService.heartbeat(id) }))
      },
    ]
  }

  private var meetings: [Operation] {
    [
      command(
        "Propose", "POST", "/v1/tickets/{userId}/propose", Moyeo_V1_ProposeRequest.self
      ) { request in
        .propose(
          userID: try reading.userID(request.userIDIfSet),
          otherID: try reading.otherID(request.otherIDIfSet),
          matchID: ticketService.makeMatchID(),
          matchesIfAsked: request.hasMatchIfAsked ? request.matchIfAsked : true)
      },
      other("Withdraw", "withdraw") { .withdraw(userID: $0, otherID: $1) },
      other("Accept", "accept") {
        .accept(userID: $0, otherID: $1, matchID: ticketService.makeMatchID())
      },
      other("Decline", "decline") { .decline(userID: $0, otherID: $1) },
      other("Dodge", "dodge") { .dodge(userID: $0, otherID: $1) },
      command("Rate", "POST", "/v1/tickets/{userId}/rate", Moyeo_V1_RateUserRequest.self) {
        request in
        .rate(
          userID: try reading.userID(request.userIDIfSet),
          otherID: try reading.otherID(request.otherIDIfSet),
          try reading.rating(request))
      },
      other("ReportUser", "report") { .report(userID: $0, otherID: $1) },
      other("Block", "block") { .block(userID: $0, otherID: $1) },
      other("Unblock", "unblock") { .unblock(userID: $0, otherID: $1) },
    ]
  }

  private func other(
    _ rpc: String, _ word: String,
    _ make: @escaping @Sendable (_ userID: String, _ otherID: String) -> TicketCommand
  ) -> Operation {
    command(
      rpc, "POST", "/v1/tickets/{userId}/\(word)", Moyeo_V1_OtherUserRequest.self
    ) { request in
      make(
        try reading.userID(request.userIDIfSet),
        try reading.otherID(request.otherIDIfSet))
    }
  }

  private func command<Request: Message & Sendable>(
    _ rpc: String, _ method: String, _ template: String, _ request: Request.Type,
    _ read: @escaping @Sendable (Request) throws -> TicketCommand
  ) -> Operation {
    let route = Operation.Route(method, template)
    return Operation(
      Self.service, rpc, request: request, response: Moyeo_V1_TicketResponse.self,
      routes: [route], isRead: false
    ) { request, context in
      let command = try read(request)
      let scope = try context.command(request, route, [command.userID], now: clock.now())
      return try encoded(
        TicketMessage.response(
          try await translated { () async throws(TicketServiceError) in
            try await ticketService.carryOut(command, scope)
          }))
    }
  }

  private func get(_ request: Moyeo_V1_GetTicketRequest) async throws -> [UInt8] {
    let id = try reading.userID(request.userIDIfSet)
    guard request.hasAfterVersion || request.hasWaitSeconds else {
      return try encoded(
        TicketMessage.response(
          try translated { () throws(TicketServiceError) in try ticketService.get(id) }))
    }
    guard request.hasAfterVersion, let version = UInt64(request.afterVersion) else {
      throw APIError(
        request.hasAfterVersion ? .badVersion : .missingField, field: "afterVersion",
        "afterVersion is the version of a ticket")
    }
    let wait = request.hasWaitSeconds ? request.waitSeconds : 0
    let allowed = ticketService.configuration.waitSeconds
    guard allowed.contains(wait) else {
      throw APIError(
        .limitOutOfRange, field: "waitSeconds",
        "waitSeconds is \(Int(allowed.lowerBound)) to \(Int(allowed.upperBound)); got \(wait)")
    }
    let poll = LongPoll(.seconds(wait), shutdown: shutdown)
    while true {
      let slice = try poll.nextSlice()
      let answer = try await translated { () async throws(TicketServiceError) in
        try await ticketService.get(
          id, afterVersion: request.afterVersion, waitSeconds: slice.map { $0 / .seconds(1) } ?? 0)
      }
      if answer.ticket.version > version || slice == nil {
        return try encoded(TicketMessage.response(answer))
      }
    }
  }

  /// On the event loop while it is short, else on the pool.
  private func search(_ request: Moyeo_V1_SearchTicketsRequest) async throws -> [UInt8] {
    let query = try reading.search(request)
    let work: @Sendable (WorkBudget) throws(APIError) -> [UInt8] = { budget throws(APIError) in
      let found = try translated { () throws(TicketServiceError) in
        try ticketService.search(query, budget: budget)
      }
      return try encoded(TicketMessage.response(found, explains: query.explains))
    }
    do throws(APIError) {
      return try work(services.budget(.eventLoop))
    } catch {
      guard error.reason == .tooMuchWork,
        services.limits.workPerRequest > RequestServices.stepsOnEventLoop
      else { throw error }
    }
    return try await services.shared.onPool { caller throws(APIError) in
      try work(services.budget(.pool(caller)))
    }
  }

  // MARK: - Answer

  private func translated<Answer>(
    _ body: () throws(TicketServiceError) -> Answer
  ) throws(APIError) -> Answer {
    do { return try body() } catch { throw APIError(error, now: clock.now()) }
  }

  private func translated<Answer>(
    _ body: () async throws(TicketServiceError) -> Answer
  ) async throws(APIError) -> Answer {
    do { return try await body() } catch { throw APIError(error, now: clock.now()) }
  }
}
