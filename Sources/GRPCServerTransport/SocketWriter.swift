package import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes to the socket of a channel at once, and leaves to the channel what the socket does not take.
///
/// A channel puts each write into a queue and takes it out again when it is flushed. For a short
/// answer that is a quarter of all instructions of a call, and the socket nearly always has room.
///
/// It belongs to the handler next to the socket, on the event loop of the channel: that handler
/// writes nothing past it without telling it so (``channelWasWritten()``).
package struct SocketWriter {
  /// `nil` where the bytes are not what the socket gets, or where there is no socket.
  private let descriptor: NIOBSDSocket.Handle?
  /// Whether something that the channel was given may still be in its queue. Nothing overtakes it.
  private var mayBeQueued = true

  /// A writer that leaves everything to the channel.
  package init() { descriptor = nil }

  /// A writer to the socket of a channel that has one, on whose event loop this runs.
  package init(_ channel: any Channel) {
    descriptor = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { $0 }
  }

  /// Sends bytes, if all that was written before has reached the socket.
  ///
  /// - Returns: Whether the socket took all of them. If it did not, the caller writes what is left in
  ///   `bytes` to the channel, which also finds out what is wrong with a socket that takes nothing.
  package mutating func send(_ bytes: inout ByteBuffer, to channel: any Channel) -> Bool {
    // The channel closes its socket and becomes inactive in one step, so that the descriptor of an
    // active one is its own.
    guard let descriptor, channel.isActive else { return false }
    if mayBeQueued {
      let queued = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 1
      guard queued == 0 else { return false }
      mayBeQueued = false
    }
    let taken = bytes.withUnsafeReadableBytes {
      sendWithoutSignal(descriptor, $0)
    }
    guard taken > 0 else { return false }
    bytes.moveReaderIndex(forwardBy: taken)
    return bytes.readableBytes == 0
  }

  /// Notes that the channel was given something to write.
  package mutating func channelWasWritten() { mayBeQueued = true }
}

/// A peer that has gone is told by an error, not by a signal.
private func sendWithoutSignal(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  #if canImport(Glibc)
    send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
  #else
    send(descriptor, bytes.baseAddress, bytes.count, 0)
  #endif
}
