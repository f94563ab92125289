import MoyeoAPI
import SwiftProtobuf

/// A request that may say after which event its stream goes on.
protocol ResumableRequest: Message, Sendable {
  var resumeToken: String { get set }
  var hasResumeToken: Bool { get }
}

/// An event that says how to go on after it.
protocol ResumableEvent: Message, Sendable {
  var kind: String { get }
  var resumeToken: String { get }
  /// Of a durable event; 0 for all others.
  var durableSequence: Int64 { get }
}

extension Moyeo_V1_WatchEventsRequest: ResumableRequest {}
extension Moyeo_V1_WatchPartyRequest: ResumableRequest {}
extension Moyeo_V1_WatchTicketRequest: ResumableRequest {}
extension Moyeo_V1_WatchPositionsRequest: ResumableRequest {}
extension Moyeo_V1_WatchTilesRequest: ResumableRequest {}
extension Moyeo_V1_WatchMatchesRequest: ResumableRequest {}

extension Moyeo_V1_Event: ResumableEvent { var durableSequence: Int64 { sequence } }
extension Moyeo_V1_WatchPositionsEvent: ResumableEvent { var durableSequence: Int64 { 0 } }
extension Moyeo_V1_WatchTilesEvent: ResumableEvent { var durableSequence: Int64 { 0 } }
extension Moyeo_V1_WatchMatchesEvent: ResumableEvent { var durableSequence: Int64 { 0 } }

/// Where a stream stands, and whether and when it is opened again; it waits for nothing itself.
struct ResumeState<Request: ResumableRequest> {
  /// Sent at each opening: it carries the token of the last event.
  private(set) var request: Request
  let policy: RetryPolicy
  private var wasOpen = false
  private var failures = 0
  private var failingSince: Duration?
  private var hasRenewed = false
  private var lastSequence: Int64 = 0

  init(_ request: Request, policy: RetryPolicy) {
    self.request = request
    self.policy = policy
  }

  /// The service accepted the stream.
  mutating func opened() { wasOpen = true }

  /// - Returns: Whether to hand the event out: not one that only says that the stream lives, nor a
  ///   durable one that was handed out before.
  mutating func takes(_ event: some ResumableEvent) -> Bool {
    wasOpen = true
    hasRenewed = false
    failures = 0
    failingSince = nil
    if !event.resumeToken.isEmpty { request.resumeToken = event.resumeToken }
    guard event.kind != "heartbeat" else { return false }
    guard event.durableSequence > 0 else { return true }
    guard event.durableSequence > lastSequence else { return false }
    lastSequence = event.durableSequence
    return true
  }

  /// Whether to open it again at once with another token: once without an event between.
  mutating func renews(allowed: Bool) -> Bool {
    guard allowed, !hasRenewed else { return false }
    hasRenewed = true
    return true
  }

  /// How long to wait until it is opened again.
  /// - Throws: `error`, when it ended for good.
  mutating func wait(
    after error: MoyeoError, at now: Duration, dice: Double
  ) throws(MoyeoError) -> Duration {
    let isToldToReturn = error.reason == "too_slow_consumer"
    guard isToldToReturn || error.allowsRetry(of: .read) else { throw error }
    failures += 1
    let since = failingSince ?? now
    failingSince = since
    // A first opening gives up like a call.
    if !wasOpen, failures >= policy.attempts { throw error }
    if let patience = policy.streamPatience, now - since > patience { throw error }
    return policy.wait(after: error, failures: failures, dice: dice)
  }
}
