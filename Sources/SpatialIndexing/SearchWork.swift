public import ObjectModel

/// Counts what a search did. The counts are the same on every machine for the same index and query,
/// so that tests can hold them to a bound, where a time would depend on the machine.
///
/// The steps are spent from a budget while the search runs, so that a search ends within a few
/// hundred steps of its deadline, of its caller's leaving or of the budget's end.
public struct SearchWork: Sendable {
  /// The number of inner nodes whose children were looked at.
  public var nodesVisited = 0
  /// The number of leaves, or pages of a posting list, whose points were looked at.
  public var leavesVisited = 0
  /// The number of points compared with the bound, the area or the filter.
  public var pointsTested = 0
  /// The number of distances worked out exactly, and of points put to an area's exact test.
  public var exactTests = 0

  /// The budget that the steps are spent from; ``finish()`` hands back what is left of it.
  private var budget: WorkBudget
  /// The cost of one step, 1 or more.
  private let stepCost: Int
  /// The number of steps that are spent from the budget.
  private var spentSteps = 0
  /// The number of steps at which the budget is asked next.
  private var nextCheck: Int
  private var exhaustion: WorkBudget.Exhaustion?

  /// Makes counts for a search that has not begun.
  ///
  /// - Parameters:
  ///   - budget: The budget that the steps are spent from.
  ///   - stepCost: The cost of one step, 1 or more. It is above 1 where each point is read or its
  ///     distance to many edges is worked out.
  public init(spending budget: WorkBudget = .unlimited, stepCost: Int = 1) {
    precondition(stepCost > 0)
    self.budget = budget
    self.stepCost = stepCost
    nextCheck = budget.isEndless ? .max : 0
    check(from: 0)
  }

  /// The sum of all counts.
  @inline(__always)
  public var steps: Int { nodesVisited &+ leavesVisited &+ pointsTested &+ exactTests }

  /// Returns whether the search must end unfinished; its hits are then of no use.
  @inline(__always)
  public mutating func mustEnd() -> Bool { steps > nextCheck && spend() }

  /// Spends the steps that are not spent yet.
  ///
  /// - Returns: The budget that is left for what follows the search.
  /// - Throws: The reason for which the search ended unfinished.
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

  /// Adds the counts of another search. The budgets stay as they are.
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
      nextCheck = -1
      return true
    }
    check(from: steps)
    return false
  }

  private mutating func check(from steps: Int) {
    guard !budget.isEndless else { return }
    nextCheck = steps + min(WorkBudget.stepsBetweenLooks, budget.remaining) / stepCost
  }
}

extension WorkBudget {
  /// Runs a search that may do as much as is left, and leaves what it did not spend.
  ///
  /// - Parameters:
  ///   - cost: What a step costs; see ``SearchWork/init(spending:stepCost:)``.
  ///   - search: Is handed the counts that spend.
  /// - Returns: What the search answers.
  /// - Throws: Why it ended unfinished; nothing is left then, and its answer is of no use.
  public mutating func searching<Answer>(
    cost: Int, _ search: (inout SearchWork) -> Answer
  ) throws(Exhaustion) -> Answer {
    var work = SearchWork(spending: self, stepCost: cost)
    let answer = search(&work)
    try settle(&work)
    return answer
  }

  /// Takes over what a search left of what it began with: everything that was left here.
  ///
  /// - Parameter work: The counts of the search, which has ended.
  /// - Throws: Why it ended unfinished; nothing is left then, and its answer is of no use.
  public mutating func settle(_ work: inout SearchWork) throws(Exhaustion) {
    do throws(Exhaustion) {
      self = try work.finish()
    } catch {
      exhaust()
      throw error
    }
  }
}
