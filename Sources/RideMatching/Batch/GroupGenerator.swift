import GeoMath

/// From requests to feasible groups, pick-up by pick-up.
///
/// For each request as the one at whose origin all get in: who can come along alone (pairs); two
/// of those together (triples); triples that share a pair, made one larger (quads). A larger group
/// is looked at only when its parts are feasible at the same pick-up, which loses nothing as long
/// as the road distance of the profile holds the triangle inequality.
///
/// Where many wait at one place, the most promising by the straight lines are looked at, of those
/// the most worthwhile pairs are made larger.
struct GroupGenerator {
  private let instance: BatchInstance
  private let grid: OriginGrid
  private let candidateLimit: Int
  /// Requests looked at for a pick-up, and those of them whose groups are made larger.
  private let nearLimit: Int
  private let partnerLimit: Int
  /// Groups kept of one pick-up.
  private let keepLimit: Int

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
    /// Saving / solo fares.
    var merit: Double

    static func isBefore(_ a: Partner, _ b: Partner) -> Bool {
      a.merit != b.merit ? a.merit > b.merit : a.request < b.request
    }
  }

  init(_ instance: BatchInstance) {
    self.instance = instance
    grid = OriginGrid(instance)
    candidateLimit = max(
      0, instance.options.maxCandidatesPerPickUp ?? max(40, 50_000 / max(instance.count, 1)))
    nearLimit = max(128, 2 * min(candidateLimit, 1 << 30))
    // Thrice what is kept of a request in the end: its groups have other pick-ups too.
    keepLimit = 3 * GroupCut.limit(requests: instance.count, instance.options)
    // So many partners that all their pairs are about as many as the limit.
    var partners = 2
    while partners * (partners - 1) / 2 < candidateLimit && partners < 4096 { partners += 1 }
    partnerLimit = partners
  }

  /// All groups with a saving above 0, cut as the options say.
  ///
  /// - Parameter shouldStop: Asked every 32 pick-ups; the rest are then left out.
  /// - Complexity: O(pairs near each other + requests x candidates a pick-up).
  static func groups(
    of instance: BatchInstance, shouldStop: () -> Bool = { false }
  ) -> [GroupTable.Group] {
    let generator = GroupGenerator(instance)
    var table = GroupTable(
      expected: instance.count * min(generator.candidateLimit, instance.count))
    var pickUp = PickUp()
    for (turn, owner) in generator.grid.requests.enumerated() {
      if turn & 31 == 31 && shouldStop() { break }
      generator.collect(owner, &pickUp)
      for found in pickUp.found { table.insert(found, pickUp: owner) }
    }
    return GroupCut.cut(table.groups, requests: instance.count, instance.options)
  }

  private func collect(_ owner: Int, _ pickUp: inout PickUp) {
    pickUp.reset()
    // The pick-up is the owner's own origin: a walk of 0, which a limit below 0 forbids.
    guard instance.maxWalks[owner] >= 0 else { return }
    gatherNear(owner, &pickUp)
    for request in pickUp.near {
      guard let partner = partner(request, of: owner) else { continue }
      if partner.saving > 0 {
        pickUp.found.append(
          GroupTable.Candidate(
            members: SIMD4(Int32(owner), Int32(request), -1, -1), saving: partner.saving,
            merit: partner.merit))
      }
      pickUp.keep(partner, limit: partnerLimit)
    }
    if pickUp.partners.count > 1, instance.maxSeats > 2 { extend(owner, &pickUp) }
    pickUp.keepBest(keepLimit)
  }

  // MARK: Pairs

  /// Who may come along as far as seats, policy and the walk say; where those are many, the most
  /// promising.
  private func gatherNear(_ owner: Int, _ pickUp: inout PickUp) {
    let seats = instance.maxSeats - instance.seats[owner]
    let origin = instance.origins[owner]
    grid.forEachNear(owner, instance) { request in
      guard instance.seats[request] <= seats,
        BatchInstance.leastMeters(origin, instance.origins[request]) <= instance.maxWalks[request],
        instance.options.isCompatible?(owner, request) ?? true
      else { return }
      pickUp.near.append(request)
    }
    guard pickUp.near.count > nearLimit else { return }
    var ranked = pickUp.near.map { (share: sharedPart(owner, $0), request: $0) }
    ranked.sort { $0.share != $1.share ? $0.share > $1.share : $0.request < $1.request }
    pickUp.near = ranked.prefix(nearLimit).map(\.request)
  }

  /// What two ways have in common, as a share of both, by straight lines.
  private func sharedPart(_ owner: Int, _ other: Int) -> Double {
    let own = instance.directChords[owner]
    let away = BatchInstance.chord(instance.origins[owner], instance.destinations[other])
    let between = BatchInstance.chord(instance.destinations[owner], instance.destinations[other])
    let both = own + instance.directChords[other]
    return both > 0 ? 1 - (min(own, away) + between) / both : 1
  }

  private func partner(_ other: Int, of owner: Int) -> Partner? {
    let maxWalk = instance.maxWalks[other]
    let fromPickUp = instance.roadMeters(
      straight: instance.straightMeters(owner, .origin, other, .destination))
    let limit = instance.limits[other].longestRideMeters(direct: fromPickUp)
    guard mayHoldDetours(other, owner, fromPickUp, limit) else { return nil }
    var walk = instance.straightMeters(other, .origin, owner, .origin)
    // Next to the limit the distance function itself decides.
    if abs(walk - maxWalk) < 1e-3 { walk = instance.exactMeters(other, .origin, owner, .origin) }
    guard walk <= maxWalk else { return nil }
    let toOwner = instance.roadMeters(
      straight: instance.straightMeters(owner, .destination, other, .destination))
    var partner = Partner(
      request: other, walkMeters: walk, fromPickUp: fromPickUp,
      fromPickUpWork: instance.work(roadMeters: fromPickUp), toOwner: toOwner,
      toOwnerWork: instance.work(roadMeters: toOwner), limit: limit, saving: 0, merit: 0)
    var route = GroupRoute(owner, instance)
    route.setRider(1, partner)
    route.count = 2
    route.findBest(instance)
    let solo = instance.soloFares[owner] + instance.soloFares[other]
    guard let saving = saving(route, solo, walk) else { return nil }
    partner.saving = saving
    partner.merit = saving / solo
    return partner
  }

  /// Nil where no order holds the limits; -infinity where one more rider may mend it.
  @inline(__always)
  private func saving(_ route: GroupRoute, _ solo: Double, _ walkMeters: Double) -> Double? {
    switch route.outcome {
    case .none: nil
    case .tooLittleShared: -.infinity
    case .found: solo - route.fare - walkMeters * instance.options.pricing.walkCostPerMeter
    }
  }

  /// Never false for a pair that holds the limits: a straight chord instead of the road between
  /// the drop-offs.
  private func mayHoldDetours(
    _ other: Int, _ owner: Int, _ fromPickUp: Double, _ limit: Double
  ) -> Bool {
    let between =
      BatchInstance.leastMeters(instance.destinations[owner], instance.destinations[other])
      * instance.leastCircuity
    let direct = instance.directMeters[owner]
    return direct + between <= limit
      || fromPickUp + between <= instance.limits[owner].longestRideMeters(direct: direct)
  }

  // MARK: Triples and quads

  private func extend(_ owner: Int, _ pickUp: inout PickUp) {
    pickUp.beginTriples()
    let seats = instance.maxSeats - instance.seats[owner]
    var route = GroupRoute(owner, instance)
    var looked = 0
    search: for k in 1..<pickUp.partners.count {
      let second = pickUp.partners[k]
      route.setRider(1, second)
      for j in 0..<k {
        let first = pickUp.partners[j]
        guard mayRideTogether(first.request, second.request, seats) else { continue }
        looked += 1
        if looked > candidateLimit { break search }
        let meters = instance.roadMeters(
          straight: instance.straightMeters(
            first.request, .destination, second.request, .destination))
        let work = instance.work(roadMeters: meters)
        route.setRider(2, first)
        route.setLeg(1, 2, meters: meters, work: work)
        route.count = 3
        route.findBest(instance)
        let solo =
          instance.soloFares[owner] + instance.soloFares[first.request]
          + instance.soloFares[second.request]
        guard let saving = saving(route, solo, first.walkMeters + second.walkMeters)
        else { continue }
        pickUp.addTriple(owner, j, k, meters, work, saving, merit: saving / solo)
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
      for l in (triple.k + 1)..<max(pickUp.partners.count, triple.k + 1) {
        let toFirst = pickUp.leg(triple.j, l)
        let toSecond = pickUp.leg(triple.k, l)
        guard toFirst.isFeasible && toSecond.isFeasible else { continue }
        let third = pickUp.partners[l]
        guard instance.seats[third.request] <= left else { continue }
        looked += 1
        if looked > candidateLimit { return }
        route.setRider(3, third)
        route.setLeg(1, 3, meters: toFirst.meters, work: toFirst.work)
        route.setLeg(2, 3, meters: toSecond.meters, work: toSecond.work)
        route.findBest(instance)
        let solo =
          instance.soloFares[owner] + instance.soloFares[first.request]
          + instance.soloFares[second.request] + instance.soloFares[third.request]
        let walks = first.walkMeters + second.walkMeters + third.walkMeters
        guard let saving = saving(route, solo, walks), saving > 0 else { continue }
        pickUp.found.append(
          GroupTable.Candidate(
            members: SIMD4(
              Int32(owner), Int32(first.request), Int32(second.request), Int32(third.request)),
            saving: saving, merit: saving / solo))
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
