import Foundation
import GeoMath
import ObjectModel
import Synchronization
import Testing

@testable import PointClustering

/// Summaries that follow small moves, and long reads that hold the lock in portions.
@Suite struct LiveClusterPortionTests {
  private static let everywhere = GeoBox(uncheckedWest: -180, south: -90, east: 180, north: 90)

  private static func move(_ point: ClusterPoint, to: MercatorPoint) -> ClusterChange {
    ClusterChange(
      kind: .moved, rank: point.rank, key: point.key, from: point.position, to: to,
      tagMask: point.tagMask, contribution: point.contribution)
  }

  /// Reads between the changes, so that most records are up to date when a point moves.
  @Test(arguments: [Layout.city, .grid, .seam, .poles], [41 as UInt64, 42])
  func boundsFollowMovesInsideMicroCells(layout: Layout, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var points = points(layout, 250, seed: seed)
    let live = LiveClusters(configuration: .init(hasAggregates: true))
    try! live.bulkLoad(points)
    for round in 0..<16 {
      let reach: Int32 = round % 4 == 3 ? 20_000 : 300
      let changes = (0..<6).map { _ -> ClusterChange in
        let n = Int.random(in: 0..<points.count, using: &random)
        let dx = Int32.random(in: -reach...reach, using: &random)
        let dy = Int64(Int32.random(in: -reach...reach, using: &random))
        let y = max(0, min(Int64(UInt32.max), Int64(points[n].position.y) + dy))
        let to = MercatorPoint(
          x: points[n].position.x &+ UInt32(bitPattern: dx), y: UInt32(y))
        defer { points[n].position = to }
        return Self.move(points[n], to: to)
      }
      live.enqueue(changes, sequence: UInt64(round + 1), at: Instant(milliseconds: 0))
      live.flush()
      let rebuilt = LiveClusters(configuration: .init(hasAggregates: true))
      try! rebuilt.bulkLoad(points)
      for zoom in [round % 17, 16, 0] {
        let found = try live.clusters(in: Self.everywhere, zoom: zoom, details: .all)
        let wanted = try rebuilt.clusters(in: Self.everywhere, zoom: zoom, details: .all)
        #expect(found == wanted, "zoom \(zoom), round \(round)")
      }
    }
  }

  @Test func aFilteredReadIsOneStateWhilePointsMove() throws {
    let count = 5_000
    let points = points(.city, count, seed: 43)
    let live = LiveClusters()
    try! live.bulkLoad(points)
    let matching = points.count { $0.tagMask & 1 != 0 || $0.tagMask & 2 != 0 }
    let filter = ClusterFilter(anyOf: 3)
    let isDone = Atomic<Bool>(false)
    let reads = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: 2) { worker in
      if worker == 0 {
        var random = SplitMix64(seed: 44)
        var sequence: UInt64 = 0
        // Goes on until the reader is through, so that most reads meet a change.
        while !isDone.load(ordering: .relaxed) {
          let changes = (0..<50).map { _ in
            let point = points[Int.random(in: 0..<count, using: &random)]
            return Self.move(point, to: points[Int.random(in: 0..<count, using: &random)].position)
          }
          sequence += 1
          live.enqueue(changes, sequence: sequence, at: Instant(milliseconds: 0))
          live.flush()
        }
        return
      }
      for n in 0..<20 {
        let found = try? live.clusters(in: Self.everywhere, zoom: n % 18, filter: filter)
        if found?.reduce(0, { $0 + $1.count }) == matching { reads.add(1, ordering: .relaxed) }
      }
      isDone.store(true, ordering: .relaxed)
    }
    #expect(reads.load(ordering: .relaxed) == 20)
  }

  @Test(arguments: [0, 9, 16, 17, 22])
  func aLimitCutsAndSaysSo(zoom: Int) throws {
    let live = LiveClusters()
    try! live.bulkLoad(points(.world, 3_000, seed: 45))
    let all = try live.viewport(in: Self.everywhere, zoom: zoom)
    #expect(!all.isTruncated)
    let count = all.clusters.count
    for filter in [nil, ClusterFilter(anyOf: 127)] {
      let cut = try live.viewport(
        in: Self.everywhere, zoom: zoom, filter: filter, limit: count - 1)
      #expect(cut.isTruncated && cut.clusters.count == count - 1)
      #expect(Set(cut.clusters.map(\.id)).isSubset(of: all.clusters.map(\.id)))
      let whole = try live.viewport(in: Self.everywhere, zoom: zoom, filter: filter, limit: count)
      #expect(!whole.isTruncated && whole.clusters == all.clusters)
    }
  }
}
