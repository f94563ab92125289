import CallTracing
import NIOHTTP1

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
