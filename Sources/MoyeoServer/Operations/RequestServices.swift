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
    /// A call here has some hundred microseconds; what takes longer throws ``APIError/isForPool``.
    case eventLoop
    /// A call here may do what `limits.workPerRequest` allows, while somebody waits for it.
    case pool(WorkCaller)

    var isEventLoop: Bool { if case .eventLoop = self { true } else { false } }
  }

  /// The steps of work that a call may do on an event loop; a step takes 2 to 100 ns.
  static let stepsOnEventLoop = 16_384
  /// The same for a search with a filter, which may pass over much before it finds anything: what
  /// it did is thrown away when it goes on to the pool, and all who share the loop have waited.
  static let filteredStepsOnEventLoop = 2_048
  /// The most corners of a polygon that is tested on an event loop.
  static let cornersOnEventLoop = 64

  func budget(_ place: Place) -> WorkBudget {
    switch place {
    case .eventLoop: WorkBudget(steps: min(Self.stepsOnEventLoop, limits.workPerRequest))
    case .pool(let caller): caller.budget(steps: limits.workPerRequest)
    }
  }

  /// The part of a call's budget that one search of it may spend, and what it leaves.
  struct BudgetPart {
    var budget: WorkBudget
    /// Of the call's budget, where `budget` is less than all of it.
    fileprivate let outside: WorkBudget?

    /// What the call may spend after the search.
    var rest: WorkBudget {
      guard var rest = outside else { return budget }
      do {
        try rest.spend(budget.limit - budget.remaining)
      } catch {
        rest.exhaust()
      }
      return rest
    }
  }

  /// What a search may spend: on an event loop, one with a filter may spend less.
  func part(of budget: WorkBudget, isFiltered: Bool, _ place: Place) -> BudgetPart {
    guard place.isEventLoop, isFiltered, budget.remaining > Self.filteredStepsOnEventLoop else {
      return BudgetPart(budget: budget, outside: nil)
    }
    return BudgetPart(
      budget: WorkBudget(steps: Self.filteredStepsOnEventLoop), outside: budget)
  }

  /// What the layers refuse, at the place where it was asked.
  func refusal(_ error: LayerError, _ place: Place) -> APIError {
    if case .tooMuchWork = error, place.isEventLoop,
      limits.workPerRequest > Self.filteredStepsOnEventLoop
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
    do {
      let layer = try layers.layer(name)
      try layer.require(minVersion: minVersion)
      return layer
    } catch {
      throw APIError(error)
    }
  }

  /// A layer whose clusters show `minVersion`.
  func clusteredLayer(_ name: String?, minVersion: String?) async throws -> Layer {
    let name = try validation.layerName(name)
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
