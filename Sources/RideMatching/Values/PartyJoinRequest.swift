public import ObjectModel

/// A rider's request to get into a party whose host decides.
public struct PartyJoinRequest: Hashable, Sendable {
  /// What became of it.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Nobody has decided yet.
    case pending
    /// The host said yes, and the rider got in.
    case approved
    case declined
    /// By its rider, or as they got into another party at that time.
    case withdrawn
    /// Nobody decided in time, or the party is over.
    case expired
  }

  /// Why a request ended.
  public enum EndReason: String, Hashable, Sendable, CaseIterable {
    /// The host, or a service, decided.
    case host
    /// Its rider withdrew it.
    case rider
    /// ``PartyJoinRequest/expiresAt`` passed.
    case time
    /// The rider got into another party at that time.
    case joinedAnother = "joined_another_party"
    /// The taxi left before that.
    case departed
    /// The party was cancelled.
    case cancelled
  }

  /// From the engine's id maker; one request's.
  public var id: String
  /// What became of it.
  public var state: State
  /// When it was made.
  public var createdAt: Instant
  /// When it ends unless somebody decides before; never after the departure.
  public var expiresAt: Instant
  /// When it ended; nil while it is pending.
  public var endedAt: Instant?
  /// Why it ended; nil while it is pending.
  public var endReason: EndReason?
  /// What the rider would have paid when it was made, minor units.
  public var share: Int64
  /// What is carried out when the host approves.
  public var join: JoinParty

  /// Requests that have ended and stay in their party's record, the last ones.
  public static let keptAfterEnd = 32

  /// Puts a request together.
  public init(
    id: String, state: State = .pending, createdAt: Instant, expiresAt: Instant,
    endedAt: Instant? = nil, endReason: EndReason? = nil, share: Int64, join: JoinParty
  ) {
    self.id = id
    self.state = state
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.endedAt = endedAt
    self.endReason = endReason
    self.share = share
    self.join = join
  }

  /// Who wants to get in.
  public var riderID: String { join.riderID }
  /// Seats that they want.
  public var seats: Int { join.seats ?? 1 }
  /// Whether somebody may still decide.
  public var isPending: Bool { state == .pending }
}

extension Party {
  /// Those that nobody has decided yet, the oldest first.
  public var pendingRequests: [PartyJoinRequest] { joinRequests.filter(\.isPending) }

  /// The request of an id, in any state.
  public func joinRequest(_ id: String) -> PartyJoinRequest? {
    joinRequests.first { $0.id == id }
  }

  /// A rider's last request, in any state.
  public func lastRequest(of riderID: String) -> PartyJoinRequest? {
    joinRequests.last { $0.riderID == riderID }
  }

  /// Seats that pending requests keep from others.
  public var seatsHeld: Int {
    guard holdsSeats, !joinRequests.isEmpty else { return 0 }
    return joinRequests.reduce(0) { $0 + ($1.isPending ? $1.seats : 0) }
  }

  /// When a request made or changed at a moment ends at the latest: at the departure, or where the time in
  /// the middle of the window has passed, at the window's end.
  func lastMomentOfRequests(_ now: Instant) -> Instant {
    now < window.time ? window.time : window.end
  }
}
