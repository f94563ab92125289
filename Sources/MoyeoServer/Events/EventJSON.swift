import MoyeoAPI
package import DurableCommands

/// A durable event as `GET /v1/events` writes it, for those to whom it is delivered.
package enum EventJSON {
  private static let transcoder = JSONTranscoder(Moyeo_V1_Event.self)

  package static func body(of event: StoredEvent) -> [UInt8] {
    let message = Moyeo_V1_Event(event, isOfParty: false)
    // What was encoded a moment ago can be read.
    guard let bytes = try? message.encodedInOrder(), let json = try? transcoder.json(bytes) else {
      return Array("{}".utf8)
    }
    return json
  }
}
