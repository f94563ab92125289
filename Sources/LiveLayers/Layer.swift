import ObjectModel
import PointClustering
package import SpatialIndexing
import Threading

/// A named set of objects with their index.
package final class Layer: Sendable {
  package let name: String
  package let settings: LayerSettings
  /// The attributes that are kept as numeric columns, in the order of the columns.
  package let columns: [String]
  package let index: SharedLiveIndex
  let feed: ClusterFeed
  let epoch: UInt32
  /// The ids that callers removed, for a ``PositionWriteBehind``.
  let removals = RemovalLog()
  /// The moment since which there has been no object; `nil` while there is one.
  private let emptySince = StateLock<Instant?>(nil)
  /// Blurs reported positions; nil if they are shown as they come.
  let protection: LayerProtection?
  /// The watches of this layer's positions.
  package let watches: LayerWatches
  /// For one who keeps an index of attributes beside the layer.
  package let attributeFeed = AttributeFeed()

  init(
    name: String, settings: LayerSettings, epoch: UInt32, watchedAreas: Int = 100_000,
    rankKey: HashKey = .publicKey, maximumObjects: Int = 1 << 22,
    quota: SharedQuota? = nil,
    onWork: @escaping @Sendable () -> Void, onWatchWork: @escaping @Sendable () -> Void = {}
  ) throws(AddressSpaceError) {
    self.name = name
    self.settings = settings
    columns = Array(settings.columns.prefix(LayerSettings.maximumColumns))
    self.epoch = epoch
    protection = settings.protection.map { LayerProtection($0, key: rankKey) }
    feed = ClusterFeed(
      clusters: settings.clusters
        ? try LiveClusters(
          reserving: .init(
            hasAggregates: LayerName.reserved.contains(name), firstVersion: UInt64(epoch) << 20,
            maximumObjects: maximumObjects))
        : nil, onWork: onWork)
    index = try SharedLiveIndex(
      reserving: LiveIndexConfiguration(
        columnCount: columns.count, rankKey: rankKey,
        maximumObjects: maximumObjects, quota: quota))
    watches = LayerWatches(
      index: index, name: name, areaLimit: watchedAreas, onWork: onWatchWork)
  }

  /// The state that an answer given now shows at least.
  package var version: LayerVersion { LayerVersion(epoch: epoch, counter: feed.sequence) }

  /// Checks that the index shows `minVersion`. The index shows a report before the report is
  /// answered, so that only a version of the future is ever waited for. A version of an earlier
  /// start counts as reached, because what outlived that start is all there is.
  ///
  /// - Throws: `badVersion`, `versionNotReached`.
  package func require(minVersion text: String?) throws(LayerError) {
    guard let text else { return }
    guard let wanted = LayerVersion(text: text) else { throw .badVersion(text) }
    guard wanted.epoch == epoch else { return }
    if wanted.counter > feed.sequence { throw .versionNotReached(text) }
  }

  var isEmpty: Bool { index.objectCount == 0 }

  /// Returns whether there was no object and no watch at any call for so long.
  func hasBeenEmpty(for milliseconds: Int64, now: Instant) -> Bool {
    guard isEmpty, !watches.isFollowed else {
      emptySince.withLock { $0 = nil }
      return false
    }
    let start = emptySince.withLock { since -> Instant in
      let start = since ?? now
      since = start
      return start
    }
    return now.milliseconds(since: start) >= milliseconds
  }

  /// Removes all objects.
  ///
  /// - Returns: The number of live objects among them.
  func removeEverything(now: Instant) -> Int {
    var ids: [String] = []
    index.forEachObject(now: now) { ids.append($0.idString) }
    let removed = discard(ids: ids, now: now)
    for (id, isRemoved) in zip(ids, removed) where isRemoved { removals.note(id) }
    return removed.count { $0 }
  }

  func reclaimExpired(now: Instant, limit: Int) -> Int {
    discarding(now: now) { index.reclaimExpired(now: now, limit: limit, changes: $0) }
  }

  /// Returns the function that the index calls with each slice of changes.
  func publishing(
    _ masks: [ObjectRank: UInt64], now: Instant
  ) -> (UnsafeBufferPointer<IndexChange>) -> Void {
    { self.publish($0, masks, now: now) }
  }

  /// Hands the changes of a slice to those who follow the layer.
  func publish(
    _ changes: UnsafeBufferPointer<IndexChange>, _ masks: [ObjectRank: UInt64], now: Instant
  ) {
    feed.publish(changes, masks: masks, now: now)
    watches.publish(changes)
    attributeFeed.publish(changes)
  }
}
