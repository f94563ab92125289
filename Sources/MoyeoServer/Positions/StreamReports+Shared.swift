import LiveLayers
import MoyeoAPI
import ObjectModel
import SpatialIndexing

/// Streams of reports where daemons share positions: each message waits for the log.
extension ReportStream {
  mutating func answer(
    encoded message: [UInt8], _ sharing: SharedPositions
  ) async throws -> [UInt8] {
    let request = try message.withUnsafeBytes { raw in
      Result { () throws(APIError) in try received(raw) }
    }.get()
    let layerName = try begin(request)
    guard try positions.settingsForReports(layerName).protection == nil else {
      return try MoyeoServer.encoded(try answer(request))
    }
    var response = Moyeo_V1_StreamReportsResponse()
    response.accepted = 0
    if !request.positions.isEmpty {
      do {
        let report = try await positions.report(request.positions, to: layerName, sharing)
        response.accepted = report.accepted
        response.rejections = report.rejections
      } catch let error as APIError {
        // One bad message of a stream is answered, not the end of the stream.
        guard !error.rejections.isEmpty else { throw error }
        response.rejections = error.rejections
      }
    }
    if request.hasRegister { try register(request.register.ids, layerName, &response) }
    if request.hasPacked { try await apply(request.packed, layerName, &response, sharing) }
    if let layer = try? positions.layers.layer(layerName) { response.version = layer.version.text }
    if request.hasSequence { response.sequence = request.sequence }
    return try MoyeoServer.encoded(response)
  }

  /// Moves by handle: what else is known of each object is taken from this daemon's layer.
  private func apply(
    _ packed: Moyeo_V1_PackedReports, _ layerName: String,
    _ response: inout Moyeo_V1_StreamReportsResponse, _ sharing: SharedPositions
  ) async throws {
    try checkCounts(of: packed)
    let layer = try positions.services.layer(layerName, minVersion: nil)
    let ttl = try positions.validation.ttlMilliseconds(
      packed.ttlSecondsIfSet, field: "packed.ttlSeconds")
    let now = positions.layers.clock.now()
    var reports: [PositionReport] = []
    var indices: [Int] = []
    for i in 0..<packed.handles.count {
      let (latitude, longitude) = (packed.latitudeE7[i], packed.longitudeE7[i])
      if let refusal = refusal(latitude, longitude, layer.settings) {
        response.rejections.append(
          Self.rejection(index: i, id: "", field: refusal.field, reason: refusal.reason))
        continue
      }
      let handle = ObjectHandle(packed: packed.handles[i])
      let known = layer.index.withObject(handle: handle, now: now) { hit in
        PositionReport(
          id: hit.idString, latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7,
          tags: ObjectPayload.tags(in: hit.payload),
          attributes: Array(ObjectPayload.attributes(in: hit.payload)), ttlMilliseconds: ttl,
          observedAt: packed.observedAtMillisecondsIfSet.map(Instant.init(milliseconds:)))
      }
      guard let known else {
        response.rejections.append(
          Self.rejection(index: i, id: "", field: "handles", reason: .unknownObject))
        continue
      }
      reports.append(known)
      indices.append(i)
    }
    let outcomes = try await positions.write(reports, to: layer, sharing)
    for (k, outcome) in outcomes.enumerated() {
      switch outcome {
      case .success(.accepted): response.accepted += 1
      case .success:
        response.rejections.append(
          Self.rejection(
            index: indices[k], id: "", field: "observedAtMilliseconds", reason: .stale))
      case .failure(let failure):
        response.rejections.append(
          Self.rejection(
            index: indices[k], id: "", field: "handles", reason: APIError(failure).reason))
      }
    }
    response.rejections.sort { $0.index < $1.index }
  }
}
