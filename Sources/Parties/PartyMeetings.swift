package import ObjectModel
import RideMatching

/// The port to what people do to each other elsewhere: blocks hold in parties, and who does not
/// come is told of.
package struct PartyMeetings: Sendable {
  /// Whether one of two people does not want to meet the other.
  package var areBlocked: @Sendable (_ one: String, _ other: String) -> Bool
  /// Told of each rider who did not show up, once the removal is committed.
  package var noteNoShow: @Sendable (_ riderID: String, _ at: Instant) -> Void

  /// Nobody avoids anybody, unless told otherwise.
  package init(
    areBlocked: @escaping @Sendable (_ one: String, _ other: String) -> Bool = { _, _ in false },
    noteNoShow: @escaping @Sendable (_ riderID: String, _ at: Instant) -> Void = { _, _ in }
  ) {
    self.areBlocked = areBlocked
    self.noteNoShow = noteNoShow
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
