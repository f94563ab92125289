/// What a daemon accepts at most. Every figure can be configured.
public struct EngineLimits: Sendable, Hashable {
  /// UTF-8 bytes of an id.
  public var idBytes = 128
  public var tagsPerObject = 32
  /// UTF-8 bytes of a normalised tag.
  public var tagBytes = 64
  /// Encoded bytes of an object's attributes.
  public var attributeBytes = 2048
  /// Hits in one answer.
  public var hits = 1000
  public var defaultHits = 20
  public var polygonCorners = 1000
  /// Positions in one Report.
  public var reportBatch = 1000
  /// Queries in one NearbyBatch.
  public var nearbyBatch = 100
  /// Reads in one /v1/batch.
  public var batchRequests = 20
  /// Ids excluded, and conditions, in one query.
  public var excludedIDs = 1000
  public var conditions = 16
  public var maximumTTLMilliseconds: Int64 = 86_400_000
  public var minimumTTLMilliseconds: Int64 = 1000
  public var layersPerTenant = 64
  /// How far ahead of our clock a report's observedAt may be.
  public var clockSkewMilliseconds: Int64 = 5000
  /// How long a read waits for its minVersion.
  public var versionWaitMilliseconds: Int64 = 50
  public var maximumZoom = 22
  public var clustersPerAnswer = 10_000
  /// Fences in one Watch.
  public var fences = 10_000
  /// Areas watched in one layer, those of watches that wait for their reader included.
  public var watchedAreas = 100_000

  public init() {}
}

/// How one layer behaves (`layers.<name>.*`).
public struct LayerSettings: Sendable, Hashable {
  /// Time to live of a report that names none, in milliseconds; 0 is for ever.
  public var defaultTTLMilliseconds: Int64 = 60_000
  /// Whether 0, 0 is a position here.
  public var allowsNullIsland = false
  /// Up to four numeric attributes kept in columns, for fast `where`.
  public var columns: [String] = []
  /// Whether clusters and tiles are kept.
  public var clusters = true
  /// Whether an empty tile is answered 204 instead of 200.
  public var emptyTileIsNoContent = false

  public init() {}

  /// Columns beyond the fourth are not indexed; their conditions are evaluated on the attributes.
  public static let maximumColumns = 4
}

/// All that an engine is configured with.
public struct EngineConfiguration: Sendable {
  public var limits: EngineLimits
  /// Settings of a layer by its name, asked once when the layer begins.
  public var layerSettings: @Sendable (String) -> LayerSettings

  public init(
    limits: EngineLimits = EngineLimits(),
    layerSettings: @escaping @Sendable (String) -> LayerSettings = { _ in LayerSettings() }
  ) {
    self.limits = limits
    self.layerSettings = layerSettings
  }
}
