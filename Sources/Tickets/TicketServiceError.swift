package import DurableCommands
package import PeerMatching

/// Why ``TicketService`` does not do what it was asked.
package enum TicketServiceError: Error, Hashable, Sendable {
  /// The rules of tickets forbid it, or the request breaks them.
  case rule(TicketError)
  /// The command was not carried out, whatever the rules say.
  case commit(CommitFailure)
  /// Not a cursor of ours, or of another query.
  case badCursor
  /// Not a version that this service gave out.
  case badVersion(String)
  /// A field that cannot be.
  case badField(String, message: String)
  case limitOutOfRange(field: String, value: Double, allowed: ClosedRange<Double>)
  /// Events after this sequence are kept no longer, or it was never given.
  case resumeTokenExpired(oldest: UInt64, newest: UInt64)
  /// Somebody without a ticket must say where they look.
  case nowhereToLook
}

extension TicketServiceError {
  /// The offending field of the request, where there is one.
  package var field: String? {
    switch self {
    case .rule(let error): error.field
    case .badCursor: "cursor"
    case .badVersion: "afterVersion"
    case .badField(let field, _), .limitOutOfRange(let field, _, _): field
    case .resumeTokenExpired: "resumeToken"
    case .nowhereToLook: "lookingAt"
    case .commit: nil
    }
  }

  package var message: String {
    switch self {
    case .rule(let error): error.message
    case .commit(let failure): failure.message
    case .badCursor: "not a cursor of this query"
    case .badVersion(let text): "\"\(text)\" is not a version of a ticket"
    case .badField(let field, let message): "\(field) \(message)"
    case .limitOutOfRange(let field, let value, let allowed):
      "\(field) is \(value), allowed are \(allowed.lowerBound)-\(allowed.upperBound)"
    case .resumeTokenExpired(let oldest, let newest):
      "events are kept from \(oldest) to \(newest): read afresh"
    case .nowhereToLook: "somebody without a ticket must say where they look"
    }
  }

  /// When another try may go better; nil where it will not, or not before `TicketError/until`.
  package var retryAfterMilliseconds: Int64? {
    switch self {
    case .commit(let failure): failure.retryAfterMilliseconds
    case .rule, .badCursor, .badVersion, .badField,
      .limitOutOfRange, .resumeTokenExpired, .nowhereToLook:
      nil
    }
  }

  init(_ error: EventFeedError) {
    switch error {
    case .resumeTokenExpired(let oldest, let newest):
      self = .resumeTokenExpired(oldest: oldest, newest: newest)
    case .unavailable(let reason): self = .commit(.unavailable(reason: reason))
    }
  }
}
