import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ObjectModel
import Testing

@testable import MoyeoServer

@Suite struct AnswerCompressionTests {
  @Test(arguments: [
    ("gzip", true), ("GZIP;q=0.5", true), ("*", true), ("br, gzip", true), ("", false),
    ("gzip;q=0", false), ("gzip; q=0.000", false), ("*;q=0", false), ("gzip;q=0, *", false),
    ("br", false), ("identity", false), ("identity;q=0.5, gzip;q=0.3", false),
    ("identity;q=0.3, gzip;q=0.5", true), ("deflate, gzip;q=0.1", true),
  ])
  func qualitiesAreHonoured(header: String, accepts: Bool) {
    #expect(AnswerCompression.acceptsGzip(header) == accepts)
  }

  private struct Answer {
    let body: [UInt8]
    let coding: String?
    let vary: String?
    let length: String?
  }

  /// As it comes over the wire: the shared client unpacks it unseen.
  private static func get(
    _ path: String, accepting header: String?, _ client: HTTPClient, _ daemon: RunningDaemon
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: daemon.url + path)
    if let header { request.headers.add(name: "accept-encoding", value: header) }
    let response = try await client.execute(request, timeout: .seconds(30))
    return Answer(
      body: Array(try await response.body.collect(upTo: 8 << 20).readableBytesView),
      coding: response.headers.first(name: "content-encoding"),
      vary: response.headers.first(name: "vary"),
      length: response.headers.first(name: "content-length"))
  }

  @Test func longAnswersAreCompressedWhenAsked() async throws {
    let client = HTTPClient(eventLoopGroupProvider: .singleton)
    try await RunningDaemon.run { daemon in
      var random = OracleData(seed: 5, now: RunningDaemon.start.milliseconds)
      #expect(try await daemon.report(random.objects(600).map(\.json)).status == 200)
      // Beyond what the event loop compresses, and not.
      for (path, isLong) in [
        ("/v1/layers/users/nearby?latitude=37.5&longitude=127&limit=600", true),
        ("/v1/layers/users/nearby?latitude=37.5&longitude=127&limit=20", true),
        ("/v1/layers/users/nearby?latitude=37.5&longitude=127&limit=1", false),
        ("/openapi.json", true), ("/metrics", true), ("/healthz", false),
      ] {
        let plain = try await Self.get(path, accepting: nil, client, daemon)
        #expect(plain.coding == nil)
        let packed = try await Self.get(path, accepting: "gzip", client, daemon)
        #expect(packed.coding == (isLong ? "gzip" : nil), "\(path)")
        #expect(packed.vary == (isLong ? "accept-encoding" : nil), "\(path)")
        #expect(plain.vary == packed.vary)
        guard isLong else { continue }
        #expect(packed.body.count < plain.body.count / 2, "\(path)")
        #expect(packed.length == "\(packed.body.count)")
        #expect(Array(packed.body.prefix(2)) == [0x1F, 0x8B])
        guard path != "/metrics" else { continue }
        // RFC 1952: the length of what is packed ends it, little endian.
        let length = packed.body.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        #expect(length == plain.body.count, "\(path)")
      }
    }
    try await client.shutdown()
  }

  /// Clients refuse what unpacks to far more than came.
  @Test func whatShrinksTooMuchIsSentAsItIs() async throws {
    try await RunningDaemon.run { daemon in
      _ = try await daemon.report([ReportTests.good])
      let one = #"{"latitude":37.5,"longitude":127}"#
      let same = Array(repeating: one, count: 100).joined(separator: ",")
      let answer = try await daemon.post(
        "/v1/layers/users/nearby/batch", #"{"requests":[\#(same)]}"#)
      #expect(answer.status == 200 && answer.header("content-encoding") == nil)
    }
  }
}
