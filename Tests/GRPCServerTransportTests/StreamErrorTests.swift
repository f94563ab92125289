import GRPCCore
import NIOCore
import Testing

@testable import GRPCServerTransport

/// What is wrong with one stream ends that stream, and no other (RFC 9113, 5.4.2).
@Suite(.timeLimit(.minutes(10)), .overTLSToo) struct StreamErrorTests {
  private typealias Raw = RawHTTP2Connection

  enum Mistake: CaseIterable, Sendable {
    case lessThanSaid, moreThanSaid, dataAfterTheEnd, headersAfterTheEnd, trailersThatDoNotEnd
    case windowOverflow, badTrailers, noPath, capitals, ofHTTP1

    /// RFC 9113, 7.
    var code: UInt32 {
      switch self {
      case .dataAfterTheEnd, .headersAfterTheEnd: 5
      case .windowOverflow: 3
      default: 1
      }
    }
  }

  private static func make(_ mistake: Mistake, _ connection: Raw, stream: Int, path: String)
    async throws
  {
    // x-end: 1, and :path: /, literals that are not indexed (RFC 7541, 6.2.2).
    let trailers = ByteBuffer(bytes: [0x00, 5] + Array("x-end".utf8) + [1] + Array("1".utf8))
    let pseudo = ByteBuffer(bytes: [0x04, 1] + Array("/".utf8))
    func headers(_ block: ByteBuffer, ends: Bool) async throws {
      try await connection.send(
        .headers, flags: RawFrame.endHeaders | (ends ? RawFrame.endStream : 0), stream: stream,
        payload: block)
    }
    switch mistake {
    case .lessThanSaid, .moreThanSaid:
      let said = mistake == .lessThanSaid ? "100" : "2"
      try await connection.begin(path, stream: stream, adding: [("content-length", said)])
      try await connection.send(data: Raw.message([1]), stream: stream, ends: true)
    case .dataAfterTheEnd:
      try await connection.begin("/test.Test/Hold", stream: stream, ends: true)
      try await connection.send(data: Raw.message([1]), stream: stream)
    case .headersAfterTheEnd:
      try await connection.begin("/test.Test/Hold", stream: stream, ends: true)
      try await headers(trailers, ends: true)
    case .trailersThatDoNotEnd:
      try await connection.begin(path, stream: stream)
      try await headers(trailers, ends: false)
    case .badTrailers:
      try await connection.begin(path, stream: stream)
      try await headers(pseudo, ends: true)
    case .noPath:
      try await connection.begin(path, stream: stream, replacing: [":path": nil])
    case .capitals:
      try await connection.begin(path, stream: stream, adding: [("X-End", "1")])
    case .ofHTTP1:
      try await connection.begin(path, stream: stream, adding: [("connection", "close")])
    case .windowOverflow:
      try await connection.begin(path, stream: stream)
      try await connection.refill(stream, by: 0x7FFF_FFFF)
    }
  }

  @Test(arguments: Mistake.allCases, ["/test.Test/Echo", "/fast.Fast/Unary"])
  func otherCallsGoOn(mistake: Mistake, path: String) async throws {
    let recorder = NoRecorder()
    try await TransportHarness.run {
      $0.fastPathMethods = [
        "/fast.Fast/Unary": FastPathMethod(
          maximumRequestBytes: 1000, recorder: recorder, kind: .unary { Array($0) })
      ]
    } _: { harness in
      var events = harness.events.makeAsyncIterator()
      try await Raw.run(port: harness.port) { connection in
        try await connection.begin("/test.Test/Hold", stream: 1, ends: true)
        #expect(await events.next() == "holds")
        try await Self.make(mistake, connection, stream: 3, path: path)
        #expect(try await connection.answer(3)?.reset == mistake.code)
        try await connection.begin(path, stream: 5)
        try await connection.send(data: Raw.message([5]), stream: 5, ends: true)
        #expect(try await connection.answer(5)?.messages == [[5]])
        harness.gate.open()
        let answer = try await connection.answer(1)
        #expect(answer?.messages == [[1]] && answer?.status == 0)
        try await connection.catchUp()
        #expect(connection.goAways.isEmpty)
        // No stream is taken to be open: a shutdown closes the connection.
        harness.server.beginGracefulShutdown()
        try await connection.drain()
      }
    }
  }

  @Test func aFloodOfThemEndsTheConnection() async throws {
    try await TransportHarness.run { harness in
      try await Raw.run(port: harness.port) { connection in
        for i in 0..<300 {
          try await Self.make(
            .moreThanSaid, connection, stream: i * 2 + 1, path: "/test.Test/Echo")
        }
        try await connection.drain()
        // ENHANCE_YOUR_CALM
        #expect(connection.goAways.last?.errorCode == 11)
      }
    }
  }
}
