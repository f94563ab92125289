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
  /// The order of the requests changes nothing but the indices: they are looked at by rider id.
  ///
  /// - Parameters:
  ///   - requests: Who waits.
  ///   - options: What they are solved by.
  ///   - isOver: Asked every few pick-ups while groups are made and every few rounds of the search,
  ///     until it says so once; the answer is complete whenever it stops.
  /// - Returns: The groups, and who is in none.
  /// - Complexity: O(pairs near each other + requests x candidates a pick-up), then a few
  ///   microseconds a round; at most ``BatchOptions/workLimit``.
  public static func solve(
    requests: [RideRequest], options: BatchOptions, shouldStop isOver: () -> Bool = { false }
  ) -> BatchResult {
    let order = requests.indices.sorted { a, b in
      let (left, right) = (requests[a].riderID.utf8, requests[b].riderID.utf8)
      if left.lexicographicallyPrecedes(right) { return true }
      return a < b && !right.lexicographicallyPrecedes(left)
    }
    var sorted = options
    sorted.isCompatible = compatibility(requests, options, order)
    var result = solveSorted(order.map { requests[$0] }, sorted, isOver)
    for i in result.groups.indices { result.groups[i].renumber(by: order) }
    result.groups.sort { ($0.members.min() ?? 0) < ($1.members.min() ?? 0) }
    result.unmatched = result.unmatched.map { order[$0] }.sorted()
    return result
  }

  /// By place in the order: what the options say, and the policy of parties.
  static func compatibility(
    _ requests: [RideRequest], _ options: BatchOptions, _ order: [Int]
  ) -> (@Sendable (Int, Int) -> Bool)? {
    let stated = options.isCompatible
    guard case .parties(let terms) = options.pricing,
      !terms.effectivePolicy.sameAttributes.isEmpty
    else {
      guard let stated else { return nil }
      return { a, b in stated(order[a], order[b]) }
    }
    let policy = terms.effectivePolicy
    let attributes = order.map { requests[$0].attributes }
    return { a, b in
      policy.conflict(host: attributes[a], other: attributes[b]) == nil
        && policy.conflict(host: attributes[b], other: attributes[a]) == nil
        && (stated?(order[a], order[b]) ?? true)
    }
  }

  private static func solveSorted(
    _ requests: [RideRequest], _ options: BatchOptions, _ isOver: () -> Bool
  ) -> BatchResult {
    var end = BatchResult.End.finished
    var workLeft = max(0, options.workLimit)
    func shouldStop(after work: Int) -> Bool {
      workLeft -= work
      if end == .finished { end = workLeft < 0 ? .workLimit : isOver() ? .stopped : .finished }
      return end != .finished
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
    var result = answer.result(
      iterations: search.rounds, candidateGroups: pool.groups.count)
    result.end = end
    return result
  }

  /// And four times as many before the next.
  private static let roundsBeforeMoreGroups = 1_500

  /// The groups that ``solve(requests:options:shouldStop:)`` chooses from: indices ascending, and
  /// the saving at the best pick-up. For checks by another solver.
  public static func candidateGroups(
    requests: [RideRequest], options: BatchOptions
  ) -> [(members: [Int], saving: Double)] {
    GroupPool(BatchInstance(requests, options), shouldStop: { _ in false }).groups.map { group in
      ((0..<4).map { Int(group.members[$0]) }.filter { $0 >= 0 }, group.saving)
    }
  }
}

extension BatchGroup {
  /// - Parameter order: By the number that a request has now: the one that it had.
  mutating func renumber(by order: [Int]) {
    members = members.map { order[$0] }
    dropOffOrder = dropOffOrder.map { order[$0] }
    for i in boardings.indices { boardings[i].member = order[boardings[i].member] }
  }
}
