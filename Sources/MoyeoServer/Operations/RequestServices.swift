import LiveLayers
import MoyeoAPI
import ObjectModel

/// What the calls of all services share: the layers, the rules about fields, the reads that callers
/// share, and what a call may spend.
struct RequestServices: Sendable {
  let layers: LayerRegistry
  let shared: SharedReads
  /// Tags as the fast readers have met them, by their bytes.
  let tagCache = TagCache()

  init(layers: LayerRegistry, shared: SharedReads = SharedReads()) {
    self.layers = layers
    self.shared = shared
  }

  var clock: any WallClock { layers.clock }
  var limits: LayerLimits { layers.limits }
  var validation: RequestValidation { RequestValidation(limits: layers.limits) }

  // MARK: - Work

  /// Where a call runs, which says how much work it may do.
  enum Place {
    /// A call here has about a hundred microseconds; what takes longer throws
    /// ``APIError/isForPool``.
    case eventLoop
    /// A call here may do what `limits.workPerRequest` allows, while somebody waits for it.
    case pool(WorkCaller)

    var isEventLoop: Bool { if case .eventLoop = self { true } else { false } }
  }

  /// The steps of work that a call may do on an event loop; a step takes 2 to 100 ns.
  ///
  /// All who share the loop wait meanwhile, unseen by what keeps queues short: only the pool's queue
  /// is measured (``QueueDelayLimit``). What a longer call did here is thrown away.
  static let stepsOnEventLoop = 2_048
  /// The most hits that are written on an event loop; each takes some 300 ns.
  static let hitsOnEventLoop = 200
  /// The most queries of one call on an event loop.
  static let queriesOnEventLoop = 16
  /// The most corners of a polygon that is tested on an event loop.
  static let cornersOnEventLoop = 64

  func budget(_ place: Place) -> WorkBudget {
    switch place {
    case .eventLoop: WorkBudget(steps: min(Self.stepsOnEventLoop, limits.workPerRequest))
    case .pool(let caller): caller.budget(steps: limits.workPerRequest)
    }
  }

  /// What the layers refuse, at the place where it was asked.
  func refusal(_ error: LayerError, _ place: Place) -> APIError {
    if case .tooMuchWork = error, place.isEventLoop,
      limits.workPerRequest > Self.stepsOnEventLoop
    {
      return .isForPool
    }
    return APIError(error)
  }

  // MARK: - What requests name

  /// What a read demands of a shared answer.
  func demand(staleness seconds: Double?, minVersion: String?) throws(APIError)
    -> SharedReads.Demand
  {
    var demand = SharedReads.Demand()
    demand.maximumStaleness = try shared.staleness(seconds)
    if let wanted = minVersion.flatMap({ LayerVersion(text: $0) }), wanted.epoch == layers.epoch {
      demand.minimumVersion = wanted.counter
    }
    return demand
  }

  /// The layer a read is about, at the version it asks for.
  func layer(_ name: String?, minVersion: String?) throws(APIError) -> Layer {
    let name = try validation.layerName(name)
    if let sharing = layers.sharing { try requireAnswerable(sharing, name) }
    do {
      let layer = try layers.layer(name)
      try layer.require(minVersion: minVersion)
      return layer
    } catch {
      throw APIError(error)
    }
  }

  /// Refuses reads of positions that are too old to be told.
  private func requireAnswerable(_ sharing: SharedPositions, _ name: String) throws(APIError) {
    guard !LayerName.reserved.contains(name), let reason = sharing.unanswerableReason else {
      return
    }
    throw APIError(.unavailable, reason, retryAfterMilliseconds: 1000)
  }

  /// A layer whose clusters show `minVersion`.
  func clusteredLayer(_ name: String?, minVersion: String?) async throws -> Layer {
    let name = try validation.layerName(name)
    if let sharing = layers.sharing { try requireAnswerable(sharing, name) }
    do throws(LayerError) {
      let layer = try layers.layer(name)
      try await layer.requireClusters(
        minVersion: minVersion, waitMilliseconds: limits.versionWaitMilliseconds)
      return layer
    } catch {
      throw APIError(error)
    }
  }

  /// What a read asks of the objects, whichever call it is.
  func filter(
    tags: [String], tagMatch: String?, notTags: [String], excludeIDs: [String] = [],
    conditions: [Moyeo_V1_AttributeCondition], maxAgeSeconds: Double? = nil
  ) throws(APIError) -> ObjectFilter {
    var filter = ObjectFilter()
    filter.tags = try validation.tags(tags, field: "tags")
    filter.tagMatch = try validation.tagMatch(tagMatch)
    filter.notTags = try validation.tags(notTags, field: "notTags")
    filter.excludedIDs = try validation.excludedIDs(excludeIDs)
    filter.conditions = try validation.conditions(conditions)
    filter.maximumAgeMilliseconds = try validation.maximumAgeMilliseconds(maxAgeSeconds)
    return filter
  }
}
