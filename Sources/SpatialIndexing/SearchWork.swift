public import ObjectModel

/// What a search did, counted in passing: the same on every machine for the same index and query,
/// so that tests can hold it to a bound where a time would tell about the machine.
///
/// The steps are spent from a budget while the search runs, so that a search ends within a few
/// hundred steps of its deadline, of its caller's leaving or of the budget's end.
public struct SearchWork: Sendable {
  /// Inner nodes whose children were looked at.
  public var nodesVisited = 0
  /// Leaves, or pages of a posting list, whose points were looked at.
  public var leavesVisited = 0
  /// Points compared with the bound, the area or the filter.
  public var pointsTested = 0
  /// Distances worked out by the one function, or points put to an area's exact test.
  public var exactTests = 0

  /// What is left for others once the search is over; see ``finish()``.
  private var budget: WorkBudget
  /// What one step costs of the budget; 1 or more.
  private let stepCost: Int
  /// Steps that are spent from the budget.
  private var spentSteps = 0
  /// Steps from which on the budget is asked.
  private var nextLook: Int
  private var exhaustion: WorkBudget.Exhaustion?

  /// Makes counts of nothing done.
  ///
  /// - Parameters:
  ///   - budget: What the steps are spent from.
  ///   - stepCost: What a step costs of it, 1 or more; above 1 where each point is read or its
  ///     distance to many edges is worked out.
  public init(spending budget: WorkBudget = .unlimited, stepCost: Int = 1) {
    precondition(stepCost > 0)
    self.budget = budget
    self.stepCost = stepCost
    nextLook = budget.isEndless ? .max : 0
    look(from: 0)
  }

  /// Everything counted.
  @inline(__always)
  public var steps: Int { nodesVisited &+ leavesVisited &+ pointsTested &+ exactTests }

  /// Whether the search must end unfinished; its hits are then of no use.
  @inline(__always)
  public mutating func mustEnd() -> Bool { steps > nextLook && spend() }

  /// Spends what is left to spend.
  ///
  /// - Returns: The budget, for what follows the search.
  /// - Throws: Why the search ended unfinished.
  public mutating func finish() throws(WorkBudget.Exhaustion) -> WorkBudget {
    _ = spend()
    if let exhaustion { throw exhaustion }
    return budget
  }

  /// Whether the search may do more steps than so many; one without a budget is its caller's affair.
  @inline(__always)
  func mayExceed(_ steps: Int) -> Bool {
    budget.limit != .max && budget.remaining / stepCost > steps
  }

  /// Adds what another search did; budgets stay as they are.
  public static func += (a: inout SearchWork, b: SearchWork) {
    a.nodesVisited += b.nodesVisited
    a.leavesVisited += b.leavesVisited
    a.pointsTested += b.pointsTested
    a.exactTests += b.exactTests
  }

  private mutating func spend() -> Bool {
    guard exhaustion == nil else { return true }
    let (cost, overflow) = (steps - spentSteps).multipliedReportingOverflow(by: stepCost)
    spentSteps = steps
    do throws(WorkBudget.Exhaustion) {
      try budget.spend(overflow ? .max : cost)
    } catch {
      exhaustion = error
      nextLook = -1
      return true
    }
    look(from: steps)
    return false
  }

  private mutating func look(from steps: Int) {
    guard !budget.isEndless else { return }
    nextLook = steps + min(WorkBudget.stepsBetweenLooks, budget.remaining) / stepCost
  }
}
