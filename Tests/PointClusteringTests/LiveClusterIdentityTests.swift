import GeoMath
import ObjectModel
import Testing

@testable import PointClustering

/// Objects are told apart by their keys; ranks order them and may be equal.
@Suite struct LiveClusterIdentityTests {
  static let zooms = [0, 5, 10, 14, 16, 17, 22]

  private static func change(
    _ kind: ClusterChange.Kind, _ rank: ObjectRank, _ key: UInt64, _ at: MercatorPoint
  ) -> ClusterChange {
    ClusterChange(kind: kind, rank: rank, key: key, from: at, to: at)
  }

  private static func apply(_ live: LiveClusters, _ changes: ClusterChange...) {
    live.enqueue(changes, sequence: 1, at: Instant(milliseconds: 0))
    live.flush()
  }

  private static func keys(_ live: LiveClusters, _ zoom: Int) throws -> Set<UInt64> {
    Set(
      try live.clusters(in: world, zoom: zoom).flatMap {
        try live.leaves($0.id, limit: .max).leaves.map(\.key)
      })
  }

  /// Two ids with one XXH64, and two objects with one rank: neither replaces the other.
  @Test func objectsOfOneRankLiveSideBySide() throws {
    let hash = KeyedHash(key: .publicKey)
    let shared = ObjectRank(high: 77)
    let ranks = [
      [hash.rank(of: "victim-taxi-0001"), hash.rank(of: "00006934Sw3-8y{N")], [shared, shared],
    ]
    let a = MercatorPoint(latitude: 37.5, longitude: 127)
    for places in [[a, a], [a, MercatorPoint(latitude: 37.6, longitude: 127.1)]] {
      for pair in ranks {
        let live = LiveClusters()
        Self.apply(live, Self.change(.inserted, pair[0], 1, places[0]))
        Self.apply(live, Self.change(.inserted, pair[1], 2, places[1]))
        #expect(live.objectCount == 2)
        for zoom in Self.zooms {
          let found = try live.clusters(in: world, zoom: zoom)
          #expect(found.reduce(0) { $0 + $1.count } == 2)
        }
        let loaded = LiveClusters()
        try! loaded.bulkLoad(
          zip(pair, places).enumerated().map { n, pair in
            ClusterPoint(rank: pair.0, key: UInt64(n + 1), position: pair.1)
          })
        #expect(loaded.objectCount == 2)
        // When the second leaves, the first is still there, and the other way round.
        Self.apply(live, Self.change(.removed, pair[1], 2, places[1]))
        for zoom in Self.zooms { #expect(try Self.keys(live, zoom) == [1]) }
        Self.apply(live, Self.change(.inserted, pair[1], 3, places[1]))
        Self.apply(live, Self.change(.removed, pair[0], 1, places[0]))
        for zoom in Self.zooms { #expect(try Self.keys(live, zoom) == [3]) }
        #expect(live.objectCount == 1)
      }
    }
  }

  /// Many objects of one rank under random changes: each counts, pages of leaves miss none.
  @Test(arguments: [61 as UInt64, 62])
  func countsHoldWhereRanksCollide(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let live = LiveClusters(configuration: .init(sliceLength: 3))
    var present: [UInt64: (rank: ObjectRank, at: MercatorPoint)] = [:]
    for round in 0..<40 {
      for _ in 0..<20 {
        if let key = present.keys.min(), random.unit() < 0.4 {
          let (rank, at) = present.removeValue(forKey: key)!
          Self.apply(live, Self.change(.removed, rank, key, at))
        } else {
          let key = UInt64(round * 100) + random.next() % 100
          let rank = present[key]?.rank ?? ObjectRank(high: random.next() % 3 << 40)
          let at = point(round % 2 == 0 ? .city : .onePlace, &random)
          let kind: ClusterChange.Kind = present[key] == nil ? .inserted : .moved
          present[key] = (rank, at)
          Self.apply(live, Self.change(kind, rank, key, at))
        }
      }
      #expect(live.objectCount == present.count)
      for zoom in Self.zooms {
        #expect(
          try live.clusters(in: world, zoom: zoom).reduce(0) { $0 + $1.count } == present.count)
      }
      var paged: [UInt64] = []
      for cluster in try live.clusters(in: world, zoom: 17) where cluster.count > 1 {
        var end: ClusterLeaf.Position?
        var leaves: [UInt64] = []
        repeat {
          let page = try live.leaves(cluster.id, limit: 2, after: end)
          leaves += page.leaves.map(\.key)
          end = page.hasMore ? page.leaves.last?.end : nil
        } while end != nil
        #expect(leaves.count == Set(leaves).count)
        paged += leaves
      }
      #expect(Set(paged).isSubset(of: present.keys))
    }
  }

  /// An id that leaves and comes back under another key between two flushes is one change: nobody
  /// sees it twice or not at all.
  @Test func aReturnUnderAnotherKeyIsOneChange() throws {
    let live = LiveClusters(configuration: .init(sliceLength: 1))
    let rank = ObjectRank(high: 5 << 40)
    let (here, there) = (
      MercatorPoint(latitude: 10, longitude: 10), MercatorPoint(latitude: -60, longitude: -100)
    )
    Self.apply(live, Self.change(.inserted, rank, 1, here))
    live.enqueue(
      [
        Self.change(.removed, rank, 1, here), Self.change(.inserted, rank, 2, there),
        Self.change(.removed, rank, 2, there), Self.change(.inserted, rank, 3, there),
      ], sequence: 2, at: Instant(milliseconds: 0))
    #expect(live.lag.pendingCount == 1)
    while live.flush(maximumChanges: 1) > 0 { #expect(live.objectCount == 1) }
    #expect(try Self.keys(live, 9) == [3])
  }

  /// The same ids and key give the same cluster ids in any order of arrival, whatever the handles.
  @Test func clusterIDsDependOnTheIDsAndTheKeyAlone() throws {
    func ids(_ key: HashKey, reversed: Bool) throws -> [ClusterID] {
      let hash = KeyedHash(key: key)
      var random = SplitMix64(seed: 9)
      let places = (0..<300).map { _ in point(.city, &random) }
      let live = LiveClusters()
      let order = reversed ? Array(places.indices.reversed()) : Array(places.indices)
      for (slot, n) in order.enumerated() {
        Self.apply(
          live, Self.change(.inserted, hash.rank(of: "taxi-\(n)"), UInt64(slot), places[n]))
      }
      return try Self.zooms.flatMap { try live.clusters(in: world, zoom: $0).map(\.id) }
    }
    let first = try ids(HashKey(1, 2), reversed: false)
    #expect(try ids(HashKey(1, 2), reversed: true) == first)
    #expect(try ids(HashKey(1, 3), reversed: false) != first)
  }

  /// However ranks come at one point, a change costs about the logarithm of what is there: a new
  /// lowest rank used to touch every object of its micro-cell.
  @Test(arguments: ["descending", "ascending", "random"])
  func oneMicroCellCostsTheLogarithmOfItsObjects(order: String) throws {
    let count = 40_000
    let live = LiveClusters(configuration: .init(sliceLength: 1))
    let at = MercatorPoint(latitude: 37.5, longitude: 127)
    var random = SplitMix64(seed: 71)
    let ranks = (0..<UInt64(count)).map { n -> ObjectRank in
      switch order {
      case "descending": ObjectRank(high: (UInt64(count) - n) << 40)
      case "ascending": ObjectRank(high: n << 40)
      default: ObjectRank(high: random.next())
      }
    }
    for (n, rank) in ranks.enumerated() {
      live.enqueue(
        [Self.change(.inserted, rank, UInt64(n), at)], sequence: 1, at: Instant(milliseconds: 0))
      live.flush()
    }
    #expect(live.objectCount == count)
    // From the lowest up: each removal changes the head.
    let leaves = try live.leaves(try live.clusters(in: world, zoom: 3)[0].id, limit: 2_000).leaves
    for leaf in leaves { Self.apply(live, Self.change(.removed, leaf.rank, leaf.key, at)) }
    #expect(live.objectCount == count - 2_000)
    // Seventeen zooms, a few items each, and twice log2(40,000) members.
    #expect(live.largestSliceWork < 200, "\(live.largestSliceWork)")
  }
}
