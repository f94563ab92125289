import HTTPTypes
import HummingbirdCore
import Identity
import MoyeoAPI
import NIOCore

/// A stream as server-sent events (WHATWG HTML, section 9.2): `event:` is the kind, `id:` the
/// resume token, `data:` one line of JSON; a comment opens the stream and keeps it open.
struct ServerSentEvents: Sendable {
  let pump: StreamPump
  let transcoder: JSONTranscoder

  static let lastEventID = HTTPField.Name("last-event-id")
  private static let headers: HTTPFields = {
    var headers: HTTPFields = [
      .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store",
    ]
    // Proxies such as nginx would hold events back to fill a buffer.
    if let buffering = HTTPField.Name("x-accel-buffering") { headers[buffering] = "no" }
    return headers
  }()

  /// Answers 200 at once; the body lasts as long as the stream.
  ///
  /// - Parameters:
  ///   - source: Where the events come from.
  ///   - caller: Who reads; the stream ends with their token.
  ///   - connection: What closes when the reader leaves.
  /// - Returns: A response that is not to be buffered or stored.
  func response(
    _ source: any EventSource, of caller: Caller, over connection: any Channel
  ) -> Response {
    Response(
      status: .ok, headers: Self.headers,
      body: .init { writer in
        try await awayFromEventLoops {
          try await write(source, to: BodyWriter(writer), connection, caller)
        }
        try await writer.finish(nil)
      })
  }

  private func write(
    _ source: any EventSource, to body: BodyWriter, _ connection: any Channel, _ caller: Caller
  ) async throws {
    try await body.write(Self.opening)
    // What stands in memory for a reader that does not read, besides the batch under way.
    let bound = ChannelOptions.Types.WriteBufferWaterMark(low: 1024, high: 4096)
    connection.setOption(ChannelOptions.writeBufferWaterMark, value: bound).whenComplete { _ in }
    let gone = ShutdownSignal()
    connection.closeFuture.whenComplete { _ in gone.begin() }
    do {
      try await pump.run(source, of: caller, gone: gone) { chunk in
        switch chunk {
        case .heartbeat: try await body.write(Self.comment)
        case .events(let events): try await body.write(try frames(of: events))
        }
      }
    } catch let error as APIError {
      try await body.write(Self.frame(error))
    }
  }

  private func frames(of events: [StreamEvent]) throws -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(events.reduce(0) { $0 + 3 * $1.message.count + 64 })
    for event in events {
      buffer.writeString("event: \(event.kind)\n")
      if let token = event.resumeToken { buffer.writeString("id: \(token)\n") }
      buffer.writeString("data: ")
      buffer.writeBytes(try transcoder.json(event.message))
      buffer.writeString("\n\n")
    }
    return buffer
  }

  /// A refusal in the middle of a stream: the body that an HTTP error would have had.
  private static func frame(_ error: APIError) -> ByteBuffer {
    var buffer = ByteBuffer(string: "event: error\ndata: ")
    buffer.writeBytes(error.httpBody())
    buffer.writeString("\n\n")
    return buffer
  }

  private static let comment = ByteBuffer(string: ": moyeo\n\n")
  /// Browsers come back after a second.
  private static let opening = ByteBuffer(string: ": moyeo\nretry: 1000\n\n")
}

/// `@unchecked Sendable`: the response's closure waits for the one task that writes.
private final class BodyWriter: @unchecked Sendable {
  private var writer: any ResponseBodyWriter

  init(_ writer: any ResponseBodyWriter) { self.writer = writer }

  func write(_ buffer: ByteBuffer) async throws { try await writer.write(buffer) }
}
