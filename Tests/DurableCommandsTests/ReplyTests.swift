import ObjectModel
import Testing

@testable import DurableCommands

/// The first effect of an idempotency key is its only one, for as long as its reply is kept.
struct ReplyTests {
  typealias Fixture = DinnerFixture

  @Test(arguments: [true, false])
  func repliesOutliveARestartAndMemory(isTruncated: Bool) async throws {
    let first = try Fixture()
    try await first.announce(key: "c")
    try await first.join("bob", key: "j")
    for i in 0..<5 { try await first.announce("other\(i)", key: "other\(i)") }
    first.commands.stop()
    let second = try Fixture(store: first.store, clock: first.clock) {
      if isTruncated { $0.repliesInMemory = 2 }
    }
    defer { second.commands.stop() }
    #expect(try await second.announce(key: "c").get().guests == ["ann", "bob"])
    #expect(
      try await second.announce(key: "c", content: "x") == Fixture.refused(.idempotencyMismatch))
    #expect(second.dinners.count == 6)
    // A day later the key is free again: the command is decided anew.
    first.clock.advance(milliseconds: 86_400_001)
    #expect(try await second.announce(key: "c", content: "x") == .failure(.exists))
  }

  @Test func refusalsAreDecidedAnew() async throws {
    let it = try Fixture()
    defer { it.commands.stop() }
    #expect(try await it.join("bob", key: "j") == .failure(.unknown))
    try await it.announce()
    #expect(try await it.join("bob", key: "j").get().guests == ["ann", "bob"])
    // Now that it took effect, it is answered and not carried out again.
    #expect(try await it.join("bob", key: "j").get().guests == ["ann", "bob"])
  }

  @Test func aKeyIsOfItsCallerMethodAndPath() throws {
    let it = try Fixture(starts: false)
    func key(_ change: (inout CommandContext) -> Void) throws -> IdempotencyHash? {
      var context = CommandContext(caller: "app", path: "/dinners", idempotencyKey: "k")
      change(&context)
      return try it.commands.claim(context)?.key
    }
    let keys = [
      try key { _ in }, try key { $0.caller = "another" }, try key { $0.method = "PUT" },
      try key { $0.path = "/suppers" }, try key { $0.idempotencyKey = "l" },
    ]
    #expect(Set(keys.compactMap { $0 }).count == keys.count)
    #expect(try key { _ in } == keys[0])
    #expect(try key { $0.idempotencyKey = nil } == nil)
    for length in [0, 129] {
      let long = String(repeating: "k", count: length)
      #expect(throws: BadIdempotencyKey()) { try key { $0.idempotencyKey = long } }
    }
    it.commands.stop()
  }

  @Test func aTableKeepsTheNewestRepliesAndSaysThatItDroppedOthers() {
    var table = ReplyTable(limit: 3)
    func reply(_ i: UInt64) -> StoredReply {
      StoredReply(
        tenant: "t", key: IdempotencyHash(high: i, low: 0), requestHash: 0, aggregateID: "d",
        version: i, at: Instant(milliseconds: Int64(i)))
    }
    for i in 1...3 as ClosedRange<UInt64> { table.insert(reply(i)) }
    #expect(!table.isTruncated)
    for i in 4...5000 as ClosedRange<UInt64> { table.insert(reply(i)) }
    #expect(table.isTruncated)
    #expect(table.count == 3)
    #expect(table[reply(4997).key] == nil)
    #expect(table[reply(4998).key] == reply(4998))
    table.removeAll(before: Instant(milliseconds: 5000))
    #expect(table.count == 1)
    #expect(table[reply(5000).key] == reply(5000))
  }
}
