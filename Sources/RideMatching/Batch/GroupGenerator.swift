import GeoMath

/// From requests to feasible groups, pick-up by pick-up.
///
/// For each request as the one at whose origin all get in: who can come along alone (pairs); two
/// of those together (triples); triples that share a pair, made one larger (quads). A larger group
/// is looked at only when its parts are feasible at the same pick-up, which loses nothing as long
/// as the road distance of the profile holds the triangle inequality.
///
/// Where many wait at one place, the most promising by the straight lines are looked at, of those
/// the most worthwhile pairs are made larger. What is worthwhile is first the saving / solo fares;
/// once requests have prices (``PackingPrices``), it is the saving less the members' prices, which
/// finds the groups that the first choice lacks (column generation by hand).
struct GroupGenerator {
  private let instance: BatchInstance
  private let grid: OriginGrid
  /// By request; empty before there are any.
  private var prices: [Double] = []
  private let candidateLimit: Int
  /// Requests looked at for a pick-up, pairs kept of them, and those that are made larger.
  private let nearLimit: Int32
  private let pairLimit: Int
  private let partnerLimit: Int
  /// Groups kept of one pick-up.
  private let keepLimit: Int
  private let rowLimit: Int

  /// One who can come along.
  struct Partner {
    var request: Int
    var walkMeters: Double
    /// From the pick-up to the partner's drop-off, and from there to the owner's: meters and work.
    var fromPickUp: Double
    var fromPickUpWork: Double
    var toOwner: Double
    var toOwnerWork: Double
    /// The longest ride, meters.
    var limit: Double
    var saving: Double
    var rank: Double

    static func isBefore(_ a: Partner, _ b: Partner) -> Bool {
      a.rank != b.rank ? a.rank > b.rank : a.request < b.request
    }
  }

  private init(
    _ instance: BatchInstance, _ grid: OriginGrid, candidates: Int, keeps: Int, rows: Int
  ) {
    self.instance = instance
    self.grid = grid
    candidateLimit = candidates
    keepLimit = keeps
    rowLimit = rows
    nearLimit = Int32(max(36, 3 * min(candidateLimit, 1 << 28) / 2))
    // So many partners that all their pairs are about as many as the limit.
    var partners = 2
    while partners * (partners - 1) / 2 < candidateLimit && partners < 4096 { partners += 1 }
    partnerLimit = partners
    pairLimit = max(partners, 16)
  }

  /// The generator of the first groups.
  init(_ instance: BatchInstance) {
    let candidates =
      instance.options.maxCandidatesPerPickUp ?? max(24, 24_000 / max(instance.count, 1))
    // Thrice what is kept of a request in the end: its groups have other pick-ups too.
    self.init(
      instance, OriginGrid(instance), candidates: max(0, candidates),
      keeps: 3 * GroupCut.limit(requests: instance.count, instance.options),
      rows: instance.options.maxCandidatesPerPickUp == nil ? 768 * instance.count : .max)
  }

  /// The generator of more groups, once there are prices.
  func ranking(by prices: [Double]) -> GroupGenerator {
    var generator = GroupGenerator(
      instance, grid, candidates: 3 * min(candidateLimit, 1 << 40), keeps: 40,
      rows: rowLimit.multipliedReportingOverflow(by: 2).overflow ? .max : 2 * rowLimit)
    generator.prices = prices
    return generator
  }

  /// Adds groups with a saving above 0 to the table, from pick-ups spread over the batch, until
  /// ``rowLimit`` rows have been looked at: of a crowd at one place every second or eighth request
  /// is a pick-up.
  ///
  /// - Parameters:
  ///   - table: Where groups go.
  ///   - turn: Which of eight parts of the pick-ups are first.
  ///   - shouldStop: Told the work since it was last asked, every 32 pick-ups; the rest are then
  ///     left out.
  /// - Returns: Whether nothing was left out.
  /// - Complexity: O(pairs near each other + requests x candidates a pick-up).
  func addGroups(to table: inout GroupTable, turn: Int, shouldStop: (Int) -> Bool) -> Bool {
    var pickUp = PickUp()
    var visited = 0
    var reported = 0
    for part in 0..<8 {
      let first = Self.parts[(part + turn) % 8]
      for at in stride(from: first, to: grid.requests.count, by: 8) {
        if part > 0 && pickUp.rowsLookedAt > rowLimit { return false }
        visited += 1
        if visited & 31 == 0 {
          let work = pickUp.rowsLookedAt + 16 * pickUp.routesOrdered
          if shouldStop(work - reported) { return false }
          reported = work
        }
        let owner = grid.requests[at]
        collect(owner, &pickUp)
        for found in pickUp.found { table.insert(found, pickUp: owner) }
      }
    }
    return !pickUp.wasLimited
  }

  private static let parts = [0, 4, 2, 6, 1, 5, 3, 7]

  private func collect(_ owner: Int, _ pickUp: inout PickUp) {
    pickUp.reset()
    // The pick-up is the owner's own origin: a walk of 0, which a limit below 0 forbids.
    guard instance.maxWalks[owner] >= 0 else { return }
    gatherNear(owner, &pickUp)
    pickUp.routesOrdered += pickUp.near.count
    for near in pickUp.near {
      guard let partner = partner(Int(near.request), of: owner) else { continue }
      pickUp.keep(partner, limit: pairLimit)
    }
    pickUp.addPairs(owner)
    if pickUp.partners.count > 1, instance.maxSeats > 2 { extend(owner, &pickUp) }
    pickUp.keepBest(keepLimit)
  }

  // MARK: Pairs

  /// Who may come along as far as seats, policy and the walk say; where those are many, the most
  /// promising: those whose route has most in common with the owner's, by straight lines.
  private func gatherNear(_ owner: Int, _ pickUp: inout PickUp) {
    let seats = Int32(instance.maxSeats - instance.seats[owner])
    let nearLimit = nearLimit
    let own = grid.row(of: owner)
    let isCompatible = instance.options.isCompatible
    pickUp.rowsLookedAt += grid.forEachNear(owner) { row in
      guard row.seats <= seats, isCompatible?(owner, Int(row.request)) ?? true else { return }
      let away = row.destination.squaredChord(to: own.origin).squareRoot()
      let between = row.destination.squaredChord(to: own.destination).squareRoot()
      let both = own.direct + row.direct
      pickUp.addNear(
        row.request, shared: both - min(own.direct, away) - between, of: both, limit: nearLimit)
    }
    pickUp.keepNear(nearLimit)
  }

  private func partner(_ other: Int, of owner: Int) -> Partner? {
    let maxWalk = instance.maxWalks[other]
    let fromPickUp = instance.roadMeters(
      straight: instance.straightMeters(from: owner, .origin, to: other, .destination),
      pickUp: owner)
    let limit = instance.limits[other].longestRideMeters(direct: fromPickUp)
    guard mayHoldDetours(other, owner: owner, fromPickUp: fromPickUp, limit: limit) else {
      return nil
    }
    var walk = instance.straightMeters(from: other, .origin, to: owner, .origin)
    // Next to the limit the distance function itself decides.
    if abs(walk - maxWalk) < 1e-3 {
      walk = instance.exactMeters(from: other, .origin, to: owner, .origin)
    }
    guard walk <= maxWalk else { return nil }
    let toOwner = instance.roadMeters(
      straight: instance.straightMeters(from: owner, .destination, to: other, .destination),
      pickUp: owner)
    var partner = Partner(
      request: other, walkMeters: walk, fromPickUp: fromPickUp,
      fromPickUpWork: instance.work(roadMeters: fromPickUp, pickUp: owner), toOwner: toOwner,
      toOwnerWork: instance.work(roadMeters: toOwner, pickUp: owner), limit: limit, saving: 0,
      rank: 0)
    var route = GroupRoute(owner, instance)
    route.setRider(1, partner)
    route.count = 2
    route.findBest(instance)
    let pair = SIMD4(owner, other, -1, -1)
    let solo = sum(instance.soloFares, of: pair)
    guard let saving = saving(route, solo, walk) else { return nil }
    partner.saving = saving
    partner.rank = rank(saving, solo, sum(prices, of: pair))
    return partner
  }

  /// Nil where no order holds the limits; -infinity where one more rider may mend it.
  @inline(__always)
  private func saving(_ route: GroupRoute, _ solo: Double, _ walkMeters: Double) -> Double? {
    switch route.outcome {
    case .none: nil
    case .tooLittleShared: -.infinity
    case .found:
      solo - route.fare - instance.walkCost(meters: walkMeters, pickUp: route.riders[0])
    }
  }

  @inline(__always)
  private func rank(_ saving: Double, _ solo: Double, _ price: Double) -> Double {
    prices.isEmpty ? saving / solo : saving - price
  }

  /// 0 of an empty list; -1 stands for nobody.
  @inline(__always)
  private func sum(_ values: [Double], of members: SIMD4<Int>) -> Double {
    guard !values.isEmpty else { return 0 }
    return values[members[0]] + values[members[1]] + (members[2] < 0 ? 0 : values[members[2]])
      + (members[3] < 0 ? 0 : values[members[3]])
  }

  /// Never false for a pair that holds the limits: a straight chord instead of the road between
  /// the drop-offs.
  private func mayHoldDetours(
    _ other: Int, owner: Int, fromPickUp: Double, limit: Double
  ) -> Bool {
    let between =
      BatchInstance.lowerBoundMeters(instance.destinations[owner], instance.destinations[other])
      * instance.minimumCircuity
    let direct = instance.directMeters[owner]
    return direct + between <= limit
      || fromPickUp + between <= instance.limits[owner].longestRideMeters(direct: direct)
  }

  // MARK: Triples and quads

  private func extend(_ owner: Int, _ pickUp: inout PickUp) {
    let count = min(pickUp.partners.count, partnerLimit)
    if pickUp.partners.count > count { pickUp.wasLimited = true }
    pickUp.beginTriples(count)
    let seats = instance.maxSeats - instance.seats[owner]
    var route = GroupRoute(owner, instance)
    var looked = 0
    search: for k in 1..<count {
      let second = pickUp.partners[k]
      route.setRider(1, second)
      for j in 0..<k {
        let first = pickUp.partners[j]
        guard mayRideTogether(first.request, second.request, seats) else { continue }
        looked += 1
        pickUp.routesOrdered += 1
        if looked > candidateLimit {
          pickUp.wasLimited = true
          break search
        }
        let meters = instance.roadMeters(
          straight: instance.straightMeters(
            from: first.request, .destination, to: second.request, .destination), pickUp: owner)
        let work = instance.work(roadMeters: meters, pickUp: owner)
        route.setRider(2, first)
        route.setLeg(1, 2, meters: meters, work: work)
        route.count = 3
        route.findBest(instance)
        let members = SIMD4(owner, first.request, second.request, -1)
        let solo = sum(instance.soloFares, of: members)
        guard let saving = saving(route, solo, first.walkMeters + second.walkMeters)
        else { continue }
        let rank = rank(saving, solo, sum(prices, of: members))
        pickUp.addTriple(
          of: owner, with: j, k, leg: PickUp.Leg(meters: meters, work: work, isFeasible: true),
          saving: saving, rank: rank)
      }
    }
    if pickUp.triples.count > 2 && instance.maxSeats > 3 { extendTriples(owner, &pickUp) }
  }

  private func mayRideTogether(_ first: Int, _ second: Int, _ seats: Int) -> Bool {
    instance.seats[first] + instance.seats[second] <= seats
      && instance.windowsMeet(first, second)
      && (instance.options.isCompatible?(first, second) ?? true)
  }

  private func extendTriples(_ owner: Int, _ pickUp: inout PickUp) {
    pickUp.triples.sort(by: PickUp.Triple.isBefore)
    let seats = instance.maxSeats - instance.seats[owner]
    var route = GroupRoute(owner, instance)
    var looked = 0
    for at in pickUp.triples.indices {
      let triple = pickUp.triples[at]
      let first = pickUp.partners[triple.j]
      let second = pickUp.partners[triple.k]
      let left = seats - instance.seats[first.request] - instance.seats[second.request]
      guard left > 0 else { continue }
      route.setRider(1, first)
      route.setRider(2, second)
      let between = pickUp.leg(triple.j, triple.k)
      route.setLeg(1, 2, meters: between.meters, work: between.work)
      route.count = 4
      for l in (triple.k + 1)..<max(pickUp.count, triple.k + 1) {
        let toFirst = pickUp.leg(triple.j, l)
        let toSecond = pickUp.leg(triple.k, l)
        guard toFirst.isFeasible && toSecond.isFeasible else { continue }
        let third = pickUp.partners[l]
        guard instance.seats[third.request] <= left else { continue }
        looked += 1
        pickUp.routesOrdered += 1
        if looked > candidateLimit {
          pickUp.wasLimited = true
          return
        }
        route.setRider(3, third)
        route.setLeg(1, 3, meters: toFirst.meters, work: toFirst.work)
        route.setLeg(2, 3, meters: toSecond.meters, work: toSecond.work)
        route.findBest(instance)
        let members = SIMD4(owner, first.request, second.request, third.request)
        let solo = sum(instance.soloFares, of: members)
        let walks = first.walkMeters + second.walkMeters + third.walkMeters
        guard let saving = saving(route, solo, walks), saving > 0 else { continue }
        pickUp.found.append(
          GroupTable.Candidate(
            members: SIMD4<Int32>(truncatingIfNeeded: members), saving: saving,
            rank: rank(saving, solo, sum(prices, of: members))))
      }
    }
  }
}

extension GroupRoute {
  /// The owner of the pick-up alone.
  fileprivate init(_ owner: Int, _ instance: BatchInstance) {
    count = 1
    riders[0] = owner
    fromPickUp[0] = instance.directMeters[owner]
    fromPickUpWork[0] = instance.directWork[owner]
    limits[0] = instance.limits[owner].longestRideMeters(direct: fromPickUp[0])
  }

  @inline(__always)
  fileprivate mutating func setRider(_ local: Int, _ partner: GroupGenerator.Partner) {
    riders[local] = partner.request
    fromPickUp[local] = partner.fromPickUp
    fromPickUpWork[local] = partner.fromPickUpWork
    limits[local] = partner.limit
    setLeg(0, local, meters: partner.toOwner, work: partner.toOwnerWork)
  }
}
