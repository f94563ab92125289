import AsyncHTTPClient
import CallTracing
import Foundation
import NIOCore
import NIOHTTP1

/// A collector of OpenTelemetry behind OTLP over HTTP, with JSON.
final class HTTPSpanCollector: SpanCollector {
  /// What is said beside the status is of no use, but a connection is used again when it was read.
  private static let maximumAnswerBytes = 64 << 10
  private static let timeout = TimeAmount.seconds(10)

  private let url: String
  private let client: HTTPClient

  init(url: String) {
    self.url = url
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    configuration.timeout.connect = .seconds(2)
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  deinit { client.shutdown { _ in } }

  func send(_ body: [UInt8]) async -> SpanCollectorAnswer {
    var request = HTTPClientRequest(url: url)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: "User-Agent", value: "moyeo")
    request.body = .bytes(ByteBuffer(bytes: body))
    do {
      let response = try await client.execute(request, timeout: Self.timeout)
      var left = Self.maximumAnswerBytes
      for try await chunk in response.body {
        left -= chunk.readableBytes
        guard left >= 0 else { break }
      }
      return Self.answer(of: Int(response.status.code))
    } catch let error as HTTPClientError {
      return .busy(reason: error.shortDescription)
    } catch {
      // The type only: descriptions of network errors hold addresses.
      return .busy(reason: "\(type(of: error))")
    }
  }

  /// The statuses that OTLP lets a client try again.
  private static func answer(of status: Int) -> SpanCollectorAnswer {
    switch status {
    case 200..<300: .taken
    case 429, 502, 503, 504: .busy(reason: "the collector answered \(status)")
    default: .refused(reason: "the collector answered \(status)")
    }
  }
}
