import GRPCServerTransport
import LiveLayers
import NIOCore
import ObjectModel
import Threading

/// Reads commands from a connection, runs them in their order and writes their answers.
///
///     bytes ─ RESPParser ─ CommandExecutor ─ RESPWriter ─ bytes
///                               └─ BoundedThreadPool, for what is long
///
/// It takes in bytes only while nothing waits: not while a command runs on the pool, and not while
/// the peer leaves its answers unread (the channel's high water mark). So a connection holds at most
/// one command and one receive buffer, its unread answers, and one answer more.
final class RESPConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let executor: CommandExecutor
  private var parser: RESPParser
  /// What has arrived and is not yet read.
  private var unread: ByteBuffer
  /// The command on the pool.
  private var running: Task<Void, Never>?
  private var isClosing = false
  private var isQuiescing = false
  /// Whether the channel asked to read while nothing may be read.
  private var isReadWanted = false
  /// Whether a turn stands in the event loop's queue.
  private var isTurnScheduled = false
  /// Whether a turn runs: what it sends may call back into this handler.
  private var isInTurn = false

  /// Bytes of answers from which on they are handed on within a turn.
  private static let bytesPerWrite = 64 * 1024
  /// How much memory answers get before the first of them is written: what those before took, so
  /// that it seldom has to grow. A connection that waits holds none.
  private var expectedAnswerBytes = 512
  private static let maximumExpectedBytes = bytesPerWrite + 8 * 1024

  init(services: RedisDoorServices, channel: any Channel) {
    executor = CommandExecutor(
      services: services,
      peer: channel.remoteAddress.map { "\($0.ipAddress ?? ""):\($0.port ?? 0)" } ?? "",
      allocator: channel.allocator)
    parser = RESPParser(limits: services.configuration.limits)
    unread = channel.allocator.buffer(capacity: 0)
  }

  private var services: RedisDoorServices { executor.services }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    guard !isClosing else { return }
    if unread.readableBytes == 0 { unread = bytes } else { unread.writeBuffer(&bytes) }
    takeTurn(context)
  }

  func read(context: ChannelHandlerContext) {
    if mayRead(context) { context.read() } else { isReadWanted = true }
  }

  private func mayRead(_ context: ChannelHandlerContext) -> Bool {
    running == nil && !isTurnScheduled && !isInTurn && context.channel.isWritable
  }

  private func readAgain(_ context: ChannelHandlerContext) {
    guard isReadWanted, mayRead(context) else { return }
    isReadWanted = false
    context.read()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { takeTurn(context) }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    isClosing = true
    running?.cancel()
    services.connectionClosed()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The connection is broken, or too slow.
    isClosing = true
    context.close(promise: nil)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case let idle as IdleStateHandler.IdleStateEvent where idle == .all:
      // Somebody who waits for an answer is not idle.
      guard running == nil else { return }
      services.figures.events.count("idle")
      context.close(promise: nil)
    case is ChannelShouldQuiesceEvent:
      isQuiescing = true
      closeIfDone(context)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  /// Ends the connection of a service that ends, once what has arrived is answered.
  private func closeIfDone(_ context: ChannelHandlerContext) {
    guard isQuiescing, !isClosing, !isInTurn, running == nil, !isTurnScheduled else { return }
    isClosing = true
    context.close(promise: nil)
  }

  // MARK: - Turns

  /// Runs the commands that have arrived, as far as one turn goes.
  private func takeTurn(_ context: ChannelHandlerContext) {
    guard running == nil, !isTurnScheduled, !isClosing, !isInTurn else { return }
    isInTurn = true
    executor.beginTurn()
    var outcome = CommandOutcome.answered
    var isRunning = true
    while isRunning, context.channel.isWritable {
      switch step() {
      case .command(let made):
        outcome = made
        if case .answered = made {} else { isRunning = false }
      case .nothing: isRunning = false
      case .failed(let message):
        executor.flushUpdates()
        if let message {
          executor.writer.refuse(
            CommandRefusal("ERR Protocol error: " + message, .protocolError), services)
        } else {
          services.figures.events.count("not_a_client_of_redis")
        }
        outcome = .close
        isRunning = false
      }
      if executor.writer.buffer.readableBytes >= Self.bytesPerWrite { send(context) }
    }
    executor.endTurn()
    finish(outcome, context)
  }

  private func finish(_ outcome: CommandOutcome, _ context: ChannelHandlerContext) {
    switch outcome {
    case .answered: send(context)
    case .nextTurn:
      send(context)
      scheduleTurn(context)
    case .long(let work):
      send(context)
      run(work, context)
    case .close:
      isClosing = true
      send(context, thenCloses: true)
    }
    if unread.readableBytes == 0 { unread.clear() } else { unread.discardReadBytes() }
    isInTurn = false
    readAgain(context)
    closeIfDone(context)
  }

  private enum Step {
    case command(CommandOutcome)
    /// Nothing more has arrived whole.
    case nothing
    /// The connection ends, with the message if there is one.
    case failed(String?)
  }

  private func step() -> Step {
    while true {
      let parsed: Result<RESPParser.Step, RESPProtocolError> = unread.withUnsafeReadableBytes {
        bytes in
        do throws(RESPProtocolError) { return .success(try parser.next(in: bytes)) } catch {
          return .failure(error)
        }
      }
      switch parsed {
      case .failure(let error): return .failed(error.message)
      case .success(.incomplete): return .nothing
      case .success(.nothing(let end)): unread.moveReaderIndex(forwardBy: end)
      case .success(.command(let end)): return runCommand(end: end)
      }
    }
  }

  /// Runs the command that was parsed; one that is to be tried again stays where it is.
  private func runCommand(end: Int) -> Step {
    if executor.writer.buffer.capacity == 0 {
      executor.writer.buffer.reserveCapacity(expectedAnswerBytes)
    }
    let made: CommandOutcome? =
      if let line = parser.line {
        line.withUnsafeBytes { execute(CommandWords(bytes: $0, ranges: parser.ranges)) }
      } else {
        unread.withUnsafeReadableBytes {
          execute(CommandWords(bytes: $0, ranges: parser.ranges))
        }
      }
    guard let made else { return .failed(nil) }
    if case .nextTurn = made { return .command(made) }
    unread.moveReaderIndex(forwardBy: end)
    return .command(made)
  }

  /// - Returns: `nil` for what a browser sends: a page must not reach this port through one.
  private func execute(_ words: CommandWords) -> CommandOutcome? {
    if words.isOption(0, "post") || words.isOption(0, "host:") { return nil }
    return executor.execute(words)
  }

  private func send(_ context: ChannelHandlerContext, thenCloses: Bool = false) {
    let bytes = executor.writer.buffer
    guard bytes.readableBytes > 0 else {
      if thenCloses { context.close(promise: nil) }
      return
    }
    // What was handed on may still be in use; the next answers get memory of their own.
    expectedAnswerBytes = min(max(512, bytes.readableBytes), Self.maximumExpectedBytes)
    executor.writer.buffer = context.channel.allocator.buffer(capacity: 0)
    guard thenCloses else { return context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
    let channel = context.channel
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.whenComplete { _ in channel.close(promise: nil) }
    context.writeAndFlush(wrapOutboundOut(bytes), promise: written)
  }

  private func scheduleTurn(_ context: ChannelHandlerContext) {
    isTurnScheduled = true
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.execute {
      let (handler, context) = bound.value
      handler.isTurnScheduled = false
      handler.takeTurn(context)
    }
  }

  // MARK: - Long work

  private func run(_ work: @escaping LongWork, _ context: ChannelHandlerContext) {
    let services = services
    let version = executor.writer.version
    let caller = UInt64(executor.connectionID)
    let deadline = ContinuousClock.now + .milliseconds(services.configuration.longMilliseconds)
    let buffer = context.channel.allocator.buffer(capacity: 4096)
    let loop = context.eventLoop
    let bound = NIOLoopBound((self, context), eventLoop: loop)
    running = Task {
      let answer: ByteBuffer
      do {
        answer = try await services.pool.run(caller: caller) { isCancelled in
          var writer = RESPWriter(version: version, buffer: buffer)
          var budget = WorkBudget(
            steps: services.layers.limits.workPerRequest, deadline: deadline,
            isCancelled: isCancelled)
          work(&writer, &budget)
          return writer.buffer
        }
      } catch {
        var writer = RESPWriter(version: version, buffer: buffer)
        writer.refuse(
          CommandRefusal("ERR overloaded: too many long commands wait already", .overloaded),
          services)
        answer = writer.buffer
      }
      loop.execute {
        let (handler, context) = bound.value
        handler.finishLong(answer, context)
      }
    }
  }

  private func finishLong(_ answer: ByteBuffer, _ context: ChannelHandlerContext) {
    running = nil
    guard !isClosing else { return }
    context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    takeTurn(context)
  }
}
