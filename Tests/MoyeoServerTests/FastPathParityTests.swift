import Foundation
import GRPCCore
import MoyeoAPI
import LiveLayers
import ObjectModel
import SpatialIndexing
import SwiftProtobuf
import Threading
import Testing

@testable import MoyeoServer

/// The fast path and the framework's path: one suite, run against both, and against each other.
@Suite struct FastPathParityTests {
  private static func position(
    _ id: String, _ latitude: Double, tags: [String] = [], level: Double? = nil
  ) -> Moyeo_V1_Position {
    var position = Moyeo_V1_Position()
    position.id = id
    position.latitude = latitude
    position.longitude = 127
    position.tags = tags
    if let level {
      position.attributes.fields = [
        "level": .init(numberValue: level), "gender": .init(stringValue: "여"),
        "active": .init(boolValue: true), "note": .init(),
      ]
      position.attributes.fields["note"]?.nullValue = .nullValue
    }
    return position
  }

  private static func reports() -> Moyeo_V1_ReportRequest {
    var request = Moyeo_V1_ReportRequest()
    request.layer = "users"
    for i in 0..<40 {
      let tags = i % 2 == 0 ? ["#Swift", "한글"] : ["go"]
      let level: Double? = i % 3 == 0 ? Double(i) : nil
      request.positions.append(
        position("사람-\(i)", 37 + Double(i) / 1000, tags: tags, level: level))
    }
    request.positions[5].ttlSeconds = 30
    request.positions[6].observedAt = .init(RunningDaemon.start)
    // Nested attributes take the generated types' path on both paths.
    request.positions[7].attributes.fields["list"] = .init(listValue: [1, 2])
    return request
  }

  /// Encoded with map entries in a fixed order.
  private static func bytes(_ message: some Message) throws -> Data {
    var options = BinaryEncodingOptions()
    options.useDeterministicOrdering = true
    return try message.serializedBytes(options: options)
  }

  private static func nearby() -> Moyeo_V1_NearbyRequest {
    var request = Moyeo_V1_NearbyRequest()
    request.layer = "users"
    request.latitude = 37.01
    request.longitude = 127
    request.limit = 15
    return request
  }

  @Test func bothPathsGiveTheSameAnswers() async throws {
    let answers = StateLock<[[Data]]>([])
    for usesFastPath in [true, false] {
      try await RunningDaemon.run(usesFastPath: usesFastPath) { daemon in
        let report = try await daemon.positions.report(Self.reports())
        #expect(report.accepted == 40)
        var out = [try Self.bytes(report)]
        var request = Self.nearby()
        for tags in [[], ["swift"], ["한글", "swift"]] as [[String]] {
          request.tags = tags
          var answer = try await daemon.positions.nearby(request)
          #expect(!answer.hits.isEmpty)
          answer.clearVersion()
          out.append(try Self.bytes(answer))
        }
        var batch = Moyeo_V1_NearbyBatchRequest()
        batch.layer = "users"
        batch.requests = [request, .init()]
        let answer = try await daemon.positions.nearbyBatch(batch)
        #expect(answer.responses.map(\.status) == [200, 400])
        out.append(try Self.bytes(answer))
        var get = Moyeo_V1_GetPositionRequest()
        get.layer = "users"
        get.id = "사람-7"
        out.append(try Self.bytes(try await daemon.positions.get(get)))
        answers.withLock { $0.append(out) }
      }
    }
    let both = answers.withLock { $0 }
    #expect(both.count == 2)
    #expect(both[0] == both[1])
  }

  @Test(arguments: [true, false])
  func refusalsCarryTheirDetails(usesFastPath: Bool) async throws {
    try await RunningDaemon.run(usesFastPath: usesFastPath) { daemon in
      _ = try await daemon.positions.report(Self.reports())
      var request = Self.nearby()
      request.latitude = 91
      let refusal = try await GRPCRefusal.of { _ = try await daemon.positions.nearby(request) }
      #expect(refusal.code == .invalidArgument)
      #expect(refusal.reason == "latitude_out_of_range" && refusal.fields == ["latitude"])
      request = Self.nearby()
      request.layer = "없는"
      let layer = try await GRPCRefusal.of { _ = try await daemon.positions.nearby(request) }
      #expect(layer.reason == "bad_layer")
      request.layer = "none"
      let unknown = try await GRPCRefusal.of { _ = try await daemon.positions.nearby(request) }
      #expect(unknown.code == .notFound && unknown.reason == "unknown_layer")
    }
  }

  @Test(arguments: [true, false])
  func aBadItemSpoilsNothing(usesFastPath: Bool) async throws {
    try await RunningDaemon.run(usesFastPath: usesFastPath) { daemon in
      _ = try await daemon.positions.report(Self.reports())
      var request = Moyeo_V1_ReportRequest()
      request.layer = "users"
      request.positions = [
        Self.position("a", 37), Self.position("", 37), Self.position("b", .nan),
        Self.position("c", 37, tags: [String(repeating: "t", count: 10_000)]),
        Self.position("a", 37.5),
      ]
      request.positions[0].observedAt = .init(RunningDaemon.start)
      let answer = try await daemon.positions.report(request)
      #expect(answer.accepted == 2)
      #expect(answer.rejections.map(\.index) == [1, 2, 3])
      #expect(answer.rejections.map(\.reason) == ["bad_id", "latitude_out_of_range", "bad_tag"])
      // Older than what is stored.
      var stale = Moyeo_V1_ReportRequest()
      stale.layer = "users"
      stale.positions = [Self.position("a", 37), Self.position("new", 37)]
      stale.positions[0].observedAt = .init(RunningDaemon.start.advanced(milliseconds: -10_000))
      let late = try await daemon.positions.report(stale)
      #expect(late.accepted == 1)
      #expect(late.rejections.map(\.reason) == ["stale"] && late.rejections.map(\.id) == ["a"])
    }
  }

  @Test(arguments: [true, false])
  func aPassedDeadlineIsToldAndBigRequestsAreRefused(usesFastPath: Bool) async throws {
    try await RunningDaemon.run(usesFastPath: usesFastPath) { daemon in
      _ = try await daemon.positions.report(Self.reports())
      var request = Self.nearby()
      request.excludeIds = [String(repeating: "x", count: 2 << 20)]
      let refusal = try await GRPCRefusal.of { _ = try await daemon.positions.nearby(request) }
      #expect(refusal.code == .resourceExhausted)
      #expect(refusal.reason == "request_too_large")
      // The connection still serves.
      let answer = try await daemon.positions.nearby(Self.nearby())
      #expect(answer.hits.count == 15)
    }
  }

  /// Both paths of a Report store the same payload bytes.
  @Test func theReaderAgreesWithTheGeneratedTypes() async throws {
    let layers = LayerRegistry(
      clock: ManualClock(RunningDaemon.start), epoch: 1)
    let operations = PositionOperations(layers: layers)
    var request = Self.reports()
    _ = try operations.report(request)
    let slow = Self.payloads(layers, "users")
    request.layer = "fast"
    // A layer begins on the slow path; the second report takes the fast one.
    _ = try operations.report(request)
    let bytes: [UInt8] = try request.serializedBytes()
    let layer = try layers.layer("fast")
    var plain = request
    plain.positions.remove(at: 7)
    var batch = layer.reportBatch(now: RunningDaemon.start, limits: layers.limits)
    let plainBytes: [UInt8] = try plain.serializedBytes()
    let isRead = plainBytes.withUnsafeBytes {
      operations.reportReader.read($0, settings: layer.settings, into: &batch)
    }
    #expect(isRead)
    _ = layer.apply(batch)
    #expect(Self.payloads(layers, "fast") == slow)
    var other = layer.reportBatch(now: RunningDaemon.start, limits: layers.limits)
    let isNestedRead = bytes.withUnsafeBytes {
      operations.reportReader.read($0, settings: layer.settings, into: &other)
    }
    #expect(!isNestedRead, "nested attributes are for the other path")
  }

  private static func payloads(_ layers: LayerRegistry, _ name: String) -> [String: [UInt8]] {
    var out: [String: [UInt8]] = [:]
    guard let layer = try? layers.layer(name) else { return out }
    layer.index.forEachObject(now: RunningDaemon.start) { out[$0.idString] = Array($0.payload) }
    return out
  }
}
