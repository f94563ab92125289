/// The nearest objects found so far by a search that goes on when the index may have changed.
///
/// It keeps handles and distances only, and some more than are asked for, so that a few may leave
/// before the search is over.
struct DistantCandidates {
  struct Candidate {
    let handle: ObjectHandle
    /// In millimetres, when it was found.
    let distance: Int64
  }

  private(set) var candidates: [Candidate] = []
  /// Objects farther than this were left out because enough nearer ones were found.
  private(set) var reach = Int64.max
  private let wanted: Int
  private var roomBeforeReduction: Int

  init(limit: Int) {
    wanted = limit + 32
    roomBeforeReduction = 4 * wanted
  }

  mutating func offer(_ handle: ObjectHandle, distance: Int64) {
    guard distance <= reach else { return }
    candidates.append(Candidate(handle: handle, distance: distance))
    if candidates.count > roomBeforeReduction { reduce() }
  }

  /// Drops all but the nearest, and those as far as the last of them.
  private mutating func reduce() {
    candidates.sort { $0.distance < $1.distance }
    reach = candidates[wanted - 1].distance
    let end = candidates.firstIndex { $0.distance > reach } ?? candidates.count
    candidates.removeSubrange(end...)
    // Many at one distance cannot be told apart here.
    roomBeforeReduction = max(4 * wanted, 2 * candidates.count)
  }
}
