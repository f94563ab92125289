import DurableCommands
import Foundation
import MoyeoCluster
import MoyeoStorage
import ObjectModel
import Parties
import Testing
import WireFormat

/// A person leaves a record in PostgreSQL that other daemons write to.
@Suite struct PostgresErasureTests {
  private static let id = "somebody-4711 \"é"
  private static let rider = AggregateKind(rawValue: "ride_request")

  private static func request(_ name: String, of owner: String) -> StoredAggregate {
    var stored = party(name, version: 1)
    stored.key.kind = rider
    stored.summary.ownerID = owner
    stored.bytes = Array("of \(owner)".utf8)
    return stored
  }

  private static func told(_ of: String, tenant: String = "t") -> StoredEvent {
    var event = event(0, id, tenant: tenant)
    event.userIDs = ["x", of, of + "0"]
    event.body = JSONWriter.object { $0.string("riderId", of) }
    return event
  }

  /// As pg_dump has it: bytes in hexadecimal digits.
  private static func dump(_ address: PostgresAddress) throws -> String {
    let (process, said) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "pg_dump", "--data-only", "--inserts", "-n", address.schema, address.connection,
    ]
    process.standardOutput = said
    try process.run()
    let bytes = said.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func anIdIsInNoByteOfTheDump() throws {
    let address = try ScratchPostgres.shared.get().migratedSchema()
    let store = try PostgresStore(connection: address.connection)
    let erasure = PersonErasure(tenant: "t", userID: Self.id)
    var held = claim(Self.id, "r")
    held.aggregate.kind = Self.rider
    _ = store.commit([
      group(
        Self.request("r", of: Self.id), expecting: 0, claims: [held],
        events: (0..<900).map { _ in Self.told(Self.id) }, reply: reply(1, Self.id)),
      group(Self.request("s", of: "kim"), expecting: 0, events: [Self.told("kim")]),
    ])
    let hexadecimal = Self.id.utf8.map { String(format: "%02x", $0) }.joined()
    let escaped = erasure.escaped.map { String(format: "%02x", $0) }.joined()
    let needles = [Self.id, hexadecimal, escaped]
    let before = try Self.dump(address)
    #expect(needles.allSatisfy { before.contains($0) })
    let keys = try store.aggregates(mentioning: erasure)
    #expect(keys.map(\.id) == ["r"])
    let changes = try store.rewrite(keys, for: erasure)
    #expect(changes.removed.map(\.id) == ["r"])
    // The last one is about an aggregate of that name.
    #expect(try store.rewriteEvents(for: erasure) == 901)
    #expect(try store.rewriteReplies(for: erasure) == 1)
    try store.noteErasures(["1", "1", "2"])
    #expect(try store.appliedErasures() == ["1", "2"])
    let after = try Self.dump(address)
    for needle in needles { #expect(!after.contains(needle)) }
    #expect(after.contains("kim"))
    // Once more there is nothing to do.
    #expect(try store.aggregates(mentioning: erasure).isEmpty)
    #expect(try store.rewriteEvents(for: erasure) == 0)
    #expect(try store.events(limit: 2_000) == Array(1...901))
  }

  @Test func thoseWhoStayKeepTheirSeatsAndTheirTimes() throws {
    let address = try ScratchPostgres.shared.get().migratedSchema()
    let store = try PostgresStore(connection: address.connection)
    let rewriting = Renaming(userID: "ann")
    _ = store.commit([
      group(
        party("p", version: 3, bytes: Array("ann,ben".utf8)), expecting: 0,
        claims: [claim("ann", "p"), claim("ben", "p")])
    ])
    let keys = try store.aggregates(mentioning: rewriting)
    let changes = try store.rewrite(keys, for: rewriting)
    #expect(changes.changed.map(\.bytes) == [Array("nobody,ben".utf8)])
    #expect(changes.changed.map(\.version) == [3])
    #expect(
      try address.run("SELECT user_id FROM claims ORDER BY user_id") == ["ben", "nobody"])
    var people: Set<String> = []
    try store.people(of: "t", namedBy: { [$0.summary.ownerID] }) { people.insert($0) }
    #expect(people == ["host-p"])
  }

  /// Another daemon has the person in memory still: what it decides is not written before it has loaded
  /// what there is now.
  @Test func aDaemonThatIsBehindWritesNothingBack() throws {
    let address = try ScratchPostgres.shared.get().migratedSchema()
    let one = try PostgresStore(connection: address.connection)
    let other = try PostgresStore(connection: address.connection)
    _ = one.commit([group(party("p", version: 1, bytes: Array("ann".utf8)), expecting: 0)])
    // Both loaded it.
    for store in [one, other] { _ = try store.head(tenant: "t") }
    let rewriting = Renaming(userID: "ann")
    _ = try one.rewrite(try one.aggregates(mentioning: rewriting), for: rewriting)
    let stale = group(
      party("p", version: 2, bytes: Array("ann,ben".utf8)), expecting: 1, events: [event(0, "p")])
    for store in [one, other] {
      guard case .unknown = store.commit([stale])[0] else {
        Issue.record("a batch that was decided on what was is written")
        return
      }
      let settled = try store.reopen()
      #expect(settled.needsReload)
      guard case .notDone? = settled.outcomes?.first else {
        Issue.record("what did not happen is not said so")
        return
      }
      _ = try store.head(tenant: "t")
    }
    #expect(try one.all()["t/p"]?.bytes == Array("nobody".utf8))
    let fresh = group(
      party("p", version: 2, bytes: Array("nobody,ben".utf8)), expecting: 1,
      events: [event(0, "p")])
    #expect(other.commit([fresh])[0].isCommitted)
  }
}

/// Names stand in bytes as text.
private struct Renaming: PersonRewriting {
  let tenant = "t"
  let userID: String
  let pseudonym = "nobody"
  var escaped: [UInt8] { Array(userID.utf8) }

  func rewriting(
    _ kind: String, id: String, ownerID: String, _ bytes: [UInt8]
  ) throws -> RewrittenRow {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.contains(userID) else { return .unchanged }
    return .changed(
      bytes: Array(text.replacingOccurrences(of: userID, with: pseudonym).utf8), ownerID: ownerID)
  }

  func rewritten(_ event: StoredEvent) -> StoredEvent { event }
}
