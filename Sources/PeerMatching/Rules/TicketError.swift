public import ObjectModel

/// Why a command on a ticket is refused. ``reason`` and ``field`` are words for the wire.
public enum TicketError: Error, Hashable, Sendable {
  /// Nobody of this id has ever waited here.
  case unknown(userID: String)
  /// After reports, until its end.
  case banned(until: Instant)
  /// After calling off a match, until its end.
  case penalised(until: Instant)
  /// Nobody waits without it.
  case attributeRequired(name: String)
  /// The one who acts meets somebody.
  case alreadyMatched(otherID: String)
  /// The one who acts does not wait.
  case notWaiting
  /// The other one meets somebody else.
  case otherMatched(otherID: String)
  /// The other one no longer waits.
  case otherGone(otherID: String)
  /// The other one has asked already: accept it.
  case otherAskedYou(otherID: String)
  /// There is no proposal of the other one.
  case notAsked(otherID: String)
  /// The proposal stood for a while, which is over.
  case proposalExpired(at: Instant)
  /// The other one has said no in this waiting.
  case declined(otherID: String)
  /// One of the two lacks what the other looks for.
  case notWanted(attribute: String)
  /// The one who acts has blocked the other.
  case blockedByYou(otherID: String)
  /// The two do not meet, nor did they last.
  case notMatched(otherID: String)
  case alreadyRated(otherID: String)
  /// Nobody does that to themselves.
  case oneself
  case missingID(field: String)
  case tooMany(field: String, limit: Int)
  /// A number outside its range.
  case numberOutOfRange(field: String, value: Int64, allowed: ClosedRange<Int64>)
  /// A wish without values, or with an empty name.
  case badWish(name: String)
}

extension TicketError {
  /// One word a cause, as in the error table.
  public var reason: String {
    switch self {
    case .unknown: "unknown_ticket"
    case .banned: "banned"
    case .penalised: "penalty"
    case .attributeRequired: "attribute_required"
    case .alreadyMatched: "already_matched"
    case .notWaiting: "not_waiting"
    case .otherMatched: "other_matched"
    case .otherGone: "other_gone"
    case .otherAskedYou: "other_asked_you"
    case .notAsked: "not_asked"
    case .proposalExpired: "proposal_expired"
    case .declined: "declined"
    case .notWanted: "not_wanted"
    case .blockedByYou: "blocked_by_you"
    case .notMatched: "not_matched"
    case .alreadyRated: "already_rated"
    case .oneself: "oneself"
    case .missingID: "bad_id"
    case .tooMany: "quota_exceeded"
    case .numberOutOfRange: "limit_out_of_range"
    case .badWish: "bad_value"
    }
  }

  /// Whether the request itself is wrong, whatever the state of the tickets.
  public var isInvalidArgument: Bool {
    switch self {
    case .oneself, .missingID, .numberOutOfRange, .badWish, .attributeRequired: true
    case .unknown, .banned, .penalised, .alreadyMatched, .notWaiting, .otherMatched, .otherGone,
      .otherAskedYou, .notAsked, .proposalExpired, .declined, .notWanted, .blockedByYou,
      .notMatched, .alreadyRated, .tooMany:
      false
    }
  }

  /// The offending field of the request, where there is one.
  public var field: String? {
    switch self {
    case .missingID(let field), .tooMany(let field, _), .numberOutOfRange(let field, _, _): field
    case .badWish: "wanted"
    case .attributeRequired: "attributes"
    case .oneself, .otherMatched, .otherGone, .otherAskedYou, .notAsked, .proposalExpired,
      .declined, .notWanted, .blockedByYou, .notMatched, .alreadyRated:
      "otherId"
    case .unknown: "userId"
    case .banned, .penalised, .alreadyMatched, .notWaiting: nil
    }
  }

  /// What happened; names nobody, so that it can be shown to anyone.
  public var message: String {
    switch self {
    case .unknown: "this person has never waited here"
    case .banned: "waiting is forbidden after reports, until the ban ends"
    case .penalised: "waiting is forbidden for a while after calling a match off"
    case .attributeRequired(let name): "\(name) must be known to wait here"
    case .alreadyMatched: "you meet somebody already"
    case .notWaiting: "you do not wait: open a ticket first"
    case .otherMatched: "the other one meets somebody else"
    case .otherGone: "the other one no longer waits"
    case .otherAskedYou: "the other one has asked you already: accept it"
    case .notAsked: "the other one has not asked you"
    case .proposalExpired: "the proposal has expired"
    case .declined: "the other one has declined"
    case .notWanted(let attribute): "\(attribute) is not what one of you two looks for"
    case .blockedByYou: "you have blocked the other one"
    case .notMatched: "you two do not meet"
    case .alreadyRated: "you have rated this meeting already"
    case .oneself: "otherId must be somebody else"
    case .missingID(let field): "\(field) must not be empty"
    case .tooMany(let field, let limit): "at most \(limit) \(field)"
    case .numberOutOfRange(let field, let value, let allowed):
      "\(field) is \(value), allowed are \(allowed.lowerBound)-\(allowed.upperBound)"
    case .badWish(let name): "the wanted attribute \"\(name)\" needs a name and a value"
    }
  }

  /// When another try may go better.
  public var until: Instant? {
    switch self {
    case .banned(let until), .penalised(let until): until
    default: nil
    }
  }
}
