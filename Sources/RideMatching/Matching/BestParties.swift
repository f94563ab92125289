/// The best parties found so far, as many as are wanted.
struct BestParties {
  private let limit: Int
  private var found: [RankedParty] = []
  /// Whoever is not before this one is not among the best; nil while there are too few to tell.
  private(set) var worst: RankedParty?
  /// Parties that were put in, among the best or not.
  private(set) var count = 0

  init(limit: Int) {
    self.limit = max(0, min(limit, 1_000_000))
  }

  var isEmpty: Bool { count == 0 }

  /// Whether a party that saves no more than this may still be among the best.
  func mayHold(saving: Double) -> Bool {
    guard limit > 0 else { return false }
    guard let worst else { return true }
    return saving >= Double(worst.saving)
  }

  /// A short list is kept in order; of a long one few enough stay that sorting them costs little
  /// beside finding them.
  mutating func put(_ ranked: RankedParty) {
    count += 1
    guard limit > 0 else { return }
    if let worst, !RankedParty.isBefore(ranked, worst) { return }
    guard limit > 64 else { return insert(ranked) }
    found.append(ranked)
    guard found.count >= 2 * limit + 64 else { return }
    found.sort(by: RankedParty.isBefore)
    found.removeLast(found.count - limit)
    worst = found.last
  }

  private mutating func insert(_ ranked: RankedParty) {
    if found.count == limit { found.removeLast() }
    var low = 0
    var high = found.count
    while low < high {
      let middle = (low + high) / 2
      if RankedParty.isBefore(found[middle], ranked) { low = middle + 1 } else { high = middle }
    }
    found.insert(ranked, at: low)
    if found.count == limit { worst = found.last }
  }

  /// The best first.
  func sorted() -> ArraySlice<RankedParty> {
    found.sorted(by: RankedParty.isBefore).prefix(limit)
  }
}
