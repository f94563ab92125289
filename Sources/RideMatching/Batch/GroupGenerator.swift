import GeoMath

/// From requests to feasible groups, pick-up by pick-up.
///
/// For each request as the one at whose origin all get in: who can come along alone (pairs); two
/// of those together (triples); triples that share a pair, made one larger (quads). A larger group
/// is looked at only when its parts are feasible at the same pick-up, which loses nothing as long
/// as the road distance of the profile holds the triangle inequality.
struct GroupGenerator {
  private let instance: BatchInstance
  private let grid: OriginGrid
  private let candidateLimit: Int
  private let partnerLimit: Int
  /// Groups kept of one pick-up.
  private let keepLimit: Int

  /// One who can come along.
  private struct Partner {
    var request: Int
    var walkMeters: Double
    /// From the pick-up to the partner's drop-off, and from there to the owner's.
    var fromPickUp: Double
    var toOwner: Double
    var saving: Double
    /// Saving / solo fares.
    var merit: Double
  }

  private struct Triple {
    var j: Int
    var k: Int
    var merit: Double
  }

  /// A group of the pick-up's owner.
  private struct Found {
    var j: Int32
    var k: Int32
    var l: Int32
    var saving: Double
    var merit: Double
  }

  /// Pairs with the drop-off distances between partners and what was found of the triples.
  private struct Local {
    var size = 0
    /// Row major, not a number where not yet worked out.
    var between: [Double] = []
    /// Row major: the triple of the owner, j and k is feasible.
    var isFeasible: [Bool] = []
    var triples: [Triple] = []
    var found: [Found] = []

    mutating func reset(_ size: Int) {
      self.size = size
      triples.removeAll(keepingCapacity: true)
      if between.count < size * size {
        between = Array(repeating: .nan, count: size * size)
        isFeasible = Array(repeating: false, count: size * size)
      } else {
        for i in 0..<(size * size) {
          between[i] = .nan
          isFeasible[i] = false
        }
      }
    }
  }

  init(_ instance: BatchInstance) {
    self.instance = instance
    grid = OriginGrid(instance)
    candidateLimit = max(
      0, instance.options.maxCandidatesPerPickUp ?? max(40, 50_000 / max(instance.count, 1)))
    // Twice what is kept of a request in the end: its groups have other pick-ups too.
    keepLimit = 2 * GroupCut.limit(requests: instance.count, instance.options)
    // So many partners that all their pairs are about as many as the limit.
    var partners = 2
    while partners * (partners - 1) / 2 < candidateLimit && partners < 4096 { partners += 1 }
    partnerLimit = partners
  }

  /// All groups with a saving above 0, cut as the options say.
  ///
  /// - Complexity: O(pairs near each other + requests x candidates a pick-up).
  static func groups(of instance: BatchInstance) -> [GroupTable.Group] {
    let generator = GroupGenerator(instance)
    var table = GroupTable()
    var local = Local()
    for owner in 0..<instance.count where instance.isUsable[owner] {
      local.found.removeAll(keepingCapacity: true)
      let partners = generator.partners(of: owner, &local)
      if partners.count > 1, instance.maxSeats > 2 { generator.extend(owner, partners, &local) }
      generator.keepBest(&local)
      for found in local.found {
        table.insert(owner, found.j, found.k, found.l, found.saving, found.merit)
      }
    }
    return GroupCut.cut(table.groups, requests: instance.count, instance.options)
  }

  // MARK: Pairs

  private func partners(of owner: Int, _ local: inout Local) -> [Partner] {
    // The pick-up is the owner's own origin: a walk of 0, which a limit below 0 forbids.
    guard instance.maxWalks[owner] >= 0 else { return [] }
    var partners: [Partner] = []
    grid.forEachNear(owner, instance) { request in
      guard let partner = partner(request, of: owner) else { return }
      partners.append(partner)
    }
    for partner in partners where partner.saving > 0 {
      local.found.append(
        Found(
          j: Int32(partner.request), k: -1, l: -1, saving: partner.saving, merit: partner.merit))
    }
    partners.sort {
      $0.merit != $1.merit ? $0.merit > $1.merit : $0.request < $1.request
    }
    if partners.count > partnerLimit { partners.removeLast(partners.count - partnerLimit) }
    return partners
  }

  private func partner(_ other: Int, of owner: Int) -> Partner? {
    guard instance.seats[owner] + instance.seats[other] <= instance.maxSeats else { return nil }
    let maxWalk = instance.maxWalks[other]
    guard
      BatchInstance.leastMeters(instance.origins[other], instance.origins[owner]) <= maxWalk,
      instance.options.isCompatible?(owner, other) ?? true
    else { return nil }
    var walk = instance.straightMeters(other, .origin, owner, .origin)
    // Next to the limit the distance function itself decides.
    if abs(walk - maxWalk) < 1e-3 { walk = instance.exactMeters(other, .origin, owner, .origin) }
    guard walk <= maxWalk else { return nil }
    let fromPickUp = instance.roadMeters(
      straight: instance.straightMeters(owner, .origin, other, .destination))
    guard mayHoldDetours(other, owner, fromPickUp) else { return nil }
    var route = GroupRoute()
    route.count = 2
    route.riders[0] = owner
    route.riders[1] = other
    route.walkMeters = walk
    route.fromPickUp[0] = instance.directMeters[owner]
    route.fromPickUp[1] = fromPickUp
    let between = instance.roadMeters(
      straight: instance.straightMeters(owner, .destination, other, .destination))
    route.between[1] = between
    route.between[4] = between
    guard let saving = route.best(instance) else { return nil }
    return Partner(
      request: other, walkMeters: walk, fromPickUp: route.fromPickUp[1], toOwner: between,
      saving: saving, merit: saving / soloFares(owner, other, -1, -1))
  }

  /// Never false for a pair that holds the limits: a straight chord instead of the road between
  /// the drop-offs.
  private func mayHoldDetours(_ other: Int, _ owner: Int, _ fromPickUp: Double) -> Bool {
    let between =
      BatchInstance.leastMeters(instance.destinations[owner], instance.destinations[other])
      * instance.leastCircuity
    let direct = instance.directMeters[owner]
    return direct + between <= instance.limits[other].longestRideMeters(direct: fromPickUp)
      || fromPickUp + between <= instance.limits[owner].longestRideMeters(direct: direct)
  }

  // MARK: Triples and quads

  private func extend(_ owner: Int, _ partners: [Partner], _ local: inout Local) {
    local.reset(partners.count)
    var looked = 0
    search: for k in 1..<partners.count {
      for j in 0..<k {
        guard mayRideTogether(owner, partners[j].request, partners[k].request) else { continue }
        looked += 1
        if looked > candidateLimit { break search }
        guard let saving = triple(owner, partners, j, k, &local) else { continue }
        local.isFeasible[j * local.size + k] = true
        let merit = saving / soloFares(owner, partners[j].request, partners[k].request, -1)
        local.triples.append(Triple(j: j, k: k, merit: merit))
        if saving > 0 {
          local.found.append(
            Found(
              j: Int32(partners[j].request), k: Int32(partners[k].request), l: -1,
              saving: saving, merit: merit))
        }
      }
    }
    if local.triples.count > 2 && instance.maxSeats > 3 { extendTriples(owner, partners, &local) }
  }

  private func extendTriples(_ owner: Int, _ partners: [Partner], _ local: inout Local) {
    local.triples.sort {
      $0.merit != $1.merit ? $0.merit > $1.merit : ($0.j, $0.k) < ($1.j, $1.k)
    }
    var looked = 0
    for at in local.triples.indices {
      let triple = local.triples[at]
      let j = triple.j * local.size
      let k = triple.k * local.size
      for l in (triple.k + 1)..<max(local.size, triple.k + 1)
      where local.isFeasible[j + l] && local.isFeasible[k + l] {
        guard holdsSeats(owner, partners, triple, l) else { continue }
        looked += 1
        if looked > candidateLimit { return }
        guard let saving = quad(owner, partners, triple, l, local), saving > 0 else { continue }
        local.found.append(
          Found(
            j: Int32(partners[triple.j].request), k: Int32(partners[triple.k].request),
            l: Int32(partners[l].request), saving: saving,
            merit: saving
              / soloFares(
                owner, partners[triple.j].request, partners[triple.k].request,
                partners[l].request)))
      }
    }
  }

  private func mayRideTogether(_ owner: Int, _ j: Int, _ k: Int) -> Bool {
    instance.seats[owner] + instance.seats[j] + instance.seats[k] <= instance.maxSeats
      && instance.windowsMeet(j, k) && (instance.options.isCompatible?(j, k) ?? true)
  }

  private func holdsSeats(_ owner: Int, _ partners: [Partner], _ t: Triple, _ l: Int) -> Bool {
    instance.seats[owner] + instance.seats[partners[t.j].request]
      + instance.seats[partners[t.k].request] + instance.seats[partners[l].request]
      <= instance.maxSeats
  }

  private func triple(
    _ owner: Int, _ partners: [Partner], _ j: Int, _ k: Int, _ local: inout Local
  ) -> Double? {
    var route = route(owner, partners, j)
    let between = instance.roadMeters(
      straight: instance.straightMeters(
        partners[j].request, .destination, partners[k].request, .destination))
    local.between[j * local.size + k] = between
    add(partners[k], at: 2, to: &route)
    route.between[6] = between
    route.between[9] = between
    return route.best(instance)
  }

  private func quad(
    _ owner: Int, _ partners: [Partner], _ t: Triple, _ l: Int, _ local: Local
  ) -> Double? {
    var route = route(owner, partners, t.j)
    add(partners[t.k], at: 2, to: &route)
    add(partners[l], at: 3, to: &route)
    let jk = local.between[t.j * local.size + t.k]
    let jl = local.between[t.j * local.size + l]
    let kl = local.between[t.k * local.size + l]
    route.between[6] = jk
    route.between[9] = jk
    route.between[7] = jl
    route.between[13] = jl
    route.between[11] = kl
    route.between[14] = kl
    return route.best(instance)
  }

  private func soloFares(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Double {
    instance.soloFares[a] + instance.soloFares[b] + (c < 0 ? 0 : instance.soloFares[c])
      + (d < 0 ? 0 : instance.soloFares[d])
  }

  private func route(_ owner: Int, _ partners: [Partner], _ j: Int) -> GroupRoute {
    var route = GroupRoute()
    route.count = 1
    route.riders[0] = owner
    route.fromPickUp[0] = instance.directMeters[owner]
    add(partners[j], at: 1, to: &route)
    return route
  }

  private func add(_ partner: Partner, at local: Int, to route: inout GroupRoute) {
    route.count = local + 1
    route.riders[local] = partner.request
    route.fromPickUp[local] = partner.fromPickUp
    route.between[local] = partner.toOwner
    route.between[local * 4] = partner.toOwner
    route.walkMeters += partner.walkMeters
  }

  /// The best groups of one pick-up; the rest could matter only to others, who have their own.
  private func keepBest(_ local: inout Local) {
    guard local.found.count > keepLimit else { return }
    local.found.sort {
      $0.merit != $1.merit
        ? $0.merit > $1.merit : ($0.j, $0.k, $0.l) < ($1.j, $1.k, $1.l)
    }
    local.found.removeLast(local.found.count - keepLimit)
  }
}
