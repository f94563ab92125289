import Foundation

/// Spans as the JSON of OpenTelemetry's protocol, version 1 (`ExportTraceServiceRequest` of
/// opentelemetry-proto): identifiers in hexadecimal digits, numbers of 64 bits as text.
package struct OTLPDocument: Sendable {
  private let resource: Resource
  private let scope: Scope

  /// - Parameters:
  ///   - service: `service.name`.
  ///   - version: `service.version`.
  ///   - instance: `service.instance.id`, which tells processes of one service apart.
  package init(service: String, version: String, instance: String) {
    resource = Resource(attributes: [
      Attribute("service.name", .text(service)), Attribute("service.version", .text(version)),
      Attribute("service.instance.id", .text(instance)),
    ])
    scope = Scope(name: service, version: version)
  }

  /// The body of a request; `nil` for what JSON has no words for, which spans do not hold.
  package func json(_ spans: [SpanRecord]) -> [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let request = Request(resourceSpans: [
      ResourceSpans(
        resource: resource, scopeSpans: [ScopeSpans(scope: scope, spans: spans.map(Span.init))])
    ])
    return (try? encoder.encode(request)).map { Array($0) }
  }

  private struct Request: Encodable {
    let resourceSpans: [ResourceSpans]
  }

  private struct ResourceSpans: Encodable {
    let resource: Resource
    let scopeSpans: [ScopeSpans]
  }

  private struct Resource: Encodable {
    let attributes: [Attribute]
  }

  private struct Scope: Encodable {
    let name: String
    let version: String
  }

  private struct ScopeSpans: Encodable {
    let scope: Scope
    let spans: [Span]
  }

  private struct Attribute: Encodable {
    struct Value: Encodable {
      var stringValue: String?
      var intValue: String?
    }

    let key: String
    let value: Value

    init(_ key: String, _ value: SpanRecord.Value) {
      self.key = key
      switch value {
      case .text(let text): self.value = Value(stringValue: text)
      case .number(let number): self.value = Value(intValue: "\(number)")
      }
    }
  }

  private struct Status: Encodable {
    /// `STATUS_CODE_ERROR`.
    var code = 2
    let message: String
  }

  private struct Span: Encodable {
    let traceId: String
    let spanId: String
    let parentSpanId: String?
    let traceState: String?
    /// The flags of the W3C, here whether it is sampled.
    let flags: Int
    let name: String
    let kind: Int
    let startTimeUnixNano: String
    let endTimeUnixNano: String
    let attributes: [Attribute]
    let status: Status?

    init(_ span: SpanRecord) {
      traceId = span.identity.traceText
      spanId = span.identity.spanText
      parentSpanId = span.parent == 0 ? nil : TraceParent.hexadecimal(span.parent)
      traceState = span.traceState
      flags = span.identity.isSampled ? 1 : 0
      name = span.name
      kind = span.kind.rawValue
      startTimeUnixNano = "\(span.start)"
      endTimeUnixNano = "\(span.end)"
      attributes = span.attributes.map { Attribute($0.name, $0.value) }
      status = span.failure.map { Status(message: $0) }
    }
  }
}
