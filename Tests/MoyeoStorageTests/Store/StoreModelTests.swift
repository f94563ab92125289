import DurableCommands
import MoyeoStorage
import ObjectModel
import Testing
import TestSupport

/// Random batches: each store answers as memory does, through openings and prunings.
@Suite struct StoreModelTests {
  @Test(arguments: StoreKind.allCases.filter { $0 != .memory }, [1, 2, 3] as [UInt64])
  func aStoreAnswersAsMemory(_ kind: StoreKind, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let subject = try kind.make()
    var store = subject.store
    let memory = MemoryStore(isShared: store.isShared)
    var clock = noon
    var sequence: UInt64 = 0
    for round in 0..<40 {
      clock = clock.advanced(milliseconds: Int64(random.below(1_500_000)))
      var groups: [ChangeGroup] = []
      for _ in 0..<(1 + random.below(12)) {
        groups.append(makeGroup(&random, memory, clock, &sequence))
      }
      let expected = memory.commit(groups)
      #expect(store.commit(groups) == expected, "seed \(seed), round \(round)")
      switch random.below(12) {
      case 0: _ = try store.reopen()
      case 1:
        store = try StoreUnderTest(
          store: store, directory: subject.directory, address: subject.address
        ).openAgain()
      case 2: try (store as? SQLiteStore)?.checkpoint()
      case 3:
        let cut = clock.advanced(milliseconds: -Int64(random.below(9_000_000)))
        for one in [memory, store] as [any AggregateStore] {
          try one.prune(eventsBefore: cut, repliesBefore: .distantPast, endedBefore: cut)
        }
      default: break
      }
      try compare(memory, store, "seed \(seed), round \(round)")
    }
  }

  /// More than one transaction takes of each.
  @Test func pruningTakesItAllInSlices() throws {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    var sequence: UInt64 = 0
    for _ in 0..<5 {
      let groups = (0..<1_000).map { _ in
        sequence += 1
        let id = "\(sequence)"
        let ended = sequence <= 250 ? noon : nil
        return group(
          party(id, version: 1, endedAt: ended, bytes: [1]), expecting: 0,
          claims: [claim("u\(sequence)", id)], events: [event(sequence, id)], reply: reply(sequence)
        )
      }
      #expect(store.commit(groups).allSatisfy { $0.isCommitted })
    }
    let later = noon.advanced(milliseconds: 7_200_000)
    try store.prune(eventsBefore: later, repliesBefore: later, endedBefore: later)
    #expect(try store.eventBounds(tenant: "t") == (5_001, 5_000))
    #expect(try store.all().count == 4_750)
    var replies = 0
    try store.loadReplies { _ in replies += 1 }
    #expect(replies == 0)
    #expect(try store.reply(tenant: "t", key: reply(7).key) == nil)
    let free = group(party("x", version: 1), expecting: 0, claims: [claim("u250", "x")])
    let held = group(party("y", version: 1), expecting: 0, claims: [claim("u251", "y")])
    let outcomes = store.commit([free, held])
    #expect(outcomes[0].isCommitted)
    #expect(!outcomes[1].isCommitted)
  }

  private func compare(
    _ memory: MemoryStore, _ store: any AggregateStore, _ note: Comment
  ) throws {
    let stored = try store.all()
    let wanted = try memory.all()
    #expect(stored.keys.sorted() == wanted.keys.sorted(), note)
    #expect(stored.filter { $0.value != wanted[$0.key] }.isEmpty, note)
    for tenant in ["t", "s"] {
      #expect(try store.eventBounds(tenant: tenant) == memory.eventBounds(tenant: tenant), note)
      #expect(try store.events(tenant: tenant) == memory.events(tenant: tenant), note)
      for id in ["0", "3"] {
        #expect(
          try store.events(after: 5, tenant: tenant, of: id, limit: 7)
            == memory.events(after: 5, tenant: tenant, of: id, limit: 7), note)
      }
    }
    var replies: Set<StoredReply> = []
    try store.loadReplies { replies.insert($0) }
    var expected: Set<StoredReply> = []
    try memory.loadReplies { expected.insert($0) }
    let difference = replies.symmetricDifference(expected)
    #expect(difference.isEmpty, note)
  }

  private func makeGroup(
    _ random: inout SplitMix64, _ memory: MemoryStore, _ now: Instant, _ sequence: inout UInt64
  ) -> ChangeGroup {
    let tenant = random.below(4) == 0 ? "s" : "t"
    var changes: [ChangeGroup.Change] = []
    var claims: [TimeClaim] = []
    for _ in 0...random.below(2) {
      let id = "\(random.below(8))"
      guard !changes.contains(where: { $0.aggregate.key.id == id }) else { continue }
      let version = (try? memory.all())?["\(tenant)/\(id)"]?.version ?? 0
      let expected = random.below(6) == 0 ? UInt64(random.below(3)) : version
      let ended = random.below(10) == 0 ? now : nil
      var stored = party(
        id, version: expected + 1, tenant: tenant, endedAt: ended,
        bytes: Array("\(random.below(1 << 30))".utf8))
      if random.below(9) == 0 { stored.summary.destination = nil }
      changes.append(.init(expectedVersion: expected, aggregate: stored))
      for _ in 0..<random.below(4) {
        let from = Int64(random.below(40)) * 100
        claims.append(
          claim(
            "u\(random.below(6))", id, from: from, through: from + Int64(random.below(400)),
            tenant: tenant))
      }
    }
    var events: [StoredEvent] = []
    for change in changes where random.below(5) > 0 {
      sequence += 1
      events.append(event(sequence, change.aggregate.key.id, tenant: tenant, at: now))
    }
    if random.below(30) == 0 {
      // Of an aggregate that the group does not change, and that may not be there.
      events.append(event(sequence, "\(random.below(12))", tenant: tenant, at: now))
    }
    var group = ChangeGroup(
      changes: changes, claims: claims, claimsMustNotOverlap: random.below(4) > 0, events: events,
      reply: random.below(3) == 0
        ? nil
        : reply(
          // The hash covers the tenant.
          UInt64(random.below(200)) + (tenant == "s" ? 1_000 : 0), changes[0].aggregate.key.id,
          tenant: tenant, at: now))
    if random.below(5) == 0 {
      let id = "\(random.below(8))"
      let version = (try? memory.all())?["\(tenant)/\(id)"]?.version ?? 0
      group.expectations = [
        StateExpectation(
          key: partyKey(id, tenant: tenant), version: version &+ UInt64(random.below(2)))
      ]
    }
    return group
  }
}
