package import Threading

/// Keeps callers from waiting for a provider that fails: a pure state machine.
///
/// ```
///            threshold failures in a row            pause over: one probe
///   closed ------------------------------> open ------------------------> half open
///      ^                                     ^        probe fails, pause x 2   |  |
///      |                                     +---------------------------------+  |
///      +------------------------------ probe succeeds ----------------------------+
/// ```
/// Every admitted call must report once. Reports of calls admitted before the last change of
/// state are ignored: a slow success from before does not close what has opened since.
package struct CircuitBreaker: Sendable {
  package struct Settings: Hashable, Sendable {
    /// Failures in a row that open it, at least 1.
    package var failureThreshold: Int
    /// The first pause; it doubles with each failed probe.
    package var pauseMilliseconds: Int64
    package var maximumPauseMilliseconds: Int64

    package init(
      failureThreshold: Int = 5, pauseMilliseconds: Int64 = 2_000,
      maximumPauseMilliseconds: Int64 = 60_000
    ) {
      self.failureThreshold = max(1, failureThreshold)
      self.pauseMilliseconds = min(max(1, pauseMilliseconds), 86_400_000)
      self.maximumPauseMilliseconds = min(
        max(self.pauseMilliseconds, maximumPauseMilliseconds), 86_400_000)
    }
  }

  package enum Admission: Hashable, Sendable {
    /// Ask, then ``CircuitBreaker/report(_:of:at:)`` with this ticket.
    case allowed(ticket: Ticket)
    case refused(retryAfterMilliseconds: Int64)
  }

  /// Names the state in which a call was admitted.
  package struct Ticket: Hashable, Sendable {
    let epoch: UInt64
  }

  package enum Outcome: Hashable, Sendable {
    /// It answered, be it that it refused the request.
    case success
    case failure
    /// Nothing can be said: the caller gave up.
    case abandoned
  }

  package enum State: Hashable, Sendable {
    case closed(failures: Int)
    case open(until: Nanoseconds)
    case halfOpen
  }

  package let settings: Settings
  package private(set) var state: State = .closed(failures: 0)
  private var epoch: UInt64 = 0
  private var pauseMilliseconds: Int64

  package init(_ settings: Settings = Settings()) {
    self.settings = settings
    pauseMilliseconds = settings.pauseMilliseconds
  }

  package mutating func admit(at now: Nanoseconds) -> Admission {
    switch state {
    case .closed:
      return .allowed(ticket: Ticket(epoch: epoch))
    case .open(let until):
      guard now >= until else {
        return .refused(retryAfterMilliseconds: (until - now + 999_999) / 1_000_000)
      }
      change(to: .halfOpen)
      return .allowed(ticket: Ticket(epoch: epoch))
    case .halfOpen:
      // The probe is out; its answer decides for all.
      return .refused(retryAfterMilliseconds: settings.pauseMilliseconds)
    }
  }

  package mutating func report(_ outcome: Outcome, of ticket: Ticket, at now: Nanoseconds) {
    guard ticket.epoch == epoch else { return }
    switch (state, outcome) {
    case (.closed, .success):
      state = .closed(failures: 0)
    case (.closed(let failures), .failure):
      if failures + 1 >= settings.failureThreshold {
        pauseMilliseconds = settings.pauseMilliseconds
        open(at: now)
      } else {
        state = .closed(failures: failures + 1)
      }
    case (.halfOpen, .success):
      change(to: .closed(failures: 0))
    case (.halfOpen, .failure):
      pauseMilliseconds = min(2 * pauseMilliseconds, settings.maximumPauseMilliseconds)
      open(at: now)
    case (.halfOpen, .abandoned):
      // The next caller is the probe.
      change(to: .open(until: now))
    case (.closed, .abandoned), (.open, _):
      break
    }
  }

  private mutating func open(at now: Nanoseconds) {
    change(to: .open(until: now + pauseMilliseconds * 1_000_000))
  }

  private mutating func change(to new: State) {
    state = new
    epoch += 1
  }
}
