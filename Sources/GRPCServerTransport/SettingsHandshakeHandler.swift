import NIOCore

/// Handles the beginning of a connection, and leaves the pipeline after it.
///
/// ```
/// silent ── byte ─→ preface ── 24 bytes and SETTINGS ─→ acknowledgement ── SETTINGS ACK ─→ (removed)
///    └─ too late       └─ anything else, or too late: the HTTP/2 handler ends it, or this one
/// ```
/// The handlers that serve the calls are added with the first byte: they cost most of what opening and
/// closing a connection does, and who opens thousands and says nothing must not have them.
///
/// The HTTP/2 handler enforces the number of streams by ending the connection, and enforces its
/// own default of 100 before the peer has acknowledged the settings, so that 101 calls begun at
/// once were all lost. It is therefore given an acknowledgement right behind the peer's preface,
/// for settings without a limit, and does not get the peer's own. The fast path refuses the streams
/// that are too many, one by one.
final class SettingsHandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private enum State {
    /// The bytes of the preface that have come.
    case preface(ByteBuffer)
    /// The part of a frame's head that has come, and the bytes still to come of the frame before
    /// it.
    case acknowledgement(held: ByteBuffer, skip: Int)
    case done
  }

  private struct FrameHead {
    static let length = 9
    let payloadLength: Int
    let isSettings: Bool
    let isAcknowledgement: Bool

    init?(_ bytes: ByteBuffer, at index: Int) {
      guard let high: UInt8 = bytes.getInteger(at: index),
        let low: UInt16 = bytes.getInteger(at: index + 1),
        let kind: UInt8 = bytes.getInteger(at: index + 3),
        let flags: UInt8 = bytes.getInteger(at: index + 4),
        bytes.writerIndex >= index + Self.length
      else { return nil }
      payloadLength = Int(high) << 16 | Int(low)
      isSettings = kind == 4
      isAcknowledgement = isSettings && flags & 1 == 1
    }
  }

  private static let magic = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  /// A SETTINGS frame with the flag ACK on stream 0.
  private static let acknowledgement = ByteBuffer(bytes: [0, 0, 0, 4, 1, 0, 0, 0, 0])
  /// The longest first frame. HTTP/2 allows no longer one before other settings.
  private static let maximumFrameBytes = 16_384

  private let timeout: TimeAmount
  private let events: TransportEvents
  private var state = State.preface(ByteBuffer())
  /// Adds the handlers behind this one; `nil` once they are there.
  private var addHandlers: (() throws -> Void)?
  private var isShutdownAnnounced = false
  private var timer: EventLoopTimer?

  init(
    timeout: TimeAmount, events: TransportEvents, addHandlers: @escaping () throws -> Void
  ) {
    self.timeout = timeout
    self.events = events
    self.addHandlers = addHandlers
  }

  func channelActive(context: ChannelHandlerContext) {
    timer = EventLoopTimers.of(context.eventLoop).schedule(in: timeout) { [weak self] in
      guard let self, case .preface = state else { return }
      events.count("no_preface")
      context.close(promise: nil)
    }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent where addHandlers != nil: context.close(promise: nil)
    case is ShutdownAnnounced where addHandlers != nil: isShutdownAnnounced = true
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if addHandlers == nil { context.fireErrorCaught(error) } else { context.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if let addHandlers {
      self.addHandlers = nil
      do {
        try addHandlers()
      } catch {
        return context.close(promise: nil)
      }
      if isShutdownAnnounced { context.fireUserInboundEventTriggered(ShutdownAnnounced()) }
    }
    let bytes = unwrapInboundIn(data)
    switch state {
    case .preface(var pending):
      state = .done
      pending.writeImmutableBuffer(bytes)
      readPreface(context, pending)
    case .acknowledgement(var held, let skip):
      state = .done
      held.writeImmutableBuffer(bytes)
      readFrames(context, held, skip: skip)
    case .done: context.fireChannelRead(data)
    }
  }

  private func readPreface(_ context: ChannelHandlerContext, _ pending: ByteBuffer) {
    var pending = pending
    let begun = pending.readableBytesView.prefix(Self.magic.count)
    guard begun.elementsEqual(Self.magic.prefix(begun.count)) else {
      return finish(context, pending)
    }
    let start = pending.readerIndex + Self.magic.count
    guard let head = FrameHead(pending, at: start) else { return state = .preface(pending) }
    guard head.isSettings, !head.isAcknowledgement, head.payloadLength <= Self.maximumFrameBytes
    else { return finish(context, pending) }
    let length = Self.magic.count + FrameHead.length + head.payloadLength
    guard let preface = pending.readSlice(length: length) else { return state = .preface(pending) }
    timer?.cancel()
    timer = nil
    context.fireChannelRead(wrapInboundOut(preface))
    context.fireChannelRead(wrapInboundOut(Self.acknowledgement))
    readFrames(context, pending, skip: 0)
  }

  /// Passes on whole frames and pieces of payloads until the acknowledgement comes.
  private func readFrames(_ context: ChannelHandlerContext, _ bytes: ByteBuffer, skip: Int) {
    var bytes = bytes
    var end = bytes.readerIndex + skip
    while end < bytes.writerIndex {
      guard let head = FrameHead(bytes, at: end) else { break }
      if head.isAcknowledgement && head.payloadLength == 0 {
        forward(context, bytes.readSlice(length: end - bytes.readerIndex))
        bytes.moveReaderIndex(forwardBy: FrameHead.length)
        return finish(context, bytes)
      }
      end += FrameHead.length + head.payloadLength
    }
    let whole = min(end, bytes.writerIndex) - bytes.readerIndex
    let skip = max(0, end - bytes.writerIndex)
    forward(context, bytes.readSlice(length: whole))
    state = .acknowledgement(held: bytes.readableBytes > 0 ? bytes : ByteBuffer(), skip: skip)
  }

  private func finish(_ context: ChannelHandlerContext, _ rest: ByteBuffer) {
    state = .done
    timer?.cancel()
    timer = nil
    forward(context, rest)
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }

  private func forward(_ context: ChannelHandlerContext, _ bytes: ByteBuffer?) {
    if let bytes, bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
  }
}
