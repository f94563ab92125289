import NIOCore
import NIOPosix
package import NIOSSL

/// Why a server did not do what it was told. A command that was sent may have taken effect.
package enum RedisFailure: Error, Hashable, Sendable {
  case unreachable(String)
  case refused(String)
  /// As much is on its way as may be.
  case overloaded
}

/// A client of a Redis Cluster: finds the master of a slot, follows redirects, connects anew.
///
/// All state is touched on one event loop, which the client has for itself; it is `Sendable` because
/// of that alone.
package final class RedisCluster: @unchecked Sendable {
  package struct Options: Sendable {
    /// Some of the cluster's servers; the others are learned from them.
    package var seeds: [RedisAddress]
    package var user: String?
    package var password: String?
    package var tls: NIOSSLContext?
    package var connectMilliseconds: Int64 = 1000
    /// A connection that lets an answer wait for longer is given up.
    package var answerMilliseconds: Int64 = 1000
    /// The most bytes of commands that have no answer yet.
    package var waitingBytes = 32 << 20
    package var waitingCommands = 65_536
    package var redirects = 5
    package init(seeds: [RedisAddress]) { self.seeds = seeds }

    var answerTime: TimeAmount { .milliseconds(answerMilliseconds) }
  }

  private struct Command {
    var bytes: ByteBuffer
    var slot: Int
    var redirects: Int
    /// Is told who answered, by the connection's number; 0 for nobody.
    var end: @Sendable (Result<RESPReply, RedisFailure>, UInt64) -> Void
  }

  private struct Rest {
    var until: NIODeadline
    var milliseconds: Int64
  }

  private let options: Options
  private let group: MultiThreadedEventLoopGroup
  private let loop: any EventLoop
  private var map = RedisSlotMap()
  private var connections: [RedisAddress: RedisConnection] = [:]
  private let confirmations: ReplicaConfirmations
  /// Servers to which no connection could be made: until when they are left alone.
  private var rests: [RedisAddress: Rest] = [:]
  private var waitingBytes = 0
  private var waitingCommands = 0
  private var isRefreshing = false
  private var refreshFrom = NIODeadline.uptimeNanoseconds(0)
  private var turn = 0
  private var connectionsMade: UInt64 = 0
  private var isClosed = false
  private var lastTrouble = "the cluster's servers are not known yet"

  private static let refreshPause = TimeAmount.milliseconds(100)
  private static let refreshAnyway = TimeAmount.seconds(5)
  private var refreshed = NIODeadline.uptimeNanoseconds(0)

  /// Makes a client; it connects with its first command.
  package init(options: Options) {
    self.options = options
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    loop = group.next()
    confirmations = ReplicaConfirmations(loop: loop, options: options)
    loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(50)) { [weak self] task in
      guard let self, !isClosed else { return task.cancel() }
      let now = NIODeadline.now()
      for connection in Array(connections.values) { connection.checkDeadlines(now) }
      confirmations.checkDeadlines(now)
      if map.addresses.isEmpty || now >= refreshed + Self.refreshAnyway { refresh() }
    }
  }

  /// Ends all connections; commands without an answer fail.
  package func close() {
    loop.execute { [self] in
      isClosed = true
      for connection in Array(connections.values) { connection.close("closed") }
      confirmations.close()
      group.shutdownGracefully { _ in }
    }
  }

  /// Sends a command to the master of a slot.
  ///
  /// - Parameters:
  ///   - command: Its words.
  ///   - slot: Of its keys.
  ///   - end: Is called once, on the client's event loop. Refusals are failures.
  func send(
    _ command: RedisCommand, slot: Int,
    _ end: @escaping @Sendable (Result<RESPReply, RedisFailure>) -> Void
  ) {
    send(command, slot: slot) { result, _ in end(result) }
  }

  /// The same for who has to know whether two answers are of one server: `end` is told the number of the
  /// connection, 0 where nobody answered.
  func send(
    _ command: RedisCommand, slot: Int,
    _ end: @escaping @Sendable (Result<RESPReply, RedisFailure>, UInt64) -> Void
  ) {
    let bytes = command.bytes
    loop.execute { [self] in
      let size = bytes.readableBytes
      guard waitingCommands < options.waitingCommands,
        waitingBytes + size <= options.waitingBytes
      else { return end(.failure(.overloaded), 0) }
      waitingCommands += 1
      waitingBytes += size
      route(
        Command(bytes: bytes, slot: slot, redirects: 0) { [self] result, number in
          waitingCommands -= 1
          waitingBytes -= size
          end(result, number)
        })
    }
  }

  /// Waits until a replica has what was written to the master of a slot before.
  ///
  /// - Parameters:
  ///   - slot: Of the key.
  ///   - key: What is written to be waited for; nothing else is.
  ///   - source: The number of the connection that answered the write. Where it has ended another server may have
  ///     taken over, which never had it: that is a failure.
  ///   - end: Is called once, on the client's event loop; without a replica that has it in time with a failure.
  func confirm(
    slot: Int, key: String, source: UInt64,
    _ end: @escaping @Sendable (Result<Void, RedisFailure>) -> Void
  ) {
    loop.execute { [self] in
      guard waitingCommands < options.waitingCommands else { return end(.failure(.overloaded)) }
      guard let address = map[slot], connections[address]?.number == source else {
        return end(.failure(Self.tookOver))
      }
      waitingCommands += 1
      confirmations.confirm(address, key: key) { [self] result in
        waitingCommands -= 1
        let isSame = map[slot] == address && connections[address]?.number == source
        end(isSame ? result : .failure(Self.tookOver))
      }
    }
  }

  private static let tookOver = RedisFailure.unreachable(
    "another server may have taken over meanwhile")

  // MARK: - Finding the server

  private func route(_ command: Command) {
    guard let address = map[command.slot] else {
      refresh()
      return command.end(.failure(.unreachable(lastTrouble)), 0)
    }
    guard let connection = connection(to: address) else {
      refresh(but: address)
      return command.end(.failure(.unreachable("\(address): \(lastTrouble)")), 0)
    }
    send(command, by: connection)
  }

  private func send(_ command: Command, by connection: RedisConnection, asking: Bool = false) {
    if asking {
      connection.send(
        RedisCommand(["ASKING"]).bytes,
        .init(bytes: 0, deadline: .now() + options.answerTime) { _ in })
    }
    connection.send(
      command.bytes,
      .init(bytes: command.bytes.readableBytes, deadline: .now() + options.answerTime) {
        [self] result in
        conclude(command, result, asked: connection.address, connection.number)
      })
  }

  private func conclude(
    _ command: Command, _ result: Result<RESPReply, RedisFailure>, asked: RedisAddress,
    _ number: UInt64
  ) {
    guard case .success(.error(let message)) = result else { return command.end(result, number) }
    var command = command
    switch RedisRefusal(message, asked: asked) {
    case .moved(let slot, let address):
      map.set(slot...slot, address)
      refresh()
      redirect(&command, to: address, asking: false, message)
    case .ask(let address): redirect(&command, to: address, asking: true, message)
    case .notServing:
      refresh(but: asked)
      command.end(.failure(.unreachable(message)), 0)
    case .unknownScript, .other: command.end(.failure(.refused(message)), 0)
    }
  }

  private func redirect(
    _ command: inout Command, to address: RedisAddress, asking: Bool, _ message: String
  ) {
    command.redirects += 1
    guard command.redirects <= options.redirects, let connection = connection(to: address) else {
      return command.end(.failure(.unreachable(message)), 0)
    }
    send(command, by: connection, asking: asking)
  }

  // MARK: - Connections

  private func connection(to address: RedisAddress) -> RedisConnection? {
    if let connection = connections[address] { return connection }
    guard !isClosed else { return nil }
    if let rest = rests[address], rest.until > .now() { return nil }
    connectionsMade += 1
    let connection = RedisConnection(address, number: connectionsMade, loop: loop, options: options)
    { [self] ended in
      if connections[address] === ended { connections[address] = nil }
      let pause = min(1000, (rests[address]?.milliseconds ?? 25) * 2)
      rests[address] = Rest(until: .now() + .milliseconds(pause), milliseconds: pause)
      refresh(but: address)
    }
    connections[address] = connection
    connection.connect()
    return connection
  }

  // MARK: - The map

  /// Asks one of the servers who has which slots, unless somebody was asked a moment ago.
  private func refresh(but failing: RedisAddress? = nil) {
    let now = NIODeadline.now()
    guard !isRefreshing, now >= refreshFrom, !isClosed else { return }
    var candidates = map.addresses.filter { $0 != failing }
    candidates += options.seeds.filter { $0 != failing && !candidates.contains($0) }
    if candidates.isEmpty { candidates = options.seeds }
    turn += 1
    for i in 0..<candidates.count {
      let address = candidates[(turn + i) % candidates.count]
      guard let connection = connection(to: address) else { continue }
      isRefreshing = true
      refreshFrom = now + Self.refreshPause
      connection.send(
        RedisCommand(["CLUSTER", "SLOTS"]).bytes,
        .init(bytes: 0, deadline: now + options.answerTime) { [self] result in
          isRefreshing = false
          take(result, from: address)
        })
      return
    }
  }

  private func take(_ result: Result<RESPReply, RedisFailure>, from address: RedisAddress) {
    switch result {
    case .failure(.unreachable(let reason)), .failure(.refused(let reason)): lastTrouble = reason
    case .failure(.overloaded): break
    case .success(.error(let message)): lastTrouble = "\(address): \(message)"
    case .success(let reply):
      guard let told = RedisSlotMap(reply, asked: address), !told.addresses.isEmpty else {
        lastTrouble = "\(address) has no slots of a cluster"
        return
      }
      map = told
      refreshed = .now()
      rests[address] = nil
    }
  }
}

extension RedisCluster {
  /// Makes what connections with TLS begin with: servers have to prove who they are.
  ///
  /// - Parameter authority: A file of certificates that are trusted; nil: the system's.
  /// - Returns: The context of all connections.
  /// - Throws: When the file cannot be used.
  package static func tls(authority: String?) throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    if let authority { configuration.trustRoots = .file(authority) }
    return try NIOSSLContext(configuration: configuration)
  }
}
