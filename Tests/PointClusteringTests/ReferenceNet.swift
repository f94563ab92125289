import GeoMath
import ObjectModel

@testable import PointClustering

/// The definition of min-hash nets written down naively: the oracle for `ClusterNet`.
struct ReferenceNet {
  struct Object: Hashable {
    var hash: UInt64
    var x: UInt32
    var y: UInt32
  }

  struct Cluster: Hashable {
    var seed: UInt64
    var x: UInt32
    var y: UInt32
    var count: Int
    var sumX: Int64
    var sumY: Int64
  }

  struct Node {
    var seed: UInt64
    var x: UInt32
    var y: UInt32
    var members: [Object]
  }

  /// Index z: clusters of zoom z by seed; 17: micro-cells.
  var levels: [[UInt64: Node]] = []

  init(_ objects: [Object]) {
    var cells: [UInt64: Node] = [:]
    for object in objects {
      let (cx, cy) = (object.x / 1024 * 1024 + 512, object.y / 1024 * 1024 + 512)
      let cell = UInt64(cx) << 32 | UInt64(cy)
      var node = cells[cell] ?? Node(seed: .max, x: cx, y: cy, members: [])
      node.seed = min(node.seed, object.hash)
      node.members.append(object)
      cells[cell] = node
    }
    var items = Array(cells.values)
    levels = Array(repeating: [:], count: 18)
    for node in items { levels[17][node.seed] = node }
    for zoom in stride(from: 16, through: 0, by: -1) {
      items.sort { $0.seed < $1.seed }
      let r = Int64(335_544_320 >> zoom)
      var seeds: [Node] = []
      // A grid of the seeds only to keep the oracle quick: sides are multiples of the radius.
      var grid: [SIMD2<Int64>: [Int]] = [:]
      let side = Int64(1) << (30 - zoom)
      let columns = (Int64(1) << 32) / side
      for item in items {
        var best: Int?
        let (cx, cy) = (Int64(item.x) / side, Int64(item.y) / side)
        for dy in -1...1 {
          for dx in Set([-1, 0, 1].map { (cx + $0 + columns) % columns }) {
            for s in grid[SIMD2(dx, cy + Int64(dy))] ?? [] {
              var ex = abs(Int64(seeds[s].x) - Int64(item.x))
              ex = min(ex, (1 << 32) - ex)
              let ey = Int64(seeds[s].y) - Int64(item.y)
              if ex * ex + ey * ey <= r * r, seeds[s].seed < seeds[best ?? s].seed || best == nil {
                best = s
              }
            }
          }
        }
        if let best {
          seeds[best].members += item.members
        } else {
          grid[SIMD2(cx, cy), default: []].append(seeds.count)
          seeds.append(item)
        }
      }
      items = seeds
      for node in items { levels[zoom][node.seed] = node }
    }
  }

  func clusters(_ zoom: Int) -> Set<Cluster> {
    Set(
      levels[zoom].values.map { node in
        var sumX: Int64 = 0
        var sumY: Int64 = 0
        for member in node.members {
          var dx = Int64(member.x) - Int64(node.x)
          if dx > 1 << 31 { dx -= 1 << 32 }
          if dx < -(1 << 31) { dx += 1 << 32 }
          sumX += dx
          sumY += Int64(member.y) - Int64(node.y)
        }
        return Cluster(
          seed: node.seed, x: node.x, y: node.y, count: node.members.count, sumX: sumX, sumY: sumY)
      })
  }
}

extension ClusterNet {
  /// Every cluster of a zoom, as the oracle has it.
  func allClusters(_ zoom: Int) -> Set<ReferenceNet.Cluster> {
    var found: Set<ReferenceNet.Cluster> = []
    forEachItem(zoom, in: UnitBox(x: 0, y: 0, width: 1 << 32, height: 1 << 32)) { item in
      let sum = sum(item, zoom)
      found.insert(
        ReferenceNet.Cluster(
          seed: items[item].rank.high, x: items[item].anchorX, y: items[item].anchorY,
          count: Int(sum.count), sumX: sum.x, sumY: sum.y))
    }
    return found
  }
}
