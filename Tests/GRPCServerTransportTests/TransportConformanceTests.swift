import GRPCCore
import NIOCore
import Testing
import Threading

@testable import GRPCServerTransport

/// What the transport owes HTTP/2 and gRPC, frame by frame.
@Suite(.timeLimit(.minutes(10)), .overTLSToo) struct TransportConformanceTests {
  private typealias Raw = RawHTTP2Connection

  /// One call with a whole request, on a connection of its own.
  private static func call(
    _ port: Int, _ path: String, _ body: ByteBuffer? = Raw.message([1, 2, 3]),
    replacing: [String: String?] = [:], adding: [(String, String)] = []
  ) async throws -> RawAnswer? {
    let answer = StateLock<RawAnswer?>(nil)
    try await Raw.run(port: port) { connection in
      try await connection.begin(
        path, stream: 1, replacing: replacing, adding: adding, ends: body == nil)
      if let body { try await connection.send(data: body, stream: 1, ends: true) }
      let given = try await connection.answer(1)
      answer.withLock { $0 = given }
    }
    return answer.withLock { $0 }
  }

  // Beginnings.

  @Test(arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\nzzzz"])
  func aBadPrefaceEndsTheConnection(preface: String) async throws {
    try await TransportHarness.run { harness in
      try await Raw.run(port: harness.port, greets: false) { connection in
        try await connection.send(ByteBuffer(string: preface))
        try await connection.drain()
      }
      #expect(try await Self.call(harness.port, "/test.Test/Echo")?.status == 0)
    }
  }

  @Test func headersThatBeginNoCallAreRefused() async throws {
    try await TransportHarness.run { harness in
      let port = harness.port
      for path in ["/test.Test/None", "/none.None/Echo", "/test.Test", "test", "//", "/a/b/c", "*"]
      {
        let answer = try await Self.call(port, path)
        #expect(answer?.header(":status") == "200" && answer?.status == 12, "\(path)")
        #expect(answer?.reason == "unknown_method", "\(path)")
      }
      for type in ["application/json", "text/plain", "application/grpcx", ""] {
        let answer = try await Self.call(
          port, "/test.Test/Echo", replacing: ["content-type": type])
        #expect(answer?.header(":status") == "415" && answer?.status == nil, "\(type)")
      }
      let untyped = try await Self.call(port, "/test.Test/Echo", replacing: ["content-type": nil])
      #expect(untyped?.header(":status") == "415")
      let put = try await Self.call(port, "/test.Test/Echo", replacing: [":method": "PUT"])
      #expect(put?.status == 3 && put?.reason == "malformed_request")
      let ftp = try await Self.call(port, "/test.Test/Echo", replacing: [":scheme": "ftp"])
      #expect(ftp?.status == 3 && ftp?.reason == "malformed_request")
      // Against HTTP/2 itself: the stream is reset, or the connection ended.
      let pathless = try await Self.call(port, "/", replacing: [":path": nil])
      #expect(pathless?.status == nil)
    }
  }

  @Test func anUnknownEncodingIsRefusedWithWhatIsTaken() async throws {
    try await TransportHarness.run { harness in
      for name in ["deflate", "snappy", "GZIP", "gzip,identity", ""] {
        let other = try await Self.call(
          harness.port, "/test.Test/Echo", adding: [("grpc-encoding", name)])
        #expect(other?.status == 12, "\(name)")
        #expect(other?.header("grpc-accept-encoding") == "identity,gzip")
        #expect(other?.reason == "unsupported_encoding")
      }
      let identity = try await Self.call(
        harness.port, "/test.Test/Echo",
        adding: [("grpc-encoding", "identity"), ("grpc-accept-encoding", "gzip, deflate")])
      #expect(identity?.status == 0 && identity?.messages == [[1, 2, 3]])
      #expect(identity?.header("grpc-encoding") == nil)
      let flagged = try await Self.call(
        harness.port, "/test.Test/Echo", Raw.message([1, 2, 3], flag: 1))
      #expect(flagged?.status == 3, "\(String(describing: flagged))")
    }
  }

  // Requests in pieces.

  @Test func messagesMayBeCutAnywhere() async throws {
    try await TransportHarness.run { harness in
      var body = Raw.message([1, 2, 3, 4, 5])
      body.writeImmutableBuffer(Raw.message([]))
      body.writeImmutableBuffer(Raw.message([6]))
      let whole = body
      for size in [1, 2, 3, 4, 5, 6, 7, 11, 100] {
        try await Raw.run(port: harness.port) { connection in
          try await connection.begin("/test.Test/Echo", stream: 1)
          var rest = whole
          while let piece = rest.readSlice(length: min(size, rest.readableBytes)),
            piece.readableBytes > 0
          {
            try await connection.send(data: piece, stream: 1)
          }
          try await connection.send(data: ByteBuffer(), stream: 1, ends: true)
          let answer = try await connection.answer(1)
          #expect(answer?.messages == [[1, 2, 3, 4, 5], [], [6]], "\(size)")
          #expect(answer?.status == 0)
        }
      }
    }
  }

  @Test func headersMayContinueAndFramesBePadded() async throws {
    try await TransportHarness.run { harness in
      try await Raw.run(port: harness.port) { connection in
        var block = try connection.block("/test.Test/Echo", adding: [("x-echo", "속")])
        let first = block.readSlice(length: 7) ?? ByteBuffer()
        let second = block.readSlice(length: 1) ?? ByteBuffer()
        try await connection.send(.headers, stream: 1, payload: first)
        try await connection.send(.continuation, stream: 1, payload: second)
        try await connection.send(
          .continuation, flags: RawFrame.endHeaders, stream: 1, payload: block)
        var padded = ByteBuffer(bytes: [4])
        padded.writeImmutableBuffer(Raw.message([8]))
        padded.writeBytes([0, 0, 0, 0])
        try await connection.send(
          .data, flags: RawFrame.padded | RawFrame.endStream, stream: 1, payload: padded)
        let answer = try await connection.answer(1)
        #expect(answer?.messages == [[8]] && answer?.status == 0)
      }
    }
  }

  @Test func aRequestMayEndWithTrailersOrInsideAMessage() async throws {
    try await TransportHarness.run { harness in
      try await Raw.run(port: harness.port) { connection in
        try await connection.begin("/test.Test/Echo", stream: 1)
        try await connection.send(data: Raw.message([1]), stream: 1)
        var block = ByteBuffer()
        // x-end: 1, a literal that is not indexed (RFC 7541, 6.2.2).
        block.writeBytes([0x00, 5] + Array("x-end".utf8) + [1] + Array("1".utf8))
        try await connection.send(
          .headers, flags: RawFrame.endHeaders | RawFrame.endStream, stream: 1, payload: block)
        let answer = try await connection.answer(1)
        #expect(answer?.messages == [[1]] && answer?.status == 0)
        // Cut off: the length says five.
        var cut = Raw.message([1, 2, 3, 4, 5])
        let part = cut.readSlice(length: 8) ?? ByteBuffer()
        try await connection.begin("/test.Test/Echo", stream: 3)
        try await connection.send(data: part, stream: 3, ends: true)
        #expect(try await connection.answer(3)?.status == 3)
      }
    }
  }

  @Test func aMessageTooLargeIsRefusedBeforeItIsSent() async throws {
    try await TransportHarness.run {
      $0.maximumMessageBytes = 1000
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        try await connection.begin("/test.Test/Echo", stream: 1)
        var start = ByteBuffer(bytes: [0])
        start.writeInteger(UInt32(1001))
        try await connection.send(data: start, stream: 1)
        let answer = try await connection.answer(1)
        #expect(answer?.status == 8 && answer?.reason == "message_too_large")
        // The rest is not wanted, and that is no error.
        let frame = try await connection.next()
        #expect(frame?.kind == .reset && frame?.errorCode == 0)
        try await connection.begin("/test.Test/Echo", stream: 3)
        let most = [UInt8](repeating: 5, count: 1000)
        try await connection.send(data: Raw.message(most), stream: 3, ends: true)
        #expect(try await connection.answer(3)?.messages == [most])
      }
    }
  }

  // Metadata, status.

  @Test func metadataGoesBothWays() async throws {
    try await TransportHarness.run { harness in
      let answer = try await Self.call(
        harness.port, "/test.Test/Echo",
        adding: [
          ("x-echo", "one"), ("x-echo", "two"), ("x-echo-bin", "AAEC"), ("x-echo-bin", "/w"),
          ("x-echo-bin", "/w==,AQ"),
        ])
      #expect(answer?.headers.filter { $0.name == "x-echo" }.map(\.value) == ["one", "two"])
      let binary = answer?.headers.filter { $0.name == "x-echo-bin" }.map(\.value)
      #expect(binary?.map { $0.filter { $0 != "=" } } == ["AAEC", "/w", "/w", "AQ"])
      #expect(answer?.status == 0, "\(String(describing: answer))")
      var turned: [String] = []
      for (name, value) in answer?.trailers ?? [] where name == "x-turned-bin" {
        turned.append(value)
      }
      #expect(turned == ["AgEA", "/w==", "/w==", "AQ=="])
    }
  }

  @Test func aStatusMessageIsPercentEncoded() async throws {
    try await TransportHarness.run { harness in
      let answer = try await Self.call(harness.port, "/test.Test/Fail")
      #expect(answer?.status == 9)
      #expect(answer?.trailer("grpc-message") == "%EC%95%88 %EB%90%A8 100%25%0A")
    }
  }

  // Ends.

  @Test func aResetCancelsTheCall() async throws {
    try await TransportHarness.run { harness in
      var events = harness.events.makeAsyncIterator()
      try await Raw.run(port: harness.port) { connection in
        try await connection.begin("/test.Test/Cancelled", stream: 1)
        #expect(await events.next() == "waits")
        try await connection.reset(1)
        #expect(await events.next() == "cancelled")
        // The connection serves on.
        try await connection.begin("/test.Test/Echo", stream: 3)
        try await connection.send(data: Raw.message([3]), stream: 3, ends: true)
        #expect(try await connection.answer(3)?.messages == [[3]])
      }
    }
  }

  @Test func aLostConnectionCancelsTheCall() async throws {
    try await TransportHarness.run { harness in
      var events = harness.events.makeAsyncIterator()
      try await Raw.run(port: harness.port) { connection in
        try await connection.begin("/test.Test/Cancelled", stream: 1)
        #expect(await events.next() == "waits")
      }
      #expect(await events.next() == "cancelled")
    }
  }

  @Test(arguments: ["20m", "20000u", "1n", "20000000n"])
  func aDeadlineCancelsTheCall(timeout: String) async throws {
    try await TransportHarness.run { harness in
      let answer = try await Self.call(
        harness.port, "/test.Test/Cancelled", adding: [("grpc-timeout", timeout)])
      #expect(answer?.status == 4)
    }
  }

  @Test(arguments: ["99999999H", "99999999M", "1x", "H", "", "123456789S", "-1S", "+1S"])
  func oddTimeoutsDoNoHarm(timeout: String) async throws {
    try await TransportHarness.run { harness in
      let answer = try await Self.call(
        harness.port, "/test.Test/Echo", adding: [("grpc-timeout", timeout)])
      #expect(answer?.status == 0 && answer?.messages == [[1, 2, 3]])
    }
  }

  @Test func anEarlyAnswerEndsTheRequestToo() async throws {
    try await TransportHarness.run { harness in
      try await Raw.run(port: harness.port) { connection in
        try await connection.begin("/test.Test/Early", stream: 1)
        let answer = try await connection.answer(1)
        #expect(answer?.status == 0 && answer?.messages == [[9]])
        let frame = try await connection.next()
        #expect(frame?.kind == .reset && frame?.errorCode == 0)
      }
    }
  }

  // Flow control.

  @Test(arguments: [0, 100, 8_000, 8_200, 70_000, 3_000_000])
  func longAnswersArrive(length: Int) async throws {
    try await TransportHarness.run { harness in
      let wanted = ByteBuffer(integer: UInt32(length))
      let answer = try await Self.call(
        harness.port, "/test.Test/Unary", Raw.message(Array(wanted.readableBytesView)))
      #expect(answer?.messages.first?.count == length && answer?.status == 0)
    }
  }

  @Test func aReaderThatTakesNothingHoldsTheWriter() async throws {
    try await TransportHarness.run { harness in
      let written = StateLock(0)
      let counting = Task {
        for await event in harness.events where event.hasPrefix("wrote") {
          written.withLock { $0 += 1 }
        }
      }
      try await Raw.run(port: harness.port) { connection in
        connection.refillsWindows = false
        try await connection.begin("/test.Test/Flood", stream: 1, ends: true)
        var taken = 0
        // The window is spent.
        while taken < 65_535, let frame = try await connection.next() {
          if frame.kind == .data { taken += frame.payload.readableBytes }
        }
        // A round trip later the writer has had its chance to run on.
        try await connection.ping(1)
        while let frame = try await connection.next(), frame.kind != .ping {}
        #expect(written.withLock { $0 } < 20, "6 messages fill the window")
        connection.refillsWindows = true
        try await connection.refill(0, by: 65_535)
        try await connection.refill(1, by: 65_535)
        let answer = try await connection.answer(1)
        #expect(answer?.status == 0)
        #expect(answer?.messages.count == 400)
        #expect(
          answer?.messages.enumerated().allSatisfy { $0.element.first == UInt8($0.offset & 0xFF) }
            == true)
      }
      counting.cancel()
    }
  }

  @Test func manyCallsInOneWriteAreAllAnswered() async throws {
    try await TransportHarness.run { harness in
      try await Raw.run(port: harness.port) { connection in
        var bytes = ByteBuffer()
        let streams = (0..<100).map { $0 * 2 + 1 }
        for stream in streams {
          bytes.writeImmutableBuffer(
            Raw.frame(
              .headers, flags: RawFrame.endHeaders, stream: stream,
              payload: try connection.block("/test.Test/Echo")))
        }
        for stream in streams {
          bytes.writeImmutableBuffer(
            Raw.frame(
              .data, flags: RawFrame.endStream, stream: stream,
              payload: Raw.message([UInt8(stream & 0xFF)])))
        }
        try await connection.send(bytes)
        var ended = Set<Int>()
        while ended.count < 100, let frame = try await connection.next() {
          if frame.endsStream { ended.insert(frame.stream) }
        }
        for stream in streams {
          #expect(connection.answers[stream]?.messages == [[UInt8(stream & 0xFF)]])
          #expect(connection.answers[stream]?.status == 0)
        }
      }
    }
  }
}
