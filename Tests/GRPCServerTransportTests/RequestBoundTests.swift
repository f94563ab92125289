import GRPCCore
import NIOCore
import Testing

@testable import GRPCServerTransport

/// Requests that do not arrive: what they may hold, and for how long.
@Suite(.timeLimit(.minutes(10))) struct RequestBoundTests {
  private typealias Raw = RawHTTP2Connection

  static let unary = "/fast.Fast/Unary"
  static let stream = "/fast.Fast/Stream"
  static let streamHandler = "/test.Test/Unary"

  private final class Session: FastPathStream {
    func answer(_ message: UnsafeRawBufferPointer) throws(CallRefusal) -> [UInt8] { [1] }
  }

  private static func run(
    memory: RequestMemory = RequestMemory(maximumBytes: 1 << 30),
    _ change: @escaping (inout FastPathServerTransport.Settings) -> Void = { _ in },
    _ body: @escaping @Sendable (TransportHarness) async throws -> Void
  ) async throws {
    try await TransportHarness.run {
      $0.fastPathMethods = [
        unary: FastPathMethod(
          maximumRequestBytes: 1 << 20, recorder: NoRecorder(), kind: .unary { _ in [1] }),
        stream: FastPathMethod(
          maximumRequestBytes: 1 << 20, recorder: NoRecorder(), kind: .stream { Session() }),
      ]
      $0.requestMemory = memory
      change(&$0)
    } _: {
      try await body($0)
    }
  }

  /// A message of `length` bytes, the last of them missing.
  private static func unfinished(_ length: Int) -> ByteBuffer {
    var out = ByteBuffer(bytes: [0])
    out.writeInteger(UInt32(length))
    out.writeBytes([UInt8](repeating: 0, count: length - 1))
    return out
  }

  private static func send(
    _ connection: Raw, _ bytes: ByteBuffer, stream: Int, sent: inout Int
  ) async throws {
    var (bytes, here) = (bytes, 0)
    while bytes.readableBytes > 0, connection.answers[stream]?.status == nil {
      let piece = bytes.readSlice(length: min(16_000, bytes.readableBytes)) ?? ByteBuffer()
      sent += piece.readableBytes
      here += piece.readableBytes
      while sent > 65_535 + connection.refilled[0, default: 0]
        || here > 65_535 + connection.refilled[stream, default: 0],
        connection.answers[stream]?.status == nil
      {
        _ = try await connection.next()
      }
      try await connection.send(data: piece, stream: stream)
    }
  }

  private static func refusal(_ connection: Raw, _ stream: Int) async throws -> RawAnswer? {
    while connection.answers[stream]?.status == nil, try await connection.next() != nil {}
    return connection.answers[stream]
  }

  /// Three connections with 100 unfinished requests of 4 MB each held 1.2 GB.
  @Test(arguments: [unary, stream, streamHandler])
  func aConnectionHoldsSoManyBytesOfUnfinishedRequests(path: String) async throws {
    let memory = RequestMemory(maximumBytes: 1 << 30)
    try await Self.run(memory: memory) {
      $0.maximumRequestBytesPerConnection = 1_000_000
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        var sent = 0
        // Nine of 100 kB fit with the room that each step of the budget takes.
        for i in 0..<9 {
          try await connection.begin(path, stream: 2 * i + 1)
          try await Self.send(connection, Self.unfinished(100_000), stream: 2 * i + 1, sent: &sent)
        }
        try await connection.catchUp()
        #expect(connection.answers.isEmpty)
        #expect((800_000...1_000_000).contains(memory.takenBytes))
        try await connection.begin(path, stream: 19)
        try await Self.send(connection, Self.unfinished(150_000), stream: 19, sent: &sent)
        let refused = try await Self.refusal(connection, 19)
        #expect(refused?.status == 8 && refused?.reason == "too_many_request_bytes")
        // What it held is free again, and the others can be finished.
        try await connection.reset(1)
        try await connection.send(data: ByteBuffer(bytes: [0]), stream: 3, ends: true)
        #expect(try await connection.answer(3)?.status == 0)
        try await connection.begin(path, stream: 21)
        try await connection.send(data: Raw.message([0, 0, 0, 1]), stream: 21, ends: true)
        #expect(try await connection.answer(21)?.status == 0)
        #expect(connection.goAways.isEmpty)
      }
      #expect(await harness.count("too_many_request_bytes", reaching: 1) == 1)
    }
    #expect(memory.takenBytes == 0)
  }

  /// Whoever else has used the process's budget up.
  @Test func smallRequestsAreServedWhenTheBudgetIsUsedUp() async throws {
    let memory = RequestMemory(maximumBytes: 200_000)
    try await Self.run(memory: memory) { harness in
      try await Raw.run(port: harness.port) { first in
        var sent = 0
        try await first.begin(Self.unary, stream: 1)
        try await Self.send(first, Self.unfinished(200_000), stream: 1, sent: &sent)
        try await first.catchUp()
        try await Raw.run(port: harness.port) { second in
          var sent = 0
          try await second.begin(Self.unary, stream: 1)
          try await Self.send(second, Self.unfinished(500_000), stream: 1, sent: &sent)
          #expect(try await Self.refusal(second, 1)?.status == 8)
          // In two pieces.
          for (stream, path) in [(3, Self.unary), (5, Self.streamHandler)] {
            var whole = Raw.message([0, 0, 0, 1] + [UInt8](repeating: 0, count: 5000))
            let half = whole.readSlice(length: 2500) ?? ByteBuffer()
            try await second.begin(path, stream: stream)
            try await second.send(data: half, stream: stream)
            try await second.catchUp()
            try await second.send(data: whole, stream: stream, ends: true)
            #expect(try await second.answer(stream)?.status == 0)
          }
        }
      }
    }
    #expect(memory.takenBytes == 0)
  }

  /// A byte now and then keeps no request alive.
  @Test(arguments: [unary, stream, streamHandler])
  func aRequestThatDoesNotArriveIsDropped(path: String) async throws {
    try await Self.run {
      $0.connection.requestTimeout = .milliseconds(100)
    } _: { harness in
      var events = harness.events.makeAsyncIterator()
      try await Raw.run(port: harness.port) { connection in
        // One that has arrived, and whose answer takes longer.
        try await connection.begin("/test.Test/Hold", stream: 1, ends: true)
        #expect(await events.next() == "holds")
        try await connection.begin(path, stream: 3)
        try await connection.send(data: Self.unfinished(10), stream: 3)
        let dropped = try await connection.answer(3)
        #expect(dropped?.status == 4 && dropped?.reason == "request_timed_out")
        harness.gate.open()
        #expect(try await connection.answer(1)?.status == 0)
        #expect(connection.goAways.isEmpty)
      }
      #expect(await harness.count("request_timed_out", reaching: 1) == 1)
    }
  }

  /// A stream whose messages arrive lasts as long as the caller likes.
  @Test func aStreamBetweenMessagesIsNotDropped() async throws {
    try await Self.run {
      $0.connection.requestTimeout = .milliseconds(20)
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        try await connection.begin(Self.stream, stream: 1)
        try await connection.send(data: Raw.message([1]), stream: 1)
        try await connection.begin("/test.Test/Echo", stream: 3)
        try await connection.send(data: Raw.message([1]), stream: 3)
        // Three requests that are dropped, one after the other, pass the time.
        for stream in [5, 7, 9] {
          try await connection.begin(Self.unary, stream: stream)
          #expect(try await connection.answer(stream)?.status == 4)
        }
        for stream in [1, 3] {
          try await connection.send(data: Raw.message([1]), stream: stream, ends: true)
        }
        while connection.answers[1]?.status == nil || connection.answers[3]?.status == nil,
          try await connection.next() != nil
        {}
        #expect(connection.answers[1]?.messages == [[1], [1]])
        #expect(connection.answers[3]?.messages == [[1], [1]])
      }
    }
  }

  /// HEADERS without an end: no stream, no call, and nothing else comes.
  @Test func aFrameThatDoesNotArriveEndsTheConnection() async throws {
    try await Self.run {
      $0.connection.requestTimeout = .milliseconds(20)
      $0.connection.keepaliveTimeout = .milliseconds(20)
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        connection.acknowledgesPings = false
        // What comes next comes alone.
        try await connection.catchUp()
        let block = try connection.block(Self.unary)
        var bytes = Raw.frame(
          .headers, flags: RawFrame.endHeaders, stream: 1, payload: block)
        try await connection.send(bytes.readSlice(length: 20) ?? ByteBuffer())
        try await connection.drain()
      }
      #expect(await harness.count("no_answer_to_ping", reaching: 1) == 1)
    }
  }

  @Test(arguments: [0, 1, 23, 24, 33, 35])
  func aConnectionWithoutAPrefaceIsClosed(length: Int) async throws {
    try await Self.run {
      $0.connection.prefaceTimeout = .milliseconds(50)
    } _: { harness in
      try await Raw.run(port: harness.port, greets: false) { connection in
        // An acknowledgement would complete what is missing.
        connection.acknowledgesSettings = false
        var preface = Raw.preface
        var settings = ByteBuffer(integer: UInt16(4))
        settings.writeInteger(UInt32(65_535))
        preface.writeImmutableBuffer(Raw.frame(.settings, payload: settings))
        try await connection.send(preface.readSlice(length: length) ?? ByteBuffer())
        try await connection.drain()
      }
      #expect(await harness.count("no_preface", reaching: 1) == 1)
    }
  }

  @Test func aPrefaceMayComeByteByByte() async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port, greets: false) { connection in
        var bytes = Raw.preface
        bytes.writeImmutableBuffer(Raw.frame(.settings, payload: ByteBuffer()))
        bytes.writeImmutableBuffer(
          Raw.frame(.headers, flags: 4, stream: 1, payload: try connection.block(Self.unary)))
        connection.acknowledgesSettings = false
        // The peer's acknowledgement amid its calls.
        bytes.writeImmutableBuffer(Raw.frame(.settings, flags: 1, payload: ByteBuffer()))
        bytes.writeImmutableBuffer(
          Raw.frame(.data, flags: 1, stream: 1, payload: Raw.message([1])))
        while let byte = bytes.readSlice(length: 1) { try await connection.send(byte) }
        #expect(try await connection.answer(1)?.status == 0)
      }
    }
  }

  @Test func aConnectionWithoutACallIsEnded() async throws {
    try await Self.run {
      $0.connection.firstCallTimeout = .milliseconds(20)
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        try await connection.drain()
        #expect(connection.goAways.map(\.errorCode) == [0, 0])
      }
      #expect(await harness.count("no_first_call", reaching: 1) == 1)
    }
  }

  /// SIGTERM with a half-sent call, a stream and a handler that does not look at its cancellation.
  @Test(arguments: [true, false])
  func aShutdownEndsInItsTimeWhateverIsHalfSent(isAnnounced: Bool) async throws {
    try await Self.run {
      $0.connection.shutdownGrace = .milliseconds(100)
    } _: { harness in
      var events = harness.events.makeAsyncIterator()
      try await Raw.run(port: harness.port) { connection in
        connection.acknowledgesPings = false
        try await connection.begin("/test.Test/Hold", stream: 1, ends: true)
        #expect(await events.next() == "holds")
        try await connection.begin(Self.unary, stream: 3)
        try await connection.send(data: Self.unfinished(10), stream: 3)
        try await connection.begin(Self.streamHandler, stream: 5)
        try await connection.send(data: Self.unfinished(10), stream: 5)
        try await connection.catchUp()
        if isAnnounced {
          harness.server.transport.announceShutdown()
        } else {
          harness.server.beginGracefulShutdown()
        }
        try await connection.drain()
        #expect(connection.goAways.last?.lastStream == 5)
        #expect(connection.goAways.last?.errorCode == 0)
      }
      #expect(await harness.count("shutdown_limit", reaching: 1) == 1)
      harness.gate.open()
    }
  }
}
