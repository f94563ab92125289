import NIOCore
import NIOEmbedded
import Testing

@testable import MoyeoServer

/// Connections that say nothing have nothing set up for them.
@Suite struct FirstBytesTests {
  private final class Received: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    var texts: [String] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      texts.append(String(buffer: unwrapInboundIn(data)))
    }
  }

  private struct Refused: Error {}

  /// A connection whose calls are the number of times they were set up.
  private final class Connection {
    let channel = EmbeddedChannel()
    let received = Received()
    let calls: EventLoopFuture<Int?>
    var count = 0

    init(isRefused: Bool = false) throws {
      let promise = channel.eventLoop.makePromise(of: Int?.self)
      calls = promise.futureResult
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(
        FirstBytesHandler(promise) { [unowned self] in
          if isRefused { throw Refused() }
          count += 1
          try channel.pipeline.syncOperations.addHandler(received)
          return count
        })
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    func send(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }
  }

  @Test func theFirstByteSetsUpOnce() throws {
    let connection = try Connection()
    #expect(connection.count == 0)
    try connection.send("G")
    try connection.send("ET")
    #expect(try connection.calls.wait() == 1)
    #expect(connection.count == 1)
    #expect(connection.received.texts == ["G", "ET"])
    #expect(throws: ChannelPipelineError.self) {
      try connection.channel.pipeline.syncOperations.handler(type: FirstBytesHandler<Int>.self)
    }
    _ = try connection.channel.finish()
    #expect(connection.count == 1)
  }

  enum End: CaseIterable { case closed, halfClosed, daemonStops, failed }

  @Test(arguments: End.allCases) func silentConnectionsEndWithNothingSetUp(end: End) throws {
    let connection = try Connection()
    let pipeline = connection.channel.pipeline
    switch end {
    case .closed: connection.channel.close(promise: nil)
    case .halfClosed: pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    case .daemonStops: pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    case .failed: pipeline.fireErrorCaught(Refused())
    }
    connection.channel.embeddedEventLoop.run()
    #expect(!connection.channel.isActive)
    #expect(try connection.calls.wait() == nil)
    #expect(connection.count == 0)
  }

  @Test func aConnectionThatCannotBeSetUpIsClosed() throws {
    let connection = try Connection(isRefused: true)
    try connection.send("G")
    #expect(!connection.channel.isActive)
    #expect(throws: Refused.self) { try connection.calls.wait() }
  }
}
