import CallTracing
import Foundation
import NIOCore
import NIOHTTP1
import Threading

/// What the headers of a request say of how it is answered, where they are no others than those that
/// most clients send.
struct PlainHeaders {
  private(set) var host: String?
  private(set) var authorization: String?
  private(set) var acceptEncoding: String?
  private(set) var contentLength: Int?
  private(set) var isJSON = true
  private(set) var tags = CallTagHeaders()

  /// `nil` when a header stands twice, or is none of those known here.
  init?(of head: HTTPRequestHead) {
    for (name, value) in head.headers {
      func isNamed(_ known: String) -> Bool {
        zip(name.utf8, known.utf8).allSatisfy { byte, lower in
          byte == lower || (65...90 ~= byte && byte | 0x20 == lower)
        }
      }
      switch name.utf8.count {
      case 4 where isNamed("host"):
        guard host == nil else { return nil }
        host = value
      case 6 where isNamed("accept"): break
      case 7 where isNamed("referer"): break
      case 10 where isNamed("user-agent"): break
      case 10 where isNamed(CallTagHeaders.traceStateName):
        tags.take(traceState: value)
      case 11 where isNamed(CallTagHeaders.traceParentName):
        tags.take(traceParent: value)
      case 12 where isNamed(CallTagHeaders.requestIDName):
        tags.take(requestID: value)
      case 10 where isNamed("connection"):
        guard value.lowercased() == "keep-alive" else { return nil }
      case 12 where isNamed("content-type"):
        isJSON = value.hasPrefix("application/json")
      case 13 where isNamed("authorization"):
        guard authorization == nil else { return nil }
        authorization = value
      case 14 where isNamed("content-length"):
        guard contentLength == nil, let length = Int(value) else { return nil }
        contentLength = length
      case 15 where isNamed("accept-encoding"):
        guard acceptEncoding == nil else { return nil }
        acceptEncoding = value
      case 15 where isNamed("accept-language"): break
      default: return nil
      }
    }
  }
}

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

/// The text of `Date` (RFC 9110, section 5.6.7), written once a second.
enum HTTPDate {
  private static let known = StateLock((second: time_t(-1), text: ""))

  static var now: String {
    let second = time(nil)
    return known.withLock { known in
      if known.second != second { known = (second, text(second)) }
      return known.text
    }
  }

  private static func text(_ second: time_t) -> String {
    var second = second
    var parts = tm()
    gmtime_r(&second, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(1900 + parts.tm_year) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }
}
