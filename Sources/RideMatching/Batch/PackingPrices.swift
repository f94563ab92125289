/// Prices of requests such that no group is worth more than its members together: a solution of the
/// dual linear program, whose sum no packing exceeds. What a group falls short of its members'
/// prices is its slack; a good packing is made of groups with little.
///
/// The prices minimise their sum plus temperature x the sum over groups of
/// e^(-slack / temperature), by Sinkhorn's scaling: each request's price moves by temperature x log
/// of the sum over its groups, all at once and damped, while the temperature falls (Cuturi 2013 for
/// assignments). Then the few groups still below 0 are mended.
struct PackingPrices {
  /// By request, at least 0; one more for nobody, 0.
  private(set) var prices: [Double]
  /// By group, at least 0 but for rounding.
  private(set) var slacks: [Double]

  private static let sweeps = 26
  private static let furtherSweeps = 12
  /// Of what a request is worth on average.
  private static let lastTemperature = 0.006
  private static let cooling = 0.86
  private static let damping = 0.4

  /// Finds prices, beginning with those that are known of fewer groups.
  ///
  /// - Complexity: O(groups), as many times over as there are sweeps.
  init(_ problem: PackingProblem, _ known: PackingPrices? = nil, shouldStop: (Int) -> Bool) {
    prices = known?.prices ?? Self.fairShares(problem)
    slacks = []
    var worth = 0.0
    for price in prices { worth += price }
    var temperature = Self.lastTemperature * worth / Double(max(1, problem.requests))
    let sweeps = known == nil ? Self.sweeps : Self.furtherSweeps
    for _ in 1..<sweeps { temperature /= Self.cooling }
    if temperature > 0 {
      for _ in 0..<sweeps where !shouldStop(problem.groups) {
        sweep(problem, temperature)
        temperature *= Self.cooling
      }
    }
    mend(problem)
  }

  /// The largest share of a group: no group is worth more than its members' shares.
  private static func fairShares(_ problem: PackingProblem) -> [Double] {
    var shares = Array(repeating: 0.0, count: problem.requests + 1)
    for group in 0..<problem.groups {
      let members = problem.members[group]
      let share = problem.weights[group] / Double(problem.sizes[group])
      for at in 0..<4 { shares[Int(members[at])] = max(shares[Int(members[at])], share) }
    }
    shares[problem.requests] = 0
    return shares
  }

  private mutating func sweep(_ problem: PackingProblem, _ temperature: Double) {
    let scale = 1 / temperature
    var sums = Array(repeating: 0.0, count: problem.requests + 1)
    for group in 0..<problem.groups {
      let members = problem.members[group]
      let (a, b, c, d) = (Int(members[0]), Int(members[1]), Int(members[2]), Int(members[3]))
      let slack = prices[a] + prices[b] + prices[c] + prices[d] - problem.weights[group]
      let part = Self.exponential(-slack * scale)
      guard part > 0 else { continue }
      sums[a] += part
      sums[b] += part
      sums[c] += part
      sums[d] += part
    }
    for request in 0..<problem.requests {
      // Alone counts as a group that saves nothing.
      let sum = sums[request] + Self.exponential(-prices[request] * scale)
      let moved = prices[request] + Self.damping * temperature * Self.logarithm(sum)
      prices[request] = max(0, moved)
    }
  }

  private mutating func mend(_ problem: PackingProblem) {
    for group in 0..<problem.groups {
      let lack = problem.weights[group] - sum(problem.members[group])
      guard lack > 0 else { continue }
      let share = lack / Double(problem.sizes[group])
      for at in 0..<Int(problem.sizes[group]) { prices[Int(problem.members[group][at])] += share }
    }
    slacks = (0..<problem.groups).map { sum(problem.members[$0]) - problem.weights[$0] }
  }

  @inline(__always)
  private func sum(_ members: SIMD4<Int32>) -> Double {
    prices[Int(members[0])] + prices[Int(members[1])] + prices[Int(members[2])]
      + prices[Int(members[3])]
  }

  // The C library's differ in a last digit between machines, and with them the groups chosen.

  /// e^x within 1e-5 of it, 0 below -30.
  @inline(__always)
  static func exponential(_ x: Double) -> Double {
    guard x > -30 else { return 0 }
    let power = min(x, 300) * 1.442695040888963
    let whole = power.rounded(.down)
    let f = power - whole
    // 2^f on 0 ..< 1.
    let part =
      1 + f * (0.6931472 + f * (0.2402265 + f * (0.0555041 + f * (0.0096181 + f * 0.0015041))))
    return part * Double(bitPattern: UInt64(Int64(whole) + 1023) << 52)
  }

  /// Natural, within 1e-5 of it. - Precondition: `x` is above 0 and normal.
  @inline(__always)
  static func logarithm(_ x: Double) -> Double {
    let m = x.significand
    let s = (m - 1.4142135623730951) / (m + 1.4142135623730951)
    let s2 = s * s
    return (Double(x.exponent) + 0.5) * 0.6931471805599453
      + 2 * s * (1 + s2 * (1.0 / 3 + s2 * (0.2 + s2 / 7)))
  }
}
