/// When work ends whatever is left of it: a moment of the continuous clock.
///
/// It is kept as a distance from another moment. The layout of a clock's own instant is known only
/// to the runtime, which each copy of a value that holds one would have to ask.
public struct WorkDeadline: Hashable, Sendable {
  private static let origin = ContinuousClock.now

  private let sinceOrigin: Duration

  /// Ends work at a moment.
  public init(_ instant: ContinuousClock.Instant) {
    sinceOrigin = Self.origin.duration(to: instant)
  }

  /// Whether the moment has come.
  public var hasPassed: Bool { Self.origin.duration(to: .now) >= sinceOrigin }
}
