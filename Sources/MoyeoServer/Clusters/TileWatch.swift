import GeoMath
import MoyeoAPI
import LiveLayers

/// WatchTiles: addresses of tiles that changed in a viewport.
///
/// A soft stream: nothing is kept for a watcher but the version it has seen, so it costs the same
/// however slow it reads, and changes merge while it does. Without a token, or with one of an
/// earlier start, it begins with `reset`: fetch every tile of the viewport.
struct TileWatch: Sendable {
  let clusters: ClusterOperations

  var operation: StreamOperation {
    StreamOperation(
      "ClusterService", "WatchTiles", request: Moyeo_V1_WatchTilesRequest.self,
      event: Moyeo_V1_WatchTilesEvent.self,
      routes: [.init("GET", "/v1/layers/{layer}/tiles/watch")],
      resumeToken: \.resumeToken,
      heartbeat: { token in
        var event = Moyeo_V1_WatchTilesEvent()
        event.kind = "heartbeat"
        if let token { event.resumeToken = token }
        return event
      }
    ) { request, _ in try await source(request) }
  }

  private func source(_ request: Moyeo_V1_WatchTilesRequest) async throws -> any EventSource {
    let layer = try await clusters.services.clusteredLayer(
      request.layerIfSet, minVersion: nil)
    let validation = clusters.validation
    let box = try validation.box(
      west: request.westIfSet, south: request.southIfSet,
      east: request.eastIfSet, north: request.northIfSet)
    guard let box else {
      throw APIError(.missingField, field: "west", "a viewport needs west, south, east and north")
    }
    guard request.hasZoom else {
      throw APIError(.missingField, field: "zoom", "zoom is required")
    }
    let maximum = clusters.layers.limits.maximumZoom
    guard request.zoom >= 0 && request.zoom < Double(maximum + 1) else {
      throw APIError(
        .limitOutOfRange, field: "zoom", "zoom is 0 to \(maximum); got \(request.zoom)")
    }
    var source = TileSource(
      layer: layer, epoch: clusters.layers.epoch, box: box, zoom: Int(request.zoom),
      interval: try validation.interval(
        request.intervalMillisecondsIfSet, default: 250))
    if request.hasResumeToken, let token = LayerVersion(text: request.resumeToken),
      token.epoch == clusters.layers.epoch
    {
      source.version = token.counter
    }
    // The viewport may be too large; and a version of the future is none that we gave out.
    let (_, newest) = try source.changes()
    if let seen = source.version, seen > newest { source.version = nil }
    return source
  }
}

private struct TileSource: EventSource {
  let layer: Layer
  let epoch: UInt32
  let box: GeoBox
  let zoom: Int
  /// The reader's own throttle; there is no event to wait for instead.
  let interval: Duration
  /// What the reader has seen; `nil` before its first event.
  var version: UInt64?
  private var looksAt = ContinuousClock.now

  init(layer: Layer, epoch: UInt32, box: GeoBox, zoom: Int, interval: Duration) {
    self.layer = layer
    self.epoch = epoch
    self.box = box
    self.zoom = zoom
    self.interval = interval
  }

  func changes() throws(APIError) -> (tiles: [TileAddress], version: UInt64) {
    do {
      return try layer.changedTiles(in: box, zoom: zoom, since: version ?? .max)
    } catch {
      throw APIError(error)
    }
  }

  mutating func next(_ room: StreamRoom, patience: Duration) async throws -> [StreamEvent] {
    let end = ContinuousClock.now + patience
    while true {
      try await Task.sleep(until: min(looksAt, end))
      guard looksAt <= .now else { return [] }
      looksAt = .now + interval
      let (tiles, newest) = try changes()
      let isFirst = version == nil
      version = newest
      guard isFirst || !tiles.isEmpty else { continue }
      return [try event(isFirst ? "reset" : "changed", isFirst ? [] : tiles, newest)]
    }
  }

  private func event(
    _ kind: String, _ tiles: [TileAddress], _ version: UInt64
  ) throws(APIError) -> StreamEvent {
    var event = Moyeo_V1_WatchTilesEvent()
    event.kind = kind
    event.resumeToken = LayerVersion(epoch: epoch, counter: version).text
    event.tiles = tiles.map { address in
      var tile = Moyeo_V1_TileRef()
      tile.zoom = Int32(address.zoom)
      tile.x = Int32(address.x)
      tile.y = Int32(address.y)
      return tile
    }
    return StreamEvent(
      kind: kind, resumeToken: event.resumeToken, message: try encoded(event))
  }
}
