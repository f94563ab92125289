import Foundation
import MoyeoAPI
import ObjectModel
import SwiftProtobuf
import Testing

@testable import MoyeoServer
import LiveLayers

/// What requests of many small parts cost: the limits stop the reading, not only the answer.
@Suite struct RequestBoundsTests {
  private static func operations() throws -> PositionOperations {
    let operations = PositionOperations(
      layers: LayerRegistry(clock: ManualClock(RunningDaemon.start), epoch: 1))
    _ = try operations.report(
      .with {
        $0.layer = "users"
        $0.positions = [
          .with {
            $0.id = "a"
            $0.latitude = 1
            $0.longitude = 1
          }
        ]
      })
    return operations
  }

  private static func reason(
    _ bytes: [UInt8], _ answer: (UnsafeRawBufferPointer) throws(APIError) -> [UInt8]
  ) -> APIError? {
    bytes.withUnsafeBytes { raw in
      do throws(APIError) {
        _ = try answer(raw)
        return nil
      } catch {
        return error
      }
    }
  }

  /// Tags that are not their own normal form are kept once normalised, so what is kept counts
  /// what was looked at.
  @Test func aReportOfManyTagsIsLeftAtTheLimit() throws {
    let operations = try Self.operations()
    let limits = operations.layers.limits
    let tags = (0..<80_000).map { "T\($0)" }
    let report: [UInt8] = try Moyeo_V1_ReportRequest.with {
      $0.layer = "users"
      $0.positions = [.with { $0.tags = tags }]
    }.serializedBytes()
    let refusal = try #require(Self.reason(report, operations.reportOnEventLoop))
    #expect(refusal.reason == .badTag && refusal.fields.map(\.field) == ["positions[0].tags"])
    #expect(operations.reportReader.tagCache.count <= limits.tagsPerObject + 1)
    let query: [UInt8] = try Moyeo_V1_NearbyRequest.with {
      $0.layer = "users"
      $0.latitude = 1
      $0.longitude = 1
      $0.notTags = tags
    }.serializedBytes()
    #expect(Self.reason(query, operations.nearbyOnEventLoop)?.fields.map(\.field) == ["notTags"])
    #expect(operations.nearbyReader.tagCache.count <= 2 * (limits.tagsPerObject + 1))
  }

  /// The same few again and again are as many to read.
  @Test func repeatedTagsAreBoundedToo() throws {
    let operations = try Self.operations()
    let limit = operations.layers.limits.tagsAsSent
    for (count, isRefused) in [(limit, false), (limit + 1, true), (100_000, true)] {
      let query: [UInt8] = try Moyeo_V1_NearbyRequest.with {
        $0.layer = "users"
        $0.latitude = 1
        $0.longitude = 1
        $0.tags = Array(repeating: "swift", count: count)
      }.serializedBytes()
      #expect((Self.reason(query, operations.nearbyOnEventLoop) != nil) == isRefused, "\(count)")
    }
    var validated = Array(repeating: "Swift", count: limit)
    #expect(try operations.validation.tags(validated, field: "tags") == ["swift"])
    validated.append("Swift")
    #expect(throws: APIError.self) { try operations.validation.tags(validated, field: "tags") }
  }

  @Test func listsOfBatchesAreBoundedBeforeTheyAreDecoded() throws {
    let operations = try Self.operations()
    let batch: [UInt8] = try Moyeo_V1_NearbyBatchRequest.with {
      $0.layer = "users"
      $0.requests = Array(repeating: .init(), count: 50_000)
    }.serializedBytes()
    let refusal = Self.reason(batch) { raw throws(APIError) in
      try operations.nearbyBatch(raw, .eventLoop)
    }
    #expect(refusal?.reason == .tooManyItems && refusal?.fields.first?.field == "requests")
    let corners: [UInt8] = try Moyeo_V1_NearbyRequest.with {
      $0.layer = "users"
      $0.within.points = Array(repeating: .init(), count: 50_000)
    }.serializedBytes()
    #expect(Self.reason(corners, operations.nearbyOnEventLoop)?.reason == .badPolygon)
  }

  @Test func ridersAndLegsAreBounded() async throws {
    try await RunningDaemon.run { daemon in
      let one = #"{"riderId":"a"}"#
      let riders = Array(repeating: one, count: 20_000).joined(separator: ",")
      let aboard = Array(repeating: #""a""#, count: 20_000).joined(separator: ",")
      for body in [
        #"{"amount":1,"riders":[\#(riders)]}"#,
        #"{"amount":1,"riders":[\#(one)],"legs":[{"amount":1,"aboard":[\#(aboard)]}]}"#,
      ] {
        let answer = try await daemon.post("/v1/fares/split", body)
        #expect(answer.status == 400 && answer.reason == "too_many_items", "\(answer.text)")
      }
    }
  }
}
