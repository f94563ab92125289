/// Weighted set packing: of groups with a weight choose some that have no member in common, with
/// the greatest sum.
///
/// Members are four a group, ascending; where there is none stands ``requests``, one past the last
/// request, so that sums over members need no case for the size.
struct PackingProblem {
  let requests: Int
  let members: [SIMD4<Int32>]
  let weights: [Double]
  let sizes: [UInt8]

  var groups: Int { members.count }

  /// - Precondition: Members are ascending, below `requests`, -1 behind the last; weights are
  ///   finite and above 0.
  init(requests: Int, members: [SIMD4<Int32>], weights: [Double]) {
    let none = SIMD4<Int32>(repeating: Int32(requests))
    self.requests = requests
    self.members = members.map { $0.replacing(with: none, where: $0 .< 0) }
    self.weights = weights
    let one = SIMD4<Int32>(repeating: 1)
    sizes = members.map {
      UInt8(SIMD4<Int32>().replacing(with: one, where: $0 .>= 0).wrappedSum())
    }
  }
}

/// A choice of groups without a common member.
struct Packing {
  /// By request: the chosen group it is in, -1 when in none; one more for ``PackingProblem``'s
  /// nobody, always -1.
  private(set) var groupOf: [Int32]

  init(requests: Int) { groupOf = Array(repeating: -1, count: requests + 1) }

  @inline(__always)
  func isFree(_ group: Int, _ problem: PackingProblem) -> Bool {
    let members = problem.members[group]
    return groupOf[Int(members[0])] & groupOf[Int(members[1])] & groupOf[Int(members[2])]
      & groupOf[Int(members[3])] == -1
  }

  @inline(__always)
  func isChosen(_ group: Int, _ problem: PackingProblem) -> Bool {
    groupOf[Int(problem.members[group][0])] == Int32(group)
  }

  /// - Precondition: All members are free.
  mutating func choose(_ group: Int, _ problem: PackingProblem) {
    let members = problem.members[group]
    for at in 0..<Int(problem.sizes[group]) { groupOf[Int(members[at])] = Int32(group) }
  }

  /// - Precondition: The group is chosen.
  mutating func drop(_ group: Int, _ problem: PackingProblem) {
    let members = problem.members[group]
    for at in 0..<Int(problem.sizes[group]) { groupOf[Int(members[at])] = -1 }
  }

  /// Chosen groups, ascending.
  func chosen(_ problem: PackingProblem) -> [Int] {
    var groups: [Int] = []
    for request in 0..<problem.requests where groupOf[request] >= 0 {
      let group = Int(groupOf[request])
      // Of its first member only, so that each group stands there once.
      if problem.members[group][0] == Int32(request) { groups.append(group) }
    }
    return groups.sorted()
  }
}
