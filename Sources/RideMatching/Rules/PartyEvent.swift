public import ObjectModel

/// Something that happened to a party. Applied in order, the events of a change turn the old state
/// into the new one (``Party/applying(_:)``).
public struct PartyEvent: Hashable, Sendable {
  /// What happened, with what is needed to repeat it.
  public enum Detail: Hashable, Sendable {
    /// The party as it began.
    case created(Party)
    /// Who got in, at the end of the list of riders.
    case joined(PartyRider)
    case left(riderID: String)
    case removed(riderID: String, reason: RemovalReason)
    case hostChanged(from: String, to: String)
    case updated(window: DepartureWindow, seats: Int)
    /// Route, fare and shares from here on.
    case sharesChanged(PricedRide)
    case departing
    case departed(byHost: Bool)
    case cancelled(reason: String)
    case ended
    case settled(PartySettlement)
    /// Somebody asks the host for a seat.
    case joinRequested(PartyJoinRequest)
    /// Of one that was pending; an approved one is followed by the join.
    case requestEnded(
      requestID: String, riderID: String, state: PartyJoinRequest.State,
      reason: PartyJoinRequest.EndReason)

    /// Whose request it is about; nil for what the whole party hears.
    var requester: String? {
      switch self {
      case .joinRequested(let request): request.riderID
      case .requestEnded(_, let riderID, _, _): riderID
      default: nil
      }
    }
  }

  /// What has happened, with what only this kind of event has.
  public var detail: Detail
  /// When it happened: of the command, or of the moment at which the clock made it so.
  public var at: Instant
  /// The party that it happened to.
  public var partyID: String
  /// Of the party after the change.
  public var version: UInt64
  /// Who should hear of it: those aboard before and after; of a request its rider and the host.
  public var userIDs: [String]

  /// Makes an event; ``PartyRules`` is who does.
  public init(
    detail: Detail, at: Instant, partyID: String, version: UInt64, userIDs: [String]
  ) {
    self.detail = detail
    self.at = at
    self.partyID = partyID
    self.version = version
    self.userIDs = userIDs
  }

  /// The word for the wire, without the `party.` of the tenant's feed.
  public var kind: String {
    switch detail {
    case .created: "created"
    case .joined: "joined"
    case .left: "left"
    case .removed: "removed"
    case .hostChanged: "host_changed"
    case .updated: "updated"
    case .sharesChanged: "shares_changed"
    case .departing: "departing"
    case .departed: "departed"
    case .cancelled: "cancelled"
    case .ended: "ended"
    case .settled: "settled"
    case .joinRequested: "join_requested"
    case .requestEnded(_, _, let state, _): "request_\(state.rawValue)"
    }
  }
}

/// What a command did: the newest state and what to tell.
public struct PartyChange: Hashable, Sendable {
  /// The newest state.
  public var party: Party
  /// What led there, in order; none where nothing changed.
  public var events: [PartyEvent]
  /// The command asked for what was so already.
  public var unchanged: Bool { events.isEmpty }

  /// Makes a change of a new state and its events.
  public init(party: Party, events: [PartyEvent]) {
    self.party = party
    self.events = events
  }
}

extension Party {
  /// The state after an event.
  public func applying(_ event: PartyEvent) -> Party {
    var party = self
    party.apply(event.detail, at: event.at)
    party.version = event.version
    return party
  }

  mutating func apply(_ detail: PartyEvent.Detail, at moment: Instant) {
    switch detail {
    case .created(let party): self = party
    case .joined(let rider):
      riders.append(rider)
      // Which legs it takes, the new route says.
      if rider.boarding == nil { refreshSeatState(at: moment) }
    case .left(let id), .removed(let id, _):
      riders.removeAll { $0.id == id }
      refreshSeatState(at: moment)
    case .hostChanged: break
    case .updated(let window, let seats):
      if departingNoticeAt != nil && window.time > self.window.time { departingNoticeAt = nil }
      self.window = window
      self.seats = seats
      for i in joinRequests.indices where joinRequests[i].isPending {
        joinRequests[i].expiresAt = min(
          joinRequests[i].expiresAt, lastMomentOfRequests(moment))
      }
      refreshSeatState(at: moment)
    case .sharesChanged(let ride): take(ride, at: moment)
    case .departing: departingNoticeAt = moment
    case .departed: become(.departed, at: moment)
    case .cancelled(let reason):
      become(.cancelled, at: moment)
      endReason = reason
    case .ended: become(.ended, at: moment)
    case .settled(let settlement): self.settlement = settlement
    case .joinRequested(let request):
      joinRequests.append(request)
      refreshSeatState(at: moment)
    case .requestEnded(let id, _, let state, let reason):
      endRequest(id, state, reason, at: moment)
    }
  }

  private mutating func endRequest(
    _ id: String, _ state: PartyJoinRequest.State, _ reason: PartyJoinRequest.EndReason,
    at moment: Instant
  ) {
    guard let place = joinRequests.firstIndex(where: { $0.id == id }) else { return }
    joinRequests[place].state = state
    joinRequests[place].endReason = reason
    joinRequests[place].endedAt = moment
    var surplus = joinRequests.count { !$0.isPending } - PartyJoinRequest.keptAfterEnd
    joinRequests.removeAll { request in
      guard surplus > 0, !request.isPending else { return false }
      surplus -= 1
      return true
    }
    refreshSeatState(at: moment)
  }

  private mutating func become(_ new: State, at moment: Instant) {
    guard state != new else { return }
    state = new
    stateSince = moment
  }

  private mutating func refreshSeatState(at moment: Instant) {
    guard isActive else { return }
    become(seatsFree > 0 ? .open : .full, at: moment)
  }

  private mutating func take(_ ride: PricedRide, at moment: Instant) {
    route = ride.route
    if boardsOnTheWay { refreshSeatState(at: moment) }
    fare = ride.fare
    for (i, terms) in ride.riders.enumerated() where i < riders.count {
      riders[i].share = terms.share
      riders[i].acceptedShare = terms.acceptedShare
      riders[i].soloFare = terms.soloFare
      riders[i].rideMeters = terms.rideMeters
      riders[i].rideSeconds = terms.rideSeconds
      riders[i].directMeters = terms.directMeters
      riders[i].directSeconds = terms.directSeconds
    }
  }
}
