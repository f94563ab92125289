public import ObjectModel

/// When a taxi may leave: `time` minus to plus the tolerance, ends included.
public struct DepartureWindow: Hashable, Sendable {
  /// The time in the middle: the departure that is priced.
  public var time: Instant
  /// How far the departure may be from ``time`` both ways, from 0 on.
  public var toleranceMilliseconds: Int64

  /// The tolerance where nobody names one: ten minutes.
  public static let standardToleranceMilliseconds: Int64 = 600_000

  /// Makes a window around a time.
  public init(
    time: Instant,
    toleranceMilliseconds: Int64 = DepartureWindow.standardToleranceMilliseconds
  ) {
    self.time = time
    self.toleranceMilliseconds = toleranceMilliseconds
  }

  /// The first moment at which the taxi may leave.
  public var start: Instant { time.advanced(milliseconds: -toleranceMilliseconds) }
  /// The last moment at which it may leave.
  public var end: Instant { time.advanced(milliseconds: toleranceMilliseconds) }

  /// Whether the two have a moment in common; ends count.
  public func meets(_ other: DepartureWindow) -> Bool {
    start <= other.end && other.start <= end
  }
}
