import CallTracing
import GRPCCore
import NIOCore
import NIOHPACK

/// The content of a call's first HEADERS, read in one pass (PROTOCOL-HTTP2.md of gRPC).
struct CallHeaders {
  private(set) var path: String?
  private(set) var isPost = false
  private(set) var hasScheme = false
  private(set) var isGRPC = false
  /// How the messages of the request may be encoded.
  private(set) var requestEncoding = MessageEncoding.identity
  /// The name of an encoding that is not supported.
  private(set) var unknownEncoding: String?
  /// Whether the caller takes answers in gzip; one that says nothing takes what it sends.
  private var acceptsGzip = true
  private(set) var timeout: String?
  private(set) var hasBypassHeader = false
  private(set) var authorization: String?
  /// What the caller says of the request and the trace that the call belongs to.
  private(set) var tags = CallTagHeaders()

  /// - Parameters:
  ///   - headers: The headers of a HEADERS frame.
  ///   - bypassHeader: The lower-case name of a header to look for.
  init(_ headers: HPACKHeaders, bypassHeader: String? = nil) {
    for (name, value, _) in headers {
      switch name {
      case ":path": path = value
      case ":method": isPost = value == "POST"
      case ":scheme": hasScheme = value == "http" || value == "https"
      case "content-type":
        isGRPC = value == "application/grpc" || Self.isGRPC(mediaType: value)
      case "grpc-encoding":
        if value == "gzip" {
          requestEncoding = .gzip
        } else if value != "identity" {
          unknownEncoding = value
        }
      case "grpc-accept-encoding": acceptsGzip = Self.namesGzip(value)
      case "grpc-timeout": timeout = value
      case "authorization": if authorization == nil { authorization = value }
      case CallTagHeaders.requestIDName: tags.take(requestID: value)
      case CallTagHeaders.traceParentName: tags.take(traceParent: value)
      case CallTagHeaders.traceStateName: tags.take(traceState: value)
      default: if name == bypassHeader { hasBypassHeader = true }
      }
    }
  }

  /// How the answers may be encoded: as the request is, if the caller takes that. Stock clients
  /// accept gzip without being told to; one that wants it sends it.
  var answerEncoding: MessageEncoding {
    requestEncoding == .gzip && acceptsGzip ? .gzip : .identity
  }

  var timeoutNanoseconds: UInt64? { timeout.flatMap { CallTimeout($0) }?.nanoseconds }

  /// Why no call can begin with these headers. Headers that are not gRPC's at all have no cause:
  /// they are answered in plain HTTP.
  var refusal: RefusalCause? {
    guard path != nil else { return .malformedRequest("A call needs :path.") }
    guard hasScheme else { return .malformedRequest("The :scheme is http or https.") }
    guard isPost else { return .malformedRequest("A call is a POST.") }
    return unknownEncoding.map { .unsupportedEncoding($0) }
  }

  private static func namesGzip(_ list: String) -> Bool {
    list.split(separator: ",").contains { $0.filter { $0 != " " && $0 != "\t" } == "gzip" }
  }

  /// Compares media types without regard to case and parameters (RFC 9110, 8.3.1).
  private static func isGRPC(mediaType: String) -> Bool {
    let essence = mediaType.prefix { $0 != ";" }
    let trimmed = essence.drop { $0 == " " || $0 == "\t" }
    let end = trimmed.lastIndex { $0 != " " && $0 != "\t" }
    let name = end.map { trimmed[...$0].lowercased() } ?? ""
    return name == "application/grpc" || name == "application/grpc+proto"
  }
}

extension HPACKHeaders {
  /// The headers that an answer begins with.
  static let answer: HPACKHeaders = [":status": "200", "content-type": "application/grpc"]
  /// The trailers of an answer without an error.
  static let ok: HPACKHeaders = ["grpc-status": "0"]

  /// The same headers with the identifier of the request that they answer.
  func naming(_ requestID: String?) -> HPACKHeaders {
    guard let requestID else { return self }
    var headers = self
    headers.add(name: CallTagHeaders.requestIDName, value: requestID)
    return headers
  }

  /// The answer to a request that is not gRPC. It is plain HTTP, so that nothing takes it for gRPC.
  static let unsupportedMediaType: HPACKHeaders = [":status": "415"]

  /// Returns the trailers of a refused call.
  static func trailers(_ refusal: CallRefusal) -> HPACKHeaders {
    trailers(
      Status(code: Status.Code(refusal.rpcErrorCode), message: refusal.rpcErrorMessage),
      refusal.rpcErrorMetadata)
  }

  /// Returns the headers of an answer that consists of a refusal only.
  static func trailersOnly(_ refusal: CallRefusal) -> HPACKHeaders {
    if let made = refusal.headers { return made }
    return trailersOnly(
      Status.Code(refusal.rpcErrorCode), refusal.rpcErrorMessage, refusal.rpcErrorMetadata)
  }

  /// Returns the headers of an answer that consists of a status only.
  static func trailersOnly(
    _ code: Status.Code, _ message: String, _ metadata: Metadata = [:]
  ) -> HPACKHeaders {
    var headers = answer
    headers.addStatus(Status(code: code, message: message), metadata)
    return headers
  }

  /// Returns the trailers of an answer.
  static func trailers(_ status: Status, _ metadata: Metadata) -> HPACKHeaders {
    if status.code == .ok && status.message.isEmpty && metadata.isEmpty { return ok }
    var headers = HPACKHeaders()
    headers.addStatus(status, metadata)
    return headers
  }

  private mutating func addStatus(_ status: Status, _ metadata: Metadata) {
    add(name: "grpc-status", value: "\(status.code.rawValue)")
    if !status.message.isEmpty {
      add(name: "grpc-message", value: Self.percentEncoded(status.message))
    }
    add(metadata)
  }

  mutating func add(_ metadata: Metadata) {
    for (name, value) in metadata { add(name: name.lowercased(), value: value.encoded()) }
  }

  /// Encodes a grpc-message as PROTOCOL-HTTP2.md asks for: printable ASCII except for %.
  static func percentEncoded(_ text: String) -> String {
    var out = ""
    for byte in text.utf8 {
      if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%") {
        out.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        out += byte < 16 ? "%0" : "%"
        out += String(byte, radix: 16, uppercase: true)
      }
    }
    return out
  }
}

/// A `grpc-timeout`, which has at most 8 digits and a unit.
struct CallTimeout {
  private static let units: [(name: UInt8, nanoseconds: UInt64)] = [
    (UInt8(ascii: "n"), 1), (UInt8(ascii: "u"), 1000), (UInt8(ascii: "m"), 1_000_000),
    (UInt8(ascii: "S"), 1_000_000_000), (UInt8(ascii: "M"), 60_000_000_000),
    (UInt8(ascii: "H"), 3_600_000_000_000),
  ]

  /// The timeout, capped where it is longer than anything runs.
  let nanoseconds: UInt64

  /// Reads a timeout; `nil` for text that is none. Such a call has no deadline.
  init?(_ text: String) {
    let digits = text.utf8.dropLast()
    guard (1...8).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }),
      let amount = UInt64(text.dropLast()),
      let unit = Self.units.first(where: { $0.name == text.utf8.last })
    else { return nil }
    let (product, overflows) = amount.multipliedReportingOverflow(by: unit.nanoseconds)
    nanoseconds = overflows ? .max / 2 : min(product, .max / 2)
  }

  /// The timeout as gRPC's core reads it: it takes only 7 digits, and a sign stops its process.
  var forCore: String {
    for unit in Self.units {
      let amount = nanoseconds / unit.nanoseconds + (nanoseconds % unit.nanoseconds > 0 ? 1 : 0)
      if amount <= 9_999_999 { return "\(amount)\(Unicode.Scalar(unit.name))" }
    }
    return "9999999H"
  }
}

extension Metadata {
  /// Takes over the request's headers except HTTP's own and a timeout that is none. Values of names
  /// that end in -bin are base64, padded or not, and several of them may be joined by commas;
  /// GRPCCore decodes them when they are asked for.
  init(_ headers: HPACKHeaders) {
    self.init()
    for (name, value, _) in headers where !name.hasPrefix(":") {
      if name == "grpc-timeout" {
        if let timeout = CallTimeout(value) { addString(timeout.forCore, forKey: name) }
        continue
      }
      guard name.hasSuffix("-bin") else {
        addString(value, forKey: name)
        continue
      }
      for part in value.split(separator: ",") {
        addString(part.filter { $0 != " " && $0 != "=" }, forKey: name)
      }
    }
  }
}
