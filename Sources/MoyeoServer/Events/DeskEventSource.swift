import MoyeoAPI
import MoyeoEngine

/// Durable events from a sequence on: of the tenant, or of one party. The resume token is the
/// sequence, so that it holds across restarts.
struct DeskEventSource: EventSource {
  let desk: PartyDesk
  let partyID: String?
  let kinds: Set<String>
  /// The last sequence handed out or passed over.
  private(set) var position: UInt64
  /// Of the party: events up to it are left out.
  var afterVersion: UInt64 = 0

  /// - Throws: `resume_token_expired` for a position that is kept no more, or was never given.
  init(
    desk: PartyDesk, after position: UInt64, partyID: String? = nil, kinds: Set<String> = []
  ) throws(APIError) {
    self.desk = desk
    self.partyID = partyID
    self.kinds = kinds
    self.position = position
    let (oldest, newest) = desk.eventBounds
    guard position == 0 || (position + 1 >= oldest && position <= newest) else {
      throw APIError(PartyDeskError.resumeTokenExpired(oldest: oldest, newest: newest))
    }
  }

  mutating func next(_ room: StreamRoom, patience: Duration) async throws -> [StreamEvent] {
    let end = ContinuousClock.now + patience
    while true {
      let page: EventPage
      do throws(PartyDeskError) {
        page = try await desk.events(
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
        _ = await desk.waitForEvents(after: position, partyID: partyID, atMost: left)
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
