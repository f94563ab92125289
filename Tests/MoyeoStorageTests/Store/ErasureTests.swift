import DurableCommands
import Foundation
import ObjectModel
import Testing
import WireFormat

@testable import MoyeoStorage

/// A person's id leaves files, and only theirs does.
struct ErasureTests {
  /// Ids that sound like something else in JSON, or are part of others.
  static let hostile = [
    ",", ":", "\"", "\\", "\\\"", "riderId", "{", "a", "é", "\u{1}", "\",\"", "kim", "null", "[]",
  ]

  @Test(arguments: hostile)
  func aBodyKeepsEverythingButTheId(id: String) throws {
    let erasure = PersonErasure(tenant: "t", userID: id)
    let body = JSONWriter.object { json in
      json.string("riderId", id)
      json.string("other", "kimberly \(id) x")
      json.integer("seats", 3)
      json.strings("stopOrder", ["x", id, "y\"", id + id])
      json.object("place") { $0.string("name", "\"\(id)\"") }
    }
    let out = erasure.rewritten(json: body, wholeTexts: false)
    let read = try #require(
      try JSONSerialization.jsonObject(with: Data(out)) as? [String: Any])
    #expect(read["riderId"] as? String == erasure.pseudonym)
    #expect(read["other"] as? String == "kimberly \(id) x")
    #expect(read["seats"] as? Int == 3)
    #expect(read["stopOrder"] as? [String] == ["x", erasure.pseudonym, "y\"", id + id])
    #expect((read["place"] as? [String: String])?["name"] == "\"\(id)\"")
    // A second time there is nothing left to do.
    #expect(erasure.rewritten(json: out, wholeTexts: false) == out)
    let whole = erasure.rewritten(json: body, wholeTexts: true)
    let words = try #require(
      try JSONSerialization.jsonObject(with: Data(whole)) as? [String: Any])
    #expect(words["other"] as? String == "erased")
  }

  @Test func anIdIsInNoByteOfTheRecord() throws {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    let id = "somebody-4711"
    let kind = AggregateKind(rawValue: "ride_request")
    var stored = party("r", version: 1)
    stored.key = AggregateKey(tenant: "t", kind: kind, id: "r")
    stored.summary.ownerID = id
    stored.bytes = Array("of \(id)".utf8)
    var foreign = stored
    foreign.key.tenant = "u"
    // Enough to spread over pages that become free.
    func told(_ sequence: UInt64, tenant: String = "t") -> StoredEvent {
      var event = event(sequence, id, tenant: tenant)
      event.userIDs = ["x", id, id + "0"]
      event.body = JSONWriter.object { $0.string("riderId", id) }
      return event
    }
    for start in stride(from: UInt64(1), through: 900, by: 100) {
      let events = (start..<(start + 100)).map { told($0) }
      let outcome = store.commit([
        ChangeGroup(
          changes: start == 1 ? [.init(expectedVersion: 0, aggregate: stored)] : [],
          claimsMustNotOverlap: false, events: events, reply: reply(start, id))
      ])
      #expect(outcome == [.committed(firstSequence: start)])
    }
    #expect(
      store.commit([
        ChangeGroup(changes: [.init(expectedVersion: 0, aggregate: foreign)], events: [])
      ]) == [.committed(firstSequence: 0)])
    let erasure = PersonErasure(tenant: "t", userID: id)
    let keys = try store.aggregates(mentioning: erasure)
    #expect(keys == [stored.key])
    #expect(try store.rewrite(keys, for: erasure).removed == keys)
    #expect(try store.aggregates(mentioning: erasure) == [])
    #expect(try store.rewriteEvents(for: erasure) == 900)
    #expect(try store.rewriteEvents(for: erasure) == 0)
    #expect(try store.rewriteReplies(for: erasure) == 9)
    #expect(try store.rewriteReplies(for: erasure) == 0)
    let first = try #require(
      try store.events(tenant: "t", after: 0, kinds: [], aggregateID: nil, limit: 1).first)
    #expect(first.aggregateID == erasure.pseudonym)
    #expect(first.userIDs == ["x", erasure.pseudonym, id + "0"])
    // The other tenant's person of that id is somebody else.
    var left: [String] = []
    try store.loadAggregates(kind: kind) { left.append($0.key.tenant) }
    #expect(left == ["u"])
    #expect(try store.aggregates(mentioning: PersonErasure(tenant: "u", userID: id)).count == 1)
    #expect(try store.reply(tenant: "t", key: reply(1).key)?.aggregateID == erasure.pseudonym)
    store.close()
  }

  @Test(arguments: [true, false])
  func deletedPagesAreMadeAnew(isKnown: Bool) throws {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    let needle = "gone-with-the-log-\(7)"
    let events = (1...400).map { number -> StoredEvent in
      var event = event(UInt64(number), "p")
      event.body = JSONWriter.object { $0.string("note", needle) }
      return event
    }
    #expect(
      store.commit([ChangeGroup(changes: [], events: events)]) == [.committed(firstSequence: 1)])
    try store.scrub([])
    #expect(try bytes(in: directory).contains { $0.range(of: Data(needle.utf8)) != nil })
    try store.prune(
      eventsBefore: noon.advanced(milliseconds: 1), repliesBefore: noon, endedBefore: noon)
    try store.scrub(isKnown ? [Array(needle.utf8)] : nil)
    for file in try bytes(in: directory) {
      #expect(file.range(of: Data(needle.utf8)) == nil)
    }
    // It goes on being written, replies are found where they were.
    #expect(
      store.commit([group(party("q", version: 1), expecting: 0, reply: reply(1))])
        == [.committed(firstSequence: 0)])
    #expect(
      store.commit([group(party("z", version: 1), expecting: 0, reply: reply(1))])
        == [.duplicate(reply(1))])
    store.close()
  }

  @Test func aLongReaderPutsItOffAndHoldsUpNoCommit() throws {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    #expect(
      store.commit([group(party("p", version: 1), expecting: 0)]) == [.committed(firstSequence: 0)])
    let reader = try Checkpointer.open(directory.databasePath)
    try executeSQL(reader, "BEGIN")
    _ = try StoreFile.number(reader, "SELECT count(*) FROM parties")
    #expect(
      store.commit([group(party("q", version: 1), expecting: 0)]) == [.committed(firstSequence: 0)])
    #expect(throws: StoreFailure.self) { try store.scrub([Array("x-y-z".utf8)], tries: 2) }
    #expect(store.readOnlyReason == nil)
    #expect(
      store.commit([group(party("r", version: 1), expecting: 0)]) == [.committed(firstSequence: 0)])
    try executeSQL(reader, "COMMIT")
    Checkpointer.close(reader)
    try store.scrub([Array("x-y-z".utf8)], tries: 2)
    let log = try FileManager.default.attributesOfItem(atPath: directory.databasePath + "-wal")
    #expect(log[.size] as? Int == 0)
    store.close()
  }

  private func bytes(in directory: ScratchDirectory) throws -> [Data] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).compactMap {
      FileManager.default.contents(atPath: directory.path + "/" + $0)
    }
  }

  @Test func theListRecognisesPeopleAndNamesNone() throws {
    let directory = try ScratchDirectory()
    let list = ErasureList(directory: directory.path)
    #expect(try list.entries() == [])
    let one = try list.add(tenant: "t", userID: "somebody", at: noon)
    // A crash cut the next line short.
    let handle = try #require(FileHandle(forWritingAtPath: list.path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("1 00".utf8))
    try handle.close()
    let two = try list.add(tenant: "u", userID: "another", at: noon)
    #expect(try list.entries() == [one, two])
    let matcher = ErasureList.Matcher(try list.entries())
    #expect(matcher.matches("somebody"))
    // Lines of another tenant are not looked at, and other people are others.
    #expect(!matcher.matches("another"))
    #expect(!matcher.matches("somebod"))
    #expect(ErasureList.Matcher([two]).matches("another"))
    let text = try String(contentsOfFile: list.path, encoding: .utf8)
    #expect(!text.contains("somebody"))
    // A list of another directory has a key of its own.
    let elsewhere = try ScratchDirectory()
    let other = try ErasureList(directory: elsewhere.path).add(
      tenant: "t", userID: "third", at: noon)
    let both = ErasureList.Matcher([one, other])
    #expect(both.matches("somebody") && both.matches("third") && !both.matches("fourth"))
  }

  @Test func aRecordKnowsWhichErasuresItHasSeen() throws {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    #expect(try store.appliedErasures() == [])
    try store.noteErasures(["a", "b"])
    try store.noteErasures(["b"])
    #expect(try store.appliedErasures() == ["a", "b"])
    store.close()
  }

  @Test func aBackupIsRestoredIntoAnEmptyDirectoryOnly() throws {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    #expect(
      store.commit([group(party("p", version: 1), expecting: 0)]) == [.committed(firstSequence: 0)])
    let list = ErasureList(directory: directory.path)
    let line = try list.add(tenant: "t", userID: "x", at: noon)
    try Data("{}".utf8).write(to: URL(fileURLWithPath: directory.path + "/keys.json"))
    let copies = try ScratchDirectory()
    let file = copies.path + "/copy.sqlite"
    let report = try StoreBackup.run(dataDirectory: directory.path, to: file)
    #expect(Set(report.companions) == [file + ".keys.json", file + ".erasures.list"])
    let later = try list.add(tenant: "t", userID: "y", at: noon)
    store.close()
    let fresh = copies.path + "/fresh"
    #expect(throws: StorageError.self) {
      _ = try StoreRestore.run(from: file, to: fresh, erasures: [copies.path + "/missing"])
    }
    var told: [Int] = []
    let made = try StoreRestore.run(from: file, to: fresh, erasures: [list.path]) { done, all in
      told.append(done)
      #expect(Int64(all) == report.bytes)
    }
    #expect(told.last.map(Int64.init) == report.bytes && told == told.sorted())
    #expect(Set(made) == ["keys.json", "erasures.list", "moyeo.sqlite"])
    // Lines that both have stand once.
    #expect(try ErasureList(directory: fresh).entries() == [line, later])
    #expect(throws: StorageError.self) {
      _ = try StoreRestore.run(from: file, to: fresh, erasures: [])
    }
    let restored = try SQLiteStore(directory: fresh)
    #expect(try restored.all().keys.sorted() == ["t/p"])
    restored.close()
  }
}
