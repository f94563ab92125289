extension PartyChange {
  /// The change that makes the same party as a day of a commute.
  ///
  /// - Parameter commuteID: The commute's id.
  /// - Returns: The change, whose events tell of the commute as well.
  public func ofCommute(_ commuteID: String) -> PartyChange {
    var change = self
    change.party.commuteID = commuteID
    for index in change.events.indices {
      guard case .created(var party) = change.events[index].detail else { continue }
      party.commuteID = commuteID
      change.events[index].detail = .created(party)
    }
    return change
  }
}
