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

  private let services: RedisDoorServices
  private var executor: CommandExecutor
  private var parser: RESPParser
  private let isPlain: Bool
  private var socket = SocketWriter()
  /// What has arrived and is not yet read.
  private var unread: ByteBuffer
  /// The command on the pool.
  private var running: Task<Void, Never>?
  private var isClosing = false
  /// Whether the peer takes its answers, as the channel said last.
  private var isWritable = true
  private var isQuiescing = false
  /// Whether the channel asked to read while nothing may be read.
  private var isReadWanted = false
  /// Whether a turn stands in the event loop's queue.
  private var isTurnScheduled = false
  /// Whether a turn runs: what it sends may call back into this handler.
  private var isInTurn = false
  /// When something came or went last.
  private var lastUse = NIODeadline.uptimeNanoseconds(0)
  private var idleTimer: EventLoopTimer?

  /// Bytes of answers from which on they are handed on within a turn.
  private static let bytesPerWrite = 64 * 1024
  private let memory: AnswerMemory

  init(services: RedisDoorServices, channel: any Channel) {
    self.services = services
    memory = AnswerMemory.of(channel.eventLoop)
    isPlain = services.configuration.certificates == nil
    executor = CommandExecutor(
      services: services,
      peer: channel.remoteAddress.map { "\($0.ipAddress ?? ""):\($0.port ?? 0)" } ?? "",
      allocator: channel.allocator, memory: memory)
    parser = RESPParser(limits: services.configuration.limits)
    unread = channel.allocator.buffer(capacity: 0)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    guard !isClosing else { return }
    lastUse = context.eventLoop.now
    if unread.readableBytes == 0 { unread = bytes } else { unread.writeBuffer(&bytes) }
    takeTurn(context)
  }

  func read(context: ChannelHandlerContext) {
    if mayRead(context) { context.read() } else { isReadWanted = true }
  }

  private func mayRead(_ context: ChannelHandlerContext) -> Bool {
    running == nil && !isTurnScheduled && !isInTurn && isWritable
  }

  private func readAgain(_ context: ChannelHandlerContext) {
    guard isReadWanted, mayRead(context) else { return }
    isReadWanted = false
    context.read()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    lastUse = context.eventLoop.now
    isWritable = context.channel.isWritable
    if isWritable { takeTurn(context) }
    context.fireChannelWritabilityChanged()
  }

  func channelActive(context: ChannelHandlerContext) {
    lastUse = context.eventLoop.now
    if isPlain { socket = SocketWriter(context.channel) }
    setIdleTimer(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    isClosing = true
    idleTimer?.cancel()
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
    case is ChannelShouldQuiesceEvent:
      isQuiescing = true
      closeIfDone(context)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  /// Sets the one timer of the connection to the moment at which it will have been idle for too long.
  /// When it fires and the connection has been used meanwhile, it is set again, so that commands cost
  /// no timer.
  private func setIdleTimer(_ context: ChannelHandlerContext) {
    let end = lastUse + services.configuration.idleTime
    // The timer holds this handler until the channel is inactive: a weak reference would make every
    // retain of it take the long way.
    idleTimer = EventLoopTimers.of(context.eventLoop).schedule(deadline: end) {
      self.idleTimerFired(context)
    }
  }

  private func idleTimerFired(_ context: ChannelHandlerContext) {
    guard !isClosing else { return }
    let now = context.eventLoop.now
    // Somebody who waits for an answer is not idle.
    if running != nil { lastUse = now }
    guard lastUse + services.configuration.idleTime <= now else { return setIdleTimer(context) }
    services.figures.events.count("idle")
    context.close(promise: nil)
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
    let outcome = isWritable ? runCommands(context) : .answered
    executor.endTurn()
    finish(outcome, context)
  }

  /// Runs commands until one of them ends the turn, nothing more has arrived whole, or the peer
  /// leaves its answers unread.
  private func runCommands(_ context: ChannelHandlerContext) -> CommandOutcome {
    // Both are held here, so that no command pays for reaching them.
    let arrived = unread
    var parser = RESPParser(limits: services.configuration.limits)
    swap(&parser, &self.parser)
    var done = 0
    let outcome = arrived.withUnsafeReadableBytes { bytes in
      if !bytes.isEmpty { makeRoomForAnswers() }
      while true {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        switch step(in: rest, &parser) {
        case .command(.answered, let end): done += end
        case .command(let outcome, let end):
          done += end
          return outcome
        case .skipped(let end):
          done += end
          continue
        case .nothing: return .answered
        case .failed(let message):
          fail(message)
          return .close
        }
        guard executor.writer.buffer.readableBytes >= Self.bytesPerWrite else { continue }
        send(context)
        guard isWritable else { return .answered }
        makeRoomForAnswers()
      }
    }
    swap(&parser, &self.parser)
    unread.moveReaderIndex(forwardBy: done)
    return outcome
  }

  private func makeRoomForAnswers() {
    guard executor.writer.buffer.capacity == 0 else { return }
    executor.writer.buffer = memory.takeBuffer()
  }

  /// Says why the connection ends, if there is anything to say.
  private func fail(_ message: String?) {
    executor.flushUpdates()
    if let message {
      executor.writer.refuse(
        CommandRefusal("ERR Protocol error: " + message, .protocolError), services)
    } else {
      services.figures.events.count("not_a_client_of_redis")
    }
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
    // The channel reads into the same memory again once nobody else holds it.
    if unread.readableBytes == 0 { unread = ByteBuffer() } else { unread.discardReadBytes() }
    isInTurn = false
    readAgain(context)
    closeIfDone(context)
  }

  private enum Step {
    /// A command that ended before a position; one that is to be tried again stays where it is.
    case command(CommandOutcome, end: Int)
    /// Nothing to do up to a position.
    case skipped(end: Int)
    /// Nothing more has arrived whole.
    case nothing
    /// The connection ends, with the message if there is one.
    case failed(String?)
  }

  /// Reads one command and runs it.
  @inline(__always)
  private func step(in bytes: UnsafeRawBufferPointer, _ parser: inout RESPParser) -> Step {
    do throws(RESPProtocolError) {
      switch try parser.next(in: bytes) {
      case .incomplete: return .nothing
      case .nothing(let end): return .skipped(end: end)
      case .command(let end): return runCommand(in: bytes, parser, end: end)
      }
    } catch {
      return .failed(error.message)
    }
  }

  @inline(__always)
  private func runCommand(
    in bytes: UnsafeRawBufferPointer, _ parser: RESPParser, end: Int
  ) -> Step {
    let made: CommandOutcome? =
      if let line = parser.line {
        line.withUnsafeBytes { execute(CommandWords(bytes: $0, ranges: parser.ranges)) }
      } else {
        execute(CommandWords(bytes: bytes, ranges: parser.ranges))
      }
    guard let made else { return .failed(nil) }
    if case .nextTurn = made { return .command(made, end: 0) }
    return .command(made, end: end)
  }

  /// - Returns: `nil` for what a browser sends: a page must not reach this port through one.
  private func execute(_ words: CommandWords) -> CommandOutcome? {
    if words.isOption(0, "post") || words.isOption(0, "host:") { return nil }
    return executor.execute(words)
  }

  private func send(_ context: ChannelHandlerContext, thenCloses: Bool = false) {
    guard executor.writer.buffer.readableBytes > 0 else {
      memory.give(&executor.writer.buffer)
      if thenCloses { context.close(promise: nil) }
      return
    }
    if socket.send(&executor.writer.buffer, to: context.channel) {
      memory.give(&executor.writer.buffer)
      if thenCloses { context.close(promise: nil) }
      return
    }
    // What is handed on may still be in use; the next answers get memory of their own.
    let rest = executor.writer.buffer
    executor.writer.buffer = ByteBuffer()
    socket.channelWasWritten()
    guard thenCloses else { return context.writeAndFlush(wrapOutboundOut(rest), promise: nil) }
    let channel = context.channel
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.whenComplete { _ in channel.close(promise: nil) }
    context.writeAndFlush(wrapOutboundOut(rest), promise: written)
  }

  private func scheduleTurn(_ context: ChannelHandlerContext) {
    isTurnScheduled = true
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.execute {
      let (handler, context) = bound.value
      handler.isTurnScheduled = false
      handler.lastUse = context.eventLoop.now
      handler.takeTurn(context)
    }
  }

  // MARK: - Long work

  private func run(_ work: @escaping LongWork, _ context: ChannelHandlerContext) {
    let services = services
    let version = executor.writer.version
    let caller = UInt64(executor.connectionID)
    let deadline = WorkDeadline(.now + .milliseconds(services.configuration.longMilliseconds))
    let buffer = context.channel.allocator.buffer(capacity: 4096)
    let loop = context.eventLoop
    let bound = NIOLoopBound((self, context), eventLoop: loop)
    running = Task {
      let answer: ByteBuffer
      do {
        answer = try await services.pool.run(caller: caller) { isCancelled in
          var writer = RESPWriter(version: version, buffer: buffer)
          var budget = WorkBudget(
            steps: services.limits.workPerRequest, deadline: deadline,
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
    lastUse = context.eventLoop.now
    socket.channelWasWritten()
    context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    takeTurn(context)
  }
}
