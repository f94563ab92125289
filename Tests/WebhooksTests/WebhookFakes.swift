import DurableCommands
import ObjectModel
import Threading

@testable import Webhooks

/// Letters in memory, which outlive the delivery that writes them.
final class MemoryLetterStore: LetterStore {
  struct State {
    var cursors: [String: UInt64] = [:]
    var waiting: [UInt64: Letter] = [:]
    var dead: [UInt64: Letter] = [:]
    var replayed: [UInt64: Letter] = [:]
    var failure: StoreFailure?
  }

  let state = StateLock(State())

  private func attempt<Answer>(
    _ body: (inout State) -> Answer
  ) throws(StoreFailure) -> Answer {
    try state.withLock { state -> Result<Answer, StoreFailure> in
      if let failure = state.failure { return .failure(failure) }
      return .success(body(&state))
    }.get()
  }

  func cursor(of webhookID: String) throws(StoreFailure) -> UInt64? {
    try attempt { $0.cursors[webhookID] }
  }

  func waiting(of webhookID: String) throws(StoreFailure) -> [Letter] {
    try attempt { $0.waiting.values.sorted { $0.sequence < $1.sequence } }
  }

  func record(_ progress: WebhookProgress, of webhookID: String) throws(StoreFailure) {
    try attempt { state in
      state.cursors[webhookID] = progress.cursor
      for letter in progress.waiting { state.waiting[letter.sequence] = letter }
      for sequence in progress.delivered { state.waiting[sequence] = nil }
      for letter in progress.dead {
        state.waiting[letter.sequence] = nil
        state.dead[letter.sequence] = letter
      }
    }
  }

  func takeReplayed(of webhookID: String) throws(StoreFailure) -> [Letter] {
    try attempt { state in
      let found = state.replayed.values.sorted { $0.sequence < $1.sequence }
      state.replayed = [:]
      for letter in found { state.waiting[letter.sequence] = letter }
      return found
    }
  }

  func dead(of webhookID: String?, limit: Int) throws(StoreFailure) -> [DeadLetter] {
    try attempt { state in
      state.dead.values.sorted { $0.sequence < $1.sequence }.prefix(limit).map {
        DeadLetter(webhookID: webhookID ?? "", letter: $0)
      }
    }
  }

  func replay(_ webhookID: String, sequences: [UInt64]?) throws(StoreFailure) -> Int {
    try attempt { state in
      let chosen = state.dead.values.filter { sequences?.contains($0.sequence) ?? true }
      for letter in chosen {
        var letter = letter
        letter.attempts = 0
        letter.firstAttemptAt = nil
        letter.nextAttemptAt = .distantPast
        state.dead[letter.sequence] = nil
        state.replayed[letter.sequence] = letter
      }
      return chosen.count
    }
  }

  func forgetDead(before moment: Instant) throws(StoreFailure) -> Int {
    try attempt { state in
      let old = state.dead.filter { $0.value.nextAttemptAt < moment }
      for sequence in old.keys { state.dead[sequence] = nil }
      return old.count
    }
  }

  func keepOnly(_ webhookIDs: Set<String>) throws(StoreFailure) {}
}

/// A feed that a test fills.
final class TestFeed: WebhookFeed {
  private let state = StateLock<(events: [StoredEvent], oldest: UInt64)>(([], 1))

  var newest: UInt64 { state.withLock { $0.events.last?.sequence ?? 0 } }

  func append(_ aggregateID: String, kind: String = "party.joined") {
    state.withLock { state in
      let sequence = (state.events.last?.sequence ?? 0) + 1
      state.events.append(
        StoredEvent(
          tenant: "default", sequence: sequence, kind: kind, at: Instant(milliseconds: 0),
          aggregateID: aggregateID, userIDs: [], version: 1, body: Array("{}".utf8)))
    }
  }

  let failure = StateLock<String?>(nil)

  func drop(below oldest: UInt64) { state.withLock { $0.oldest = oldest } }

  func events(
    after sequence: UInt64, kinds: Set<String>, limit: Int
  ) async throws(EventFeedError) -> EventPage {
    if let reason = failure.withLock({ $0 }) { throw .unavailable(reason: reason) }
    let (events, oldest) = state.withLock { ($0.events, $0.oldest) }
    let newest = events.last?.sequence ?? 0
    guard sequence == 0 || sequence + 1 >= oldest else {
      throw .resumeTokenExpired(oldest: oldest, newest: newest)
    }
    let found = events.filter {
      $0.sequence > sequence && $0.sequence >= oldest
        && (kinds.isEmpty || kinds.contains($0.kind))
    }.prefix(limit)
    let isFull = found.count == limit
    return EventPage(
      events: Array(found), next: isFull ? found.last?.sequence ?? newest : newest)
  }

  func wait(past sequence: UInt64, atMost time: Duration) async {}

  func body(of event: StoredEvent) -> [UInt8] {
    Array("\(event.sequence) \(event.aggregateID)".utf8)
  }
}

/// A receiver that answers as a test says, and remembers what it took.
final class TestReceiver: WebhookSender {
  struct Taken: Hashable {
    let sequence: UInt64
    let aggregateID: String
    let id: String
  }

  private let state = StateLock<(taken: [Taken], attempts: Int)>(([], 0))
  private let answer: StateLock<@Sendable (Taken) -> WebhookAnswer>

  init(_ answer: @escaping @Sendable (Taken) -> WebhookAnswer = { _ in .taken }) {
    self.answer = StateLock(answer)
  }

  var taken: [Taken] { state.withLock { $0.taken } }
  var attempts: Int { state.withLock { $0.attempts } }

  func answer(_ answer: @escaping @Sendable (Taken) -> WebhookAnswer) {
    self.answer.withLock { $0 = answer }
  }

  func send(
    to url: String, headers: [(name: String, value: String)], body: [UInt8],
    timeoutMilliseconds: Int64
  ) async -> WebhookAnswer {
    let words = String(decoding: body, as: UTF8.self).split(separator: " ")
    let letter = Taken(
      sequence: UInt64(words[0]) ?? 0, aggregateID: String(words[1]), id: headers[0].value)
    let answer = self.answer.withLock { $0 }(letter)
    state.withLock { state in
      state.attempts += 1
      if answer == .taken { state.taken.append(letter) }
    }
    return answer
  }
}
