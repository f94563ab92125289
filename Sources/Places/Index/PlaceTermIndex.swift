import Threading

/// The terms of places, in sorted runs: found by their beginnings, in memory.
///
/// ```
/// run 0  pㄱㅏ… pㄱㅏ… … wㅎㅣ…    1,200,000 terms, each with the number of its place
/// run 1  pㄴㅏ… … wㅎㅏ…              60,000
/// run 2  pㅅㅓ… …                      3,000     what came last
/// ```
/// Changes make a run of their own, which is merged into the one before while that is not more than
/// ``growth`` times as long: a term is copied O(log terms) times, and there are few runs. A term of
/// what a place once was stays until a merge finds it; whoever asks judges each number by what the
/// place is now.
///
/// One caller at a time changes it; any number searches, each in the runs of one moment. A merge
/// happens beside them: they wait for nobody.
final class PlaceTermIndex: Sendable {
  struct Owner: Sendable {
    let number: UInt32
    /// How often the number had changed when it got the term.
    let generation: UInt32
  }

  /// Terms in order, each with its owner.
  struct Run: Sendable {
    var terms: [UInt128] = []
    var owners: [Owner] = []
  }

  private struct State: Sendable {
    var runs: [Run] = []
    /// By number.
    var generations: [UInt32] = []
  }

  /// A run is merged into one that is at most so many times as long.
  static let growth = 4

  private let state = StateLock(State())

  /// The runs of this moment.
  var runs: [Run] { state.withLock { $0.runs } }

  /// Gives places their terms in place of those that they had; none: they have left.
  ///
  /// - Complexity: O(t log t + t log terms) for t new terms, over many calls.
  func apply(_ changes: [(number: UInt32, terms: [UInt128])]) {
    guard !changes.isEmpty else { return }
    var added: [(term: UInt128, owner: Owner)] = []
    let (known, generations) = state.withLock { state -> ([Run], [UInt32]) in
      for change in changes {
        let missing = Int(change.number) + 1 - state.generations.count
        if missing > 0 {
          state.generations.append(contentsOf: repeatElement(0, count: max(1024, missing)))
        }
        state.generations[Int(change.number)] &+= 1
        let owner = Owner(
          number: change.number, generation: state.generations[Int(change.number)])
        for term in change.terms { added.append((term, owner)) }
      }
      return (state.runs, state.generations)
    }
    var runs = known
    added.sort { $0.term < $1.term }
    runs.append(Run(terms: added.map(\.term), owners: added.map(\.owner)))
    while runs.count > 1,
      runs[runs.count - 1].terms.count * Self.growth >= runs[runs.count - 2].terms.count
    {
      let last = runs.removeLast()
      let previous = runs.removeLast()
      runs.append(previous.merged(with: last, generations))
    }
    state.withLock { $0.runs = runs }
  }
}

extension PlaceTermIndex.Run {
  /// Both in one, without the terms that their owners have no more.
  fileprivate func merged(
    with other: PlaceTermIndex.Run, _ generations: [UInt32]
  ) -> PlaceTermIndex.Run {
    var out = PlaceTermIndex.Run()
    out.terms.reserveCapacity(terms.count + other.terms.count)
    out.owners.reserveCapacity(terms.count + other.terms.count)
    var (i, j) = (0, 0)
    while i < terms.count || j < other.terms.count {
      let takesFirst =
        j == other.terms.count || (i < terms.count && terms[i] <= other.terms[j])
      let (term, owner) =
        takesFirst ? (terms[i], owners[i]) : (other.terms[j], other.owners[j])
      if takesFirst { i += 1 } else { j += 1 }
      guard generations[Int(owner.number)] == owner.generation else { continue }
      out.terms.append(term)
      out.owners.append(owner)
    }
    return out
  }

  /// Where the terms of a range stand, looked for in a part of the run.
  ///
  /// - Complexity: O(log of the part's length).
  func positions(
    from first: UInt128, through last: UInt128, in part: Range<Int>
  ) -> Range<Int> {
    let start = lowerBound(first, part)
    guard start < part.upperBound, terms[start] <= last else { return start..<start }
    // Most ranges are short: the end is looked for in steps that double.
    var step = 1
    while start + step < part.upperBound, terms[start + step] <= last { step *= 2 }
    let end = lowerBound(
      last, start + step / 2..<min(start + step, part.upperBound), isAfterEqual: true)
    return start..<end
  }

  /// The first position whose term is not below another one; with `isAfterEqual`, above it.
  private func lowerBound(
    _ term: UInt128, _ part: Range<Int>, isAfterEqual: Bool = false
  ) -> Int {
    var (low, high) = (part.lowerBound, part.upperBound)
    while low < high {
      let middle = (low + high) / 2
      let isBelow = isAfterEqual ? terms[middle] <= term : terms[middle] < term
      if isBelow { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
