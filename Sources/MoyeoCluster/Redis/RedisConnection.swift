import NIOCore
import NIOPosix
import NIOSSL

/// One connection to a server, whose commands are answered in their order. It lives on one event loop
/// and is touched there alone.
final class RedisConnection {
  struct Pending {
    var bytes: Int
    var deadline: NIODeadline
    var end: (Result<RESPReply, RedisFailure>) -> Void
  }

  let address: RedisAddress
  /// No other connection of the client has it.
  let number: UInt64
  private let loop: any EventLoop
  private let options: RedisCluster.Options
  private let onEnd: (RedisConnection) -> Void
  private var channel: (any Channel)?
  /// Commands that wait for the connection.
  private var unsent: [(ByteBuffer, Pending)] = []
  private var sent: CircularBuffer<Pending> = []
  private(set) var isReady = false
  private(set) var isClosed = false
  private var mustFlush = false

  init(
    _ address: RedisAddress, number: UInt64, loop: any EventLoop, options: RedisCluster.Options,
    onEnd: @escaping (RedisConnection) -> Void
  ) {
    self.address = address
    self.number = number
    self.loop = loop
    self.options = options
    self.onEnd = onEnd
  }

  // MARK: - Beginning and end

  func connect() {
    let box = NIOLoopBound(self, eventLoop: loop)
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(.milliseconds(options.connectMilliseconds))
      .channelOption(.socketOption(.so_keepalive), value: 1)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { [options, address] channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls = options.tls {
            let name = RedisConnection.isName(address.host) ? address.host : nil
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: tls, serverHostname: name))
          }
          try channel.pipeline.syncOperations.addHandler(RedisReplyHandler(connection: box.value))
        }
      }
    bootstrap.connect(host: address.host, port: address.port).whenComplete { result in
      let connection = box.value
      switch result {
      case .failure(let error): connection.close("cannot connect: \(error)")
      case .success(let channel):
        guard !connection.isClosed else { return channel.close(promise: nil) }
        connection.channel = channel
        connection.begin()
      }
    }
  }

  /// Addresses are verified without a server's name.
  private static func isName(_ host: String) -> Bool {
    (try? SocketAddress(ipAddress: host, port: 0)) == nil
  }

  private func begin() {
    guard let password = options.password else { return becomeReady() }
    var words = ["AUTH"]
    if let user = options.user { words.append(user) }
    let command = RedisCommand(words + [password])
    // The first that is written: its answer comes before all others.
    write(
      command.bytes,
      Pending(bytes: 0, deadline: .now() + options.answerTime) { [self] result in
        switch result {
        case .success(.error(let message)):
          // The message is the server's; it does not repeat the password.
          close("the server refuses the password: \(message)")
        case .success: becomeReady()
        case .failure: break
        }
      })
  }

  private func becomeReady() {
    isReady = true
    let waiting = unsent
    unsent = []
    for (bytes, pending) in waiting { write(bytes, pending) }
  }

  func close(_ reason: String) {
    guard !isClosed else { return }
    isClosed = true
    isReady = false
    channel?.close(promise: nil)
    let all = Array(sent) + unsent.map(\.1)
    sent = []
    unsent = []
    onEnd(self)
    for one in all { one.end(.failure(.unreachable("\(address): \(reason)"))) }
  }

  /// Gives up a connection that has not answered in time.
  func checkDeadlines(_ now: NIODeadline) {
    let oldest = sent.first?.deadline ?? unsent.first?.1.deadline
    if let oldest, oldest <= now { close("no answer in time") }
  }

  // MARK: - Commands

  func send(_ bytes: ByteBuffer, _ pending: Pending) {
    if isClosed { return pending.end(.failure(.unreachable("\(address): closed"))) }
    guard isReady else { return unsent.append((bytes, pending)) }
    write(bytes, pending)
  }

  private func write(_ bytes: ByteBuffer, _ pending: Pending) {
    guard let channel else { return pending.end(.failure(.unreachable("\(address): closed"))) }
    sent.append(pending)
    channel.write(bytes, promise: nil)
    // One system call for all that is sent in one turn of the loop.
    guard !mustFlush else { return }
    mustFlush = true
    let box = NIOLoopBound(self, eventLoop: loop)
    loop.execute {
      box.value.mustFlush = false
      box.value.channel?.flush()
    }
  }

  func received(_ reply: RESPReply) {
    if case .push = reply { return }
    guard let pending = sent.popFirst() else { return close("an answer that nobody asked for") }
    pending.end(.success(reply))
  }
}

/// Hands what arrives to its connection.
private final class RedisReplyHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let connection: RedisConnection
  private var parser = RESPReplyParser()
  private var buffer = ByteBuffer()

  init(connection: RedisConnection) { self.connection = connection }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var arrived = unwrapInboundIn(data)
    if buffer.readableBytes == 0 { buffer = arrived } else { buffer.writeBuffer(&arrived) }
    do throws(RESPReplyError) {
      while let reply = try parser.next(in: &buffer) { connection.received(reply) }
    } catch {
      connection.close("no answer of Redis: \(error.message)")
    }
    buffer.discardReadBytes()
  }

  func channelInactive(context: ChannelHandlerContext) {
    connection.close("the server has closed the connection")
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    connection.close("\(error)")
  }
}

/// The words of a command as they are sent.
struct RedisCommand: Sendable {
  private(set) var bytes = ByteBuffer()

  init(count: Int) { bytes.writeString("*\(count)\r\n") }

  init(_ words: [String]) {
    self.init(count: words.count)
    for word in words { append(word) }
  }

  mutating func append(_ word: String) {
    bytes.writeString("$\(word.utf8.count)\r\n\(word)\r\n")
  }

  mutating func append(_ word: [UInt8]) {
    bytes.writeString("$\(word.count)\r\n")
    bytes.writeBytes(word)
    bytes.writeString("\r\n")
  }
}
