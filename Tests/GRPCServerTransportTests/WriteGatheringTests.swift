import NIOCore
import NIOEmbedded
import ObjectModel
import Testing

@testable import GRPCServerTransport

/// What is gathered, and what is handed on as it is.
@Suite struct WriteGatheringTests {
  /// Long pieces are not copied. Short ones before and after them keep their place.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func everythingGoesOutOnceAndInItsOrder(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(WriteGathering())
    channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    var written: [UInt8] = []
    var confirmed: [Int] = []
    var promised = 0
    for _ in 0..<300 {
      let count = random.below(random.below(2) == 0 ? 200 : 40_000) + 1
      let piece = (0..<count).map { _ in UInt8(random.below(256)) }
      written += piece
      var promise: EventLoopPromise<Void>?
      if random.below(2) == 0 {
        let number = promised
        promised += 1
        promise = channel.eventLoop.makePromise()
        promise?.futureResult.assumeIsolated().whenSuccess { confirmed.append(number) }
      }
      channel.write(ByteBuffer(bytes: piece), promise: promise)
      if random.below(6) == 0 { channel.flush() }
    }
    channel.flush()
    channel.embeddedEventLoop.run()
    var sent: [UInt8] = []
    while let piece = try channel.readOutbound(as: ByteBuffer.self) {
      sent += piece.readableBytesView
    }
    #expect(sent == written)
    #expect(confirmed == Array(0..<promised))
    _ = try channel.finish(acceptAlreadyClosed: true)
  }

  @Test func aLongPieceIsNotCopied() throws {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(WriteGathering())
    let piece = ByteBuffer(repeating: 1, count: 16 * 1024)
    channel.write(ByteBuffer(repeating: 0, count: 9), promise: nil)
    channel.write(piece, promise: nil)
    channel.flush()
    let first = try #require(try channel.readOutbound(as: ByteBuffer.self))
    let second = try #require(try channel.readOutbound(as: ByteBuffer.self))
    #expect(first.readableBytes == 9)
    let places = [piece, second].map { $0.withUnsafeReadableBytes { $0.baseAddress } }
    #expect(places[0] == places[1])
    _ = try channel.finish(acceptAlreadyClosed: true)
  }
}
