import ObjectModel

/// The rule that nobody is in too many parties at one time, as a join asks it: of the rider, and of
/// those aboard where the ride grows longer.
struct OverlapRule {
  /// Nil: nobody is asked.
  private let claims: PartyRules.Claims?
  private let allowed: Int
  private let own: [PartyInterval]

  init(claims: PartyRules.Claims?, allowed: Int, _ query: MatchQuery) {
    self.claims = query.allowsOverlap ? nil : claims
    self.allowed = max(1, allowed)
    own = self.claims?(query.riderID) ?? []
  }

  /// Tells whether a ride of so many seconds, the rider's part included, breaks the rule.
  func isBroken(by entry: IndexedParty, rideSeconds: Double) -> Bool {
    guard let claims else { return false }
    let through = entry.windowEnd.advanced(milliseconds: Party.milliseconds(rideSeconds))
    let isLonger = through != entry.interval.through
    if own.isEmpty && !isLonger { return false }
    var interval = entry.interval
    interval.through = through
    if isFull(own, interval) { return true }
    return isLonger && entry.riderIDs.contains { isFull(claims($0), interval) }
  }

  private func isFull(_ claims: [PartyInterval], _ interval: PartyInterval) -> Bool {
    guard !claims.isEmpty else { return false }
    var count = 0
    for claim in claims where claim.partyID != interval.partyID && claim.meets(interval) {
      count += 1
    }
    return count >= allowed
  }
}
