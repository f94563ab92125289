package import ObjectModel
package import PositionProtection

/// What a daemon accepts at most. Every figure can be configured.
package struct LayerLimits: Sendable, Hashable {
  /// UTF-8 bytes of an id.
  package var idBytes = 128
  package var tagsPerObject = 32
  /// Tags of an object or query as they are sent, of which some may turn out to be the same.
  package var tagsAsSent: Int { 4 * tagsPerObject }
  /// UTF-8 bytes of a normalised tag.
  package var tagBytes = 64
  /// Encoded bytes of an object's attributes.
  package var attributeBytes = 2048
  /// Hits in one answer.
  package var hits = 1000
  package var defaultHits = 20
  package var polygonCorners = 1000
  /// Positions in one Report.
  package var reportBatch = 1000
  /// Queries in one NearbyBatch.
  package var nearbyBatch = 100
  /// Reads in one /v1/batch.
  package var batchRequests = 20
  /// Ids excluded, and conditions, in one query.
  package var excludedIDs = 1000
  package var conditions = 16
  /// Counted steps of one request's searches: nodes, points and exact tests. Ten million take
  /// about a second.
  package var workPerRequest = 10_000_000
  package var maximumTTLMilliseconds: Int64 = 86_400_000
  package var minimumTTLMilliseconds: Int64 = 1000
  /// Layers that callers begin; those of the service itself do not count.
  package var layersPerTenant = 64
  /// A layer without objects and watches ends after so long.
  package var emptyLayerMilliseconds: Int64 = 3_600_000
  /// Objects in one layer. Address space for all of them is reserved when the layer begins: about
  /// 6 KB each.
  package var objectsPerLayer = 1 << 22
  /// Objects of all layers that callers begin.
  package var objects = 1 << 24
  /// Bytes of their records: ids, tags and attributes. Their index takes as much again.
  package var objectBytes = 4 << 30
  /// How far ahead of our clock a report's observedAt may be.
  package var clockSkewMilliseconds: Int64 = 5000
  /// How long a read waits for its minVersion.
  package var versionWaitMilliseconds: Int64 = 50
  package var maximumZoom = 22
  package var clustersPerAnswer = 10_000
  /// Fences in one Watch.
  package var fences = 10_000
  /// Areas watched in one layer, those of watches that wait for their reader included.
  package var watchedAreas = 100_000

  package init() {}
}

/// How one layer behaves (`layers.<name>.*`).
package struct LayerSettings: Sendable, Hashable {
  /// Time to live of a report that names none, in milliseconds; 0 is for ever.
  package var defaultTTLMilliseconds: Int64 = 60_000
  /// Whether 0, 0 is a position here.
  package var allowsNullIsland = false
  /// Up to four numeric attributes kept in columns, for fast `where`.
  package var columns: [String] = []
  /// Whether clusters and tiles are kept.
  package var clusters = true
  /// Whether an empty tile is answered 204 instead of 200.
  package var emptyTileIsNoContent = false
  /// How far reported positions are blurred before anything is computed from them; nil: not at all.
  package var protection: ProtectionSettings?

  package init() {}

  /// Columns beyond the fourth are not indexed; their conditions are evaluated on the attributes.
  package static let maximumColumns = 4
}

/// All that the layers of a daemon are configured with.
package struct LayerRegistryConfiguration: Sendable {
  package var limits: LayerLimits
  /// Settings of a layer by its name, asked once when the layer begins.
  package var layerSettings: @Sendable (String) -> LayerSettings
  /// Orders objects in clusters and names clusters. A daemon gives the same secret at each start, so
  /// that cluster ids hold over restarts and nobody outside can choose ids by their order.
  package var rankKey: HashKey

  package init(
    limits: LayerLimits = LayerLimits(), rankKey: HashKey = .publicKey,
    layerSettings: @escaping @Sendable (String) -> LayerSettings = { _ in LayerSettings() }
  ) {
    self.limits = limits
    self.rankKey = rankKey
    self.layerSettings = layerSettings
  }
}
