import DurableCommands
import Foundation
import ObjectModel
import Testing
import Webhooks

@testable import MoyeoStorage

@Suite("Letters of webhooks in SQLite")
struct SQLiteLetterStoreTests {
  private func inDirectory(_ body: (String) throws -> Void) throws {
    let directory = NSTemporaryDirectory() + "letters-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try body(directory)
  }

  private func letter(_ sequence: UInt64, attempts: Int = 1) -> Letter {
    var out = Letter(
      sequence: sequence, aggregateID: "p\(sequence % 2)", body: Array("{\"n\":1}".utf8),
      nextAttemptAt: Instant(milliseconds: 5_000))
    out.attempts = attempts
    out.firstAttemptAt = Instant(milliseconds: 1_000)
    out.failure = "the receiver answered 500"
    return out
  }

  @Test("What was recorded is there after the file was closed, each webhook for itself")
  func kept() throws {
    try inDirectory { directory in
      #expect(!SQLiteLetterStore.exists(in: directory))
      var store = try SQLiteLetterStore(directory: directory)
      #expect(try store.cursor(of: "wh_1") == nil)
      var progress = WebhookProgress(cursor: 7)
      progress.waiting = [letter(3), letter(2)]
      progress.dead = [letter(1, attempts: 12)]
      try store.record(progress, of: "wh_1")
      try store.record(WebhookProgress(cursor: 9), of: "wh_2")
      store = try SQLiteLetterStore(directory: directory)
      #expect(SQLiteLetterStore.exists(in: directory))
      #expect(try store.cursor(of: "wh_1") == 7)
      #expect(try store.cursor(of: "wh_2") == 9)
      #expect(try store.waiting(of: "wh_1") == [letter(2), letter(3)])
      #expect(try store.waiting(of: "wh_2") == [])
      #expect(
        try store.dead(of: nil, limit: 10)
          == [DeadLetter(webhookID: "wh_1", letter: letter(1, attempts: 12))])
      #expect(try store.dead(of: "wh_2", limit: 10) == [])
    }
  }

  @Test("A letter that waited and was delivered, or died, waits no more")
  func progress() throws {
    try inDirectory { directory in
      let store = try SQLiteLetterStore(directory: directory)
      var progress = WebhookProgress(cursor: 3)
      progress.waiting = [letter(1), letter(2), letter(3)]
      try store.record(progress, of: "wh_1")
      progress = WebhookProgress(cursor: 3)
      // In one change, as a letter that waited behind another one and was delivered with it.
      progress.waiting = [letter(4)]
      progress.delivered = [1, 4]
      progress.dead = [letter(2, attempts: 12)]
      try store.record(progress, of: "wh_1")
      #expect(try store.waiting(of: "wh_1") == [letter(3)])
      #expect(try store.dead(of: "wh_1", limit: 10).map(\.letter.sequence) == [2])
    }
  }

  @Test("Dead letters go when they are old; what waits or is replayed stays")
  func oldOnes() throws {
    try inDirectory { directory in
      let store = try SQLiteLetterStore(directory: directory)
      var progress = WebhookProgress(cursor: 3)
      progress.waiting = [letter(1)]
      progress.dead = [letter(2), letter(3)]
      try store.record(progress, of: "wh_1")
      #expect(try store.replay("wh_1", sequences: [3]) == 1)
      #expect(try store.forgetDead(before: Instant(milliseconds: 5_000)) == 0)
      #expect(try store.forgetDead(before: Instant(milliseconds: 5_001)) == 1)
      #expect(try store.dead(of: nil, limit: 10) == [])
      #expect(try store.waiting(of: "wh_1") == [letter(1)])
      #expect(try store.takeReplayed(of: "wh_1").map(\.sequence) == [3])
    }
  }

  @Test("Dead letters that are replayed are taken once, as new")
  func replay() throws {
    try inDirectory { directory in
      let store = try SQLiteLetterStore(directory: directory)
      var progress = WebhookProgress(cursor: 3)
      progress.dead = [letter(1), letter(2), letter(3)]
      try store.record(progress, of: "wh_1")
      // As the command line does, over a connection of its own.
      let beside = try SQLiteLetterStore(directory: directory)
      #expect(try beside.replay("wh_1", sequences: [2, 9]) == 1)
      #expect(try beside.replay("wh_2", sequences: nil) == 0)
      let taken = try store.takeReplayed(of: "wh_1")
      #expect(taken.map(\.sequence) == [2])
      #expect(taken.first?.attempts == 0)
      #expect(taken.first?.firstAttemptAt == nil)
      #expect(try store.takeReplayed(of: "wh_1") == [])
      #expect(try store.waiting(of: "wh_1").map(\.sequence) == [2])
      #expect(try beside.replay("wh_1", sequences: nil) == 2)
      #expect(try store.takeReplayed(of: "wh_1").map(\.sequence) == [1, 3])
    }
  }

  @Test("Webhooks that are gone are forgotten")
  func forgotten() throws {
    try inDirectory { directory in
      let store = try SQLiteLetterStore(directory: directory)
      var progress = WebhookProgress(cursor: 3)
      progress.waiting = [letter(1)]
      for id in ["wh_1", "wh_2"] { try store.record(progress, of: id) }
      try store.keepOnly(["wh_2"])
      #expect(try store.cursor(of: "wh_1") == nil)
      #expect(try store.waiting(of: "wh_1") == [])
      #expect(try store.waiting(of: "wh_2") == [letter(1)])
    }
  }
}
