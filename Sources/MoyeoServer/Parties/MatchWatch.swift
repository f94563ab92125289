import MoyeoAPI
import Threading
import Parties
import ObjectModel
import RideMatching
import SwiftProtobuf

/// WatchMatches: the parties that a rider could join now, then each that becomes one.
///
/// A soft stream: it begins with all there are, whatever the reader has seen before, and ends with
/// the rider's window.
struct MatchWatch: Sendable {
  let operations: PartyOperations
  private static let route = Operation.Route("POST", "/v1/parties/match/watch")

  var operation: StreamOperation {
    StreamOperation(
      "PartyService", "WatchMatches", request: Moyeo_V1_WatchMatchesRequest.self,
      event: Moyeo_V1_WatchMatchesEvent.self, routes: [Self.route],
      resumeToken: \.resumeToken,
      heartbeat: { token in
        var event = Moyeo_V1_WatchMatchesEvent()
        event.kind = "heartbeat"
        if let token { event.resumeToken = token }
        return event
      }
    ) { request, context in try await source(request, context) }
  }

  private func source(
    _ request: Moyeo_V1_WatchMatchesRequest, _ context: CallContext
  ) async throws -> any EventSource {
    let query = try operations.reading.match(
      try Self.matchRequest(request), now: operations.services.clock.now())
    let command = try context.command(
      request, Self.route, [], now: operations.services.clock.now())
    var matchID: String?
    do throws(PartyServiceError) {
      if request.store {
        matchID = try await operations.partyService.keepRequest(query, command)
      }
      return MatchSource(
        updates: try operations.partyService.watchMatches(query), message: operations.message,
        matchID: matchID)
    } catch {
      throw APIError(error)
    }
  }

  /// The fields that both have carry the same numbers.
  private static func matchRequest(
    _ request: Moyeo_V1_WatchMatchesRequest
  ) throws(APIError) -> Moyeo_V1_MatchPartiesRequest {
    var same = request
    same.clearStore()
    same.clearResumeToken()
    guard let bytes: [UInt8] = try? same.serializedBytes(),
      let match = try? Moyeo_V1_MatchPartiesRequest(serializedBytes: bytes)
    else { throw APIError(.malformedRequest, "the request cannot be read") }
    return match
  }
}

/// Pulls what ``PartyService`` pushes: a mailbox of bounded size in between.
private struct MatchSource: EventSource {
  private let box: MatchMailbox
  private let message: PartyMessage
  private let matchID: String?
  private(set) var isOver = false

  init(updates: AsyncStream<PartyMatchUpdate>, message: PartyMessage, matchID: String?) {
    box = MatchMailbox(updates)
    self.message = message
    self.matchID = matchID
  }

  mutating func next(_ room: StreamRoom, patience: Duration) async throws -> [StreamEvent] {
    let end = ContinuousClock.now + patience
    while true {
      let (updates, hasEnded, seen) = box.take(room.events)
      if !updates.isEmpty { return try updates.map(event) }
      if hasEnded {
        isOver = true
        return []
      }
      try Task.checkCancellation()
      let left = end - .now
      guard left > .zero else { return [] }
      await box.filled.wait(past: seen, atMost: left)
    }
  }

  private func event(_ update: PartyMatchUpdate) throws(APIError) -> StreamEvent {
    var event = Moyeo_V1_WatchMatchesEvent()
    switch update {
    case .candidates(let all):
      event.kind = "candidates"
      event.candidates = all.map(message.candidate)
    case .candidate(let one):
      event.kind = "candidate"
      event.candidates = [message.candidate(one)]
      event.partyID = one.party.id
    case .gone(let id):
      event.kind = "gone"
      event.partyID = id
    case .offer: break
    }
    if let matchID { event.matchID = matchID }
    if case .offer(let mine) = update {
      event.kind = "offer"
      event.offer = PartyMessage.offer(mine)
      event.matchID = mine.requestID
    }
    return StreamEvent(kind: event.kind, resumeToken: nil, message: try encoded(event))
  }
}

private final class MatchMailbox: Sendable {
  private struct State {
    var updates: [PartyMatchUpdate] = []
    var hasEnded = false
    var changes: UInt64 = 0
  }

  private static let bound = 256
  private let state = StateLock(State())
  /// Advances whenever there is something to take.
  let filled = ChangeSignal()
  private let emptied = ChangeSignal()
  private let task: StateLock<Task<Void, Never>?> = StateLock(nil)

  init(_ updates: AsyncStream<PartyMatchUpdate>) {
    let (state, filled, emptied) = (state, filled, emptied)
    let task = Task {
      for await update in updates {
        let change = state.withLock { state in
          state.updates.append(update)
          state.changes += 1
          return state.changes
        }
        filled.advance(to: change)
        // A reader that does not come: the service keeps a bounded rest and then ends the stream.
        while state.withLock({ $0.updates.count >= Self.bound }), !Task.isCancelled {
          await emptied.wait(past: emptied.value, atMost: .milliseconds(200))
        }
      }
      let change = state.withLock { state in
        state.hasEnded = true
        state.changes += 1
        return state.changes
      }
      filled.advance(to: change)
    }
    self.task.withLock { $0 = task }
  }

  deinit { task.withLock { $0 }?.cancel() }

  func take(_ limit: Int) -> (updates: [PartyMatchUpdate], hasEnded: Bool, seen: UInt64) {
    let taken = state.withLock { state in
      let some = Array(state.updates.prefix(limit))
      state.updates.removeFirst(some.count)
      return (some, state.hasEnded && state.updates.isEmpty && some.isEmpty, state.changes)
    }
    if !taken.0.isEmpty { emptied.advance(to: emptied.value + 1) }
    return taken
  }
}
