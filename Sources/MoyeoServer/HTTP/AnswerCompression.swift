import GzipCoding
import HTTPTypes
import HummingbirdCore
import NIOCore
import Threading

/// Compresses text answers for callers that accept gzip (RFC 9110, section 12.5.3).
///
/// Streams are left alone, since a compressor keeps events back, and so are small answers, which
/// fit one packet anyway, and answers that bring a coding of their own, as tiles do.
struct AnswerCompression: Sendable {
  /// Smaller bodies are sent as they are.
  static let minimumBytes = 1024
  /// Larger ones are compressed on the pool: level 1 takes about a millisecond for so many.
  static let maximumBytesOnEventLoop = 64 * 1024

  /// What shrinks more is sent as it is: clients take it for an attack (AsyncHTTPClient refuses
  /// what unpacks to more than 25 times its size).
  static let maximumRatio = 20

  let pool: BoundedThreadPool

  /// The length of an answer that is compressed when its caller accepts that, `nil` for others.
  ///
  /// Asked before ``compress(_:length:accepting:)``, which takes kilobytes of the task's memory: a
  /// stream would keep them.
  func length(of response: Response) -> Int? {
    guard let length = response.body.contentLength, length >= Self.minimumBytes,
      response.headers[.contentEncoding] == nil, response.headers[.vary] == nil,
      let type = response.headers[.contentType], Self.isText(type)
    else { return nil }
    return length
  }

  @inline(never)
  func compress(_ response: inout Response, length: Int, accepting header: String?) async {
    response.headers[.vary] = "accept-encoding"
    guard let header, Self.acceptsGzip(header),
      let plain = try? await Self.bytes(of: response.body, length),
      let packed = await packed(plain)
    else { return }
    response.headers[.contentEncoding] = "gzip"
    response.headers[.contentLength] = "\(packed.count)"
    // The bytes differ from those that the strong tag names.
    if let tag = response.headers[.eTag], !tag.hasPrefix("W/") {
      response.headers[.eTag] = "W/" + tag
    }
    response.body = .init(byteBuffer: ByteBuffer(bytes: packed))
  }

  /// A text answer that is written on an event loop, compressed; `nil` where it is sent as it is.
  static func packedOnEventLoop(_ plain: [UInt8]) -> [UInt8]? {
    plain.count <= maximumBytesOnEventLoop ? packed(plain) : nil
  }

  /// A text answer, compressed; `nil` where it shrinks so much that it is sent as it is.
  static func packed(_ plain: [UInt8]) -> [UInt8]? {
    let packed = GzipEncoder.fast.compress(plain)
    return packed.count * maximumRatio >= plain.count ? packed : nil
  }

  /// `nil` while the pool has no room, too.
  private func packed(_ plain: [UInt8]) async -> [UInt8]? {
    guard plain.count > Self.maximumBytesOnEventLoop else { return Self.packed(plain) }
    return try? await pool.run { _ in Self.packed(plain) }
  }

  private static func isText(_ type: String) -> Bool {
    let media = RequestHeadPolicy.mediaType(type)
    if media == "text/event-stream" { return false }
    return media.hasPrefix("text/") || media == "application/json" || media.hasSuffix("+json")
      || media == "image/svg+xml"
  }

  private static func bytes(of body: ResponseBody, _ count: Int) async throws -> [UInt8] {
    let collector = BodyCollector(capacity: count)
    try await body.write(collector)
    return collector.bytes
  }

  /// Whether gzip may be used and is not liked less than sending the bytes as they are.
  static func acceptsGzip(_ header: String) -> Bool {
    var gzip: Double?
    var any: Double?
    var identity: Double?
    for part in header.split(separator: ",") {
      let pieces = part.split(separator: ";").map {
        $0.filter { $0 != " " && $0 != "\t" }.lowercased()
      }
      var quality = 1.0
      for parameter in pieces.dropFirst() where parameter.hasPrefix("q=") {
        quality = Double(parameter.dropFirst(2)) ?? 0
      }
      switch pieces.first {
      case "gzip", "x-gzip": gzip = quality
      case "*": any = quality
      case "identity": identity = quality
      default: break
      }
    }
    let wanted = gzip ?? any ?? 0
    return wanted > 0 && wanted >= identity ?? 0
  }
}

/// Collects a body that stands in memory already.
private final class BodyCollector: ResponseBodyWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  func write(_ buffer: ByteBuffer) async throws {
    bytes.append(contentsOf: buffer.readableBytesView)
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
