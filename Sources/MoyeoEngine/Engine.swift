public import ObjectModel
import Synchronization

/// The live state of a daemon: layers of objects, and the questions asked of them.
///
/// Safe to call from any thread. Nothing here reads a clock but ``clock``, or does input or output.
public final class Engine: Sendable {
  public let configuration: EngineConfiguration
  public let clock: any WallClock
  /// Random at each start; part of versions and ETags.
  public let epoch: UInt32
  private let layersByName = LayerTable()
  /// Start it to keep clusters in step; without it they stand still.
  public let clusterMaintainer: ClusterMaintainer
  /// Start it to tell watchers of positions what happens.
  public let watchMaintainer: WatchMaintainer

  public init(
    configuration: EngineConfiguration = EngineConfiguration(), clock: any WallClock,
    epoch: UInt32
  ) {
    self.configuration = configuration
    self.clock = clock
    self.epoch = epoch
    clusterMaintainer = ClusterMaintainer { [layersByName] in layersByName.all }
    watchMaintainer = WatchMaintainer(
      layers: { [layersByName] in layersByName.all }, now: { clock.now() })
  }

  public var limits: EngineLimits { configuration.limits }

  /// All layers, by name.
  public var layers: [Layer] {
    layersByName.all.sorted { $0.name < $1.name }
  }

  /// A layer that exists. - Throws: `badLayerName`, `unknownLayer`.
  public func layer(_ name: String) throws(EngineError) -> Layer {
    if let layer = layersByName.byName.withLock({ $0[name] }) { return layer }
    guard LayerName.isValid(name) else { throw .badLayerName(name) }
    throw .unknownLayer(name)
  }

  /// The layer that callers report to; begins with its first report.
  /// - Throws: `badLayerName`, `reservedLayer`, `tooManyLayers`.
  public func layerForReports(_ name: String) throws(EngineError) -> Layer {
    guard !LayerName.reserved.contains(name) else { throw .reservedLayer(name) }
    return try existingOrNewLayer(name)
  }

  /// A layer that the engine itself fills, such as `parties`.
  func existingOrNewLayer(_ name: String) throws(EngineError) -> Layer {
    if let layer = layersByName.byName.withLock({ $0[name] }) { return layer }
    guard LayerName.isValid(name) else { throw .badLayerName(name) }
    let settings = configuration.layerSettings(name)
    let made = layersByName.byName.withLock { layers -> Layer? in
      if let layer = layers[name] { return layer }
      guard layers.count < configuration.limits.layersPerTenant else { return nil }
      let layer = Layer(
        name: name, settings: settings, epoch: epoch,
        watchedAreas: configuration.limits.watchedAreas,
        onWork: { [clusterMaintainer] in clusterMaintainer.signal() },
        onWatchWork: { [watchMaintainer] in watchMaintainer.signal() })
      layers[name] = layer
      return layer
    }
    guard let made else { throw .tooManyLayers(limit: configuration.limits.layersPerTenant) }
    return made
  }

  /// Takes expired objects out of all layers; call it every few tens of milliseconds.
  /// - Returns: How many were taken out. At most `limit` a layer, so that a call stays short.
  @discardableResult
  public func reclaimExpired(limit: Int = 4096) -> Int {
    let now = clock.now()
    return layers.reduce(0) { $0 + $1.reclaimExpired(now: now, limit: limit) }
  }
}

/// The layers by name, shared with the cluster maintainer.
private final class LayerTable: Sendable {
  let byName = Mutex<[String: Layer]>([:])

  var all: [Layer] { byName.withLock { Array($0.values) } }
}
