import ObjectModel

/// Greedy, then local search, then ruin and recreate until the rounds or the time are used up.
///
/// Deterministic for a seed and a number of rounds; `shouldStop` is asked between rounds.
struct PackingSearch {
  private(set) var problem: PackingProblem
  private(set) var prices: PackingPrices
  private var lists: PackingLists
  private(set) var packing: Packing
  private(set) var rounds = 0
  private var region: PackingRegion
  private var random: SplitMix64

  /// Greedy and local search. - Complexity: O(groups).
  init(_ problem: PackingProblem, seed: UInt64, shouldStop: (Int) -> Bool) {
    self.problem = problem
    prices = PackingPrices(problem, shouldStop: shouldStop)
    lists = PackingLists(problem, prices)
    packing = Packing(requests: problem.requests)
    region = PackingRegion(problem)
    random = SplitMix64(seed: seed)
    // Least slack first.
    for group in lists.order where packing.isFree(Int(group), problem) {
      packing.choose(Int(group), problem)
    }
    improve(shouldStop)
  }

  /// Ruin and recreate until so many rounds have been run in all; false when told to stop.
  ///
  /// - Complexity: A few microseconds a round.
  mutating func run(rounds limit: Int, shouldStop: (Int) -> Bool) -> Bool {
    while rounds < limit {
      // A round takes some microseconds: the clock is not asked each time.
      if rounds & 7 == 0 && shouldStop(region.takeWork()) { return false }
      if problem.groups > 1 {
        region.rebuild(
          &packing, problem: problem, prices: prices.prices, lists: lists, random: &random)
      }
      rounds += 1
    }
    return true
  }

  /// Goes on with more groups; those there were have the same places and at least their weights.
  mutating func widen(_ problem: PackingProblem, shouldStop: (Int) -> Bool) {
    self.problem = problem
    prices = PackingPrices(problem, prices, shouldStop: shouldStop)
    lists = PackingLists(problem, prices)
    improve(shouldStop)
  }

  /// Takes a group in for those it conflicts with while that gains, and gives whoever fell out the
  /// best group that is free.
  private mutating func improve(_ shouldStop: (Int) -> Bool) {
    var hasGained = true
    var passes = 0
    while hasGained && passes < 20 && !shouldStop(4 * problem.groups) {
      hasGained = false
      passes += 1
      for index in lists.order {
        let group = Int(index)
        if packing.isChosen(group, problem) { continue }
        let rivals = rivals(of: group)
        var loss = 0.0
        for at in 0..<4 where rivals[at] >= 0 { loss += problem.weights[Int(rivals[at])] }
        guard problem.weights[group] > loss * (1 + 1e-12) + 1e-9 else { continue }
        hasGained = true
        for at in 0..<4 where rivals[at] >= 0 { packing.drop(Int(rivals[at]), problem) }
        packing.choose(group, problem)
        for at in 0..<4 where rivals[at] >= 0 { refill(problem.members[Int(rivals[at])]) }
      }
    }
  }

  /// The chosen groups that share a member with a group, each once; -1 where there is none.
  private func rivals(of group: Int) -> SIMD4<Int32> {
    let members = problem.members[group]
    var rivals = SIMD4<Int32>(repeating: -1)
    for at in 0..<4 {
      let rival = packing.groupOf[Int(members[at])]
      if rival >= 0 && !any(rivals .== rival) { rivals[at] = rival }
    }
    return rivals
  }

  private mutating func refill(_ members: SIMD4<Int32>) {
    for at in 0..<4 {
      let member = Int(members[at])
      guard member < problem.requests, packing.groupOf[member] < 0 else { continue }
      if let group = lists.groups(of: member).first(where: { packing.isFree(Int($0), problem) }) {
        packing.choose(Int(group), problem)
      }
    }
  }
}
