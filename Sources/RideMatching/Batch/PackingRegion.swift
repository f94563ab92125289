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
  /// By request: the local index, -1 outside.
  private var localOf: [Int8]
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

  init(_ problem: PackingProblem) {
    localOf = Array(repeating: -1, count: problem.requests)
  }

  mutating func rebuild(
    _ packing: inout Packing, _ problem: PackingProblem, _ random: inout SplitMix
  ) {
    let target = 8 + random.below(17)
    gather(packing, problem, target, &random)
    defer { for request in requests { localOf[request] = -1 } }
    guard requests.count > 1 else { return }
    var oldValue = 0.0
    for group in oldGroups { oldValue += problem.weights[group] }
    collectCandidates(problem)
    tightenParts()
    bestValue = oldValue + 1e-9 + oldValue * 1e-12
    var bound = 0.0
    for part in parts { bound += part }
    guard bound > bestValue else { return }
    sortCandidates(bound: bound)
    best.removeAll(keepingCapacity: true)
    chosen.removeAll(keepingCapacity: true)
    nodes = 0
    branch(0, used: 0, value: 0, bound: bound)
    guard !best.isEmpty else { return }
    for group in oldGroups { packing.drop(group, problem) }
    for group in best { packing.choose(Int(group), problem) }
  }

  /// A request at random and, again and again, all of a group that one of those gathered could be
  /// in, each with everybody in its chosen group.
  private mutating func gather(
    _ packing: Packing, _ problem: PackingProblem, _ target: Int, _ random: inout SplitMix
  ) {
    requests.removeAll(keepingCapacity: true)
    oldGroups.removeAll(keepingCapacity: true)
    add(random.below(problem.requests), packing, problem)
    var tries = 0
    while requests.count < target && tries < 4 * target {
      tries += 1
      let member = requests[random.below(requests.count)]
      let range = problem.byMember.range(member)
      guard !range.isEmpty else { continue }
      // Lists are by weight: the better half twice as often.
      let pick = min(random.below(range.count), random.below(range.count))
      let group = Int(problem.byMember.items[range.lowerBound + pick])
      for at in 0..<problem.sizes[group] {
        add(Int(problem.members[group][at]), packing, problem)
      }
    }
  }

  private mutating func add(_ request: Int, _ packing: Packing, _ problem: PackingProblem) {
    guard localOf[request] < 0 else { return }
    let group = Int(packing.groupOf[request])
    guard group >= 0 else {
      if requests.count < Self.largest {
        localOf[request] = Int8(requests.count)
        requests.append(request)
      }
      return
    }
    guard requests.count + problem.sizes[group] <= Self.largest else { return }
    for at in 0..<problem.sizes[group] {
      let member = Int(problem.members[group][at])
      localOf[member] = Int8(requests.count)
      requests.append(member)
    }
    oldGroups.append(group)
  }

  /// Groups of which every member is in the region.
  private mutating func collectCandidates(_ problem: PackingProblem) {
    found.removeAll(keepingCapacity: true)
    parts.removeAll(keepingCapacity: true)
    for _ in requests { parts.append(0) }
    // Each group stands once, with its smallest member.
    for request in requests {
      for slot in problem.byFirst.range(request) {
        let group = Int(problem.byFirst.items[slot])
        let members = problem.members[group]
        let size = problem.sizes[group]
        var mask: UInt32 = 0
        var at = 0
        while at < size {
          let local = localOf[Int(members[at])]
          if local < 0 { break }
          mask |= 1 << UInt32(local)
          at += 1
        }
        guard at == size else { continue }
        let weight = problem.weights[group]
        found.append(Candidate(mask: mask, group: Int32(group), weight: weight, slack: 0))
        raiseParts(mask, to: weight / Double(size))
      }
    }
  }

  private mutating func raiseParts(_ mask: UInt32, to part: Double) {
    var members = mask
    while members != 0 {
      let local = members.trailingZeroBitCount
      if part > parts[local] { parts[local] = part }
      members &= members - 1
    }
  }

  @inline(__always)
  private func sumOfParts(_ mask: UInt32) -> Double {
    var sum = 0.0
    var members = mask
    while members != 0 {
      sum += parts[members.trailingZeroBitCount]
      members &= members - 1
    }
    return sum
  }

  /// Lowers the parts one request after the other to where some group stops them: a feasible
  /// solution of the dual linear program, whose sum bounds what the region can bring.
  private mutating func tightenParts() {
    for index in found.indices {
      found[index].slack = sumOfParts(found[index].mask) - found[index].weight
    }
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
