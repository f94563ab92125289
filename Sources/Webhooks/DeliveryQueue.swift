import DequeModule
import DurableCommands
import HeapModule
package import ObjectModel

/// One event on its way to one webhook.
package struct Letter: Hashable, Sendable {
  package var sequence: UInt64
  /// The party or ticket; letters of one go out one after another.
  package var aggregateID: String
  package var body: [UInt8]
  package var attempts = 0
  package var firstAttemptAt: Instant?
  package var nextAttemptAt: Instant
  /// Why the last attempt failed.
  package var failure: String?

  package init(sequence: UInt64, aggregateID: String, body: [UInt8], nextAttemptAt: Instant) {
    self.sequence = sequence
    self.aggregateID = aggregateID
    self.body = body
    self.nextAttemptAt = nextAttemptAt
  }
}

/// Which letter goes next: in order for each aggregate, and of those the one whose time has come
/// first. While nothing is taken, one letter alone asks from time to time whether that has changed.
///
/// Complexity: O(log n) for each step over n aggregates that have letters.
struct DeliveryQueue {
  private struct Turn: Comparable {
    let at: Instant
    let sequence: UInt64
    let aggregateID: String

    static func < (a: Turn, b: Turn) -> Bool {
      (a.at.milliseconds, a.sequence) < (b.at.milliseconds, b.sequence)
    }
  }

  private let settings: WebhookSettings
  private var lanes: [String: Deque<Letter>] = [:]
  /// One turn for each lane whose first letter is not under way.
  private var turns = Heap<Turn>()
  private(set) var count = 0
  /// Rounds of attempts since the last success.
  private var failedRounds = 0
  /// Of the round that is going on.
  private var round = Round()
  private var lastSuccess: Instant?
  private var pausedUntil: Instant?

  private struct Round {
    var isFailed = false
    var isTaken = false
    var retryAfterMilliseconds: Int64 = 0
  }

  /// So many rounds without a success mean that the receiver is away.
  private static let outageRounds = 5
  /// The longest wait between two questions whether it is back.
  private static let longestPauseMilliseconds: Int64 = 60_000

  init(_ settings: WebhookSettings) { self.settings = settings }

  var isOutage: Bool { failedRounds >= Self.outageRounds }
  /// Whether more may be read from the feed. While the receiver is away a few are enough: what is
  /// not read stands in the feed, and one letter with a fault of its own does not look like an outage
  /// for long when others can be tried.
  var hasRoom: Bool { count < (isOutage ? settings.concurrency : settings.maximumWaiting) }

  /// The last letter of an aggregate, behind which a later one waits.
  func lastSequence(of aggregateID: String) -> UInt64? { lanes[aggregateID]?.last?.sequence }

  /// The letters of an aggregate, the oldest first.
  func letters(of aggregateID: String) -> some Sequence<Letter> { lanes[aggregateID] ?? [] }

  /// Takes a letter in, before those of its aggregate that came later; no attempt may be under way.
  mutating func add(_ letter: Letter) {
    count += 1
    guard let lane = lanes[letter.aggregateID] else {
      turns.insert(turn(letter))
      lanes[letter.aggregateID] = [letter]
      return
    }
    // Nearly always the end; a letter that is replayed goes where it was.
    let place = lane.lastIndex { $0.sequence < letter.sequence }.map { $0 + 1 } ?? 0
    lanes[letter.aggregateID]?.insert(letter, at: place)
  }

  /// Letters whose attempt is due, of different aggregates; each ends with ``delivered(_:now:)`` or
  /// ``failed(_:_:now:)``.
  mutating func due(_ now: Instant) -> [Letter] {
    if let pausedUntil, now < pausedUntil { return [] }
    var out: [Letter] = []
    let most = isOutage ? 1 : settings.concurrency
    while out.count < most, let turn = turns.min, turn.at <= now {
      turns.removeMin()
      if let first = lanes[turn.aggregateID]?.first { out.append(first) }
    }
    return out
  }

  /// When ``due(_:)`` will have something; nil when nothing waits.
  var nextTime: Instant? {
    guard let turn = turns.min else { return nil }
    return max(turn.at, pausedUntil ?? turn.at)
  }

  mutating func delivered(_ letter: Letter, now: Instant) {
    round.isTaken = true
    failedRounds = 0
    lastSuccess = now
    pausedUntil = nil
    removeFirst(letter.aggregateID)
  }

  /// Takes back a letter whose attempt has no outcome.
  mutating func putBack(_ letter: Letter) { turns.insert(turn(letter)) }

  /// What becomes of a letter after an attempt that failed.
  enum Fate {
    case waits(Letter)
    case dead(Letter)
  }

  /// Takes back a letter that was refused.
  ///
  /// - Parameters:
  ///   - letter: As ``due(_:)`` answered it.
  ///   - reason: In words.
  ///   - now: When the attempt ended.
  ///   - retryAfterMilliseconds: What the receiver asked for.
  ///   - jitter: 0 ..< 1, so that many webhooks do not ask at the same moment.
  /// - Returns: Whether it waits or is given up.
  mutating func failed(
    _ letter: Letter, _ reason: String, now: Instant, retryAfterMilliseconds: Int64? = nil,
    jitter: Double = 0
  ) -> Fate {
    round.isFailed = true
    round.retryAfterMilliseconds = max(round.retryAfterMilliseconds, retryAfterMilliseconds ?? 0)
    var letter = letter
    letter.attempts += 1
    letter.failure = reason
    letter.firstAttemptAt = letter.firstAttemptAt ?? now
    let wait = max(backoff(letter.attempts, jitter), retryAfterMilliseconds ?? 0)
    letter.nextAttemptAt = now.advanced(milliseconds: wait)
    if isDead(letter, now: now) {
      removeFirst(letter.aggregateID)
      return .dead(letter)
    }
    lanes[letter.aggregateID]?[0] = letter
    turns.insert(turn(letter))
    return .waits(letter)
  }

  /// Ends a round of attempts: one in which nothing was taken counts towards an outage.
  mutating func endRound(now: Instant, jitter: Double) {
    defer { round = Round() }
    guard round.isFailed, !round.isTaken else { return }
    failedRounds += 1
    guard isOutage else { return }
    let pause = min(backoff(failedRounds, jitter), Self.longestPauseMilliseconds)
    pausedUntil = now.advanced(milliseconds: max(pause, round.retryAfterMilliseconds))
  }

  /// Whether the fault is the letter's own, or nothing was taken for too long.
  private func isDead(_ letter: Letter, now: Instant) -> Bool {
    guard letter.attempts >= settings.maximumAttempts, let first = letter.firstAttemptAt else {
      return false
    }
    if let lastSuccess, lastSuccess >= first { return true }
    return first.advanced(milliseconds: settings.outageMilliseconds) <= now
  }

  private func backoff(_ attempts: Int, _ jitter: Double) -> Int64 {
    let doublings = min(max(0, attempts - 1), 30)
    let plain = min(
      settings.longestRetryMilliseconds, settings.firstRetryMilliseconds << Int64(doublings))
    // A quarter more at most.
    return plain + Int64(Double(plain) * 0.25 * jitter)
  }

  private mutating func removeFirst(_ aggregateID: String) {
    guard lanes[aggregateID]?.popFirst() != nil else { return }
    count -= 1
    if let next = lanes[aggregateID]?.first {
      turns.insert(turn(next))
    } else {
      lanes[aggregateID] = nil
    }
  }

  private func turn(_ letter: Letter) -> Turn {
    Turn(
      at: letter.nextAttemptAt, sequence: letter.sequence, aggregateID: letter.aggregateID)
  }
}
