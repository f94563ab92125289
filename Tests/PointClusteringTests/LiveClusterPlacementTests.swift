import GeoMath
import ObjectModel
import Testing

@testable import PointClustering

/// Where clusters are drawn: at the mean of their members, inside their bounds.
@Suite struct LiveClusterPlacementTests {
  @Test(arguments: Layout.allCases, [81 as UInt64, 82])
  func clustersStandInsideTheirBounds(layout: Layout, seed: UInt64) throws {
    var model = ChangingPoints(layout, seed: seed, count: 300)
    let live = loaded(Array(model.present.values))
    for round in 0..<6 {
      for zoom in 0...18 {
        for filter in [nil, ClusterFilter(anyOf: 6)] {
          for cluster in try live.clusters(
            in: world, zoom: zoom, filter: filter, details: [.bounds, .expansionZoom])
          {
            let bounds = try #require(cluster.bounds)
            #expect(bounds.contains(cluster.position.coordinate), "zoom \(zoom) \(cluster)")
            let members = try live.leaves(cluster.id, limit: .max, filter: filter).leaves
            let isOnePlace = Set(members.map(\.position)).count == 1
            let isExact = ![0, UInt32.max].contains(cluster.position.y)
            #expect(
              cluster.isCoincident == (members.count > 1 && isOnePlace && isExact),
              "zoom \(zoom) \(filter == nil) round \(round) \(cluster) \(members.map(\.position))")
            if isOnePlace { #expect(cluster.position == members[0].position) }
            if cluster.isCoincident { #expect(cluster.expansionZoom == nil) }
          }
        }
      }
      let length = [1, 5, 30, 100, 200, 300][round]
      live.enqueue(
        (0..<length).map { _ in model.change() }, sequence: UInt64(round + 1),
        at: Instant(milliseconds: 0))
      live.flush()
    }
  }

  /// A mean that is near the anchor is the marker, up to a step of 1/65,536 of a tile.
  @Test(arguments: Layout.allCases)
  func markersAreTheMeansOfTheMembers(layout: Layout) throws {
    let (live, _) = changed(layout, seed: 83, count: 400)
    for zoom in 0...16 {
      let step = Double(UInt32(1) << UInt32(16 - zoom))
      for cluster in try live.clusters(in: world, zoom: zoom) where cluster.count > 1 {
        var sum = (x: 0.0, y: 0.0)
        for leaf in try live.leaves(cluster.id, limit: .max).leaves {
          sum.x += Double(Int32(bitPattern: leaf.position.x &- cluster.anchor.x))
          sum.y += Double(leaf.position.y) - Double(cluster.anchor.y)
        }
        let mean = (x: sum.x / Double(cluster.count), y: sum.y / Double(cluster.count))
        let limit = Double(ClusterNet.radius(zoom)) / 4
        guard (mean.x * mean.x + mean.y * mean.y).squareRoot() < limit * 0.9 else { continue }
        let dx = Double(Int32(bitPattern: cluster.position.x &- cluster.anchor.x)) - mean.x
        let dy = Double(cluster.position.y) - Double(cluster.anchor.y) - mean.y
        #expect(dx.magnitude <= step && dy.magnitude <= step, "zoom \(zoom) \(cluster)")
      }
    }
  }

  /// Two taxis on one crossing are one marker between them at every zoom up to 16.
  @Test func twoObjectsOfOneMicroCellStandBetweenThem() throws {
    let corner = MercatorPoint(x: 3_000_000_512, y: 1_500_000_256)
    let base = MercatorPoint(x: corner.x & ~1_023, y: corner.y & ~1_023)
    let live = loaded([
      ClusterPoint(rank: ObjectRank(high: 1 << 40), key: 1, position: base),
      ClusterPoint(
        rank: ObjectRank(high: 2 << 40), key: 2, position: MercatorPoint(x: base.x + 10, y: base.y)),
    ])
    for zoom in 0...16 {
      let cluster = try #require(try live.clusters(in: world, zoom: zoom, details: .all).first)
      #expect(cluster.position.y == base.y && cluster.position.x >= base.x)
      #expect(cluster.position.x <= base.x + 10 && cluster.expansionZoom == 17)
    }
    let mean = try live.clusters(in: world, zoom: 16)[0].position
    #expect(mean == MercatorPoint(x: base.x + 5, y: base.y))
    // Both at one position: nothing takes them apart, and every zoom says so.
    live.enqueue(
      [
        ClusterChange(
          kind: .moved, rank: ObjectRank(high: 2 << 40), key: 2,
          from: MercatorPoint(x: base.x + 10, y: base.y), to: base)
      ], sequence: 1, at: Instant(milliseconds: 0))
    let version = live.version
    live.flush()
    for zoom in 0...22 {
      let cluster = try #require(try live.clusters(in: world, zoom: zoom, details: .all).first)
      #expect(cluster.isCoincident && cluster.expansionZoom == nil && cluster.position == base)
      let tile = TileAddress(containing: base, zoom: zoom)
      #expect(try live.tileVersion(tile) > version, "zoom \(zoom)")
    }
  }

  /// Latitudes 90 and 86 share the projection's last row; nobody may call them one place.
  @Test(arguments: [1.0, -1])
  func latitudesPastTheProjectionAreNotCoincident(side: Double) throws {
    let live = loaded(
      [90.0, 86].enumerated().map { n, latitude in
        ClusterPoint(
          rank: ObjectRank(high: UInt64(n + 1) << 40), key: UInt64(n),
          position: MercatorPoint(latitude: latitude * side, longitude: 20))
      })
    for zoom in [0, 9, 16, 17, 22] {
      for filter in [nil, ClusterFilter()] {
        let found = try live.clusters(in: world, zoom: zoom, filter: filter, details: .all)
        #expect(found.map(\.count) == [2] && !found[0].isCoincident)
        let bounds = try #require(found[0].bounds)
        for latitude in [90.0, 86, 85.06] {
          #expect(bounds.contains(latitude: latitude * side, longitude: bounds.west))
        }
      }
    }
  }

  /// Six objects of one tag seed the cluster of a seventh one degree south of them: asked for the
  /// seventh's tag, the tile where it is shows it and the other one does not.
  @Test func aFilteredClusterIsInTheTileOfItsMembers() throws {
    let names = (0..<200).map { UInt64($0 + 1) << 40 }
    for seed in 0..<7 {
      var points = (0..<6).map { n in
        ClusterPoint(
          rank: ObjectRank(high: names[(n + seed) % 7]), key: UInt64(n),
          position: MercatorPoint(latitude: 41.9, longitude: 20 + Double(n) * 0.001), tagMask: 1)
      }
      let alone = MercatorPoint(latitude: 40.9, longitude: 20)
      points.append(
        ClusterPoint(
          rank: ObjectRank(high: names[(6 + seed) % 7]), key: 6, position: alone, tagMask: 2))
      let live = loaded(points)
      let filter = ClusterFilter(allOf: 2)
      let above = try live.tile(TileAddress(zoom: 3, x: 4, y: 2)!, filter: filter)
      let below = try live.tile(TileAddress(zoom: 3, x: 4, y: 3)!, filter: filter)
      #expect(above.isEmpty && below.map(\.position) == [alone])
      let box = try GeoBox(west: 19.9, south: 40.8, east: 20.1, north: 41)
      #expect(try live.clusters(in: box, zoom: 3, filter: filter).map(\.position) == [alone])
    }
  }

  /// Filtered tiles against the definition: matching members of each cluster, in the tile where
  /// they stand, each cluster in one tile.
  @Test(arguments: [Layout.city, .world, .seam, .poles], [84 as UInt64, 85])
  func filteredTilesTogetherAreTheWhole(layout: Layout, seed: UInt64) throws {
    let (live, points) = changed(layout, seed: seed, count: 400)
    let filter = ClusterFilter(allOf: 2) { $0 % 3 != 0 }
    let matching = points.count { $0.tagMask & 2 != 0 && $0.key % 3 != 0 }
    #expect(matching > 0)
    for zoom in [1, 3, 6, 10, 14, 16, 19] {
      let whole = try live.clusters(in: world, zoom: zoom, filter: filter)
      #expect(whole.reduce(0) { $0 + $1.count } == matching)
      var tiles: Set<TileAddress> = []
      for cluster in whole { tiles.insert(TileAddress(containing: cluster.position, zoom: zoom)) }
      for point in points { tiles.insert(TileAddress(containing: point.position, zoom: zoom)) }
      var seen: [ClusterID: Int] = [:]
      for tile in tiles {
        for cluster in try live.tile(tile, filter: filter) {
          #expect(TileAddress(containing: cluster.position, zoom: zoom) == tile)
          seen[cluster.id, default: 0] += 1
        }
      }
      #expect(seen.count == whole.count && seen.values.allSatisfy { $0 == 1 })
      for cluster in whole where cluster.count > 1 {
        let members = try live.leaves(cluster.id, limit: .max, filter: filter).leaves
        let columns = members.map { Int32(bitPattern: $0.position.x &- cluster.anchor.x) }
        let x = Int32(bitPattern: cluster.position.x &- cluster.anchor.x)
        #expect(x >= columns.min()! && x <= columns.max()!)
        let rows = members.map(\.position.y)
        #expect(cluster.position.y >= rows.min()! && cluster.position.y <= rows.max()!)
      }
    }
  }
}
