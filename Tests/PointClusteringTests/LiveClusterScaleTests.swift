import GeoMath
import ObjectModel
import Testing

@testable import PointClustering

/// Optimised builds only (`make test-release`): 100,000 points under random operation lists, held
/// against the oracle and a static build at every zoom.
@Suite(.enabled(if: scale > 1, "optimised: make test-release"))
struct LiveClusterScaleTests {
  @Test(arguments: [Layout.city, .world, .seam], [31 as UInt64, 32])
  func aHundredThousandPointsUnderRandomOperationsEqualARebuild(layout: Layout, seed: UInt64) {
    var model = ChangingPoints(layout, seed: seed, count: 100_000)
    let live = LiveClusters()
    try! live.bulkLoad(Array(model.present.values))
    for round in 1...4 {
      let length = [0, 1_000, 20_000, 60_000, 100_000][round]
      let changes = (0..<length).map { _ in model.change() }
      // In pieces, so that few of them merge.
      for start in stride(from: 0, to: length, by: 500) {
        live.enqueue(
          changes[start..<min(length, start + 500)], sequence: UInt64(round),
          at: Instant(milliseconds: 0))
        live.flush()
      }
      #expect(live.objectCount == model.present.count)
      let rebuilt = LiveClusters()
      try! rebuilt.bulkLoad(model.present.values.shuffled(using: &model.random))
      for zoom in 0...ClusterNet.itemLevel {
        let (found, wanted) = (
          live.reading { $0.allClusters(zoom) }, rebuilt.reading { $0.allClusters(zoom) }
        )
        #expect(found == wanted, "zoom \(zoom), round \(round)")
        #expect(found.reduce(0) { $0 + $1.count } == model.present.count)
      }
    }
    expectEqual(live, model.present.values, "\(layout)")
    // A unit of work is 0.2 us on the machine of Benchmarks/results/clusters.md: 200 us.
    #expect(live.largestSliceWork < 1_000)
  }
}
