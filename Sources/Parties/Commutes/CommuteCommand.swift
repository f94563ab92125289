import DurableCommands
import ObjectModel
import RideMatching

/// What the commit thread does with commutes.
enum CommuteCommand: Sendable {
  case create(id: String, CommuteSchedule, CommuteTrip)
  case update(id: String, actorID: String?, UpdateCommute)
  case cancel(id: String, actorID: String?, reason: String, includesAppeared: Bool)
  /// An operator: with the days that have appeared those are called off, too, that somebody has joined.
  case close(id: String, OperatorNote, includesAppeared: Bool)
  case join(id: String, JoinParty)
  case leave(id: String, riderID: String)
  /// A day is due: its party or request gets this id. A day that is decided already: nothing.
  case appear(id: String, CivilDate, dayID: String, RefinedRoute?)
  /// The clock, where no day is left.
  case tick(id: String)

  var commuteID: String {
    switch self {
    case .create(let id, _, _), .update(let id, _, _), .cancel(let id, _, _, _),
      .close(let id, _, _), .join(let id, _), .leave(let id, _), .appear(let id, _, _, _),
      .tick(let id):
      id
    }
  }
}

/// A committed change of a commute with what it did to its days.
struct CommuteEffect: Sendable {
  var commute: Commute
  var parties: [PartyEntry] = []
  var requests: [StandingRequest] = []
  /// All, in the order of the group.
  var events: [StoredEvent] = []
}
