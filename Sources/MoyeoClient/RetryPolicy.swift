/// How often and how far apart a call is made that had no answer, or one that waiting may mend.
///
/// The rules are those of every client of this service (`docs/clients.md`): a call is repeated when
/// that cannot have an effect twice and may go better.
public struct RetryPolicy: Hashable, Sendable {
  /// Attempts of one call, the first included; 1: it is made once.
  public var attempts: Int
  /// What the first wait is at most; each further one may be twice as long.
  public var base: Duration
  /// What a wait is at most, beyond what the service asked for.
  public var longest: Duration
  /// The limit of one attempt, where another may follow: longer than the service's own 5 s, so that
  /// its refusal is heard.
  public var attemptTimeout: Duration
  /// For how long a stream that was cut is opened again without an event between; nil: for ever.
  public var streamPatience: Duration?

  /// Five attempts, waits of up to 0.1 s that double to 5 s, and streams that never give up.
  public init(
    attempts: Int = 5, base: Duration = .milliseconds(100), longest: Duration = .seconds(5),
    attemptTimeout: Duration = .seconds(7), streamPatience: Duration? = nil
  ) {
    self.attempts = attempts
    self.base = base
    self.longest = longest
    self.attemptTimeout = attemptTimeout
    self.streamPatience = streamPatience
  }

  /// Calls are made once. Streams resume, since that repeats nothing.
  public static let never = RetryPolicy(attempts: 1)

  /// Full jitter, from 0 to the bound, so that clients do not come back together. Failures in a row
  /// are counted from 1; the dice show a number from 0 to 1.
  func backoff(failures: Int, dice: Double) -> Duration {
    var bound = base
    for _ in 1..<max(1, min(failures, 40)) where bound < longest { bound *= 2 }
    return min(bound, longest) * dice
  }

  /// At least what the service asked for, plus jitter.
  func wait(after error: MoyeoError, failures: Int, dice: Double) -> Duration {
    (error.refusal?.retryAfter ?? .zero) + backoff(failures: failures, dice: dice)
  }
}

/// What a call leaves when it is made twice, which decides whether it may be.
enum CallEffect: Hashable, Sendable {
  /// It changes nothing.
  case read
  /// It sets a state: twice leaves what once leaves.
  case set
  /// It has one effect for its idempotency key, which all its attempts carry.
  case keyed
  /// It is repeated only when it certainly did not run.
  case once

  var mayRepeat: Bool { self != .once }
}

extension MoyeoError {
  /// Whether the same call, made again, may succeed and has its effect at most once.
  func allowsRetry(of effect: CallEffect) -> Bool {
    switch self {
    case .unreachable(_, _, let mayHaveRun): effect.mayRepeat || !mayHaveRun
    case .timedOut: effect.mayRepeat
    case .refused(let refusal): refusal.allowsRetry(of: effect)
    case .unexpectedAnswer, .badEndpoint, .noToken, .cancelled: false
    }
  }
}

extension Refusal {
  fileprivate func allowsRetry(of effect: CallEffect) -> Bool {
    switch reason {
    // The service did nothing, and may do it later.
    case "overloaded", "unavailable", "rate_limited", "read_only": true
    case "quota_exceeded", "too_slow_consumer": retryAfter != nil
    // Whether it took effect is not known.
    case "deadline_exceeded": effect.mayRepeat
    // Of a proxy, which gives none.
    case "":
      httpStatus == 429 || httpStatus == 503
        || (effect.mayRepeat && (httpStatus == 502 || httpStatus == 504))
    default: false
    }
  }
}

/// The attempts of one call: until when, and how long to wait between them. It waits for nothing
/// itself; times are since any one moment.
struct CallAttempts {
  let policy: RetryPolicy
  let effect: CallEffect
  /// Of the whole call.
  let deadline: Duration
  /// What an attempt may take beyond its limit, because the call asked to wait so long.
  let patience: Duration
  private(set) var failures = 0

  init(
    policy: RetryPolicy, effect: CallEffect, deadline: Duration, patience: Duration = .zero
  ) {
    self.policy = policy
    self.effect = effect
    self.deadline = deadline
    self.patience = patience
  }

  /// The limit of the next attempt. One that nothing may follow has all the time that is left.
  func timeout(at now: Duration) -> Duration {
    let left = max(.milliseconds(1), deadline - now)
    guard effect.mayRepeat, failures + 1 < policy.attempts else { return left }
    return min(policy.attemptTimeout + patience, left)
  }

  /// How long to wait before the next attempt.
  ///
  /// - Throws: `error`, when there is none: it is final, there were enough, or the next one could
  ///   only come too late.
  mutating func wait(
    after error: MoyeoError, at now: Duration, dice: Double
  ) throws(MoyeoError) -> Duration {
    failures += 1
    guard failures < policy.attempts, error.allowsRetry(of: effect) else { throw error }
    let wait = policy.wait(after: error, failures: failures, dice: dice)
    guard now + wait < deadline else { throw error }
    return wait
  }
}
