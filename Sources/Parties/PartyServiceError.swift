package import DurableCommands
package import ObjectModel
package import RideMatching

/// Why ``PartyService`` does not do what it was asked. ``reason`` and ``field`` are words for the wire.
package enum PartyServiceError: Error, Hashable, Sendable {
  /// The rules of parties forbid it, or the request breaks them.
  case rule(PartyError)
  case unknownParty(String)
  /// No request of that id is kept, or another rider's is.
  case unknownRequest(String)
  /// No offer of that id was made to that rider, or it ended long ago.
  case unknownOffer(String)
  /// The offer ended, otherwise than asked for.
  case offerOver(RideOffer.State)
  /// The rules of commutes forbid it.
  case commute(CommuteError)
  /// Somebody who gets in is banned until then.
  case banned(until: Instant)
  /// The command was not carried out, whatever the rules say.
  case commit(CommitFailure)
  /// Not a cursor of ours, or of another query.
  case badCursor
  /// Not a version that this service gave out.
  case badVersion(String)
  /// The version asked for was not reached in time.
  case versionNotReached(String)
  /// A field that cannot be.
  case badField(String, message: String)
  case missingField(String)
  case limitOutOfRange(field: String, value: Int, allowed: ClosedRange<Int>)
  /// Events after this sequence are kept no longer, or it was never given.
  case resumeTokenExpired(oldest: UInt64, newest: UInt64)
  /// The token was never given, as after a restored copy; the newest there is.
  case resumeTokenAhead(newest: UInt64)
  /// More watchers, or stored requests, than the tenant may have.
  case quotaExceeded(field: String, limit: Int)
  /// The search would look at more than the request's budget of steps; the field makes it long.
  case tooMuchWork(limit: Int, field: String)
  /// The caller has left, or its deadline has passed.
  case abandoned
}

extension PartyServiceError {
  /// One word a cause, as in the error table.
  package var reason: String {
    switch self {
    case .rule(let error): error.reason
    case .unknownParty: "unknown_party"
    case .unknownRequest: "unknown_ride_request"
    case .unknownOffer: "unknown_ride_offer"
    case .offerOver: "ride_offer_ended"
    case .commute(let error): error.reason
    case .banned: "banned"
    case .commit(.overloaded): "overloaded"
    case .commit(.deadlineExceeded): "deadline_exceeded"
    case .commit(.idempotencyMismatch): "idempotency_mismatch"
    case .commit(.unavailable), .commit(.unreadable), .commit(.stopped): "unavailable"
    case .commit(.readOnly): "read_only"
    case .badCursor: "bad_cursor"
    case .badVersion: "bad_version"
    case .versionNotReached: "unavailable"
    case .badField: "bad_value"
    case .missingField: "missing_field"
    case .limitOutOfRange: "limit_out_of_range"
    case .resumeTokenExpired: "resume_token_expired"
    case .resumeTokenAhead: "resume_token_ahead"
    case .quotaExceeded: "quota_exceeded"
    case .tooMuchWork: "too_much_work"
    case .abandoned: "deadline_exceeded"
    }
  }

  /// The offending field of the request, where there is one.
  package var field: String? {
    switch self {
    case .rule(let error): error.field
    case .commute(let error): error.field
    case .badCursor: "cursor"
    case .badVersion, .versionNotReached: "minVersion"
    case .badField(let field, _), .missingField(let field), .limitOutOfRange(let field, _, _),
      .quotaExceeded(let field, _), .tooMuchWork(_, let field):
      field
    case .resumeTokenExpired, .resumeTokenAhead: "after"
    case .unknownParty, .unknownRequest, .unknownOffer: "id"
    case .commit, .abandoned, .banned, .offerOver: nil
    }
  }

  package var message: String {
    switch self {
    case .rule(let error): error.message
    case .unknownParty(let id): "there is no party \(id)"
    case .unknownRequest(let id): "no ride request \(id) is kept"
    case .unknownOffer(let id): "no ride offer \(id) is known to this rider"
    case .offerOver(let state): "the ride offer has ended: it is \(state.rawValue)"
    case .commute(let error): error.message
    case .banned: "offering and joining rides is forbidden until the ban ends"
    case .commit(let failure): failure.message
    case .badCursor: "not a cursor of this query"
    case .badVersion(let text): "\"\(text)\" is not a version of this service"
    case .versionNotReached(let text): "version \(text) is not there yet"
    case .badField(let field, let message): "\(field) \(message)"
    case .missingField(let field): "\(field) is missing"
    case .limitOutOfRange(let field, let value, let allowed):
      "\(field) is \(value), allowed are \(allowed.lowerBound)-\(allowed.upperBound)"
    case .resumeTokenExpired(let oldest, let newest):
      "events are kept from \(oldest) to \(newest): read afresh"
    case .resumeTokenAhead(let newest):
      "the newest event is \(newest): this token is of another record, or of one restored since"
    case .quotaExceeded(let field, let limit): "at most \(limit) \(field)"
    case .tooMuchWork(let limit, let field):
      "this would take more than \(limit) steps of work: narrow \(field)"
    case .abandoned: "the caller left, or its deadline passed, before the answer"
    }
  }

  /// When another try may go better; nil where it will not.
  package var retryAfterMilliseconds: Int64? {
    switch self {
    case .commit(let failure): failure.retryAfterMilliseconds
    case .versionNotReached: 50
    case .quotaExceeded: 1000
    case .abandoned: 0
    case .rule, .unknownParty, .unknownRequest, .unknownOffer, .offerOver, .commute, .banned,
      .badCursor, .badVersion,
      .badField,
      .missingField, .limitOutOfRange, .resumeTokenExpired, .resumeTokenAhead, .tooMuchWork:
      nil
    }
  }
}

extension PartyServiceError {
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
    case .resumeTokenAhead(let newest): self = .resumeTokenAhead(newest: newest)
    case .unavailable(let reason): self = .commit(.unreadable(reason: reason))
    }
  }
}
