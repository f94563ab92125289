import ObjectModel

/// For whom work is done on the pool, so that it ends when nobody waits for it any more.
struct WorkCaller: Sendable {
  /// When the answer is of no use any more; nil: never.
  var deadline: WorkDeadline?
  /// Whether the caller has left; nil: it never does.
  var isCancelled: (@Sendable () -> Bool)?

  /// What a request may do for this caller.
  func budget(steps: Int) -> WorkBudget {
    WorkBudget(steps: steps, deadline: deadline, isCancelled: isCancelled)
  }
}
