package import DurableCommands

extension AggregateKind {
  /// A ``/PeerMatching/Ticket`` by its person's id, encoded by ``TicketRecord``.
  package static let ticket = AggregateKind(rawValue: "ticket")
}
