import Foundation
import GRPCCore
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing
import Threading

@testable import GRPCServerTransport

/// How many connections there may be, and what happens when there are no descriptors left.
@Suite(.timeLimit(.minutes(10))) struct ConnectionLimitTests {
  private typealias Raw = RawHTTP2Connection

  private static func isServed(_ harness: TransportHarness) async throws -> Bool {
    let works = StateLock(false)
    try await Raw.run(port: harness.port) { connection in
      try await connection.begin("/test.Test/Echo", stream: 1)
      try await connection.send(data: Raw.message([1]), stream: 1, ends: true)
      let answer = try await connection.answer(1)
      works.withLock { $0 = answer?.status == 0 }
    }
    return works.withLock { $0 }
  }

  @Test(arguments: [true, false])
  func theNewestOfTooManyIsClosedAtOnce(isPerPeer: Bool) async throws {
    let limits = ConnectionLimits(
      maximum: isPerPeer ? 100 : 3, maximumPerPeer: isPerPeer ? 3 : 100)
    try await TransportHarness.run {
      $0.limits = limits
    } _: { harness in
      let group = MultiThreadedEventLoopGroup.singleton
      var open: [any Channel] = []
      for _ in 0..<3 {
        open.append(
          try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: harness.port)
            .get())
      }
      while limits.statistics.open < 3 { await Task.yield() }
      for _ in 0..<5 {
        let refused = try await ClientBootstrap(group: group)
          .connect(host: "127.0.0.1", port: harness.port).get()
        try await refused.closeFuture.get()
      }
      let statistics = limits.statistics
      #expect(statistics.open == 3)
      #expect(statistics.refusedPerPeer == (isPerPeer ? 5 : 0))
      #expect(statistics.refusedInTotal == (isPerPeer ? 0 : 5))
      for channel in open { try await channel.close() }
      while limits.statistics.open > 0 { await Task.yield() }
      #expect(try await Self.isServed(harness))
    }
    #expect(limits.statistics.open == 0)
  }

  @Test func theGoingOfACrowdIsToldOnce() {
    let told = StateLock(0)
    let limits = ConnectionLimits(maximum: 2000, maximumPerPeer: 2000) {
      told.withLock { $0 += 1 }
    }
    let peer = PeerAddress(nil)
    func enter(_ count: Int) { for _ in 0..<count { #expect(limits.enter(peer)) } }
    func leave(_ count: Int) { for _ in 0..<count { limits.leave(peer) } }
    enter(ConnectionLimits.crowd - 1)
    leave(ConnectionLimits.crowd - 1)
    #expect(told.withLock { $0 } == 0)
    enter(1000)
    leave(749)
    #expect(told.withLock { $0 } == 0)
    leave(1)
    #expect(told.withLock { $0 } == 1)
    leave(250)
    #expect(told.withLock { $0 } == 1)
    enter(400)
    leave(400)
    #expect(told.withLock { $0 } == 2)
  }

  @Test func peersAreCountedApart() throws {
    let limits = ConnectionLimits(maximum: 10, maximumPerPeer: 1)
    let addresses = ["10.0.0.1", "10.0.0.2", "2001:db8:0:1::1", "2001:db8:0:2::1", "::1"]
    let peers = try addresses.map { PeerAddress(try SocketAddress(ipAddress: $0, port: 1)) }
    #expect(Set(peers).count == 5)
    for peer in peers { #expect(limits.enter(peer)) }
    for peer in peers { #expect(!limits.enter(peer)) }
    // Another port, and another address of the same network.
    #expect(!limits.enter(PeerAddress(try SocketAddress(ipAddress: "10.0.0.1", port: 2))))
    #expect(!limits.enter(PeerAddress(try SocketAddress(ipAddress: "2001:db8:0:1::2", port: 2))))
    limits.leave(peers[0])
    #expect(limits.enter(peers[0]))
    #expect(limits.statistics.refusedPerPeer == 7)
  }

  /// NIO's own handler for this does not help: the socket stays registered, and `accept` is tried
  /// again without end.
  @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
  func acceptPausesWithoutDescriptors(code: CInt) throws {
    let limits = ConnectionLimits(maximum: 10, maximumPerPeer: 10)
    let channel = EmbeddedChannel()
    let pause = TimeAmount.milliseconds(200)
    try channel.pipeline.syncOperations.addHandler(AcceptLimitHandler(limits: limits, pause: pause))
    func isReading() throws -> Bool {
      let set = channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }
      return set?.value as? Bool ?? true
    }
    #expect(try isReading())
    for _ in 0..<3 {
      channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
    }
    #expect(try !isReading())
    channel.embeddedEventLoop.advanceTime(by: pause - .nanoseconds(1))
    #expect(try !isReading())
    channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
    #expect(try isReading())
    #expect(limits.statistics.acceptPauses == 1)
    channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
    #expect(limits.statistics.acceptPauses == 2)
    _ = try channel.finish()
  }

  /// A crowd that connects at once is taken by a few at a time: between them, the loops that set its
  /// connections up look at those they serve.
  @Test func acceptingWaitsForTheLoopsOfTheLastTurn() throws {
    let limits = ConnectionLimits(maximum: 10, maximumPerPeer: 10)
    let (listener, reads) = (EmbeddedChannel(), ReadCounter())
    try listener.pipeline.syncOperations.addHandler(reads)
    try listener.pipeline.syncOperations.addHandler(AcceptLimitHandler(limits: limits))
    let loops = [EmbeddedEventLoop(), EmbeddedEventLoop()]
    for connection in [loops[0], loops[1], loops[0]].map({ EmbeddedChannel(loop: $0) }) {
      listener.pipeline.fireChannelRead(connection as any Channel)
    }
    let before = reads.count
    listener.pipeline.fireChannelReadComplete()
    listener.read()
    listener.read()
    listener.embeddedEventLoop.run()
    #expect(reads.count == before)
    loops[0].run()
    listener.embeddedEventLoop.run()
    #expect(reads.count == before)
    loops[1].run()
    listener.embeddedEventLoop.run()
    #expect(reads.count == before + 1)
    listener.pipeline.fireChannelReadComplete()
    listener.read()
    #expect(reads.count == before + 2, "a turn that took nothing makes nobody wait")
    _ = try listener.finish()
  }
}
