package import GeoMath
package import ObjectModel
package import PointClustering
import SpatialIndexing

/// A tile of a layer as it was at one moment.
package struct ClusterTile: Sendable {
  /// Newest change among the blocks it was read from.
  package let version: UInt64
  package let features: [MapFeature]
  /// Single objects left out because they expired or left before the clusters show it: with the
  /// version they say what the tile holds.
  package let omittedCount: Int
  /// When the first of its single objects expires.
  package let expiresAt: Instant
  /// It held more features than it may.
  package let isTruncated: Bool
}

extension Layer {
  /// The layer's clusters. - Throws: `clustersOff`.
  func requireClusters() throws(LayerError) -> LiveClusters {
    guard let clusters = feed.clusters else { throw .clustersOff(layer: name) }
    return clusters
  }

  /// Waits, if need be, until the clusters show a version.
  /// - Throws: `badVersion`, `versionNotReached`, `clustersOff`.
  package func requireClusters(
    minVersion text: String?, waitMilliseconds: Int64
  ) async throws(LayerError) {
    _ = try requireClusters()
    try require(minVersion: text)
    guard let text, let wanted = LayerVersion(text: text), wanted.epoch == epoch else { return }
    guard await feed.waitUntilApplied(wanted.counter, milliseconds: waitMilliseconds) else {
      throw .versionNotReached(text)
    }
  }

  /// The version that clusters show now.
  package var clusterVersion: LayerVersion {
    LayerVersion(epoch: epoch, counter: feed.clusters?.appliedSequence ?? 0)
  }

  /// Milliseconds that the clusters are behind the index.
  package func clusterLagMilliseconds(now: Instant) -> Int64 {
    guard let oldest = feed.clusters?.lag.oldestPending else { return 0 }
    return max(0, now.milliseconds(since: oldest))
  }

  /// What a map of a box shows at a zoom of 0...22, by cluster id; at most `limit` features.
  ///
  /// A box of the whole world at a deep zoom holds every object: no more than `limit` are looked
  /// up, and of a box with more any are answered.
  /// - Throws: `clustersOff`, `badZoom`.
  package func mapFeatures(
    in box: GeoBox, zoom: Int, filter: ObjectFilter, limit: Int, now: Instant
  ) throws(LayerError) -> (features: [MapFeature], isTruncated: Bool) {
    let clusters = try requireClusters()
    do {
      let found = try clusters.viewport(
        in: box, zoom: zoom, filter: clusterFilter(filter, now: now),
        details: [.all, .exceptSingles], limit: limit)
      return (found.clusters.compactMap { feature($0, now: now) }, found.isTruncated)
    } catch {
      throw LayerError(error)
    }
  }

  /// A tile with a margin around it, and the version that its ETag is made of; at most `limit`
  /// features. Up to zoom 16 no tile has more than a few hundred.
  /// - Throws: `clustersOff`, `badTile`.
  package func tile(
    _ address: TileAddress, marginUnits: UInt64, filter: ObjectFilter, limit: Int = .max,
    now: Instant
  ) throws(LayerError) -> ClusterTile {
    let clusters = try requireClusters()
    do {
      let tile = try clusters.versionedTile(
        address, marginUnits: marginUnits, filter: clusterFilter(filter, now: now), limit: limit)
      let features = tile.clusters.compactMap { feature($0, now: now) }
      let expiries = features.lazy.compactMap { $0.object?.expiresAt }
      return ClusterTile(
        version: tile.version, features: features,
        omittedCount: tile.clusters.count - features.count,
        expiresAt: expiries.min() ?? .distantFuture, isTruncated: tile.isTruncated)
    } catch {
      throw LayerError(error)
    }
  }

  /// Whether a tile or viewport may take long: more than a few hundred microseconds.
  package func isHeavyRead(
    in box: GeoBox, zoom: Int, filter: ObjectFilter, limit: Int
  ) -> Bool {
    guard let clusters = feed.clusters else { return false }
    let count = clusters.objectCount
    // A filter may have to look at every member of what is shown.
    if !filter.isEmpty { return count > 5_000 && zoom < 12 || count > 200_000 && zoom < 14 }
    guard min(count, limit) > 2_000 else { return false }
    // Wider than a small screen: a tile is 512 pixels wide and shows up to a hundred features.
    let tiles = Double(1 << zoom) * box.longitudeSpan / 360
    return tiles > 3
  }

  /// The version of a tile, without reading it.
  package func tileVersion(
    _ address: TileAddress, marginUnits: UInt64, filter: ObjectFilter
  ) throws(LayerError) -> UInt64 {
    let clusters = try requireClusters()
    do {
      return try clusters.tileVersion(
        address, marginUnits: marginUnits, filtered: !filter.isEmpty)
    } catch {
      throw LayerError(error)
    }
  }

  /// Tiles of a viewport that changed since a version, and the version to ask with next.
  package func changedTiles(
    in box: GeoBox, zoom: Int, since version: UInt64
  ) throws(LayerError) -> (tiles: [TileAddress], version: UInt64) {
    let clusters = try requireClusters()
    do { return try clusters.changedTiles(in: box, zoom: zoom, since: version) } catch {
      throw LayerError(error)
    }
  }

  /// What a cluster comes apart into. - Throws: `unknownCluster`, `clustersOff`.
  package func children(
    of id: ClusterID, now: Instant
  ) throws(LayerError) -> [MapFeature] {
    let clusters = try requireClusters()
    do {
      return try clusters.children(id, details: .all).compactMap { feature($0, now: now) }
    } catch {
      throw LayerError(error)
    }
  }

  /// The first zoom at which a cluster comes apart; `nil` for what never does.
  package func expansionZoom(of id: ClusterID) throws(LayerError) -> Int? {
    let clusters = try requireClusters()
    do { return try clusters.expansionZoom(id) } catch { throw LayerError(error) }
  }

  /// A page of a cluster's members.
  /// - Returns: The cursor of the next page, `nil` when this one is the last.
  package func leaves(
    of id: ClusterID, limit: Int, cursor: String?, now: Instant
  ) throws(LayerError) -> (objects: [ObjectSnapshot], nextCursor: String?) {
    let clusters = try requireClusters()
    var fingerprint = QueryFingerprint()
    fingerprint.add("leaves")
    fingerprint.add(name)
    fingerprint.add(id.rawValue)
    var after: ClusterLeaf.Position?
    if let cursor {
      after = try ClusterLeaf.Position(PagingCursor(text: cursor, fingerprint: fingerprint.value))
    }
    do {
      let page = try clusters.leaves(id, limit: limit, after: after)
      let next =
        page.hasMore
        ? page.leaves.last.map {
          $0.end.cursor(fingerprint: fingerprint.value).text
        } : nil
      return (page.leaves.compactMap { snapshot($0.key, now: now) }, next)
    } catch {
      throw LayerError(error)
    }
  }

  // MARK: - From keys to objects

  private func snapshot(_ key: UInt64, now: Instant) -> ObjectSnapshot? {
    index.withObject(handle: ObjectHandle(packed: key), now: now) { hit in
      ObjectSnapshot(
        id: hit.idString, latitude: hit.latitude, longitude: hit.longitude,
        payload: Array(hit.payload), observedAt: hit.observedAt, expiresAt: hit.expiresAt)
    }
  }

  /// `nil` for a single object that has left since: an expired position is in no answer.
  private func feature(_ cluster: LiveCluster, now: Instant) -> MapFeature? {
    var object: ObjectSnapshot?
    if cluster.count == 1 {
      object = snapshot(cluster.key, now: now)
      guard object != nil else { return nil }
    }
    let coordinate =
      object.map { Coordinate(uncheckedLatitude: $0.latitude, longitude: $0.longitude) }
      ?? cluster.position.coordinate
    return MapFeature(
      id: cluster.id, coordinate: coordinate, point: cluster.position, count: cluster.count,
      isCoincident: cluster.isCoincident, expansionZoom: cluster.expansionZoom,
      bounds: cluster.bounds, aggregates: cluster.aggregates,
      sampleIDs: cluster.sampleKeys.compactMap { key in
        index.withObject(handle: ObjectHandle(packed: key), now: now) { $0.idString }
      }, object: object)
  }

  /// The clusters' form of a filter: tag summaries first, the exact test where they leave it open.
  private func clusterFilter(_ filter: ObjectFilter, now: Instant) -> ClusterFilter? {
    guard !filter.isEmpty else { return nil }
    let mask = TagMask.mask(filter.tags)
    return ClusterFilter(
      allOf: filter.tagMatch == .all ? mask : 0, anyOf: filter.tagMatch == .any ? mask : 0,
      matches: { [index] key in
        index.withObject(handle: ObjectHandle(packed: key), now: now) { hit in
          filter.matches(payload: hit.payload)
        } ?? false
      })
  }
}

extension ClusterLeaf.Position {
  fileprivate init(_ cursor: PagingCursor) throws(LayerError) {
    let words = cursor.id.split(separator: "-").map { UInt64($0, radix: 16) }
    guard words.count == 2, let low = words[0], let key = words[1] else { throw .badCursor }
    self.init(rank: ObjectRank(high: cursor.key, low: low), key: key)
  }

  fileprivate func cursor(fingerprint: UInt64) -> PagingCursor {
    PagingCursor(
      fingerprint: fingerprint, key: rank.high,
      id: String(rank.low, radix: 16) + "-" + String(key, radix: 16))
  }
}

extension LayerError {
  fileprivate init(_ error: ClusterError) {
    switch error {
    case .unknownCluster(let id): self = .unknownCluster(id)
    case .zoomOutOfRange(let zoom): self = .badZoom(zoom)
    case .tooManyTiles(let count): self = .tooManyTiles(count)
    }
  }
}
