package import ObjectModel
package import SpatialIndexing
import Synchronization

/// The live state of a daemon: layers of objects, and the questions asked of them.
///
/// Safe to call from any thread. Nothing here reads a clock but ``clock``, or does input or output.
package final class LayerRegistry: Sendable {
  package let configuration: LayerRegistryConfiguration
  package let clock: any WallClock
  /// Random at each start; part of versions and ETags.
  package let epoch: UInt32
  private let layersByName = LayerTable()
  /// What the layers that callers begin hold together.
  package let quota: SharedQuota
  /// Start it to keep clusters in step; without it they stand still.
  package let clusterMaintainer: ClusterMaintainer
  /// Start it to tell watchers of positions what happens.
  package let watchMaintainer: WatchMaintainer

  package init(
    configuration: LayerRegistryConfiguration = LayerRegistryConfiguration(), clock: any WallClock,
    epoch: UInt32
  ) {
    self.configuration = configuration
    self.clock = clock
    self.epoch = epoch
    quota = SharedQuota(
      maximumObjects: configuration.limits.objects,
      maximumBytes: configuration.limits.objectBytes)
    clusterMaintainer = ClusterMaintainer { [layersByName] in layersByName.all }
    watchMaintainer = WatchMaintainer(
      layers: { [layersByName] in layersByName.all }, now: { clock.now() })
  }

  package var limits: LayerLimits { configuration.limits }

  /// All layers, by name.
  package var all: [Layer] {
    layersByName.all.sorted { $0.name < $1.name }
  }

  /// A layer that exists. - Throws: `badLayerName`, `unknownLayer`.
  package func layer(_ name: String) throws(LayerError) -> Layer {
    if let layer = layersByName.byName.withLock({ $0[name] }) { return layer }
    guard LayerName.isValid(name) else { throw .badLayerName(name) }
    throw .unknownLayer(name)
  }

  /// The layer that callers report to; begins with its first report.
  /// - Throws: `badLayerName`, `reservedLayer`, `tooManyLayers`.
  package func layerForReports(_ name: String) throws(LayerError) -> Layer {
    guard !LayerName.reserved.contains(name) else { throw .reservedLayer(name) }
    return try existingOrNewLayer(name)
  }

  /// A layer that the service itself fills, such as `parties`.
  package func existingOrNewLayer(_ name: String) throws(LayerError) -> Layer {
    if let layer = layersByName.byName.withLock({ $0[name] }) { return layer }
    guard LayerName.isValid(name) else { throw .badLayerName(name) }
    let settings = configuration.layerSettings(name)
    let made = layersByName.byName.withLock { layers -> Layer? in
      if let layer = layers[name] { return layer }
      let count = layers.keys.count { !LayerName.reserved.contains($0) }
      guard LayerName.reserved.contains(name) || count < configuration.limits.layersPerTenant
      else { return nil }
      // A layer that finds no address space is one too many.
      let layer = try? Layer(
        name: name, settings: settings, epoch: epoch,
        watchedAreas: configuration.limits.watchedAreas, rankKey: configuration.rankKey,
        maximumObjects: configuration.limits.objectsPerLayer,
        // Those of the service have bounds of their own.
        quota: LayerName.reserved.contains(name) ? nil : quota,
        // Weak: the maintainers know the layers, and both go with the registry.
        onWork: { [weak clusterMaintainer] in clusterMaintainer?.signal() },
        onWatchWork: { [weak watchMaintainer] in watchMaintainer?.signal() })
      if let layer { layers[name] = layer }
      return layer
    }
    guard let made else { throw .tooManyLayers(limit: configuration.limits.layersPerTenant) }
    return made
  }

  /// Ends a layer with all that is in it; a report begins it anew.
  ///
  /// - Returns: How many live objects it had.
  /// - Throws: `badLayerName`, `unknownLayer`, `reservedLayer`.
  @discardableResult
  package func deleteLayer(_ name: String) throws(LayerError) -> Int {
    guard !LayerName.reserved.contains(name) else { throw .reservedLayer(name) }
    let layer = try layer(name)
    layersByName.end(layer)
    // Whoever found it before it ended may still have reported; watchers hear of each object.
    return layer.removeEverything(now: clock.now())
  }

  /// Ends layers that have been empty for `limits.emptyLayerMilliseconds`; call it now and then.
  ///
  /// - Returns: Their names.
  @discardableResult
  package func endEmptyLayers() -> [String] {
    let now = clock.now()
    var ended: [String] = []
    for layer in layersByName.all where !LayerName.reserved.contains(layer.name) {
      guard layer.hasBeenEmpty(for: limits.emptyLayerMilliseconds, now: now) else { continue }
      layersByName.end(layer)
      // One that was reported to meanwhile goes on, unless its name has begun anew.
      if !layer.isEmpty, layersByName.putBack(layer) { continue }
      ended.append(layer.name)
    }
    return ended
  }

  /// Layers that have ended and whose removals are still to be written.
  func takeEndedLayers() -> [Layer] { layersByName.takeEnded() }

  /// Takes expired objects out of all layers; call it every few tens of milliseconds.
  /// - Returns: How many were taken out. At most `limit` a layer, so that a call stays short.
  @discardableResult
  package func reclaimExpired(limit: Int = 4096) -> Int {
    let now = clock.now()
    return all.reduce(0) { $0 + $1.reclaimExpired(now: now, limit: limit) }
  }
}

/// The layers by name, shared with the cluster maintainer.
private final class LayerTable: Sendable {
  let byName = Mutex<[String: Layer]>([:])
  private let ended = Mutex<[Layer]>([])

  var all: [Layer] { byName.withLock { Array($0.values) } }

  /// Takes a layer out, unless its name belongs to another one by now.
  func end(_ layer: Layer) {
    let isOut = byName.withLock { layers -> Bool in
      guard layers[layer.name] === layer else { return false }
      layers[layer.name] = nil
      return true
    }
    if isOut, layer.removals.isBegun { ended.withLock { $0.append(layer) } }
  }

  /// - Returns: Whether the name was still free.
  func putBack(_ layer: Layer) -> Bool {
    ended.withLock { $0.removeAll { $0 === layer } }
    return byName.withLock { layers in
      guard layers[layer.name] == nil else { return false }
      layers[layer.name] = layer
      return true
    }
  }

  func takeEnded() -> [Layer] {
    ended.withLock { layers in
      defer { layers = [] }
      return layers
    }
  }
}
