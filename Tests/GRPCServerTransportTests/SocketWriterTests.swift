import Glibc
import NIOCore
import NIOEmbedded
import NIOPosix
import ObjectModel
import Testing

@testable import GRPCServerTransport

@Suite struct SocketWriterTests {
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func bytesArriveInTheirOrderWhicheverWayTheyGo(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let link = try await Link()
    var sent: [UInt8] = []
    var received: [UInt8] = []
    var isDirect: [Bool] = []
    var peerReads = true
    for _ in 0..<600 {
      // Now the peer reads for a while, now it leaves more than the socket has room for; what it leaves is
      // bounded for the test's memory.
      if random.below(40) == 0 { peerReads.toggle() }
      if sent.count - received.count > 4 << 20 || (peerReads && random.below(3) == 0) {
        received += link.take(atMost: random.below(200_000))
      } else {
        let message = (0..<random.below(20_000) + 1).map { _ in UInt8(random.below(256)) }
        isDirect.append(try await link.write(message))
        sent += message
      }
    }
    // What the channel still holds goes out while the peer reads.
    while received.count < sent.count { received += try link.waitAndTake() }
    #expect(received == sent)
    // Both ways were taken, and the short one again after the long one.
    let firstQueued = try #require(isDirect.firstIndex(of: false))
    #expect(isDirect[..<firstQueued].isEmpty == false)
    try await link.drain()
    #expect(try await link.write([1, 2, 3]))
    #expect(try link.waitAndTake() == [1, 2, 3])
    try await link.close()
  }

  @Test func nothingOvertakesWhatTheChannelWasGiven() async throws {
    let link = try await Link()
    // Written and not flushed: it stands in the queue of the channel.
    try await link.queue([1])
    #expect(try await link.write([2]) == false)
    #expect(try link.waitAndTake(2) == [1, 2])
    try await link.drain()
    #expect(try await link.write([3]))
    #expect(try link.waitAndTake(1) == [3])
    try await link.close()
  }

  @Test func aClosedSocketIsNotWrittenToThoughItsDescriptorIsUsedAgain() async throws {
    let link = try await Link()
    #expect(try await link.write([1]))
    #expect(try link.waitAndTake(1) == [1])
    try await link.close()
    // The lowest free descriptors are given out again, that of the closed socket among them.
    let others = try (0..<16).map { _ in try Link.socketPair() }
    #expect(try await link.writeDirectly([2]) == false)
    for (one, other) in others {
      var byte: UInt8 = 0
      for end in [one, other] {
        #expect(recv(end, &byte, 1, CInt(MSG_DONTWAIT)) == -1 && errno == EAGAIN)
      }
      for end in [one, other] { Glibc.close(end) }
    }
  }

  @Test func whatReachesAPeerThatIsGoneIsLeftToTheChannel() async throws {
    let link = try await Link()
    link.reset()
    // The peer's end has arrived when the channel, which reads, has closed itself.
    try await link.channel.closeFuture.get()
    #expect(try await link.writeDirectly([1]) == false)
  }

  @Test func whereThereIsNoSocketTheChannelGetsEverything() throws {
    let channel = EmbeddedChannel()
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    for var writer in [SocketWriter(channel), SocketWriter()] {
      var bytes = ByteBuffer(bytes: [1, 2, 3])
      #expect(writer.send(&bytes, to: channel) == false)
      #expect(bytes == ByteBuffer(bytes: [1, 2, 3]))
    }
    _ = try channel.finish()
  }
}

/// A channel of NIO, and the other end of its socket.
private struct Link {
  let channel: any Channel
  private let writer: NIOLoopBoundBox<SocketWriter>
  private let peer: CInt

  init() async throws {
    let (own, peer) = try Self.socketPair()
    self.peer = peer
    channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelOption(.socketOption(.so_sndbuf), value: 32 * 1024)
      .withConnectedSocket(own).get()
    let channel = channel
    writer = try await channel.eventLoop.submit {
      NIOLoopBoundBox(SocketWriter(channel), eventLoop: channel.eventLoop)
    }.get()
  }

  /// Two ends of a connection over loopback.
  static func socketPair() throws -> (CInt, CInt) {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(listener) }
    // The accepted socket's, too. A room of its own choice the system widens while the peer reads, until
    // nothing is too much for it.
    var room: CInt = 64 * 1024
    setsockopt(
      listener, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout.size(ofValue: room)))
    let one = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    let anyPort = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
    let isBound = anyPort.withSockAddr { address, length in
      bind(listener, address, socklen_t(length)) == 0 && listen(listener, 1) == 0
    }
    try #require(isBound)
    // The port that the system has chosen, in the form in which it says it.
    var length = socklen_t(128)
    let isConnected = withUnsafeTemporaryAllocation(byteCount: 128, alignment: 16) {
      let address = $0.bindMemory(to: sockaddr.self).baseAddress
      return getsockname(listener, address, &length) == 0 && connect(one, address, length) == 0
    }
    try #require(isConnected)
    let other = accept(listener, nil, nil)
    try #require(other >= 0)
    return (one, other)
  }

  /// Writes to the socket, or what it does not take to the channel.
  ///
  /// - Returns: Whether the socket took all of it.
  func write(_ message: [UInt8]) async throws -> Bool {
    try await send(message, leavingRestToChannel: true)
  }

  /// Writes to the socket or not at all.
  func writeDirectly(_ message: [UInt8]) async throws -> Bool {
    try await send(message, leavingRestToChannel: false)
  }

  private func send(_ message: [UInt8], leavingRestToChannel: Bool) async throws -> Bool {
    let (channel, writer) = (channel, writer)
    return try await channel.eventLoop.submit {
      var bytes = ByteBuffer(bytes: message)
      guard !writer.value.send(&bytes, to: channel) else { return true }
      if leavingRestToChannel {
        writer.value.channelWasWritten()
        channel.writeAndFlush(bytes, promise: nil)
      }
      return false
    }.get()
  }

  /// Gives bytes to the channel and does not flush it.
  func queue(_ message: [UInt8]) async throws {
    let (channel, writer) = (channel, writer)
    try await channel.eventLoop.submit {
      writer.value.channelWasWritten()
      channel.write(ByteBuffer(bytes: message), promise: nil)
    }.get()
  }

  /// Waits until the channel has nothing left to write.
  func drain() async throws { try await channel.writeAndFlush(ByteBuffer()).get() }

  /// What has arrived at the peer.
  func take(atMost count: Int) -> [UInt8] { receive(count, flags: CInt(MSG_DONTWAIT)) }

  /// What arrives at the peer next, or an exact number of bytes of it.
  func waitAndTake(_ count: Int? = nil) throws -> [UInt8] {
    let taken = receive(count ?? 1 << 20, flags: count == nil ? 0 : CInt(MSG_WAITALL))
    try #require(taken.count > 0, "The connection has ended.")
    return taken
  }

  private func receive(_ count: Int, flags: CInt) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: max(1, count)) { memory, taken in
      taken = max(0, recv(peer, memory.baseAddress, count, flags))
    }
  }

  /// Ends the peer's side so that the channel's next write fails.
  func reset() {
    var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
    setsockopt(peer, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    Glibc.close(peer)
  }

  func close() async throws {
    try await channel.close()
    Glibc.close(peer)
  }
}
