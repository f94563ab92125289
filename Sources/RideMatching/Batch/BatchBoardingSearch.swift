import GeoMath
import ObjectModel

/// Groups and people alone as parties, into which others get on the way.
///
/// Deterministic for a seed and a number of rounds.
struct BatchBoardingSearch {
  private var result: BatchResult
  private let requests: [RideRequest]
  private let options: BatchOptions
  private let terms: BatchPartyTerms
  private var rides: [String: BoardedRide] = [:]
  /// Groups that are no parties here: they stay as they are.
  private var fixed: [BatchGroup] = []
  /// By request, its ride; empty: none may take it.
  private var rideOf: [String]
  /// By request, what it pays alone, where it names a boarding and a tariff prices it.
  private var alone: [Int64?]
  /// Requests that may get in on the way, ascending.
  private var boarders: [Int] = []
  private var index: PartyIndex
  private var random: SplitMix64
  /// Changes of the round, by which it is taken back.
  private var journal: [(id: String, before: BoardedRide?)] = []
  /// What the rides save.
  private var saving = 0.0
  private var work = 0
  private var made = 0

  /// Candidates looked at for one request, by what they save themselves.
  private static let candidates = 16
  /// Requests that a round takes out of their rides at most.
  private static let regionRequests = 8
  /// Up to so many requests have a pool of rides.
  private static let mostAtOnce = 512
  /// Rides that a round extends while there are more, and rounds before the first choice among them.
  private static let ridesOfRound = 8
  private static let roundsBeforeChoice = 8
  /// Rounds of a choice, and of the last one.
  private static let choiceRounds = 200
  private static let lastRounds = 6_000
  /// Of ``BatchOptions/iterations``, one in so many is run here: a round tries some tens of joins.
  private static let roundsOfSearch = 20
  /// What a join and a search for groups of a few cost, in the units of ``BatchOptions/workLimit``.
  private static let joinWork = 4_000
  private static let groupWork = 40_000
  /// Rounds by which groups of a few are found.
  private static let groupRounds = 40

  init(
    _ result: BatchResult, _ requests: [RideRequest], _ options: BatchOptions,
    _ terms: BatchPartyTerms
  ) {
    self.result = result
    self.requests = requests
    self.options = options
    self.terms = terms
    index = PartyIndex(pricing: terms.rules.pricing)
    random = SplitMix64(seed: options.seed)
    rideOf = Array(repeating: "", count: requests.count)
    alone = Array(repeating: nil, count: requests.count)
    for group in result.groups where !add(group) { fixed.append(group) }
    var seen: Set<String> = []
    for group in result.groups { seen.formUnion(group.members.map { requests[$0].riderID }) }
    // Of a rider the first request counts.
    for i in result.unmatched
    where terms.mayRide(requests[i]) && seen.insert(requests[i].riderID).inserted { addAlone(i) }
    for i in requests.indices where requests[i].boarding != nil && !rideOf[i].isEmpty {
      alone[i] = try? terms.fareAlone(requests[i])
      if alone[i] != nil { boarders.append(i) }
    }
    journal = []
  }

  /// Has each request get in on the way that no group took.
  /// - Returns: Whether all were looked at.
  mutating func boardAll(shouldStop isOver: () -> Bool) -> Bool {
    for i in result.unmatched where requests[i].boarding != nil {
      guard !isOver() else {
        result.end = .stopped
        return false
      }
      board(i)
    }
    return true
  }

  /// Chooses among more and more rides where the requests are not many, then makes a few rides anew,
  /// round by round.
  mutating func improve(shouldStop isOver: () -> Bool) {
    guard !boarders.isEmpty, rides.count > 1 else { return }
    var rounds = max(0, options.iterations) / Self.roundsOfSearch
    guard rounds > 0 else { return }
    let all = rideOf.indices.filter { !rideOf[$0].isEmpty }
    if all.count <= Self.mostAtOnce { grow(all, &rounds, shouldStop: isOver) }
    while rounds > 0, mayGoOn(isOver) {
      rounds -= 1
      round()
    }
  }

  private mutating func mayGoOn(_ isOver: () -> Bool) -> Bool {
    guard !isOver() else {
      result.end = .stopped
      return false
    }
    guard work <= options.workLimit else {
      if result.end == .finished { result.end = .workLimit }
      return false
    }
    return true
  }

  // MARK: More rides

  /// Chooses among more and more rides of all these requests, and takes those chosen where they save
  /// more than those there are.
  private mutating func grow(
    _ all: [Int], _ rounds: inout Int, shouldStop isOver: () -> Bool
  ) {
    var some = options
    if let isCompatible = options.isCompatible {
      some.isCompatible = { isCompatible(all[$0], all[$1]) }
    }
    var places = Array(repeating: 0, count: requests.count)
    for (place, i) in all.enumerated() { places[i] = place }
    let known = rides.keys.sorted().compactMap { rides[$0]?.renumbered(by: places) }
    var pool = BatchBoardingPool(
      all.map { requests[$0] }, known: known, alone: all.map { alone[$0] }, some, terms,
      shouldStop: isOver)
    var done = 0
    // Not before each request alone has been extended.
    var next = max(Self.roundsBeforeChoice, all.count / Self.ridesOfRound + 1)
    var hasMore = true
    while hasMore, rounds > 0, mayGoOn(isOver) {
      rounds -= 1
      done += 1
      hasMore = pool.grow(by: Self.ridesOfRound)
      if !hasMore || rounds == 0 {
        pool.choose(rounds: Self.lastRounds, shouldStop: isOver)
      } else if done == next {
        pool.choose(rounds: Self.choiceRounds, shouldStop: isOver)
        next += max(1, 2 * next / 5)
      }
      work += pool.takeWork()
    }
    let chosen = pool.chosen().map { $0.renumbered(by: all) }
    if chosen.reduce(0, { $0 + $1.group.saving }) > saving + 1e-6 { take(chosen, all) }
    // Into rides of four, too.
    for i in boarders where !isOver() { board(i) }
    journal = []
  }

  /// Takes rides in place of those there are.
  private mutating func take(_ chosen: [BoardedRide], _ all: [Int]) {
    for id in rides.keys.sorted() { set(id, nil) }
    for ride in chosen {
      made += 1
      var ride = ride
      ride.party.id = "r\(made)"
      set(ride.party.id, ride)
    }
    for i in all where rideOf[i].isEmpty { addAlone(i) }
  }

  // MARK: - Rounds

  private mutating func round() {
    journal = []
    let before = saving
    let region = region(around: boarders[random.below(boarders.count)])
    guard region.count > 1 else { return }
    var late: [Int] = []
    var hosts: [Int] = []
    var others: [Int] = []
    // Of four, none to three are in no group at a pick-up: they get in on the way, or wait for others
    // who do.
    let quarters = random.below(4)
    for id in region {
      for member in rides[id]?.group.members ?? [] {
        if random.below(4) >= quarters {
          others.append(member)
        } else if alone[member] != nil, random.below(4) > 0 {
          late.append(member)
        } else {
          hosts.append(member)
        }
      }
      set(id, nil)
    }
    for i in late.indices.dropFirst().reversed() { late.swapAt(i, random.below(i + 1)) }
    for i in groups(of: others) + hosts + late { addAlone(i) }
    // A quarter of the rounds takes what saves most in each step.
    let skips = random.below(4) > 0
    for i in late + others where alone[i] != nil { board(i, skips: skips) }
    for i in hosts where alone[i] != nil { board(i, skips: false) }
    if saving < before - 1e-6 {
      let changes = journal
      for change in changes.reversed() { set(change.id, change.before) }
    }
  }

  /// The ride of a request, and some that it could get into or whose riders could be its own.
  private mutating func region(around request: Int) -> [String] {
    let all = rides.values.reduce(0) { $0 + $1.group.members.count }
    if all <= Self.regionRequests { return rides.keys.sorted() }
    guard let own = rides[rideOf[request]] else { return [] }
    var chosen = [own.party.id]
    var count = own.group.members.count
    var near = index.match(query(request)).candidates.map(\.party.id)
    while !near.isEmpty, count < Self.regionRequests {
      let id = near.remove(at: random.below(near.count))
      guard let ride = rides[id], !chosen.contains(id),
        count + ride.group.members.count <= Self.regionRequests
      else { continue }
      chosen.append(id)
      count += ride.group.members.count
    }
    work += Self.joinWork
    return chosen
  }

  /// Adds the best groups at pick-ups.
  /// - Returns: Who is in none.
  private mutating func groups(of members: [Int]) -> [Int] {
    guard members.count > 1 else { return members }
    var few = options
    few.iterations = Self.groupRounds
    few.seed = random.next()
    few.workLimit = Self.groupWork * 100
    if let isCompatible = options.isCompatible {
      few.isCompatible = { isCompatible(members[$0], members[$1]) }
    }
    let found = BatchMatching.solve(requests: members.map { requests[$0] }, options: few)
    work += Self.groupWork
    var left = found.unmatched.map { members[$0] }
    for var group in found.groups {
      group.renumber(by: members)
      // What is best without anybody on the way need not be with them.
      if random.below(3) == 0 {
        group = hosted(by: group.members[random.below(group.members.count)], group) ?? group
      }
      if !add(group) { left += group.members }
    }
    return left
  }

  /// The same people at the origin of another one of them; nil where the rules refuse that.
  private func hosted(by host: Int, _ group: BatchGroup) -> BatchGroup? {
    guard host != group.pickUp else { return nil }
    let others = group.members.filter { $0 != host }.sorted {
      requests[$0].riderID.utf8.lexicographicallyPrecedes(requests[$1].riderID.utf8)
    }
    var moved = BatchGroup([host] + others, group.departure)
    let place = requests[host].origin.coordinate
    moved.walkMeters = moved.members.map {
      requests[$0].origin.coordinate.distanceMeters(to: place)
    }
    let walksFit = zip(moved.members, moved.walkMeters).allSatisfy {
      $1 <= requests[$0].limits.maxWalkMeters
    }
    let command = moved.createParty(requests, terms: terms, maxSeats: options.maxSeats)
    guard walksFit,
      let party = try? terms.rules.create(command, id: "r", now: terms.now, claims: terms.claims)
        .party,
      party.hasTariff, party.riders.allSatisfy({ $0.share <= $0.soloFare })
    else { return nil }
    moved.take(
      party,
      members: Dictionary(uniqueKeysWithValues: moved.members.map { (requests[$0].riderID, $0) }))
    let further = moved.walkMeters.reduce(0, +) - group.walkMeters.reduce(0, +)
    moved.saving =
      group.saving + Double(group.fare - moved.fare) - further * terms.walkCost(party)
    return moved.saving > 0 ? moved : nil
  }

  // MARK: - Rides

  private func query(_ i: Int) -> MatchQuery {
    MatchQuery(boarding: requests[i], now: terms.now, limit: Self.candidates)
  }

  /// - Returns: Whether the group is a party by the rules.
  private mutating func add(_ group: BatchGroup) -> Bool {
    made += 1
    let id = "r\(made)"
    guard
      let ride = BoardedRide(group, id: id, requests, terms, maxSeats: options.maxSeats)
    else { return false }
    set(id, ride)
    return true
  }

  private mutating func addAlone(_ i: Int) {
    _ = add(BatchGroup([i], requests[i].window.time))
  }

  private mutating func set(_ id: String, _ ride: BoardedRide?) {
    let before = rides[id]
    journal.append((id, before))
    saving += (ride?.group.saving ?? 0) - (before?.group.saving ?? 0)
    for member in before?.group.members ?? [] where rideOf[member] == id { rideOf[member] = "" }
    rides[id] = ride
    guard let ride else { return index.remove(id: id) }
    for member in ride.group.members { rideOf[member] = id }
    // One that cannot be priced takes nobody.
    try? index.update(ride.party)
  }

  /// Puts a request that is alone into the ride where it saves most. With `skips` one ride in four is
  /// passed over and a loss is taken, so that what comes after may make up for it.
  private mutating func board(_ i: Int, skips: Bool = false) {
    let own = rideOf[i]
    guard rides[own]?.group.members == [i], let alone = alone[i] else { return }
    let query = query(i)
    let least = skips ? -Double(alone) / 2 : 0
    var best: (id: String, party: Party, saving: Double)?
    for candidate in index.match(query).candidates {
      let before = candidate.party
      if skips, random.below(4) == 0 { continue }
      work += Self.joinWork
      guard let ride = rides[before.id], mayRide(i, with: ride.group.members),
        let after = try? terms.rules.join(
          query.join, before, now: terms.now, claims: terms.claims
        ).party,
        let boarding = after.riders.last?.boarding
      else { continue }
      let saving =
        Double(alone + before.fare.expected - after.fare.expected)
        - boarding.walkMeters * terms.walkCost(after)
      if saving > best?.saving ?? least { best = (before.id, after, saving) }
    }
    guard let best, let boarding = best.party.riders.last?.boarding,
      var ride = rides[best.id]
    else { return }
    ride.take(i, boarding, best.party, best.saving)
    set(own, nil)
    set(best.id, ride)
  }

  private func mayRide(_ i: Int, with members: [Int]) -> Bool {
    guard let isCompatible = options.isCompatible else { return true }
    return members.allSatisfy { isCompatible(i, $0) }
  }

  /// The groups by their smallest member, and who is in none.
  func answer() -> BatchResult {
    var answer = result
    answer.groups =
      fixed
      + rides.values.filter { $0.group.members.count > 1 }.map { $0.answer(requests) }
    answer.groups.sort { ($0.members.min() ?? 0) < ($1.members.min() ?? 0) }
    answer.objective = answer.groups.reduce(0) { $0 + $1.saving }
    let matched = Set(answer.groups.flatMap(\.members))
    answer.unmatched = requests.indices.filter { !matched.contains($0) }
    return answer
  }
}
