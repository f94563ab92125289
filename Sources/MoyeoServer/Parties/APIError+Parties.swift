import MoyeoAPI
import FareEstimation
import Parties
import RideMatching
import WireFormat
import DurableCommands

extension APIError {
  /// The one place where refusals of the party partyService get their reasons.
  init(_ error: PartyServiceError) {
    if case .rule(let rule) = error {
      self.init(rule)
      return
    }
    if case .commute(let commute) = error {
      self.init(commute)
      return
    }
    let reason = Reason(error)
    if let field = error.field {
      self.init(reason, field: field, error.message)
    } else {
      self.init(reason, error.message)
    }
    retryAfterMilliseconds = error.retryAfterMilliseconds
    if case .unknownParty = error { fields = [] }
    if case .offerOver(let state) = error { metadata = ["state": state.rawValue] }
    if case .banned(let until) = error { metadata = ["until": RFC3339.utc(until)] }
    if case .resumeTokenExpired(let oldest, let newest) = error {
      metadata = ["oldest": "\(oldest)", "newest": "\(newest)"]
    }
    if case .resumeTokenAhead(let newest) = error { metadata = ["newest": "\(newest)"] }
  }

  /// The one place where the rules of parties get their reasons.
  init(_ error: PartyError) {
    if case .fare(let inner) = error {
      self.init(FareRequestError.fare(inner))
      return
    }
    let reason = Reason(error)
    if let field = error.wireField {
      self.init(reason, field: field, error.message)
    } else {
      self.init(reason, error.message)
    }
    metadata = error.figures
  }
}

extension Reason {
  fileprivate init(_ error: PartyServiceError) {
    switch error {
    case .rule(let rule): self = Reason(rule)
    case .unknownParty: self = .unknownParty
    case .unknownRequest: self = .unknownRideRequest
    case .unknownOffer: self = .unknownRideOffer
    case .offerOver: self = .rideOfferEnded
    case .commute(let error): self = Reason(error)
    case .banned: self = .banned
    case .commit(let failure): self = Reason(failure)
    case .badCursor: self = .badCursor
    case .badVersion: self = .badVersion
    case .versionNotReached: self = .unavailable
    case .badField: self = .badValue
    case .missingField: self = .missingField
    case .limitOutOfRange: self = .limitOutOfRange
    case .resumeTokenExpired: self = .resumeTokenExpired
    case .resumeTokenAhead: self = .resumeTokenAhead
    case .quotaExceeded: self = .quotaExceeded
    case .tooMuchWork: self = .tooMuchWork
    case .abandoned: self = .deadlineExceeded
    }
  }

  init(_ error: PartyError) {
    switch error {
    case .full: self = .partyFull
    case .departed: self = .partyDeparted
    case .cancelled: self = .partyCancelled
    case .ended: self = .partyEnded
    case .notDeparted: self = .notDeparted
    case .departureTooEarly: self = .tooEarly
    case .policyViolation: self = .policyViolation
    case .blocked: self = .blocked
    case .unknownPolicy: self = .unknownPolicy
    case .overlapping: self = .overlappingParty
    case .detourExceeded, .detourTimeExceeded: self = .detourExceeded
    case .rideTooLong: self = .rideTooLong
    case .arrivesTooLate: self = .arrivesTooLate
    case .boardingMissed: self = .windowMissed
    case .sharedTooLittle: self = .sharedTooLittle
    case .walkExceeded: self = .walkExceeded
    case .shareExceeded: self = .shareExceeded
    case .raisesShare: self = .raisesShare
    case .notHost: self = .notHost
    case .notMember: self = .notMember
    case .alreadyMember: self = .alreadyMember
    case .duplicateRider: self = .duplicateRider
    case .missingID: self = .badID
    case .departureInPast: self = .departureInPast
    case .seatsOutOfRange, .numberOutOfRange: self = .limitOutOfRange
    case .amountOutOfRange: self = .amountOutOfRange
    case .hostNotRemovable: self = .hostNotRemovable
    case .tripTooShort: self = .tripTooShort
    case .currencyMismatch: self = .currencyMismatch
    case .badCurrency: self = .badValue
    case .nothingToHold: self = .conflictingFields
    case .alreadyRequested: self = .alreadyRequested
    case .unknownJoinRequest: self = .unknownJoinRequest
    case .joinRequestOver: self = .joinRequestEnded
    case .tooManyRequests, .tooManyPending: self = .quotaExceeded
    case .noTariffHere: self = .noTariffHere
    case .fare(let inner): self = APIError(FareRequestError.fare(inner)).reason
    }
  }
}

extension PartyError {
  /// The field's name in requests.
  fileprivate var wireField: String? {
    switch field {
    case "hostWeight": "weight"
    case "policy": "policyPack"
    default: field
    }
  }

  /// What a program may want to show otherwise than the sentence does; names no rider.
  fileprivate var figures: [String: String] {
    switch self {
    case .full(let free, let wanted): ["seatsFree": "\(free)", "seats": "\(wanted)"]
    case .departed(let at), .cancelled(let at), .ended(let at):
      ["at": RFC3339.utc(at)]
    case .notDeparted(let state): ["state": state.rawValue]
    case .departureTooEarly(_, let start): ["windowStart": RFC3339.utc(start)]
    case .policyViolation(_, let attribute, let isUnknown):
      ["attribute": attribute, "unknown": isUnknown ? "true" : "false"]
    case .unknownPolicy(let name): ["policyPack": name]
    case .overlapping(_, let party, let allowed):
      ["partyId": party, "allowed": "\(allowed)"]
    case .detourExceeded(_, let ride, let limit):
      ["rideMeters": "\(ride)", "limitMeters": "\(limit)"]
    case .detourTimeExceeded(_, let detour, let limit):
      ["detourSeconds": "\(detour)", "limitSeconds": "\(limit)"]
    case .rideTooLong(_, let ride, let limit):
      ["rideSeconds": "\(ride)", "limitSeconds": "\(limit)"]
    case .arrivesTooLate(_, let arrival, let limit):
      ["arrival": RFC3339.utc(arrival), "arriveBy": RFC3339.utc(limit)]
    case .boardingMissed(_, let arrival, let window):
      [
        "boardingTime": RFC3339.utc(arrival), "from": RFC3339.utc(window.start),
        "to": RFC3339.utc(window.end),
      ]
    case .sharedTooLittle(_, let ratio, let limit):
      ["sharedRatio": "\(ratio)", "limit": "\(limit)"]
    case .walkExceeded(let walk, let limit):
      ["walkMeters": "\(walk)", "limitMeters": "\(limit)"]
    case .shareExceeded(let share, let limit): ["share": "\(share)", "maxShare": "\(limit)"]
    case .raisesShare(_, let share, let accepted):
      ["share": "\(share)", "acceptedShare": "\(accepted)"]
    case .departureInPast(let departure, let now):
      ["departureTime": RFC3339.utc(departure), "now": RFC3339.utc(now)]
    case .seatsOutOfRange(_, let seats, let allowed):
      ["seats": "\(seats)", "least": "\(allowed.lowerBound)", "most": "\(allowed.upperBound)"]
    case .joinRequestOver(let state): ["state": state.rawValue]
    case .tooManyRequests(let limit), .tooManyPending(let limit): ["limit": "\(limit)"]
    case .currencyMismatch(let agreed, let tariff): ["agreed": agreed, "tariff": tariff]
    case .badCurrency, .nothingToHold, .alreadyRequested, .unknownJoinRequest,
      .blocked, .notHost, .notMember, .alreadyMember, .duplicateRider, .missingID,
      .numberOutOfRange,
      .amountOutOfRange, .hostNotRemovable, .tripTooShort, .noTariffHere, .fare:
      [:]
    }
  }
}
