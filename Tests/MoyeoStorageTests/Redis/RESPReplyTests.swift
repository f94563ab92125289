import LiveLayers
import NIOCore
import ObjectModel
import Testing

@testable import MoyeoCluster

@Suite("Answers of Redis")
struct RESPReplyTests {
  private func replies(
    _ bytes: [UInt8], pieces: Int, limits: RESPReplyParser.Limits = .init()
  ) throws -> [RESPReply] {
    var parser = RESPReplyParser(limits: limits)
    var buffer = ByteBuffer()
    var out: [RESPReply] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      buffer.writeBytes(bytes[start..<min(start + pieces, bytes.count)])
      while let reply = try parser.next(in: &buffer) { out.append(reply) }
    }
    return out
  }

  private func bulk(_ text: String) -> RESPReply { .bulk(ByteBuffer(string: text)) }

  @Test("Each kind is read, in whatever pieces it arrives", arguments: [1, 2, 3, 7, 1000])
  func kinds(pieces: Int) throws {
    let text =
      "+OK\r\n-MOVED 1 a:2\r\n:-7\r\n$3\r\na\r\n\r\n$-1\r\n*-1\r\n*2\r\n*1\r\n:1\r\n$0\r\n\r\n"
      + "_\r\n#t\r\n,1.5\r\n=5\r\ntxt:a\r\n%1\r\n+k\r\n:2\r\n~0\r\n>1\r\n+m\r\n!3\r\nbad\r\n"
    #expect(
      try replies(Array(text.utf8), pieces: pieces) == [
        .line("OK"), .error("MOVED 1 a:2"), .integer(-7), bulk("a\r\n"), .null, .null,
        .array([.array([.integer(1)]), bulk("")]), .null, .integer(1), .line("1.5"),
        bulk("txt:a"), .array([.line("k"), .integer(2)]), .array([]), .push([.line("m")]),
        .error("bad"),
      ])
  }

  @Test(
    "What is no answer, or too much of one, is refused",
    arguments: [
      "?\r\n", ":x\r\n", "$-2\r\n", "$9999999999999\r\n", "*9999999999\r\n", "+a\rb\r\n",
      "$1\r\nabc", "#x\r\n", "+\u{e9}\r\n",
      String(repeating: "*1\r\n", count: 9), "+" + String(repeating: "a", count: 70_000),
    ])
  func refused(text: String) {
    #expect(throws: RESPReplyError.self) { try replies(Array(text.utf8), pieces: 1000) }
  }

  @Test("A list is no longer than its limits, however its heads are put")
  func limits() {
    var limits = RESPReplyParser.Limits()
    limits.values = 10
    limits.replyBytes = 100
    for text in [
      String(repeating: "*2\r\n:1\r\n", count: 6), "*9\r\n$40\r\n",
      "*3\r\n"
        + String(repeating: "$40\r\n" + String(repeating: "a", count: 40) + "\r\n", count: 3),
    ] {
      let isRefused = (try? replies(Array(text.utf8), pieces: 5, limits: limits)) == nil
      #expect(isRefused || text.hasPrefix("*9"))
    }
  }

  @Test("Any bytes come to the same in whatever pieces they arrive", arguments: UInt64(1)...200)
  func anything(seed: UInt64) {
    var state = seed
    func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
    let parts = ["*", "$", ":", "+", "-", "%", ">", "~", "_", "1", "2", "3", "\r\n", "\r\n", "ab"]
    let bytes = (0..<60).flatMap { _ in Array(parts[Int(next() % UInt64(parts.count))].utf8) }
    func outcome(_ pieces: Int) -> [RESPReply]? { try? replies(bytes, pieces: pieces) }
    let whole = outcome(bytes.count)
    for pieces in [1, 2, 5] { #expect(outcome(pieces) == whole) }
  }

  @Test("Slots are those of the cluster's specification")
  func slots() {
    #expect(RedisSlots.crc16(Array("123456789".utf8)) == 0x31C3)
    #expect(RedisSlots.slot(of: Array("foo".utf8)) == 12_182)
    #expect(
      RedisSlots.slot(of: Array("{user1000}.following".utf8))
        == RedisSlots.slot(of: Array("user1000".utf8)))
    #expect(RedisSlots.slot(of: Array("foo{}{bar}".utf8)) == RedisSlots.crc16Slot("foo{}{bar}"))
  }

  @Test("Redirects are read, and what only looks like one is not")
  func redirects() {
    let asked = RedisAddress(host: "10.0.0.1", port: 1)
    func refusal(_ text: String) -> RedisRefusal { RedisRefusal(text, asked: asked) }
    #expect(
      refusal("MOVED 3999 127.0.0.1:6381")
        == .moved(slot: 3999, RedisAddress(host: "127.0.0.1", port: 6381)))
    #expect(
      refusal("MOVED 1 :6381") == .moved(slot: 1, RedisAddress(host: "10.0.0.1", port: 6381)))
    #expect(refusal("ASK 1 [::1]:7") == .ask(RedisAddress(host: "::1", port: 7)))
    #expect(refusal("MOVED 16384 a:1") == .other)
    #expect(refusal("MOVED 1 a:99999") == .other)
    #expect(refusal("CLUSTERDOWN The cluster is down") == .notServing)
    #expect(refusal("READONLY You can't write") == .notServing)
    #expect(refusal("NOSCRIPT No matching script") == .unknownScript)
    #expect(refusal("") == .other)
    #expect(RedisAddress.list("a:1, b:2")?.count == 2)
    #expect(RedisAddress.list("a:1,b") == nil)
    #expect(RedisAddress.list("") == nil)
  }

  @Test("A map of slots is read whole or not at all")
  func map() {
    let asked = RedisAddress(host: "h", port: 1)
    func range(_ first: Int64, _ last: Int64, _ host: String) -> RESPReply {
      .array([.integer(first), .integer(last), .array([bulk(host), .integer(6), bulk("id")])])
    }
    let map = RedisSlotMap(.array([range(0, 9, "a"), range(10, 16_383, "")]), asked: asked)
    #expect(map?[9] == RedisAddress(host: "a", port: 6))
    #expect(map?[10] == RedisAddress(host: "h", port: 6))
    #expect(RedisSlotMap(.array([range(0, 16_384, "a")]), asked: asked) == nil)
    #expect(RedisSlotMap(.array([range(5, 4, "a")]), asked: asked) == nil)
    #expect(RedisSlotMap(.null, asked: asked) == nil)
  }

  @Test("Answers that are not what was asked for are no entries")
  func damage() {
    let entry: RESPReply = .array([
      bulk("5-1"),
      .array([bulk("p"), bulk("4-0"), bulk("t/l/i"), bulk("-"), bulk("x"), bulk("y")]),
    ])
    let key = StoredPositionKey(tenant: "t", layer: "l", id: "i")
    #expect(
      RedisPositionLog.entries([entry]) == [
        PositionLogEntry(
          id: LogEntryID(milliseconds: 5, sequence: 1),
          previous: LogEntryID(milliseconds: 4, sequence: 0), records: [.removal(key)])
      ])
    #expect(
      RedisPositionLog.entries([.array([bulk("5-1"), .array([bulk("q"), bulk("4-0")])])]) == nil)
    #expect(RedisPositionLog.entries([.integer(1)]) == nil)
    #expect(RedisPositionLog.page(.array([bulk("0")])) == nil)
    #expect(RedisPositionLog.append(.array([bulk("5-1"), bulk("0-0")]), of: [.remove(key)]) == nil)
  }
}

extension RedisSlots {
  fileprivate static func crc16Slot(_ text: String) -> Int { Int(crc16(Array(text.utf8))) % count }
}
