/// Numbers of places, each once.
struct PlaceCandidates: Sendable {
  private var words: [UInt64] = []
  private(set) var count = 0

  init() {}

  func contains(_ number: UInt32) -> Bool {
    let word = Int(number >> 6)
    return word < words.count && words[word] & (1 &<< UInt64(number & 63)) != 0
  }

  mutating func insert(_ number: UInt32) {
    let word = Int(number >> 6)
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: max(word + 1 - words.count, words.count)))
    }
    let bit: UInt64 = 1 &<< UInt64(number & 63)
    if words[word] & bit == 0 {
      words[word] |= bit
      count += 1
    }
  }

  mutating func formIntersection(_ other: PlaceCandidates) {
    count = 0
    for i in words.indices {
      words[i] &= i < other.words.count ? other.words[i] : 0
      count += words[i].nonzeroBitCount
    }
  }

  /// Calls `body` with each, ascending.
  func forEach(_ body: (UInt32) -> Void) {
    for (i, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        body(UInt32(i << 6 + rest.trailingZeroBitCount))
        rest &= rest &- 1
      }
    }
  }

  /// The lowest numbers, ascending.
  func prefix(_ limit: Int) -> [UInt32] {
    var out: [UInt32] = []
    out.reserveCapacity(min(limit, count))
    for (i, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        guard out.count < limit else { return out }
        out.append(UInt32(i << 6 + rest.trailingZeroBitCount))
        rest &= rest &- 1
      }
    }
    return out
  }
}

/// One search's look into the index: the runs of one moment, and how many terms it has looked at.
struct PlaceTermSearch {
  let runs: [PlaceTermIndex.Run]
  /// Terms whose owners were taken or that were compared one by one.
  private(set) var termsVisited = 0

  init(_ index: PlaceTermIndex) { runs = index.runs }

  /// Places that have a term of each group, that is in any of the group's ranges.
  ///
  /// - Parameters:
  ///   - groups: At least one, each with at least one range.
  ///   - limit: Once no more than this many are left, the other groups are not asked: all that fit
  ///     are among them.
  /// - Returns: The places that are left.
  /// - Complexity: O(log terms) a range, and O(terms) in the ranges of the groups that are asked, the
  ///   smallest first.
  mutating func candidates(
    _ groups: [[PackedTermRange]], limit: Int
  ) -> PlaceCandidates {
    var found = groups.map { group in positions(of: group) }
    found.sort { $0.length < $1.length }
    var out = PlaceCandidates()
    for (i, group) in found.enumerated() {
      if i == 0 {
        take(group, into: &out)
      } else if out.count > limit {
        var others = PlaceCandidates()
        take(group, into: &others)
        out.formIntersection(others)
      }
    }
    return out
  }

  /// Places of whose terms one may begin with a text that has one error.
  mutating func candidates(_ error: PlaceTermError) -> PlaceCandidates {
    var out = PlaceCandidates()
    for run in runs {
      var walk = PlaceErrorWalk(run: run, error: error)
      walk.findAll()
      termsVisited += walk.termsVisited
      for part in walk.found where error.isWhole {
        termsVisited += part.count
        for at in part where error.admits(run.terms[at]) { out.insert(run.owners[at].number) }
      }
      for part in walk.found where !error.isWhole { take(run, part, into: &out) }
    }
    return out
  }

  // MARK: - Ranges

  private struct Positions {
    var parts: [(run: Int, part: Range<Int>)] = []
    var length = 0
  }

  private func positions(of group: [PackedTermRange]) -> Positions {
    var out = Positions()
    for range in group {
      for (i, run) in runs.enumerated() {
        let part = run.positions(
          from: range.first, through: range.last, in: run.terms.indices)
        guard !part.isEmpty else { continue }
        out.parts.append((i, part))
        out.length += part.count
      }
    }
    return out
  }

  private mutating func take(_ positions: Positions, into out: inout PlaceCandidates) {
    for (i, part) in positions.parts { take(runs[i], part, into: &out) }
  }

  private mutating func take(
    _ run: PlaceTermIndex.Run, _ part: Range<Int>, into out: inout PlaceCandidates
  ) {
    termsVisited += part.count
    for owner in run.owners[part] { out.insert(owner.number) }
  }
}
