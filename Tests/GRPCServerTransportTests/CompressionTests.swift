import GRPCCore
import GzipCoding
import NIOCore
import Testing

@testable import GRPCServerTransport

/// Messages in gzip, both ways, on the fast path and through the stream handlers.
@Suite(.timeLimit(.minutes(10)), .overTLSToo) struct CompressionTests {
  private typealias Raw = RawHTTP2Connection

  static let maximumBytes = 200_000
  static let gzip = ("grpc-encoding", "gzip")
  /// Each of them sends back what it gets.
  static let paths = [
    "/fast.Fast/Unary", "/fast.Fast/Stream", "/fast.Fast/Later", "/fast.Fast/Handed",
    "/test.Test/Echo",
  ]

  private final class Session: FastPathStream {
    func answer(_ message: UnsafeRawBufferPointer) throws(CallRefusal) -> [UInt8] { Array(message) }
  }

  private static func run(
    _ body: @escaping @Sendable (TransportHarness) async throws -> Void
  ) async throws {
    let recorder = NoRecorder()
    try await TransportHarness.run {
      $0.maximumMessageBytes = maximumBytes
      $0.fastPathMethods = [
        "/fast.Fast/Unary": FastPathMethod(
          maximumRequestBytes: maximumBytes, recorder: recorder, kind: .unary { Array($0) }),
        "/fast.Fast/Stream": FastPathMethod(
          maximumRequestBytes: maximumBytes, recorder: recorder, kind: .stream { Session() }),
        "/fast.Fast/Later": FastPathMethod(
          maximumRequestBytes: maximumBytes, recorder: recorder, deferred: { $0 },
          kind: .unary { _ throws(CallRefusal) in throw .deferral }),
        "/fast.Fast/Handed": FastPathMethod(
          maximumRequestBytes: maximumBytes, recorder: recorder, deferred: { $0 },
          handsOnDeferred: true, kind: .unary { _ throws(CallRefusal) in throw .deferral }),
      ]
    } _: {
      try await body($0)
    }
  }

  private static func call(
    _ port: Int, _ path: String, _ body: ByteBuffer, adding: [(String, String)]
  ) async throws -> RawAnswer? {
    var answer: RawAnswer?
    try await Raw.run(port: port) { connection in
      try await connection.begin(path, stream: 1, adding: adding)
      var rest = body
      while rest.readableBytes > 16_000, let piece = rest.readSlice(length: 16_000) {
        try await connection.send(data: piece, stream: 1)
      }
      try await connection.send(data: rest, stream: 1, ends: true)
      answer = try await connection.answer(1)
    }
    return answer
  }

  /// Sizes below and above those from which an answer is compressed, and compressed elsewhere.
  @Test(arguments: paths) func bothDirectionsAreCompressed(path: String) async throws {
    try await Self.run { harness in
      for count in [0, 1, 255, 256, 5000, 65_536, 65_537, Self.maximumBytes] {
        let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let packed = Raw.message(GzipEncoder.fast.compress(plain), flag: 1)
        let answer = try await Self.call(harness.port, path, packed, adding: [Self.gzip])
        #expect(answer?.status == 0, "\(count): \(String(describing: answer?.headers))")
        #expect(answer?.header("grpc-encoding") == "gzip")
        let found = try #require(answer?.flaggedMessages.first)
        let isPacked = count >= 256 && !(path == "/fast.Fast/Stream" && count > 65_536)
        #expect(found.flag == (isPacked ? 1 : 0), "\(count)")
        let content = found.flag == 1 ? GzipDecoder.decompress(found.bytes) : found.bytes
        #expect(content == plain, "\(count)")
        #expect(!isPacked || found.bytes.count < count)
      }
    }
  }

  /// A call that announces gzip may send plain messages; one that does not is not answered in it.
  @Test(arguments: paths) func whatIsAnnouncedIsOnlyAllowed(path: String) async throws {
    try await Self.run { harness in
      let plain = [UInt8](repeating: 5, count: 3000)
      let announced = try await Self.call(
        harness.port, path, Raw.message(plain), adding: [Self.gzip])
      #expect(announced?.status == 0 && announced?.flaggedMessages.first?.flag == 1)
      for accepted in ["gzip", "identity, deflate, gzip", "identity"] {
        let quiet = try await Self.call(
          harness.port, path, Raw.message(plain), adding: [("grpc-accept-encoding", accepted)])
        #expect(quiet?.status == 0 && quiet?.messages == [plain])
        #expect(quiet?.header("grpc-encoding") == nil)
      }
      let packed = Raw.message(GzipEncoder.fast.compress(plain), flag: 1)
      let oneWay = try await Self.call(
        harness.port, path, packed, adding: [Self.gzip, ("grpc-accept-encoding", "identity")])
      #expect(oneWay?.status == 0 && oneWay?.messages == [plain])
      #expect(oneWay?.header("grpc-encoding") == nil)
    }
  }

  @Test(arguments: paths) func bombsAndGarbageAreRefused(path: String) async throws {
    try await Self.run { harness in
      let most = [UInt8](repeating: 0, count: Self.maximumBytes)
      let bomb = GzipEncoder(level: 9).compress(most + [0])
      #expect(bomb.count < 1000)
      var lying = bomb
      // The last four bytes state the length: one byte.
      lying.replaceSubrange(lying.count - 4..<lying.count, with: [1, 0, 0, 0])
      let whole = GzipEncoder.fast.compress(most)
      var spoilt = whole
      spoilt[12] ^= 0xFF
      for (bytes, status) in [
        (bomb, 8), (lying, 3), (spoilt, 3), (whole + [0], 3), ([1, 2, 3], 3),
        ([], 3), (whole, 0),
      ] {
        let answer = try await Self.call(
          harness.port, path, Raw.message(bytes, flag: 1), adding: [Self.gzip])
        #expect(answer?.status == status, "\(bytes.count) bytes")
      }
      let flagged = try await Self.call(
        harness.port, path, Raw.message(whole, flag: 2), adding: [Self.gzip])
      #expect(flagged?.status == 3)
    }
  }

  /// The budget of a connection counts what messages unpack to.
  @Test func manySmallBombsAreTooMany() async throws {
    try await TransportHarness.run {
      $0.maximumRequestBytesPerConnection = 1 << 20
    } _: { harness in
      var events = harness.events.makeAsyncIterator()
      let bomb = GzipEncoder(level: 9).compress([UInt8](repeating: 0, count: 1 << 19))
      try await Raw.run(port: harness.port) { connection in
        try await connection.begin("/test.Test/Hold", stream: 1, adding: [Self.gzip])
        #expect(await events.next() == "holds")
        for _ in 0..<5 {
          try await connection.send(data: Raw.message(bomb, flag: 1), stream: 1)
        }
        let answer = try await connection.answer(1)
        #expect(answer?.status == 8 && answer?.reason == "too_many_request_bytes")
      }
      #expect(await harness.count("too_many_request_bytes", reaching: 1) == 1)
    }
  }

  @Test(arguments: ["/fast.Fast/Stream", "/test.Test/Echo"])
  func streamsMixCompressedAndPlain(path: String) async throws {
    try await Self.run { harness in
      let messages = (0..<40).map { [UInt8](repeating: UInt8($0), count: $0 * 40) }
      var body = ByteBuffer()
      for (index, message) in messages.enumerated() {
        let isPacked = index.isMultiple(of: 2)
        body.writeImmutableBuffer(
          Raw.message(
            isPacked ? GzipEncoder.fast.compress(message) : message, flag: isPacked ? 1 : 0))
      }
      let answer = try await Self.call(harness.port, path, body, adding: [Self.gzip])
      #expect(answer?.status == 0)
      let found = answer?.flaggedMessages.map { one in
        one.flag == 1 ? GzipDecoder.decompress(one.bytes) ?? [] : one.bytes
      }
      #expect(found == messages)
    }
  }
}
