/// Weighted set packing: of groups with a weight choose some that have no member in common, with
/// the greatest sum.
///
/// ```
///   members   4 a group, ascending, -1 where there is none
///   byMember  groups of request 0 | of request 1 | ...     each by weight, descending
///   byFirst   groups whose smallest member is 0 | 1 | ...  each by weight, descending
/// ```
struct PackingProblem {
  let requests: Int
  let members: [SIMD4<Int32>]
  let weights: [Double]
  let sizes: [Int]
  let byMember: Buckets
  let byFirst: Buckets

  /// Lists in one array.
  struct Buckets {
    private(set) var starts: [Int]
    private(set) var items: [Int32]

    func range(_ bucket: Int) -> Range<Int> { starts[bucket]..<starts[bucket + 1] }

    /// Items in the order given, by bucket.
    init(count: Int, pairs: [(bucket: Int, item: Int)]) {
      starts = Array(repeating: 0, count: count + 1)
      for pair in pairs { starts[pair.bucket + 1] += 1 }
      for bucket in 0..<count { starts[bucket + 1] += starts[bucket] }
      var next = starts
      items = Array(repeating: 0, count: pairs.count)
      for pair in pairs {
        items[next[pair.bucket]] = Int32(pair.item)
        next[pair.bucket] += 1
      }
    }
  }

  var groups: Int { members.count }

  /// - Precondition: Members are ascending, below `requests`, -1 behind the last; weights are
  ///   finite and above 0.
  init(requests: Int, members: [SIMD4<Int32>], weights: [Double]) {
    self.requests = requests
    self.members = members
    self.weights = weights
    sizes = members.map { members in (0..<4).reduce(0) { $0 + (members[$1] >= 0 ? 1 : 0) } }
    let order = members.indices.sorted {
      weights[$0] != weights[$1] ? weights[$0] > weights[$1] : $0 < $1
    }
    var all: [(bucket: Int, item: Int)] = []
    all.reserveCapacity(members.count * 3)
    var first: [(bucket: Int, item: Int)] = []
    first.reserveCapacity(members.count)
    for group in order {
      first.append((Int(members[group][0]), group))
      for at in 0..<sizes[group] { all.append((Int(members[group][at]), group)) }
    }
    byMember = Buckets(count: requests, pairs: all)
    byFirst = Buckets(count: requests, pairs: first)
  }
}

/// A choice of groups without a common member.
struct Packing {
  /// By request: the chosen group it is in, -1 when in none.
  private(set) var groupOf: [Int32]
  private(set) var total = 0.0

  init(requests: Int) { groupOf = Array(repeating: -1, count: requests) }

  @inline(__always)
  func isFree(_ group: Int, _ problem: PackingProblem) -> Bool {
    let members = problem.members[group]
    for at in 0..<problem.sizes[group] where groupOf[Int(members[at])] >= 0 { return false }
    return true
  }

  @inline(__always)
  func isChosen(_ group: Int, _ problem: PackingProblem) -> Bool {
    groupOf[Int(problem.members[group][0])] == Int32(group)
  }

  /// - Precondition: All members are free.
  mutating func choose(_ group: Int, _ problem: PackingProblem) {
    let members = problem.members[group]
    for at in 0..<problem.sizes[group] { groupOf[Int(members[at])] = Int32(group) }
    total += problem.weights[group]
  }

  /// - Precondition: The group is chosen.
  mutating func drop(_ group: Int, _ problem: PackingProblem) {
    let members = problem.members[group]
    for at in 0..<problem.sizes[group] { groupOf[Int(members[at])] = -1 }
    total -= problem.weights[group]
  }

  /// Chosen groups, ascending.
  func chosen(_ problem: PackingProblem) -> [Int] {
    groupOf.indices.filter {
      groupOf[$0] >= 0 && problem.members[Int(groupOf[$0])][0] == Int32($0)
    }
    .map { Int(groupOf[$0]) }
    .sorted()
  }
}
