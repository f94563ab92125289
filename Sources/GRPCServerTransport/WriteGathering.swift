import NIOCore
import NIOHTTP2

/// Turns all that is written while one piece of input is worked through into one write to the
/// socket; what is written at other times goes at each flush, as one write too. No timer: nothing
/// waits for something that may not come.
///
/// It also stops reading from a peer that asks and asks and does not take its answers, and corrects
/// frames that the HTTP/2 handler cannot be told to write differently.
final class WriteGathering: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// Handed to the channel without waiting for the end of the input, so that it can tell writers
  /// that it is full.
  private static let maximumGatheredBytes = 64 * 1024
  /// A larger buffer is not kept for the next time.
  private static let maximumReusedBytes = 16 * 1024
  /// Unread answers, in bytes, from which on a peer's requests stay unread too.
  private let maximumUnreadBytes: Int

  private var gathered = ByteBuffer()
  /// What was written last: its memory may serve again.
  private var spare = ByteBuffer()
  private var promise: EventLoopPromise<Void>?
  private var isReading = false
  private var mustFlush = false
  private var holdsRead = false
  private var context: ChannelHandlerContext?
  /// Four bytes to write into the next frame, at an offset from its start.
  private var patch: (offset: Int, value: UInt32)?
  /// Where the last RST_STREAM stands in `gathered`.
  private var resetIndex: Int?

  init(maximumUnreadBytes: Int = 4 << 20) { self.maximumUnreadBytes = maximumUnreadBytes }

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
    guard case .byteBuffer(let bytes) = unwrapOutboundIn(data) else {
      writeGathered(context)
      return context.write(data, promise: written)
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

  func close(
    context: ChannelHandlerContext, mode: CloseMode, promise closed: EventLoopPromise<Void>?
  ) {
    if mode != .input { flushNow(context) }
    context.close(mode: mode, promise: closed)
  }

  func read(context: ChannelHandlerContext) {
    guard context.channel.isWritable || unreadBytes(context) < maximumUnreadBytes else {
      holdsRead = true
      return
    }
    context.read()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if holdsRead && context.channel.isWritable {
      holdsRead = false
      context.read()
    }
    context.fireChannelWritabilityChanged()
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
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
    context.write(wrapOutboundOut(.byteBuffer(spare)), promise: written)
  }

  private func flushNow(_ context: ChannelHandlerContext) {
    mustFlush = false
    writeGathered(context)
    context.flush()
    guard gathered.capacity == 0 else { return }
    // Most often the socket has taken all, and the memory is free for the next answers.
    if spare.capacity <= Self.maximumReusedBytes { swap(&gathered, &spare) }
    spare = ByteBuffer()
    if gathered.capacity > 0 { gathered.clear() }
  }
}

// Frames of our own, and corrections of the HTTP/2 handler's.
extension WriteGathering {
  /// Sends a frame that the HTTP/2 handler is not to know of.
  func sendFrame(_ bytes: ByteBuffer) {
    guard let context else { return }
    gathered.writeImmutableBuffer(bytes)
    flush(context: context)
  }

  /// Writes four bytes into the next frame, at an offset from its start.
  func patchNextFrame(at offset: Int, with value: UInt32) { patch = (offset, value) }

  /// The next frame is a RST_STREAM.
  func noteReset() { resetIndex = gathered.writerIndex }

  /// Gives the last RST_STREAM another code, if it has not left yet.
  func patchReset(with code: HTTP2ErrorCode) {
    guard let resetIndex else { return }
    gathered.setInteger(UInt32(code.networkCode), at: resetIndex + 9)
  }
}
