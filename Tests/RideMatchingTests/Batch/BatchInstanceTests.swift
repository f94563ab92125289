import Foundation
import RoutePlanning
import Testing

@testable import RideMatching

/// The committed instances of a thousand requests, with optimum or best known value from HiGHS:
/// quality by rounds, which no busy machine changes.
@Suite struct BatchInstanceTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("data/matching-instances")

  static let pricing = RidePricing.linear(
    base: 4800, baseMeters: 1600, perMeter: 0.763, perSecond: 0.4, walkCostPerMeter: 1.5)

  static let isOptimized: Bool = {
    #if DEBUG
      false
    #else
      true
    #endif
  }()

  /// About 20 ms of processor time in release, groups not counted.
  @Test(arguments: ["spread-1000", "island-1000", "night-1000", "crowd-1000"])
  func nearTheOptimum(name: String) throws { try check(name, rounds: 2_000, share: 0.98) }

  /// About 300 ms in release.
  @Test(
    .enabled(if: isOptimized, "optimised: make test-release"),
    arguments: ["spread-1000", "island-1000", "night-1000", "crowd-1000"])
  func nearerWithMoreRounds(name: String) throws { try check(name, rounds: 10_000, share: 0.995) }

  private func check(_ name: String, rounds: Int, share: Double) throws {
    let text = try String(
      contentsOf: Self.folder.appendingPathComponent(name + ".csv"), encoding: .utf8)
    let (facts, requests) = try BatchRequestText.parse(text)
    let best = try #require((facts["optimum"] ?? facts["best"]).flatMap(Double.init))
    let options = BatchOptions(
      iterations: rounds, pricing: Self.pricing, profile: .seoul)
    let result = BatchMatching.solve(requests: requests, options: options)
    #expect(result.objective >= share * best, "\(result.objective / best)")
    #expect(BatchVerification.problems(of: result, requests: requests, options: options) == [])
    if let bound = facts["bound"].flatMap(Double.init) {
      #expect(result.objective <= bound * (1 + 1e-6))
    }
  }

  @Test func textGoesBothWays() throws {
    let text = try String(
      contentsOf: Self.folder.appendingPathComponent("spread-1000.csv"), encoding: .utf8)
    let (_, requests) = try BatchRequestText.parse(text)
    let again = BatchRequestText.format(facts: [("a", "b: c")], requests: requests)
    let (facts, reread) = try BatchRequestText.parse(again)
    #expect(reread == requests)
    #expect(facts == ["a": "b: c"])
    #expect(requests.count == 1000)
  }

  @Test(arguments: [
    "", "riderId,no\n", BatchRequestText.heading + "\na,91,0,0,0,0,0,0,0,1",
    BatchRequestText.heading + "\na,1,0,0,0,0,0,0,0",
    BatchRequestText.heading + "\na,x,0,0,0,0,0,0,0,1",
    BatchRequestText.heading + "\na,1,0,0,0,0,-5,0,0,1",
  ])
  func badTextIsRefused(text: String) {
    #expect(throws: BatchRequestText.Problem.self) { try BatchRequestText.parse(text) }
  }
}
