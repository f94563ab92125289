public import ObjectModel
import TaxiFares

/// The rules of a party, pure: state, command and `now` in, new state and events out, or a
/// ``PartyError``.
///
/// Commands set a state: asked again, they answer the same party unchanged. Before each command
/// the clock acts (``tick(_:now:)``), so that nobody joins a taxi that has left, whether or not a
/// timer has said so. A change counts one version, however many events it has.
///
/// When the host leaves, the longest-standing rider becomes host. The party keeps its destination
/// and limits: riders who named no drop-off of their own still go there.
public struct PartyRules: Sendable {
  /// The times that a person has claimed in other parties that are open, full or departed.
  public typealias Claims = (_ riderID: String) -> [PartyInterval]

  /// What the tenant allows.
  public let configuration: PartyConfiguration
  /// Prices every ride that a rule has to judge.
  public let pricing: PartyPricing

  /// Makes the rules of one tenant.
  public init(configuration: PartyConfiguration = PartyConfiguration(), pricing: PartyPricing) {
    self.configuration = configuration
    self.pricing = pricing
  }

  // MARK: Riders

  /// Gets in, or asks for it where the host decides. Aboard already with the same destination and
  /// seats, or waiting with them: unchanged.
  ///
  /// Checked in the order state, seats, policy, walk, detour, price, overlap.
  ///
  /// - Parameters:
  ///   - command: Who gets in, and how.
  ///   - party: The newest state.
  ///   - requestID: Of the request that is made where the host decides; nil: the rider's id.
  ///   - now: When it is asked.
  ///   - claims: When people are busy in other parties.
  /// - Returns: The party with the rider aboard, or with their request.
  /// - Throws: ``PartyError`` for the first rule that forbids it.
  public func join(
    _ command: JoinParty, _ party: Party, requestID: String? = nil, now: Instant, claims: Claims
  ) throws(PartyError) -> PartyChange {
    try validate(command, "")
    var step = clocked(party, now)
    if let known = step.party.riders.first(where: { $0.id == command.riderID }) {
      if step.party.state == .cancelled { throw .cancelled(at: step.party.stateSince) }
      guard isRepeated(command, known, step.party) else {
        throw .alreadyMember(riderID: command.riderID)
      }
      return step.change()
    }
    try requireActive(step.party)
    if step.party.needsApproval {
      return try requested(
        command, id: requestID ?? command.riderID, step, now: now, claims: claims)
    }
    try putAboard(command, &step, now: now, claims: claims)
    return step.change()
  }

  /// Carries a join out in an active party that the rider is not in.
  func putAboard(
    _ command: JoinParty, _ step: inout PartyStep, now: Instant, claims: Claims
  ) throws(PartyError) {
    try checkLength(command, step.party)
    let quote = try JoinQuote(command, step.party, pricing, at: now)
    try quote.check(command, step.party)
    var newRide = quote.priced
    let raises = step.party.allowsRaisedShares
    for i in newRide.riders.indices where raises {
      newRide.riders[i].acceptedShare = max(
        newRide.riders[i].acceptedShare, newRide.riders[i].share)
    }
    let intervalBefore = step.party.interval
    step.emit(.joined(quote.rider), at: now)
    step.emit(.sharesChanged(newRide), at: now)
    try checkClaims(step.party, claims, only: [command.riderID])
    if step.party.interval != intervalBefore { try checkClaims(step.party, claims, only: nil) }
  }

  /// What joining would mean, equal to what ``join(_:_:requestID:now:claims:)`` then does, or does once the
  /// host approves; seats that the rider's own request holds count as free. Someone aboard already sees
  /// the party as it is.
  /// - Throws: What the join would throw, overlaps with other parties aside.
  public func preview(
    _ command: JoinParty, _ party: Party, now: Instant
  ) throws(PartyError) -> JoinPreview {
    try validate(command, "")
    var party = clocked(party, now).party
    if let known = party.riders.first(where: { $0.id == command.riderID }) {
      if party.state == .cancelled { throw .cancelled(at: party.stateSince) }
      guard isRepeated(command, known, party) else {
        throw .alreadyMember(riderID: command.riderID)
      }
      return try JoinQuote.preview(asItIs: party, pricing)
    }
    try requireActive(party)
    try checkLength(command, party)
    party.joinRequests.removeAll { $0.riderID == command.riderID }
    let quote = try JoinQuote(command, party, pricing, at: now)
    try quote.check(command, party)
    return quote.preview(party)
  }

  /// Gets out before the taxi leaves. Not aboard: unchanged. The last one out cancels the party.
  ///
  /// - Throws: ``PartyError`` for a party that has departed or ended.
  public func leave(
    riderID: String, _ party: Party, now: Instant
  ) throws(PartyError) -> PartyChange {
    guard party.riders.contains(where: { $0.id == riderID }) else {
      return PartyChange(party: party, events: [])
    }
    var step = clocked(party, now)
    try requireActive(step.party)
    takeOut(riderID, detail: .left(riderID: riderID), step: &step, now: now)
    return step.change()
  }

  /// The host takes a rider out: a no-show from the window's start on and after the departure, for
  /// other reasons before it. Not aboard: unchanged.
  ///
  /// - Parameters:
  ///   - riderID: Who is taken out; not the host.
  ///   - reason: Why.
  ///   - party: The newest state.
  ///   - actorID: Who asks, the host; nil for a service.
  ///   - now: When it is asked.
  /// - Returns: The party without the rider, priced anew for the others.
  /// - Throws: ``PartyError`` where the actor, the rider, the state or the time do not allow it.
  public func remove(
    riderID: String, reason: RemovalReason, _ party: Party, actorID: String?, now: Instant
  ) throws(PartyError) -> PartyChange {
    try requireHost(actorID, party)
    guard party.riders.contains(where: { $0.id == riderID }) else {
      return PartyChange(party: party, events: [])
    }
    if riderID == party.hostID { throw .hostNotRemovable(hostID: riderID) }
    var step = clocked(party, now)
    switch reason {
    case .host: try requireActive(step.party)
    case .noShow:
      if step.party.state != .departed { try requireActive(step.party) }
      guard now >= step.party.window.start else {
        throw .departureTooEarly(now: now, windowStart: step.party.window.start)
      }
    }
    takeOut(riderID, detail: .removed(riderID: riderID, reason: reason), step: &step, now: now)
    return step.change()
  }

  // MARK: The host

  /// Changes time, window or seats; refused if it breaks a rider's limits, price or other claims.
  ///
  /// - Throws: ``PartyError`` for who is not the host, for a party that is no longer open, and for
  ///   a window or seats that are not taken.
  public func update(
    _ command: UpdateParty, _ party: Party, actorID: String?, now: Instant, claims: Claims
  ) throws(PartyError) -> PartyChange {
    try requireHost(actorID, party)
    var step = clocked(party, now)
    try requireActive(step.party)
    var window = step.party.window
    window.time = command.departureTime ?? window.time
    window.toleranceMilliseconds = command.toleranceMilliseconds ?? window.toleranceMilliseconds
    let seats = command.seats ?? step.party.seats
    if window == step.party.window && seats == step.party.seats { return step.change() }
    if seats != step.party.seats { try checkSeats(seats, step.party) }
    let isMoved = window != step.party.window
    if isMoved { try checkWindow(window, now) }
    let before = step.party
    step.emit(.updated(window: window, seats: seats), at: now)
    let ride = try repricedWithinLimits(step.party)
    if ride != currentTerms(before) { step.emit(.sharesChanged(ride), at: now) }
    if isMoved { try checkClaims(step.party, claims, only: nil) }
    return step.change()
  }

  /// Closes joining: the taxi leaves. Departed or ended already: unchanged.
  ///
  /// - Throws: ``PartyError`` for who is not the host, and for a party that was cancelled.
  public func depart(
    _ party: Party, actorID: String?, now: Instant
  ) throws(PartyError) -> PartyChange {
    try requireHost(actorID, party)
    var step = clocked(party, now)
    switch step.party.state {
    case .departed, .ended: return step.change()
    case .cancelled: throw .cancelled(at: step.party.stateSince)
    case .open, .full: break
    }
    guard now >= step.party.window.start else {
      throw .departureTooEarly(now: now, windowStart: step.party.window.start)
    }
    step.emit(.departed(byHost: true), at: now)
    return step.change()
  }

  /// Calls it off before the taxi leaves. Cancelled already: unchanged.
  ///
  /// - Throws: ``PartyError`` for who is not the host, and for a party that has departed or ended.
  public func cancel(
    _ party: Party, actorID: String?, reason: String = "host", now: Instant
  ) throws(PartyError) -> PartyChange {
    if party.state == .cancelled { return PartyChange(party: party, events: []) }
    try requireHost(actorID, party)
    var step = clocked(party, now)
    try requireActive(step.party)
    step.emit(.cancelled(reason: reason), at: now)
    return step.change()
  }

  /// Splits the real amount by the party's rule, once the taxi has left. Settled with the same
  /// figures already: unchanged; with others, the newer ones count.
  ///
  /// - Parameters:
  ///   - command: Who paid how much.
  ///   - party: The newest state.
  ///   - actorID: Who asks, one of those aboard; nil for a service.
  ///   - now: When it is asked.
  /// - Returns: The party with its settlement.
  /// - Throws: ``PartyError`` where people, amounts or the state do not allow it.
  public func settle(
    _ command: SettleParty, _ party: Party, actorID: String?, now: Instant
  ) throws(PartyError) -> PartyChange {
    var step = clocked(party, now)
    if let actorID { try requireMember(actorID, step.party) }
    try requireMember(command.payerID, step.party)
    let allowed = 0...FareLimits.maximumAmount
    guard allowed.contains(command.amount) else {
      throw .amountOutOfRange(field: "amount", amount: command.amount, allowed: allowed)
    }
    guard (0...command.amount).contains(command.tolls) else {
      throw .amountOutOfRange(
        field: "tolls", amount: command.tolls, allowed: 0...command.amount)
    }
    switch step.party.state {
    case .departed, .ended: break
    case .open, .full: throw .notDeparted(state: step.party.state)
    case .cancelled: throw .cancelled(at: step.party.stateSince)
    }
    if let known = step.party.settlement, known.payerID == command.payerID,
      known.amount == command.amount, known.tolls == command.tolls
    {
      return step.change()
    }
    let shares = try pricing.shares(
      of: command.amount, tolls: command.tolls, step.party)
    step.emit(
      .settled(
        PartySettlement(
          payerID: command.payerID, amount: command.amount, tolls: command.tolls, at: now,
          shares: shares)), at: now)
    return step.change()
  }
}
