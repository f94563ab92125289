import NIOCore
import NIOHTTP2

/// Gathers everything that is written while one piece of input is worked through into one write to
/// the socket. What is written at other times goes out at each flush, as one write too. Writes know
/// no timer, so that nothing waits for something that may not come.
///
/// It also stops reading from a peer that sends requests and does not take its answers, pauses
/// reading from one whose calls are refused for overload, and corrects frames that the HTTP/2 handler
/// cannot be told to write differently.
final class WriteGathering: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// The most bytes that are gathered. More are handed to the channel before the end of the input,
  /// so that it can tell writers that it is full.
  private static let maximumGatheredBytes = 64 * 1024
  /// A piece from so many bytes on costs less to hand on by itself than to copy.
  private static let minimumUncopiedBytes = 8 * 1024
  /// The largest buffer that is kept for the next write.
  private static let maximumReusedBytes = 16 * 1024
  /// The bytes of unread answers from which on a peer's requests stay unread too.
  private let maximumUnreadBytes: Int

  /// The longest pause of reading; an answer to the peer's other calls comes so much later at most.
  private static let pauseNanoseconds: UInt64 = 4_000_000

  private var gathered = ByteBuffer()
  private var socket: SocketWriter
  /// The buffer that was written last, whose memory may be used again.
  private var spare = ByteBuffer()
  private var promise: EventLoopPromise<Void>?
  private var isReading = false
  private var mustFlush = false
  private var holdsRead = false
  private var pause: EventLoopTimer?
  private var context: ChannelHandlerContext?
  /// Four bytes to write into the next frame, at an offset from its start.
  private var patch: (offset: Int, value: UInt32)?
  /// The index of the last RST_STREAM in `gathered`.
  private var resetIndex: Int?

  /// - Parameters:
  ///   - socket: Writes to the socket where nothing changes the bytes on their way there.
  ///   - maximumUnreadBytes: The bytes of unread answers from which on requests stay unread too.
  init(socket: SocketWriter = SocketWriter(), maximumUnreadBytes: Int = 4 << 20) {
    self.socket = socket
    self.maximumUnreadBytes = maximumUnreadBytes
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isReading = true
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    context.fireChannelReadComplete()
    isReading = false
    if mustFlush { flushNow(context) }
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise written: EventLoopPromise<Void>?
  ) {
    guard case .byteBuffer(let bytes) = unwrapOutboundIn(data),
      bytes.readableBytes < Self.minimumUncopiedBytes || patch != nil
    else {
      // What is long, or no memory, is handed on as it is, behind what was gathered before it.
      writeGathered(context)
      socket.channelWasWritten()
      return context.write(data, promise: written)
    }
    if gathered.readableBytes + bytes.readableBytes > Self.maximumGatheredBytes {
      writeGathered(context)
    } else if gathered.readableBytes + bytes.readableBytes > Self.maximumReusedBytes,
      gathered.capacity < Self.maximumGatheredBytes
    {
      // What is long goes on: it is not moved each time that the memory doubles.
      gathered.reserveCapacity(Self.maximumGatheredBytes)
    }
    let start = gathered.writerIndex
    gathered.writeImmutableBuffer(bytes)
    if let patch {
      self.patch = nil
      gathered.setInteger(patch.value, at: start + patch.offset)
    }
    promise.setOrCascade(to: written)
    if gathered.readableBytes >= Self.maximumGatheredBytes { writeGathered(context) }
  }

  func flush(context: ChannelHandlerContext) {
    mustFlush = true
    if !isReading { flushNow(context) }
  }

  /// Lets the handlers behind this one look once more at what they have been given. It does not
  /// begin at the head of the pipeline, because TLS takes nothing for the end of the input.
  func readRemaining() {
    guard let context else { return }
    channelRead(context: context, data: NIOAny(ByteBuffer()))
    channelReadComplete(context: context)
  }

  func close(
    context: ChannelHandlerContext, mode: CloseMode, promise closed: EventLoopPromise<Void>?
  ) {
    if mode != .input { flushNow(context) }
    context.close(mode: mode, promise: closed)
  }

  func read(context: ChannelHandlerContext) {
    guard pause == nil,
      context.channel.isWritable || unreadBytes(context) < maximumUnreadBytes
    else {
      holdsRead = true
      return
    }
    context.read()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { readHeld(context) }
    context.fireChannelWritabilityChanged()
  }

  private func readHeld(_ context: ChannelHandlerContext) {
    guard holdsRead else { return }
    holdsRead = false
    read(context: context)
  }

  /// Leaves what comes next in the socket for a moment, so that the requests of a peer whose calls
  /// are refused for overload are read, and refused, several at a time: what refusals cost is taken
  /// from those that are answered. The pauses of all connections of an event loop end together.
  func pauseReading() {
    guard pause == nil, let context else { return }
    let end =
      (context.eventLoop.now.uptimeNanoseconds / Self.pauseNanoseconds + 1) * Self.pauseNanoseconds
    pause = EventLoopTimers.of(context.eventLoop).schedule(deadline: .uptimeNanoseconds(end)) {
      [weak self] in
      guard let self else { return }
      pause = nil
      if let context = self.context { readHeld(context) }
    }
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    pause?.cancel()
    pause = nil
    promise?.fail(ChannelError.ioOnClosedChannel)
    promise = nil
  }

  private func unreadBytes(_ context: ChannelHandlerContext) -> Int {
    (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  private func writeGathered(_ context: ChannelHandlerContext) {
    guard gathered.readableBytes > 0 else { return }
    let written = promise
    promise = nil
    resetIndex = nil
    spare = gathered
    gathered = ByteBuffer()
    socket.channelWasWritten()
    context.write(wrapOutboundOut(.byteBuffer(spare)), promise: written)
  }

  /// Sends what is gathered without the channel, if the socket takes all of it.
  private func sendGathered(_ context: ChannelHandlerContext) -> Bool {
    guard gathered.readableBytes > 0, socket.send(&gathered, to: context.channel) else {
      return false
    }
    if gathered.capacity > Self.maximumReusedBytes { gathered = ByteBuffer() }
    gathered.clear()
    resetIndex = nil
    let written = promise
    promise = nil
    written?.succeed()
    return true
  }

  private func flushNow(_ context: ChannelHandlerContext) {
    mustFlush = false
    guard !sendGathered(context) else { return }
    writeGathered(context)
    context.flush()
    guard gathered.capacity == 0 else { return }
    // Most often the socket has taken everything, and the memory is free for the next answers.
    if spare.capacity <= Self.maximumReusedBytes { swap(&gathered, &spare) }
    spare = ByteBuffer()
    if gathered.capacity > 0 { gathered.clear() }
  }
}

// MARK: Frames of our own, and corrections of the HTTP/2 handler's
extension WriteGathering {
  /// Sends a frame that the HTTP/2 handler is not told of.
  func sendFrame(_ bytes: ByteBuffer) {
    guard let context else { return }
    gathered.writeImmutableBuffer(bytes)
    flush(context: context)
  }

  /// Writes four bytes into the next frame, at an offset from its start.
  func patchNextFrame(at offset: Int, with value: UInt32) { patch = (offset, value) }

  /// Notes that the next frame is a RST_STREAM.
  func noteReset() { resetIndex = gathered.writerIndex }

  /// Replaces the code of the last RST_STREAM, if it has not been sent yet.
  func patchReset(with code: HTTP2ErrorCode) {
    guard let resetIndex else { return }
    gathered.setInteger(UInt32(code.networkCode), at: resetIndex + 9)
  }
}
