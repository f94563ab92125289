import GRPCCore
import NIOCore
import Testing
import Threading

@testable import GRPCServerTransport

/// Shutdown, floods and limits of a connection.
@Suite(.timeLimit(.minutes(10)), .overTLSToo) struct ConnectionEndTests {
  private typealias Raw = RawHTTP2Connection

  private static func echoes(_ harness: TransportHarness) async throws -> Bool {
    let works = StateLock(false)
    try await Raw.run(port: harness.port) { connection in
      try await connection.begin("/test.Test/Echo", stream: 1)
      try await connection.send(data: Raw.message([1]), stream: 1, ends: true)
      let answer = try await connection.answer(1)
      works.withLock { $0 = answer?.messages == [[1]] && answer?.status == 0 }
    }
    return works.withLock { $0 }
  }

  @Test func aShutdownLetsRunningCallsEnd() async throws {
    try await TransportHarness.run { harness in
      var events = harness.events.makeAsyncIterator()
      try await Raw.run(port: harness.port) { connection in
        connection.acknowledgesPings = false
        try await connection.begin("/test.Test/Hold", stream: 1, ends: true)
        #expect(await events.next() == "holds")
        harness.server.beginGracefulShutdown()
        var ping: RawFrame?
        while ping == nil, let frame = try await connection.next() {
          if frame.kind == .ping { ping = frame }
        }
        #expect(connection.goAways.map(\.lastStream) == [0x7FFF_FFFF])
        // This one was on its way when the server said so.
        try await connection.begin("/test.Test/Echo", stream: 3)
        try await connection.send(data: Raw.message([3]), stream: 3, ends: true)
        #expect(try await connection.answer(3)?.messages == [[3]])
        try await connection.send(
          .ping, flags: RawFrame.ack, payload: try #require(ping).payload)
        while connection.goAways.count < 2, try await connection.next() != nil {}
        #expect(connection.goAways.last?.lastStream == 3)
        #expect(connection.goAways.map(\.errorCode) == [0, 0])
        harness.gate.open()
        let answer = try await connection.answer(1)
        #expect(answer?.messages == [[1]] && answer?.status == 0)
        // Then the server closes: the test ends only if it does.
        try await connection.drain()
      }
    }
  }

  /// One call runs, and the server has said which call is the last it takes.
  private static func runDraining(
    _ change: (inout FastPathServerTransport.Settings) -> Void = { _ in },
    _ body: @escaping @Sendable (TransportHarness, RawHTTP2Connection) async throws -> Void
  ) async throws {
    try await TransportHarness.run(change) { harness in
      var events = harness.events.makeAsyncIterator()
      try await Raw.run(port: harness.port) { connection in
        try await connection.begin("/test.Test/Hold", stream: 1, ends: true)
        #expect(await events.next() == "holds")
        harness.server.beginGracefulShutdown()
        while connection.goAways.count < 2, try await connection.next() != nil {}
        #expect(connection.goAways.last?.lastStream == 1)
        try await body(harness, connection)
      }
    }
  }

  @Test func aCallThatComesTooLateLeavesTheOthersAlone() async throws {
    try await Self.runDraining { harness, connection in
      try await connection.begin("/test.Test/Echo", stream: 3)
      try await connection.send(data: Raw.message([3]), stream: 3)
      try await connection.send(data: Raw.message([3]), stream: 3, ends: true)
      try await connection.catchUp()
      harness.gate.open()
      let answer = try await connection.answer(1)
      #expect(answer?.messages == [[1]] && answer?.status == 0)
      try await connection.drain()
    }
  }

  @Test func aSilentPeerIsDroppedDuringAShutdownToo() async throws {
    try await Self.runDraining {
      // Pings are answered while the test waits for frames; a slow machine has the second time
      // to begin the call.
      $0.connection.keepaliveInterval = .seconds(1)
      $0.connection.keepaliveTimeout = .seconds(10)
    } _: { _, connection in
      connection.acknowledgesPings = false
      // The call still runs.
      try await connection.drain()
    }
  }

  @Test func aShutdownClosesIdleConnections() async throws {
    try await TransportHarness.run { harness in
      try await Raw.run(port: harness.port) { connection in
        try await connection.begin("/test.Test/Echo", stream: 1)
        try await connection.send(data: Raw.message([1]), stream: 1, ends: true)
        #expect(try await connection.answer(1)?.status == 0)
        harness.server.beginGracefulShutdown()
        try await connection.drain()
        #expect(connection.goAways.count == 2)
      }
    }
  }

  @Test func aPeerThatDoesNotAcknowledgeIsNotWaitedForLong() async throws {
    try await TransportHarness.run {
      $0.connection.goAwayTimeout = .milliseconds(20)
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        connection.acknowledgesPings = false
        _ = try await connection.next()
        harness.server.beginGracefulShutdown()
        try await connection.drain()
      }
    }
  }

  @Test func anIdleConnectionIsEnded() async throws {
    try await TransportHarness.run {
      $0.connection.idle = .milliseconds(20)
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        try await connection.drain()
        #expect(connection.goAways.map(\.errorCode) == [0, 0])
      }
      // Not while a call is open.
      var events = harness.events.makeAsyncIterator()
      try await Raw.run(port: harness.port) { connection in
        try await connection.begin("/test.Test/Hold", stream: 1, ends: true)
        #expect(await events.next() == "holds")
        try await Task.sleep(for: .milliseconds(100))
        #expect(connection.goAways.isEmpty)
        harness.gate.open()
        #expect(try await connection.answer(1)?.status == 0)
      }
    }
  }

  @Test func aSilentPeerThatAnswersPingsStays() async throws {
    try await TransportHarness.run {
      $0.connection.keepaliveInterval = .milliseconds(10)
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        var pings = 0
        while pings < 3, let frame = try await connection.next() {
          if frame.kind == .ping { pings += 1 }
        }
        #expect(pings == 3)
      }
    }
  }

  @Test func aSilentPeerThatDoesNotIsDropped() async throws {
    try await TransportHarness.run {
      $0.connection.keepaliveInterval = .milliseconds(10)
      $0.connection.keepaliveTimeout = .milliseconds(10)
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        connection.acknowledgesPings = false
        try await connection.drain()
      }
    }
  }

  @Test func aFloodOfPingsEndsTheConnection() async throws {
    try await TransportHarness.run { harness in
      try await Raw.run(port: harness.port) { connection in
        for i in 0..<4 { try await connection.ping(UInt64(i)) }
        try await connection.drain()
        // ENHANCE_YOUR_CALM
        #expect(connection.goAways.last?.errorCode == 11)
      }
      // Pings between answers are those of a client that measures its bandwidth.
      try await Raw.run(port: harness.port) { connection in
        for i in 0..<20 {
          try await connection.ping(UInt64(i))
          try await connection.begin("/test.Test/Echo", stream: i * 2 + 1)
          try await connection.send(data: Raw.message([1]), stream: i * 2 + 1, ends: true)
          #expect(try await connection.answer(i * 2 + 1)?.status == 0)
        }
        #expect(connection.goAways.isEmpty)
      }
    }
  }

  @Test(arguments: [false, true])
  func streamsBeyondTheLimitAreRefused(acknowledged: Bool) async throws {
    try await TransportHarness.run {
      $0.maximumStreamsPerConnection = 3
    } _: { harness in
      var events = harness.events.makeAsyncIterator()
      try await Raw.run(port: harness.port) { connection in
        if acknowledged { try await connection.settle() }
        for stream in [1, 3, 5] {
          try await connection.begin("/test.Test/Hold", stream: stream, ends: true)
          #expect(await events.next() == "holds")
        }
        try await connection.begin("/test.Test/Hold", stream: 7, ends: true)
        // The stream is refused, or the connection: never served.
        while let frame = try await connection.next(), frame.kind != .reset {}
        #expect(connection.answers[7]?.headers.isEmpty ?? true)
        guard !acknowledged else { return }
        #expect(connection.answers[7]?.reset == 7, "REFUSED_STREAM: worth another try")
        harness.gate.open()
        #expect(try await connection.answer(1)?.status == 0)
      }
      #expect(try await Self.echoes(harness))
    }
  }

  @Test func hugeHeadersAreRefused() async throws {
    try await TransportHarness.run { harness in
      try await Raw.run(port: harness.port) { connection in
        let huge = String(repeating: "h", count: 40_000)
        var block = try connection.block("/test.Test/Echo", adding: [("x-echo", huge)])
        var isFirst = true
        while let piece = block.readSlice(length: min(16_000, block.readableBytes)),
          piece.readableBytes > 0
        {
          let flags = block.readableBytes == 0 ? RawFrame.endHeaders : 0
          try await connection.send(
            isFirst ? .headers : .continuation, flags: flags, stream: 1, payload: piece)
          isFirst = false
        }
        _ = try await connection.answer(1)
        #expect(connection.answers[1]?.status != 0)
      }
      #expect(try await Self.echoes(harness))
    }
  }

  @Test func aFloodOfResetsEndsTheConnection() async throws {
    try await TransportHarness.run {
      $0.connection.resetBurst = 200
      $0.connection.resetsPerSecond = 0
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        for i in 0..<300 {
          var bytes = Raw.frame(
            .headers, flags: RawFrame.endHeaders, stream: i * 2 + 1,
            payload: try connection.block("/test.Test/Unary"))
          bytes.writeImmutableBuffer(
            Raw.frame(.reset, stream: i * 2 + 1, payload: ByteBuffer(integer: UInt32(8))))
          do { try await connection.send(bytes) } catch { break }
        }
        try await connection.drain()
        #expect(connection.goAways.last?.errorCode == 11)
      }
      #expect(try await Self.echoes(harness))
    }
  }

  @Test func framesThatAreNoneEndTheConnection() async throws {
    try await TransportHarness.run { harness in
      let bad: [ByteBuffer] = [
        // Data of a stream that never was; on the connection's own stream.
        Raw.frame(.data, stream: 9, payload: ByteBuffer(bytes: [1])),
        Raw.frame(.data, stream: 0, payload: ByteBuffer(bytes: [1])),
        // A window update of nothing; settings of a length that is none.
        Raw.frame(.windowUpdate, stream: 0, payload: ByteBuffer(integer: UInt32(0))),
        Raw.frame(.settings, payload: ByteBuffer(bytes: [1, 2, 3])),
        // Larger than a frame may be.
        Raw.frame(.data, stream: 1, payload: ByteBuffer(repeating: 0, count: 20_000)),
        // A stream of the server's numbers; headers that are not HPACK.
        Raw.frame(.headers, flags: RawFrame.endHeaders, stream: 2, payload: ByteBuffer()),
        Raw.frame(
          .headers, flags: RawFrame.endHeaders, stream: 1,
          payload: ByteBuffer(repeating: 0xFF, count: 40)),
      ]
      for bytes in bad {
        try await Raw.run(port: harness.port) { connection in
          try await connection.send(bytes)
          try await connection.drain()
        }
      }
      #expect(try await Self.echoes(harness))
    }
  }
}
