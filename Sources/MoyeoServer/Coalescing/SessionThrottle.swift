import Identity
import MoyeoAPI
import QueryCoalescing
import Threading

/// How viewport sessions are throttled (`sessions.*`).
package struct SessionSettings: Sendable, Hashable {
  /// One request an interval for each session, call and layer.
  package var intervalSeconds = 0.8
  /// Requests that a rested session may run at once.
  package var burst = 1
  /// Sessions remembered; those of more run unthrottled.
  package var maximumSessions = 200_000

  package init() {}
}

/// The viewport throttle of `X-Moyeo-Session`: the first request of a session runs at once, of
/// those that come too early the newest runs when its time comes, and each one it replaces is
/// answered `superseded` at once. So the last viewport always gets its answer.
final class SessionThrottle: Sendable {
  struct Session: Hashable, Sendable {
    let tenant: String
    let caller: String
    let session: String
    let call: String
    /// The layer, where the call has one.
    let scope: String
  }

  static let maximumSessionBytes = 128
  private let throttle: ViewportThrottle<Session>

  init(settings: SessionSettings, clock: any MonotonicClock = SystemMonotonicClock()) {
    throttle = ViewportThrottle(
      clock: clock,
      settings: .init(
        interval: max(1, Nanoseconds(settings.intervalSeconds * 1e9)), burst: settings.burst,
        sessions: settings.maximumSessions))
  }

  var statistics: ViewportThrottleStatistics { throttle.statistics }

  /// Returns when the request may run.
  /// - Throws: `superseded`, with the time after which the session may run again.
  func admit(_ call: String, scope: String, _ context: CallContext, _ session: String) async throws
  {
    guard session.utf8.count <= Self.maximumSessionBytes else {
      throw APIError(
        .badID, field: "X-Moyeo-Session",
        "a session has at most \(Self.maximumSessionBytes) bytes")
    }
    var sequence: UInt64?
    if let text = context.sequence {
      guard let number = UInt64(text), !text.hasPrefix("+") else {
        throw APIError(
          .badValue, field: "X-Moyeo-Sequence",
          "a sequence is a whole number from 0; got \(quoted(text))")
      }
      sequence = number
    }
    do {
      try await throttle.admit(
        Session(
          tenant: context.caller.tenant, caller: context.caller.name, session: session, call: call,
          scope: scope),
        sequence: sequence)
    } catch ViewportThrottleError.superseded(let retryAfter) {
      throw APIError(
        .superseded, "a newer request of this session is answered instead",
        retryAfterMilliseconds: (retryAfter + 999_999) / 1_000_000)
    }
  }
}

extension CallContext {
  /// Waits for the turn of the request's session, if it has one.
  func admit(_ call: String, scope: String) async throws {
    guard let throttle, let session, !session.isEmpty else { return }
    try await throttle.admit(call, scope: scope, self, session)
  }
}
