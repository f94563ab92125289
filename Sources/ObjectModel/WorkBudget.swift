/// The counted work that one request may still cause, and when it is to end whatever is left.
///
/// A step is one node, point or exact test of a search, or one pair of a matching: so that a bound
/// means the same on every machine. Steps that take longer are spent as several.
public struct WorkBudget: Sendable {
  /// Why the work ends.
  public enum Exhaustion: Error, Hashable, Sendable {
    /// All steps are spent; the limit they began with.
    case steps(limit: Int)
    case deadlinePassed
    case cancelled
  }

  /// The steps it began with.
  public let limit: Int
  /// Steps left; 0 when they are spent.
  public private(set) var remaining: Int
  private let deadline: WorkDeadline?
  private let isCancelled: (@Sendable () -> Bool)?
  private var stepsSinceLook = 0

  /// Steps between two looks at the clock and at the caller.
  public static let stepsBetweenLooks = 256
  /// A budget whose steps are never spent, without a deadline and without a caller who leaves.
  public static var unlimited: WorkBudget { WorkBudget(steps: .max) }

  /// Whether nothing ends it: neither steps nor a deadline nor a caller.
  public var isEndless: Bool { limit == .max && deadline == nil && isCancelled == nil }

  /// Begins with all steps left.
  ///
  /// - Parameters:
  ///   - steps: 0 or more; `.max` is never spent.
  ///   - deadline: When the work ends whatever is left; nil: never.
  ///   - isCancelled: Whether the caller has left; nil: it never does.
  public init(
    steps: Int, deadline: WorkDeadline? = nil,
    isCancelled: (@Sendable () -> Bool)? = nil
  ) {
    limit = steps
    remaining = steps
    self.deadline = deadline
    self.isCancelled = isCancelled
  }

  /// Leaves nothing, as after a search that ended unfinished.
  public mutating func exhaust() { remaining = 0 }

  /// Takes steps that were done from what is left.
  ///
  /// - Throws: ``Exhaustion`` when no more than that was left, the time is up, or the caller has
  ///   left.
  public mutating func spend(_ steps: Int) throws(Exhaustion) {
    guard steps <= remaining else {
      remaining = 0
      throw .steps(limit: limit)
    }
    if limit != .max { remaining -= steps }
    // The number of steps may be as large as any.
    stepsSinceLook += min(steps, Self.stepsBetweenLooks)
    guard stepsSinceLook >= Self.stepsBetweenLooks else { return }
    stepsSinceLook = 0
    if let isCancelled, isCancelled() { throw .cancelled }
    if let deadline, deadline.hasPassed { throw .deadlinePassed }
  }
}
