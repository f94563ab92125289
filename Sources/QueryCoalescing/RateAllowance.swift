public import Threading

/// The generic cell rate algorithm (ITU-T I.371; a token bucket without a timer): one event each
/// `interval`, and up to `burst` at once after a rest.
///
/// The whole state is one moment: that at which the bucket would be full again.
public struct RateAllowance: Hashable, Sendable {
  /// The average time between events, above 0.
  public let interval: Nanoseconds
  /// The most events at once after a rest, at least 1.
  public let burst: Int
  /// The "theoretical arrival time" of the recommendation.
  @usableFromInline var fullAt: Nanoseconds = .min

  /// Makes an allowance that is full; `interval` is above 0 and `burst` at least 1.
  @inlinable
  public init(interval: Nanoseconds, burst: Int = 1) {
    precondition(interval > 0 && burst >= 1)
    self.interval = interval
    self.burst = burst
  }

  /// The first moment at which an event is allowed.
  @inlinable public var nextAllowed: Nanoseconds {
    let (tolerance, overflow) = interval.multipliedReportingOverflow(by: Nanoseconds(burst - 1))
    guard !overflow else { return .min }
    let (moment, underflow) = fullAt.subtractingReportingOverflow(tolerance)
    return underflow ? .min : moment
  }

  /// Takes one event if it is allowed; otherwise returns how long to wait, above 0.
  @inlinable
  public mutating func take(at now: Nanoseconds) -> Nanoseconds? {
    let next = nextAllowed
    guard next <= now else {
      let (wait, overflow) = next.subtractingReportingOverflow(now)
      return overflow ? .max : wait
    }
    let (full, overflow) = max(fullAt, now).addingReportingOverflow(interval)
    fullAt = overflow ? .max : full
    return nil
  }
}
