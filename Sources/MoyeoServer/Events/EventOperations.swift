import MoyeoAPI
import Parties
import DurableCommands

/// EventService: the tenant's durable events, as a stream and as a list with a long poll.
struct EventOperations: Sendable {
  let partyService: PartyService
  let shutdown: ShutdownSignal
  static let longestWaitSeconds = 30.0
  static let kindLimit = 64

  private static let service = "EventService"
  private static let route = Operation.Route("GET", "/v1/events")

  /// `GET /v1/events` belongs to the stream, which hands it over to callers who do not ask for
  /// `text/event-stream`; gRPC reaches it by name.
  var list: Operation {
    Operation(
      Self.service, "List", request: Moyeo_V1_ListEventsRequest.self,
      response: Moyeo_V1_ListEventsResponse.self,
      routes: []
    ) { request, _ in try await list(request) }
  }

  var stream: StreamOperation {
    StreamOperation(
      Self.service, "Watch", request: Moyeo_V1_WatchEventsRequest.self, event: Moyeo_V1_Event.self,
      routes: [Self.route], resumeToken: \.resumeToken, heartbeat: Moyeo_V1_Event.heartbeat,
      poll: list
    ) { request, _ in
      var after: UInt64 = 0
      if request.hasResumeToken {
        after = try ResumeToken.sequence(of: request.resumeToken, field: "resumeToken")
      } else if request.hasAfter {
        after = try sequence(request.after)
      }
      return try await EventLogSource(
        PartyEvents(partyService: partyService, kinds: try kinds(request.kinds)), after: after)
    }
  }

  private func list(_ request: Moyeo_V1_ListEventsRequest) async throws -> [UInt8] {
    var position = request.hasAfter ? try sequence(request.after) : 0
    let kinds = try kinds(request.kinds)
    let wait = request.hasWaitSeconds ? request.waitSeconds : 0
    guard (0...Self.longestWaitSeconds).contains(wait) else {
      throw APIError(
        .limitOutOfRange, field: "waitSeconds",
        "waitSeconds is 0 to \(Int(Self.longestWaitSeconds)); got \(wait)")
    }
    let poll = LongPoll(.seconds(wait), shutdown: shutdown)
    while true {
      let page: EventPage
      do throws(PartyServiceError) {
        page = try await partyService.events(
          after: position, kinds: kinds, limit: request.limitIfSet.map(Int.init))
      } catch {
        throw APIError(error)
      }
      let isStill = page.next <= position
      position = max(position, page.next)
      guard page.events.isEmpty, let slice = try poll.nextSlice() else {
        var response = Moyeo_V1_ListEventsResponse()
        response.events = page.events.map { Moyeo_V1_Event($0, isOfParty: false) }
        response.next = Int64(clamping: position)
        return try encodedWithSortedKeys(response)
      }
      if isStill { _ = await partyService.waitForEvents(after: position, atMost: slice) }
    }
  }

  private func sequence(_ after: Int64) throws(APIError) -> UInt64 {
    guard let sequence = UInt64(exactly: after) else {
      throw APIError(.numberOutOfRange, field: "after", "after is 0 or more; got \(after)")
    }
    return sequence
  }

  private func kinds(_ words: [String]) throws(APIError) -> Set<String> {
    guard words.count <= Self.kindLimit else {
      throw APIError(
        .tooManyItems, field: "kinds", "at most \(Self.kindLimit) kinds; got \(words.count)")
    }
    // A comma-separated list is one way to repeat a parameter.
    return Set(words.flatMap { $0.split(separator: ",").map(String.init) })
  }
}
