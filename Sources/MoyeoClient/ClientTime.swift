import Foundation

/// What a client takes time and chance from; tests pass their own.
struct ClientTime: Sendable {
  /// Time that has passed since any one moment; the wall clock does not move it.
  var now: @Sendable () -> Duration
  /// - Throws: `CancellationError` when the task was cancelled.
  var sleep: @Sendable (Duration) async throws -> Void
  /// A random number from 0 to 1.
  var dice: @Sendable () -> Double
  /// Seconds since 1970, for what the service says by the clock.
  var secondsSince1970: @Sendable () -> Double

  static let system: ClientTime = {
    let start = ContinuousClock.now
    return ClientTime(
      now: { start.duration(to: .now) }, sleep: { try await Task.sleep(for: $0) },
      dice: { Double.random(in: 0...1) }, secondsSince1970: { Date().timeIntervalSince1970 })
  }()
}
