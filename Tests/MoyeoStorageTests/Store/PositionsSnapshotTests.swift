import CSpatiaLite
import Foundation
import LiveLayers
import DurableCommands
import MoyeoStorage
import ObjectModel
import Testing

@testable import MoyeoStorage

@Suite struct PositionsSnapshotTests {
  private func position(
    _ id: String, layer: String = "users", tenant: String = "t", at: Int64 = 0,
    expiresAfter: Int64? = 60_000, payload: [UInt8] = [1, 2, 3]
  ) -> StoredPosition {
    StoredPosition(
      key: StoredPositionKey(tenant: tenant, layer: layer, id: id),
      latitude: 37.5 + Double(at) * 1e-9,
      longitude: -179.999_999_9, observedAt: noon.advanced(milliseconds: at),
      expiresAt: expiresAfter.map { noon.advanced(milliseconds: at + $0) } ?? .distantFuture,
      payload: payload)
  }

  private func all(
    _ archive: PositionsSnapshot, liveAt: Instant = noon
  ) throws -> [StoredPositionKey: StoredPosition] {
    var found: [StoredPositionKey: StoredPosition] = [:]
    try archive.load(liveAt: liveAt) { batch in
      for one in batch {
        #expect(found.updateValue(one, forKey: one.key) == nil)
      }
    }
    return found
  }

  @Test func whatIsWrittenComesBackAfterARestart() throws {
    let directory = try ScratchDirectory()
    let wanted = [
      position("a"), position("a", layer: "cars"), position("a", tenant: ""),
      position("이름 \u{0} \"'", expiresAfter: nil, payload: []), position(""),
    ]
    do {
      let archive = PositionsSnapshot(directory: directory.path)
      try archive.write(wanted, removing: [])
      try archive.write([], removing: [])
      archive.close()
      #expect(throws: StoreFailure.self) { try archive.write(wanted, removing: []) }
    }
    let archive = PositionsSnapshot(directory: directory.path)
    #expect(try Set(all(archive).values) == Set(wanted))
    #expect(archive.setAside == [])
  }

  @Test func theLaterOfTwoWinsAndRemovingWinsOverBoth() throws {
    let directory = try ScratchDirectory()
    let archive = PositionsSnapshot(directory: directory.path)
    try archive.write([position("a", at: 5), position("b"), position("a", at: 1)], removing: [])
    #expect(try all(archive)[position("a").key]?.observedAt == position("a", at: 1).observedAt)
    try archive.write(
      [position("a", at: 9), position("c")],
      removing: [position("a").key, position("nobody", layer: "none").key])
    #expect(try Set(all(archive).keys.map(\.id)) == ["b", "c"])
  }

  @Test(arguments: [1, 2] as [UInt64])
  func answersAsADictionary(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let directory = try ScratchDirectory()
    var archive = PositionsSnapshot(directory: directory.path)
    var model: [StoredPositionKey: StoredPosition] = [:]
    var now: Int64 = 0
    for round in 0..<16 {
      now += 10_000
      let batch = (0..<random.below(3_000)).map { _ in
        position(
          "\(random.below(4_000))", layer: ["users", "cars"][random.below(2)], at: now,
          expiresAfter: random.below(9) == 0 ? nil : Int64(random.below(90_000)))
      }
      let removing = (0..<random.below(60)).map { _ in position("\(random.below(4_000))").key }
      try archive.write(batch, removing: removing)
      for one in batch { model[one.key] = one }
      for key in removing { model[key] = nil }
      let moment = noon.advanced(milliseconds: now)
      if random.below(4) == 0 {
        let expired = model.values.count { $0.expiresAt <= moment }
        #expect(try archive.removeExpired(by: moment) == expired)
        model = model.filter { $0.value.expiresAt > moment }
      }
      if random.below(5) == 0 {
        archive.close()
        archive = PositionsSnapshot(directory: directory.path)
      }
      let isSame = try all(archive, liveAt: moment) == model.filter { $0.value.expiresAt > moment }
      #expect(isSame, "seed \(seed), round \(round)")
    }
  }

  enum Harm: String, CaseIterable, Sendable {
    case otherProgram, otherVersion, noDatabase, middle
  }

  @Test(arguments: Harm.allCases)
  func whatCannotBeUsedIsSetAsideAndTheFileIsBegunAnew(harm: Harm) throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/" + PositionsSnapshot.fileName
    var archive = PositionsSnapshot(directory: directory.path)
    let many = (0..<5_000).map { position("\($0)", expiresAfter: nil) }
    try archive.write(many, removing: [])
    archive.close()
    switch harm {
    case .otherProgram, .otherVersion:
      var handle: OpaquePointer?
      sqlite3_open(path, &handle)
      sqlite3_exec(
        handle, harm == .otherProgram ? "PRAGMA application_id = 7" : "PRAGMA user_version = 99",
        nil, nil, nil)
      // As another program leaves it: in a journal of its own choice.
      sqlite3_exec(handle, "PRAGMA journal_mode = DELETE", nil, nil, nil)
      sqlite3_close(handle)
    case .noDatabase, .middle:
      let file = try #require(FileHandle(forUpdatingAtPath: path))
      try file.seek(toOffset: harm == .noDatabase ? 0 : 20_480)
      try file.write(contentsOf: Data(repeating: 0x5A, count: 40_000))
      try file.close()
    }
    let before = FileManager.default.contents(atPath: path)
    archive = PositionsSnapshot(directory: directory.path)
    let found = try all(archive)
    #expect(found.count < many.count)
    #expect(archive.openFailure == nil)
    let aside = try #require(archive.setAside.first)
    #expect(archive.setAside.count == 1)
    #expect(aside.path == path + (harm == .middle ? ".damaged" : ".aside-1"))
    // Not a byte of it was changed.
    #expect(FileManager.default.contents(atPath: aside.path) == before)
    // Ready for new ones.
    try archive.write([position("new")], removing: [])
    #expect(try all(archive).keys.map(\.id) == ["new"])
    // Over once somebody took it away.
    try FileManager.default.removeItem(atPath: aside.path)
    #expect(archive.setAside == [])
  }

  @Test func aSecondForeignFileGetsItsOwnName() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/" + PositionsSnapshot.fileName
    for text in ["first", "second"] {
      try? FileManager.default.removeItem(atPath: path + "-wal")
      try Data("\(text): no database, but somebody's".utf8).write(to: URL(fileURLWithPath: path))
      let archive = PositionsSnapshot(directory: directory.path)
      try archive.write([position("a")], removing: [])
      archive.close()
    }
    for (number, text) in [(1, "first"), (2, "second")] {
      let kept = FileManager.default.contents(atPath: path + ".aside-\(number)") ?? Data()
      #expect(String(decoding: kept, as: UTF8.self).hasPrefix(text))
    }
  }

  /// Soft state keeps nobody from starting, and heals by itself.
  @Test func aFileThatCannotBeOpenedIsTriedAgain() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/" + PositionsSnapshot.fileName
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let archive = PositionsSnapshot(directory: directory.path)
    #expect(archive.openFailure?.contains(path) == true)
    #expect(throws: StoreFailure.self) { try archive.write([position("a")], removing: []) }
    #expect(throws: StoreFailure.self) { try archive.load(liveAt: noon) { _ in } }
    #expect(archive.openFailure != nil)
    try FileManager.default.removeItem(atPath: path)
    try archive.write([position("a")], removing: [])
    #expect(archive.openFailure == nil)
    #expect(try all(archive).count == 1)
  }

  /// `moyeo export` and `moyeo doctor` may meet any file.
  @Test func whoeverOnlyReadsChangesNothing() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/" + PositionsSnapshot.fileName
    var handle: OpaquePointer?
    sqlite3_open(path, &handle)
    sqlite3_exec(handle, "CREATE TABLE mine (a)", nil, nil, nil)
    sqlite3_close(handle)
    let before = FileManager.default.contents(atPath: path)
    #expect(throws: StorageError.self) {
      try PositionsSnapshot.read(dataDirectory: directory.path, liveAt: noon) { _ in }
    }
    #expect(FileManager.default.contents(atPath: path) == before)
  }

  @Test func anErrorOfTheReaderEndsTheReading() throws {
    struct Enough: Error {}
    let directory = try ScratchDirectory()
    let archive = PositionsSnapshot(directory: directory.path)
    try archive.write([position("a")], removing: [])
    #expect(throws: StoreFailure.self) { try archive.load(liveAt: noon) { _ in throw Enough() } }
    #expect(try all(archive).count == 1)
    #expect(archive.setAside == [])
  }
}
