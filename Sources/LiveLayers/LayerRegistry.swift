package import ObjectModel
package import SpatialIndexing
import Threading

/// The live state of a daemon: its layers of objects.
///
/// It is safe to use from any thread. Nothing here reads a clock other than ``clock``, or does
/// input or output.
package final class LayerRegistry: Sendable {
  package let configuration: LayerRegistryConfiguration
  package let clock: any WallClock
  /// A random number that is drawn at each start and is part of versions and ETags.
  package let epoch: UInt32
  private let layersByName = LayerTable()
  /// The bound on what the layers that callers begin hold together.
  package let quota: SharedQuota
  /// Applies changes to clusters once it is started; without it clusters do not change.
  package let clusterMaintainer: ClusterMaintainer
  /// Tells watchers of positions what happens once it is started.
  package let watchMaintainer: WatchMaintainer
  /// What daemons share positions through; nil: the positions are this daemon's alone.
  package let sharing: SharedPositions?
  /// Whose layers these are.
  package let tenant: String

  package init(
    configuration: LayerRegistryConfiguration = LayerRegistryConfiguration(), clock: any WallClock,
    epoch: UInt32, sharing: SharedPositions? = nil, tenant: String = "default"
  ) {
    self.configuration = configuration
    self.clock = clock
    self.epoch = epoch
    self.sharing = sharing
    self.tenant = tenant
    quota = SharedQuota(
      maximumObjects: configuration.limits.objects,
      maximumBytes: configuration.limits.objectBytes)
    clusterMaintainer = ClusterMaintainer { [layersByName] in layersByName.all }
    watchMaintainer = WatchMaintainer(
      layers: { [layersByName] in layersByName.all }, now: { clock.now() })
    sharing?.attach(self, tenant: tenant)
  }

  package var limits: LayerLimits { configuration.limits }

  /// All layers, in the order of their names.
  package var all: [Layer] {
    layersByName.all.sorted { $0.name < $1.name }
  }

  /// Returns a layer that exists.
  ///
  /// - Throws: `badLayerName`, `unknownLayer`.
  package func layer(_ name: String) throws(LayerError) -> Layer {
    if let layer = layersByName.byName.withLock({ $0[name] }) { return layer }
    guard LayerName.isValid(name) else { throw .badLayerName(name) }
    throw .unknownLayer(name)
  }

  /// Returns the layer that callers report to; its first report begins it.
  ///
  /// - Throws: `badLayerName`, `reservedLayer`, `tooManyLayers`.
  package func layerForReports(_ name: String) throws(LayerError) -> Layer {
    guard !LayerName.isReserved(name) else { throw .reservedLayer(name) }
    return try existingOrNewLayer(name)
  }

  /// Returns a layer that may be one that the service itself fills, such as `parties`.
  package func existingOrNewLayer(_ name: String) throws(LayerError) -> Layer {
    if let layer = layersByName.byName.withLock({ $0[name] }) { return layer }
    guard LayerName.isValid(name) else { throw .badLayerName(name) }
    let settings = configuration.layerSettings(name)
    let made = layersByName.byName.withLock { layers -> Layer? in
      if let layer = layers[name] { return layer }
      let count = layers.keys.count { !LayerName.reserved.contains($0) }
      guard LayerName.reserved.contains(name) || count < configuration.limits.layersPerTenant
      else { return nil }
      // Without address space for it, the layer is one too many.
      let layer = try? Layer(
        name: name, settings: settings, epoch: epoch,
        watchedAreas: configuration.limits.watchedAreas, rankKey: configuration.rankKey,
        maximumObjects: configuration.limits.objectsPerLayer,
        // The layers of the service have bounds of their own.
        quota: LayerName.reserved.contains(name) ? nil : quota,
        // Weak, because the maintainers know the layers, and both end with the registry.
        onWork: { [weak clusterMaintainer] in clusterMaintainer?.signal() },
        onWatchWork: { [weak watchMaintainer] in watchMaintainer?.signal() })
      if let layer { layers[name] = layer }
      return layer
    }
    guard let made else { throw .tooManyLayers(limit: configuration.limits.layersPerTenant) }
    return made
  }

  /// Ends a layer and removes everything in it. The next report begins it anew.
  ///
  /// - Returns: The number of live objects that it had.
  /// - Throws: `badLayerName`, `unknownLayer`, `reservedLayer`.
  @discardableResult
  package func deleteLayer(_ name: String) throws(LayerError) -> Int {
    try endLayer(name).removeEverything()
  }

  /// Ends a layer at once, so that its name is free, and leaves it to the caller to remove what was
  /// in it: that takes long where there is much.
  ///
  /// - Throws: `badLayerName`, `unknownLayer`, `reservedLayer`.
  package func endLayer(_ name: String) throws(LayerError) -> EndedLayer {
    guard !LayerName.reserved.contains(name) else { throw .reservedLayer(name) }
    let layer = try layer(name)
    layersByName.end(layer)
    return EndedLayer(layer: layer, clock: clock)
  }

  /// Ends layers that have been empty for `limits.emptyLayerMilliseconds`; a timer calls it.
  ///
  /// - Returns: The names of the layers that ended.
  @discardableResult
  package func endEmptyLayers() -> [String] {
    let now = clock.now()
    var ended: [String] = []
    for layer in layersByName.all where !LayerName.reserved.contains(layer.name) {
      guard layer.hasBeenEmpty(for: limits.emptyLayerMilliseconds, now: now) else { continue }
      layersByName.end(layer)
      // A layer that was reported to meanwhile goes on, unless its name has begun anew.
      if !layer.isEmpty, layersByName.putBack(layer) { continue }
      ended.append(layer.name)
    }
    return ended
  }

  /// Returns the layers that have ended and whose removals are still to be written.
  func takeEndedLayers() -> [Layer] { layersByName.takeEnded() }

  /// Returns whether what is reported now may expire within a time: by a bound, which may be a second
  /// early.
  package func mayExpire(withinMilliseconds span: Int64) -> Bool {
    let end = clock.now().advanced(milliseconds: span)
    return all.contains { $0.index.mayExpire(by: end) }
  }

  /// Removes expired objects from all layers; it is called every few tens of milliseconds while any
  /// may expire.
  ///
  /// - Returns: The number of objects removed. It is at most `limit` a layer, so that a call is
  ///   short.
  @discardableResult
  package func reclaimExpired(limit: Int = 4096) -> Int {
    let now = clock.now()
    return all.reduce(0) { $0 + $1.reclaimExpired(now: now, limit: limit) }
  }
}

/// A layer that has ended, with what is still in it.
package struct EndedLayer: Sendable {
  fileprivate let layer: Layer
  fileprivate let clock: any WallClock

  /// The objects that are still to be removed; those that have expired meanwhile may count.
  package var objectCount: Int { layer.index.statistics().objectCount }

  /// Removes everything in the layer.
  ///
  /// - Returns: The number of live objects that it had.
  @discardableResult
  package func removeEverything() -> Int {
    // A thread that found the layer before it ended may still report to it. The removals are
    // published, so that watchers learn of each object.
    layer.removeEverything(now: clock.now())
  }
}

/// The layers by name, shared with the maintainers.
private final class LayerTable: Sendable {
  let byName = StateLock<[String: Layer]>([:])
  private let ended = StateLock<[Layer]>([])

  var all: [Layer] { byName.withLock { Array($0.values) } }

  /// Removes a layer, unless its name belongs to another one by now.
  func end(_ layer: Layer) {
    let isOut = byName.withLock { layers -> Bool in
      guard layers[layer.name] === layer else { return false }
      layers[layer.name] = nil
      return true
    }
    if isOut, layer.removals.isBegun { ended.withLock { $0.append(layer) } }
  }

  /// Puts a layer back under its name.
  ///
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
