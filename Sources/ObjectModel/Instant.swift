/// A moment: milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
public struct Instant: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970, UTC, without leap seconds.
  public var milliseconds: Int64

  /// Makes a moment of milliseconds since 1970.
  @inlinable
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Whole seconds since 1970; stays at the ends of the range instead of overflowing.
  @inlinable
  public init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    milliseconds = overflow ? (seconds > 0 ? .max : .min) : product
  }

  /// Later than any moment in use: what never expires, expires here.
  public static let distantFuture = Instant(milliseconds: .max)
  /// Before every other moment.
  public static let distantPast = Instant(milliseconds: .min)

  /// Orders moments in time.
  @inlinable
  public static func < (a: Instant, b: Instant) -> Bool { a.milliseconds < b.milliseconds }

  /// The moment `milliseconds` later; stays at the ends of the range instead of overflowing.
  @inlinable
  public func advanced(milliseconds delta: Int64) -> Instant {
    let (sum, overflow) = milliseconds.addingReportingOverflow(delta)
    return overflow ? (delta > 0 ? .distantFuture : .distantPast) : Instant(milliseconds: sum)
  }

  /// Milliseconds from `earlier` to this moment.
  @inlinable
  public func milliseconds(since earlier: Instant) -> Int64 {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
    return overflow ? (self > earlier ? .max : .min) : difference
  }
}
