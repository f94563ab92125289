import GRPCCore
import GeoMath
import HTTPTypes
import Hummingbird
import MoyeoAPI
import MoyeoEngine
import NIOCore

/// WatchTiles: addresses of tiles that changed in a viewport, over gRPC and as server-sent events.
///
/// A soft stream: nothing is kept for a watcher but the version it has seen, so it costs the same
/// however slow it reads, and changes merge while it does. A token of an earlier start begins with
/// `reset`: fetch every tile of the viewport.
struct TileWatch: Sendable {
  let clusters: ClusterOperations
  let shutdown: ShutdownSignal
  /// A comment keeps proxies from closing a quiet stream.
  private static let heartbeatSeconds = 15.0

  struct Subscription: Sendable {
    let layer: Layer
    let box: GeoBox
    let zoom: Int
    let interval: Duration
    var version: UInt64?
  }

  func subscription(_ request: Moyeo_V1_WatchTilesRequest) async throws -> Subscription {
    let layer = try await clusters.layer(request.hasLayer ? request.layer : nil, minVersion: nil)
    let validation = clusters.validation
    let box = try validation.box(
      west: request.hasWest ? request.west : nil, south: request.hasSouth ? request.south : nil,
      east: request.hasEast ? request.east : nil, north: request.hasNorth ? request.north : nil)
    guard let box else {
      throw APIError(.missingField, field: "west", "a viewport needs west, south, east and north")
    }
    guard request.hasZoom else {
      throw APIError(.missingField, field: "zoom", "zoom is required")
    }
    let maximum = clusters.engine.limits.maximumZoom
    guard request.zoom >= 0 && request.zoom < Double(maximum + 1) else {
      throw APIError(
        .limitOutOfRange, field: "zoom", "zoom is 0 to \(maximum); got \(request.zoom)")
    }
    let interval = request.hasIntervalMilliseconds ? request.intervalMilliseconds : 250
    guard (50...60_000).contains(interval) else {
      throw APIError(
        .limitOutOfRange, field: "intervalMilliseconds",
        "intervalMilliseconds is 50 to 60000; got \(interval)")
    }
    var subscription = Subscription(
      layer: layer, box: box, zoom: Int(request.zoom),
      interval: .milliseconds(Int(interval)))
    if request.hasResumeToken, let token = LayerVersion(text: request.resumeToken),
      token.epoch == clusters.engine.epoch
    {
      subscription.version = token.counter
    }
    // Also checks that the viewport is not too large.
    _ = try changes(&subscription, peek: true)
    return subscription
  }

  /// The next event, `nil` when nothing changed.
  private func changes(
    _ subscription: inout Subscription, peek: Bool = false
  ) throws(APIError) -> Moyeo_V1_WatchTilesEvent? {
    do {
      let (tiles, version) = try subscription.layer.changedTiles(
        in: subscription.box, zoom: subscription.zoom, since: subscription.version ?? .max)
      guard !peek else { return nil }
      var event = Moyeo_V1_WatchTilesEvent()
      event.resumeToken = LayerVersion(epoch: clusters.engine.epoch, counter: version).text
      let isFirst = subscription.version == nil
      subscription.version = version
      event.kind = isFirst ? "reset" : "changed"
      guard isFirst || !tiles.isEmpty else { return nil }
      if !isFirst {
        event.tiles = tiles.map { address in
          var tile = Moyeo_V1_TileRef()
          tile.zoom = Int32(address.zoom)
          tile.x = Int32(address.x)
          tile.y = Int32(address.y)
          return tile
        }
      }
      return event
    } catch {
      throw APIError(error)
    }
  }

  /// Calls `send` with each event, and with `nil` after a long silence, until the caller leaves or
  /// the daemon shuts down.
  func run(
    _ start: Subscription, send: (Moyeo_V1_WatchTilesEvent?) async throws -> Void
  ) async throws {
    var subscription = start
    var quiet = 0.0
    while !Task.isCancelled && !shutdown.isShuttingDown {
      if let event = try changes(&subscription) {
        quiet = 0
        try await send(event)
      } else if quiet >= Self.heartbeatSeconds {
        quiet = 0
        try await send(nil)
      }
      // The interval is the subscriber's own throttle; there is no event to wait for instead.
      try await Task.sleep(for: subscription.interval)
      quiet += subscription.interval / .seconds(1)
    }
  }

  func response(
    _ parameters: [(name: String, value: String)], _ request: Request
  ) async throws -> Response {
    let json = try RequestParameters(MessageSchema.of(Moyeo_V1_WatchTilesRequest.self)).json(
      path: parameters, query: request.uri.query)
    var message = try RequestDecoding.message(
      Moyeo_V1_WatchTilesRequest.self, body: nil, parameters: json)
    if let last = request.headers[Self.lastEventID] { message.resumeToken = last }
    let subscription = try await subscription(message)
    let transcoder = JSONTranscoder(Moyeo_V1_WatchTilesEvent.self)
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"],
      body: .init { writer in
        try await writer.write(Self.comment)
        try await run(subscription) { event in
          guard let event else { return try await writer.write(Self.comment) }
          var buffer = ByteBuffer()
          buffer.writeString("event: \(event.kind)\nid: \(event.resumeToken)\ndata: ")
          buffer.writeBytes(try transcoder.json(try encoded(event)))
          buffer.writeString("\n\n")
          try await writer.write(buffer)
        }
        try await writer.finish(nil)
      })
  }

  /// Anything that is no event: it opens the stream, and keeps it open when nothing happens.
  private static let comment = ByteBuffer(string: ": moyeo\n\n")

  private static var lastEventID: HTTPField.Name { .init(parsed: "last-event-id") ?? .from }
}

extension GRPCFrontend {
  func registerWatchTiles(_ watch: TileWatch, in router: inout RPCRouter<Transport>) {
    router.registerHandler(
      forMethod: MethodDescriptor(
        fullyQualifiedService: "moyeo.v1.ClusterService", method: "WatchTiles"),
      deserializer: BytesDeserializer(), serializer: BytesSerializer()
    ) { request, _ in
      do {
        let single = try await ServerRequest(stream: request)
        let message = try RequestDecoding.message(
          Moyeo_V1_WatchTilesRequest.self, encoded: single.message)
        let subscription = try await watch.subscription(message)
        return StreamingServerResponse { writer in
          try await watch.run(subscription) { event in
            // HTTP/2 has keep-alive of its own.
            if let event { try await writer.write(try encoded(event)) }
          }
          return [:]
        }
      } catch let error as APIError {
        throw error.grpcStatus
      }
    }
  }
}
