import GeoMath
import HeapModule
import ObjectModel
import RoutePlanning

/// Rides of some requests in which some get in on the way, more of them as it goes on, and those of
/// them that save most together.
///
///     alone ──┐                  ┌──▶ GroupTable ──▶ PackingSearch ──▶ the choice
///     groups ─┴─▶ least slack ──▶ each who can get in ──┐    │
///                    ▲      ▲                           │    │ prices
///                    │      └───────────────────────────┘    │
///                    └───────────────────────────────────────┘
///
/// A ride is extended by everyone who can get in on its way, each of which makes a ride that may be
/// extended itself, up to four people. First each request alone is extended, then pairs and triples
/// by turns, those that fall least short of their members' prices first: column generation, as at the
/// pick-ups (``GroupPool``). What a ride costs is asked of the rules of parties.
struct BatchBoardingPool {
  private let requests: [RideRequest]
  private let terms: BatchPartyTerms
  private let isCompatible: (@Sendable (Int, Int) -> Bool)?
  private let answer: BatchAnswer
  private let maxSeats: Int
  private let seed: UInt64
  /// By request, what it pays alone.
  private let alone: [Int64?]
  private var boarders: [BatchBoarder] = []
  /// By ``boarders``.
  private var evaluators: [BoardingEvaluator] = []
  private let trips: [StraightTrip]
  /// By request, the places in ``boarders`` of those who can get in where it rides alone.
  private var near: [[Int]]

  /// A ride by the way it is made: a group at a pick-up, or one more person in a ride.
  private struct Recipe {
    /// -1 where there is none.
    var members: SIMD4<Int32>
    var size: Int
    /// The ride that it is made of, by ``rides``; -1 for a group.
    var base: Int32
    /// Who gets in, or at whose origin all do.
    var request: Int32
    var saving: Double
    /// By ``rides``; -1 before it is made.
    var ride: Int32 = -1
  }

  /// A ride that may be extended.
  private struct Waiting: Comparable {
    /// What its members are worth less what it saves.
    var slack: Double
    var recipe: Int
    /// Whether another ride of the same people saves as much.
    var isSurpassed: Bool

    static func < (a: Waiting, b: Waiting) -> Bool {
      if a.isSurpassed != b.isSurpassed { return b.isSurpassed }
      return a.slack != b.slack ? a.slack < b.slack : a.recipe < b.recipe
    }
  }

  private var recipes: [Recipe] = []
  private var rides: [BoardedRide] = []
  /// Of each set of members the recipe that saves most, which stands for the pick-up.
  private var table: GroupTable
  /// Pairs and triples.
  private var waiting: [Heap<Waiting>] = [[], []]
  /// Of those who ride alone, whose recipes come first.
  private var nextAlone = 0
  private var turn = 0
  private var packing: PackingSearch?
  /// Since it was last asked for, in units of ``BatchOptions/workLimit``.
  private var work = 0

  /// Of the groups at pick-ups so many, the best by their rank.
  private static let groupLimit = 20_000
  /// Up to so many groups may have the origin of another one of their members as their pick-up.
  private static let fewGroups = 2_000
  /// For a ride so many of those who could get in are looked at, whose trips have most in common with
  /// its members' by straight lines; of few requests all.
  private static let fewBoarders = 64
  private static let boardersOfRide = 12
  /// Rides made and recipes kept at most.
  private static let rideLimit = 16_384
  private static let recipeLimit = 400_000
  /// What a ride that is made and a join that is tried cost, in the units of
  /// ``BatchOptions/workLimit``.
  private static let rideWork = 4_000
  private static let joinWork = 400

  /// - Parameters:
  ///   - requests: Whose rides they are, each of another rider.
  ///   - known: Rides that there are, by places among these requests.
  ///   - alone: By request, what it pays alone where it may get in on the way.
  ///   - options: Those of the batch, by places among these requests.
  ///   - terms: Those of the options.
  ///   - isOver: As of ``BatchMatching/solve(requests:options:shouldStop:)``.
  init(
    _ requests: [RideRequest], known: [BoardedRide], alone: [Int64?], _ options: BatchOptions,
    _ terms: BatchPartyTerms, shouldStop isOver: () -> Bool
  ) {
    self.requests = requests
    self.terms = terms
    self.alone = alone
    maxSeats = options.maxSeats
    seed = options.seed
    var options = options
    options.isCompatible = BatchMatching.compatibility(
      requests, options, Array(requests.indices))
    isCompatible = options.isCompatible
    near = Array(repeating: [], count: requests.count)
    trips = requests.map(StraightTrip.init)
    let instance = BatchInstance(requests, options)
    answer = BatchAnswer(instance, requests)
    var work = 0
    let pool = GroupPool(instance) {
      work += $0
      return isOver()
    }
    self.work = work
    table = GroupTable(expected: 4 * pool.groups.count)
    for i in requests.indices where alone[i] != nil {
      let query = MatchQuery(boarding: requests[i], now: terms.now)
      // Where no join is valid, none is tried.
      guard (try? terms.rules.checkLength(query)) != nil else { continue }
      boarders.append(BatchBoarder(query, request: i))
      evaluators.append(
        BoardingEvaluator(
          query,
          OverlapRule(
            claims: terms.claims, allowed: terms.rules.configuration.overlappingParties, query)))
    }
    for i in requests.indices {
      let members = SIMD4(Int32(i), -1, -1, -1)
      recipes.append(
        Recipe(members: members, size: 1, base: -1, request: Int32(i), saving: 0))
    }
    addGroups(pool.groups, instance.markets)
    for ride in known where !ride.group.boardings.isEmpty && ride.group.members.count <= 4 {
      var members = SIMD4<Int32>(repeating: -1)
      for (at, member) in ride.group.members.enumerated() { members[at] = Int32(member) }
      rides.append(ride)
      add(
        Recipe(
          members: members, size: ride.group.members.count, base: -1,
          request: Int32(ride.group.pickUp), saving: ride.group.saving,
          ride: Int32(rides.count - 1)))
    }
  }

  private mutating func addGroups(_ groups: [GroupTable.Group], _ markets: BatchMarkets) {
    let best = groups.sorted {
      $0.rank != $1.rank
        ? $0.rank > $1.rank : $0.members.lexicographicallyPrecedes($1.members)
    }
    for group in best.prefix(Self.groupLimit) {
      let size = (0..<4).count { group.members[$0] >= 0 }
      let market = markets.marketOf[Int(group.pickUp)]
      guard market >= 0 else { continue }
      let saving = group.saving * markets.markets[market].unit
      add(
        Recipe(
          members: group.members, size: size, base: -1, request: group.pickUp, saving: saving))
      guard size < 4, groups.count <= Self.fewGroups else { continue }
      // What is best without anybody on the way need not be with them.
      for at in 0..<size where group.members[at] != group.pickUp {
        recipes.append(
          Recipe(
            members: group.members, size: size, base: -1, request: group.members[at],
            saving: saving))
        waiting[size - 2].insert(
          Waiting(slack: 0, recipe: recipes.count - 1, isSurpassed: false))
      }
    }
  }

  /// Since it was last asked for.
  mutating func takeWork() -> Int {
    defer { work = 0 }
    return work
  }

  // MARK: More rides

  /// Extends so many rides.
  /// - Returns: Whether there are more.
  /// - Complexity: O(requests that get in on the way), some microseconds each that straight lines
  ///   leave.
  mutating func grow(by count: Int) -> Bool {
    for _ in 0..<count {
      guard rides.count < Self.rideLimit, recipes.count < Self.recipeLimit, let next = next() else {
        return false
      }
      if let ride = make(next) { extend(ride, next) }
    }
    return true
  }

  private mutating func next() -> Int? {
    if nextAlone < requests.count {
      nextAlone += 1
      return nextAlone - 1
    }
    turn += 1
    let size = turn & 1
    return (waiting[size].popMin() ?? waiting[1 - size].popMin())?.recipe
  }

  /// The ride of a recipe, by the rules of parties; nil where they refuse it.
  private mutating func make(_ recipe: Int) -> Int? {
    let known = recipes[recipe]
    if known.ride >= 0 { return Int(known.ride) }
    work += Self.rideWork
    let i = Int(known.request)
    var ride: BoardedRide?
    if known.base >= 0 {
      ride = rides[Int(known.base)].joined(by: i, requests[i], terms, saving: known.saving)
    } else if known.size == 1 {
      ride = BoardedRide(
        BatchGroup([i], requests[i].window.time), id: "p", requests, terms, maxSeats: maxSeats)
    } else {
      let others = (0..<known.size).map { Int(known.members[$0]) }.filter { $0 != i }.sorted {
        requests[$0].riderID.utf8.lexicographicallyPrecedes(requests[$1].riderID.utf8)
      }
      let fits = others.allSatisfy { walkMeters($0, to: i) <= requests[$0].limits.maxWalkMeters }
      if fits, let (group, party) = answer.party([i] + others, terms) {
        ride = BoardedRide(party: party, group: group)
      }
    }
    guard let ride else { return nil }
    rides.append(ride)
    recipes[recipe].ride = Int32(rides.count - 1)
    return rides.count - 1
  }

  private func walkMeters(_ i: Int, to host: Int) -> Double {
    requests[i].origin.coordinate.distanceMeters(to: requests[host].origin.coordinate)
  }

  private mutating func extend(_ ride: Int, _ recipe: Int) {
    let before = rides[ride]
    let members = recipes[recipe].members
    let size = recipes[recipe].size
    guard let entry = try? IndexedParty(before.party, pricing: terms.rules.pricing) else { return }
    let rows = CorridorRow.rows(entry)
    let circuity = entry.ride.travel.profile.circuity.values
    let walkCost = terms.walkCost(before.party)
    for place in candidates(members, size, rows, circuity) {
      let i = boarders[place].request
      guard let alone = alone[i] else { continue }
      work += Self.joinWork
      guard case .fits(let found) = evaluators[place].outcome(entry) else { continue }
      if size == 1 { near[Int(members[0])].append(place) }
      let paid = alone + before.party.fare.expected - found.amount
      var grown = members
      grown[size] = Int32(i)
      add(
        Recipe(
          members: grown, size: size + 1, base: Int32(ride), request: Int32(i),
          saving: before.group.saving + Double(paid) - found.insertion.walkMeters * walkCost))
    }
  }

  private func mayRide(_ i: Int, with members: SIMD4<Int32>) -> Bool {
    guard let isCompatible else { return true }
    return (0..<4).allSatisfy { members[$0] < 0 || isCompatible(i, Int(members[$0])) }
  }

  /// Who may get in as far as seats, times and straight lines say.
  private func candidates(
    _ members: SIMD4<Int32>, _ size: Int, _ rows: [CorridorRow.Made],
    _ circuity: ClosedRange<Double>
  ) -> [Int] {
    let isFew = boarders.count <= Self.fewBoarders
    var found: [(place: Int, sharedMeters: Double)] = []
    func look(_ place: Int) {
      let boarder = boarders[place]
      let i = boarder.request
      guard !any(members .== Int32(i)), boarder.mayBoard(rows, circuity: circuity),
        mayRide(i, with: members)
      else { return }
      var meters = 0.0
      for at in 0..<size where !isFew {
        meters += trips[i].sharedMeters(with: trips[Int(members[at])])
      }
      found.append((place, meters))
    }
    if size == 1 || isFew {
      for place in boarders.indices { look(place) }
    } else {
      var all: Set<Int> = []
      for at in 0..<size { all.formUnion(near[Int(members[at])]) }
      for place in all.sorted() { look(place) }
    }
    if isFew { return found.map(\.place) }
    found.sort {
      $0.sharedMeters != $1.sharedMeters
        ? $0.sharedMeters > $1.sharedMeters : $0.place < $1.place
    }
    return found.prefix(Self.boardersOfRide).map(\.place)
  }

  private mutating func add(_ recipe: Recipe) {
    let place = recipes.count
    var isBest = false
    if recipe.saving > 0 {
      isBest = table.insert(
        GroupTable.Candidate(members: recipe.members, saving: recipe.saving, rank: 0),
        pickUp: place)
      guard isBest || recipe.size < 4 else { return }
    } else if recipe.size == 4 {
      return
    }
    recipes.append(recipe)
    guard recipe.size < 4 else { return }
    waiting[recipe.size - 2].insert(
      Waiting(
        slack: slack(recipe), recipe: place, isSurpassed: !isBest && recipe.saving > 0))
  }

  private func slack(_ recipe: Recipe) -> Double {
    guard let prices = packing?.prices.prices else { return -recipe.saving }
    var worth = 0.0
    for at in 0..<recipe.size { worth += prices[Int(recipe.members[at])] }
    return worth - recipe.saving
  }

  // MARK: The choice

  /// Chooses among the rides there are by now, and prices their members.
  ///
  /// - Parameters:
  ///   - rounds: Of the search among them.
  ///   - isOver: Asked between rounds.
  /// - Complexity: O(rides) some tens of times.
  mutating func choose(rounds: Int, shouldStop isOver: () -> Bool) {
    guard !table.groups.isEmpty else { return }
    let problem = PackingProblem(
      requests: requests.count, members: table.groups.map(\.members),
      weights: table.groups.map(\.saving))
    var done = 0
    func shouldStop(after work: Int) -> Bool {
      done += work
      return isOver()
    }
    var search: PackingSearch
    if let known = packing {
      search = known
      packing = nil
      search.widen(problem, shouldStop: shouldStop)
    } else {
      search = PackingSearch(problem, seed: seed, shouldStop: shouldStop)
    }
    _ = search.run(rounds: search.rounds + rounds, shouldStop: shouldStop)
    packing = search
    work += done
    for size in waiting.indices {
      waiting[size] = Heap(
        waiting[size].unordered.map {
          Waiting(
            slack: slack(recipes[$0.recipe]), recipe: $0.recipe, isSurpassed: $0.isSurpassed)
        })
    }
  }

  /// The rides chosen last.
  mutating func chosen() -> [BoardedRide] {
    guard let packing else { return [] }
    return packing.packing.chosen(packing.problem).compactMap { group in
      make(Int(table.groups[group].pickUp)).map { rides[$0] }
    }
  }
}

extension SIMD4<Int32> {
  fileprivate func lexicographicallyPrecedes(_ other: Self) -> Bool {
    for at in 0..<4 where self[at] != other[at] { return self[at] < other[at] }
    return false
  }
}
