import CallTracing
import GRPCCore
import NIOCore
import NIOEmbedded

@testable import GRPCServerTransport

/// HTTP/2 and gRPC's framing as a connection reads them: any frames behind a client's preface.
///
/// The first byte is the size of the pieces in which the rest arrives. Each message that gets
/// through is answered, on a unary call and on a stream.
enum FrameTarget {
  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// Answers each message with its length.
  private final class Lengths: FastPathStream {
    func answer(_ message: UnsafeRawBufferPointer) throws(CallRefusal) -> [UInt8] {
      [UInt8(truncatingIfNeeded: message.count)]
    }
  }

  private struct NoRecorder: CallRecorder {
    func start() -> UInt64 { 1 }
    func finish(_ start: UInt64, refusal: CallRefusal?, tags: CallTags?) {}
  }

  private static let pipeline: ConnectionPipeline = {
    var settings = FastPathServerTransport.Settings()
    settings.fastPathMethods = [
      "/t.T/Unary": FastPathMethod(
        maximumRequestBytes: 512, recorder: NoRecorder(),
        kind: .unary { bytes in [UInt8(truncatingIfNeeded: bytes.count)] }),
      "/t.T/Stream": FastPathMethod(
        maximumRequestBytes: 512, recorder: NoRecorder(), kind: .stream { Lengths() }),
    ]
    settings.maximumStreamsPerConnection = 20
    settings.maximumLongStreamsPerConnection = 4
    settings.maximumRequestBytesPerConnection = 2048
    // Calls of other paths are refused by the stream handlers, before anything is made for them.
    return ConnectionPipeline(settings: settings, events: TransportEvents()) { _ in
      hold(false, "a call of a path that is not served was taken")
    }
  }()

  @Sendable
  static func feed(_ bytes: UnsafeRawBufferPointer) {
    guard let (size, rest) = bytes.choice else { return }
    let channel = EmbeddedChannel()
    defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
    guard (try? pipeline.configure(channel)) != nil,
      (try? channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()) != nil
    else { return hold(false, "the pipeline cannot be set up") }
    receive(preface[...], channel)
    var at = 0
    while at < rest.count, channel.isActive {
      let end = min(rest.count, at + 1 + Int(size))
      receive(rest[at..<end], channel)
      at = end
    }
    channel.embeddedEventLoop.advanceTime(by: .seconds(120))
    var written = 0
    while let out = try? channel.readOutbound(as: ByteBuffer.self) { written += out.readableBytes }
    hold(written <= 64 * (rest.count + 1024), "\(written) bytes answer \(rest.count)")
  }

  private static func receive(_ bytes: some Sequence<UInt8>, _ channel: EmbeddedChannel) {
    // What the pipeline throws ends the connection; the handlers have seen it.
    _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
    channel.embeddedEventLoop.run()
  }
}
