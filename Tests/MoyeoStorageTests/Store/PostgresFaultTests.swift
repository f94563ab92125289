import DurableCommands
import Foundation
import MoyeoCluster
import ObjectModel
import Testing

@Suite struct PostgresFaultTests {
  /// The link is cut anywhere in a batch, its COMMIT and the answer to it: each time the store says
  /// rightly what became of it.
  @Test func aLinkThatIsCutDuringCommitIsSettledRightly() throws {
    let server = try ScratchPostgres.shared.get()
    let address = try server.migratedSchema()
    let proxy = try CuttingProxy(to: server.port)
    defer { proxy.stop() }
    let store = try PostgresStore(connection: address.by(port: proxy.port).connection)
    let witness = try PostgresStore(connection: address.connection)
    var random = SplitMix64(seed: 17)
    var ledger = Ledger()
    // As many bytes as a batch takes once its statements are prepared, in each direction.
    for _ in 0..<3 { ledger.take(store.commit(ledger.next()), settledBy: nil) }
    let before = CuttingProxy.Direction.allCases.map(proxy.passed)
    ledger.take(store.commit(ledger.next()), settledBy: nil)
    let after = CuttingProxy.Direction.allCases.map(proxy.passed)
    let sizes = zip(before, after).map { $1 - $0 }
    var unknown = 0
    let cuts =
      ProcessInfo.processInfo.environment["MOYEO_CLUSTER_CUTS"].flatMap { Int($0) } ?? 200
    while proxy.cuts < cuts {
      // Anywhere, and as often in the last part, where COMMIT and its answer are.
      let side = random.below(2)
      let last = sizes[side] / 4
      proxy.cut(
        after: random.below(2) == 0
          ? random.below(sizes[side]) : sizes[side] - last + random.below(2 * last),
        CuttingProxy.Direction.allCases[side])
      let groups = ledger.next()
      let outcomes = store.commit(groups)
      proxy.heal()
      let isUnknown = outcomes.contains { if case .unknown = $0 { true } else { false } }
      unknown += isUnknown ? 1 : 0
      var settled: BatchSettlement?
      if store.readOnlyReason != nil { settled = try store.reopen() }
      #expect((settled?.outcomes != nil) == isUnknown)
      #expect(settled?.needsReload != true)
      ledger.take(outcomes, settledBy: settled)
      // A new connection prepares its statements first: that is no batch of the usual size.
      if settled != nil { ledger.take(store.commit(ledger.next()), settledBy: nil) }
      let wanted = ledger.versions
      let found = try witness.all().mapValues(\.version)
      #expect(found == wanted, "after \(proxy.cuts) cuts")
      guard found == wanted else { return }
    }
    #expect(try witness.events(limit: 100_000) == Array(1..<ledger.nextSequence))
    #expect(
      try address.run("SELECT count(*) FROM replies") == ["\(ledger.nextSequence - 1)"])
    // Both kinds came up, often.
    let counts = [ledger.tookEffect, ledger.didNot, unknown]
    #expect(counts[0] > 10 && counts[1] > 10 && counts[2] > 40, "\(counts)")
    print(
      "links cut: \(proxy.cuts), unknown: \(unknown), of them done: \(ledger.tookEffect), "
        + "not done: \(ledger.didNot)")
  }

  /// A server that stands still: each call ends in its time, reads are refused at once after the first,
  /// and when it goes on so does the store.
  @Test func aServerThatStandsStillIsWaitedForInBounds() throws {
    let server = try ScratchPostgres()
    let address = try server.migratedSchema()
    var options = PostgresStore.Options()
    options.answerMilliseconds = 300
    options.connectSeconds = 2
    let store = try PostgresStore(connection: address.connection, options: options)
    #expect(store.commit([group(party("p", version: 1), expecting: 0)])[0].isCommitted)
    #expect(try store.all().count == 1)
    server.command("pause")
    let clock = ContinuousClock()
    let commit = clock.measure {
      // The first round trip has no answer: COMMIT was not sent.
      guard case .notDone = store.commit([group(party("q", version: 1), expecting: 0)])[0] else {
        Issue.record("a commit was not refused")
        return
      }
    }
    #expect(commit < .seconds(2))
    #expect(store.readOnlyReason != nil)
    #expect(throws: StoreFailure.self) { try store.eventBounds(tenant: "t") }
    let refusals = clock.measure {
      for _ in 0..<1_000 { #expect(throws: StoreFailure.self) { try store.all() } }
    }
    #expect(refusals < .seconds(20))
    #expect(throws: StoreFailure.self) { try store.reopen() }
    server.command("go on")
    while (try? store.reopen()) == nil {}
    #expect(store.readOnlyReason == nil)
    #expect(store.commit([group(party("q", version: 1), expecting: 0)])[0].isCommitted)
    while (try? store.all())?.count != 2 {}
  }

  /// A server that dies as in a power cut: what was acknowledged is there when it is back.
  @Test func aServerThatDiesComesBackWithAllThatWasAcknowledged() throws {
    let server = try ScratchPostgres()
    let address = try server.migratedSchema()
    let store = try PostgresStore(connection: address.connection)
    var ledger = Ledger()
    for round in 0..<30 {
      ledger.take(store.commit(ledger.next()), settledBy: nil)
      guard round % 10 == 9 else { continue }
      server.command("kill")
      let groups = ledger.next()
      #expect(store.commit(groups).allSatisfy { !$0.isCommitted })
      ledger.take(groups.map { _ in .notDone(reason: "") }, settledBy: nil)
      #expect(throws: StoreFailure.self) { try store.reopen() }
      server.command("start")
      #expect(try store.reopen() == BatchSettlement(needsReload: false))
      #expect(try store.all().mapValues(\.version) == ledger.versions)
    }
    #expect(try store.events(limit: 10_000) == Array(1..<ledger.nextSequence))
  }
}

/// What a store was asked, and what it must have.
private struct Ledger {
  var versions: [String: UInt64] = [:]
  var nextSequence: UInt64 = 1
  var tookEffect = 0
  var didNot = 0
  private var random = SplitMix64(seed: 5)
  private var groups: [ChangeGroup] = []
  private var keys: UInt64 = 0

  /// Parties that change one by one, with all that a group may have.
  mutating func next() -> [ChangeGroup] {
    groups = (0..<(1 + random.below(3))).map { index in
      let id = "\(index)-\(random.below(4))"
      let version = versions["t/" + id] ?? 0
      keys += 1
      return group(
        party(id, version: version + 1), expecting: version, claims: [claim("u\(keys)", id)],
        events: [event(0, id)], reply: reply(keys, id))
    }
    return groups
  }

  mutating func take(_ given: [CommitOutcome], settledBy settlement: BatchSettlement?) {
    let outcomes = settlement?.outcomes ?? given
    if let settled = settlement?.outcomes {
      if settled.allSatisfy(\.isCommitted) { tookEffect += 1 } else { didNot += 1 }
    }
    for (group, outcome) in zip(groups, outcomes) {
      guard case .committed(let sequence) = outcome else { continue }
      #expect(sequence == nextSequence)
      nextSequence += 1
      versions["t/" + group.changes[0].aggregate.key.id] = group.changes[0].aggregate.version
    }
  }
}
