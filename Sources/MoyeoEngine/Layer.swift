import ObjectModel
import PointClustering
public import SpatialIndexing

/// A named set of objects with their index.
public final class Layer: Sendable {
  public let name: String
  public let settings: LayerSettings
  public let index: SharedLiveIndex
  let feed: ClusterFeed
  let epoch: UInt32
  /// What callers took out, for a ``PositionKeeper``.
  let removals = RemovalLog()
  /// Who watches positions here.
  public let watches: LayerWatches

  init(
    name: String, settings: LayerSettings, epoch: UInt32, watchedAreas: Int = 100_000,
    onWork: @escaping @Sendable () -> Void, onWatchWork: @escaping @Sendable () -> Void = {}
  ) {
    self.name = name
    self.settings = settings
    self.epoch = epoch
    feed = ClusterFeed(
      clusters: settings.clusters
        ? LiveClusters(
          configuration: .init(
            hasAggregates: LayerName.reserved.contains(name), firstVersion: UInt64(epoch) << 20))
        : nil, onWork: onWork)
    index = SharedLiveIndex(
      configuration: LiveIndexConfiguration(columnCount: columnNames(of: settings).count))
    watches = LayerWatches(
      index: index, name: name, areaLimit: watchedAreas, onWork: onWatchWork)
  }

  /// The attributes kept as numeric columns, in column order.
  public var columns: [String] { columnNames(of: settings) }

  /// The state that an answer given now shows at least.
  public var version: LayerVersion { LayerVersion(epoch: epoch, counter: feed.sequence) }

  /// Checks that the index shows `minVersion`. The index shows a report before it is answered, so
  /// only a version of the future is ever waited for. A version of an earlier start counts as
  /// reached: what outlived that start is all there is.
  /// - Throws: `badVersion`, `versionNotReached`.
  public func require(minVersion text: String?) throws(EngineError) {
    guard let text else { return }
    guard let wanted = LayerVersion(text: text) else { throw .badVersion(text) }
    guard wanted.epoch == epoch else { return }
    if wanted.counter > feed.sequence { throw .versionNotReached(text) }
  }

  func reclaimExpired(now: Instant, limit: Int) -> Int {
    index.reclaimExpired(now: now, limit: limit, changes: publishing([:], now: now))
  }

  /// What the index calls with each slice of changes.
  func publishing(
    _ masks: [UInt64: UInt64], now: Instant
  ) -> (UnsafeBufferPointer<IndexChange>) -> Void {
    { [feed, watches] changes in
      feed.publish(changes, masks: masks, now: now)
      watches.publish(changes)
    }
  }
}

private func columnNames(of settings: LayerSettings) -> [String] {
  Array(settings.columns.prefix(LayerSettings.maximumColumns))
}
