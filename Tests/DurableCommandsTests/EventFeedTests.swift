import DurableCommands
import ObjectModel
import Testing
import TestSupport

/// The tenant's feed: in order, the same from memory and from the store.
struct EventFeedTests {
  private static let tenant = "default"

  private static func event(_ sequence: UInt64) -> StoredEvent {
    StoredEvent(
      tenant: tenant, sequence: sequence, kind: ["odd", "even", "third"][Int(sequence % 3)],
      at: Instant(milliseconds: Int64(sequence)), aggregateID: "a\(sequence % 10)", userIDs: [],
      version: 1, body: [])
  }

  /// Commits events and publishes them, as the commit thread does.
  private static func append(
    _ sequences: ClosedRange<UInt64>, to feed: EventFeed, _ store: MemoryStore
  ) {
    let events = sequences.map(event)
    #expect(store.commit([ChangeGroup(changes: [], events: events)]).allSatisfy { $0.isCommitted })
    feed.append(events)
  }

  @Test func memoryAndStoreAnswerTheSame() async throws {
    let store = MemoryStore()
    let feed = try EventFeed(tenant: Self.tenant, store: store, limit: 5)
    for i in 0..<10 as Range<UInt64> { Self.append(3 * i + 1...3 * i + 3, to: feed, store) }
    let all = (1...30).map(Self.event)
    for after in 0...30 as ClosedRange<UInt64> {
      for limit in [1, 4, 100] {
        for kinds in [[], ["odd"], ["even", "third"]] as [Set<String>] {
          for aggregate in [nil, "a3", "a9"] {
            let page = try await feed.events(
              after: after, kinds: kinds, aggregateID: aggregate, limit: limit)
            let wanted = all.filter {
              $0.sequence > after && (kinds.isEmpty || kinds.contains($0.kind))
                && (aggregate == nil || $0.aggregateID == aggregate)
            }.prefix(limit)
            #expect(page.events == Array(wanted))
            #expect(page.next >= after)
            #expect(page.next == (wanted.count == limit ? wanted.last?.sequence : 30))
          }
        }
      }
    }
    await #expect(throws: EventFeedError.resumeTokenAhead(newest: 30)) {
      try await feed.events(after: 31, kinds: [], aggregateID: nil, limit: 1)
    }
  }

  @Test func eventsThatWerePrunedAreSaidToHaveExpired() async throws {
    let store = MemoryStore()
    let feed = try EventFeed(tenant: Self.tenant, store: store, limit: 5)
    Self.append(1...10, to: feed, store)
    try store.prune(
      eventsBefore: Instant(milliseconds: 5), repliesBefore: .distantPast,
      endedBefore: .distantPast)
    try feed.refresh()
    await #expect(throws: EventFeedError.resumeTokenExpired(oldest: 5, newest: 10)) {
      try await feed.events(after: 3, kinds: [], aggregateID: nil, limit: 1)
    }
    let page = try await feed.events(after: 4, kinds: [], aggregateID: nil, limit: 100)
    #expect(page.events.map(\.sequence) == Array(5...10))
  }

  @Test func waitersAreWokenByWhatTheyWaitFor() async throws {
    let store = MemoryStore()
    let feed = try EventFeed(tenant: Self.tenant, store: store, limit: 5)
    Self.append(1...1, to: feed, store)
    async let anyEvent = feed.wait(past: 1, aggregateID: nil, atMost: .seconds(20))
    async let own = feed.wait(past: 1, aggregateID: "a1", atMost: .seconds(20))
    // The second event is of "a2": it wakes the first waiter only.
    Self.append(2...2, to: feed, store)
    #expect(await anyEvent)
    #expect(await !feed.wait(past: 1, aggregateID: "a1", atMost: .milliseconds(1)))
    Self.append(3...11, to: feed, store)
    #expect(await own)
    #expect(await feed.wait(past: 0, aggregateID: nil, atMost: .zero))
    #expect(await !feed.wait(past: 99, aggregateID: "a1", atMost: .milliseconds(1)))
  }
}
