#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
import GeoMath
import GzipCoding
import ObjectModel
import PointClustering
import VectorTiles

/// Costs of live and static clusters:
/// `ClusterBenchmarks [points] [city|world|static|moves|tiles ...] [slice=12] [dump=FOLDER]`.
/// `dump` writes a tile a zoom, packed and not, for other readers to check.
@main
enum ClusterBenchmarks {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let count = arguments.first.flatMap { Int($0) } ?? 1_000_000
    let wanted = arguments.filter { Int($0) == nil && !$0.contains("=") }
    // Parts of the city's run may be named alone; `city` alone runs all of them.
    let parts = ["moves", "tiles"]
    let isCityWhole = wanted.contains("city") && !parts.contains(where: wanted.contains)
    func runs(_ name: String) -> Bool {
      wanted.isEmpty || wanted.contains(name) || isCityWhole && parts.contains(name)
    }
    if runs("city") || parts.contains(where: runs) { try city(count, runs) }
    if runs("world") { world(count) }
    if runs("static") { staticClusters(count) }
  }

  /// CPU seconds of this thread: steady on a busy machine.
  static func seconds(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
    let start = now()
    try body()
    return now() - start
  }

  static func figure(_ value: Double, _ digits: Int = 2) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    return "\((value * scale).rounded() / scale)"
  }

  static func percentile(_ sorted: [Double], _ p: Double) -> Double {
    sorted[min(sorted.count - 1, Int(Double(sorted.count) * p))]
  }

  // MARK: - Live, city

  static func city(_ count: Int, _ runs: (String) -> Bool) throws {
    var points = CityPoints.clusterPoints(count, seed: 1)
    let slice = CommandLine.arguments.compactMap {
      $0.hasPrefix("slice=") ? Int($0.dropFirst(6)) : nil
    }.first
    let live = LiveClusters(configuration: .init(sliceLength: slice ?? 12))
    let load = seconds { try! live.bulkLoad(points) }
    print("city \(count): bulk load \(figure(load, 3)) s, \(live.allocatedBytes / count) B a point")
    for meters in [3.0, 30, 50, 500] where runs("moves") {
      moves(live, &points, meters: meters, count: min(count, 400_000), batch: 10_000)
    }
    print("after moves: \(live.allocatedBytes / count) B a point")
    if runs("moves") { slices(live, &points) }
    if runs("tiles") { try tiles(live, points) }
  }

  /// Cluster-changing moves: those that leave their micro-cell, in merged batches.
  static func moves(
    _ live: LiveClusters, _ points: inout [ClusterPoint], meters: Double, count: Int, batch: Int
  ) {
    var random = SplitMix(UInt64(meters))
    var total = 0.0
    var applied = 0
    while applied < count {
      var changes: [ClusterChange] = []
      while changes.count < batch {
        let n = Int.random(in: 0..<points.count, using: &random)
        let to = moved(points[n].position, meters: meters, &random)
        let from = points[n].position
        points[n].position = to
        let change = ClusterChange(
          kind: .moved, rank: points[n].rank, key: points[n].key, from: from, to: to,
          tagMask: points[n].tagMask)
        if from.x >> 10 == to.x >> 10 && from.y >> 10 == to.y >> 10 { continue }
        changes.append(change)
      }
      total += seconds {
        live.enqueue(changes, sequence: 1, at: Instant(milliseconds: 0))
        live.flush()
      }
      applied += batch
    }
    print(
      "moves of \(Int(meters)) m that leave their micro-cell: "
        + "\(figure(Double(applied) / total / 1_000, 0))k/s, \(figure(total / Double(applied) * 1e6)) us"
    )
  }

  /// How long the lock is held: one slice at a time.
  static func slices(_ live: LiveClusters, _ points: inout [ClusterPoint]) {
    var random = SplitMix(99)
    var times: [Double] = []
    for _ in 0..<5 {
      let changes = (0..<10_000).map { _ -> ClusterChange in
        let n = Int.random(in: 0..<points.count, using: &random)
        let to = moved(points[n].position, meters: 50, &random)
        defer { points[n].position = to }
        return ClusterChange(
          kind: .moved, rank: points[n].rank, key: points[n].key, from: points[n].position,
          to: to, tagMask: points[n].tagMask)
      }
      live.enqueue(changes, sequence: 2, at: Instant(milliseconds: 0))
      let length = live.configuration.sliceLength
      // The first one also takes the batch over and sorts it.
      live.flush(maximumChanges: length)
      var left = 1
      while left > 0 { times.append(seconds { left = live.flush(maximumChanges: length) } * 1e6) }
    }
    times.sort()
    print(
      "a slice of at most \(live.configuration.sliceLength) (work \(live.largestSliceWork)): p50 \(figure(percentile(times, 0.5), 0)) us, "
        + "p99 \(figure(percentile(times, 0.99), 0)), max \(figure(times.last ?? 0, 0))")
  }

  // MARK: - Tiles

  static func encode(_ address: TileAddress, _ clusters: [LiveCluster]) -> [UInt8] {
    var writer = VectorTileLayerWriter(name: "users", tile: address)
    let isCluster = writer.key(ClusterProperty.isCluster)
    let id = writer.key(ClusterProperty.clusterID)
    let pointCount = writer.key(ClusterProperty.pointCount)
    let abbreviated = writer.key(ClusterProperty.pointCountAbbreviated)
    let name = writer.key("id")
    for cluster in clusters {
      writer.beginFeature(id: cluster.id.rawValue, at: cluster.position)
      if cluster.count > 1 {
        writer.add(isCluster, boolean: true)
        writer.add(id, uniqueInteger: Int64(cluster.id.rawValue))
        writer.add(pointCount, integer: Int64(cluster.count))
        writer.add(abbreviated, ClusterProperty.abbreviated(cluster.count))
      } else {
        writer.add(name, uniqueString: "user-\(cluster.key)")
      }
      writer.endFeature()
    }
    return writer.finish()
  }

  static func tiles(_ live: LiveClusters, _ points: [ClusterPoint]) throws {
    print("zoom: features, bytes, gzip bytes | query, + encode, + gzip: p50 / p99 us | version p50")
    var random = SplitMix(7)
    for zoom in 0...16 {
      var query: [Double] = []
      var encoded: [Double] = []
      var zipped: [Double] = []
      var versions: [Double] = []
      var (features, bytes, gzipBytes) = (0, 0, 0)
      let count = 2_000
      for _ in 0..<count {
        let n = Int.random(in: 0..<points.count, using: &random)
        let address = TileAddress(containing: points[n].position, zoom: zoom)
        let margin = address.sideUnits / 64
        var clusters: [LiveCluster] = []
        var tile: [UInt8] = []
        var zip: [UInt8] = []
        let a = try seconds { clusters = try live.tile(address, marginUnits: margin) }
        let b = seconds { tile = encode(address, clusters) }
        let c = seconds { zip = GzipEncoder.fast.compress(tile) }
        let d = try seconds { _ = try live.tileVersion(address, marginUnits: margin) }
        query.append(a * 1e6)
        encoded.append((a + b) * 1e6)
        zipped.append((a + b + c) * 1e6)
        if zipped.count == count { dump(address, clusters, tile, zip) }
        versions.append(d * 1e6)
        features += clusters.count
        bytes += tile.count
        gzipBytes += zip.count
      }
      query.sort()
      encoded.sort()
      zipped.sort()
      versions.sort()
      func pair(_ sorted: [Double]) -> String {
        "\(figure(percentile(sorted, 0.5), 0))/\(figure(percentile(sorted, 0.99), 0))"
      }
      print(
        "z\(zoom): \(features / count), \(bytes / count), \(gzipBytes / count) | \(pair(query))"
          + ", \(pair(encoded)), \(pair(zipped)) | \(figure(percentile(versions, 0.5), 1))")
    }
  }

  /// Writes a tile, and beside it what it should hold: x, y, count and id of each feature.
  static func dump(
    _ address: TileAddress, _ clusters: [LiveCluster], _ tile: [UInt8], _ zip: [UInt8]
  ) {
    let folder = CommandLine.arguments.first { $0.hasPrefix("dump=") }?.dropFirst(5)
    guard let folder else { return }
    let writer = VectorTileLayerWriter(name: "users", tile: address)
    let lines = clusters.map { cluster in
      let (x, y) = writer.tileCoordinates(cluster.position)
      return "\(x) \(y) \(cluster.count) \(cluster.id.rawValue)\n"
    }
    for (suffix, bytes) in [("mvt", tile), ("mvt.gz", zip), ("txt", Array(lines.joined().utf8))] {
      let file = fopen("\(folder)/\(address.zoom).\(suffix)", "w")
      fwrite(bytes, 1, bytes.count, file)
      fclose(file)
    }
  }

  // MARK: - World and static

  static func world(_ count: Int) {
    let points = CityPoints.worldPoints(count, seed: 3)
    let live = LiveClusters()
    let load = seconds { try! live.bulkLoad(points) }
    print(
      "world \(count): bulk load \(figure(load, 3)) s, \(live.allocatedBytes / count) B a point")
  }

  static func staticClusters(_ count: Int) {
    for (name, points) in [
      ("city", CityPoints.clusterPoints(count, seed: 1)),
      ("world", CityPoints.worldPoints(count, seed: 3)),
    ] {
      let input = points.map { StaticClusters<Never>.Point?.some(.init($0.position.coordinate)) }
      var features = 0
      let time = seconds {
        features = StaticClusters(input).tile(zoom: 0, x: 0, y: 0)?.count ?? 0
      }
      print("static \(name) \(count): \(figure(time, 3)) s (\(features) features at z0)")
    }
  }
}
