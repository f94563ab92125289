import Identity
import MoyeoAPI
import SwiftProtobuf

/// An answer of which a person sees less than a service does.
protocol RoleViewed: Message {
  /// Takes out what a person is not shown.
  mutating func hide(from subject: String)
}

/// What a caller is shown of an answer.
enum RoleView {
  /// The answer as `caller` may see it.
  static func shown<Answer: Message>(
    _ bytes: [UInt8], _ type: Answer.Type, to caller: Caller
  ) throws(APIError) -> [UInt8] {
    guard caller.role == .user, let viewed = Answer.self as? any RoleViewed.Type else {
      return bytes
    }
    return try hidden(bytes, viewed, caller.subject ?? "")
  }

  private static func hidden<Answer: RoleViewed>(
    _ bytes: [UInt8], _ type: Answer.Type, _ subject: String
  ) throws(APIError) -> [UInt8] {
    guard var answer = try? Answer(serializedBytes: bytes) else {
      throw APIError(.internalError, "the answer cannot be read again")
    }
    answer.hide(from: subject)
    return try encodedWithSortedKeys(answer)
  }
}

/// Events as their reader may see them, until the reader's token ends.
struct ViewedSource<Event: Message>: EventSource {
  var source: any EventSource
  let caller: Caller

  var isOver: Bool { source.isOver }

  mutating func next(_ room: StreamRoom, patience: Duration) async throws -> [StreamEvent] {
    let events = try await source.next(room, patience: patience)
    guard caller.role == .user, Event.self is any RoleViewed.Type else { return events }
    return try events.map { event in
      StreamEvent(
        kind: event.kind, resumeToken: event.resumeToken,
        message: try RoleView.shown(event.message, Event.self, to: caller))
    }
  }
}

extension Moyeo_V1_Party {
  /// Members see all of it; others the trip, the seats and how many are aboard. Requests to join are seen by
  /// the host, and by each rider their own.
  fileprivate mutating func hide(from subject: String) {
    if hostID != subject { joinRequests.removeAll { $0.riderID != subject } }
    guard !riders.contains(where: { $0.riderID == subject }) else { return }
    if hasSnappedOrigin { origin = snappedOrigin }
    clearHostID()
    riders = []
    if hasRoute {
      route.stopOrder = []
      route.stops = []
    }
    if hasFare { fare.shares = [] }
    clearSettlement()
  }
}

extension Moyeo_V1_PartyResponse: RoleViewed {
  mutating func hide(from subject: String) {
    if joinRequest.riderID != subject, party.hostID != subject { clearJoinRequest() }
    if hasParty { party.hide(from: subject) }
  }
}

extension Moyeo_V1_PartyListResponse: RoleViewed {
  mutating func hide(from subject: String) {
    for index in parties.indices { parties[index].hide(from: subject) }
  }
}

extension Moyeo_V1_MatchCandidate {
  /// Where in the order of stops the reader gets off is theirs to know, not who else does.
  fileprivate mutating func hide(from subject: String) {
    let isMember = party.riders.contains { $0.riderID == subject }
    party.hide(from: subject)
    guard !isMember else { return }
    stopOrder = stopOrder.map { $0 == subject ? $0 : "" }
    if hasRoute { route.hideOthers(from: subject) }
  }
}

extension Moyeo_V1_PartyRoute {
  /// Where in the order the reader gets in and out, without the names of others.
  fileprivate mutating func hideOthers(from subject: String) {
    stopOrder = stopOrder.map { $0 == subject ? $0 : "" }
    for index in stops.indices where stops[index].riderID != subject { stops[index].riderID = "" }
  }
}

extension Moyeo_V1_MatchPartiesResponse: RoleViewed {
  mutating func hide(from subject: String) {
    for index in candidates.indices { candidates[index].hide(from: subject) }
  }
}

extension Moyeo_V1_WatchMatchesEvent: RoleViewed {
  mutating func hide(from subject: String) {
    for index in candidates.indices { candidates[index].hide(from: subject) }
  }
}

extension Moyeo_V1_PreviewJoinResponse: RoleViewed {
  /// Of those aboard a joiner sees what they themselves would pay.
  mutating func hide(from subject: String) {
    now.removeAll { $0.riderID != subject }
    ifFull.removeAll { $0.riderID != subject }
    if hasRoute { route.hideOthers(from: subject) }
    if hasFare { fare.shares.removeAll { $0.riderID != subject } }
  }
}

extension Moyeo_V1_Event: RoleViewed {
  /// Who should hear of an event sees it; others see that it happened.
  mutating func hide(from subject: String) {
    guard !userIds.contains(subject) else { return }
    userIds = []
    clearBody()
  }
}
