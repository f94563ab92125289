import Foundation
import MoyeoAPI
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import Threading

@testable import MoyeoServer

/// Requests that the pool answers for the fast path, on connections that say more meanwhile.
@Suite struct HTTPPoolAnswerTests {
  /// More hits than an event loop writes.
  private static let long = "/v1/layers/users/nearby?latitude=37&longitude=127&limit=201"
  private static let short = "/v1/layers/users/positions/p3"

  /// A connection whose pool has no thread left until it is told.
  private struct Connection {
    let channel: NIOAsyncTestingChannel
    let ends = Ends()
    private let release = DispatchSemaphore(value: 0)

    init(_ daemon: RunningDaemon) async throws {
      for i in 0..<5 {
        _ = try await daemon.report(
          [#"{"id":"p\#(i)","latitude":\#(37 + Double(i) / 1000),"longitude":127}"#])
      }
      let (pool, release) = (daemon.pool, release)
      let (begins, beginning) = AsyncStream.makeStream(of: Void.self)
      Task {
        try await pool.run { _ in
          beginning.finish()
          release.wait()
        }
      }
      for await _ in begins {}
      channel = NIOAsyncTestingChannel()
      try await channel.testingEventLoop.executeInContext { [channel, ends] in
        let (deadlines, gate) = daemon.gate()
        try channel.pipeline.syncOperations.addHandlers([
          ReadCounter(ends), deadlines, gate, EventCollector(ends),
        ])
      }
      try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
    }

    func freePool() { release.signal() }

    func send(_ path: String) async throws {
      let head = HTTPRequestHead(
        version: .http1_1, method: .GET, uri: path, headers: HTTPHeaders([("Host", "localhost")]))
      try await channel.writeInbound(HTTPServerRequestPart.head(head))
      try await channel.writeInbound(HTTPServerRequestPart.end(nil))
    }

    func onPipeline(_ work: @escaping @Sendable (ChannelPipeline) -> Void) async throws {
      try await channel.testingEventLoop.executeInContext { [channel] in work(channel.pipeline) }
    }

    func tell(_ event: any Sendable) async throws {
      try await onPipeline { $0.fireUserInboundEventTriggered(event) }
    }

    func answer() async throws -> RawHTTPConnection.Answer {
      let bytes = try await channel.waitForOutboundWrite(as: ByteBuffer.self)
      return try #require(
        RawHTTPConnection.answers(in: Array(bytes.readableBytesView)).first)
    }

    func reads() async throws -> Int {
      try await channel.testingEventLoop.executeInContext { [ends] in ends.reads }
    }

    func events() async throws -> [String] {
      try await channel.testingEventLoop.executeInContext { [ends] in ends.events }
    }
  }

  /// What reaches both ends of a pipeline. It is bound to the event loop.
  private final class Ends: @unchecked Sendable {
    var reads = 0
    var events: [String] = []
  }

  private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    private let ends: Ends
    init(_ ends: Ends) { self.ends = ends }

    func read(context: ChannelHandlerContext) {
      ends.reads += 1
      context.read()
    }
  }

  private final class EventCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    private let ends: Ends
    init(_ ends: Ends) { self.ends = ends }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .head(let head) = Self.unwrapInboundIn(data) { ends.events.append(head.uri) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      ends.events.append("\(type(of: event))")
    }
  }

  @Test("what comes behind a request that the pool answers is answered after it, in order")
  func order() async throws {
    try await RunningDaemon.run { daemon in
      let connection = try await Connection(daemon)
      try await connection.send(Self.long)
      #expect(daemon.pool.waitingCount == 1)
      for path in [Self.short, Self.long, "/v1/layers/users/positions/p4"] {
        try await connection.send(path)
      }
      try await connection.tell(ChannelEvent.inputClosed)
      #expect(try await connection.channel.readOutbound(as: ByteBuffer.self) == nil)
      #expect(try await connection.events().isEmpty)
      connection.freePool()
      for (hits, id) in [(5, nil), (nil, "p3"), (5, nil), (nil, "p4")] as [(Int?, String?)] {
        let answer = try await connection.answer()
        #expect(answer.status == 200)
        if let hits { #expect(answer.body.split(separator: #""id":"#).count == hits + 1) }
        if let id { #expect(answer.body.contains(#""id":"\#(id)""#)) }
      }
      #expect(try await connection.events() == ["ChannelEvent"])
    }
  }

  @Test("nothing is read while the pool works for a connection, and reading goes on after it")
  func reading() async throws {
    try await RunningDaemon.run { daemon in
      let connection = try await Connection(daemon)
      try await connection.send(Self.long)
      let before = try await connection.reads()
      try await connection.onPipeline { $0.read() }
      #expect(try await connection.reads() == before)
      connection.freePool()
      #expect(try await connection.answer().status == 200)
      #expect(try await connection.reads() == before + 1)
    }
  }

  @Test("a daemon that ends closes a connection after its answer is written")
  func quiescing() async throws {
    try await RunningDaemon.run { daemon in
      let connection = try await Connection(daemon)
      try await connection.send(Self.long)
      try await connection.tell(ChannelShouldQuiesceEvent())
      #expect(try await connection.events().isEmpty)
      connection.freePool()
      #expect(try await connection.answer().status == 200)
      #expect(try await connection.events() == ["ChannelShouldQuiesceEvent"])
    }
  }

  @Test("what cannot be read behind such a request is refused behind its answer")
  func parserError() async throws {
    try await RunningDaemon.run { daemon in
      let connection = try await Connection(daemon)
      try await connection.send(Self.long)
      try await connection.onPipeline { $0.fireErrorCaught(HTTPParserError.invalidMethod) }
      connection.freePool()
      #expect(try await connection.answer().status == 200)
      let refusal = try await connection.channel.waitForOutboundWrite(
        as: HTTPServerResponsePart.self)
      guard case .head(let head) = refusal else { throw UnexpectedPart() }
      #expect(head.status == .badRequest)
    }
  }

  private struct UnexpectedPart: Error {}

  @Test("who leaves has nothing done, and who sends much behind it is left")
  func leaving() async throws {
    try await RunningDaemon.run { daemon in
      let connection = try await Connection(daemon)
      try await connection.send(Self.long)
      #expect(daemon.pool.waitingCount == 1)
      try await connection.channel.close()
      #expect(daemon.pool.waitingCount == 0)
      connection.freePool()
      let other = try await Connection(daemon)
      try await other.send(Self.long)
      var sent = 0
      while other.channel.isActive, sent < 10_000 {
        try? await other.send(Self.short)
        sent += 1
      }
      #expect(sent < 10_000)
      #expect(daemon.pool.waitingCount == 0)
      other.freePool()
    }
  }

  @Test("who leaves counts as one whose answer came too late, and nothing unexpected has happened")
  func reasonOfLeaving() {
    struct Unexpected: Error {}
    #expect(APIError(thrown: CancellationError()).reason == .deadlineExceeded)
    #expect(APIError(thrown: APIError.isForPool).isForPool)
    #expect(APIError(thrown: Unexpected()).reason == .internalError)
  }
}
