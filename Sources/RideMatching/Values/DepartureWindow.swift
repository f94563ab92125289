public import ObjectModel

/// When a taxi may leave: `time` minus to plus the tolerance, ends included.
public struct DepartureWindow: Hashable, Sendable {
  public var time: Instant
  public var toleranceMilliseconds: Int64

  public static let standardToleranceMilliseconds: Int64 = 600_000

  public init(
    time: Instant,
    toleranceMilliseconds: Int64 = DepartureWindow.standardToleranceMilliseconds
  ) {
    self.time = time
    self.toleranceMilliseconds = toleranceMilliseconds
  }

  public var start: Instant { time.advanced(milliseconds: -toleranceMilliseconds) }
  public var end: Instant { time.advanced(milliseconds: toleranceMilliseconds) }

  /// Whether the two have a moment in common; ends count.
  public func meets(_ other: DepartureWindow) -> Bool {
    start <= other.end && other.start <= end
  }
}
