import GRPCCore
import NIOCore
import Testing

@testable import GRPCServerTransport

/// What ordinary clients do, and what no connection is closed for; and that the same bounds still
/// end a connection that does nothing else.
@Suite(.timeLimit(.minutes(10))) struct OrdinaryClientTests {
  private typealias Raw = RawHTTP2Connection

  static let fastPath = "/fast.Fast/Unary"
  static let streamHandler = "/test.Test/Echo"

  /// Budgets that time does not refill, so that the tests count frames only.
  private static func run(
    _ change: @escaping (inout FastPathServerTransport.Settings) -> Void = { _ in },
    _ body: @escaping @Sendable (TransportHarness) async throws -> Void
  ) async throws {
    try await TransportHarness.run {
      $0.fastPathMethods = [
        fastPath: FastPathMethod(
          maximumRequestBytes: 1000, recorder: NoRecorder(), kind: .unary { Array($0) })
      ]
      $0.connection.resetsPerSecond = 0
      $0.connection.controlFramesPerSecond = 0
      change(&$0)
    } _: {
      try await body($0)
    }
  }

  private static func call(_ connection: Raw, _ path: String, stream: Int) async throws -> Bool {
    try await connection.begin(path, stream: stream)
    try await connection.send(data: Raw.message([7]), stream: stream, ends: true)
    let answer = try await connection.answer(stream)
    return answer?.status == 0 && answer?.messages == [[7]]
  }

  /// grpc-go probes its window with a ping when data comes. The HTTP/2 handler's own limit of 200
  /// such frames in 30 s ended the connection with a GOAWAY that said nothing had been processed.
  @Test(arguments: [fastPath, streamHandler])
  func aPingAfterEachAnswerEndsNothing(path: String) async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port) { connection in
        for i in 0..<1000 {
          #expect(try await Self.call(connection, path, stream: 2 * i + 1))
          try await connection.ping(UInt64(i))
          guard connection.goAways.isEmpty else { break }
        }
        try await connection.catchUp()
        #expect(connection.goAways.isEmpty)
      }
    }
  }

  /// Nothing is answered in between: that is no window probing.
  @Test func pingsAloneEndTheConnectionAndNameWhatWasServed() async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port) { connection in
        for i in 0..<3 {
          #expect(try await Self.call(connection, Self.fastPath, stream: 2 * i + 1))
        }
        for i in 0..<300 { try await connection.ping(UInt64(i)) }
        try await connection.drain()
        #expect(connection.goAways.map(\.errorCode) == [11])
        #expect(connection.goAways.map(\.lastStream) == [5])
      }
      #expect(await harness.count("too_many_pings", reaching: 1) == 1)
    }
  }

  /// What the HTTP/2 handler says of a peer that misbehaves names stream 0; a client would repeat
  /// calls that have been carried out.
  @Test func noGoAwayNamesAStreamBelowOneThatWasServed() async throws {
    try await Self.run { harness in
      var events = harness.events.makeAsyncIterator()
      try await Raw.run(port: harness.port) { connection in
        #expect(try await Self.call(connection, Self.fastPath, stream: 1))
        try await connection.begin("/test.Test/Hold", stream: 3)
        #expect(await events.next() == "holds")
        // Empty DATA frames, of which the HTTP/2 handler takes one in a row.
        for _ in 0..<5 { try await connection.send(data: ByteBuffer(), stream: 3) }
        try await connection.drain()
        #expect(connection.goAways.map(\.errorCode) == [11])
        #expect(connection.goAways.allSatisfy { ($0.lastStream ?? 0) >= 3 })
      }
    }
  }

  /// Deadlines and hedged calls reset as cancels do.
  @Test func cancelsBesideAnsweredCallsEndNothing() async throws {
    try await Self.run {
      $0.connection.resetBurst = 20
    } _: { harness in
      var events = harness.events.makeAsyncIterator()
      try await Raw.run(port: harness.port) { connection in
        try await connection.begin("/test.Test/Hold", stream: 1, ends: true)
        #expect(await events.next() == "holds")
        var stream = 3
        for round in 0..<300 {
          let path = round % 2 == 0 ? "/test.Test/Cancelled" : Self.fastPath
          try await connection.begin(path, stream: stream)
          try await connection.reset(stream)
          #expect(try await Self.call(connection, Self.fastPath, stream: stream + 2))
          stream += 4
          guard connection.goAways.isEmpty else { break }
        }
        #expect(connection.goAways.isEmpty)
        harness.gate.open()
        #expect(try await connection.answer(1)?.status == 0)
      }
    }
  }

  @Test func aClientMayCancelAllThatItMayHaveOpen() async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port) { connection in
        let streams = (0..<1000).map { 2 * $0 + 1 }
        for stream in streams { try await connection.begin("/test.Test/Unary", stream: stream) }
        for stream in streams { try await connection.reset(stream) }
        #expect(try await Self.call(connection, Self.fastPath, stream: 2001))
        #expect(connection.goAways.isEmpty)
      }
    }
  }

  /// CVE-2023-44487.
  @Test(arguments: [fastPath, streamHandler])
  func rapidResetsEndTheConnection(path: String) async throws {
    try await Self.run {
      $0.connection.resetBurst = 50
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        #expect(try await Self.call(connection, path, stream: 1))
        for i in 1..<200 {
          try await connection.begin(path, stream: 2 * i + 1)
          try await connection.reset(2 * i + 1)
        }
        try await connection.drain()
        #expect(connection.goAways.map(\.errorCode) == [11])
        // The first call was served, and gives no more than the burst back.
        #expect(connection.goAways.map(\.lastStream) == [103])
      }
      #expect(await harness.count("too_many_resets", reaching: 1) == 1)
    }
  }

  /// The work of cancelled calls is bounded too: their handlers count until they return.
  @Test func handlersOfCancelledCallsCountAsStreams() async throws {
    try await Self.run {
      $0.maximumStreamsPerConnection = 10
    } _: { harness in
      var events = harness.events.makeAsyncIterator()
      try await Raw.run(port: harness.port) { connection in
        for i in 0..<10 {
          // It does not look at its cancellation.
          try await connection.begin("/test.Test/Hold", stream: 2 * i + 1, ends: true)
          #expect(await events.next() == "holds")
          try await connection.reset(2 * i + 1)
        }
        try await connection.begin(Self.streamHandler, stream: 21, ends: true)
        #expect(try await connection.answer(21)?.reset == 7)
        harness.gate.open()
        var stream = 23
        while stream < 2000 {
          try await connection.begin(Self.streamHandler, stream: stream, ends: true)
          if try await connection.answer(stream)?.status == 0 { break }
          stream += 2
        }
        #expect(stream < 2000)
      }
    }
  }

  @Test func otherControlFramesAreBoundedInTheSameWay() async throws {
    try await Self.run {
      $0.connection.controlFrameBurst = 20
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        for i in 0..<300 {
          try await connection.setWindow(65_535)
          #expect(try await Self.call(connection, Self.fastPath, stream: 2 * i + 1))
          guard connection.goAways.isEmpty else { break }
        }
        #expect(connection.goAways.isEmpty)
        for _ in 0..<100 { try await connection.setWindow(65_535) }
        try await connection.drain()
        #expect(connection.goAways.map(\.errorCode) == [11])
        #expect(connection.goAways.map(\.lastStream) == [599])
      }
      #expect(await harness.count("too_many_control_frames", reaching: 1) == 1)
    }
  }

  /// The HTTP/2 handler ended the connection, and with it all the calls, when the peer knew of the
  /// limit, and at its own 100 before.
  @Test(arguments: [false, true], [fastPath, streamHandler])
  func onlyTheCallsThatAreTooManyAreRefused(isSettled: Bool, path: String) async throws {
    try await Self.run {
      $0.maximumStreamsPerConnection = 100
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        if isSettled { try await connection.settle() }
        let streams = (0..<130).map { 2 * $0 + 1 }
        for stream in streams { try await connection.begin(path, stream: stream) }
        for stream in streams {
          try await connection.send(data: Raw.message([7]), stream: stream, ends: true)
        }
        try await connection.catchUp()
        while streams.prefix(100).contains(where: { connection.answers[$0]?.status == nil }),
          try await connection.next() != nil
        {}
        #expect(connection.goAways.isEmpty)
        guard connection.goAways.isEmpty else { return }
        for stream in streams.prefix(100) {
          #expect(connection.answers[stream]?.messages == [[7]])
          #expect(connection.answers[stream]?.status == 0)
        }
        for stream in streams.dropFirst(100) {
          #expect(connection.answers[stream]?.reset == 7, "REFUSED_STREAM")
          #expect(connection.answers[stream]?.headers.isEmpty == true)
        }
        #expect(try await Self.call(connection, path, stream: 301))
      }
      #expect(await harness.count("refused_stream", reaching: 30) == 30)
    }
  }

  @Test func thePeerIsToldTheLimit() async throws {
    try await Self.run {
      $0.maximumStreamsPerConnection = 321
    } _: { harness in
      try await Raw.run(port: harness.port) { connection in
        var settings: [UInt16: UInt32] = [:]
        while settings.isEmpty, var frame = try await connection.next() {
          guard frame.kind == .settings, frame.flags == 0 else { continue }
          while let id: UInt16 = frame.payload.readInteger(),
            let value: UInt32 = frame.payload.readInteger()
          {
            settings[id] = value
          }
        }
        #expect(settings[3] == 321)
        #expect(settings[4] == 65_535)
      }
    }
  }

  /// 150 watches on one channel: 50 waited without a word, and a unary call behind them.
  @Test func oneLongStreamTooManyIsToldSo() async throws {
    try await Self.run {
      $0.maximumLongStreamsPerConnection = 5
    } _: { harness in
      var events = harness.events.makeAsyncIterator()
      try await Raw.run(port: harness.port) { connection in
        for i in 0..<5 {
          try await connection.begin("/test.Test/Hold", stream: 2 * i + 1, ends: true)
          #expect(await events.next() == "holds")
        }
        try await connection.begin("/test.Test/Hold", stream: 11, ends: true)
        let refused = try await connection.answer(11)
        #expect(refused?.status == 8 && refused?.reason == "too_many_streams")
        // A unary call is served.
        let wanted = ByteBuffer(integer: UInt32(3))
        try await connection.begin("/test.Test/Unary", stream: 13)
        try await connection.send(
          data: Raw.message(Array(wanted.readableBytesView)), stream: 13, ends: true)
        #expect(try await connection.answer(13)?.messages.map(\.count) == [3])
        // One that ends makes room.
        try await connection.reset(1)
        try await connection.catchUp()
        try await connection.begin("/test.Test/Echo", stream: 15, ends: true)
        #expect(try await connection.answer(15)?.status == 0)
      }
    }
  }

  @Test(arguments: [
    "application/grpc;charset=utf8", "application/grpc; charset=utf-8", "Application/gRPC",
    "application/grpc+proto;a=b", "application/grpc ; a=b",
  ])
  func contentTypesMayHaveParameters(type: String) async throws {
    try await Self.run { harness in
      try await Raw.run(port: harness.port) { connection in
        for (stream, path) in [(1, Self.streamHandler), (3, Self.fastPath)] {
          try await connection.begin(path, stream: stream, replacing: ["content-type": type])
          try await connection.send(data: Raw.message([7]), stream: stream, ends: true)
          #expect(try await connection.answer(stream)?.messages == [[7]])
        }
      }
    }
  }

  /// The HTTP/2 handler's bound for the whole life of a connection is gone; the one in time stays
  /// (StreamErrorTests).
  @Test func aKeepaliveEveryTenSecondsIsNoFlood() {
    var strikes = PingStrikes(
      minimumInterval: ConnectionPolicy().minimumPingInterval,
      maximumStrikes: ConnectionPolicy().maximumPingStrikes)
    for i in 0..<1000 {
      let isTaken = strikes.pinged(now: .uptimeNanoseconds(UInt64(i) * 10_000_000_000))
      #expect(isTaken)
    }
  }

  @Test func tenCancelsASecondAreWithinTheBudgetForEver() {
    let policy = ConnectionPolicy()
    var budget = FrameBudget(
      burst: policy.resetBurst, perSecond: policy.resetsPerSecond, now: .uptimeNanoseconds(0))
    for i in 0..<100_000 {
      let isTaken = budget.spend(now: .uptimeNanoseconds(UInt64(i) * 100_000_000))
      #expect(isTaken)
    }
    var flood = FrameBudget(
      burst: policy.resetBurst, perSecond: policy.resetsPerSecond, now: .uptimeNanoseconds(0))
    var taken = 0
    for _ in 0..<100_000 where flood.spend(now: .uptimeNanoseconds(1_000_000_000)) { taken += 1 }
    #expect(taken == policy.resetBurst + policy.resetsPerSecond)
  }
}
