import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import MoyeoServer

/// Connections that dawdle, on a clock that the test moves.
@Suite struct HTTPDeadlineTests {
  private struct Connection {
    let channel = EmbeddedChannel()
    let deadlines: HTTPDeadlines

    init() throws {
      let deadlines = HTTPDeadlines(limits: HTTPTimeLimits())
      self.deadlines = deadlines
      let policy = RequestHeadPolicy(
        hosts: HostAllowList(bound: "127.0.0.1", names: []), origins: CrossOrigin(origins: [])
      ) { _, _ in nil }
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(deadlines)
      try pipeline.configureHTTPServerPipeline(
        withPipeliningAssistance: false, withErrorHandling: false)
      try pipeline.addHandler(
        HTTPRequestGate(policy: policy, deadlines: deadlines) { _, _, _ in "refused" })
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    func send(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    func answer() throws {
      let head = HTTPResponseHead(version: .http1_1, status: .ok)
      try channel.writeOutbound(HTTPServerResponsePart.head(head))
      try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    }

    /// Whether the connection is open after so many seconds more.
    func isOpen(after seconds: Int64) -> Bool {
      channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
      return channel.isActive
    }
  }

  private static let head = "POST /v1/batch HTTP/1.1\r\nHost: localhost\r\n"

  @Test func silentConnectionsEnd() throws {
    let connection = try Connection()
    #expect(connection.isOpen(after: 59))
    #expect(!connection.isOpen(after: 2))
  }

  /// A byte every three seconds is no progress.
  @Test func headsHaveATime() throws {
    let connection = try Connection()
    var sent = 0
    for byte in Self.head {
      guard connection.isOpen(after: 3) else { break }
      try connection.send(String(byte))
      sent += 1
    }
    #expect(!connection.channel.isActive && sent <= 6)
  }

  @Test func bodiesHaveATimeAndARate() throws {
    let slow = try Connection()
    try slow.send(Self.head + "Content-Length: 1000000\r\n\r\n")
    var sent = 0
    while slow.isOpen(after: 3), sent < 100 {
      try slow.send("x")
      sent += 1
    }
    #expect(!slow.channel.isActive && sent <= 11)
    // At the rate that is asked for it may take longer.
    let steady = try Connection()
    try steady.send(Self.head + "Content-Length: 1000000\r\n\r\n")
    for _ in 0..<12 {
      try steady.send(String(repeating: "x", count: 5 * 16 * 1024))
      #expect(steady.isOpen(after: 5))
    }
  }

  /// Calls have limits of their own; after the answer the connection idles anew.
  @Test func callsAreNotTimedHere() throws {
    let connection = try Connection()
    try connection.send(Self.head + "Content-Length: 2\r\n\r\n{}")
    #expect(connection.deadlines.phase == .answering)
    #expect(connection.isOpen(after: 600))
    try connection.answer()
    #expect(connection.deadlines.phase == .idle)
    #expect(connection.isOpen(after: 59))
    #expect(!connection.isOpen(after: 2))
  }

  @Test func refusedRequestsAreTimedToo() throws {
    let connection = try Connection()
    try connection.send("GET / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 9\r\n\r\n")
    #expect(connection.isOpen(after: 29))
    #expect(!connection.isOpen(after: 16))
  }
}
