import GeoMath
import ObjectModel
import Testing

@testable import PointClustering

let world = GeoBox.world

func changes(_ points: some Sequence<ClusterPoint>) -> [ClusterChange] { points.map(insertion) }

func loaded(_ points: [ClusterPoint], hasAggregates: Bool = false) -> LiveClusters {
  let live = LiveClusters(configuration: .init(hasAggregates: hasAggregates))
  try! live.bulkLoad(points)
  return live
}

/// A state that random changes led to, and the points it holds.
func changed(_ layout: Layout, seed: UInt64, count: Int) -> (LiveClusters, [ClusterPoint]) {
  var model = ChangingPoints(layout, seed: seed, count: count)
  let live = loaded(Array(model.present.values))
  live.enqueue(
    (0..<count).map { _ in model.change() }, sequence: 1, at: Instant(milliseconds: 0))
  live.flush()
  return (live, Array(model.present.values))
}

@Suite struct LiveClusterPropertyTests {
  @Test(arguments: Layout.allCases)
  func countsAreConserved(layout: Layout) throws {
    let (live, points) = changed(layout, seed: 11, count: 200 * scale)
    for zoom in 0...22 {
      let clusters = try live.clusters(in: world, zoom: zoom)
      #expect(clusters.reduce(0) { $0 + $1.count } == points.count)
      #expect(Set(clusters.map(\.id)).count == clusters.count)
    }
  }

  @Test(arguments: Layout.allCases)
  func clustersNest(layout: Layout) throws {
    let (live, _) = changed(layout, seed: 12, count: 150 * scale)
    for zoom in 0...16 {
      var finer: Set<ClusterID> = []
      for cluster in try live.clusters(in: world, zoom: zoom, details: .expansionZoom) {
        let members = try live.leaves(cluster.id, limit: .max).leaves
        #expect(members.count == cluster.count)
        #expect(members.map(\.rank) == members.map(\.rank).sorted())
        let children = try live.children(cluster.id)
        #expect(try live.expansionZoom(cluster.id) == cluster.expansionZoom)
        guard let apart = cluster.expansionZoom else {
          #expect(children.isEmpty)
          continue
        }
        #expect(children.count > 1 && children.allSatisfy { $0.zoom == apart })
        #expect(children.reduce(0) { $0 + $1.count } == cluster.count)
        let together = try children.flatMap { try live.leaves($0.id, limit: .max).leaves }
        #expect(Set(together.map(\.rank)) == Set(members.map(\.rank)))
        finer.formUnion(children.map(\.id))
      }
      #expect(finer.allSatisfy { (try? live.cluster($0)) != nil })
    }
  }

  @Test(arguments: Layout.allCases)
  func anchorsAndMarkersKeepApart(layout: Layout) throws {
    let (live, _) = changed(layout, seed: 13, count: 300 * scale)
    for zoom in 0...16 {
      let r = Double(ClusterNet.radius(zoom))
      // By columns of one radius, so that only neighbours are compared.
      var columns: [UInt32: [LiveCluster]] = [:]
      for cluster in try live.clusters(in: world, zoom: zoom) {
        columns[cluster.anchor.x / ClusterNet.radius(zoom), default: []].append(cluster)
        #expect(distance(cluster.anchor, cluster.position) <= r / 4)
      }
      let last = UInt32.max / ClusterNet.radius(zoom)
      for (column, clusters) in columns {
        var near = clusters
        for offset in [1, 2] as [UInt32] {
          near += columns[column + offset] ?? []
          if column + offset > last { near += columns[column + offset - last - 1] ?? [] }
        }
        for a in clusters {
          for b in near where a.id != b.id {
            #expect(distance(a.anchor, b.anchor) > r)
            #expect(distance(a.position, b.position) >= r / 2)
          }
        }
      }
    }
  }

  func distance(_ a: MercatorPoint, _ b: MercatorPoint) -> Double {
    let dx = Double(Int32(bitPattern: a.x &- b.x))
    let dy = Double(a.y) - Double(b.y)
    return (dx * dx + dy * dy).squareRoot()
  }

  @Test(arguments: Layout.allCases, [2, 4, 11, 16, 17, 20])
  func tilesTogetherAreTheWhole(layout: Layout, zoom: Int) throws {
    let (live, points) = changed(layout, seed: 14, count: 300)
    let whole = try live.clusters(in: world, zoom: zoom)
    var tiles: Set<TileAddress> = []
    for cluster in whole { tiles.insert(TileAddress(containing: cluster.position, zoom: zoom)) }
    for point in points { tiles.insert(TileAddress(containing: point.position, zoom: zoom)) }
    let parts = try tiles.flatMap { try live.tile($0) }
    #expect(parts.count == whole.count)
    #expect(Set(parts) == Set(whole))
    for tile in tiles {
      // A margin only adds what neighbours show.
      let inner = try live.tile(tile)
      let outer = try live.tile(tile, marginUnits: tile.sideUnits / 8)
      #expect(Set(inner).isSubset(of: Set(outer)))
      #expect(Set(outer).isSubset(of: Set(whole)))
    }
  }

  @Test(arguments: Layout.allCases)
  func orderOfArrivalDoesNotMatter(layout: Layout) throws {
    let points = points(layout, 300 * scale, seed: 15)
    var random = SplitMix64(seed: 15)
    let wanted = loaded(points)
    let live = LiveClusters(configuration: .init(sliceLength: 7))
    live.enqueue(
      changes(points.shuffled(using: &random)), sequence: 1, at: Instant(milliseconds: 0))
    live.flush()
    for zoom in 0...18 {
      #expect(
        try live.clusters(in: world, zoom: zoom) == wanted.clusters(in: world, zoom: zoom))
    }
  }

  /// The same points, turned round the world by whole micro-cells, make the same clusters, turned.
  @Test(arguments: [Layout.city, .seam, .world, .line], [1, 77_777, 2_000_000] as [UInt32])
  func turningTheWorldTurnsTheClusters(layout: Layout, cells: UInt32) throws {
    let points = points(layout, 200 * scale, seed: 16)
    let turned = points.map { point in
      var point = point
      point.position.x &+= cells &* 1_024
      return point
    }
    let (live, liveTurned) = (loaded(points), loaded(turned))
    for zoom in 0...18 {
      let wanted = try live.clusters(in: world, zoom: zoom).map { cluster in
        var cluster = cluster
        cluster.position.x &+= cells &* 1_024
        cluster.anchor.x &+= cells &* 1_024
        return cluster
      }
      #expect(try liveTurned.clusters(in: world, zoom: zoom) == wanted)
    }
  }

  @Test func idsStayWhileMembersMoveInside() throws {
    var points = points(.city, 500 * scale, seed: 17)
    let live = loaded(points)
    let before = try (0...16).map { try live.clusters(in: world, zoom: $0) }
    var random = SplitMix64(seed: 17)
    // Anywhere inside its micro-cell.
    let moves = points.indices.map { n -> ClusterChange in
      let from = points[n].position
      points[n].position.x = from.x & ~1_023 | UInt32(random.next() & 1_023)
      points[n].position.y = from.y & ~1_023 | UInt32(random.next() & 1_023)
      return ClusterChange(
        kind: .moved, rank: points[n].rank, key: points[n].key, from: from,
        to: points[n].position, tagMask: points[n].tagMask)
    }
    live.enqueue(moves, sequence: 1, at: Instant(milliseconds: 0))
    live.flush()
    for zoom in 0...16 {
      let after = try live.clusters(in: world, zoom: zoom)
      #expect(after.map(\.id) == before[zoom].map(\.id))
      #expect(after.map(\.count) == before[zoom].map(\.count))
      for single in after where single.count == 1 {
        #expect(single.position == points[Int(single.key)].position)
      }
    }
  }

  @Test(arguments: Layout.allCases)
  func boxesAcrossTheAntimeridian(layout: Layout) throws {
    let (live, _) = changed(layout, seed: 18, count: 500)
    let box = try GeoBox(west: 150, south: -60, east: -150, north: 80)
    for zoom in 0...18 {
      let found = try live.clusters(in: box, zoom: zoom)
      let wanted = try live.clusters(in: world, zoom: zoom).filter {
        let (x, y) = ($0.position.x, $0.position.y)
        return (x >= MercatorPoint.x(longitude: 150) || x <= MercatorPoint.x(longitude: -150))
          && y >= MercatorPoint.y(latitude: 80) && y <= MercatorPoint.y(latitude: -60)
      }
      #expect(found == wanted)
    }
  }

  @Test func badAddressesAndIdsAreErrors() throws {
    let live = loaded(points(.city, 10, seed: 1))
    #expect(throws: ClusterError.zoomOutOfRange(23)) { try live.clusters(in: world, zoom: 23) }
    #expect(throws: ClusterError.zoomOutOfRange(-1)) { try live.clusters(in: world, zoom: -1) }
    #expect(throws: ClusterError.zoomOutOfRange(23)) {
      try live.tile(TileAddress(zoom: 23, x: 0, y: 0)!)
    }
    let id = try #require(ClusterID(hexadecimal: "0000000000000001"))
    #expect(throws: ClusterError.unknownCluster(1)) { try live.cluster(id) }
    #expect(throws: ClusterError.unknownCluster(1)) { try live.children(id) }
    #expect(throws: ClusterError.unknownCluster(1)) { try live.leaves(id, limit: 5) }
    #expect(throws: ClusterError.unknownCluster(1)) { try live.expansionZoom(id) }
    for text in [
      "", "1", "+000000000000001", "000000000000000g", "0012000000000000", "fff0000000000001",
    ] {
      #expect(ClusterID(hexadecimal: text) == nil)
    }
    for cluster in try live.clusters(in: world, zoom: 22) {
      #expect(ClusterID(hexadecimal: cluster.id.hexadecimal) == cluster.id)
      #expect(cluster.id.rawValue < 1 << 53)
    }
  }

  @Test func anEmptyNetAnswersEmpty() throws {
    let live = LiveClusters()
    for zoom in 0...22 { #expect(try live.clusters(in: world, zoom: zoom).isEmpty) }
    #expect(live.flush() == 0 && live.objectCount == 0)
  }
}
