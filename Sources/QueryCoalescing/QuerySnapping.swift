/// Rounds questions, so that similar ones have equal keys.
public enum QuerySnapping {
  /// Returns the limit to ask for in a shared query: the next of 1, 2, 5, 10, 20, 50, …, so that
  /// callers who want 17 and 20 share. It is never above `maximum`, and never below the limit
  /// itself.
  public static func limit(_ limit: Int, maximum: Int) -> Int {
    var step = 1
    while step < limit, step <= maximum / 10 {
      for factor in [1, 2, 5] where factor * step >= limit { return min(factor * step, maximum) }
      step *= 10
    }
    for factor in [1, 2, 5, 10] where factor * step >= limit {
      return max(limit, min(factor * step, maximum))
    }
    return max(limit, maximum)
  }

  /// Returns a set of words as a key: sorted by UTF-8 bytes, without repetitions. The words should
  /// be normalised before.
  public static func words(_ words: [String]) -> [String] {
    Set(words).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns whether the k nearest of a caller can be read off the hits of a shared centre.
  ///
  /// The shared query knows every object within `completeRadius` of its centre. A caller
  /// `offset` away from it knows, by the triangle inequality, every object within
  /// `completeRadius - offset` of itself; its k-th nearest must lie within that. All four share one
  /// unit.
  ///
  /// - Parameters:
  ///   - kthDistance: The caller's k-th smallest distance among the shared hits.
  ///   - offset: The distance from the caller to the shared centre.
  ///   - completeRadius: The radius within which the shared query found every object.
  ///   - slack: By how much the distance function may break the triangle inequality.
  /// - Returns: Whether no object that the shared query missed can be among the caller's k nearest.
  public static func sharedHitsSuffice(
    kthDistance: Double, offset: Double, completeRadius: Double, slack: Double
  ) -> Bool {
    kthDistance + offset + slack <= completeRadius
  }
}
