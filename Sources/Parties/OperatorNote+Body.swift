import DurableCommands
import WireFormat

extension OperatorNote {
  /// What its event says.
  ///
  /// - Parameters:
  ///   - name: Of the id, e.g. `partyId`.
  ///   - id: What or who is concerned.
  /// - Returns: A JSON object as UTF-8.
  func body(_ name: String, _ id: String) -> [UInt8] {
    JSONWriter.object { json in
      json.string(name, id)
      json.string("actor", actor)
      json.string("reason", reason)
    }
  }
}
