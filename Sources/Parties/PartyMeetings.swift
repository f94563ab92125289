package import DurableCommands
package import ObjectModel
import RideMatching

/// The port to what people do to each other elsewhere: blocks hold in parties, and who does not
/// come is told of.
package struct PartyMeetings: Sendable {
  /// Whether one of two people does not want to meet the other.
  package var areBlocked: @Sendable (_ one: String, _ other: String) -> Bool
  /// What it means elsewhere that a rider did not show up; committed with the removal.
  package var noShow: @Sendable (_ riderID: String, _ at: Instant) -> CommandConsequence?

  /// Until when somebody may neither offer nor join a ride; nil: they may.
  package var bannedUntil: @Sendable (_ userID: String, _ now: Instant) -> Instant?

  /// What the two questions above rest on for one person, where others may write that as well; nil:
  /// on nothing of the record.
  package var expectation: @Sendable (_ userID: String) -> StateExpectation?

  /// Nobody avoids anybody, unless told otherwise.
  package init(
    areBlocked: @escaping @Sendable (_ one: String, _ other: String) -> Bool = { _, _ in false },
    noShow: @escaping @Sendable (_ riderID: String, _ at: Instant) -> CommandConsequence? = {
      _, _ in nil
    },
    bannedUntil: @escaping @Sendable (_ userID: String, _ now: Instant) -> Instant? = {
      _, _ in nil
    },
    expectation: @escaping @Sendable (_ userID: String) -> StateExpectation? = { _ in nil }
  ) {
    self.expectation = expectation
    self.areBlocked = areBlocked
    self.noShow = noShow
    self.bannedUntil = bannedUntil
  }

  /// - Throws: `banned`, of the first of these people who is.
  func checkBans(_ userIDs: [String], _ now: Instant) throws(PartyServiceError) {
    for id in userIDs {
      if let until = bannedUntil(id, now) { throw .banned(until: until) }
    }
  }

  /// Whether somebody does not ride with someone aboard.
  func isBlocked(_ riderID: String, _ party: Party) -> Bool {
    party.riders.contains { $0.id != riderID && areBlocked(riderID, $0.id) }
  }

  /// - Throws: `blocked`, of a party that can still be joined.
  func check(_ riderID: String, _ party: Party) throws(PartyError) {
    guard party.isActive, !party.riders.contains(where: { $0.id == riderID }) else { return }
    if isBlocked(riderID, party) { throw .blocked(riderID: riderID) }
  }
}
