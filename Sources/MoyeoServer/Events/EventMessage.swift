import MoyeoAPI
import DurableCommands
import SwiftProtobuf

extension Moyeo_V1_Event {
  private static let prefixes = ["party.", ticketPrefix]
  private static let commutePrefix = "commute."
  private static let ticketPrefix = "ticket."
  private static let offerPrefix = "offer."
  private static let operatorKindOfCommutes =
    OperatorNote.kindPrefix + OperatorNote.Action.commuteClosed.rawValue
  private static let operatorKindsOfPeople = Set(
    OperatorNote.Action.allCases.filter { $0 != .partyCancelled && $0 != .commuteClosed }
      .map { OperatorNote.kindPrefix + $0.rawValue })

  /// A durable event; `isOfParty`: with the kind that the own stream of a party or ticket uses,
  /// `joined` for `party.joined`.
  init(_ event: StoredEvent, isOfParty: Bool) {
    self.init()
    sequence = Int64(clamping: event.sequence)
    let prefix = isOfParty ? Self.prefixes.first(where: event.kind.hasPrefix) ?? "" : ""
    kind = String(event.kind.dropFirst(prefix.count))
    at = Google_Protobuf_Timestamp(event.at)
    let isOfPerson =
      event.kind.hasPrefix(Self.ticketPrefix) || Self.operatorKindsOfPeople.contains(event.kind)
    if event.kind.hasPrefix(Self.commutePrefix) || event.kind == Self.operatorKindOfCommutes {
      commuteID = event.aggregateID
    } else if event.kind.hasPrefix(Self.offerPrefix) {
      rideOfferID = event.aggregateID
    } else if !isOfPerson {
      partyID = event.aggregateID
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
