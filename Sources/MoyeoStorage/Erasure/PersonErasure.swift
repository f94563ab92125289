package import DurableCommands
import ObjectModel
import Parties
import Tickets
import WireFormat

/// Whose id leaves the files of a data directory, and what stands in its place.
package struct PersonErasure: PersonRewriting, Hashable {
  package let tenant: String
  package let userID: String
  /// Drawn at random, so that nothing leads from it to the id.
  package let pseudonym: String

  /// Draws a pseudonym for a person.
  package init(tenant: String, userID: String) {
    self.tenant = tenant
    self.userID = userID
    var random = SystemRandomNumberGenerator()
    pseudonym = Self.pseudonymPrefix + FixedDigits.hex(random.next())
  }

  /// What pseudonyms begin with; somebody's id may begin so as well.
  package static let pseudonymPrefix = OperatorNote.pseudonymPrefix

  /// The id inside a JSON string, as this service writes it.
  package var escaped: [UInt8] {
    let object = JSONWriter.object { $0.string("x", userID) }
    return Array(object[6..<(object.count - 2)])
  }

  /// What must not be found in a file: the id as it is, and as JSON has it.
  package var needles: [[UInt8]] {
    let plain = Array(userID.utf8)
    return escaped == plain ? [plain] : [plain, escaped]
  }
}

extension PersonErasure {
  /// What becomes of an aggregate.
  ///
  /// - Throws: ``WireFormatError`` for bytes that nobody can read.
  package func rewriting(
    _ kind: String, id: String, ownerID: String, _ bytes: [UInt8]
  ) throws -> RewrittenRow {
    let other: (bytes: [UInt8], ownerID: String)?
    switch kind {
    case "party": other = try PartyRecord.replacing(userID, by: pseudonym, in: bytes)
    case "ticket":
      if id == userID { return .removed }
      other = try TicketRecord.replacing(userID, by: pseudonym, in: bytes)
    case "commute":
      if ownerID == userID { return .removed }
      other = try CommuteRecord.removing(rider: userID, from: bytes)
    default: return ownerID == userID ? .removed : .unchanged
    }
    return other.map { .changed(bytes: $0.bytes, ownerID: $0.ownerID) } ?? .unchanged
  }

  private func renamed(_ id: String) -> String { id == userID ? pseudonym : id }

  /// An event without the person.
  package func rewritten(_ known: StoredEvent) -> StoredEvent {
    var event = known
    event.aggregateID = renamed(event.aggregateID)
    event.userIDs = event.userIDs.map(renamed)
    event.body = rewritten(
      json: event.body, wholeTexts: event.kind.hasPrefix(OperatorNote.kindPrefix))
    return event
  }

  /// A JSON text whose strings are the pseudonym where they were the id; names of fields stay.
  ///
  /// - Parameters:
  ///   - json: As this service writes it.
  ///   - wholeTexts: Whether a string that has the id somewhere in it is replaced as well: what an
  ///     operator wrote.
  /// - Returns: The text.
  func rewritten(json: [UInt8], wholeTexts: Bool) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    let escaped = escaped
    var out: [UInt8] = []
    out.reserveCapacity(json.count + 32)
    var at = 0
    while at < json.count {
      guard json[at] == quote else {
        out.append(json[at])
        at += 1
        continue
      }
      var end = at + 1
      while end < json.count, json[end] != quote {
        end += json[end] == UInt8(ascii: "\\") ? 2 : 1
      }
      guard end < json.count else { return out + json[at...] }
      let text = json[(at + 1)..<end]
      let isName = end + 1 < json.count && json[end + 1] == UInt8(ascii: ":")
      if !isName, text.elementsEqual(escaped) {
        out += "\"\(pseudonym)\"".utf8
      } else if !isName, wholeTexts, Self.contains(text, escaped) {
        out += "\"erased\"".utf8
      } else {
        out += json[at...end]
      }
      at = end + 1
    }
    return out
  }

  private static func contains(_ text: ArraySlice<UInt8>, _ part: [UInt8]) -> Bool {
    guard !part.isEmpty, text.count >= part.count else { return false }
    return (text.startIndex...(text.endIndex - part.count)).contains {
      text[$0..<($0 + part.count)].elementsEqual(part)
    }
  }
}

/// Numbers as 16 hexadecimal digits.
enum FixedDigits {
  static func hex(_ value: UInt64) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}
