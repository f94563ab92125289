import DurableCommands
import ObjectModel
import PeerMatching
import WireFormat

/// What the commit thread carries out: a command of the rules, and who of the operators gave it.
struct TicketServiceCommand: Sendable {
  var command: TicketCommand
  /// Nil: a person, a service or the clock did.
  var note: OperatorNote?

  init(_ command: TicketCommand, note: OperatorNote? = nil) {
    self.command = command
    self.note = note
  }

  /// What the operator's event says.
  func body(_ note: OperatorNote) -> [UInt8] {
    JSONWriter.object { json in
      json.string("userId", command.userID)
      json.string("actor", note.actor)
      json.string("reason", note.reason)
      if case .ban(_, let until?) = command { json.string("until", RFC3339.utc(until)) }
    }
  }
}
