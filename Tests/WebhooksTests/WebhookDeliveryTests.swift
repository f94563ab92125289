import DurableCommands
import ObjectModel
import Testing
import TestSupport
import Threading

@testable import Webhooks

@Suite("Deliveries of webhooks")
struct WebhookDeliveryTests {
  private final class World {
    let clock = ManualClock(Instant(milliseconds: 1_800_000_000_000))
    let feed = TestFeed()
    let store = MemoryLetterStore()
    let receiver = TestReceiver()
    let counts = StateLock<[WebhookOutcome: Int]>([:])
    var settings = WebhookSettings()
    var webhook: Webhook

    init(kinds: Set<String> = [], startsAtOldest: Bool = true) {
      var random = SystemRandomNumberGenerator()
      webhook = Webhook(
        id: "wh_1", tenant: "default", url: "https://a.example", kinds: kinds,
        secrets: [WebhookSecret(using: &random)], startsAtOldest: startsAtOldest)
    }

    func delivery() throws -> WebhookDelivery {
      try WebhookDelivery(
        webhook, settings: settings, feed: feed, store: store, sender: receiver, clock: clock,
        jitter: { 0 },
        count: { [counts] outcome, number in
          counts.withLock { $0[outcome, default: 0] += number }
        })
    }

    /// Rounds until there is nothing to do before time passes.
    func settle(_ delivery: WebhookDelivery) async throws {
      while try await delivery.round() == .none {}
    }

    func count(_ outcome: WebhookOutcome) -> Int { counts.withLock { $0[outcome] ?? 0 } }
  }

  @Test("Every event is delivered once to a receiver that takes it, and is told apart by its id")
  func plain() async throws {
    let world = World()
    for i in 0..<1000 { world.feed.append("p\(i % 7)") }
    let delivery = try world.delivery()
    try await world.settle(delivery)
    #expect(world.receiver.taken.map(\.sequence).sorted() == [UInt64](1...1000))
    #expect(Set(world.receiver.taken.map(\.id)).count == 1000)
    #expect(world.receiver.taken.contains { $0.id == "default-1" })
    #expect(world.store.state.withLock { $0.cursors["wh_1"] } == 1000)
    #expect(world.store.state.withLock { $0.waiting.isEmpty })
  }

  @Test("A new webhook begins with what comes after it, and with the kinds that it names")
  func beginning() async throws {
    let world = World(kinds: ["party.left"], startsAtOldest: false)
    world.feed.append("p1", kind: "party.left")
    var delivery = try world.delivery()
    try await world.settle(delivery)
    #expect(world.receiver.taken.isEmpty)
    // Started anew before the first event.
    delivery = try world.delivery()
    world.feed.append("p1", kind: "party.joined")
    world.feed.append("p1", kind: "party.left")
    try await world.settle(delivery)
    #expect(world.receiver.taken.map(\.sequence) == [3])
  }

  @Test("A letter that is refused holds up its own party alone, and goes first when it is taken")
  func order() async throws {
    let world = World()
    world.receiver.answer {
      $0.aggregateID == "bad"
        ? .refused(reason: "the receiver answered 500", retryAfterMilliseconds: nil) : .taken
    }
    for i in 0..<200 {
      world.feed.append(i % 4 == 0 ? "bad" : "good\(i % 3)")
    }
    let delivery = try world.delivery()
    try await world.settle(delivery)
    #expect(world.receiver.taken.count == 150)
    #expect(world.receiver.attempts == 151)
    // What waits stands in the store, so that the cursor goes on.
    #expect(world.store.state.withLock { ($0.cursors["wh_1"], $0.waiting.count) } == (200, 50))
    world.receiver.answer { _ in .taken }
    world.clock.advance(milliseconds: 1_000)
    try await world.settle(delivery)
    let late = world.receiver.taken.dropFirst(150).map(\.sequence)
    #expect(late == [UInt64](stride(from: 1, through: 197, by: 4)))
    #expect(world.store.state.withLock { $0.waiting.isEmpty })
  }

  @Test("Waits double up to the longest, and a receiver's Retry-After counts when it is longer")
  func backoff() async throws {
    let world = World()
    world.receiver.answer { _ in .refused(reason: "no", retryAfterMilliseconds: nil) }
    world.settings.longestRetryMilliseconds = 8_000
    world.feed.append("p1")
    let delivery = try world.delivery()
    var attempts: [Int] = []
    for second in 0..<60 {
      if second == 30 {
        world.receiver.answer { _ in .refused(reason: "no", retryAfterMilliseconds: 20_000) }
      }
      let before = world.receiver.attempts
      try await world.settle(delivery)
      attempts += Array(repeating: second, count: world.receiver.attempts - before)
      world.clock.advance(milliseconds: 1_000)
    }
    #expect(attempts == [0, 1, 3, 7, 15, 23, 31, 51])
  }

  @Test("An event with a fault of its own becomes a dead letter; replayed, it is delivered")
  func deadLetter() async throws {
    let world = World()
    world.settings.maximumAttempts = 3
    world.receiver.answer {
      $0.sequence == 2
        ? .refused(reason: "the receiver answered 400", retryAfterMilliseconds: nil)
        : .taken
    }
    for id in ["p1", "p1", "p1", "p2"] { world.feed.append(id) }
    let delivery = try world.delivery()
    for _ in 0..<10 {
      try await world.settle(delivery)
      world.feed.append("p3")
      world.clock.advance(milliseconds: 10_000)
    }
    try await world.settle(delivery)
    let dead = try world.store.dead(of: "wh_1", limit: 10).map(\.letter)
    #expect(dead.map(\.sequence) == [2])
    #expect(dead.first?.attempts == 3)
    #expect(dead.first?.failure == "the receiver answered 400")
    #expect(world.count(.dead) == 1)
    // What waited behind it goes on.
    #expect(world.receiver.taken.contains { $0.sequence == 3 })
    world.receiver.answer { _ in .taken }
    #expect(try world.store.replay("wh_1", sequences: [2]) == 1)
    world.clock.advance(milliseconds: 1_000)
    try await world.settle(delivery)
    #expect(world.receiver.taken.filter { $0.sequence == 2 }.count == 1)
    #expect(world.store.state.withLock { $0.waiting.isEmpty && $0.dead.isEmpty })
  }

  @Test("A receiver that is away is asked with one letter at a time, and nothing is given up")
  func outage() async throws {
    let world = World()
    world.settings.maximumAttempts = 3
    world.receiver.answer { _ in .refused(reason: "unreachable", retryAfterMilliseconds: nil) }
    for i in 0..<5_000 { world.feed.append("p\(i)") }
    let delivery = try world.delivery()
    for _ in 0..<720 {
      try await world.settle(delivery)
      world.clock.advance(milliseconds: 60_000)
    }
    // Half a day away: a first volley, and about one question a minute.
    #expect(world.receiver.attempts < 1_000)
    #expect(world.count(.dead) == 0)
    // What was read at once, and a few volleys.
    #expect(world.store.state.withLock { $0.waiting.count } <= 256 + 5 * 16)
    world.receiver.answer { _ in .taken }
    for _ in 0..<100 {
      world.clock.advance(milliseconds: 60_000)
      try await world.settle(delivery)
    }
    let told = Set<UInt64>(world.receiver.taken.map(\.sequence))
    let all = Set<UInt64>((1 as UInt64)...5_000)
    #expect(told == all)
  }

  @Test("A volley that is refused once is no outage")
  func oneBadVolley() async throws {
    let world = World()
    world.receiver.answer { _ in .refused(reason: "no", retryAfterMilliseconds: nil) }
    for i in 0..<16 { world.feed.append("p\(i)") }
    let delivery = try world.delivery()
    try await world.settle(delivery)
    #expect(world.receiver.attempts == 16)
    world.receiver.answer { _ in .taken }
    world.clock.advance(milliseconds: 1_000)
    try await world.settle(delivery)
    #expect(world.receiver.taken.count == 16)
  }

  @Test("After days without anything taken, letters die and the rest goes on")
  func endlessOutage() async throws {
    let world = World()
    world.settings.maximumAttempts = 3
    world.settings.outageMilliseconds = 3_600_000
    world.receiver.answer { _ in .refused(reason: "unreachable", retryAfterMilliseconds: nil) }
    world.feed.append("p1")
    let delivery = try world.delivery()
    for _ in 0..<200 {
      try await world.settle(delivery)
      world.clock.advance(milliseconds: 60_000)
    }
    #expect(world.count(.dead) == 1)
  }

  @Test("What the feed dropped in the meantime is counted, and the rest is delivered")
  func missed() async throws {
    let world = World()
    world.feed.append("p1")
    var delivery = try world.delivery()
    try await world.settle(delivery)
    for _ in 0..<10 { world.feed.append("p1") }
    world.feed.drop(below: 6)
    delivery = try world.delivery()
    try await world.settle(delivery)
    #expect(world.count(.missed) == 4)
    #expect(world.receiver.taken.map(\.sequence) == [1, 6, 7, 8, 9, 10, 11])
  }

  @Test("A feed that cannot be read is asked again, and not at once")
  func feedFails() async throws {
    let world = World()
    world.feed.append("p1")
    let delivery = try world.delivery()
    world.feed.failure.withLock { $0 = "the disk is gone" }
    let later = world.clock.now().advanced(milliseconds: 1_000)
    #expect(try await delivery.round() == .pause(later))
    world.feed.failure.withLock { $0 = nil }
    world.clock.advance(milliseconds: 1_000)
    try await world.settle(delivery)
    #expect(world.receiver.taken.map(\.sequence) == [1])
  }

  @Test("A store that fails loses nothing")
  func storeFails() async throws {
    let world = World()
    world.feed.append("p1")
    let delivery = try world.delivery()
    world.store.state.withLock { $0.failure = StoreFailure("the disk is full") }
    await #expect(throws: StoreFailure.self) { try await delivery.round() }
    world.store.state.withLock { $0.failure = nil }
    try await world.settle(delivery)
    #expect(world.receiver.taken.map(\.sequence) == [1])
    #expect(world.store.state.withLock { $0.cursors["wh_1"] } == 1)
  }

  /// At random the receiver refuses, the daemon ends between two rounds, and time passes: in the end
  /// everything has been taken, and of each party no event for the first time before an earlier one.
  @Test(arguments: 1...20) func historiesOfFaults(seed: Int) async throws {
    let world = World()
    world.settings.maximumWaiting = 300
    let random = StateLock(SplitMix64(seed: UInt64(seed)))
    world.receiver.answer { _ in
      random.withLock { $0.next() % 3 == 0 }
        ? .refused(reason: "no", retryAfterMilliseconds: nil) : .taken
    }
    var delivery = try world.delivery()
    for _ in 0..<300 {
      let (more, isRestart) = random.withLock { ($0.next() % 6, $0.next() % 10 == 0) }
      for _ in 0..<more { world.feed.append("p\(random.withLock { $0.next() % 9 })") }
      if isRestart { delivery = try world.delivery() }
      _ = try await delivery.round()
      world.clock.advance(milliseconds: Int64(random.withLock { $0.next() % 3_000 }))
    }
    world.receiver.answer { _ in .taken }
    // At least once: what stands behind one that was taken just now has not been tried, nor recorded.
    repeat {
      world.clock.advance(milliseconds: 60_000)
      try await world.settle(delivery)
    } while world.receiver.taken.map(\.sequence).max() != world.feed.newest
      || world.store.state.withLock({ !$0.waiting.isEmpty })
    #expect(Set(world.receiver.taken.map(\.sequence)) == Set<UInt64>(1...world.feed.newest))
    var last: [String: UInt64] = [:]
    var seen: Set<UInt64> = []
    for letter in world.receiver.taken where seen.insert(letter.sequence).inserted {
      #expect(letter.sequence > last[letter.aggregateID] ?? 0)
      last[letter.aggregateID] = letter.sequence
    }
    #expect(world.count(.dead) == 0)
  }
}
