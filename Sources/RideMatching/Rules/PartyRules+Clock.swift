public import ObjectModel

extension PartyRules {
  /// What the clock does to a party: the notice before the departure, the departure at the
  /// window's end, the end after the expected ride.
  public func tick(_ party: Party, now: Instant) -> PartyChange { clocked(party, now).change() }

  /// When ``tick(_:now:)`` next has something to do; nil: never.
  public func nextTick(_ party: Party) -> Instant? {
    switch party.state {
    case .open, .full:
      let notice = noticeTime(party)
      return party.departingNoticeAt == nil ? min(notice, party.window.end) : party.window.end
    case .departed: return endTime(party)
    case .cancelled, .ended: return nil
    }
  }

  func clocked(_ party: Party, _ now: Instant) -> PartyStep {
    var step = PartyStep(party)
    if step.party.isActive {
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
  }

  func change() -> PartyChange {
    var heard = before.riders.map(\.id)
    for rider in party.riders where !heard.contains(rider.id) { heard.append(rider.id) }
    var events = events
    for i in events.indices { events[i].userIDs = heard }
    return PartyChange(party: party, events: events)
  }
}
