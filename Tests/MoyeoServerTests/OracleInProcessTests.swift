import Foundation
import GeoMath
import MoyeoAPI
import LiveLayers
import ObjectModel
import SwiftProtobuf
import Testing

@testable import MoyeoServer

/// The same oracle without a wire in between, over more seeds, with objects expired and reclaimed.
@Suite struct OracleInProcessTests {
  /// 20,261,120 once missed an object of a tag search across 180 degrees.
  @Test(arguments: [UInt64(20_261_120), 1, 2, 3], [false, true])
  func everyAnswerEqualsBruteForce(seed: UInt64, reclaims: Bool) async throws {
    let clock = ManualClock(RunningDaemon.start)
    let layers = LayerRegistry(
      configuration: OracleOverTheWireTests.configuration, clock: clock, epoch: 7)
    let operations = PositionOperations(layers: layers)
    var data = OracleData(seed: seed, now: clock.now().milliseconds)
    let objects = data.objects(OracleOverTheWireTests.objectCount)
    for start in stride(from: 0, to: objects.count, by: 1000) {
      var request = Moyeo_V1_ReportRequest()
      request.layer = "users"
      request.positions = try objects[start..<start + 1000].map {
        try Moyeo_V1_Position(jsonString: $0.json)
      }
      _ = try operations.report(request)
    }
    clock.advance(milliseconds: 40_000)
    if reclaims { layers.reclaimExpired() }
    let now = clock.now().milliseconds
    let live = objects.filter { $0.isLive(at: now) }
    for i in 0..<500 {
      let query = data.query(objects, index: i)
      let body = query.body(cursor: nil)
      let bytes: [UInt8]
      if query.call == "nearby" {
        var request = try Moyeo_V1_NearbyRequest(jsonString: body)
        request.layer = "users"
        bytes = try operations.nearby(request)
      } else {
        var request = try Moyeo_V1_WithinRequest(jsonString: body)
        request.layer = "users"
        bytes = try await operations.within(request)
      }
      let found = try Moyeo_V1_NearbyResponse(serializedBytes: bytes).hits.map(\.id)
      let wanted = query.answer(live, now: now).prefix(query.limit).map(\.id)
      #expect(found == wanted, "seed \(seed), query \(i): \(body)")
    }
  }
}
