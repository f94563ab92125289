package import DurableCommands
package import ObjectModel

/// Where a tenant's events are read.
package protocol WebhookFeed: Sendable {
  /// Of the newest event.
  var newest: UInt64 { get }

  /// Events above a sequence, ascending.
  func events(
    after sequence: UInt64, kinds: Set<String>, limit: Int
  ) async throws(EventFeedError) -> EventPage

  /// Returns once there is an event above a sequence, the time has passed or the task is cancelled.
  func wait(past sequence: UInt64, atMost time: Duration) async

  /// The body of a delivery.
  func body(of event: StoredEvent) -> [UInt8]
}

/// How an attempt ended.
package enum WebhookAnswer: Hashable, Sendable {
  /// With a status of 2xx.
  case taken
  /// Otherwise; in words, and after how long the receiver wants to be asked again.
  case refused(reason: String, retryAfterMilliseconds: Int64?)
}

/// Makes one attempt.
package protocol WebhookSender: Sendable {
  func send(
    to url: String, headers: [(name: String, value: String)], body: [UInt8],
    timeoutMilliseconds: Int64
  ) async -> WebhookAnswer
}

/// What happens to events on their way, for metrics.
package enum WebhookOutcome: String, Hashable, Sendable, CaseIterable {
  case taken, refused, dead
  /// The feed had dropped the event before it could be delivered.
  case missed
}

/// Delivers the feed to one webhook, each event at least once, those of one party or ticket in order.
///
/// It works in rounds: reads what is new, makes the attempts that are due, at once, and records what
/// has become of them. One task drives it.
package actor WebhookDelivery {
  /// Events that are read and neither delivered nor recorded yet.
  private static let window = 256
  private static let replayMilliseconds: Int64 = 1_000

  private let webhook: Webhook
  private let settings: WebhookSettings
  private let feed: any WebhookFeed
  private let store: any LetterStore
  private let sender: any WebhookSender
  private let clock: any WallClock
  private let count: @Sendable (WebhookOutcome, Int) -> Void
  private let jitter: @Sendable () -> Double

  private var queue: DeliveryQueue
  /// The feed has been read up to here.
  private var position: UInt64
  /// Sequences of letters that stand in the store.
  private var recorded: Set<UInt64> = []
  /// Those that do not: the cursor stays before them.
  private var unrecorded: Set<UInt64> = []
  private var progress: WebhookProgress
  private var hasCursor: Bool
  private var lastReplayLook: Instant?
  /// Whether the feed could not be read just now.
  private var isFeedAway = false

  /// - Parameters:
  ///   - webhook: Where to.
  ///   - settings: How.
  ///   - feed: Its tenant's events.
  ///   - store: What was recorded before is gone on with.
  ///   - sender: Makes the attempts.
  ///   - clock: Tells when one is due.
  ///   - jitter: 0 ..< 1 at each call.
  ///   - count: Is told what happens.
  /// - Throws: ``StoreFailure``.
  package init(
    _ webhook: Webhook, settings: WebhookSettings, feed: any WebhookFeed,
    store: any LetterStore, sender: any WebhookSender, clock: any WallClock,
    jitter: @escaping @Sendable () -> Double,
    count: @escaping @Sendable (WebhookOutcome, Int) -> Void
  ) throws(StoreFailure) {
    self.webhook = webhook
    self.settings = settings
    self.feed = feed
    self.store = store
    self.sender = sender
    self.clock = clock
    self.jitter = jitter
    self.count = count
    let cursor = try store.cursor(of: webhook.id)
    position = cursor ?? (webhook.startsAtOldest ? 0 : feed.newest)
    // What a new webhook begins with is recorded with the first round.
    hasCursor = cursor != nil
    progress = WebhookProgress(cursor: position)
    queue = DeliveryQueue(settings)
    for letter in try store.waiting(of: webhook.id) {
      queue.add(letter)
      recorded.insert(letter.sequence)
    }
  }

  /// What a round leaves to do.
  package enum Rest: Hashable, Sendable {
    /// Something may be due already.
    case none
    /// Until there are events above the position, or this moment.
    case until(Instant, position: UInt64)
    /// Until this moment: no more is read before.
    case pause(Instant)
  }

  /// One round.
  ///
  /// - Returns: When the next one makes sense.
  /// - Throws: ``StoreFailure``: nothing is lost, and the round may be made again.
  package func round() async throws(StoreFailure) -> Rest {
    try takeReplayed()
    await read()
    let letters = queue.due(clock.now())
    if !letters.isEmpty { await attempt(letters) }
    try record()
    let isBehind = queue.hasRoom && position < feed.newest
    if !letters.isEmpty || (isBehind && !isFeedAway) { return .none }
    let now = clock.now()
    let look = now.advanced(milliseconds: Self.replayMilliseconds)
    let time = min(queue.nextTime ?? look, look)
    guard time > now else { return .none }
    return queue.hasRoom && !isFeedAway ? .until(time, position: position) : .pause(time)
  }

  private func takeReplayed() throws(StoreFailure) {
    let now = clock.now()
    if let last = lastReplayLook, now < last.advanced(milliseconds: Self.replayMilliseconds) {
      return
    }
    for letter in try store.takeReplayed(of: webhook.id) {
      recorded.insert(letter.sequence)
      queue.add(letter)
    }
    lastReplayLook = now
  }

  private func read() async {
    let room = min(Self.window - unrecorded.count, settings.maximumWaiting - queue.count)
    guard queue.hasRoom, room > 0, position < feed.newest else { return }
    isFeedAway = false
    do throws(EventFeedError) {
      let page = try await feed.events(after: position, kinds: webhook.kinds, limit: room)
      for event in page.events { add(event) }
      position = max(position, page.next)
    } catch {
      // A record that cannot be read now is asked again later.
      guard case .resumeTokenExpired(let oldest, _) = error, position + 1 < oldest else {
        isFeedAway = true
        return
      }
      count(.missed, Int(clamping: oldest - 1 - position))
      position = oldest - 1
    }
  }

  private func add(_ event: StoredEvent) {
    // Recorded before a restart, in front of which the cursor stayed for the sake of another one.
    guard !recorded.contains(event.sequence) else { return }
    let letter = Letter(
      sequence: event.sequence, aggregateID: event.aggregateID, body: feed.body(of: event),
      nextAttemptAt: clock.now())
    if let last = queue.lastSequence(of: letter.aggregateID), recorded.contains(last) {
      // Behind one that may wait long, and that the store has: the cursor goes on. Behind one that
      // only the feed has it stays in the feed, or a restart would find it first.
      recorded.insert(letter.sequence)
      progress.waiting.append(letter)
    } else {
      unrecorded.insert(letter.sequence)
    }
    queue.add(letter)
  }

  private func attempt(_ letters: [Letter]) async {
    let (sender, webhook, now) = (sender, webhook, clock.now())
    let timeout = settings.timeoutMilliseconds
    let answers = await withTaskGroup(of: (Letter, WebhookAnswer).self) { group in
      for letter in letters {
        group.addTask {
          let headers = WebhookSignature.headers(
            id: "\(webhook.tenant)-\(letter.sequence)", secrets: webhook.secrets, now: now,
            body: letter.body)
          return (
            letter,
            await sender.send(
              to: webhook.url, headers: headers, body: letter.body, timeoutMilliseconds: timeout)
          )
        }
      }
      var out: [(Letter, WebhookAnswer)] = []
      for await answer in group { out.append(answer) }
      return out
    }
    // What was cut off by the end of the daemon says nothing of the receiver.
    let isOver = Task.isCancelled
    for (letter, answer) in answers.sorted(by: { $0.0.sequence < $1.0.sequence }) {
      switch answer {
      case .taken: taken(letter)
      case .refused(let reason, let wait):
        if isOver { queue.putBack(letter) } else { refused(letter, reason, wait) }
      }
    }
    queue.endRound(now: clock.now(), jitter: jitter())
  }

  private func taken(_ letter: Letter) {
    queue.delivered(letter, now: clock.now())
    count(.taken, 1)
    if recorded.remove(letter.sequence) != nil {
      progress.delivered.append(letter.sequence)
    }
    unrecorded.remove(letter.sequence)
  }

  private func refused(_ letter: Letter, _ reason: String, _ wait: Int64?) {
    count(.refused, 1)
    unrecorded.remove(letter.sequence)
    switch queue.failed(
      letter, reason, now: clock.now(), retryAfterMilliseconds: wait, jitter: jitter())
    {
    case .waits(let next):
      recorded.insert(next.sequence)
      progress.waiting.append(next)
      // So does what stands behind it, so that the cursor goes on.
      for later in queue.letters(of: next.aggregateID)
      where unrecorded.remove(later.sequence) != nil {
        recorded.insert(later.sequence)
        progress.waiting.append(later)
      }
    case .dead(let last):
      recorded.remove(last.sequence)
      progress.dead.append(last)
      count(.dead, 1)
    }
  }

  private func record() throws(StoreFailure) {
    let cursor = unrecorded.min().map { $0 - 1 } ?? position
    var next = progress
    next.cursor = cursor
    guard !hasCursor || next != WebhookProgress(cursor: progress.cursor) else { return }
    try store.record(next, of: webhook.id)
    hasCursor = true
    progress = WebhookProgress(cursor: cursor)
  }
}
