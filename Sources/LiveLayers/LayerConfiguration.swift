package import GeoMath
package import ObjectModel
package import PositionProtection

/// The limits of what a daemon accepts. Every figure can be configured.
package struct LayerLimits: Sendable, Hashable {
  /// The greatest length of an id in bytes of UTF-8.
  package var idBytes = 128
  package var tagsPerObject = 32
  /// The most tags of an object or query as they are sent, before repetitions are removed.
  package var tagsAsSent: Int { 4 * tagsPerObject }
  /// The greatest length of a normalised tag in bytes of UTF-8.
  package var tagBytes = 64
  /// The greatest size of an object's encoded attributes in bytes.
  package var attributeBytes = 2048
  /// The most hits of one answer.
  package var hits = 1000
  package var defaultHits = 20
  package var polygonCorners = 1000
  /// The most positions of one Report.
  package var reportBatch = 1000
  /// The most queries of one NearbyBatch.
  package var nearbyBatch = 100
  /// The most reads of one /v1/batch.
  package var batchRequests = 20
  /// The most ids that one query excludes, and the most conditions that it has.
  package var excludedIDs = 1000
  package var conditions = 16
  /// The steps that the searches of one request may take: nodes, points and exact tests. Ten
  /// million take about a second.
  package var workPerRequest = 10_000_000
  package var maximumTTLMilliseconds: Int64 = 86_400_000
  package var minimumTTLMilliseconds: Int64 = 1000
  /// The most layers that callers begin. Layers of the service itself do not count.
  package var layersPerTenant = 64
  /// How long a layer stays without objects and watches before it ends.
  package var emptyLayerMilliseconds: Int64 = 3_600_000
  /// The most objects of one layer. Address space for all of them is reserved when the layer
  /// begins: about 6 KB each.
  package var objectsPerLayer = 1 << 22
  /// The most objects of all layers that callers begin.
  package var objects = 1 << 24
  /// The most bytes of those objects' records: ids, tags and attributes. Their index takes as much
  /// again.
  package var objectBytes = 4 << 30
  /// How far ahead of the daemon's clock a report's observedAt may be.
  package var clockSkewMilliseconds: Int64 = 5000
  /// How long a read waits for its minVersion.
  package var versionWaitMilliseconds: Int64 = 50
  package var maximumZoom = 22
  package var clustersPerAnswer = 10_000
  /// The most fences of one Watch.
  package var fences = 10_000
  /// The most areas watched in one layer, those of watches that wait for their reader included.
  package var watchedAreas = 100_000

  package init() {}

  /// Returns a time to live as milliseconds, 0 for one that never ends; nil for one that no report may
  /// have.
  package func ttlMilliseconds(seconds: Double) -> Int64? {
    if seconds == 0 { return 0 }
    let milliseconds = seconds * 1000
    // NaN fails both comparisons.
    guard milliseconds >= Double(minimumTTLMilliseconds),
      milliseconds <= Double(maximumTTLMilliseconds)
    else { return nil }
    return Int64(milliseconds.rounded())
  }
}

/// The settings of one layer (`layers.<name>.*`).
package struct LayerSettings: Sendable, Hashable {
  /// The time to live, in milliseconds, of a report that names none; 0 stands for ever.
  package var defaultTTLMilliseconds: Int64 = 60_000
  /// Whether 0, 0 is accepted as a position. Elsewhere it is the mark of a device without a fix.
  package var allowsNullIsland = false
  /// The names of up to four numeric attributes that are kept in columns, for fast `where`.
  package var columns: [String] = []
  /// Whether clusters and tiles are kept.
  package var clusters = true
  /// Whether an empty tile is answered with 204 instead of 200.
  package var emptyTileIsNoContent = false
  /// How far reported positions are blurred before anything is computed from them; nil: not at all.
  package var protection: ProtectionSettings?

  package init() {}

  /// Returns whether a position may be reported to the layer.
  package func accepts(_ position: Coordinate) -> Bool {
    allowsNullIsland || !position.isNullIsland
  }

  /// The number of columns that are indexed. Conditions on further ones read the attributes.
  package static let maximumColumns = 4
}

/// The configuration of a daemon's layers.
package struct LayerRegistryConfiguration: Sendable {
  package var limits: LayerLimits
  /// Returns the settings of a layer by its name. It is asked once, when the layer begins.
  package var layerSettings: @Sendable (String) -> LayerSettings
  /// The key that orders objects in clusters and names clusters. A daemon gives the same secret at
  /// each start, so that cluster ids hold over restarts and nobody outside can choose ids by their
  /// order.
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
