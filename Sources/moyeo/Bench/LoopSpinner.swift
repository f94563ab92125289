import Foundation
import MoyeoClient
import NIOCore
import NIOPosix

/// Keeps the thread of an event loop awake: a byte goes round through a pipe, so that the loop
/// always has something to read, looks at its connections each time and never sleeps.
///
/// A thread that sleeps is woken 50-100 us late on a virtual machine. That is most of what a load
/// generator's requests are late by; it costs a core.
final class LoopSpinner: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let onTurn: () -> Void

  private init(onTurn: @escaping () -> Void) { self.onTurn = onTurn }

  /// Begins to keep a loop's thread awake.
  ///
  /// - Parameters:
  ///   - loop: Whose thread it is.
  ///   - onTurn: Called on the loop, each time that it has looked at its connections.
  /// - Returns: To be closed when the loop may sleep again.
  /// - Throws: ``CommandFailure`` when the system gives no pipe; NIO's error when it cannot be
  ///   used.
  static func start(
    on loop: any EventLoop, onTurn: @escaping @Sendable () -> Void
  ) async throws -> any Channel {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw CommandFailure(message: "no pipe to keep the generator awake: errno \(errno)")
    }
    return try await NIOPipeBootstrap(group: loop)
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 8))
      .channelOption(.maxMessagesPerRead, value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(LoopSpinner(onTurn: onTurn))
        }
      }
      .takingOwnershipOfDescriptors(input: ends[0], output: ends[1]).get()
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [0])), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.writeAndFlush(data, promise: nil)
    onTurn()
  }
}
