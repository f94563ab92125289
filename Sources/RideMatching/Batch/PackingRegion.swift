import ObjectModel

/// One round of ruin and recreate: the chosen groups around a request are dissolved, and whoever
/// was in them is sorted into groups anew, by a branch and bound that is cut off after so many
/// nodes. What it finds is never worse than what was there.
///
/// Up to 32 requests are a region; a set of them is a word.
struct PackingRegion {
  private static let nodeLimit = 600
  private static let largest = 32

  /// Requests of the region by local index.
  private var requests: [Int] = []
  /// By request: the bit of its local index; nobody has none.
  private var bitOf: [UInt64]
  private static let outside: UInt64 = 1 << 63
  private var oldGroups: [Int] = []

  /// A group within the region.
  private struct Candidate {
    /// Members by local index.
    var mask: UInt32
    var group: Int32
    var weight: Double
    /// Sum of the members' parts less the weight, never below 0.
    var slack: Double
  }
  private var found: [Candidate] = []
  /// By local index: where the candidates begin whose lowest member it is.
  private var starts: [Int] = []
  /// By local index: prices such that no group is worth more than those of its members.
  private var parts: [Double] = []

  private var chosen: [Int32] = []
  private var best: [Int32] = []
  private var bestValue = 0.0
  private var nodes = 0
  /// Since it was last asked for, in units of ``BatchOptions/workLimit``.
  private var work = 0

  init(_ problem: PackingProblem) {
    bitOf = Array(repeating: Self.outside, count: problem.requests) + [0]
  }

  mutating func takeWork() -> Int {
    defer { work = 0 }
    return work
  }

  mutating func rebuild(
    _ packing: inout Packing, problem: PackingProblem, prices: [Double],
    lists: PackingLists, random: inout SplitMix64
  ) {
    let target = 8 + random.below(17)
    // What a round costs that finds nothing to do.
    work += 100
    gather(packing, problem: problem, lists: lists, target: target, random: &random)
    defer { for request in requests { bitOf[request] = Self.outside } }
    guard requests.count > 1 else { return }
    var oldValue = 0.0
    for group in oldGroups { oldValue += problem.weights[group] }
    bestValue = oldValue + 1e-9 + oldValue * 1e-12
    parts.removeAll(keepingCapacity: true)
    var bound = 0.0
    for request in requests {
      parts.append(prices[request])
      bound += prices[request]
    }
    guard bound > bestValue else { return }
    collectCandidates(problem, lists, room: bound - bestValue)
    // Each is held against every request of the region.
    work += found.count * requests.count / 8
    tightenParts()
    bound = 0
    for part in parts { bound += part }
    guard bound > bestValue else { return }
    sortCandidates(bound: bound)
    best.removeAll(keepingCapacity: true)
    chosen.removeAll(keepingCapacity: true)
    nodes = 0
    branch(0, used: 0, value: 0, bound: bound)
    work += 4 * nodes
    guard !best.isEmpty else { return }
    for group in oldGroups { packing.drop(group, problem) }
    for group in best { packing.choose(Int(group), problem) }
  }

  /// A request at random and, again and again, all of a group that one of those gathered could be
  /// in, each with everybody in its chosen group.
  private mutating func gather(
    _ packing: Packing, problem: PackingProblem, lists: PackingLists, target: Int,
    random: inout SplitMix64
  ) {
    requests.removeAll(keepingCapacity: true)
    oldGroups.removeAll(keepingCapacity: true)
    add(random.below(problem.requests), packing, problem)
    var tries = 0
    while requests.count < target && tries < 4 * target {
      tries += 1
      let groups = lists.groups(of: requests[random.below(requests.count)])
      guard !groups.isEmpty else { continue }
      // Lists are by slack: those of little more often.
      let count = min(groups.count, 48)
      let pick = min(random.below(count), random.below(count))
      let group = Int(groups[groups.startIndex + pick])
      for at in 0..<Int(problem.sizes[group]) {
        add(Int(problem.members[group][at]), packing, problem)
      }
    }
  }

  private mutating func add(_ request: Int, _ packing: Packing, _ problem: PackingProblem) {
    guard bitOf[request] == Self.outside else { return }
    let group = Int(packing.groupOf[request])
    guard group >= 0 else {
      if requests.count < Self.largest { append(request) }
      return
    }
    guard requests.count + Int(problem.sizes[group]) <= Self.largest else { return }
    for at in 0..<Int(problem.sizes[group]) { append(Int(problem.members[group][at])) }
    oldGroups.append(group)
  }

  private mutating func append(_ request: Int) {
    bitOf[request] = 1 << UInt64(requests.count)
    requests.append(request)
  }

  /// Groups of which every member is in the region and which may be part of something better: the
  /// bound falls by the slack of each group that is chosen.
  private mutating func collectCandidates(
    _ problem: PackingProblem, _ lists: PackingLists, room: Double
  ) {
    found.removeAll(keepingCapacity: true)
    // Each group stands once, with its smallest member.
    for request in requests {
      for entry in lists.entries(first: request) {
        if entry.slack >= room { break }
        work += 1
        let bits =
          bitOf[Int(entry.members[0])] | bitOf[Int(entry.members[1])]
          | bitOf[Int(entry.members[2])] | bitOf[Int(entry.members[3])]
        if bits >= Self.outside { continue }
        let weight = problem.weights[Int(entry.group)]
        found.append(
          Candidate(
            mask: UInt32(truncatingIfNeeded: bits), group: entry.group, weight: weight,
            slack: entry.slack))
      }
    }
  }

  /// Lowers the parts one request after the other to where some group stops them: a feasible
  /// solution of the dual linear program, whose sum bounds what the region can bring.
  private mutating func tightenParts() {
    for local in requests.indices {
      let bit: UInt32 = 1 << UInt32(local)
      var room = parts[local]
      guard room > 0 else { continue }
      for candidate in found where candidate.mask & bit != 0 && candidate.slack < room {
        room = candidate.slack
      }
      guard room > 0 else { continue }
      parts[local] -= room
      for index in found.indices where found[index].mask & bit != 0 {
        found[index].slack -= room
      }
    }
  }

  /// Leaves out what cannot be in anything better than what there was, and sorts the rest by the
  /// lowest local index, the least slack first.
  private mutating func sortCandidates(bound: Double) {
    let room = bound - bestValue
    found.removeAll { $0.slack >= room }
    found.sort {
      let a = $0.mask.trailingZeroBitCount
      let b = $1.mask.trailingZeroBitCount
      return a != b ? a < b : $0.slack != $1.slack ? $0.slack < $1.slack : $0.group < $1.group
    }
    starts.removeAll(keepingCapacity: true)
    var at = 0
    for local in requests.indices {
      starts.append(at)
      while at < found.count && found[at].mask.trailingZeroBitCount == local { at += 1 }
    }
    starts.append(at)
  }

  /// Decides the requests one by one: in a group with later ones, or alone.
  private mutating func branch(_ local: Int, used: UInt32, value: Double, bound: Double) {
    if value > bestValue {
      bestValue = value
      best.removeAll(keepingCapacity: true)
      best.append(contentsOf: chosen)
    }
    var local = local
    while local < requests.count && used >> UInt32(local) & 1 == 1 { local += 1 }
    guard local < requests.count, value + bound > bestValue, nodes < Self.nodeLimit else { return }
    nodes += 1
    for slot in starts[local]..<starts[local + 1] where found[slot].mask & used == 0 {
      let candidate = found[slot]
      // The bound falls by the slack; the next ones have more.
      if value + bound - candidate.slack <= bestValue { break }
      chosen.append(candidate.group)
      branch(
        local + 1, used: used | candidate.mask, value: value + candidate.weight,
        bound: bound - candidate.slack - candidate.weight)
      chosen.removeLast()
    }
    branch(local + 1, used: used, value: value, bound: bound - parts[local])
  }
}
