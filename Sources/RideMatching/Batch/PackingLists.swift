/// The groups of a ``PackingProblem`` in the order in which the search looks at them: least slack
/// first.
///
/// ```
///   order     all groups
///   byMember  groups of request 0 | of request 1 | ...
///   byFirst   groups whose smallest member is 0 | 1 | ...   with what a round reads of them
/// ```
struct PackingLists {
  struct Entry {
    var members: SIMD4<Int32>
    var slack: Double
    var group: Int32
  }

  let order: [Int32]
  private let memberStarts: [Int]
  private let memberItems: [Int32]
  private let firstStarts: [Int]
  private let entries: [Entry]

  /// - Complexity: O(groups).
  init(_ problem: PackingProblem, _ prices: PackingPrices) {
    let order = Self.sorted(prices.slacks)
    var memberStarts = Array(repeating: 0, count: problem.requests + 2)
    var firstStarts = Array(repeating: 0, count: problem.requests + 1)
    for members in problem.members {
      for at in 0..<4 { memberStarts[Int(members[at]) + 1] += 1 }
      firstStarts[Int(members[0]) + 1] += 1
    }
    for request in 0..<problem.requests {
      memberStarts[request + 1] += memberStarts[request]
      firstStarts[request + 1] += firstStarts[request]
    }
    var memberItems = Array(repeating: Int32(0), count: memberStarts[problem.requests])
    var entries = Array(
      repeating: Entry(members: SIMD4(), slack: 0, group: 0), count: problem.groups)
    var nextMember = memberStarts
    var nextFirst = firstStarts
    for group in order {
      let members = problem.members[Int(group)]
      for at in 0..<Int(problem.sizes[Int(group)]) {
        memberItems[nextMember[Int(members[at])]] = group
        nextMember[Int(members[at])] += 1
      }
      let first = Int(members[0])
      entries[nextFirst[first]] = Entry(
        members: members, slack: prices.slacks[Int(group)], group: group)
      nextFirst[first] += 1
    }
    self.order = order
    self.memberStarts = memberStarts
    self.memberItems = memberItems
    self.firstStarts = firstStarts
    self.entries = entries
  }

  @inline(__always)
  func groups(of request: Int) -> ArraySlice<Int32> {
    memberItems[memberStarts[request]..<memberStarts[request + 1]]
  }

  @inline(__always)
  func entries(first request: Int) -> ArraySlice<Entry> {
    entries[firstStarts[request]..<firstStarts[request + 1]]
  }

  /// Indices by value as a float, then by index: three rounds of radix sort.
  /// - Precondition: Values are at least 0 but for rounding.
  private static func sorted(_ values: [Double]) -> [Int32] {
    let keys = values.map { Float(max(0, $0)).bitPattern }
    var order = values.indices.map { Int32($0) }
    var next = order
    for shift in [0, 11, 22] as [UInt32] {
      var starts = Array(repeating: 0, count: 2049)
      for key in keys { starts[Int(key >> shift & 2047) + 1] += 1 }
      for digit in 0..<2048 { starts[digit + 1] += starts[digit] }
      for index in order {
        let digit = Int(keys[Int(index)] >> shift & 2047)
        next[starts[digit]] = index
        starts[digit] += 1
      }
      swap(&order, &next)
    }
    return order
  }
}
