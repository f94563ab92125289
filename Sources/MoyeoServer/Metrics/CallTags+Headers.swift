import CallTracing
import GRPCCore
import HTTPTypes
import Instrumentation
package import Logging
import NIOHTTP1

extension RequestMetrics {
  /// The tags of a call over HTTP that may take long.
  func tags(_ headers: HTTPFields) -> CallTags {
    tags(CallTagHeaders(headers))
  }

  /// Counts what stands in front of the calls refuses, and returns the identifier of its request.
  func record(in recorder: Recorder) -> HTTPRequestGate.Record {
    { reason, start, headers in
      let tags = tags(headers)
      recorder.finish(start, reason: reason, tags: tags)
      return tags.requestID
    }
  }

  func tags(_ headers: CallTagHeaders) -> CallTags { CallTags(headers, identifiers, spans) }

  /// The tags of a call over gRPC that may take long.
  func tags(_ metadata: Metadata) -> CallTags { tags(CallTagHeaders(metadata)) }
}

extension CallTagHeaders {
  private static let requestIDField = HTTPField.Name(requestIDName)
  private static let traceParentField = HTTPField.Name(traceParentName)
  private static let traceStateField = HTTPField.Name(traceStateName)

  /// Of several that differ neither is valid: joined by a comma they are nothing.
  init(_ headers: HTTPFields) {
    self.init(
      requestID: Self.requestIDField.flatMap { headers[$0] },
      traceParent: Self.traceParentField.flatMap { headers[$0] },
      traceState: Self.traceStateField.flatMap { headers[$0] })
  }

  init(_ headers: HTTPHeaders) {
    self.init()
    for value in headers[Self.requestIDName] { take(requestID: value) }
    for value in headers[Self.traceParentName] { take(traceParent: value) }
  }

  init(_ metadata: Metadata) {
    self.init()
    for value in metadata[stringValues: Self.requestIDName] { take(requestID: value) }
    for value in metadata[stringValues: Self.traceParentName] { take(traceParent: value) }
    for value in metadata[stringValues: Self.traceStateName] { take(traceState: value) }
  }
}

extension HTTPField.Name {
  /// Names the request that an answer belongs to.
  static let requestID = HTTPField.Name("X-Request-Id")
}

extension HTTPFields {
  /// Names the request that these are the answer to.
  mutating func setRequestID(_ tags: CallTags) {
    if let name = HTTPField.Name.requestID { self[name] = tags.requestID }
  }
}

extension Logger.MetadataProvider {
  /// What the lines that a call causes have in common: `requestId` and, where it belongs to a trace,
  /// `traceId` and `spanId`.
  package static let callTags = Logger.MetadataProvider {
    guard let tags = ServiceContext.current?.callTags else { return [:] }
    return Dictionary(
      tags.logFields.map { ($0.name, "\($0.value)") }, uniquingKeysWith: { first, _ in first })
  }
}
