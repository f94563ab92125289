import MoyeoAPI
import DurableCommands
import Parties

/// Durable events from a sequence on: of the tenant, or of one party. The resume token is the
/// sequence, so that it holds across restarts.
struct DurableEventSource: EventSource {
  let partyService: PartyService
  let partyID: String?
  let kinds: Set<String>
  /// The last sequence handed out or passed over.
  private(set) var position: UInt64
  /// Of the party: events up to it are left out.
  var afterVersion: UInt64 = 0

  /// - Throws: `resume_token_expired` for a position that is kept no more, or was never given.
  init(
    partyService: PartyService, after position: UInt64, partyID: String? = nil,
    kinds: Set<String> = []
  ) throws(APIError) {
    self.partyService = partyService
    self.partyID = partyID
    self.kinds = kinds
    self.position = position
    let (oldest, newest) = partyService.eventBounds
    guard position == 0 || (position + 1 >= oldest && position <= newest) else {
      throw APIError(PartyServiceError.resumeTokenExpired(oldest: oldest, newest: newest))
    }
  }

  mutating func next(_ room: StreamRoom, patience: Duration) async throws -> [StreamEvent] {
    let end = ContinuousClock.now + patience
    while true {
      let page: EventPage
      do throws(PartyServiceError) {
        page = try await partyService.events(
          after: position, kinds: kinds, partyID: partyID, limit: room.events)
      } catch {
        throw APIError(error)
      }
      let isStill = page.next <= position
      position = max(position, page.next)
      let events = try page.events.filter { $0.version > afterVersion }.map(streamEvent)
      if !events.isEmpty { return events }
      try Task.checkCancellation()
      let left = end - .now
      guard left > .zero else { return [] }
      if isStill {
        _ = await partyService.waitForEvents(after: position, partyID: partyID, atMost: left)
      }
    }
  }

  private func streamEvent(_ event: StoredEvent) throws(APIError) -> StreamEvent {
    let message = Moyeo_V1_Event(event, isOfParty: partyID != nil)
    return StreamEvent(
      kind: message.kind, resumeToken: message.resumeToken, message: try message.encodedInOrder())
  }

  /// - Throws: `bad_value` for what is no token of ours.
  static func sequence(of token: String, field: String) throws(APIError) -> UInt64 {
    guard let sequence = UInt64(token), sequence <= UInt64(Int64.max) else {
      throw APIError(.badValue, field: field, "\(quoted(token)) is not a resume token")
    }
    return sequence
  }
}
