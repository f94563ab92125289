import GeoMath
import DurableCommands
import MoyeoStorage
import ObjectModel
import Testing
import Parties

/// The port's promises, of every store.
@Suite struct StoreConformanceTests {
  @Test(arguments: StoreKind.allCases)
  func whatIsCommittedComesBack(_ kind: StoreKind) throws {
    let subject = try kind.make()
    let store = subject.store
    let first = party("p", version: 1, bytes: [])
    let second = party("q", version: .max, tenant: "", destination: nil)
    #expect(store.commit([]) == [])
    #expect(
      store.commit([
        group(
          first, expecting: 0, claims: [claim("u", "p")], events: [event(1, "p")],
          reply: reply(7)), group(second, expecting: 0),
      ]) == [.committed(firstSequence: 1), .committed(firstSequence: 0)])
    #expect(try store.all() == ["t/p": first, "/q": second])
    #expect(
      try store.events(tenant: "t", after: 0, kinds: [], aggregateID: nil, limit: 9)
        == [event(1, "p")])
    #expect(try store.reply(tenant: "t", key: reply(7).key) == reply(7))
    #expect(try store.reply(tenant: "other", key: reply(7).key) == nil)
    #expect(try store.reply(tenant: "t", key: reply(8).key) == nil)
    var replies: [StoredReply] = []
    try store.loadReplies { replies.append($0) }
    #expect(replies == [reply(7)])
    #expect(store.readOnlyReason == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func aConflictDoesNotSpoilItsNeighbours(_ kind: StoreKind) throws {
    let subject = try kind.make()
    let store = subject.store
    let start = party("p", version: 1)
    _ = store.commit([group(start, expecting: 0)])
    let next = party("p", version: 2, seatsFree: 2)
    let outcomes = store.commit([
      group(next, expecting: 1, events: [event(1, "p")], reply: reply(1)),
      group(party("p", version: 2), expecting: 1, events: [event(2, "p")], reply: reply(2)),
      group(party("p", version: 9), expecting: 0),
      group(party("new", version: 1), expecting: 4),
      group(party("q", version: 1), expecting: 0, events: [event(3, "q")], reply: reply(3)),
    ])
    #expect(
      outcomes == [
        .committed(firstSequence: 1), .conflict(newest: [next]), .conflict(newest: [next]),
        .conflict(newest: []), .committed(firstSequence: 2),
      ])
    #expect(try store.all() == ["t/p": next, "t/q": party("q", version: 1)])
    // Dense: what conflicted took no number.
    #expect(try store.events() == [1, 2])
    #expect(try store.reply(tenant: "t", key: reply(2).key) == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func aGroupOfSeveralIsAllOrNothing(_ kind: StoreKind) throws {
    let subject = try kind.make()
    let store = subject.store
    _ = store.commit([group(party("p", version: 3), expecting: 0)])
    let changes = [
      ChangeGroup.Change(expectedVersion: 0, aggregate: party("a", version: 1)),
      ChangeGroup.Change(expectedVersion: 2, aggregate: party("p", version: 4)),
    ]
    let both = ChangeGroup(changes: changes, claims: [claim("u", "a"), claim("v", "p")])
    #expect(store.commit([both]) == [.conflict(newest: [party("p", version: 3)])])
    #expect(try store.all() == ["t/p": party("p", version: 3)])
    // No claim stayed behind.
    #expect(
      store.commit([
        group(party("b", version: 1), expecting: 0, claims: [claim("u", "b"), claim("v", "b")])
      ]) == [.committed(firstSequence: 0)])
    var twice = both
    twice.changes[1] = twice.changes[0]
    guard case .notDone = store.commit([twice])[0] else {
      Issue.record("two changes of one aggregate were taken")
      return
    }
    let stray = group(party("c", version: 1), expecting: 0, claims: [claim("w", "other")])
    guard case .notDone = store.commit([stray])[0] else {
      Issue.record("a claim of another aggregate was taken")
      return
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aKeyTakesEffectOnce(_ kind: StoreKind) throws {
    let subject = try kind.make()
    let store = subject.store
    let first = group(party("p", version: 1), expecting: 0, reply: reply(1))
    let again = group(party("q", version: 1), expecting: 0, reply: reply(1, "q"))
    // In one batch and over two.
    #expect(store.commit([first, again]) == [.committed(firstSequence: 0), .duplicate(reply(1))])
    #expect(store.commit([again]) == [.duplicate(reply(1))])
    #expect(store.commit([first]) == [.duplicate(reply(1))])
    #expect(try store.all().count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func claimsOfOneUserDoNotOverlap(_ kind: StoreKind) throws {
    let subject = try kind.make()
    let store = subject.store
    let a1 = party("a", version: 1)
    func b(_ claims: [TimeClaim], mayOverlap: Bool = false) -> CommitOutcome {
      store.commit([
        group(party("b", version: 1), expecting: 0, claims: claims, mayOverlap: mayOverlap)
      ])[0]
    }
    _ = store.commit([group(a1, expecting: 0, claims: [claim("u", "a"), claim("v", "a")])])
    // Both ends are included.
    #expect(b([claim("u", "b", from: 1_000, through: 2_000)]) == .conflict(newest: [a1]))
    #expect(b([claim("u", "b", from: -500, through: 0)]) == .conflict(newest: [a1]))
    #expect(b([claim("u", "b", from: 200, through: 300)]) == .conflict(newest: [a1]))
    #expect(b([claim("u", "b", from: -9, through: 9_000)]) == .conflict(newest: [a1]))
    // Another user, another time.
    #expect(
      b([claim("w", "b"), claim("u", "b", from: 1_001, through: 2_000)])
        == .committed(firstSequence: 0))
    // What an aggregate does not name any more is free.
    #expect(
      store.commit([group(party("a", version: 2), expecting: 1, claims: [claim("v", "a")])])
        == [.committed(firstSequence: 0)])
    let c = party("c", version: 1)
    #expect(
      store.commit([
        group(c, expecting: 0, claims: [claim("u", "c")]),
        group(party("d", version: 1), expecting: 0, claims: [claim("u", "d")]),
        group(party("d", version: 1), expecting: 0, claims: [claim("u", "d")], mayOverlap: true),
      ]) == [.committed(firstSequence: 0), .conflict(newest: [c]), .committed(firstSequence: 0)])
    // An overlap that was allowed does not hinder others of the same party.
    #expect(
      store.commit([
        group(party("d", version: 2), expecting: 1, claims: [claim("u", "d"), claim("x", "d")])
      ]) == [.committed(firstSequence: 0)])
    // Another tenant's user of that name is someone else.
    #expect(
      store.commit([
        group(
          party("z", version: 1, tenant: "s"), expecting: 0,
          claims: [claim("u", "z", tenant: "s")])
      ]) == [.committed(firstSequence: 0)])
  }

  @Test(arguments: StoreKind.allCases)
  func aPersonMovesBetweenTwoPartiesInOneGroup(_ kind: StoreKind) throws {
    let subject = try kind.make()
    let store = subject.store
    _ = store.commit([
      group(party("a", version: 1), expecting: 0, claims: [claim("u", "a")]),
      group(party("b", version: 1), expecting: 0),
    ])
    let changes = [
      ChangeGroup.Change(expectedVersion: 1, aggregate: party("a", version: 2)),
      ChangeGroup.Change(expectedVersion: 1, aggregate: party("b", version: 2)),
    ]
    let both = ChangeGroup(changes: changes, claims: [claim("u", "a"), claim("u", "b")])
    guard case .conflict = store.commit([both])[0] else {
      Issue.record("one person in two parties of a group")
      return
    }
    #expect(
      store.commit([ChangeGroup(changes: changes, claims: [claim("u", "b")])]) == [
        .committed(firstSequence: 0)
      ])
    let back = group(party("c", version: 1), expecting: 0, claims: [claim("u", "c")])
    #expect(store.commit([back]) == [.conflict(newest: [party("b", version: 2)])])
  }

  @Test(arguments: StoreKind.allCases)
  func eventsAreReadInOrderByKindAndParty(_ kind: StoreKind) throws {
    let subject = try kind.make()
    let store = subject.store
    var sequence: UInt64 = 0
    for round in 0..<5 {
      var groups: [ChangeGroup] = []
      for id in ["a", "b", "c"] {
        sequence += 1
        groups.append(
          group(
            party(id, version: UInt64(round + 1)), expecting: UInt64(round),
            events: [event(sequence, id, kind: id == "b" ? "party.left" : "party.joined")]))
      }
      let first = UInt64(3 * round + 1)
      #expect(store.commit(groups) == (first..<(first + 3)).map { .committed(firstSequence: $0) })
    }
    #expect(try store.events() == Array(1...15))
    #expect(try store.events(after: 12) == [13, 14, 15])
    #expect(try store.events(after: .max) == [])
    #expect(try store.events(limit: 4) == [1, 2, 3, 4])
    #expect(try store.events(limit: 0) == [])
    #expect(try store.events(of: "b") == [2, 5, 8, 11, 14])
    #expect(try store.events(after: 5, of: "b", limit: 2) == [8, 11])
    #expect(try store.events(kinds: ["party.left"]) == [2, 5, 8, 11, 14])
    #expect(try store.events(kinds: ["party.left"], of: "a") == [])
    #expect(try store.events(of: "nobody") == [])
    #expect(try store.events(tenant: "other") == [])
    // Of a party that its group does not change, and of several in one group.
    let more = ChangeGroup(
      changes: [.init(expectedVersion: 5, aggregate: party("a", version: 6))],
      events: [event(16, "a"), event(17, "b"), event(18, "a"), event(19, "ghost")])
    #expect(store.commit([more]) == [.committed(firstSequence: 16)])
    #expect(try store.events(after: 10, of: "a") == [13, 16, 18])
    #expect(try store.events(after: 10, of: "b") == [11, 14, 17])
    #expect(try store.events(of: "ghost") == [19])
    #expect(try store.eventBounds(tenant: "t") == (1, 19))
    #expect(try store.eventBounds(tenant: "other") == (1, 0))
    // The number that an event comes with is not looked at; another tenant's begin at 1.
    let late = group(party("d", version: 1), expecting: 0, events: [event(3, "d")])
    let foreign = group(
      party("d", version: 1, tenant: "s"), expecting: 0, events: [event(3, "d", tenant: "s")])
    #expect(
      store.commit([late, foreign])
        == [.committed(firstSequence: 20), .committed(firstSequence: 1)])
    let mixed = ChangeGroup(changes: [], events: [event(0, "d"), event(0, "d", tenant: "s")])
    guard case .notDone = store.commit([mixed])[0] else {
      Issue.record("events of two tenants in one group were taken")
      return
    }
  }

  @Test(arguments: StoreKind.allCases)
  func pruningKeepsWhatIsYoungAndTheCount(_ kind: StoreKind) throws {
    let subject = try kind.make()
    let store = subject.store
    let hour: Int64 = 3_600_000
    for index in 0..<6 {
      let at = noon.advanced(milliseconds: Int64(index) * 2 * hour)
      let done = party("p\(index)", version: 1, state: "ended", endedAt: index < 5 ? at : nil)
      #expect(
        store.commit([
          group(
            done, expecting: 0, claims: [claim("u\(index)", "p\(index)")],
            events: [event(UInt64(index + 1), "p\(index)", at: at)],
            reply: reply(UInt64(index), "p\(index)", at: at))
        ]) == [.committed(firstSequence: UInt64(index + 1))])
    }
    let cut = noon.advanced(milliseconds: 5 * hour)
    try store.prune(eventsBefore: cut, repliesBefore: cut, endedBefore: cut)
    #expect(try store.events() == [4, 5, 6])
    #expect(try store.eventBounds(tenant: "t") == (4, 6))
    #expect(try store.all().keys.sorted() == ["t/p3", "t/p4", "t/p5"])
    #expect(try store.reply(tenant: "t", key: reply(0).key) == nil)
    #expect(try store.reply(tenant: "t", key: reply(5).key)?.aggregateID == "p5")
    // The time of a party that went is free; of one that stayed it is not.
    let free = group(party("x", version: 1), expecting: 0, claims: [claim("u0", "x")])
    #expect(store.commit([free]) == [.committed(firstSequence: 0)])
    let held = group(party("y", version: 1), expecting: 0, claims: [claim("u4", "y")])
    guard case .conflict = store.commit([held])[0] else {
      Issue.record("pruning lost a claim")
      return
    }
    // All of them gone: numbers go on where they were.
    let end = Instant.distantFuture
    try store.prune(eventsBefore: end, repliesBefore: end, endedBefore: end)
    #expect(try store.events() == [])
    #expect(try store.eventBounds(tenant: "t") == (7, 6))
    #expect(try store.all().keys.sorted() == ["t/p5", "t/x"])
    // A key that was dropped may take effect again.
    let again = group(
      party("z", version: 1), expecting: 0, events: [event(7, "z")], reply: reply(0, "z"))
    #expect(store.commit([again]) == [.committed(firstSequence: 7)])
    #expect(try store.reply(tenant: "t", key: reply(0).key)?.aggregateID == "z")
  }

  /// A refusal changes nothing, and is right only while nobody else changed what it rests on.
  @Test(arguments: StoreKind.allCases)
  func aRefusalIsVerified(_ kind: StoreKind) throws {
    let subject = try kind.make()
    let store = subject.store
    let full = party("p", version: 2, seatsFree: 0)
    func refusal(_ version: UInt64, of id: String = "p", key: UInt64? = nil) -> ChangeGroup {
      var group = ChangeGroup(changes: [])
      group.expectations = [StateExpectation(key: partyKey(id), version: version)]
      group.earlierKey = key.map {
        IdempotencyClaim(tenant: "t", key: reply($0).key, requestHash: 0)
      }
      return group
    }
    #expect(
      store.commit([refusal(0), group(full, expecting: 0, reply: reply(1)), refusal(2)])
        == [
          .committed(firstSequence: 0), .committed(firstSequence: 0), .committed(firstSequence: 0),
        ])
    // Somebody left, or came first: the newest state is told.
    #expect(
      store.commit([refusal(1), refusal(0), refusal(0, of: "none"), refusal(7, of: "none")])
        == [
          .conflict(newest: [full]), .conflict(newest: [full]), .committed(firstSequence: 0),
          .conflict(newest: []),
        ])
    // The command took effect elsewhere: its reply counts, not the refusal that this led to.
    #expect(
      store.commit([refusal(2, key: 1), refusal(2, key: 2), refusal(9, key: 1)])
        == [.duplicate(reply(1)), .committed(firstSequence: 0), .duplicate(reply(1))])
    // With a change, an expectation holds the change back.
    var resting = group(party("q", version: 1), expecting: 0)
    resting.expectations = [StateExpectation(key: partyKey("p"), version: 1)]
    #expect(store.commit([resting]) == [.conflict(newest: [full])])
    #expect(try store.all() == ["t/p": full])
    #expect(try store.reply(tenant: "t", key: reply(2).key) == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func anErrorOfTheReaderEndsTheReading(_ kind: StoreKind) throws {
    struct Enough: Error {}
    let subject = try kind.make()
    _ = subject.store.commit([group(party("p", version: 1), expecting: 0)])
    #expect(throws: StoreFailure.self) {
      try subject.store.loadAggregates(kind: .party) { _ in throw Enough() }
    }
    _ = try subject.store.reopen()
    #expect(try subject.store.all().count == 1)
  }
}
