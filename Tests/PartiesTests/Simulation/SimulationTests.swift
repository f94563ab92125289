import Foundation
import Synchronization
import Testing

/// Thousands of schedules of commands, faults, crashes and clocks; see ``Simulation``.
///
/// `make simulate SEEDS=100000 FIRST=1` runs more, and one alone with `SEEDS=1 FIRST=<seed>`.
@Suite struct SimulationTests {
  /// Seeds that failed once. 251 and 358: while the record could not be loaded after an unknown
  /// commit, a repeated join was answered from the record's reply with a party that lacked the rider.
  /// 9538: of two calls of one intent under way together, the check itself asked for an order.
  static let regressionSeeds: [UInt64] = [251, 358, 9538]

  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
  }

  /// 10,000 in the release tests; an unoptimised build takes some dozen times as long for each.
  static let count: UInt64 =
    setting("MOYEO_SIMULATION_SEEDS") ?? (_isDebugAssertConfiguration() ? 200 : 10_000)
  static let first: UInt64 = setting("MOYEO_SIMULATION_FIRST") ?? 1
  static let steps = 40
  /// Each runs every so manieth seed, so that the cores share the work.
  static let parts: UInt64 = 4

  private func run(_ seeds: some Sequence<UInt64>) -> Simulation.Report {
    var sum = Simulation.Report()
    for seed in seeds {
      do {
        sum = sum + (try Simulation(seed: seed).run(steps: Self.steps))
      } catch {
        Issue.record("\(error); again with: make simulate SEEDS=1 FIRST=\(seed)")
        // One is enough to look at.
        break
      }
    }
    return sum
  }

  @Test(arguments: 0..<parts) func noScheduleBreaksAPromise(part: UInt64) {
    let last = Self.first + Self.count
    let sum = run(stride(from: Self.first + part, to: last, by: Int(Self.parts)))
    guard Self.count >= 100 else { return }
    // What is not tried is not shown to hold.
    #expect(sum.acknowledged > 0 && sum.refused > 0 && sum.unknown > 0)
    #expect(sum.crashes > 0 && sum.restarts > 0 && sum.reopenings > 0)
    #expect(
      sum.requestStates.isSuperset(of: ["pending", "approved"]) && sum.requestStates.count > 2)
    #expect(sum.replayed > 0 && sum.abandoned > 0 && sum.faults > 0 && sum.events > 0)
    print("simulation \(part): \(sum)")
  }

  @Test(arguments: regressionSeeds) func seedsThatFailedOnce(seed: UInt64) {
    _ = run([seed])
  }

  @Test func aSeedTellsTheSameStory() throws {
    for seed in UInt64(1)...10 {
      let first = try Simulation(seed: seed).run(steps: Self.steps)
      #expect(try Simulation(seed: seed).run(steps: Self.steps) == first)
    }
  }

  /// A disk that acknowledges what it did not write is noticed: the checks can fail.
  @Test func aDiskThatLiesIsNoticed() {
    var noticed = 0
    for seed in UInt64(1)...40 {
      do {
        _ = try Simulation(seed: seed, mayLie: true).run(steps: Self.steps)
      } catch is SimulatedLedger.Violation {
        noticed += 1
      } catch {
        Issue.record("\(error)")
      }
    }
    #expect(noticed > 10)
  }
}
