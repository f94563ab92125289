import GeoMath
import ObjectModel
import Testing

@testable import PointClustering

@Suite struct LiveClusterDetailTests {
  @Test(arguments: [Layout.city, .seam, .onePlace, .grid])
  func aggregatesAreThoseOfTheMembers(layout: Layout) throws {
    var random = SplitMix64(seed: 21)
    var points = points(layout, 400 * scale, seed: 21)
    let live = loaded(points, hasAggregates: true)
    for round in 0..<4 {
      let byKey = Dictionary(uniqueKeysWithValues: points.map { ($0.key, $0) })
      for zoom in [0, 5, 11, 14, 16, 18] {
        for cluster in try live.clusters(in: world, zoom: zoom, details: .all) {
          let members = try live.leaves(cluster.id, limit: .max).leaves.map { byKey[$0.key]! }
          var wanted = ClusterAggregates.none
          for member in members { wanted.add(ClusterAggregates(member.contribution)) }
          #expect(cluster.aggregates == wanted)
          #expect(cluster.sampleKeys == members.prefix(10).map(\.key))
          let bounds = try #require(cluster.bounds)
          for member in members {
            let place = member.position.coordinate
            #expect(bounds.contains(place))
          }
          let ys = members.map { $0.position.coordinate.latitude }
          #expect(bounds.south == ys.min() && bounds.north == ys.max())
        }
      }
      // Contributions change, some objects move.
      var changes: [ClusterChange] = []
      for n in points.indices where random.unit() < 0.2 {
        let from = points[n].position
        if round > 0 && random.unit() < 0.5 { points[n].position = point(layout, &random) }
        points[n].contribution.seatsFree = Int32(random.next() % 5)
        points[n].contribution.earliestDeparture = Int64(random.next() % 5_000)
        changes.append(
          ClusterChange(
            kind: .retagged, rank: points[n].rank, key: points[n].key, from: from,
            to: points[n].position, tagMask: points[n].tagMask,
            contribution: points[n].contribution))
      }
      live.enqueue(changes, sequence: UInt64(round), at: Instant(milliseconds: 0))
      live.flush()
    }
  }

  @Test(arguments: [Layout.city, .world, .onePlace, .seam])
  func filteredCountsSumToTheMatches(layout: Layout) throws {
    var points = points(layout, 500 * scale, seed: 22)
    let live = loaded(points)
    var random = SplitMix64(seed: 22)
    for round in 0..<3 {
      // Masks are a hint: bit 3 is set for more objects than match.
      let filter = ClusterFilter(allOf: 1 << 3) { $0 % 2 == 0 }
      let matching = Set(
        points.filter { $0.tagMask & 8 != 0 && $0.key % 2 == 0 }.map(\.key))
      #expect(!matching.isEmpty)
      for zoom in [0, 3, 8, 12, 16, 19] {
        let all = try live.clusters(in: world, zoom: zoom)
        let found = try live.clusters(in: world, zoom: zoom, filter: filter, details: .sampleKeys)
        #expect(found.reduce(0) { $0 + $1.count } == matching.count)
        let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
        for cluster in found {
          let whole = try #require(byID[cluster.id])
          #expect(whole.anchor == cluster.anchor && whole.count >= cluster.count)
          if cluster.count == whole.count { #expect(whole.position == cluster.position) }
          if cluster.count == 1 {
            #expect(points[Int(cluster.key)].position == cluster.position)
          }
          #expect(cluster.sampleKeys.allSatisfy { matching.contains($0) })
          let leaves = try live.leaves(cluster.id, limit: .max, filter: filter).leaves
          #expect(leaves.count == cluster.count)
        }
      }
      let changes = points.indices.filter { _ in random.unit() < 0.3 }.map { n -> ClusterChange in
        points[n].tagMask = 1 << (random.next() % 7)
        return ClusterChange(
          kind: .retagged, rank: points[n].rank, key: points[n].key, from: points[n].position,
          to: points[n].position, tagMask: points[n].tagMask)
      }
      live.enqueue(changes, sequence: UInt64(round + 1), at: Instant(milliseconds: 0))
      live.flush()
    }
  }

  @Test func pointsAtOnePlaceStayTogetherPastZoom16() throws {
    let place = MercatorPoint(latitude: 37.5665, longitude: 126.978)
    var here = points(.onePlace, 25, seed: 23)
    for n in here.indices { here[n].position = place }
    here[24].position.x &+= 1
    let live = loaded(here)
    for zoom in 0...16 {
      let clusters = try live.clusters(in: world, zoom: zoom)
      #expect(clusters.map(\.count) == [25] && !clusters[0].isCoincident)
      #expect(try live.expansionZoom(clusters[0].id) == 17)
      #expect(try live.children(clusters[0].id).map(\.count).sorted() == [1, 24])
    }
    for zoom in 17...22 {
      let clusters = try live.clusters(in: world, zoom: zoom, details: .all)
      #expect(clusters.map(\.count).sorted() == [1, 24])
      let many = try #require(clusters.first { $0.count == 24 })
      #expect(many.isCoincident && many.position == place && many.sampleKeys.count == 10)
      #expect(try live.expansionZoom(many.id) == nil && live.children(many.id).isEmpty)
      #expect(try live.leaves(many.id, limit: 100).leaves.count == 24)
      #expect(try live.cluster(many.id).count == 24)
    }
  }

  @Test(arguments: [1, 7, 100])
  func leavesPageWithoutGapOrRepeat(limit: Int) throws {
    let live = loaded(points(.city, 300, seed: 24))
    for cluster in try live.clusters(in: world, zoom: 6) {
      let whole = try live.leaves(cluster.id, limit: .max)
      #expect(!whole.hasMore && whole.leaves.count == cluster.count)
      var paged: [ClusterLeaf] = []
      var hasMore = true
      while hasMore {
        let page = try live.leaves(cluster.id, limit: limit, after: paged.last?.end)
        #expect(page.leaves.count <= limit)
        paged += page.leaves
        hasMore = page.hasMore
      }
      #expect(paged == whole.leaves)
    }
  }
}

@Suite struct LiveClusterVersionTests {
  /// Whatever answer changed, its version changed; an unchanged version means the same answer.
  @Test(arguments: [Layout.city, .world, .seam, .grid], [true, false])
  func equalVersionsMeanEqualTiles(layout: Layout, filtered: Bool) throws {
    var model = ChangingPoints(layout, seed: 31, count: 300)
    let live = loaded(Array(model.present.values))
    let filter = filtered ? ClusterFilter(allOf: 2) { $0 % 3 != 0 } : nil
    var kept = 0
    for round in 0..<30 {
      var tiles: Set<TileAddress> = []
      for zoom in [0, 4, 9, 13, 16, 17, 21] {
        for object in model.present.values.prefix(20) {
          tiles.insert(TileAddress(containing: object.position, zoom: zoom))
        }
      }
      func read(_ tile: TileAddress) throws -> (UInt64, [LiveCluster]) {
        let reading = try live.versionedTile(
          tile, marginUnits: tile.sideUnits / 32, filter: filter)
        #expect(
          try live.tileVersion(tile, marginUnits: tile.sideUnits / 32, filtered: filtered)
            == reading.version)
        return (reading.version, reading.clusters)
      }
      let before = try tiles.map { ($0, try read($0)) }
      let since = live.version
      var changes = (0..<3).map { _ in model.change() }
      if round % 3 == 0, var object = model.present.values.first {
        object.tagMask = 1 << UInt64(round % 7)
        model.present[object.rank] = object
        changes.append(
          ClusterChange(
            kind: .retagged, rank: object.rank, key: object.key, from: object.position,
            to: object.position, tagMask: object.tagMask))
      }
      live.enqueue(changes, sequence: UInt64(round + 1), at: Instant(milliseconds: 0))
      live.flush()
      for (tile, old) in before {
        let new = try read(tile)
        if old.0 == new.0 {
          #expect(old.1 == new.1, "zoom \(tile.zoom) changed without a new version")
          kept += 1
        } else {
          #expect(new.0 > since)
          let (changed, version) = try live.changedTiles(
            in: tile.bounds, zoom: tile.zoom, since: since, marginUnits: tile.sideUnits / 32,
            filtered: filtered)
          #expect(changed.contains(tile) && version == live.version)
        }
      }
    }
    #expect(kept > 0)
  }

  @Test func farChangesLeaveVersionsAlone() throws {
    let live = loaded(points(.city, 500, seed: 32))
    let tile = TileAddress(
      containing: MercatorPoint(latitude: 37.5, longitude: 127), zoom: 10)
    let before = try live.tileVersion(tile)
    let far = MercatorPoint(latitude: -33.9, longitude: 151.2)
    live.enqueue(
      [ClusterChange(kind: .inserted, rank: ObjectRank(high: 42), key: 1, from: far, to: far)],
      sequence: 1,
      at: Instant(milliseconds: 0))
    live.flush()
    #expect(try live.tileVersion(tile) == before)
    #expect(try live.tileVersion(TileAddress(containing: far, zoom: 10)) > before)
  }

  @Test func forgottenBlocksCountAsChanged() {
    var versions = ChangeVersions(version: 5)
    var marked: [UInt32: UInt64] = [:]
    for n in 0..<UInt32(ChangeVersions.generationLimit * 3) {
      versions.advance()
      versions.mark(16, x: n << 14, y: 0, visible: true)
      marked[n] = versions.current
    }
    for (n, version) in marked {
      let found = versions.newest(16, x: n << 14, y: 0, width: 1, height: 1, visible: true)
      #expect(found >= version && found <= versions.current)
    }
  }
}

@Suite struct LiveClusterFeedTests {
  @Test func changesMergeAndLagIsMeasured() {
    let live = LiveClusters(configuration: .init(sliceLength: 5))
    let points = points(.city, 20, seed: 41)
    live.enqueue(changes(points), sequence: 7, at: Instant(milliseconds: 100))
    live.enqueue(changes(points), sequence: 9, at: Instant(milliseconds: 200))
    #expect(live.lag.pendingCount == 20)
    #expect(live.lag.oldestPending == Instant(milliseconds: 100))
    #expect(live.appliedSequence == 0)
    #expect(live.flush(maximumChanges: 5) == 15)
    #expect(live.objectCount == 5 && live.appliedSequence == 0)
    live.enqueue(changes(points), sequence: 11, at: Instant(milliseconds: 300))
    #expect(live.flush(maximumChanges: 15) == 20)
    #expect(live.appliedSequence == 9)
    #expect(live.lag.oldestPending == Instant(milliseconds: 300))
    #expect(live.flush() == 0 && live.appliedSequence == 11)
    #expect(live.lag == .init(pendingCount: 0, oldestPending: nil))
  }

  @Test func aRemovalAndAReturnInOneBatch() throws {
    var point = points(.city, 1, seed: 42)[0]
    let live = loaded([point])
    var removal = ClusterChange(
      kind: .removed, rank: point.rank, key: point.key, from: point.position,
      to: point.position)
    point.key = 99
    live.enqueue([removal, insertion(point)], sequence: 1, at: Instant(milliseconds: 0))
    live.flush()
    #expect(try live.clusters(in: world, zoom: 5).map(\.key) == [99])
    removal.key = 99
    live.enqueue([insertion(point), removal], sequence: 2, at: Instant(milliseconds: 0))
    live.flush()
    #expect(live.objectCount == 0)
    live.enqueue([removal], sequence: 3, at: Instant(milliseconds: 0))
    live.flush()
    #expect(live.objectCount == 0 && live.appliedSequence == 3)
  }

  @Test func addressSpaceThatIsNotThereIsAnError() {
    #expect(throws: AddressSpaceError.self) {
      try LiveClusters(reserving: .init(maximumObjects: 1 << 40))
    }
  }

  /// As many objects come as leave between two flushes: those that come may be applied first.
  @Test func theQuotaHoldsWhileAllObjectsAreExchanged() throws {
    let count = 2_000
    let live = try LiveClusters(reserving: .init(maximumObjects: count))
    let (first, second) = (points(.city, count, seed: 44), points(.world, count, seed: 45))
    live.enqueue(changes(first), sequence: 1, at: Instant(milliseconds: 0))
    live.flush()
    let removals = first.map {
      ClusterChange(
        kind: .removed, rank: $0.rank, key: $0.key, from: $0.position, to: $0.position)
    }
    let arrivals = second.map { point in
      var change = insertion(point)
      change.key += 1_000_000
      return change
    }
    live.enqueue(removals + arrivals, sequence: 2, at: Instant(milliseconds: 0))
    live.flush()
    #expect(live.objectCount == count)
  }

  /// Readers beside the maintainer: every tile is one state, so its counts sum to a state's count.
  @Test func readersSeeWholeStates() async throws {
    let points = points(.city, 2_000, seed: 43)
    let live = loaded(points)
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        var random = SplitMix64(seed: 43)
        for round in 0..<50 {
          let moves = (0..<100).map { _ -> ClusterChange in
            let n = Int(random.next() % 2_000)
            let to = point(.city, &random)
            return ClusterChange(
              kind: .moved, rank: points[n].rank, key: points[n].key, from: to, to: to)
          }
          live.enqueue(moves, sequence: UInt64(round + 1), at: Instant(milliseconds: 0))
          live.flush()
        }
        return true
      }
      for zoom in [3, 9, 15, 18] {
        group.addTask {
          (0..<30).allSatisfy { _ in
            (try? live.clusters(in: world, zoom: zoom))?.reduce(0) { $0 + $1.count } == 2_000
          }
        }
      }
      for await fine in group { #expect(fine) }
    }
  }
}
