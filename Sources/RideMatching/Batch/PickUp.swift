/// What is known of one pick-up while its groups are made; used again for the next.
struct PickUp {
  /// Requests that may come along.
  var near: [Int] = []
  /// Those of most merit, best first.
  private(set) var partners: [GroupGenerator.Partner] = []
  var triples: [Triple] = []
  var found: [GroupTable.Candidate] = []
  /// Between drop-offs of partners, row major, as far as looked at.
  private var legs: [Leg] = []

  /// The owner with two partners.
  struct Triple {
    var j: Int
    var k: Int
    var merit: Double

    static func isBefore(_ a: Triple, _ b: Triple) -> Bool {
      a.merit != b.merit ? a.merit > b.merit : (a.j, a.k) < (b.j, b.k)
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
    partners.removeAll(keepingCapacity: true)
    triples.removeAll(keepingCapacity: true)
    found.removeAll(keepingCapacity: true)
  }

  /// - Complexity: O(1) for all but the best.
  mutating func keep(_ partner: GroupGenerator.Partner, limit: Int) {
    if partners.count == limit {
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

  mutating func beginTriples() {
    legs.removeAll(keepingCapacity: true)
    for _ in 0..<(partners.count * partners.count) { legs.append(Leg()) }
  }

  /// - Precondition: j < k.
  @inline(__always)
  func leg(_ j: Int, _ k: Int) -> Leg { legs[j * partners.count + k] }

  mutating func addTriple(
    _ owner: Int, _ j: Int, _ k: Int, _ meters: Double, _ work: Double, _ saving: Double,
    merit: Double
  ) {
    legs[j * partners.count + k] = Leg(meters: meters, work: work, isFeasible: true)
    triples.append(Triple(j: j, k: k, merit: merit))
    guard saving > 0 else { return }
    let members = SIMD4(
      Int32(owner), Int32(partners[j].request), Int32(partners[k].request), -1)
    found.append(GroupTable.Candidate(members: members, saving: saving, merit: merit))
  }

  /// The groups of most merit; the rest could matter only to others, who have their own.
  mutating func keepBest(_ limit: Int) {
    guard found.count > limit else { return }
    found.sort {
      $0.merit != $1.merit
        ? $0.merit > $1.merit
        : ($0.members[1], $0.members[2], $0.members[3])
          < ($1.members[1], $1.members[2], $1.members[3])
    }
    found.removeLast(found.count - limit)
  }
}
