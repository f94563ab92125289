import GeoMath
import ObjectModel
import Testing

@testable import PointClustering

#if DEBUG
  let scale = 1
#else
  let scale = 20
#endif

func insertion(_ point: ClusterPoint) -> ClusterChange {
  ClusterChange(
    kind: .inserted, rank: point.rank, key: point.key, from: point.position,
    to: point.position, tagMask: point.tagMask, contribution: point.contribution)
}

func expectEqual(
  _ live: LiveClusters, _ points: some Sequence<ClusterPoint>, _ label: String = ""
) {
  let reference = ReferenceNet(
    points.map { ReferenceNet.Object(hash: $0.rank.high, x: $0.position.x, y: $0.position.y) })
  for zoom in 0...17 {
    let found = live.reading { $0.allClusters(zoom) }
    let wanted = reference.clusters(zoom)
    #expect(
      found == wanted,
      "zoom \(zoom) \(label): \(found.subtracting(wanted).prefix(3)) for \(wanted.subtracting(found).prefix(3))"
    )
  }
}

@Suite struct LiveEqualsStaticTests {
  @Test(arguments: Layout.allCases, [1 as UInt64, 2])
  func bulkLoadIsTheNet(layout: Layout, seed: UInt64) {
    let points = points(layout, 600 * scale, seed: seed)
    let live = LiveClusters()
    try! live.bulkLoad(points)
    expectEqual(live, points)
  }

  @Test(arguments: Layout.allCases, [3 as UInt64, 4])
  func insertionsMakeTheNet(layout: Layout, seed: UInt64) {
    let points = points(layout, 600 * scale, seed: seed)
    let live = LiveClusters(configuration: .init(sliceLength: seed == 3 ? 1 : 24))
    live.enqueue(points.map(insertion), sequence: 1, at: Instant(milliseconds: 0))
    live.flush()
    expectEqual(live, points)
  }
}

/// Points under random insertions, moves of 3 m to 5 km, jumps and removals; a dictionary is the
/// model.
struct ChangingPoints {
  var random: SplitMix64
  var layout: Layout
  var present: [ObjectRank: ClusterPoint] = [:]
  var hashes: [ObjectRank] = []
  var created = 0

  init(_ layout: Layout, seed: UInt64, count: Int) {
    self.layout = layout
    random = SplitMix64(seed: seed ^ 0xABCD)
    for point in points(layout, count, seed: seed) {
      present[point.rank] = point
      hashes.append(point.rank)
    }
    created = count
  }

  /// Units of a move of 3 m to 5 km in Seoul, evenly over the scales.
  mutating func step() -> Int32 {
    let reach = 400 << Int.random(in: 0...10, using: &random)
    return Int32(Int.random(in: -reach...reach, using: &random))
  }

  mutating func change() -> ClusterChange {
    let dice = random.unit()
    if hashes.isEmpty || dice < 0.15 {
      created += 1
      let new = ClusterPoint(
        rank: ObjectRank(high: StableHash.hash64("new-\(created)-\(layout.rawValue)")),
        key: UInt64(created),
        position: point(layout, &random), tagMask: 1 << UInt64(created % 7))
      present[new.rank] = new
      hashes.append(new.rank)
      return insertion(new)
    }
    let n = Int.random(in: 0..<hashes.count, using: &random)
    var object = present[hashes[n]]!
    let from = object.position
    if dice < 0.3 {
      present[hashes[n]] = nil
      hashes.swapAt(n, hashes.count - 1)
      hashes.removeLast()
      return ClusterChange(
        kind: .removed, rank: object.rank, key: object.key, from: from, to: from)
    }
    if dice < 0.35 {
      object.position = point(layout, &random)
    } else if dice < 0.4 {
      // Onto another object.
      object.position = present[hashes.randomElement(using: &random)!]!.position
    } else {
      object.position.x = object.position.x &+ UInt32(bitPattern: step())
      let y = Int64(object.position.y) + Int64(step())
      object.position.y = UInt32(max(0, min(Int64(UInt32.max), y)))
    }
    present[object.rank] = object
    return ClusterChange(
      kind: .moved, rank: object.rank, key: object.key, from: from, to: object.position,
      tagMask: object.tagMask, contribution: object.contribution)
  }
}

extension LiveEqualsStaticTests {
  @Test(arguments: Layout.allCases, [5 as UInt64, 6, 7])
  func randomChangesKeepTheNet(layout: Layout, seed: UInt64) {
    var model = ChangingPoints(layout, seed: seed, count: 300 * scale)
    let live = LiveClusters(configuration: .init(sliceLength: seed == 5 ? 1 : 24))
    try! live.bulkLoad(Array(model.present.values))
    for round in 0..<5 {
      let length = [1, 10, 100, 300, 600][round] * scale
      let changes = (0..<length).map { _ in model.change() }
      live.enqueue(changes, sequence: UInt64(round + 1), at: Instant(milliseconds: 0))
      while live.flush(maximumChanges: 100) > 0 {}
      #expect(live.appliedSequence == UInt64(round + 1))
      #expect(live.objectCount == model.present.count)
      expectEqual(live, model.present.values, "\(layout) round \(round)")
    }
    let rest = model.present.values.map {
      ClusterChange(
        kind: .removed, rank: $0.rank, key: $0.key, from: $0.position, to: $0.position)
    }
    live.enqueue(rest, sequence: 9, at: Instant(milliseconds: 0))
    live.flush()
    #expect(live.objectCount == 0)
    expectEqual(live, [])
    #expect(live.reading { $0.items.liveCount == 0 && $0.records.liveCount == 0 })
  }
}
