/// Why PostgreSQL did not do what it was asked.
struct PostgresFailure: Error, Hashable, CustomStringConvertible {
  enum Kind: Hashable {
    /// The server refused a statement: nothing of its transaction happened. The connection is good.
    case refused
    /// The connection is gone, or gives no answer in time: what was sent last may or may not have
    /// happened.
    case lost
  }

  var kind: Kind
  /// Five characters of the server's; empty when it said nothing.
  var state: String
  var reason: String

  init(_ kind: Kind, _ reason: String, state: String = "") {
    self.kind = kind
    self.state = state
    // libpq ends its messages with newlines, and has several lines for several hosts.
    self.reason = reason.split(whereSeparator: \.isNewline).joined(separator: "; ")
  }

  var description: String { state.isEmpty ? reason : "\(reason) (\(state))" }

  /// Whether this server takes no writes at all now, so that another one, or a later try, is asked:
  /// it is going down, is a standby, or has no room.
  var isOfServer: Bool {
    kind == .lost || state.hasPrefix("57") || state.hasPrefix("53") || state == "25006"
  }
}
