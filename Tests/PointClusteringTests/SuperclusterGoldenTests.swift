#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
import GeoMath
import Testing

@testable import PointClustering

/// Everything `StaticClusters` answers, written out as text, has the digest of what supercluster
/// 8.0.1 on Node.js 20 answered for the same points (made by the same SplitMix64).
@Suite struct SuperclusterGoldenTests {
  struct Golden: Sendable, CustomTestStringConvertible {
    var kind: String
    var count: Int
    var seed: UInt64
    var tiles: Int
    var ids: Int
    var hasHoles: Bool
    var options: StaticClusterOptions
    /// FNV-1a, 64 bits.
    var digest: UInt64
    var testDescription: String { "\(kind) \(count) seed \(seed)" }
  }

  static let goldens: [Golden] = [
    Golden(
      kind: "world", count: 2_000, seed: 1, tiles: 40, ids: 300, hasHoles: true,
      options: .init(), digest: 0x1e9f_86d8_c455_bb54),
    Golden(
      kind: "city", count: 3_000, seed: 2, tiles: 60, ids: 300, hasHoles: false,
      options: .init(), digest: 0xeae4_3e91_4f8f_7173),
    Golden(
      kind: "seam", count: 2_000, seed: 3, tiles: 40, ids: 300, hasHoles: true,
      options: .init(minPoints: 3, radius: 60, nodeSize: 8), digest: 0x1d71_b840_0891_bd7a),
    Golden(
      kind: "grid", count: 3_000, seed: 4, tiles: 40, ids: 300, hasHoles: false,
      options: .init(minZoom: 2, maxZoom: 12, minPoints: 5, radius: 75.5, extent: 256),
      digest: 0x3c91_b6ee_5309_cb46),
    Golden(
      kind: "city", count: 2_500, seed: 5, tiles: 40, ids: 300, hasHoles: true,
      options: .init(maxZoom: 20, radius: 20, extent: 4_096, nodeSize: 1),
      digest: 0x9537_f716_b8c6_730a),
    Golden(
      kind: "world", count: 1_500, seed: 6, tiles: 40, ids: 200, hasHoles: false,
      options: .init(minZoom: 3, maxZoom: 5, minPoints: 10, radius: 150, nodeSize: 16),
      digest: 0xdfa6_1523_16d6_68e7),
  ]

  typealias Clusters = StaticClusters<Int>

  static func positions(_ golden: Golden) -> [(longitude: Double, latitude: Double)] {
    var random = SplitMix(golden.seed)
    return (0..<golden.count).map { _ -> (longitude: Double, latitude: Double) in
      switch golden.kind {
      case "world":
        let longitude = random.unit() * 360 - 180
        return (longitude, random.unit() * 170 - 85)
      case "city":
        let spot = (random.unit() * 12).rounded(.down)
        let longitude = 126.8 + 0.03 * spot + random.gauss() * 0.02
        let column = (spot * 5).truncatingRemainder(dividingBy: 7)
        return (longitude, 37.3 + 0.02 * column + random.gauss() * 0.02)
      case "seam":
        var longitude = 180 + random.gauss() * 2
        if longitude > 180 { longitude -= 360 }
        return (longitude, random.gauss() * 2)
      default:
        let longitude = (random.unit() * 40).rounded(.down) * 0.01
        return (longitude, (random.unit() * 40).rounded(.down) * 0.01)
      }
    }
  }

  static func name(_ f: Clusters.Feature) -> String {
    if let id = f.clusterID { return "c\(id)n\(f.count)s\(f.aggregate ?? -1)" }
    return "p\(f.pointIndex ?? -1)"
  }

  static func tileLines(
    _ index: Clusters, _ zoom: Int, _ positions: ArraySlice<(longitude: Double, latitude: Double)>
  ) -> [String] {
    let side = 1 << zoom
    var seen: [[Int]] = []
    func add(_ x: Int, _ y: Int) { if !seen.contains([x, y]) { seen.append([x, y]) } }
    for (longitude, latitude) in positions {
      let s = sin(latitude * .pi / 180)
      let y = 0.5 - 0.25 * log((1 + s) / (1 - s)) / .pi
      add(
        min(side - 1, max(0, Int(((longitude / 360 + 0.5) * Double(side)).rounded(.down)))),
        min(side - 1, max(0, Int((y * Double(side)).rounded(.down)))))
    }
    add(0, 0)
    add(side - 1, side / 2)
    add(0, side / 2)
    return seen.map { tile -> String in
      let features = index.tile(zoom: zoom, x: tile[0], y: tile[1])
      let text = features.map { features in
        features.map { "\($0.x),\($0.y),\(name($0.feature))" }.joined(separator: ";")
      }
      return "t\(zoom)/\(tile[0])/\(tile[1]):\(text ?? "-")"
    }
  }

  static let boxes: [(text: String, west: Double, south: Double, east: Double, north: Double)] = [
    ("-180,-85,180,85", -180, -85, 180, 85), ("170,-20,-170,20", 170, -20, -170, 20),
    ("126.8,37.3,126.95,37.5", 126.8, 37.3, 126.95, 37.5),
    ("-500,-90,-200,90", -500, -90, -200, 90), ("0,0,0.2,0.2", 0, 0, 0.2, 0.2),
  ]

  static func text(_ golden: Golden) -> String {
    let positions = positions(golden)
    let points = positions.enumerated().map { n, p -> Clusters.Point? in
      golden.hasHoles && n % 97 == 5
        ? nil : Clusters.Point(longitude: p.longitude, latitude: p.latitude)
    }
    let index = Clusters(points, options: golden.options) {
      $0 % 10
    } reduce: {
      $0 += $1
    }
    var lines: [String] = []
    var ids: [Int] = []
    var known: Set<Int> = []
    for zoom in max(0, golden.options.minZoom - 1)...(golden.options.maxZoom + 2) {
      lines += tileLines(index, zoom, positions.prefix(golden.tiles))
      for box in boxes {
        let found = index.clusters(
          west: box.west, south: box.south, east: box.east, north: box.north, zoom: zoom)
        lines.append("b\(zoom) \(box.text):" + found.map(name).joined(separator: ";"))
        for id in found.compactMap(\.clusterID) where known.insert(id).inserted { ids.append(id) }
      }
    }
    for id in ids.prefix(golden.ids + 1) {
      let children = (try? index.children(id))?.map(name).joined(separator: ";") ?? "error"
      let zoom = (try? index.expansionZoom(id)).map(String.init) ?? "error"
      let leaves =
        (try? index.leaves(id, limit: 7, offset: 3))?.map(name).joined(separator: ";") ?? "error"
      lines.append("k\(id):\(children) e\(zoom) l\(leaves)")
    }
    let n = golden.count
    for id in [0, 1, 5, n, n + 1, n + 33, n + 64 * 32 + 5, 1_000_000_000, -4] {
      let children = (try? index.children(id))?.map(name).joined(separator: ";") ?? "error"
      let zoom = (try? index.expansionZoom(id)).map(String.init) ?? "error"
      lines.append("u\(id):\(children) \(zoom)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test(arguments: goldens)
  func answersAsSupercluster(golden: Golden) {
    let text = Self.text(golden)
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    if digest != golden.digest, let path = getenv("MOYEO_DUMP") {
      let file = fopen(String(cString: path) + "/\(golden.seed).txt", "w")
      fputs(text, file)
      fclose(file)
    }
    #expect(digest == golden.digest)
  }
}
