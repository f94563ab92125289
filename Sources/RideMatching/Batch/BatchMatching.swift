import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// Sorts waiting requests into the groups that save most.
public enum BatchMatching {
  /// Groups within everyone's windows, walks, detours and seats, with as large a saving as the
  /// rounds or the time allow. Requests that cannot be in any group, and any but the first of a
  /// rider, stay unmatched.
  ///
  /// - Parameter shouldStop: Asked every few pick-ups while groups are made and every few rounds of
  ///   the search, until it says so once; the answer is complete whenever it stops.
  /// - Complexity: O(pairs near each other + requests x candidates a pick-up), then a few
  ///   microseconds a round.
  public static func solve(
    requests: [RideRequest], options: BatchOptions, shouldStop isOver: () -> Bool = { false }
  ) -> BatchResult {
    var hasStopped = false
    func shouldStop() -> Bool {
      if !hasStopped { hasStopped = isOver() }
      return hasStopped
    }
    let instance = BatchInstance(requests, options)
    var pool = GroupPool(instance, shouldStop: shouldStop)
    var search = PackingSearch(pool.problem, seed: options.seed, shouldStop: shouldStop)
    let limit = max(0, options.iterations)
    var next = roundsBeforeMoreGroups
    while search.run(rounds: min(limit, next), shouldStop: shouldStop), search.rounds < limit {
      if pool.mayWiden {
        pool.widen(by: search.prices.prices, shouldStop: shouldStop)
        search.widen(pool.problem, shouldStop: shouldStop)
      }
      next = next.multipliedReportingOverflow(by: 4).partialValue
    }
    var answer = BatchAnswer(instance, requests)
    for group in search.packing.chosen(search.problem) { answer.add(pool.groups[group]) }
    return answer.result(iterations: search.rounds, candidateGroups: pool.groups.count)
  }

  /// And four times as many before the next.
  private static let roundsBeforeMoreGroups = 1_500

  /// The groups that ``solve(requests:options:shouldStop:)`` chooses from: indices ascending, and
  /// the saving at the best pick-up. For checks by another solver.
  public static func candidateGroups(
    requests: [RideRequest], options: BatchOptions
  ) -> [(members: [Int], saving: Double)] {
    GroupPool(BatchInstance(requests, options), shouldStop: { false }).groups.map { group in
      ((0..<4).map { Int(group.members[$0]) }.filter { $0 >= 0 }, group.saving)
    }
  }
}
