import Foundation
import Identity
import MoyeoAPI
import WireFormat

/// The layer that a request names in its field of that name; field 1 in all messages that have it.
private enum NamedLayer {
  static func of(encoded bytes: [UInt8]) -> String? {
    bytes.withUnsafeBytes { raw in
      var reader = ProtobufReader(raw)
      var found: String?
      while let field = reader.nextField() {
        if field.number == 1, field.wireType == 2 {
          found = String(decoding: field.bytes, as: UTF8.self)
        }
      }
      return found
    }
  }

  static func of(body: Data?, parameters: Data) -> String? {
    of(json: parameters) ?? body.flatMap(of(json:))
  }

  private static func of(json: Data) -> String? {
    ((try? JSONSerialization.jsonObject(with: json)) as? [String: Any])?["layer"] as? String
  }
}

extension Operation {
  /// The same read, whose answers leave once what they show has been noted. While a log is kept, such
  /// reads are not answered in front of the frameworks: what has been answered there is seen by nobody.
  func noted(in log: any DisclosureLog) -> Operation {
    guard isRead, let reader = ShownObjects.reader(of: responseSchema) else { return self }
    let name = name
    let (encoded, json) = (callEncoded, callJSON)
    @Sendable func note(
      _ answer: [UInt8], _ caller: Caller, _ layer: () -> String?
    ) throws(APIError) {
      guard let layer = reader.layer ?? layer(), log.covers(layer: layer) else { return }
      try log.take(
        Disclosure(to: caller, by: name, layer: layer, ids: try reader.ids(in: answer)))
    }
    var out = withoutShortWays()
    out.callEncoded = { bytes, context in
      let answer = try await encoded(bytes, context)
      try note(answer, context.caller) { NamedLayer.of(encoded: bytes) }
      return answer
    }
    out.callJSON = { body, parameters, context in
      let answer = try await json(body, parameters, context)
      try note(answer, context.caller) { NamedLayer.of(body: body, parameters: parameters) }
      return answer
    }
    return out
  }
}

extension StreamOperation {
  /// The same stream, whose events leave once what they show has been noted.
  func noted(in log: any DisclosureLog) -> StreamOperation {
    var out = self
    out.poll = poll?.noted(in: log)
    guard let reader = ShownObjects.reader(of: responseSchema) else { return out }
    let name = name
    @Sendable func noting(
      _ source: any EventSource, _ caller: Caller, _ layer: String?
    ) -> any EventSource {
      guard let layer = reader.layer ?? layer, log.covers(layer: layer) else { return source }
      return NotedSource(
        source: source, reader: reader, log: log, caller: caller, call: name, layer: layer)
    }
    let (encoded, json) = (openEncoded, openJSON)
    out.openEncoded = { bytes, context in
      noting(try await encoded(bytes, context), context.caller, NamedLayer.of(encoded: bytes))
    }
    out.openJSON = { body, parameters, lastEventID, context in
      noting(
        try await json(body, parameters, lastEventID, context), context.caller,
        NamedLayer.of(body: body, parameters: parameters))
    }
    return out
  }
}

/// Events whose objects are noted before they leave.
private struct NotedSource: EventSource {
  var source: any EventSource
  let reader: ShownObjects.Reader
  let log: any DisclosureLog
  let caller: Caller
  let call: String
  let layer: String

  var isOver: Bool { source.isOver }

  mutating func next(_ room: StreamRoom, patience: Duration) async throws -> [StreamEvent] {
    let events = try await source.next(room, patience: patience)
    var ids: [String] = []
    for event in events { ids += try reader.ids(in: event.message) }
    try log.take(Disclosure(to: caller, by: call, layer: layer, ids: ids))
    return events
  }
}
