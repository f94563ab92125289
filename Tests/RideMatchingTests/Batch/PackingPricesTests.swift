import GeoMath
import RoutePlanning
import Testing

@testable import RideMatching

@Suite struct PackingPricesTests {
  private func problem(_ seed: UInt64, count: Int) -> (PackingProblem, optimum: Double?) {
    var cases = BatchCases(seed: seed)
    cases.originMeters = 200
    let requests = cases.requests(count)
    let options = BatchOptions(pricing: BatchCases.pricing)
    let pool = GroupPool(BatchInstance(requests, options), shouldStop: { _ in false })
    return (pool.problem, count <= 10 ? ExhaustiveBatch(requests, options).optimum : nil)
  }

  /// Prices are feasible for the dual program: their sum bounds every packing from above.
  @Test(arguments: 1...6 as ClosedRange<UInt64>, [false, true])
  func sumIsABound(seed: UInt64, stopsAtOnce: Bool) throws {
    let (problem, optimum) = problem(seed, count: 9)
    let prices = PackingPrices(problem, shouldStop: { _ in stopsAtOnce })
    #expect(prices.prices.count == problem.requests + 1)
    #expect(prices.prices.last == 0)
    #expect(prices.prices.allSatisfy { $0 >= 0 })
    #expect(prices.slacks.allSatisfy { $0 > -1e-6 })
    let sum = prices.prices.reduce(0, +)
    #expect(sum >= (try #require(optimum)) - 1e-6)
  }

  /// Near the linear program's value, which the first prices are far from.
  @Test(arguments: [21, 22, 23] as [UInt64]) func sumIsTight(seed: UInt64) {
    let (problem, _) = problem(seed, count: 80)
    let first = PackingPrices(problem, shouldStop: { _ in true }).prices.reduce(0, +)
    let last = PackingPrices(problem, shouldStop: { _ in false }).prices.reduce(0, +)
    var search = PackingSearch(problem, seed: seed, shouldStop: { _ in false })
    _ = search.run(rounds: 300, shouldStop: { _ in false })
    let found = search.packing.chosen(problem).reduce(0) { $0 + problem.weights[$1] }
    #expect(last >= found - 1e-6)
    #expect(last < 1.05 * found)
    #expect(first > 1.1 * found)
  }

  /// Also those of the edges of the tables.
  @Test func ownExponentialAndLogarithm() {
    #expect(PackingPrices.exponential(0) == 1)
    #expect(PackingPrices.exponential(-31) == 0)
    for (x, e) in [
      (1.0, 2.718281828459045), (-1, 0.36787944117144233), (-20, 2.061153622438558e-9),
    ] {
      #expect(abs(PackingPrices.exponential(x) / e - 1) < 1e-5)
      #expect(abs(PackingPrices.logarithm(e) - x) < 1e-5)
    }
    #expect(abs(PackingPrices.logarithm(1)) < 1e-5)
  }
}

/// A crowd at one place, in which limits leave groups out, so that more are looked for.
@Suite struct BatchCrowdTests {
  private func solve(
    _ requests: [RideRequest], iterations: Int, _ seed: UInt64
  ) -> (BatchResult, BatchOptions) {
    let options = BatchOptions(
      seed: seed, iterations: iterations, pricing: BatchCases.pricing, profile: .seoul)
    return (BatchMatching.solve(requests: requests, options: options), options)
  }

  @Test(arguments: [31] as [UInt64]) func widensTheSameWayEachTime(seed: UInt64) {
    var cases = BatchCases(seed: seed)
    cases.originMeters = 60
    cases.maxWalk = 300...400
    let requests = cases.requests(130)
    let (short, _) = solve(requests, iterations: 1_500, seed)
    let (first, options) = solve(requests, iterations: 1_700, seed)
    let (second, _) = solve(requests, iterations: 1_700, seed)
    #expect(first == second)
    #expect(first.candidateGroups > short.candidateGroups)
    #expect(first.objective >= short.objective - 1e-6)
    #expect(BatchVerification.problems(of: first, requests: requests, options: options) == [])
  }

  /// However soon it is told to stop, the answer is whole, and nobody asks again.
  @Test(arguments: [1, 2, 3, 8, 40]) func stopsWhereverItIs(after: Int) {
    var cases = BatchCases(seed: 33)
    cases.originMeters = 60
    let requests = cases.requests(120)
    let options = BatchOptions(iterations: .max, pricing: BatchCases.pricing)
    var asked = 0
    let result = BatchMatching.solve(requests: requests, options: options) {
      asked += 1
      return asked >= after
    }
    #expect(asked == after)
    #expect(!result.groups.isEmpty)
    #expect(BatchVerification.problems(of: result, requests: requests, options: options) == [])
  }
}
