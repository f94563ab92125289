import MoyeoAPI
import DurableCommands
import SwiftProtobuf

extension Moyeo_V1_Event {
  private static let prefixes = ["party.", ticketPrefix]
  private static let commutePrefix = "commute."
  private static let ticketPrefix = "ticket."
  private static let offerPrefix = "offer."

  /// What an event's aggregate is.
  private enum Subject {
    case person, party, commute, offer

    init(ofKind kind: String) {
      if kind.hasPrefix(commutePrefix) {
        self = .commute
      } else if kind.hasPrefix(offerPrefix) {
        self = .offer
      } else if kind.hasPrefix(ticketPrefix) {
        self = .person
      } else {
        switch OperatorNote.Action(kind: kind) {
        case .partyCancelled, nil: self = .party
        case .commuteClosed: self = .commute
        case .banned, .unbanned, .penaltyCleared, .ticketClosed, .erased: self = .person
        }
      }
    }
  }

  /// A durable event; `isOfParty`: with the kind that the own stream of a party or ticket uses,
  /// `joined` for `party.joined`.
  init(_ event: StoredEvent, isOfParty: Bool) {
    self.init()
    sequence = Int64(clamping: event.sequence)
    let prefix = isOfParty ? Self.prefixes.first(where: event.kind.hasPrefix) ?? "" : ""
    kind = String(event.kind.dropFirst(prefix.count))
    at = Google_Protobuf_Timestamp(event.at)
    switch Subject(ofKind: event.kind) {
    case .commute: commuteID = event.aggregateID
    case .offer: rideOfferID = event.aggregateID
    case .party: partyID = event.aggregateID
    case .person: break
    }
    if let match = event.matchID { matchID = match }
    userIds = event.userIDs
    version = String(event.version)
    body = (try? Google_Protobuf_Struct(jsonUTF8Bytes: event.body)) ?? Google_Protobuf_Struct()
    resumeToken = String(event.sequence)
  }

  /// The same event is the same bytes, however often it is told.
  func encodedInOrder() throws(APIError) -> [UInt8] { try encodedWithSortedKeys(self) }

  static func heartbeat(_ token: String?) -> Moyeo_V1_Event {
    var event = Moyeo_V1_Event()
    event.kind = "heartbeat"
    if let token { event.resumeToken = token }
    return event
  }
}

/// Bytes of a message in which the names of a Struct stand sorted.
func encodedWithSortedKeys(_ message: some Message) throws(APIError) -> [UInt8] {
  var options = BinaryEncodingOptions()
  options.useDeterministicOrdering = true
  guard let bytes: [UInt8] = try? message.serializedBytes(options: options) else {
    throw APIError(.internalError, "the answer could not be encoded")
  }
  return bytes
}
