/// What is known of one pick-up while its groups are made; used again for the next.
struct PickUp {
  /// Requests that may come along.
  private(set) var near: [Near] = []
  /// By promise, how many were taken in; those of at least ``minimumPromise``; and what is too little
  /// for any more.
  private var sizes = InlineArray<256, Int32>(repeating: 0)
  private var promising: Int32 = 0
  private var minimumPromise: UInt8 = 0
  /// Those of highest rank, best first.
  private(set) var partners: [GroupGenerator.Partner] = []
  var triples: [Triple] = []
  var found: [GroupTable.Candidate] = []
  /// At this pick-up and those before.
  var rowsLookedAt = 0
  /// Sets of riders whose best order was looked for.
  var routesOrdered = 0
  /// Something was left out, at this pick-up or one before.
  var wasLimited = false
  /// Partners that are made larger.
  private(set) var count = 0
  /// Between drop-offs of those, row major, as far as looked at.
  private var legs: [Leg] = []

  struct Near {
    var request: Int32
    /// In 256ths.
    var promise: UInt8
  }

  /// The owner with two partners.
  struct Triple {
    var j: Int
    var k: Int
    var rank: Double

    static func isBefore(_ a: Triple, _ b: Triple) -> Bool {
      a.rank != b.rank ? a.rank > b.rank : (a.j, a.k) < (b.j, b.k)
    }
  }

  struct Leg {
    var meters = Double.nan
    var work = Double.nan
    /// The owner and the two are a triple that holds the limits.
    var isFeasible = false
  }

  mutating func reset() {
    near.removeAll(keepingCapacity: true)
    sizes = InlineArray(repeating: 0)
    promising = 0
    minimumPromise = 0
    partners.removeAll(keepingCapacity: true)
    triples.removeAll(keepingCapacity: true)
    found.removeAll(keepingCapacity: true)
  }

  /// Takes in a request unless so many are more promising already. Its promise is what two routes have
  /// in common as a share of both; those below 0 are the last.
  /// - Complexity: O(1) expected.
  @inline(__always)
  mutating func addNear(_ request: Int32, shared: Float, of both: Float, limit: Int32) {
    // Most of a crowd is passed by without a division.
    if minimumPromise > 0 && shared * 256 < Float(minimumPromise) * both {
      wasLimited = true
      return
    }
    let promise = both > 0 ? shared / both : 1
    let part = max(minimumPromise, UInt8(max(0, min(promise * 256, 255))))
    near.append(Near(request: request, promise: part))
    sizes[Int(part)] += 1
    promising += 1
    while promising - sizes[Int(minimumPromise)] >= limit {
      promising -= sizes[Int(minimumPromise)]
      minimumPromise += 1
    }
  }

  /// Leaves the most promising; of those that tie at the limit the first.
  /// - Complexity: O(near).
  mutating func keepNear(_ limit: Int32) {
    guard near.count > limit else { return }
    var ties = limit - (promising - sizes[Int(minimumPromise)])
    let least = minimumPromise
    near.removeAll { candidate in
      if candidate.promise == least { ties -= 1 }
      return candidate.promise < least || (candidate.promise == least && ties < 0)
    }
    wasLimited = true
  }

  /// - Complexity: O(1) for all but the best.
  mutating func keep(_ partner: GroupGenerator.Partner, limit: Int) {
    if partners.count == limit {
      wasLimited = true
      guard let last = partners.last, GroupGenerator.Partner.isBefore(partner, last) else { return }
      partners.removeLast()
    }
    var low = 0
    var high = partners.count
    while low < high {
      let middle = (low + high) / 2
      if GroupGenerator.Partner.isBefore(partners[middle], partner) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    partners.insert(partner, at: low)
  }

  mutating func addPairs(_ owner: Int) {
    for partner in partners where partner.saving > 0 {
      found.append(
        GroupTable.Candidate(
          members: SIMD4(Int32(owner), Int32(partner.request), -1, -1), saving: partner.saving,
          rank: partner.rank))
    }
  }

  /// - Parameter count: Of the partners the first so many are made larger.
  mutating func beginTriples(_ count: Int) {
    self.count = count
    legs.removeAll(keepingCapacity: true)
    for _ in 0..<(count * count) { legs.append(Leg()) }
  }

  /// - Precondition: j < k.
  @inline(__always)
  func leg(_ j: Int, _ k: Int) -> Leg { legs[j * count + k] }

  mutating func addTriple(
    of owner: Int, with j: Int, _ k: Int, leg: Leg, saving: Double, rank: Double
  ) {
    legs[j * count + k] = leg
    triples.append(Triple(j: j, k: k, rank: rank))
    guard saving > 0 else { return }
    let members = SIMD4(
      Int32(owner), Int32(partners[j].request), Int32(partners[k].request), -1)
    found.append(GroupTable.Candidate(members: members, saving: saving, rank: rank))
  }

  /// The groups of highest rank; the rest could matter only to others, who have their own.
  mutating func keepBest(_ limit: Int) {
    guard found.count > limit else { return }
    wasLimited = true
    found.sort {
      $0.rank != $1.rank
        ? $0.rank > $1.rank
        : ($0.members[1], $0.members[2], $0.members[3])
          < ($1.members[1], $1.members[2], $1.members[3])
    }
    found.removeLast(found.count - limit)
  }
}
