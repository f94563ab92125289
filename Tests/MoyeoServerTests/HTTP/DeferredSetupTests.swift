import NIOCore
import NIOEmbedded
import Testing

@testable import MoyeoServer

/// Connections have set up for them what they have come to need, and no more.
@Suite struct DeferredSetupTests {
  private final class Received: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    var texts: [String] = []
    var hasInputEnded = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      texts.append(String(buffer: unwrapInboundIn(data)))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case ChannelEvent.inputClosed = event { hasInputEnded = true }
    }
  }

  private struct Refused: Error {}

  /// A connection with a handler that is set up when something first comes.
  private final class Connection {
    let channel = EmbeddedChannel()
    let received = Received()
    var count = 0

    init(
      whenInputCloses endOfInput: DeferredSetupHandler.EndOfInput = .close, isRefused: Bool = false
    ) throws {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(
        DeferredSetupHandler(whenInputCloses: endOfInput) { [unowned self] in
          if isRefused { throw Refused() }
          count += 1
          try channel.pipeline.syncOperations.addHandler(received)
        })
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    func send(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    var hasLeft: Bool {
      (try? channel.pipeline.syncOperations.handler(type: DeferredSetupHandler.self)) == nil
    }
  }

  @Test func theFirstByteSetsUpOnce() throws {
    let connection = try Connection()
    #expect(connection.count == 0)
    try connection.send("G")
    try connection.send("ET")
    #expect(connection.count == 1)
    #expect(connection.received.texts == ["G", "ET"])
    #expect(connection.hasLeft)
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
    #expect(connection.count == 0)
  }

  @Test func whoMayStillBeAnsweredIsNotCutOffWhenTheirInputEnds() throws {
    let connection = try Connection(whenInputCloses: .setUp)
    connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    #expect(connection.channel.isActive)
    #expect(connection.count == 1)
    #expect(connection.received.hasInputEnded)
    #expect(connection.hasLeft)
    _ = try connection.channel.finish()
  }

  @Test func aConnectionThatCannotBeSetUpIsClosed() throws {
    let connection = try Connection(isRefused: true)
    try connection.send("G")
    #expect(!connection.channel.isActive)
    #expect(connection.received.texts.isEmpty)
  }
}
