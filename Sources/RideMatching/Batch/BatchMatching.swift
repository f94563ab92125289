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
  /// - Parameter shouldStop: Asked every few rounds of the search; the answer is complete whenever
  ///   it stops. Groups are always made, however soon it says so.
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
    let candidates = GroupGenerator.groups(of: instance, shouldStop: shouldStop)
    let problem = PackingProblem(
      requests: requests.count, members: candidates.map(\.members),
      weights: candidates.map(\.saving))
    var search = PackingSearch(problem, seed: options.seed, shouldStop: shouldStop)
    search.run(rounds: max(0, options.iterations), shouldStop: shouldStop)
    var answer = BatchAnswer(instance, requests)
    for group in search.packing.chosen(problem) {
      answer.add(candidates[group])
    }
    return answer.result(iterations: search.rounds, candidateGroups: candidates.count)
  }

  /// The groups that ``solve(requests:options:shouldStop:)`` chooses from: indices ascending, and
  /// the saving at the best pick-up. For checks by another solver.
  public static func candidateGroups(
    requests: [RideRequest], options: BatchOptions
  ) -> [(members: [Int], saving: Double)] {
    GroupGenerator.groups(of: BatchInstance(requests, options)).map { group in
      ((0..<4).map { Int(group.members[$0]) }.filter { $0 >= 0 }, group.saving)
    }
  }
}
