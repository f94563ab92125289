package import DurableCommands
import ObjectModel
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
  /// The search would look at more than the request's budget of steps; `field` names what makes
  /// it long.
  case tooMuchWork(limit: Int, field: String)
  /// The caller has left, or its deadline has passed.
  case abandoned
}

extension TicketServiceError {
  /// The offending field of the request, where there is one.
  package var field: String? {
    switch self {
    case .rule(let error): error.field
    case .badCursor: "cursor"
    case .badVersion: "afterVersion"
    case .badField(let field, _), .limitOutOfRange(let field, _, _),
      .tooMuchWork(_, let field):
      field
    case .resumeTokenExpired: "resumeToken"
    case .nowhereToLook: "lookingAt"
    case .commit, .abandoned: nil
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
    case .tooMuchWork(let limit, let field):
      "this search takes more than the \(limit) steps a request may take; narrow \(field)"
    case .abandoned: "nobody waits for this search any more"
    }
  }

  /// When another try may go better; nil where it will not, or not before `TicketError/until`.
  package var retryAfterMilliseconds: Int64? {
    switch self {
    case .commit(let failure): failure.retryAfterMilliseconds
    case .abandoned: 0
    case .rule, .badCursor, .badVersion, .badField,
      .limitOutOfRange, .resumeTokenExpired, .nowhereToLook, .tooMuchWork:
      nil
    }
  }

  /// Why work ends early; the field makes it long.
  init(_ exhaustion: WorkBudget.Exhaustion, field: String) {
    switch exhaustion {
    case .steps(let limit): self = .tooMuchWork(limit: limit, field: field)
    case .deadlinePassed, .cancelled: self = .abandoned
    }
  }

  init(_ error: EventFeedError) {
    switch error {
    case .resumeTokenExpired(let oldest, let newest):
      self = .resumeTokenExpired(oldest: oldest, newest: newest)
    case .unavailable(let reason): self = .commit(.unreadable(reason: reason))
    }
  }
}
