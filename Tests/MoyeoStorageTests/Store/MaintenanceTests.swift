import CSpatiaLite
import Foundation
import GRDB
import LiveLayers
import ObjectModel
import Testing

@testable import MoyeoStorage
import DurableCommands

/// What `moyeo doctor` and `moyeo export` stand on.
@Suite struct MaintenanceTests {
  private func filled() throws -> ScratchDirectory {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    _ = store.commit(
      (1...20).map { index in
        group(
          party("p\(index)", version: 1, destination: index == 7 ? nil : gangnam), expecting: 0,
          claims: [claim("u\(index)", "p\(index)")],
          events: [event(UInt64(index), "p\(index)")])
      })
    store.close()
    let archive = PositionsSnapshot(directory: directory.path)
    var positions: [StoredPosition] = []
    for index in 0..<30 {
      let expiresAt: ObjectModel.Instant =
        index == 29 ? noon : index == 28 ? .distantFuture : noon.advanced(milliseconds: 1)
      let key = StoredPositionKey(
        tenant: "t", layer: index < 10 ? "cars" : "users", id: "\(index)")
      positions.append(
        StoredPosition(
          key: key, latitude: 37.5, longitude: 127, observedAt: noon, expiresAt: expiresAt,
          payload: [UInt8(index)]))
    }
    try archive.write(positions, removing: [])
    archive.close()
    return directory
  }

  private func grades(_ directory: ScratchDirectory) -> [String: StoreDoctor.Finding.Grade] {
    Dictionary(
      StoreDoctor.examine(dataDirectory: directory.path).map { ($0.subject, $0.grade) },
      uniquingKeysWith: { first, _ in first })
  }

  private func change(_ directory: ScratchDirectory, _ sql: String) throws {
    let queue = try DatabaseQueue(path: directory.databasePath)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  // MARK: Doctor

  @Test func aHealthyDirectoryPasses() throws {
    let directory = try filled()
    let findings = StoreDoctor.examine(dataDirectory: directory.path)
    #expect(findings.allSatisfy { $0.grade != .wrong }, "\(findings)")
    #expect(
      findings.contains(.init(.fine, "claims", "20 parties and requests hold 20 claims")),
      "\(findings)")
    // Also beside a daemon.
    let store = try SQLiteStore(directory: directory.path)
    let beside = StoreDoctor.examine(dataDirectory: directory.path)
    #expect(beside.allSatisfy { $0.grade != .wrong })
    let process = ProcessInfo.processInfo.processIdentifier
    #expect(beside.contains { $0.text.hasSuffix("in use by process \(process)") })
    #expect(
      store.commit([group(party("q", version: 1), expecting: 0)]) == [.committed(firstSequence: 0)])
  }

  @Test func whatIsWrongIsFound() throws {
    let lost = try filled()
    try change(lost, "DELETE FROM claims WHERE user_id = 'u3'")
    #expect(grades(lost)["claims"] == .wrong)
    let stray = try filled()
    try change(stray, "INSERT INTO claims VALUES ('t', 'x', 1, 2, 'party', 'none')")
    #expect(grades(stray)["claims"] == .wrong)
    let map = try filled()
    try change(map, "DELETE FROM idx_parties_origin WHERE pkid = 3")
    #expect(grades(map)["maps"] == .wrong)
    let gap = try filled()
    try change(gap, "DELETE FROM events WHERE sequence = 5")
    #expect(grades(gap)["events"] == .notice)
    let later = try filled()
    try change(later, "PRAGMA user_version = 77")
    #expect(grades(later)["record"] == .wrong)
    #expect(grades(try ScratchDirectory())["record"] == .notice)
    #expect(
      StoreDoctor.examine(dataDirectory: "/nowhere").map(\.grade) == [.wrong])
  }

  private static let disks: [(record: Double?, free: Double, StoreDoctor.Finding.Grade)] = [
    (2e6, 5e9, .fine), (nil, 5e9, .fine), (6e9, 5e9, .notice), (nil, 9e8, .notice),
    (2e6, 6e7, .wrong), (nil, 0, .wrong),
  ]

  @Test func roomOnTheDiskIsJudged() {
    for (record, free, grade) in Self.disks {
      let finding = StoreDoctor.disk("/data", record: record, free: free)
      #expect(finding.grade == grade && finding.subject == "disk", "\(finding)")
      #expect(finding.text.contains("/data"))
      #expect(finding.text.contains("make room") == (grade != .fine))
    }
  }

  @Test func damageIsFound() throws {
    let directory = try filled()
    let file = try #require(FileHandle(forUpdatingAtPath: directory.databasePath))
    let size = try file.seekToEnd()
    for page in stride(from: UInt64(40), to: size / 4096, by: 3) {
      try file.seek(toOffset: page * 4096)
      try file.write(contentsOf: Data(repeating: 0x5A, count: 2_000))
    }
    try file.close()
    #expect(StoreDoctor.examine(dataDirectory: directory.path).contains { $0.grade == .wrong })
    let path = directory.path + "/" + PositionsSnapshot.fileName
    try Data(repeating: 1, count: 9_000).write(to: URL(fileURLWithPath: path))
    #expect(grades(directory)["positions"] == .notice)
  }

  @Test func measuringLeavesNothingBehind() throws {
    let directory = try ScratchDirectory.withTemplate()
    let figures = try StoreDoctor.measure(
      dataDirectory: directory.path, seconds: 0.05, batch: 4, parties: 50)
    #expect(figures.commands > 0 && figures.commands % 4 == 0)
    #expect(figures.p50Milliseconds <= figures.p99Milliseconds)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path) == [
        SQLiteStore.fileName
      ])
  }

  // MARK: Export

  @Test func featuresAreWhatIsStored() throws {
    let directory = try filled()
    var parties: [StoreExport.Feature] = []
    try StoreExport.eachParty(dataDirectory: directory.path) { parties.append($0) }
    #expect(parties.count == 20)
    #expect(parties.allSatisfy { $0.values.count == StoreExport.parties.columns.count })
    let seventh = try #require(parties.first { $0.values[1] == .text("p7") })
    #expect(seventh.latitude == 37.5547)
    #expect(seventh.values[6] == .none)
    #expect(seventh.values[8].plainText == "2026-07-25T17:20:00Z")
    var none = 0
    try StoreExport.eachParty(dataDirectory: directory.path, tenant: "x") { _ in none += 1 }
    #expect(none == 0)

    var positions: [StoreExport.Feature] = []
    try StoreExport.eachPosition(
      dataDirectory: directory.path, layer: "users", liveAt: noon,
      describe: { (["tag-\($0[0])", "b"], "{}") }, { positions.append($0) })
    #expect(positions.count == 19)
    #expect(positions.allSatisfy { $0.values.count == StoreExport.positions.columns.count })
    #expect(positions[0].values[5].plainText.hasSuffix(";b"))
    #expect(positions.count { $0.values[4] == .none } == 1)
  }

  @Test func aSpatialFileIsAMap() throws {
    let directory = try filled()
    let path = directory.path + "/map.sqlite"
    do {
      let file = try SpatialFile(path: path)
      try file.begin(StoreExport.parties)
      try StoreExport.eachParty(dataDirectory: directory.path) { try file.add($0) }
      try file.end(StoreExport.parties)
      try file.begin(StoreExport.positions)
      try StoreExport.eachPosition(
        dataDirectory: directory.path, liveAt: noon, describe: { _ in ([], "{}") },
        { try file.add($0) })
      try file.end(StoreExport.positions)
      try file.finish()
    }
    #expect(throws: StorageError.self) { try SpatialFile(path: path) }
    let reader = try DatabaseQueue(path: path)
    try reader.read { (db: Database) throws in
      #expect(
        try Row.fetchAll(
          db,
          sql: """
            SELECT f_table_name, srid, spatial_index_enabled FROM geometry_columns
            ORDER BY f_table_name
            """
        ).map { "\($0[0] as String) \($0[1] as Int) \($0[2] as Int)" }
          == ["parties 4326 1", "positions 4326 1"])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM positions") == 29)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM idx_parties_geometry") == 20)
      #expect(
        try String.fetchOne(db, sql: "SELECT hostId FROM parties WHERE id = 'p3'") == "host-p3")
    }
    // An export that ends early leaves no file.
    let half = directory.path + "/half.sqlite"
    do {
      let file = try SpatialFile(path: half)
      try file.begin(StoreExport.parties)
    }
    #expect(!FileManager.default.fileExists(atPath: half))
  }
}
