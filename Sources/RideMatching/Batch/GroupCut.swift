/// Keeps the groups that may matter: all of a small batch, else for each request those of highest
/// rank. Under loose limits a thousand requests have millions of feasible groups.
enum GroupCut {
  static func isDue(_ groups: Int, _ options: BatchOptions) -> Bool {
    options.maxGroupsPerRequest != nil || groups > BatchOptions.freeGroups
  }

  static func limit(requests: Int, _ options: BatchOptions) -> Int {
    options.maxGroupsPerRequest.map { max(1, min($0, 1 << 30)) }
      ?? max(64, BatchOptions.freeGroups / max(requests, 1))
  }

  /// - Returns: Groups that are among the best of at least one of their members, in a fixed order.
  /// - Complexity: O(groups log groups).
  static func cut(
    _ groups: [GroupTable.Group], requests: Int, _ options: BatchOptions
  ) -> [GroupTable.Group] {
    let limit = limit(requests: requests, options)
    var order = Array(groups.indices)
    order.sort {
      groups[$0].rank != groups[$1].rank ? groups[$0].rank > groups[$1].rank : $0 < $1
    }
    var kept = Array(repeating: 0, count: requests)
    var result: [GroupTable.Group] = []
    for index in order {
      var isAmongBest = false
      for at in 0..<4 {
        let member = Int(groups[index].members[at])
        guard member >= 0 else { break }
        if kept[member] < limit { isAmongBest = true }
        kept[member] += 1
      }
      if isAmongBest { result.append(groups[index]) }
    }
    return result
  }
}
