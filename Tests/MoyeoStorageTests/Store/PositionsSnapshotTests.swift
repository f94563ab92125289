import CSpatiaLite
import Foundation
import MoyeoEngine
import MoyeoStorage
import ObjectModel
import Testing

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
      let archive = try PositionsSnapshot(directory: directory.path)
      try archive.write(wanted, removing: [])
      try archive.write([], removing: [])
      archive.close()
      #expect(throws: StoreFailure.self) { try archive.write(wanted, removing: []) }
    }
    let archive = try PositionsSnapshot(directory: directory.path)
    #expect(try Set(all(archive).values) == Set(wanted))
    #expect(archive.rebuiltBecause == nil)
  }

  @Test func theLaterOfTwoWinsAndRemovingWinsOverBoth() throws {
    let directory = try ScratchDirectory()
    let archive = try PositionsSnapshot(directory: directory.path)
    try archive.write([position("a", at: 5), position("b"), position("a", at: 1)], removing: [])
    #expect(try all(archive)[position("a").key]?.observedAt == position("a", at: 1).observedAt)
    try archive.write(
      [position("a", at: 9), position("c")],
      removing: [position("a").key, position("nobody", layer: "none").key])
    #expect(try Set(all(archive).keys.map(\.id)) == ["b", "c"])
  }

  @Test(arguments: [1, 2] as [UInt64])
  func answersAsADictionary(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let directory = try ScratchDirectory()
    var archive = try PositionsSnapshot(directory: directory.path)
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
        archive = try PositionsSnapshot(directory: directory.path)
      }
      let isSame = try all(archive, liveAt: moment) == model.filter { $0.value.expiresAt > moment }
      #expect(isSame, "seed \(seed), round \(round)")
    }
  }

  @Test func aDamagedFileIsBegunAnew() throws {
    for damage in ["head", "middle", "other program", "other version"] {
      let directory = try ScratchDirectory()
      let path = directory.path + "/" + PositionsSnapshot.fileName
      var archive = try PositionsSnapshot(directory: directory.path)
      let many = (0..<5_000).map { position("\($0)", expiresAfter: nil) }
      try archive.write(many, removing: [])
      archive.close()
      switch damage {
      case "other program", "other version":
        var handle: OpaquePointer?
        sqlite3_open(path, &handle)
        sqlite3_exec(
          handle,
          damage == "other program" ? "PRAGMA application_id = 7" : "PRAGMA user_version = 99", nil,
          nil, nil)
        sqlite3_close(handle)
      default:
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: damage == "head" ? 0 : 20_480)
        try file.write(contentsOf: Data(repeating: 0x5A, count: 40_000))
        try file.close()
      }
      archive = try PositionsSnapshot(directory: directory.path)
      let found = try all(archive)
      #expect(found.count < many.count, "\(damage)")
      #expect(archive.rebuiltBecause != nil, "\(damage)")
      // Ready for new ones.
      try archive.write([position("new")], removing: [])
      #expect(try all(archive).keys.map(\.id) == ["new"], "\(damage)")
    }
  }

  @Test func anErrorOfTheReaderEndsTheReading() throws {
    struct Enough: Error {}
    let directory = try ScratchDirectory()
    let archive = try PositionsSnapshot(directory: directory.path)
    try archive.write([position("a")], removing: [])
    #expect(throws: StoreFailure.self) { try archive.load(liveAt: noon) { _ in throw Enough() } }
    #expect(try all(archive).count == 1)
    #expect(archive.rebuiltBecause == nil)
  }
}
