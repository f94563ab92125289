package import GeoMath
package import ObjectModel
package import PointClustering
import SpatialIndexing

/// A tile of a layer as it was at one moment.
package struct ClusterTile: Sendable {
  /// The newest change among the blocks that the tile was read from.
  package let version: UInt64
  package let features: [MapFeature]
  /// The number of single objects left out because they expired or left before the clusters show
  /// it. Together with ``version`` it identifies what the tile holds.
  package let omittedCount: Int
  /// The moment at which the first of its single objects expires.
  package let expiresAt: Instant
  /// Whether the tile held more features than it may.
  package let isTruncated: Bool
}

extension Layer {
  /// Returns the layer's clusters.
  ///
  /// - Throws: `clustersOff`.
  func requireClusters() throws(LayerError) -> LiveClusters {
    guard let clusters = feed.clusters else { throw .clustersOff(layer: name) }
    return clusters
  }

  /// Returns the layer's clusters once they show a version, and waits for that if need be.
  ///
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

  /// Waits until the clusters show all that the layer holds now, or the task is cancelled; a layer
  /// without clusters has nothing to wait for.
  package func waitForClusters() async {
    let newest = version.counter
    while !Task.isCancelled {
      if await feed.waitUntilApplied(newest, milliseconds: 1000) { return }
    }
  }

  /// The version that the clusters show now.
  package var clusterVersion: LayerVersion {
    LayerVersion(epoch: epoch, counter: feed.clusters?.appliedSequence ?? 0)
  }

  /// Returns by how many milliseconds the clusters are behind the index.
  package func clusterLagMilliseconds(now: Instant) -> Int64 {
    guard let oldest = feed.clusters?.lag.oldestPending else { return 0 }
    return max(0, now.milliseconds(since: oldest))
  }

  /// Returns what a map of a box shows at a zoom of 0...22, in the order of cluster ids.
  ///
  /// There are at most `limit` features, because a box of the whole world at a deep zoom holds
  /// every object. It is not said which features of a box with more are returned.
  ///
  /// - Throws: `clustersOff`, `badZoom`.
  package func mapFeatures(
    in box: GeoBox, zoom: Int, filter: ObjectFilter, limit: Int, now: Instant
  ) throws(LayerError) -> (features: [MapFeature], isTruncated: Bool) {
    let clusters = try requireClusters()
    do {
      let found = try clusters.viewport(
        in: box, zoom: zoom, filter: clusterFilter(filter, now: now),
        details: [.all, .exceptSingles], limit: limit)
      return (features(of: found.clusters, now: now), found.isTruncated)
    } catch {
      throw LayerError(error)
    }
  }

  /// Returns a tile with a margin around it, and the version that its ETag is made of. There are at
  /// most `limit` features; up to zoom 16 no tile has more than a few hundred.
  ///
  /// - Throws: `clustersOff`, `badTile`.
  package func tile(
    _ address: TileAddress, marginUnits: UInt64, filter: ObjectFilter, limit: Int = .max,
    now: Instant
  ) throws(LayerError) -> ClusterTile {
    let clusters = try requireClusters()
    do {
      let tile = try clusters.versionedTile(
        address, marginUnits: marginUnits, filter: clusterFilter(filter, now: now), limit: limit)
      let features = features(of: tile.clusters, now: now)
      let expiries = features.lazy.compactMap { $0.object?.expiresAt }
      return ClusterTile(
        version: tile.version, features: features,
        omittedCount: tile.clusters.count - features.count,
        expiresAt: expiries.min() ?? .distantFuture, isTruncated: tile.isTruncated)
    } catch {
      throw LayerError(error)
    }
  }

  /// Returns whether a tile or viewport may take more than a few hundred microseconds.
  package func isHeavyRead(
    in box: GeoBox, zoom: Int, filter: ObjectFilter, limit: Int
  ) -> Bool {
    guard let clusters = feed.clusters else { return false }
    let count = clusters.objectCount
    // A filter may have to look at every member of what is shown.
    if !filter.isEmpty { return count > 5_000 && zoom < 12 || count > 200_000 && zoom < 14 }
    guard min(count, limit) > 2_000 else { return false }
    // The bound is wider than a small screen: a tile is 512 pixels wide and shows up to a hundred
    // features.
    let tiles = Double(1 << zoom) * box.longitudeSpan / 360
    return tiles > 3
  }

  /// Returns the version of a tile without reading the tile.
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

  /// Returns the tiles of a viewport that changed since a version, and the version to ask with
  /// next.
  package func changedTiles(
    in box: GeoBox, zoom: Int, since version: UInt64
  ) throws(LayerError) -> (tiles: [TileAddress], version: UInt64) {
    let clusters = try requireClusters()
    do { return try clusters.changedTiles(in: box, zoom: zoom, since: version) } catch {
      throw LayerError(error)
    }
  }

  /// Returns the clusters and objects that a cluster comes apart into.
  ///
  /// - Throws: `unknownCluster`, `clustersOff`.
  package func children(
    of id: ClusterID, now: Instant
  ) throws(LayerError) -> [MapFeature] {
    let clusters = try requireClusters()
    do {
      return features(of: try clusters.children(id, details: .all), now: now)
    } catch {
      throw LayerError(error)
    }
  }

  /// Returns the first zoom at which a cluster comes apart, `nil` when none takes it apart.
  package func expansionZoom(of id: ClusterID) throws(LayerError) -> Int? {
    let clusters = try requireClusters()
    do { return try clusters.expansionZoom(id) } catch { throw LayerError(error) }
  }

  /// Reads a page of a cluster's members.
  ///
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
      return (snapshots(of: page.leaves.map(\.key), now: now).compactMap(\.self), next)
    } catch {
      throw LayerError(error)
    }
  }

  // MARK: - From keys to objects

  /// Returns the objects of clusters' keys, `nil` for those that left or expired since.
  private func snapshots(of keys: [UInt64], now: Instant) -> [ObjectSnapshot?] {
    var out = [ObjectSnapshot?](repeating: nil, count: keys.count)
    index.forEachObject(handles: keys.map(ObjectHandle.init(packed:)), now: now) { i, hit in
      out[i] = ObjectSnapshot(
        id: hit.idString, latitude: hit.latitude, longitude: hit.longitude,
        payload: Array(hit.payload), observedAt: hit.observedAt, expiresAt: hit.expiresAt)
    }
    return out
  }

  /// Returns what a map shows of clusters. Their single objects and samples are read from the index
  /// in one pass. A single object that has left since is left out, because no answer may show an
  /// expired position.
  private func features(of clusters: [LiveCluster], now: Instant) -> [MapFeature] {
    var singles = snapshots(of: clusters.filter { $0.count == 1 }.map(\.key), now: now)[...]
    var samples = sampleIDs(of: clusters, now: now)[...]
    var out: [MapFeature] = []
    out.reserveCapacity(clusters.count)
    for cluster in clusters {
      let sampleIDs = samples.prefix(cluster.sampleKeys.count).compactMap(\.self)
      samples = samples.dropFirst(cluster.sampleKeys.count)
      var object: ObjectSnapshot?
      if cluster.count == 1 {
        object = singles.removeFirst()
        guard object != nil else { continue }
      }
      out.append(MapFeature(cluster, object: object, sampleIDs: sampleIDs))
    }
    return out
  }

  /// Returns the ids of all clusters' samples in their order, `nil` for those that left or expired.
  private func sampleIDs(of clusters: [LiveCluster], now: Instant) -> [String?] {
    let handles = clusters.flatMap { $0.sampleKeys.map(ObjectHandle.init(packed:)) }
    guard !handles.isEmpty else { return [] }
    var out = [String?](repeating: nil, count: handles.count)
    index.forEachObject(handles: handles, now: now) { i, hit in out[i] = hit.idString }
    return out
  }

  /// Returns the filter as clusters take it: tag summaries first, and the exact test where they do
  /// not decide.
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

extension MapFeature {
  fileprivate init(_ cluster: LiveCluster, object: ObjectSnapshot?, sampleIDs: [String]) {
    let coordinate =
      object.map { Coordinate(uncheckedLatitude: $0.latitude, longitude: $0.longitude) }
      ?? cluster.position.coordinate
    self.init(
      id: cluster.id, coordinate: coordinate, point: cluster.position, count: cluster.count,
      isCoincident: cluster.isCoincident, expansionZoom: cluster.expansionZoom,
      bounds: cluster.bounds, aggregates: cluster.aggregates, sampleIDs: sampleIDs,
      object: object)
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
