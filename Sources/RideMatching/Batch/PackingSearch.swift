/// Greedy, then local search, then ruin and recreate until the rounds or the time are used up.
///
/// Deterministic for a seed and a number of rounds; `shouldStop` is asked between rounds.
struct PackingSearch {
  let problem: PackingProblem
  private(set) var packing: Packing
  private(set) var rounds = 0
  private var random: SplitMix

  init(_ problem: PackingProblem, seed: UInt64) {
    self.problem = problem
    packing = Packing(requests: problem.requests)
    random = SplitMix(seed: seed)
  }

  /// - Complexity: O(groups log groups), then O(members' groups) a round.
  mutating func run(rounds limit: Int, shouldStop: () -> Bool) {
    greedy()
    improve(shouldStop)
    guard problem.groups > 1 else { return }
    var region = PackingRegion(problem)
    while rounds < limit {
      // A round takes some microseconds: the clock is not asked each time.
      if rounds & 7 == 0 && shouldStop() { return }
      region.rebuild(&packing, problem, &random)
      rounds += 1
    }
  }

  /// By weight / sqrt(size): within sqrt(4) of the optimum (Halldorsson 2000), near it in practice.
  private mutating func greedy() {
    let scores = (0..<problem.groups).map {
      problem.weights[$0] / Double(problem.sizes[$0]).squareRoot()
    }
    let order = scores.indices.sorted {
      scores[$0] != scores[$1] ? scores[$0] > scores[$1] : $0 < $1
    }
    for group in order where packing.isFree(group, problem) { packing.choose(group, problem) }
  }

  /// Takes a group in for those it conflicts with while that gains, and gives whoever fell out the
  /// best group that is free.
  private mutating func improve(_ shouldStop: () -> Bool) {
    var hasGained = true
    var passes = 0
    while hasGained && passes < 20 && !shouldStop() {
      hasGained = false
      passes += 1
      for group in 0..<problem.groups where !packing.isChosen(group, problem) {
        let rivals = rivals(of: group)
        var loss = 0.0
        for rival in rivals.list(rivals.count) { loss += problem.weights[rival] }
        guard problem.weights[group] > loss * (1 + 1e-12) + 1e-9 else { continue }
        hasGained = true
        for rival in rivals.list(rivals.count) { packing.drop(rival, problem) }
        packing.choose(group, problem)
        for rival in rivals.list(rivals.count) { refill(problem.members[rival]) }
      }
    }
  }

  private struct Rivals {
    var items = SIMD4<Int32>(repeating: -1)
    var count = 0

    func list(_ count: Int) -> [Int] { (0..<count).map { Int(items[$0]) } }
  }

  private func rivals(of group: Int) -> Rivals {
    var rivals = Rivals()
    for at in 0..<problem.sizes[group] {
      let rival = packing.groupOf[Int(problem.members[group][at])]
      guard rival >= 0 else { continue }
      if (0..<rivals.count).contains(where: { rivals.items[$0] == rival }) { continue }
      rivals.items[rivals.count] = rival
      rivals.count += 1
    }
    return rivals
  }

  private mutating func refill(_ members: SIMD4<Int32>) {
    for at in 0..<4 {
      let member = Int(members[at])
      guard member >= 0 else { break }
      guard packing.groupOf[member] < 0 else { continue }
      for slot in problem.byMember.range(member) {
        let group = Int(problem.byMember.items[slot])
        if packing.isFree(group, problem) {
          packing.choose(group, problem)
          break
        }
      }
    }
  }
}
