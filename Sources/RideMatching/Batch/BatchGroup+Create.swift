import ObjectModel

extension BatchGroup {
  /// The command that makes this group a party: what the batch told is what
  /// ``PartyRules/create(_:id:now:claims:)`` gives.
  ///
  /// The rider at whose origin all get in is the host, and the party's limits are theirs; everyone
  /// else comes with their own destination, origin, seats, attributes and limits; those who get in on the
  /// way are not among them: they join by ``boardings``, in that order. The window is as
  /// wide as all members' windows allow around the departure.
  ///
  /// - Parameters:
  ///   - requests: Those of the batch.
  ///   - terms: Those of the batch.
  ///   - maxSeats: ``BatchOptions/maxSeats``.
  /// - Returns: The command; its riders in the order of ``members``.
  public func createParty(
    _ requests: [RideRequest], terms: BatchPartyTerms, maxSeats: Int
  ) -> CreateParty {
    let host = requests[pickUp]
    var command = CreateParty(
      hostID: host.riderID, origin: host.origin, destination: host.destination,
      window: DepartureWindow(
        time: departure,
        toleranceMilliseconds: toleranceMilliseconds(requests, terms.rules.configuration)),
      hostSeats: host.seats, attributes: host.attributes, seats: terms.seats(maxSeats),
      limits: host.limits, policy: terms.policy, policyPack: terms.policy.pack,
      tariffID: terms.tariffID, vehicleClass: terms.vehicleClass)
    let onTheWay = Set(boardings.map(\.member))
    command.riders = members.dropFirst().filter { !onTheWay.contains($0) }.map { member in
      let request = requests[member]
      return JoinParty(
        riderID: request.riderID, destination: request.destination,
        origin: request.origin.coordinate, seats: request.seats, attributes: request.attributes,
        wishes: RideWishes(request.limits))
    }
    return command
  }

  /// How far the party's window may reach to either side of ``departure``: as far as all members'
  /// windows and the rules allow.
  ///
  /// - Parameters:
  ///   - requests: Those of the batch.
  ///   - configuration: Of the rules that create the party.
  /// - Returns: Milliseconds, 0 or more.
  public func toleranceMilliseconds(
    _ requests: [RideRequest], _ configuration: PartyConfiguration
  ) -> Int64 {
    // Whoever gets in on the way has a window of that moment.
    let onTheWay = Set(boardings.map(\.member))
    let tolerance = members.filter { !onTheWay.contains($0) }.map { member in
      let window = requests[member].window
      return min(
        departure.milliseconds(since: window.start), window.end.milliseconds(since: departure))
    }.min()
    return min(max(0, tolerance ?? 0), configuration.maximumToleranceMilliseconds)
  }
}
