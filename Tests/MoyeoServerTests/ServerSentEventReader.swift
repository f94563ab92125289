import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Reads a stream of server-sent events as a browser does.
struct ServerSentEventReader {
  struct Event {
    var kind = "message"
    var id: String?
    var data = ""
    /// `true` for a comment, which is no event.
    var isComment = false

    var json: [String: Any] {
      (try? JSONSerialization.jsonObject(with: Data(data.utf8))) as? [String: Any] ?? [:]
    }
  }

  let status: Int
  let contentType: String?
  private var chunks: HTTPClientResponse.Body.AsyncIterator
  private var text = ""

  init(
    _ url: String, lastEventID: String? = nil, method: String = "GET", body: String? = nil,
    token: String? = nil
  ) async throws {
    var request = HTTPClientRequest(url: url)
    request.method = .init(rawValue: method)
    if let body {
      request.headers.add(name: "content-type", value: "application/json")
      request.body = .bytes(ByteBuffer(string: body))
    }
    request.headers.add(name: "accept", value: "text/event-stream")
    if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
    if let lastEventID { request.headers.add(name: "last-event-id", value: lastEventID) }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    status = Int(response.status.code)
    contentType = response.headers.first(name: "content-type")
    chunks = response.body.makeAsyncIterator()
  }

  /// All that comes, to the end.
  mutating func rest() async throws -> String {
    while let chunk = try await chunks.next() { text += String(buffer: chunk) }
    return text
  }

  /// The next block, `nil` at the end of the stream.
  mutating func nextBlock() async throws -> Event? {
    while true {
      if let end = text.range(of: "\n\n") {
        let block = String(text[..<end.lowerBound])
        text.removeSubrange(..<end.upperBound)
        var event = Event()
        for line in block.split(separator: "\n", omittingEmptySubsequences: false) {
          if line.hasPrefix(":") { event.isComment = true }
          if line.hasPrefix("event: ") { event.kind = String(line.dropFirst(7)) }
          if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
          if line.hasPrefix("data: ") { event.data += line.dropFirst(6) }
        }
        return event
      }
      guard let chunk = try await chunks.next() else { return nil }
      text += String(buffer: chunk)
    }
  }

  /// The next event, comments passed over.
  mutating func next() async throws -> Event? {
    while let block = try await nextBlock() {
      if !block.isComment { return block }
    }
    return nil
  }
}
