/// How many parties each rule removed. An explained match counts one for nearly every party there is, and
/// to hash a rule's name each time would be a tenth of its work.
struct RuleCounts {
  private var counts = Array(repeating: 0, count: MatchRule.allCases.count)

  mutating func add(_ rule: MatchRule) { counts[rule.place] += 1 }

  /// Of the rules that removed any.
  var removed: [MatchRule: Int] {
    MatchRule.allCases.reduce(into: [:]) { removed, rule in
      if counts[rule.place] > 0 { removed[rule] = counts[rule.place] }
    }
  }
}

extension MatchRule {
  /// Among ``allCases``.
  fileprivate var place: Int {
    switch self {
    case .state: 0
    case .window: 1
    case .seats: 2
    case .policy: 3
    case .walk: 4
    case .detour: 5
    case .price: 6
    case .overlap: 7
    }
  }
}
