/// When to try again: full jitter over an exponential ceiling (M. Brooker, "Exponential backoff
/// and jitter", 2015). Pure; the random number is given.
package struct RetrySchedule: Hashable, Sendable {
  /// Tries in all, at least 1.
  package var maximumAttempts: Int
  /// The ceiling before the second try; it doubles.
  package var firstDelayMilliseconds: Int64
  package var maximumDelayMilliseconds: Int64

  package init(
    maximumAttempts: Int = 3, firstDelayMilliseconds: Int64 = 50,
    maximumDelayMilliseconds: Int64 = 1_000
  ) {
    self.maximumAttempts = max(1, maximumAttempts)
    self.firstDelayMilliseconds = max(0, firstDelayMilliseconds)
    self.maximumDelayMilliseconds = max(0, maximumDelayMilliseconds)
  }

  /// How long to wait after a failure.
  ///
  /// - Parameters:
  ///   - attempts: Tries made so far.
  ///   - minimumMilliseconds: What the provider asks for (Retry-After).
  ///   - random: Uniform in 0..<1.
  /// - Returns: The wait in milliseconds; `nil` when there is no further try.
  package func delayMilliseconds(
    afterAttempts attempts: Int, minimumMilliseconds: Int64 = 0, random: Double
  ) -> Int64? {
    guard attempts < maximumAttempts else { return nil }
    let doublings = min(max(0, attempts - 1), 40)
    let (grown, overflow) = firstDelayMilliseconds.multipliedReportingOverflow(by: 1 << doublings)
    let ceiling = overflow ? maximumDelayMilliseconds : min(grown, maximumDelayMilliseconds)
    let share = random >= 0 && random < 1 ? random : 0.5
    return max(minimumMilliseconds, Int64((Double(ceiling) * share).rounded()))
  }
}
