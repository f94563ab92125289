import GRPCCore
import NIOCore
import Synchronization
import Testing

@testable import GRPCServerTransport

/// The fast path frame by frame: calls and streams answered on the event loop.
@Suite(.timeLimit(.minutes(10))) struct FastPathTests {
  private typealias Raw = RawHTTP2Connection

  /// Answers each message with as many bytes as its first says, times a thousand; 255 fails.
  private final class Session: FastPathStream {
    func answer(_ message: UnsafeRawBufferPointer) throws(CallRefusal) -> [UInt8] {
      try FastPathTests.answer(message)
    }
  }

  private static func answer(_ message: UnsafeRawBufferPointer) throws(CallRefusal) -> [UInt8] {
    guard let first = message.first else { return [] }
    guard first != 255 else {
      throw CallRefusal(
        code: .notFound, message: "255", metadata: ["x-detail-bin": .binary([255])],
        reason: "not_found")
    }
    return [UInt8](repeating: first, count: Int(first) * 1000)
  }

  private static func run(
    maximumBytes: Int = 1000,
    _ body: @escaping @Sendable (TransportHarness) async throws -> Void
  ) async throws {
    let recorder = NoRecorder()
    try await TransportHarness.run {
      $0.fastPathMethods = [
        "/fast.Fast/Stream": FastPathMethod(
          maximumRequestBytes: maximumBytes, recorder: recorder, kind: .stream { Session() }),
        "/fast.Fast/Unary": FastPathMethod(
          maximumRequestBytes: maximumBytes, recorder: recorder,
          kind: .unary { bytes throws(CallRefusal) in try answer(bytes) }),
      ]
    } _: {
      try await body($0)
    }
  }

  @Test func messagesMayBeCutAnywhere() async throws {
    try await Self.run { harness in
      var body = Raw.message([1, 9])
      body.writeImmutableBuffer(Raw.message([]))
      body.writeImmutableBuffer(Raw.message([2, 9, 9]))
      for size in [1, 2, 4, 5, 6, 7, 100] {
        try await Raw.run(port: harness.port) { connection in
          try await connection.begin("/fast.Fast/Stream", stream: 1)
          var rest = body
          while let piece = rest.readSlice(length: min(size, rest.readableBytes)),
            piece.readableBytes > 0
          {
            try await connection.send(data: piece, stream: 1)
          }
          try await connection.send(data: ByteBuffer(), stream: 1, ends: true)
          let answer = try await connection.answer(1)
          #expect(answer?.messages.map(\.count) == [1000, 0, 2000] && answer?.status == 0)
        }
      }
    }
  }

  @Test func aFailureComesAfterTheAnswersBeforeIt() async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port) { connection in
        var body = Raw.message([3])
        body.writeImmutableBuffer(Raw.message([255]))
        body.writeImmutableBuffer(Raw.message([1]))
        try await connection.begin("/fast.Fast/Stream", stream: 1)
        try await connection.send(data: body, stream: 1)
        let answer = try await connection.answer(1)
        #expect(answer?.messages.map(\.count) == [3000] && answer?.status == 5)
        #expect(answer?.trailer("x-detail-bin") != nil)
        let frame = try await connection.next()
        #expect(frame?.kind == .reset && frame?.errorCode == 0)
      }
    }
  }

  @Test(arguments: ["/fast.Fast/Stream", "/fast.Fast/Unary"])
  func badRequestsAreRefused(path: String) async throws {
    try await Self.run { harness in
      var cut = Raw.message([1, 2, 3])
      let part = cut.readSlice(length: 6) ?? ByteBuffer()
      var long = ByteBuffer(bytes: [0])
      long.writeInteger(UInt32(1001))
      long.writeBytes([UInt8](repeating: 1, count: 1001))
      for (body, status) in [(part, 3), (Raw.message([1], flag: 1), 3), (long, 8)] {
        try await Raw.run(port: harness.port) { connection in
          try await connection.begin(path, stream: 1)
          try await connection.send(data: body, stream: 1, ends: true)
          #expect(try await connection.answer(1)?.status == status)
          try await connection.begin(path, stream: 3)
          try await connection.send(data: Raw.message([1]), stream: 3, ends: true)
          #expect(try await connection.answer(3)?.messages.map(\.count) == [1000])
        }
      }
    }
  }

  /// 300 messages ask for 15 MB; 50 kB of them at a time are on their way.
  @Test func aReaderThatTakesNothingHoldsTheStream() async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port) { connection in
        connection.refillsWindows = false
        try await connection.begin("/fast.Fast/Stream", stream: 1)
        for _ in 0..<300 { try await connection.send(data: Raw.message([50]), stream: 1) }
        var taken = 0
        while taken < 65_535, let frame = try await connection.next() {
          if frame.kind == .data { taken += frame.payload.readableBytes }
        }
        try await connection.ping(1)
        while let frame = try await connection.next(), frame.kind != .ping {}
        try await connection.send(data: ByteBuffer(), stream: 1, ends: true)
        connection.refillsWindows = true
        try await connection.refill(0, by: 65_535)
        try await connection.refill(1, by: 65_535)
        let answer = try await connection.answer(1)
        #expect(answer?.messages.count == 300 && answer?.status == 0)
        #expect(answer?.messages.allSatisfy { $0.count == 50_000 } == true)
      }
    }
  }

  @Test func theWindowIsRefilled() async throws {
    try await Self.run(maximumBytes: 1 << 20) { harness in
      try await Raw.run(port: harness.port) { connection in
        var sent = 0
        for (stream, path) in [(1, "/fast.Fast/Unary"), (3, "/fast.Fast/Stream")] {
          try await connection.begin(path, stream: stream)
          var request = Raw.message([1] + [UInt8](repeating: 0, count: 500_000))
          var sentHere = 0
          while request.readableBytes > 0 {
            let piece = request.readSlice(length: min(16_000, request.readableBytes)) ?? .init()
            sent += piece.readableBytes
            sentHere += piece.readableBytes
            while sent > 65_535 + connection.refilled[0, default: 0]
              || sentHere > 65_535 + connection.refilled[stream, default: 0]
            {
              _ = try await connection.next()
            }
            try await connection.send(
              data: piece, stream: stream, ends: request.readableBytes == 0)
          }
          let answer = try await connection.answer(stream)
          #expect(answer?.messages.map(\.count) == [1000] && answer?.status == 0)
        }
      }
    }
  }

  @Test(arguments: [true, false])
  func aShutdownEndsStreams(isAnnounced: Bool) async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port) { connection in
        try await connection.begin("/fast.Fast/Stream", stream: 1)
        try await connection.send(data: Raw.message([1]), stream: 1)
        while let frame = try await connection.next(), frame.kind != .data {}
        if isAnnounced {
          harness.server.transport.announceShutdown()
        } else {
          harness.server.beginGracefulShutdown()
        }
        let answer = try await connection.answer(1)
        #expect(answer?.messages.count == 1 && answer?.status == 14)
        guard isAnnounced else { return try await connection.drain() }
        // Calls are still answered.
        try await connection.begin("/fast.Fast/Unary", stream: 3)
        try await connection.send(data: Raw.message([1]), stream: 3, ends: true)
        #expect(try await connection.answer(3)?.status == 0)
      }
    }
  }

  @Test func aDeadlineThatHasPassedIsTold() async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port) { connection in
        for (stream, timeout, status) in [(1, "1n", 4), (3, "99999999H", 0), (5, "10S", 0)] {
          try await connection.begin(
            "/fast.Fast/Unary", stream: stream, adding: [("grpc-timeout", timeout)])
          try await connection.send(data: Raw.message([1]), stream: stream, ends: true)
          #expect(try await connection.answer(stream)?.status == status)
        }
      }
    }
  }

  /// The last byte of the request never comes.
  @Test func aDeadlineEndsACallWhoseRequestDoesNot() async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port) { connection in
        var whole = Raw.message([1])
        let half = whole.readSlice(length: 3) ?? ByteBuffer()
        // Another call's deadline is far away, of one there is none, and one answers in time.
        for (stream, timeout) in [(1, "1H"), (3, "40m"), (5, "20m"), (7, nil), (9, "10S")] {
          try await connection.begin(
            "/fast.Fast/Unary", stream: stream, adding: timeout.map { [("grpc-timeout", $0)] } ?? []
          )
          try await connection.send(data: half, stream: stream)
        }
        try await connection.send(data: whole, stream: 9, ends: true)
        for stream in [5, 3] {
          while connection.answers[stream]?.reset == nil, try await connection.next() != nil {}
          #expect(connection.answers[stream]?.status == 4)
          #expect(connection.answers[stream]?.reason == "deadline_exceeded")
          #expect(connection.answers[stream]?.reset == 0)
        }
        // What still comes of them does not matter.
        try await connection.send(data: whole, stream: 3, ends: true)
        for stream in [1, 7] {
          try await connection.send(data: whole, stream: stream, ends: true)
          #expect(try await connection.answer(stream)?.messages.map(\.count) == [1000])
        }
        #expect(connection.answers[9]?.messages.map(\.count) == [1000])
        #expect(connection.answers[9]?.status == 0)
        try await Self.expectAnswer(connection, stream: 11)
      }
    }
  }

  @Test func aResetCallLeavesTheOthersAlone() async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port) { connection in
        for path in ["/fast.Fast/Unary", "/fast.Fast/Stream"] {
          let base = path.hasSuffix("Unary") ? 1 : 101
          for stream in stride(from: base, to: base + 20, by: 2) {
            try await connection.begin(path, stream: stream)
            try await connection.send(data: Raw.message([1, 2, 3]), stream: stream)
            if stream % 4 == 1 {
              try await connection.reset(stream)
            } else {
              try await connection.send(data: ByteBuffer(), stream: stream, ends: true)
            }
          }
          for stream in stride(from: base + 2, to: base + 20, by: 4) {
            if connection.answers[stream]?.status == nil {
              _ = try await connection.answer(stream)
            }
            // A unary call has one message, a stream any number.
            #expect(connection.answers[stream]?.status == 0)
          }
        }
        #expect(connection.goAways.isEmpty)
      }
    }
  }

  /// Two answers are on their way and the request window is more than half used.
  private static func fill(_ connection: Raw) async throws {
    try await connection.setWindow(0)
    try await connection.begin("/fast.Fast/Stream", stream: 1)
    let message = Raw.message([50] + [UInt8](repeating: 0, count: 999))
    for _ in 0..<50 { try await connection.send(data: message, stream: 1) }
    try await connection.catchUp()
  }

  private static func expectAnswer(_ connection: Raw, stream: Int) async throws {
    try await connection.begin("/fast.Fast/Unary", stream: stream)
    try await connection.send(data: Raw.message([1]), stream: stream, ends: true)
    #expect(try await connection.answer(stream)?.messages.map(\.count) == [1000])
    #expect(connection.goAways.isEmpty)
  }

  @Test func aResetOfAFullStreamLeavesTheOthersAlone() async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port) { connection in
        try await Self.fill(connection)
        try await connection.reset(1)
        try await connection.setWindow(65_535)
        try await Self.expectAnswer(connection, stream: 3)
      }
    }
  }

  @Test func aFullStreamThatAShutdownEndsAnswersNoMore() async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port) { connection in
        try await Self.fill(connection)
        harness.server.transport.announceShutdown()
        try await Task.sleep(for: .milliseconds(200))
        try await connection.setWindow(1 << 20)
        try await connection.refill(0, by: 1 << 20)
        let answer = try await connection.answer(1)
        #expect(answer?.messages.map(\.count) == [50_000, 50_000] && answer?.status == 14)
        try await Self.expectAnswer(connection, stream: 3)
      }
    }
  }

  @Test func dataOfCallsThatEndedEarlyIsIgnored() async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port) { connection in
        let streams = stride(from: 1, to: 181, by: 2)
        for stream in streams {
          try await connection.begin("/fast.Fast/Unary", stream: stream)
          try await connection.send(data: ByteBuffer(repeating: 0, count: 1100), stream: stream)
          #expect(try await connection.answer(stream)?.status == 8)
        }
        for stream in streams {
          try await connection.send(data: ByteBuffer(repeating: 0, count: 10), stream: stream)
        }
        try await Self.expectAnswer(connection, stream: 201)
      }
    }
  }

  private final class Counter: Sendable {
    let count = Atomic(0)
  }

  /// A unary method whose answers have a MiB, or a byte for an empty message.
  private static func runLarge(
    _ body: @escaping @Sendable (TransportHarness, Counter) async throws -> Void
  ) async throws {
    let counter = Counter()
    let recorder = NoRecorder()
    try await TransportHarness.run {
      $0.fastPathMethods = [
        "/fast.Fast/Large": FastPathMethod(
          maximumRequestBytes: 1000, recorder: recorder,
          kind: .unary { bytes in
            counter.count.add(1, ordering: .relaxed)
            return [UInt8](repeating: 7, count: bytes.isEmpty ? 1 : 1 << 20)
          })
      ]
    } _: {
      try await body($0, counter)
    }
  }

  /// 40 calls ask for 40 MiB; 16 MiB of them are on their way.
  @Test func unaryCallsWaitForAnswersToBeTaken() async throws {
    try await Self.runLarge { harness, counter in
      try await Raw.run(port: harness.port) { connection in
        try await connection.setWindow(0)
        for stream in stride(from: 1, to: 81, by: 2) {
          try await connection.begin("/fast.Fast/Large", stream: stream)
          try await connection.send(data: Raw.message([1]), stream: stream, ends: true)
        }
        try await connection.catchUp()
        #expect(counter.count.load(ordering: .relaxed) == 16)
        // One whose answer waits, one that waits itself.
        try await connection.reset(1)
        try await connection.reset(79)
        for _ in 0..<2 { try await connection.catchUp() }
        #expect(counter.count.load(ordering: .relaxed) == 17)
        try await connection.setWindow(2 << 20)
        try await connection.refill(0, by: 64 << 20)
        let streams = stride(from: 3, to: 79, by: 2)
        while streams.contains(where: { connection.answers[$0]?.status == nil }),
          try await connection.next() != nil
        {}
        for stream in streams {
          let answer = connection.answers[stream]
          #expect(answer?.messages.map(\.count) == [1 << 20] && answer?.status == 0)
        }
        #expect(counter.count.load(ordering: .relaxed) == 39)
        #expect(connection.goAways.isEmpty)
      }
    }
  }

  /// The reset comes while the head of the answer waits for the socket.
  @Test func aCancelWhileTheSocketIsFullLeavesTheOthersAlone() async throws {
    try await Self.runLarge { harness, counter in
      try await Raw.run(port: harness.port) { connection in
        try await connection.setWindow(2 << 20)
        try await connection.refill(0, by: 64 << 20)
        let streams = stride(from: 1, to: 31, by: 2)
        for stream in streams {
          try await connection.begin("/fast.Fast/Large", stream: stream)
          try await connection.send(data: Raw.message([1]), stream: stream, ends: true)
        }
        while counter.count.load(ordering: .relaxed) < 15 {
          try await Task.sleep(for: .milliseconds(5))
        }
        try await Task.sleep(for: .milliseconds(100))
        try await connection.begin("/fast.Fast/Large", stream: 31)
        try await connection.send(data: Raw.message([]), stream: 31, ends: true)
        try await connection.reset(31)
        while counter.count.load(ordering: .relaxed) < 16 {
          try await Task.sleep(for: .milliseconds(5))
        }
        try await Task.sleep(for: .milliseconds(100))
        while streams.contains(where: { connection.answers[$0]?.status == nil }),
          try await connection.next() != nil
        {}
        for stream in streams {
          let answer = connection.answers[stream]
          #expect(answer?.messages.map(\.count) == [1 << 20] && answer?.status == 0)
        }
        // Nor does it end the connection.
        try await connection.begin("/fast.Fast/Large", stream: 33)
        try await connection.send(data: Raw.message([]), stream: 33, ends: true)
        #expect(try await connection.answer(33)?.status == 0)
        try await connection.catchUp()
        #expect(connection.goAways.isEmpty)
      }
    }
  }

  /// Its answer would wait for others to be taken, which they are not.
  @Test func aDeadlineEndsACallThatWaits() async throws {
    try await Self.runLarge { harness, counter in
      try await Raw.run(port: harness.port) { connection in
        try await connection.setWindow(0)
        for stream in stride(from: 1, to: 33, by: 2) {
          try await connection.begin("/fast.Fast/Large", stream: stream)
          try await connection.send(data: Raw.message([1]), stream: stream, ends: true)
        }
        try await connection.begin(
          "/fast.Fast/Large", stream: 33, adding: [("grpc-timeout", "20m")])
        try await connection.send(data: Raw.message([1]), stream: 33, ends: true)
        let answer = try await connection.answer(33)
        #expect(answer?.status == 4 && answer?.reset == nil)
        try await connection.catchUp()
        #expect(counter.count.load(ordering: .relaxed) == 16)
        #expect(connection.goAways.isEmpty)
      }
    }
  }
}
