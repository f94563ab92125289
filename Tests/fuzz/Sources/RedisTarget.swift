import LiveLayers
import NIOCore
import ObjectModel

@testable import MoyeoCluster

/// A server that answers anything, whole and in pieces.
///
/// The first byte is the size of the pieces. However the bytes are cut, the same answers come out, and
/// whatever they say is read as slots, entries, pages and refusals.
enum RedisTarget {
  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    guard let (size, rest) = bytes.choice else { return }
    let whole = replies(rest, pieceSize: max(1, rest.count))
    hold(whole == replies(rest, pieceSize: Int(size) + 1), "answers depend on how they arrive")
    let asked = RedisAddress(host: "127.0.0.1", port: 6379)
    for reply in whole?.replies ?? [] {
      if case .error(let message) = reply { _ = RedisRefusal(message, asked: asked) }
      if let map = RedisSlotMap(reply, asked: asked) { _ = map[0] }
      let entries = reply.elements.flatMap(RedisPositionLog.entries) ?? []
      for record in entries.flatMap(\.records) { check(record) }
      for position in RedisPositionLog.page(reply)?.positions ?? [] { check(.position(position)) }
    }
    let key = StoredPositionKey(tenant: "t", layer: "l", id: "i")
    if let record = PositionRecordCoding.record(key, value: rest) { check(record) }
  }

  private struct Outcome: Equatable {
    var replies: [RESPReply]
    var isDamaged: Bool
  }

  private static func replies(_ bytes: UnsafeRawBufferPointer, pieceSize: Int) -> Outcome? {
    var limits = RESPReplyParser.Limits()
    limits.values = 4096
    limits.replyBytes = 1 << 16
    var parser = RESPReplyParser(limits: limits)
    var buffer = ByteBuffer()
    var out = Outcome(replies: [], isDamaged: false)
    var start = 0
    while start < bytes.count {
      let end = min(start + pieceSize, bytes.count)
      buffer.writeBytes(bytes[start..<end])
      start = end
      do throws(RESPReplyError) {
        while let reply = try parser.next(in: &buffer) { out.replies.append(reply) }
      } catch {
        out.isDamaged = true
        return out
      }
    }
    return out
  }

  private static func check(_ record: PositionRecord) {
    guard case .position(let position) = record else { return }
    hold(
      abs(position.latitude) <= 90 && abs(position.longitude) <= 180, "a position is not on Earth")
  }
}
