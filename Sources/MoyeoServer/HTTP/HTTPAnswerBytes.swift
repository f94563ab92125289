import NIOCore
import NIOHTTP1

/// An answer as it goes over the wire, written at once where its request's bytes arrive.
struct HTTPAnswerBytes {
  private var bytes: ByteBuffer

  /// Begins an answer.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - contentType: What `Content-Type` says.
  ///   - bodyBytes: How many bytes the body has that ``finished(requestID:body:)`` adds.
  init(status: HTTPResponseStatus, contentType: String, bodyBytes: Int) {
    bytes = ByteBufferAllocator().buffer(capacity: 384 + bodyBytes)
    bytes.writeStaticString("HTTP/1.1 ")
    if status == .ok {
      bytes.writeStaticString("200 OK")
    } else {
      bytes.writeString("\(status.code) \(status.reasonPhrase)")
    }
    add("Content-Type", contentType)
    add("Content-Length", "\(bodyBytes)")
  }

  mutating func add(_ name: String, _ value: String) {
    bytes.writeStaticString("\r\n")
    bytes.writeString(name)
    bytes.writeStaticString(": ")
    bytes.writeString(value)
  }

  /// Ends an answer.
  ///
  /// - Parameters:
  ///   - requestID: What `X-Request-Id` says.
  ///   - body: As many bytes as ``init(status:contentType:bodyBytes:)`` was told.
  /// - Returns: All of it.
  mutating func finished(requestID: String, body: some Collection<UInt8>) -> ByteBuffer {
    add("X-Request-Id", requestID)
    add("Date", HTTPDate.now)
    add("Server", HTTPFrontend.serverName)
    bytes.writeStaticString("\r\n\r\n")
    bytes.writeBytes(body)
    return bytes
  }
}
