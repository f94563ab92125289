public import ObjectModel

extension PartyRules {
  /// What the clock does to a party: the end of requests that nobody decided, the notice before the
  /// departure, the departure at the window's end, the end after the expected ride.
  public func tick(_ party: Party, now: Instant) -> PartyChange { clocked(party, now).change() }

  /// When ``tick(_:now:)`` next has something to do; nil: never.
  public func nextTick(_ party: Party) -> Instant? {
    switch party.state {
    case .open, .full:
      var next = party.window.end
      if party.departingNoticeAt == nil { next = min(next, noticeTime(party)) }
      for request in party.joinRequests where request.isPending {
        next = min(next, request.expiresAt)
      }
      return next
    case .departed: return endTime(party)
    case .cancelled, .ended: return nil
    }
  }

  func clocked(_ party: Party, _ now: Instant) -> PartyStep {
    var step = PartyStep(party)
    if step.party.isActive {
      expireRequests(&step, now)
      if now >= step.party.window.end {
        step.emit(.departed(byHost: false), at: step.party.window.end)
      } else if step.party.departingNoticeAt == nil && now >= noticeTime(step.party) {
        step.emit(.departing, at: now)
      }
    }
    if step.party.state == .departed && now >= endTime(step.party) {
      step.emit(.ended, at: endTime(step.party))
    }
    return step
  }

  private func expireRequests(_ step: inout PartyStep, _ now: Instant) {
    let due = step.party.joinRequests.filter { $0.isPending && $0.expiresAt <= now }
    for request in due.sorted(by: { ($0.expiresAt, $0.id) < ($1.expiresAt, $1.id) }) {
      step.emit(
        .requestEnded(
          requestID: request.id, riderID: request.riderID, state: .expired, reason: .time),
        at: request.expiresAt)
    }
  }

  private func noticeTime(_ party: Party) -> Instant {
    party.window.time.advanced(milliseconds: -configuration.departingNoticeMilliseconds)
  }

  private func endTime(_ party: Party) -> Instant {
    party.stateSince.advanced(milliseconds: party.rideMilliseconds)
  }
}

/// A change in the making: events applied one by one, all under the next version.
struct PartyStep {
  let before: Party
  private(set) var party: Party
  private var events: [PartyEvent] = []

  init(_ party: Party) {
    before = party
    self.party = party
  }

  mutating func emit(_ detail: PartyEvent.Detail, at moment: Instant) {
    party.apply(detail, at: moment)
    party.version = before.version + 1
    events.append(
      PartyEvent(
        detail: detail, at: moment, partyID: party.id, version: party.version, userIDs: []))
    endRequestsOfWhatIsOver(at: moment)
  }

  /// Nobody gets into a party that has left or is off: its requests end with it.
  private mutating func endRequestsOfWhatIsOver(at moment: Instant) {
    guard !party.isActive, let request = party.joinRequests.first(where: \.isPending) else {
      return
    }
    emit(
      .requestEnded(
        requestID: request.id, riderID: request.riderID, state: .expired,
        reason: party.state == .cancelled ? .cancelled : .departed), at: moment)
  }

  func change() -> PartyChange {
    var heard = before.riders.map(\.id)
    for rider in party.riders where !heard.contains(rider.id) { heard.append(rider.id) }
    var events = events
    for i in events.indices {
      events[i].userIDs = events[i].detail.requester.map(hostAnd) ?? heard
    }
    return PartyChange(party: party, events: events)
  }

  /// What becomes of a request is between the rider and the host.
  private func hostAnd(_ rider: String) -> [String] {
    let host = party.hostID.isEmpty ? before.hostID : party.hostID
    return host == rider ? [rider] : [host, rider]
  }
}
