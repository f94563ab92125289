import MoyeoAPI
package import SwiftProtobuf
import WireFormat

/// How a request message travels over HTTP: the route, what stands in the query, what in the body.
package struct HTTPRoute {
  enum Payload {
    case none
    /// The whole message as JSON.
    case body
    /// Every field as a query parameter; lists repeat their key, messages are JSON text.
    case query
  }

  var method: String
  /// Percent-encoded, beginning with `/v1`.
  var path: String
  var payload: Payload

  static func post(_ segments: String...) -> HTTPRoute {
    HTTPRoute(method: "POST", path: path(segments), payload: .body)
  }

  static func get(_ segments: String...) -> HTTPRoute {
    HTTPRoute(method: "GET", path: path(segments), payload: .query)
  }

  static func delete(_ segments: String...) -> HTTPRoute {
    HTTPRoute(method: "DELETE", path: path(segments), payload: .none)
  }

  private static func path(_ segments: [String]) -> String {
    "/v1/" + segments.map(percentEncoded).joined(separator: "/")
  }

  /// RFC 3986: everything but unreserved characters is escaped. A segment that would be taken for
  /// a relative one (`.`, `..`) is escaped as well.
  package static func percentEncoded(_ text: String) -> String {
    if text == "." { return "%2E" }
    if text == ".." { return "%2E%2E" }
    var out: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        out.append(byte)
      default:
        let digits = Array("0123456789ABCDEF".utf8)
        out.append(UInt8(ascii: "%"))
        out.append(digits[Int(byte >> 4)])
        out.append(digits[Int(byte & 15)])
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// `?key=value&...` of a message's fields, or nothing.
  static func query(_ request: some Message) throws -> String {
    let fields = try Google_Protobuf_Struct(jsonUTF8Bytes: try json(request)).fields
    var pairs: [String] = []
    for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
      let values: [Google_Protobuf_Value]
      if case .listValue(let list)? = value.kind { values = list.values } else { values = [value] }
      for value in values {
        let text: String
        switch value.kind {
        case .stringValue(let string)?: text = string
        case .boolValue(let flag)?: text = flag ? "true" : "false"
        case .numberValue(let number)?:
          var bytes: [UInt8] = []
          JSONText.append(number, to: &bytes)
          text = String(decoding: bytes, as: UTF8.self)
        default: text = try value.jsonString()
        }
        pairs.append(key + "=" + percentEncoded(text))
      }
    }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }

  /// The request's JSON by the API's mapping: 64-bit integers are numbers.
  package static func json(_ request: some Message) throws -> [UInt8] {
    var options = JSONEncodingOptions()
    options.alwaysPrintInt64sAsNumbers = true
    return try request.jsonUTF8Bytes(options: options)
  }
}
