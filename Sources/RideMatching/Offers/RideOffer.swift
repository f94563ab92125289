public import ObjectModel

/// A taxi that riders with standing requests would share, told to all of them. It is firm once everybody
/// has accepted: until then nobody has a seat, and nobody owes one.
public struct RideOffer: Hashable, Sendable {
  /// What became of it.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Somebody has still to answer.
    case open
    /// Everybody has accepted, and the party is made.
    case confirmed
    /// Somebody declined.
    case declined
    /// Somebody did not answer in time.
    case expired
    /// A request of it ended, or the party could not be made as it was told.
    case withdrawn
  }

  /// What a rider said to it.
  public enum Answer: String, Hashable, Sendable, CaseIterable {
    case pending
    case accepted
    case declined
  }

  /// What it would mean for one request.
  public struct Member: Hashable, Sendable {
    /// The standing request; whose it is, the request says.
    public var requestID: String
    /// What its rider would pay, minor units.
    public var share: Int64
    /// What the direct ride from where they get in costs, minor units.
    public var soloFare: Int64
    /// On foot to where they get in, meters.
    public var walkMeters: Double
    /// From getting in to getting out.
    public var rideSeconds: Double
    /// Beyond the direct ride.
    public var detourSeconds: Double
    /// Where they get in on the way; nil: at the pick-up.
    public var boarding: RidePlace?
    /// What its rider said.
    public var answer: Answer

    /// Puts a member together.
    public init(
      requestID: String, share: Int64, soloFare: Int64, walkMeters: Double, rideSeconds: Double,
      detourSeconds: Double, boarding: RidePlace? = nil, answer: Answer = .pending
    ) {
      self.requestID = requestID
      self.share = share
      self.soloFare = soloFare
      self.walkMeters = walkMeters
      self.rideSeconds = rideSeconds
      self.detourSeconds = detourSeconds
      self.boarding = boarding
      self.answer = answer
    }
  }

  /// From the engine's id maker.
  public var id: String
  /// 1 when it is made, one more with each change.
  public var version: UInt64
  /// What became of it.
  public var state: State
  /// When it was made.
  public var createdAt: Instant
  /// The first moment at which nobody can accept any more; not after the departure.
  public var expiresAt: Instant
  /// When it ended; nil while it is open.
  public var endedAt: Instant?
  /// Why it was withdrawn: the reason of a refusal, or `request_ended`.
  public var endReason: String?
  /// When the taxi leaves.
  public var window: DepartureWindow
  /// Where those get in who do not on the way: at the first member's origin.
  public var origin: RidePlace
  /// What the ride is expected to cost, minor units.
  public var fare: Int64
  /// Of all amounts.
  public var currency: String
  /// The host first, those who get in on the way last.
  public var members: [Member]
  /// The party that it became.
  public var partyID: String?

  /// Whether it can still be accepted.
  public var isOpen: Bool { state == .open }

  /// Puts an offer together.
  public init(
    id: String, version: UInt64 = 1, state: State = .open, createdAt: Instant, expiresAt: Instant,
    endedAt: Instant? = nil, endReason: String? = nil, window: DepartureWindow, origin: RidePlace,
    fare: Int64, currency: String, members: [Member], partyID: String? = nil
  ) {
    self.id = id
    self.version = version
    self.state = state
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.endedAt = endedAt
    self.endReason = endReason
    self.window = window
    self.origin = origin
    self.fare = fare
    self.currency = currency
    self.members = members
    self.partyID = partyID
  }

  /// The terms of a request.
  public func member(_ requestID: String) -> Member? {
    members.first { $0.requestID == requestID }
  }
}

/// Why an answer to an offer is not taken.
public enum RideOfferError: Error, Hashable, Sendable {
  /// The offer is for other requests.
  case notMember(requestID: String)
  /// It has ended, otherwise than this answer says.
  case over(RideOffer.State)
}

extension RideOffer {
  /// Whether its rider says yes: set-state, so that the same answer again changes nothing.
  ///
  /// - Parameters:
  ///   - requestID: Whose answer it is.
  ///   - now: When it is given.
  /// - Returns: The offer with the answer, still open even if it was the last; nil where it is so already.
  /// - Throws: ``RideOfferError`` for an offer that has ended, or is not this request's.
  public func accepted(
    by requestID: String, at now: Instant
  ) throws(RideOfferError) -> RideOffer? {
    guard let known = member(requestID) else { throw .notMember(requestID: requestID) }
    if known.answer == .accepted, state == .open || state == .confirmed { return nil }
    guard isOpen else { throw .over(state) }
    guard now < expiresAt else { throw .over(.expired) }
    return answered(.accepted, requestID)
  }

  /// Whether its rider says no, which ends it.
  ///
  /// - Parameters:
  ///   - requestID: Whose answer it is.
  ///   - now: When it is given.
  /// - Returns: The offer, ended; nil where this rider has declined it already.
  /// - Throws: ``RideOfferError`` for an offer that has ended otherwise, or is not this request's.
  public func declined(
    by requestID: String, at now: Instant
  ) throws(RideOfferError) -> RideOffer? {
    guard let known = member(requestID) else { throw .notMember(requestID: requestID) }
    if known.answer == .declined { return nil }
    guard isOpen else { throw .over(state) }
    var out = answered(.declined, requestID)
    out.end(.declined, at: now)
    return out
  }

  /// The offer once its time is over; nil while it is not, and where it has ended.
  public func expired(at now: Instant) -> RideOffer? {
    guard isOpen, now >= expiresAt else { return nil }
    return ended(.expired, at: now)
  }

  /// The offer, ended for a reason.
  public func ended(
    _ state: State, reason: String? = nil, partyID: String? = nil, at now: Instant
  ) -> RideOffer {
    var out = self
    out.version += 1
    out.partyID = partyID
    out.endReason = reason
    out.end(state, at: now)
    return out
  }

  /// Whether everybody has accepted.
  public var isAccepted: Bool { members.allSatisfy { $0.answer == .accepted } }

  private func answered(_ answer: Answer, _ requestID: String) -> RideOffer {
    var out = self
    out.version += 1
    for i in out.members.indices where out.members[i].requestID == requestID {
      out.members[i].answer = answer
    }
    return out
  }

  private mutating func end(_ state: State, at now: Instant) {
    self.state = state
    endedAt = now
  }
}
