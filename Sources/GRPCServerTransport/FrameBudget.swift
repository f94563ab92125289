import NIOCore

/// Bounds the frames of a kind that a peer may send, by what it has been served.
///
/// A peer begins with `burst` frames; each answered call and each moment adds some. A peer that
/// uses the connection may therefore send as many as it likes, and one that sends nothing else is
/// bounded (rapid reset, CVE-2023-44487).
struct FrameBudget {
  let burst: Int
  let perSecond: Int
  private var left: Int
  private var since: NIODeadline

  init(burst: Int, perSecond: Int, now: NIODeadline) {
    since = now
    self.burst = burst
    self.perSecond = perSecond
    left = burst
  }

  mutating func answered() { if left < burst { left += 1 } }

  /// Spends one frame.
  ///
  /// - Returns: Whether the frame is within the budget.
  mutating func spend(now: NIODeadline) -> Bool {
    if left <= 0 { refill(now) }
    guard left > 0 else { return false }
    left -= 1
    return true
  }

  /// Adds the frames of the time that has passed. It runs when the budget is spent, so that not
  /// every frame asks the clock.
  private mutating func refill(_ now: NIODeadline) {
    let passed = max(0, (now - since).nanoseconds)
    let (product, overflows) = passed.multipliedReportingOverflow(by: Int64(perSecond))
    left = overflows ? burst : min(burst, Int(product / 1_000_000_000))
    since = now
  }
}

/// Judges when a peer has pinged too often, as gRPC's servers do (gRFC A8): a ping is a strike when
/// nothing has been answered since the last one and that was less than `minimumInterval` ago.
struct PingStrikes {
  let minimumInterval: TimeAmount
  let maximumStrikes: Int
  private var strikes = 0
  private var last: NIODeadline?

  init(minimumInterval: TimeAmount, maximumStrikes: Int) {
    self.minimumInterval = minimumInterval
    self.maximumStrikes = maximumStrikes
  }

  mutating func answered() {
    strikes = 0
    last = nil
  }

  /// Counts a ping.
  ///
  /// - Returns: Whether the ping is within the bounds.
  mutating func pinged(now: NIODeadline) -> Bool {
    guard let last, now < last + minimumInterval else {
      last = now
      return true
    }
    strikes += 1
    return strikes <= maximumStrikes
  }
}
