package import DurableCommands

extension AggregateKind {
  /// A ``/RideMatching/Party``, encoded by ``PartyRecord``.
  package static let party = AggregateKind(rawValue: "party")
}
