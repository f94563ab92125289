import GRPCCore
public import MoyeoAPI

private typealias PositionMethod = Moyeo_V1_PositionService.Method

extension MoyeoClient {
  /// Reports up to 1,000 positions; one bad item never spoils the others.
  ///
  /// A batch of which every item was refused is a ``MoyeoError/refused(_:)`` with the rejections.
  ///
  /// - Throws: ``MoyeoError``: `bad_layer` or `quota_exceeded`; single positions that are refused
  ///   stand in the answer.
  public func report(_ request: Moyeo_V1_ReportRequest) async throws(MoyeoError)
    -> Moyeo_V1_ReportResponse
  {
    var body = request
    if case .http = transport { body.clearLayer() }
    return try await unary(
      body, PositionMethod.Report.descriptor, .post("layers", request.layer, "positions"),
      effect: .set)
  }

  /// One stored position as reported, with its age.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer` or `unknown_object`.
  public func get(layer: String, id: String) async throws(MoyeoError)
    -> Moyeo_V1_GetPositionResponse
  {
    var request = Moyeo_V1_GetPositionRequest()
    if case .grpc = transport {
      request.layer = layer
      request.id = id
    }
    return try await unary(
      request, PositionMethod.Get.descriptor, .get("layers", layer, "positions", id))
  }

  /// Takes an object out; `removed` tells whether it was there.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer`.
  public func remove(layer: String, id: String) async throws(MoyeoError)
    -> Moyeo_V1_RemovePositionResponse
  {
    var request = Moyeo_V1_RemovePositionRequest()
    request.layer = layer
    request.id = id
    return try await unary(
      request, PositionMethod.Remove.descriptor, .delete("layers", layer, "positions", id),
      effect: .set)
  }

  /// Who is near, nearest first.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer`, `bad_polygon`, `bad_cursor` or `too_much_work`,
  ///   with what to narrow.
  public func nearby(_ request: Moyeo_V1_NearbyRequest) async throws(MoyeoError)
    -> Moyeo_V1_NearbyResponse
  {
    var body = request
    if case .http = transport { body.clearLayer() }
    return try await unary(
      body, PositionMethod.Nearby.descriptor, .post("layers", request.layer, "nearby"))
  }

  /// Up to 100 questions at once, each answered or refused by itself.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer`, `too_many_items` or `too_much_work`.
  public func nearbyBatch(_ request: Moyeo_V1_NearbyBatchRequest) async throws(MoyeoError)
    -> Moyeo_V1_NearbyBatchResponse
  {
    var body = request
    if case .http = transport { body.clearLayer() }
    return try await unary(
      body, PositionMethod.NearbyBatch.descriptor,
      .post("layers", request.layer, "nearby", "batch"))
  }

  /// Everything in a box or polygon, page by page.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer`, `bad_box`, `bad_polygon`, `bad_cursor` or
  ///   `too_much_work`.
  public func within(_ request: Moyeo_V1_WithinRequest) async throws(MoyeoError)
    -> Moyeo_V1_WithinResponse
  {
    var body = request
    if case .http = transport { body.clearLayer() }
    return try await unary(
      body, PositionMethod.Within.descriptor, .post("layers", request.layer, "within"))
  }

  /// Popular tags of an area.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer` or `too_much_work`.
  public func tagHistogram(_ request: Moyeo_V1_TagHistogramRequest) async throws(MoyeoError)
    -> Moyeo_V1_TagHistogramResponse
  {
    var body = request
    if case .http = transport { body.clearLayer() }
    return try await unary(
      body, PositionMethod.TagHistogram.descriptor, .get("layers", request.layer, "tags"))
  }

  /// The layers there are, with their sizes.
  ///
  /// - Throws: ``MoyeoError``: those of any call alone: `unauthenticated`, `rate_limited`,
  ///   `unavailable`.
  public func listLayers() async throws(MoyeoError) -> Moyeo_V1_ListLayersResponse {
    try await unary(
      Moyeo_V1_ListLayersRequest(), PositionMethod.ListLayers.descriptor, .get("layers"))
  }

  /// Ends a layer with all that is in it. It is not repeated when its answer was lost: meanwhile
  /// others may have begun the layer anew.
  ///
  /// - Throws: ``MoyeoError``: `unknown_layer`, or `forbidden` for who is no server.
  public func deleteLayer(_ layer: String) async throws(MoyeoError)
    -> Moyeo_V1_DeleteLayerResponse
  {
    var request = Moyeo_V1_DeleteLayerRequest()
    request.layer = layer
    return try await unary(
      request, PositionMethod.DeleteLayer.descriptor, .delete("layers", layer), effect: .once)
  }

  /// Writes the messages of a report stream.
  public struct ReportWriter: Sendable {
    let writer: RPCWriter<Moyeo_V1_StreamReportsRequest>

    /// Suspends while the connection takes no more.
    ///
    /// - Throws: ``MoyeoError``: what ended the stream, such as `token_expired` or `unavailable`.
    public func write(_ message: Moyeo_V1_StreamReportsRequest) async throws {
      try await writer.write(message)
    }
  }

  /// Reports over one stream: positions, or packed columns for registered handles. gRPC only.
  ///
  /// The stream's first message names the layer; it ends when `produce` returns and the service
  /// has answered the last message. It does not resume: handles hold for their connection.
  ///
  /// - Parameters:
  ///   - produce: Writes the messages; the stream of requests ends when it returns.
  ///   - onAnswer: Called for each answer, in order.
  /// - Throws: ``MoyeoError``, `unknown_route` over HTTP, or what `produce` or `onAnswer` threw.
  public func streamReports(
    _ produce: @Sendable @escaping (ReportWriter) async throws -> Void,
    onAnswer: @Sendable @escaping (Moyeo_V1_StreamReportsResponse) async throws -> Void
  ) async throws {
    guard case .grpc(let grpc) = transport else {
      throw MoyeoError.refused(
        Refusal(
          code: "UNIMPLEMENTED", reason: "unknown_route",
          message: "report streams are served over gRPC only"))
    }
    let own = HandlerError()
    let token = try await tokens.current()
    do {
      try await grpc.streamReports(headers: TokenKeeper.headers(token)) { writer in
        // What the writer throws is the stream's end, which is told as that.
        try await produce(ReportWriter(writer: writer))
      } onAnswer: { answer in
        try await own.keeping { try await onAnswer(answer) }
      }
    } catch {
      throw own.error ?? error
    }
  }
}
