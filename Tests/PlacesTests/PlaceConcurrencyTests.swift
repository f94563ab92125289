import LiveLayers
import ObjectModel
import SpatialIndexing
import TestSupport
import Testing

@testable import Places

/// Reports, removals and searches at the same time, with the thread that follows; for the thread
/// sanitizer above all.
@Suite struct PlaceConcurrencyTests {
  @Test func searchesAndReportsDoNotDisturbOneAnother() async throws {
    let fixture = PlaceFixture()
    fixture.table.start()
    defer { fixture.table.stop() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        group.addTask {
          var random = SplitMix64(seed: UInt64(writer))
          for i in 0..<120 {
            let id = "w\(writer)-\(i % 20)"
            if random.chance(0.2) {
              _ = try fixture.layers.layerForReports("places").remove(
                id: id, now: fixture.clock.now())
            } else {
              try fixture.report(id, "카페 \(writer) \(i)")
            }
          }
        }
        group.addTask {
          for i in 0..<60 {
            let found = try fixture.service.ownPlaces(
              matching: PlaceSearch(text: i % 2 == 0 ? "카페" : "ㅋㅍ", limit: 50))
            #expect(Set(found.map(\.id)).count == found.count, "none is told twice")
            #expect(found.allSatisfy { $0.name.hasPrefix("카페") })
          }
        }
      }
      try await group.waitForAll()
    }
    for writer in 0..<2 { try fixture.report("w\(writer)-0", "끝 \(writer)") }
    fixture.table.follow()
    var living = 0
    try fixture.layers.layer("places").index.forEachObject(now: fixture.clock.now()) { _ in
      living += 1
    }
    #expect(fixture.table.count == living)
    #expect(try Set(fixture.ids("끝")) == ["w0-0", "w1-0"])
  }
}
