import CSpatiaLite
import Foundation
import GRDB
import DurableCommands
import ObjectModel
import TestSupport
import Threading
import Synchronization
import Testing

@testable import MoyeoStorage

/// A disk that is full, cannot sync, or loses power: nothing is acknowledged that is not there
/// afterwards, and nothing is half done.
@Suite struct StoreFailureTests {
  // MARK: Power

  @Test(arguments: [1, 2, 3] as [UInt64], [0, 64, 128, 256])
  func aPowerCutTakesNothingAcknowledged(seed: UInt64, survivors: Int) throws {
    let disk = try FaultyDisk()
    let store = try disk.open()
    var load = Load(seed: seed)
    for round in 0..<24 {
      load.run(store)
      if load.random.below(5) == 0 { try store.checkpoint() }
      guard load.random.below(3) == 0 else { continue }
      let left = try disk.cutPower(seed: load.random.next(), survivors: survivors)
      try expectSame(left, load.model, "seed \(seed), round \(round), survivors \(survivors)")
    }
  }

  /// Without this, the test above might be one that cannot fail.
  @Test func theCutCatchesSynchronousOff() throws {
    let disk = try FaultyDisk()
    let store = try disk.open(.off)
    var load = Load(seed: 1)
    for _ in 0..<5 { load.run(store) }
    let left = try disk.cutPower(seed: 1, survivors: 0)
    let after = try SQLiteStore(directory: left.path)
    let found = try after.all()
    let lost = try load.model.all().count { $0.value != found[$0.key] }
    #expect(lost > 0)
  }

  /// The power goes while a batch is being synced: all of it is there, or nothing.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func aBatchCutInTheMiddleIsWholeOrAbsent(seed: UInt64) throws {
    let disk = try FaultyDisk()
    let store = try disk.open()
    var load = Load(seed: seed)
    for _ in 0..<6 { load.run(store) }
    let before = load.model
    var after = load
    disk.failSyncs(count: 1)
    let groups = load.next()
    #expect(store.commit(groups).allSatisfy { $0.isUnknown })
    _ = after.apply(groups)
    for survivors in [0, 40, 128, 220, 256] {
      let left = try disk.cutPower(seed: seed &* 31, survivors: survivors)
      let found = try snapshot(left)
      let isWhole = try found == snapshot(before) || found == snapshot(after.model)
      #expect(
        isWhole,
        "seed \(seed), survivors \(survivors)")
    }
  }

  // MARK: Syncing

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func afterAFailedSyncNothingIsWrittenUntilReopened(seed: UInt64) throws {
    let disk = try FaultyDisk()
    let store = try disk.open()
    var load = Load(seed: seed)
    for _ in 0..<4 { load.run(store) }
    disk.failSyncs(count: 1)
    let groups = load.next()
    let before = try snapshot(load.model)
    #expect(store.commit(groups).allSatisfy { $0.isUnknown })
    #expect(store.readOnlyReason?.contains("could not be confirmed") == true)
    let syncs = disk.syncCount
    #expect(store.commit(groups).allSatisfy { $0.isNotDone })
    #expect(throws: StoreFailure.self) {
      try store.prune(
        eventsBefore: .distantFuture, repliesBefore: .distantFuture, endedBefore: .distantFuture)
    }
    #expect(disk.syncCount == syncs)

    // While syncing fails, so does reopening; reading goes on or fails, but says nothing false.
    disk.failSyncs(count: 100)
    #expect(throws: StoreFailure.self) { _ = try store.reopen() }
    #expect(store.readOnlyReason != nil)
    disk.failSyncs(count: 0)
    _ = try store.reopen()
    #expect(store.readOnlyReason == nil)

    // What was unknown is decided, for good: the same after a power cut, and repeating is safe.
    var decided = load
    _ = decided.apply(groups)
    let found = try snapshot(store)
    let isWhole = try found == before || found == snapshot(decided.model)
    #expect(isWhole)
    let left = try disk.cutPower(seed: seed, survivors: 0)
    #expect(try snapshot(left) == found)
    let again = store.commit(groups)
    _ = load.apply(groups)
    #expect(again.allSatisfy { $0.isCommitted || $0.isDuplicate })
    #expect(try snapshot(store) == snapshot(load.model))
    for _ in 0..<4 { load.run(store) }
    try expectSame(
      try disk.cutPower(seed: seed, survivors: 0), load.model, "seed \(seed), after reopening")
  }

  @Test func aCheckpointThatCannotSyncLosesNothing() throws {
    for skipped in 0..<3 {
      let disk = try FaultyDisk()
      let store = try disk.open()
      var load = Load(seed: 7)
      for _ in 0..<5 { load.run(store) }
      disk.failSyncs(after: skipped, count: 1)
      try? store.checkpoint()
      disk.failSyncs(count: 0)
      for _ in 0..<5 { load.run(store) }
      for survivors in [0, 128] {
        try expectSame(
          try disk.cutPower(seed: 3, survivors: survivors), load.model, "skipped \(skipped)")
      }
    }
  }

  /// What a store that checkpoints by itself does at each tick. A failed sync of the file is told
  /// once; later ones succeed without the pages, which the log must still have.
  @Test(arguments: 0..<4, [false, true])
  func aCopyThatCannotSyncStopsWriting(skipped: Int, seeksTheEnd: Bool) throws {
    let disk = try FaultyDisk()
    let store = try disk.open()
    var load = Load(seed: 11)
    var limits = LogCopier.Limits()
    limits.passiveFrames = 8
    limits.lastFrames = 4
    limits.resetFrames = seeksTheEnd ? 16 : .max
    var copier: LogCopier? = try store.makeCopier(limits)
    for _ in 0..<6 {
      load.run(store)
      copier?.tick()
    }
    for _ in 0..<4 { load.run(store) }
    #expect(store.readOnlyReason == nil)
    disk.failSyncs(after: skipped, count: 1)
    copier?.tick()
    disk.failSyncs(count: 0)
    let isBroken = copier?.isBroken == true
    // The log's sync, then the file's.
    #expect(isBroken || skipped > 1)
    #expect((store.readOnlyReason != nil) == isBroken)
    if isBroken {
      // It does not try again.
      let syncs = disk.syncCount
      copier?.tick()
      #expect(disk.syncCount == syncs)
      copier = nil
      try expectSame(try disk.cutPower(seed: 5, survivors: 0), load.model, "while read-only")
      _ = try store.reopen()
      copier = try store.makeCopier(limits)
    }
    for _ in 0..<12 {
      load.run(store)
      copier?.tick()
    }
    for survivors in [0, 128] {
      try expectSame(try disk.cutPower(seed: 3, survivors: survivors), load.model, "afterwards")
    }
  }

  /// A file that is damaged stays as it was found, whatever its log holds.
  @Test(arguments: [false, true]) func nothingIsCopiedIntoADamagedFile(isDamaged: Bool) throws {
    let disk = try FaultyDisk()
    let store = try disk.open()
    var load = Load(seed: 13)
    for _ in 0..<4 { load.run(store) }
    var limits = LogCopier.Limits()
    limits.idleTicks = 2
    let copier = try store.makeCopier(limits)
    let syncs = disk.syncCount
    if isDamaged { store.noteDamage("a page cannot be read") }
    for _ in 0..<5 { copier.tick() }
    #expect((disk.syncCount > syncs) == !isDamaged)
  }

  /// When all is copied, the copier rests until a commit wakes it.
  @Test func theCopierRestsUntilTheNextCommit() throws {
    let disk = try FaultyDisk()
    let store = try disk.open()
    var load = Load(seed: 14)
    load.run(store)
    var limits = LogCopier.Limits()
    limits.idleTicks = 2
    let copier = try store.makeCopier(limits)
    let syncs = disk.syncCount
    var commits: Int?
    for _ in 0..<4 where commits == nil {
      copier.tick()
      commits = copier.commitsAllCopied
    }
    let seen = try #require(commits)
    #expect(disk.syncCount > syncs)

    let log = copier.log
    let woken = MonotonicSemaphore(value: 0)
    // It holds neither the store nor its disk, which end with this test.
    WorkerThread.start(name: "rests") {
      log.waitForCommit(beyond: seen, milliseconds: 60_000)
      woken.signal()
    }
    load.run(store)
    #expect(woken.wait(milliseconds: 50_000))
    #expect(log.commits.load(ordering: .relaxed) > seen)
    copier.tick()
    #expect(copier.commitsAllCopied == nil)
    // A commit that nobody saw ends the next rest at once.
    let began = ContinuousClock.now
    log.waitForCommit(beyond: seen, milliseconds: 60_000)
    #expect(ContinuousClock.now - began < .seconds(50))
  }

  /// Commits as fast as the copies are made: the log ends all the same.
  @Test func theLogIsBegunAnewUnderLoad() throws {
    let disk = try FaultyDisk()
    let store = try disk.open()
    var load = Load(seed: 12)
    var limits = LogCopier.Limits()
    limits.passiveFrames = 8
    limits.lastFrames = 0
    limits.resetFrames = 64
    let copier = try store.makeCopier(limits)
    var longest = 0
    for _ in 0..<200 {
      load.run(store)
      copier.tick()
      longest = max(longest, try store.current().log.frames.load(ordering: .relaxed))
    }
    #expect(longest < 128)
    try expectSame(try disk.cutPower(seed: 4, survivors: 0), load.model, "under load")
  }

  // MARK: Room

  @Test(arguments: [0, 100, 3_000, 4_120, 20_000])
  func aFullDiskRefusesAndChangesNothing(room: Int) throws {
    let disk = try FaultyDisk()
    let store = try disk.open()
    var load = Load(seed: 5)
    for _ in 0..<3 { load.run(store) }
    disk.setRoom(room)
    var refused = 0
    while refused < 3 {
      let groups = load.next(large: true)
      let outcomes = store.commit(groups)
      if outcomes.allSatisfy({ $0.isNotDone }) {
        refused += 1
        load.forget(groups)
      } else {
        let expected = load.apply(groups)
        #expect(outcomes == expected)
      }
      #expect((store.readOnlyReason == nil) == (refused < 3))
    }
    #expect(store.readOnlyReason == "the disk is full")
    #expect(try snapshot(store) == snapshot(load.model))
    for survivors in [0, 256] {
      try expectSame(
        try disk.cutPower(seed: 1, survivors: survivors), load.model, "survivors \(survivors)")
    }
    disk.setRoom(nil)
    _ = try store.reopen()
    load.run(store)
    #expect(try snapshot(store) == snapshot(load.model))
  }
}

/// A small disk, damage, and what is told of both.
@Suite struct StoreTroubleTests {
  /// What a store told, in order.
  private final class Told: Sendable {
    private let all = StateLock<[(StoreTrouble, String?)]>([])
    func note(_ trouble: StoreTrouble, _ reason: String?) {
      all.withLock { $0.append((trouble, reason)) }
    }
    func reasons(_ trouble: StoreTrouble) -> [String?] {
      all.withLock { $0.filter { $0.0 == trouble }.map(\.1) }
    }
  }

  /// The log takes the last byte of the disk; the room reserved beside it lets it be copied.
  @Test func aDiskFullOfTheLogIsNotWedged() throws {
    let disk = try FaultyDisk()
    let told = Told()
    let store = try disk.open(
      reserveBytes: 4 << 20, onTrouble: { told.note($0, $1) })
    let reserve = disk.directory.path + "/" + StoreReserve.fileName
    #expect(FileManager.default.fileExists(atPath: reserve))
    var load = Load(seed: 9)
    load.run(store)
    disk.setRoom(600_000)
    disk.setRoomBehind(reserve, bytes: 4 << 20)
    // Without a checkpoint the log of these would take several times the room.
    for _ in 0..<120 { load.run(store) }
    #expect(store.readOnlyReason == nil)
    #expect(told.reasons(.readOnly) == [])
    #expect(try snapshot(store) == snapshot(load.model))
    #expect(told.reasons(.reserve).first??.contains("disk is full") == true)
    // There was room for it again.
    #expect(told.reasons(.reserve).contains(nil))
    #expect(FileManager.default.fileExists(atPath: reserve))
    try expectSame(try disk.cutPower(seed: 2, survivors: 0), load.model, "a small disk")
  }

  @Test func readOnlyEpisodesAreToldOnceAndWhenTheyAreOver() throws {
    let disk = try FaultyDisk()
    let told = Told()
    let store = try disk.open(onTrouble: { told.note($0, $1) })
    var load = Load(seed: 4)
    load.run(store)
    disk.failSyncs(count: 1)
    _ = store.commit(load.next())
    _ = store.commit(load.next())
    #expect(told.reasons(.readOnly).count == 1)
    #expect(told.reasons(.readOnly)[0]?.contains("could not be confirmed") == true)
    disk.failSyncs(count: 0)
    _ = try store.reopen()
    #expect(told.reasons(.readOnly).count == 2)
    #expect(told.reasons(.readOnly)[1] == nil)
  }

  @Test func aCopyThatFindsNoRoomIsTold() throws {
    let disk = try FaultyDisk()
    let told = Told()
    let store = try disk.open(onTrouble: { told.note($0, $1) })
    var load = Load(seed: 13)
    for _ in 0..<6 { load.run(store) }
    var limits = LogCopier.Limits()
    limits.passiveFrames = 1
    let copier = try store.makeCopier(limits)
    disk.setRoom(0)
    for _ in 0..<3 { copier.tick() }
    #expect(told.reasons(.checkpoint).count == 1)
    #expect(told.reasons(.checkpoint)[0]?.contains("cannot be copied") == true)
    #expect(!copier.isBroken)
    disk.setRoom(nil)
    copier.tick()
    #expect(told.reasons(.checkpoint).count == 2)
    #expect(told.reasons(.checkpoint)[1] == nil)
    #expect(store.readOnlyReason == nil)
  }

  enum Access: String, CaseIterable, Sendable { case commit, read, load, prune, copy }

  /// Blocks that the disk lost: whoever meets them first, nothing is written on top of them.
  @Test(arguments: Access.allCases)
  func damageMakesTheRecordReadOnly(access: Access) throws {
    let disk = try FaultyDisk()
    let told = Told()
    var store = try disk.open(onTrouble: { told.note($0, $1) })
    var load = Load(seed: 21)
    for _ in 0..<40 { load.run(store) }
    store.close()
    // Nothing of the file is in memory now.
    store = try disk.open(onTrouble: { told.note($0, $1) })
    disk.blank(SQLiteStore.fileName)
    switch access {
    case .commit: _ = store.commit(load.next())
    case .read: _ = try? store.events(after: 0)
    case .load: _ = try? store.all()
    case .prune:
      try? store.prune(
        eventsBefore: .distantFuture, repliesBefore: .distantFuture, endedBefore: .distantFuture)
    case .copy:
      // A copy reads pages only to write whole ones over them: it meets no damage.
      let copier = try store.makeCopier(LogCopier.Limits())
      copier.tick()
      _ = try? store.all()
    }
    #expect(store.readOnlyReason?.contains("damaged") == true, "\(access)")
    #expect(told.reasons(.readOnly).count == 1)
    #expect(store.commit(load.next()).allSatisfy { $0.isNotDone })
    #expect(throws: StoreFailure.self) { _ = try store.reopen() }
    #expect(store.readOnlyReason != nil)
    // The blocks are back: a cable, not the disk.
    disk.blank(nil)
    _ = try store.reopen()
    #expect(store.readOnlyReason == nil)
    #expect(told.reasons(.readOnly).last == .some(nil))
  }
}

// MARK: A load, and what it must leave

extension CommitOutcome {
  var isUnknown: Bool { if case .unknown = self { true } else { false } }
  var isNotDone: Bool { if case .notDone = self { true } else { false } }
  var isDuplicate: Bool { if case .duplicate = self { true } else { false } }
}

/// Batches that all succeed, and the same applied to a model.
private struct Load {
  var random: SplitMix64
  var versions: [String: UInt64] = [:]
  var riders = 0
  var sequence: UInt64 = 0
  var replies: UInt64 = 0
  private(set) var committed: [ChangeGroup] = []

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// A store in memory with all that was acknowledged.
  var model: MemoryStore {
    let store = MemoryStore()
    for group in committed { _ = store.commit([group]) }
    return store
  }

  mutating func next(large: Bool = false) -> [ChangeGroup] {
    var groups: [ChangeGroup] = []
    for _ in 0..<(large ? 6 : 1 + random.below(6)) {
      let id = "\(random.below(12))"
      let version = versions[id, default: 0]
      versions[id] = version + 1
      riders += 1
      sequence += 1
      replies += 1
      groups.append(
        group(
          party(
            id, version: version + 1,
            bytes: [UInt8](repeating: UInt8(riders & 255), count: large ? 9_000 : 300)),
          expecting: version, claims: [claim("rider-\(riders)", id)],
          events: [event(sequence, id)], reply: reply(replies, id)))
    }
    return groups
  }

  /// What ``next(large:)`` counted on did not happen.
  mutating func forget(_ groups: [ChangeGroup]) {
    for group in groups.reversed() {
      let change = group.changes[0]
      versions[change.aggregate.key.id] = change.expectedVersion
    }
    sequence -= UInt64(groups.count)
  }

  mutating func apply(_ groups: [ChangeGroup]) -> [CommitOutcome] {
    committed += groups
    return groups.map { .committed(firstSequence: $0.events[0].sequence) }
  }

  mutating func run(_ store: SQLiteStore, _ location: SourceLocation = #_sourceLocation) {
    let groups = next()
    let expected = apply(groups)
    #expect(store.commit(groups) == expected, sourceLocation: location)
  }
}

private struct Snapshot: Equatable {
  var aggregates: [String: StoredAggregate] = [:]
  var events: [StoredEvent] = []
  var replies: Set<StoredReply> = []
}

private func snapshot(_ store: some AggregateStore) throws -> Snapshot {
  var found = Snapshot()
  found.aggregates = try store.all()
  found.events = try store.events(
    tenant: "t", after: 0, kinds: [], aggregateID: nil, limit: 100_000)
  try store.loadReplies { found.replies.insert($0) }
  return found
}

/// Of what a power cut left; damage and half-written claims are issues.
private func snapshot(_ left: ScratchDirectory) throws -> Snapshot {
  let store = try SQLiteStore(directory: left.path)
  let found = try snapshot(store)
  store.close()
  try DatabaseQueue(path: left.databasePath).read { db in
    #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
    let claims = try Int.fetchOne(db, sql: "SELECT count(*) FROM claims")
    // Each party here holds one.
    #expect(claims == found.aggregates.count)
  }
  return found
}

private func expectSame(
  _ left: ScratchDirectory, _ model: MemoryStore, _ note: Comment
) throws {
  let found = try snapshot(left)
  let expected = try snapshot(model)
  #expect(found.aggregates.filter { $0.value != expected.aggregates[$0.key] }.isEmpty, note)
  #expect(found.aggregates.count == expected.aggregates.count, note)
  #expect(found.events.map(\.sequence) == expected.events.map(\.sequence), note)
  #expect(found == expected, note)
}
