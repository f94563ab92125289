import Foundation
import ObjectModel
import Testing
import Threading

@testable import MoyeoStorage

/// The log of who was shown whose position.
@Suite("Files of disclosures") struct DisclosureFilesTests {
  private static let noon = Instant(milliseconds: 1_795_176_000_000)  // 2026-11-20T12:00:00Z

  /// A folder of its own, gone with the value.
  private final class Folder {
    let path = NSTemporaryDirectory() + "moyeo-disclosures-" + UUID().uuidString

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private func entry(
    _ ids: [String], to viewer: String? = "rider-7", at: Instant = noon, tenant: String = "default"
  ) -> DisclosureFiles.Entry {
    DisclosureFiles.Entry(
      tenant: tenant, at: at, role: "user", viewer: viewer, call: "Nearby", layer: "users", ids: ids
    )
  }

  private func open(
    _ folder: Folder, _ clock: ManualClock,
    _ change: (inout DisclosureFiles.Settings) -> Void = { _ in },
    onTrouble: @escaping @Sendable (String?) -> Void = { _ in }
  ) throws -> DisclosureFiles {
    var settings = DisclosureFiles.Settings()
    settings.layers = ["users"]
    change(&settings)
    return try DisclosureFiles(
      directory: folder.path, settings: settings, clock: clock, onTrouble: onTrouble)
  }

  private func entries(_ folder: Folder) throws -> [DisclosureFiles.Entry] {
    var out: [DisclosureFiles.Entry] = []
    _ = try DisclosureReader(directory: folder.path).each(from: nil, until: nil) { entry, _ in
      out.append(entry)
    }
    return out
  }

  @Test func anEntryIsReadAsItWasWritten() throws {
    let folder = try Folder()
    let files = try open(folder, ManualClock(Self.noon))
    let known = [
      entry(["a", "b\"\\\n한글"]), entry(["c"], to: nil), entry(["d"], to: "x", tenant: "north"),
    ]
    for entry in known { try files.note(entry) }
    files.finish()
    #expect(try entries(folder) == known)
    #expect(files.writtenCount == 3 && files.waitingBytes == 0)
    let path = folder.path + "/disclosures/2026-11-20.jsonl"
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func aLookIsNotedOnceInAWindow() throws {
    let folder = try Folder()
    let files = try open(folder, ManualClock(Self.noon))
    try files.note(entry(["a", "b"]))
    try files.note(entry(["b", "c"], at: Self.noon.advanced(milliseconds: 59_999)))
    try files.note(entry(["a"], at: Self.noon.advanced(milliseconds: 59_999)))
    // Another person's look is another look, and so is one of the next window.
    try files.note(entry(["a"], to: "rider-8"))
    try files.note(entry(["a"], tenant: "north"))
    try files.note(entry(["a"], at: Self.noon.advanced(milliseconds: 60_000)))
    files.finish()
    #expect(try entries(folder).map(\.ids) == [["a", "b"], ["c"], ["a"], ["a"], ["a"]])
  }

  @Test func withoutAWindowEveryLookIsNoted() throws {
    let folder = try Folder()
    let files = try open(folder, ManualClock(Self.noon)) { $0.windowSeconds = 0 }
    for _ in 0..<3 { try files.note(entry(["a"])) }
    files.finish()
    #expect(try entries(folder).count == 3)
  }

  @Test func aDayHasItsFileAndOldOnesGo() throws {
    let folder = try Folder()
    let clock = ManualClock(Self.noon)
    let files = try open(folder, clock) { $0.retentionDays = 2 }
    for day in 0..<5 {
      let at = Self.noon.advanced(milliseconds: Int64(day) * 86_400_000)
      clock.set(at)
      try files.note(entry(["a\(day)"], at: at))
      files.write(sync: true)
    }
    #expect(
      DisclosureFiles.days(in: files.folder) == ["2026-11-22", "2026-11-23", "2026-11-24"])
    #expect(try entries(folder).map(\.ids) == [["a2"], ["a3"], ["a4"]])
    files.finish()
  }

  @Test func whatWaitsIsBoundedAndTheRestRefused() throws {
    let folder = try Folder()
    let files = try open(folder, ManualClock(Self.noon)) { $0.waitingBytes = 1000 }
    var taken = 0
    let refusal = #expect(throws: DisclosureFiles.Refusal.self) {
      for i in 0..<1000 {
        try files.note(entry(["object-\(i)"]))
        taken += 1
      }
    }
    #expect(refusal == .full && taken < 20)
    files.write(sync: false)
    try files.note(entry(["later"]))
    files.finish()
    #expect(try entries(folder).count == taken + 1)
  }

  @Test func whileTheDiskFailsReadsAreRefusedAndNothingIsLost() throws {
    let folder = try Folder()
    let troubles = StateLock<[String?]>([])
    let files = try open(
      folder, ManualClock(Self.noon),
      onTrouble: { trouble in troubles.withLock { $0.append(trouble) } })
    try files.note(entry(["before"]))
    // A folder where the file should be: nobody can write it, root included.
    let path = files.folder + "/2026-11-20.jsonl"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    files.write(sync: false)
    #expect(troubles.withLock { $0.count } == 1)
    let refusal = #expect(throws: DisclosureFiles.Refusal.self) {
      try files.note(entry(["meanwhile"]))
    }
    guard case .failing = refusal else {
      Issue.record("the refusal is \(String(describing: refusal))")
      return
    }
    try FileManager.default.removeItem(atPath: path)
    files.write(sync: true)
    #expect(troubles.withLock { $0.last == .some(nil) })
    try files.note(entry(["after"]))
    files.finish()
    #expect(try entries(folder).map(\.ids) == [["before"], ["after"]])
  }

  @Test func aLineThatACrashCutShortSpoilsNoOther() throws {
    let folder = try Folder()
    let clock = ManualClock(Self.noon)
    let first = try open(folder, clock)
    try first.note(entry(["a"]))
    first.finish()
    let path = first.folder + "/2026-11-20.jsonl"
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    try (whole + whole.dropLast(10)).write(to: URL(fileURLWithPath: path))
    let second = try open(folder, clock)
    try second.note(entry(["b"]))
    second.finish()
    var seen: [[String]] = []
    let damaged = try DisclosureReader(directory: folder.path).each(from: nil, until: nil) {
      entry, _ in seen.append(entry.ids)
    }
    #expect(seen == [["a"], ["b"]] && damaged == 1)
  }

  @Test func readingKeepsToTheTimesAskedFor() throws {
    let folder = try Folder()
    let clock = ManualClock(Self.noon)
    let files = try open(folder, clock)
    let times = [0, 3_600_000, 86_400_000].map { Self.noon.advanced(milliseconds: $0) }
    for (i, at) in times.enumerated() { try files.note(entry(["a\(i)"], at: at)) }
    files.finish()
    var seen: [[String]] = []
    _ = try DisclosureReader(directory: folder.path).each(from: times[1], until: times[2]) {
      entry, _ in seen.append(entry.ids)
    }
    #expect(seen == [["a1"]])
  }

  @Test func anErasedPersonIsNowhereAndOthersStay() throws {
    let folder = try Folder()
    let clock = ManualClock(Self.noon)
    let files = try open(folder, clock) { $0.windowSeconds = 0 }
    let person = "quo\"ted \\ é-9c1"
    let yesterday = Self.noon.advanced(milliseconds: -86_400_000)
    try files.note(entry(["a", person, "b"], at: yesterday))
    try files.note(entry(["a", "b"], at: yesterday))
    try files.note(entry(["c"], to: person))
    try files.note(entry([person], to: "x", tenant: "north"))
    files.write(sync: false)
    // What waits is erased as well.
    try files.note(entry([person + "-2", person], to: "y"))
    let erasure = PersonErasure(tenant: "default", userID: person)
    #expect(try files.erase(erasure) == 3)
    #expect(try files.erase(erasure) == 0)
    try files.note(entry(["d"]))
    files.finish()
    let name = erasure.pseudonym
    #expect(
      try entries(folder).map(\.ids) == [
        ["a", name, "b"], ["a", "b"], ["c"], [person], [person + "-2", name], ["d"],
      ])
    #expect(try entries(folder)[2].viewer == name)
    let left = try FileManager.default.contentsOfDirectory(atPath: files.folder).sorted()
    #expect(left == ["2026-11-19.jsonl", "2026-11-20.jsonl"])
  }

  @Test func whoWritesWhileAPersonIsErasedLosesNothing() async throws {
    let folder = try Folder()
    let files = try open(folder, ManualClock(Self.noon)) { $0.windowSeconds = 0 }
    let rounds = 400
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        group.addTask {
          for i in 0..<rounds {
            try files.note(entry(["\(writer)-\(i)", "gone"]))
            if i.isMultiple(of: 7) { files.write(sync: false) }
          }
        }
      }
      group.addTask {
        for _ in 0..<20 {
          _ = try files.erase(PersonErasure(tenant: "default", userID: "gone"))
        }
      }
      try await group.waitForAll()
    }
    _ = try files.erase(PersonErasure(tenant: "default", userID: "gone"))
    files.finish()
    let seen = try entries(folder)
    #expect(Set(seen.map { $0.ids[0] }).count == 2 * rounds && seen.count == 2 * rounds)
    #expect(!seen.contains { $0.ids.contains("gone") })
  }
}
