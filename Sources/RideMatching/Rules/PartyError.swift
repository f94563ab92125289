public import GeoMath
public import ObjectModel
import RoutePlanning
public import TaxiFares

/// Why a command on a party is refused. ``reason`` and ``field`` are words for the wire.
public enum PartyError: Error, Hashable, Sendable {
  /// Fewer seats free than asked for.
  case full(seatsFree: Int, wanted: Int)
  /// The taxi has left, or its window has ended.
  case departed(at: Instant)
  case cancelled(at: Instant)
  case ended(at: Instant)
  /// Only a ride that has begun can be settled, or a no-show be told.
  case notDeparted(state: Party.State)
  /// The host may close joining from the window's start on.
  case departureTooEarly(now: Instant, windowStart: Instant)
  /// Someone differs from the host in an attribute that must be the same, or it is unknown of them.
  case policyViolation(riderID: String, attribute: String, isUnknown: Bool)
  /// The joiner and someone aboard do not want to meet.
  case blocked(riderID: String)
  case unknownPolicy(name: String)
  /// The rider is in so many parties at that time already.
  case overlapping(riderID: String, partyID: String, allowed: Int)
  /// Every order of drop-offs makes some ride too long; in the shortest it is this rider's.
  case detourExceeded(riderID: String, rideMeters: Double, limitMeters: Double)
  /// The same, of the time beyond the direct route.
  case detourTimeExceeded(riderID: String, detourSeconds: Double, limitSeconds: Double)
  /// A ride would take longer than its rider's ``RideLimits/maxRideSeconds``.
  case rideTooLong(riderID: String, rideSeconds: Double, limitSeconds: Double)
  /// A rider would get out after their ``RideLimits/arriveBy``.
  case arrivesTooLate(riderID: String, arrival: Instant, limit: Instant)
  /// The taxi would stop for a rider outside the window in which they can get in.
  case boardingMissed(riderID: String, arrival: Instant, window: DepartureWindow)
  /// Too little of a ride is shared with someone else.
  case sharedTooLittle(riderID: String, ratio: Double, limit: Double)
  case walkExceeded(walkMeters: Double, limitMeters: Double)
  /// The joiner's share is above what they would pay.
  case shareExceeded(share: Int64, maxShare: Int64)
  /// Someone aboard would pay more than they accepted.
  case raisesShare(riderID: String, share: Int64, acceptedShare: Int64)
  case notHost(actorID: String)
  case notMember(riderID: String)
  /// Aboard already, with another destination or other seats.
  case alreadyMember(riderID: String)
  /// Two of those who come together have one id.
  case duplicateRider(field: String, id: String)
  case missingID(field: String)
  case departureInPast(departure: Instant, now: Instant)
  case seatsOutOfRange(field: String, seats: Int, allowed: ClosedRange<Int>)
  /// A number that is not one, or outside its range.
  case numberOutOfRange(field: String, value: Double, allowed: ClosedRange<Double>)
  case amountOutOfRange(field: String, amount: Int64, allowed: ClosedRange<Int64>)
  /// The host leaves or cancels; nobody removes them.
  case hostNotRemovable(hostID: String)
  /// A trip that ends where it begins, within ``TripLength/minimumMeters``.
  case tripTooShort(field: String, meters: Double)
  /// The agreed fare has another currency than the tariff that is named.
  case currencyMismatch(agreed: String, tariff: String)
  /// Not three capital letters.
  case badCurrency(field: String, currency: String)
  /// Only requests that a host decides hold seats.
  case nothingToHold
  /// The rider waits for the host's word already, with another destination or other seats.
  case alreadyRequested(riderID: String)
  /// The party has no such request, or has forgotten it.
  case unknownJoinRequest(id: String)
  /// The request ended otherwise.
  case joinRequestOver(state: PartyJoinRequest.State)
  /// The rider has asked this host so many times.
  case tooManyRequests(limit: Int)
  /// So many requests wait for the host.
  case tooManyPending(limit: Int)
  /// No area with a tariff holds the origin.
  case noTariffHere(Coordinate)
  /// The ride cannot be priced.
  case fare(FareError)
}

extension PartyError {
  /// One word a cause, as in the error table. Of ``fare(_:)`` the inner error knows better.
  public var reason: String {
    switch self {
    case .full: "party_full"
    case .departed: "party_departed"
    case .cancelled: "party_cancelled"
    case .ended: "party_ended"
    case .notDeparted: "party_not_departed"
    case .departureTooEarly: "departure_too_early"
    case .policyViolation: "policy_violation"
    case .blocked: "blocked"
    case .unknownPolicy: "unknown_policy"
    case .overlapping: "overlapping_party"
    case .detourExceeded, .detourTimeExceeded: "detour_exceeded"
    case .rideTooLong: "ride_too_long"
    case .arrivesTooLate: "arrives_too_late"
    case .boardingMissed: "window_missed"
    case .sharedTooLittle: "shared_too_little"
    case .walkExceeded: "walk_exceeded"
    case .shareExceeded: "share_exceeded"
    case .raisesShare: "raises_share"
    case .notHost: "not_host"
    case .notMember: "not_member"
    case .alreadyMember: "already_member"
    case .duplicateRider: "duplicate_rider"
    case .missingID: "bad_id"
    case .departureInPast: "departure_in_past"
    case .seatsOutOfRange: "seats_out_of_range"
    case .numberOutOfRange: "limit_out_of_range"
    case .amountOutOfRange: "amount_out_of_range"
    case .hostNotRemovable: "host_not_removable"
    case .tripTooShort: "trip_too_short"
    case .currencyMismatch: "currency_mismatch"
    case .badCurrency: "bad_value"
    case .nothingToHold: "conflicting_fields"
    case .alreadyRequested: "already_requested"
    case .unknownJoinRequest: "unknown_join_request"
    case .joinRequestOver: "join_request_ended"
    case .tooManyRequests, .tooManyPending: "quota_exceeded"
    case .noTariffHere: "no_tariff_here"
    case .fare: "no_fare"
    }
  }

  /// Whether the request itself is wrong, whatever the state of the party.
  public var isInvalidArgument: Bool {
    switch self {
    case .unknownPolicy, .duplicateRider, .missingID, .seatsOutOfRange, .numberOutOfRange,
      .amountOutOfRange, .tripTooShort, .noTariffHere, .fare, .currencyMismatch, .badCurrency,
      .nothingToHold:
      true
    case .full, .departed, .cancelled, .ended, .notDeparted, .departureTooEarly, .policyViolation,
      .blocked, .overlapping, .detourExceeded, .detourTimeExceeded, .rideTooLong, .arrivesTooLate,
      .boardingMissed, .sharedTooLittle, .walkExceeded,
      .shareExceeded, .raisesShare, .notHost, .notMember, .alreadyMember, .departureInPast,
      .hostNotRemovable, .alreadyRequested, .unknownJoinRequest, .joinRequestOver,
      .tooManyRequests, .tooManyPending:
      false
    }
  }

  /// The offending field of the request, where there is one.
  public var field: String? {
    switch self {
    case .duplicateRider(let field, _), .missingID(let field), .seatsOutOfRange(let field, _, _),
      .numberOutOfRange(let field, _, _), .amountOutOfRange(let field, _, _),
      .tripTooShort(let field, _), .badCurrency(let field, _):
      field
    case .currencyMismatch: "agreedFare.currency"
    case .nothingToHold: "holdSeats"
    case .unknownJoinRequest: "requestId"
    case .full: "seats"
    case .departureInPast: "departureTime"
    case .unknownPolicy: "policy"
    case .noTariffHere: "origin"
    case .fare: "destination"
    case .walkExceeded: "origin"
    case .shareExceeded: "maxShare"
    case .policyViolation: "attributes"
    case .departed, .cancelled, .ended, .notDeparted, .departureTooEarly, .blocked, .overlapping,
      .detourExceeded, .detourTimeExceeded, .rideTooLong, .arrivesTooLate, .boardingMissed,
      .sharedTooLittle, .raisesShare, .notHost, .notMember,
      .alreadyMember, .hostNotRemovable, .alreadyRequested, .joinRequestOver, .tooManyRequests,
      .tooManyPending:
      nil
    }
  }

  /// What happened, with the figures; names no rider, so that it can be shown to anyone.
  public var message: String {
    switch self {
    case .full(let free, let wanted):
      free == 0 ? "every seat is taken" : "\(wanted) seats wanted, \(free) free"
    case .departed: "the taxi has left"
    case .cancelled: "the party was cancelled"
    case .ended: "the ride is over"
    case .notDeparted(let state): "the taxi has not left yet: the party is \(state.rawValue)"
    case .departureTooEarly(let now, let start):
      "the window begins in \(Self.seconds(start.milliseconds(since: now)))"
    case .policyViolation(_, let attribute, let isUnknown):
      isUnknown
        ? "\(attribute) must be known to ride in this party"
        : "\(attribute) must be the same for everyone aboard"
    case .blocked: "someone aboard and you do not ride together"
    case .unknownPolicy(let name): "there is no policy \(name)"
    case .overlapping(_, _, let allowed):
      "in as many other parties at that time as are allowed (\(allowed) in all)"
    case .detourExceeded(_, let ride, let limit):
      "a ride would be \(Self.meters(ride)) long, at most \(Self.meters(limit)) is accepted"
    case .detourTimeExceeded(_, let detour, let limit):
      "a ride would take \(Int(detour.rounded())) s more than alone, "
        + "at most \(Int(limit.rounded())) s is accepted"
    case .rideTooLong(_, let ride, let limit):
      "a ride would take \(Int(ride.rounded())) s, at most \(Int(limit.rounded())) s is accepted"
    case .arrivesTooLate(_, let arrival, let limit):
      "a rider would arrive \(Self.seconds(arrival.milliseconds(since: limit))) too late"
    case .boardingMissed(_, let arrival, let window):
      arrival > window.end
        ? "the taxi would stop \(Self.seconds(arrival.milliseconds(since: window.end))) after the "
          + "rider's window"
        : "the taxi would stop \(Self.seconds(window.start.milliseconds(since: arrival))) before "
          + "the rider's window"
    case .sharedTooLittle(_, let ratio, let limit):
      "only \(Int((ratio * 100).rounded(.down))) % of a ride would be shared, "
        + "at least \(Int((limit * 100).rounded(.up))) % is asked for"
    case .walkExceeded(let walk, let limit):
      "the walk to the pick-up is \(Self.meters(walk)), at most \(Self.meters(limit)) is accepted"
    case .shareExceeded(let share, let limit): "the share would be \(share), above \(limit)"
    case .raisesShare(_, let share, let accepted):
      "someone aboard would pay \(share), more than the \(accepted) they accepted"
    case .notHost: "only the host may do this"
    case .notMember: "not aboard this party"
    case .alreadyMember: "aboard already, with another destination or other seats"
    case .duplicateRider(_, let id): "rider \(id) is named twice"
    case .missingID(let field): "\(field) must not be empty"
    case .departureInPast(let departure, let now):
      "the departure lies \(Self.seconds(now.milliseconds(since: departure))) in the past"
    case .seatsOutOfRange(_, let seats, let allowed):
      "\(seats) seats, allowed are \(allowed.lowerBound)-\(allowed.upperBound)"
    case .numberOutOfRange(let field, let value, let allowed):
      "\(field) is \(value), allowed are \(allowed.lowerBound)-\(allowed.upperBound)"
    case .amountOutOfRange(let field, let amount, let allowed):
      "\(field) is \(amount), allowed are \(allowed.lowerBound)-\(allowed.upperBound)"
    case .hostNotRemovable: "the host cannot be removed, only leave or cancel"
    case .tripTooShort(let field, let meters):
      "\(field) is \(Self.meters(meters)) from the origin, closer than the "
        + "\(Self.meters(TripLength.minimumMeters)) that a trip must have"
    case .currencyMismatch(let agreed, let tariff):
      "the agreed fare is in \(agreed), the tariff in \(tariff)"
    case .badCurrency(let field, let currency):
      "\(field) must be three capital letters (ISO 4217), is \"\(currency)\""
    case .nothingToHold: "holdSeats needs approval: requests hold seats, joins take them"
    case .alreadyRequested: "a request with another destination or other seats is pending"
    case .unknownJoinRequest(let id): "the party has no request \(id)"
    case .joinRequestOver(let state): "the request is over: it is \(state.rawValue)"
    case .tooManyRequests(let limit): "at most \(limit) requests of one rider to one party"
    case .tooManyPending(let limit): "at most \(limit) requests wait for one host"
    case .noTariffHere(let place):
      "no area with a tariff holds \(place.latitude), \(place.longitude)"
    case .fare(let error): "the ride cannot be priced: \(error)"
    }
  }

  private static func meters(_ meters: Double) -> String {
    guard meters.isFinite, meters < 1e12 else { return "\(meters) m" }
    return "\(Int64(meters.rounded())) m"
  }

  private static func seconds(_ milliseconds: Int64) -> String { "\(milliseconds / 1000) s" }
}
