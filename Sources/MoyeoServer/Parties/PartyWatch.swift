import MoyeoAPI
import Parties

/// Watch: what happens to one party.
struct PartyWatch: Sendable {
  let partyService: PartyService
  let reading: PartyRequestReading

  var operation: StreamOperation {
    StreamOperation(
      "PartyService", "Watch", request: Moyeo_V1_WatchPartyRequest.self, event: Moyeo_V1_Event.self,
      routes: [.init("GET", "/v1/parties/{id}/events")], resumeToken: \.resumeToken,
      heartbeat: Moyeo_V1_Event.heartbeat
    ) { request, _ in try await source(request) }
  }

  private func source(_ request: Moyeo_V1_WatchPartyRequest) async throws(APIError)
    -> any EventSource
  {
    let id = try reading.partyID(request.idIfSet)
    // Before the party is looked up: nothing that comes after it is missed.
    let newest = partyService.eventBounds.newest
    do throws(PartyServiceError) {
      try partyService.requireParty(id)
    } catch {
      throw APIError(error)
    }
    let events = PartyEvents(partyService: partyService, partyID: id)
    if request.hasResumeToken {
      return try await EventLogSource(
        events, after: try ResumeToken.sequence(of: request.resumeToken, field: "resumeToken"))
    }
    guard request.hasAfterVersion else { return try await EventLogSource(events, after: newest) }
    guard let version = UInt64(request.afterVersion) else {
      throw APIError(
        .badVersion, field: "afterVersion",
        "\(quoted(request.afterVersion)) is not a version of a party")
    }
    return try await EventLogSource(events, after: 0, version: version)
  }
}
