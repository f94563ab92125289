public import ObjectModel
import TaxiFares

/// A member of a group who gets in on its way.
public struct BatchBoarding: Hashable, Sendable {
  /// Index into the requests.
  public var member: Int
  /// Where the taxi stops for them.
  public var boarding: RiderBoarding
  /// When, if it leaves at the group's departure.
  public var time: Instant?

  /// Puts a boarding together.
  public init(member: Int, boarding: RiderBoarding, time: Instant?) {
    self.member = member
    self.boarding = boarding
    self.time = time
  }
}

extension BatchMatching {
  /// Both steps: groups at pick-ups, then those into them who get in on the way.
  ///
  /// - Parameters:
  ///   - requests: Who waits.
  ///   - options: What they are solved by.
  ///   - terms: Those of the options.
  ///   - isOver: As of ``solve(requests:options:shouldStop:)``.
  /// - Returns: The groups, and who is in none.
  public static func solveBoarding(
    requests: [RideRequest], options: BatchOptions, terms: BatchPartyTerms,
    shouldStop isOver: () -> Bool = { false }
  ) -> BatchResult {
    let result = solve(requests: requests, options: options, shouldStop: isOver)
    guard requests.contains(where: { $0.boarding != nil }) else { return result }
    return board(
      result, requests: requests, terms: terms, maxSeats: options.maxSeats, shouldStop: isOver)
  }

  /// Lets requests that no group took get in on the way: of groups, and of others that ride alone.
  ///
  /// Those with a ``RideRequest/boarding`` are looked at in their order; each gets in where that saves
  /// most, by the rules of a join, or stays unmatched where it saves nothing.
  ///
  /// - Parameters:
  ///   - result: Of ``solve(requests:options:shouldStop:)``.
  ///   - requests: The same.
  ///   - terms: The same.
  ///   - maxSeats: ``BatchOptions/maxSeats``.
  ///   - isOver: Asked before each request; those that are left then stay as they are.
  /// - Returns: The groups with those who get in on the way, and who is in none.
  /// - Complexity: O(requests with a boarding x parties whose corridor serves them).
  public static func board(
    _ result: BatchResult, requests: [RideRequest], terms: BatchPartyTerms, maxSeats: Int,
    shouldStop isOver: () -> Bool = { false }
  ) -> BatchResult {
    var boarding = BatchBoardingSearch(result, requests, terms, maxSeats)
    for i in result.unmatched where requests[i].boarding != nil {
      if isOver() {
        boarding.result.end = .stopped
        break
      }
      boarding.board(i)
    }
    return boarding.answer()
  }
}

/// Groups and people alone as parties, into which others get on the way.
private struct BatchBoardingSearch {
  struct Ride {
    var party: Party
    var group: BatchGroup
    /// Whether somebody got in on the way.
    var isChanged = false
  }

  var result: BatchResult
  private let requests: [RideRequest]
  private let terms: BatchPartyTerms
  private var rides: [String: Ride] = [:]
  private var index: PartyIndex
  /// Candidates looked at for one request, by what they save themselves.
  private static let candidates = 16

  init(
    _ result: BatchResult, _ requests: [RideRequest], _ terms: BatchPartyTerms, _ maxSeats: Int
  ) {
    self.result = result
    self.requests = requests
    self.terms = terms
    index = PartyIndex(pricing: terms.rules.pricing)
    for (i, group) in result.groups.enumerated() { add("g\(i)", group, maxSeats) }
    var seen: Set<String> = []
    for group in result.groups { seen.formUnion(group.members.map { requests[$0].riderID }) }
    // Of a rider the first request counts.
    for i in result.unmatched
    where terms.mayRide(requests[i]) && seen.insert(requests[i].riderID).inserted {
      let alone = BatchGroup([i], requests[i].window.time)
      add(Self.alone(i), alone, maxSeats)
    }
  }

  private static func alone(_ i: Int) -> String { "r\(i)" }

  private mutating func add(_ id: String, _ group: BatchGroup, _ maxSeats: Int) {
    let command = group.createParty(requests, terms: terms, maxSeats: maxSeats)
    guard
      let party = try? terms.rules.create(
        command, id: id, now: terms.now, claims: terms.claims
      ).party, party.hasTariff, (try? index.update(party)) != nil
    else { return }
    rides[id] = Ride(party: party, group: group)
  }

  /// Puts a request that is alone into the ride where it saves most.
  mutating func board(_ i: Int) {
    let id = Self.alone(i)
    guard let own = rides[id], !own.isChanged,
      let alone = try? terms.fareAlone(requests[i])
    else { return }
    let request = requests[i]
    var query = MatchQuery(request, now: terms.now, limit: Self.candidates)
    query.boarding = request.boarding
    var best: (id: String, party: Party, saving: Double)?
    for candidate in index.match(query).candidates {
      let before = candidate.party
      guard
        let after = try? terms.rules.join(
          query.join, before, now: terms.now, claims: terms.claims
        ).party,
        let boarding = after.riders.last?.boarding
      else { continue }
      let saving =
        Double(alone + before.fare.expected - after.fare.expected)
        - boarding.walkMeters * walkCost(after)
      if saving > best?.saving ?? 0 { best = (before.id, after, saving) }
    }
    guard let best, let boarding = best.party.riders.last?.boarding else { return }
    rides[best.id]?.take(i, boarding, best.party, best.saving)
    rides[id] = nil
    var gone = own.party
    gone.state = .cancelled
    try? index.update(gone)
    try? index.update(best.party)
  }

  /// A meter on foot, in the party's tariff at its departure: as in ``RidePricing/walkRatio``.
  private func walkCost(_ party: Party) -> Double {
    guard
      let tariff = try? terms.rules.pricing.catalog.tariff(
        id: party.tariffID, at: party.window.time)
    else { return 0 }
    let meter = FareMeter(tariff, departure: party.window.time)
    guard let long = meter.expected(distanceMeters: 6000, durationSeconds: 1080),
      let short = meter.expected(distanceMeters: 4000, durationSeconds: 720)
    else { return 0 }
    return RidePricing.walkRatio * Double(long.amount - short.amount) / 2000
  }

  /// The groups by their smallest member, and who is in none.
  func answer() -> BatchResult {
    var answer = result
    answer.groups = []
    for (i, group) in result.groups.enumerated() {
      guard let ride = rides["g\(i)"], ride.isChanged else {
        answer.groups.append(group)
        continue
      }
      answer.groups.append(ride.grown(requests))
      answer.objective += ride.group.saving - group.saving
    }
    for i in result.unmatched {
      guard let ride = rides[Self.alone(i)], ride.isChanged else { continue }
      answer.groups.append(ride.grown(requests))
      answer.objective += ride.group.saving
    }
    answer.groups.sort { ($0.members.min() ?? 0) < ($1.members.min() ?? 0) }
    let matched = Set(answer.groups.flatMap(\.members))
    answer.unmatched = result.unmatched.filter { !matched.contains($0) }
    return answer
  }
}

extension BatchBoardingSearch.Ride {
  fileprivate mutating func take(
    _ member: Int, _ boarding: RiderBoarding, _ party: Party, _ saving: Double
  ) {
    self.party = party
    group.members.append(member)
    group.boardings.append(BatchBoarding(member: member, boarding: boarding, time: nil))
    group.saving += saving
    isChanged = true
  }

  /// The group as its party is now.
  fileprivate func grown(_ requests: [RideRequest]) -> BatchGroup {
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
