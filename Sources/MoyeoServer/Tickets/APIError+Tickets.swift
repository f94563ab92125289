import DurableCommands
import MoyeoAPI
import ObjectModel
import PeerMatching
import Tickets
import WireFormat

extension APIError {
  /// The one place where refusals of the ticket service get their reasons.
  init(_ error: TicketServiceError, now: Instant) {
    let reason = Reason(error)
    if let field = error.field, reason != .unknownTicket {
      self.init(reason, field: field, error.message)
    } else {
      self.init(reason, error.message)
    }
    retryAfterMilliseconds = error.retryAfterMilliseconds
    switch error {
    case .rule(let rule):
      if let until = rule.until {
        metadata = ["until": RFC3339.utc(until)]
        retryAfterMilliseconds = max(0, until.milliseconds(since: now))
      }
      if case .notWanted(let attribute) = rule { metadata = ["attribute": attribute] }
    case .resumeTokenExpired(let oldest, let newest):
      metadata = ["oldest": "\(oldest)", "newest": "\(newest)"]
    case .resumeTokenAhead(let newest): metadata = ["newest": "\(newest)"]
    case .commit, .badCursor, .badVersion, .badField, .limitOutOfRange, .nowhereToLook,
      .tooMuchWork, .abandoned:
      break
    }
  }
}

extension Reason {
  fileprivate init(_ error: TicketServiceError) {
    switch error {
    case .rule(let rule): self = Reason(rule)
    case .commit(let failure): self = Reason(failure)
    case .badCursor: self = .badCursor
    case .badVersion: self = .badVersion
    case .badField: self = .badValue
    case .limitOutOfRange: self = .limitOutOfRange
    case .resumeTokenExpired: self = .resumeTokenExpired
    case .resumeTokenAhead: self = .resumeTokenAhead
    case .nowhereToLook: self = .missingField
    case .tooMuchWork: self = .tooMuchWork
    case .abandoned: self = .deadlineExceeded
    }
  }

  private init(_ error: TicketError) {
    switch error {
    case .unknown: self = .unknownTicket
    case .banned: self = .banned
    case .penalised: self = .penalty
    case .attributeRequired: self = .attributeRequired
    case .alreadyMatched: self = .alreadyMatched
    case .notWaiting: self = .notWaiting
    case .otherMatched: self = .otherMatched
    case .otherGone: self = .otherGone
    case .otherAskedYou: self = .otherAskedYou
    case .notAsked: self = .notAsked
    case .proposalExpired: self = .proposalExpired
    case .declined: self = .declined
    case .notWanted: self = .notWanted
    case .blockedByYou: self = .blockedByYou
    case .notMatched: self = .notMatched
    case .alreadyRated: self = .alreadyRated
    case .oneself: self = .oneself
    case .missingID: self = .badID
    case .tooMany: self = .quotaExceeded
    case .numberOutOfRange: self = .limitOutOfRange
    case .badWish: self = .badValue
    }
  }
}
