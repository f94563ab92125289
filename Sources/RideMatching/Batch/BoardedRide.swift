import ObjectModel
import TaxiFares

/// A party in the making, and the group that it is.
struct BoardedRide {
  var party: Party
  var group: BatchGroup

  init(party: Party, group: BatchGroup) {
    self.party = party
    self.group = group
  }

  /// The party that a group would create; nil where the rules refuse it, or where no tariff prices it.
  ///
  /// - Parameters:
  ///   - group: At the origin of the first of its members.
  ///   - id: Of the party.
  ///   - requests: Of whom its members are.
  ///   - terms: Those of the batch.
  ///   - maxSeats: Of a ride.
  init?(
    _ group: BatchGroup, id: String, _ requests: [RideRequest], _ terms: BatchPartyTerms,
    maxSeats: Int
  ) {
    let command = group.createParty(requests, terms: terms, maxSeats: maxSeats)
    guard
      let party = try? terms.rules.create(command, id: id, now: terms.now, claims: terms.claims)
        .party, party.hasTariff
    else { return nil }
    self.init(party: party, group: group)
  }

  mutating func take(
    _ member: Int, _ boarding: RiderBoarding, _ party: Party, _ saving: Double
  ) {
    self.party = party
    group.members.append(member)
    group.boardings.append(BatchBoarding(member: member, boarding: boarding, time: nil))
    group.saving += saving
  }

  /// The ride with one more person, who gets in on its way.
  ///
  /// - Parameters:
  ///   - member: Their place among the requests.
  ///   - request: What they ask for.
  ///   - terms: Those of the batch.
  ///   - saving: What the ride then saves.
  /// - Returns: Nil where the rules refuse it.
  func joined(
    by member: Int, _ request: RideRequest, _ terms: BatchPartyTerms, saving: Double
  ) -> BoardedRide? {
    let join = MatchQuery(boarding: request, now: terms.now).join
    guard
      let after = try? terms.rules.join(join, party, now: terms.now, claims: terms.claims).party,
      let boarding = after.riders.last?.boarding
    else { return nil }
    var ride = self
    ride.take(member, boarding, after, saving - group.saving)
    return ride
  }

  /// The same ride of the same requests by other numbers.
  ///
  /// - Parameter order: By the number that a request has now: the one that it will have.
  /// - Returns: The ride with its group numbered so.
  func renumbered(by order: [Int]) -> BoardedRide {
    var ride = self
    ride.group.renumber(by: order)
    return ride
  }

  /// The group as its party is now.
  func answer(_ requests: [RideRequest]) -> BatchGroup {
    guard !group.boardings.isEmpty else { return group }
    var group = group
    let places = Dictionary(
      group.members.map { (requests[$0].riderID, $0) }, uniquingKeysWith: { first, _ in first })
    group.take(party, members: places)
    for i in group.boardings.indices {
      group.boardings[i].time = party.boardingTime(requests[group.boardings[i].member].riderID)
    }
    let known = self.group.walkMeters
    group.walkMeters = party.riders.enumerated().map { i, rider in
      rider.boarding?.walkMeters ?? (i < known.count ? known[i] : 0)
    }
    return group
  }
}

extension BatchPartyTerms {
  /// A meter on foot, in the party's tariff at its departure: as in ``RidePricing/walkRatio``.
  func walkCost(_ party: Party) -> Double {
    guard
      let tariff = try? rules.pricing.catalog.tariff(
        id: party.tariffID, at: party.window.time)
    else { return 0 }
    let meter = FareMeter(tariff, departure: party.window.time)
    guard let long = meter.expected(distanceMeters: 6000, durationSeconds: 1080),
      let short = meter.expected(distanceMeters: 4000, durationSeconds: 720)
    else { return 0 }
    return RidePricing.walkRatio * Double(long.amount - short.amount) / 2000
  }
}

extension MatchQuery {
  /// Who would get in on the way, as a join of theirs is tried.
  init(boarding request: RideRequest, now: Instant, limit: Int = 20) {
    self.init(request, now: now, limit: limit)
    boarding = request.boarding
  }
}
