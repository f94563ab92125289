import ObjectModel
import Synchronization
import Testing

@Suite struct WorkBudgetTests {
  private final class Looks: Sendable {
    let count = Atomic(0)
  }

  @Test func stepsAreSpentOnce() throws {
    var budget = WorkBudget(steps: 1000)
    try budget.spend(999)
    #expect(budget.remaining == 1)
    try budget.spend(1)
    #expect(throws: WorkBudget.Exhaustion.steps(limit: 1000)) { try budget.spend(1) }
    #expect(budget.remaining == 0)
    var unlimited = WorkBudget.unlimited
    try unlimited.spend(.max)
    try unlimited.spend(.max)
    #expect(unlimited.remaining == .max)
  }

  /// The clock and the caller are looked at every 256 steps, however they are spent.
  @Test(arguments: [1, 7, 256, 1000])
  func theCallerIsLookedAtNowAndThen(stride: Int) throws {
    let looks = Looks()
    var budget = WorkBudget(
      steps: .max,
      isCancelled: {
        looks.count.add(1, ordering: .relaxed)
        return false
      })
    for _ in 0..<1024 { try budget.spend(stride) }
    let spends = (256 + stride - 1) / stride
    #expect(looks.count.load(ordering: .relaxed) == 1024 / spends)
  }

  @Test func callersThatLeaveEndTheWork() {
    var left = WorkBudget(steps: 10_000, isCancelled: { true })
    #expect(throws: WorkBudget.Exhaustion.cancelled) { try left.spend(256) }
    var late = WorkBudget(steps: 10_000, deadline: WorkDeadline(.now - .seconds(1)))
    #expect(throws: WorkBudget.Exhaustion.deadlinePassed) { try late.spend(256) }
  }
}
