/// How standing requests are matched with one another.
package struct JointMatchingConfiguration: Sendable, Hashable {
  /// Between two rounds; 0: never, each request is only held against parties.
  package var batchMilliseconds: Int64 = 60_000
  /// How long riders have to accept an offer.
  package var offerMilliseconds: Int64 = 120_000
  /// A group that has a seat free is offered so long before it leaves; until then every round sorts it
  /// anew with those who come.
  package var aheadMilliseconds: Int64 = 900_000
  /// Offers that a rider may decline or let pass before their request is left out.
  package var refusedOffers = 3
  /// What a round may take, milliseconds.
  package var budgetMilliseconds = 500

  package init() {}
}
