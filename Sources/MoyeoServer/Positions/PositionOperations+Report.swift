import GeoMath
import MoyeoAPI
import LiveLayers
import ObjectModel
import SwiftProtobuf
import WireFormat

extension PositionOperations {
  /// A Report of plainly valid positions without the generated types; anything else takes the
  /// path through them.
  func reportOnEventLoop(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> [UInt8] {
    if let name = reportReader.layerName(in: bytes), let layer = try? layers.layer(name),
      !LayerName.reserved.contains(name)
    {
      var batch = layer.reportBatch(now: layers.clock.now(), limits: layers.limits)
      batch.reserveCapacity(min(bytes.count / 64 + 1, layers.limits.reportBatch))
      if reportReader.read(bytes, settings: layer.settings, into: &batch) {
        let outcomes = layer.apply(batch)
        if outcomes.allSatisfy({ $0 == .accepted }) {
          var writer = ProtobufWriter(capacity: 32)
          writer.int32(1, outcomes.count)
          writer.string(3, layer.version.text)
          return writer.bytes
        }
        // Rare: the ids of stale reports are read again, with the generated types.
        let message = try RequestDecoding.message(
          Moyeo_V1_ReportRequest.self, encoded: Array(bytes))
        return try encoded(
          response(to: outcomes, ids: message.positions.map(\.id), layer: layer))
      }
    }
    return try report(
      try validation.decodedOnEventLoop(Moyeo_V1_ReportRequest.self, bytes, isRead: false))
  }

  private func response(to outcomes: [ReportOutcome], ids: [String], layer: Layer)
    -> Moyeo_V1_ReportResponse
  {
    var response = Moyeo_V1_ReportResponse()
    var accepted = 0
    for (i, outcome) in outcomes.enumerated() {
      if outcome == .accepted {
        accepted += 1
      } else {
        response.rejections.append(rejection(of: outcome, index: i, id: ids[i]))
      }
    }
    response.accepted = Int32(accepted)
    response.version = layer.version.text
    return response
  }

  /// Stores what is valid and says of each other item why not. When every item is invalid the
  /// call itself fails, with the list beside the error.
  func report(_ request: Moyeo_V1_ReportRequest) throws(APIError) -> [UInt8] {
    let name = try validation.layerName(request.layerIfSet)
    return try encoded(report(request.positions, to: name))
  }

  /// Of a Report, what is valid, where that stood, and the answer with what was refused so far.
  struct CheckedReports {
    var reports: [PositionReport] = []
    var indices: [Int] = []
    var response = Moyeo_V1_ReportResponse()
  }

  /// Checks the items of a Report.
  ///
  /// - Throws: ``APIError``: too many, a layer that takes none, or nothing valid among them.
  func validated(
    _ positions: [Moyeo_V1_Position], to layerName: String
  ) throws(APIError) -> CheckedReports {
    guard positions.count <= layers.limits.reportBatch else {
      throw APIError(
        .tooManyItems, field: "positions",
        "at most \(layers.limits.reportBatch) positions here")
    }
    // Refuses bad and reserved names before anything else; a layer begins with its first report.
    let settings = try settingsForReports(layerName)
    var checked = CheckedReports()
    checked.reports.reserveCapacity(positions.count)
    checked.response.accepted = 0
    for (i, position) in positions.enumerated() {
      do {
        checked.reports.append(
          try report(position, settings: settings, field: "positions[\(i)]."))
        checked.indices.append(i)
      } catch {
        checked.response.rejections.append(rejection(index: i, id: position.id, error))
      }
    }
    if checked.reports.isEmpty, let first = checked.response.rejections.first {
      throw everythingRefused(checked.response.rejections, first)
    }
    if checked.reports.isEmpty, let layer = try? layers.layer(layerName) {
      checked.response.version = layer.version.text
    }
    return checked
  }

  func report(_ positions: [Moyeo_V1_Position], to layerName: String) throws(APIError)
    -> Moyeo_V1_ReportResponse
  {
    let checked = try validated(positions, to: layerName)
    let (reports, indices) = (checked.reports, checked.indices)
    var response = checked.response
    guard !reports.isEmpty else { return response }
    let layer: Layer
    do { layer = try layers.layerForReports(layerName) } catch { throw APIError(error) }
    let outcomes = layer.report(reports, now: layers.clock.now(), limits: layers.limits)
    var accepted = 0
    for (k, outcome) in outcomes.enumerated() {
      guard outcome != .accepted else {
        accepted += 1
        continue
      }
      response.rejections.append(rejection(of: outcome, index: indices[k], id: reports[k].id))
    }
    response.rejections.sort { $0.index < $1.index }
    response.accepted = Int32(accepted)
    response.version = layer.version.text
    return response
  }

  /// What a layer that takes reports is, or will be, set to.
  /// - Throws: `bad_layer`, `reserved_layer`.
  func settingsForReports(_ name: String) throws(APIError) -> LayerSettings {
    guard LayerName.isValid(name) else { throw APIError(LayerError.badLayerName(name)) }
    guard !LayerName.reserved.contains(name) else {
      throw APIError(LayerError.reservedLayer(name))
    }
    if let layer = try? layers.layer(name) { return layer.settings }
    return layers.configuration.layerSettings(name)
  }

  private func report(
    _ position: Moyeo_V1_Position, settings: LayerSettings, field: String
  ) throws(APIError) -> PositionReport {
    do throws(APIError) {
      guard position.unknownFields.data.isEmpty else {
        throw APIError(.unknownField, "the position has fields that this service does not know")
      }
      let id = try validation.id(position.idIfSet, field: "id")
      let coordinate = try validation.coordinate(
        latitude: position.latitudeIfSet,
        longitude: position.longitudeIfSet,
        allowsNullIsland: settings.allowsNullIsland)
      let report = PositionReport(
        id: id, latitude: coordinate.latitude, longitude: coordinate.longitude,
        tags: try validation.tags(position.tags, field: "tags"),
        attributes: try validation.attributes(position.attributes, field: "attributes"),
        ttlMilliseconds: try validation.ttlMilliseconds(
          position.ttlSecondsIfSet, field: "ttlSeconds"),
        observedAt: try validation.time(ifSet: position.observedAtIfSet, field: "observedAt"))
      return report
    } catch {
      throw error.prefixingFields(field)
    }
  }

  func rejection(index: Int, id: String, _ error: APIError) -> Moyeo_V1_Rejection {
    var rejection = Moyeo_V1_Rejection()
    rejection.index = Int32(index)
    // Cut, so that a huge bad id does not come back at full length.
    rejection.id =
      id.utf8.count <= 128
      ? id : String(String.UnicodeScalarView(id.unicodeScalars.prefix(32))) + "…"
    // The path inside the item: `positions[3].latitude` is `latitude` here.
    rejection.field =
      error.fields.first.map { String($0.field.drop { $0 != "." }.dropFirst()) } ?? ""
    rejection.reason = error.reason.rawValue
    rejection.message = error.message
    return rejection
  }

  func rejection(of outcome: ReportOutcome, index: Int, id: String)
    -> Moyeo_V1_Rejection
  {
    var rejection = Moyeo_V1_Rejection()
    rejection.index = Int32(index)
    rejection.id = id
    switch outcome {
    case .full:
      rejection.reason = Reason.quotaExceeded.rawValue
      rejection.message =
        "the layer, or all layers together, hold as many objects and bytes as they may: remove "
        + "some, or raise limits.objectsPerLayer, limits.objects or limits.objectBytes"
    case .stale:
      rejection.field = "observedAt"
      rejection.reason = Reason.stale.rawValue
      rejection.message = "a newer observation of this object is stored"
    case .alreadyExpired, .accepted:
      rejection.field = "observedAt"
      rejection.reason = Reason.stale.rawValue
      rejection.message = "its time to live had passed before it arrived"
    }
    return rejection
  }

  private func everythingRefused(
    _ rejections: [Moyeo_V1_Rejection], _ first: Moyeo_V1_Rejection
  ) -> APIError {
    let reason = Reason(rawValue: first.reason) ?? .malformedRequest
    var error = APIError(
      reason,
      rejections.count == 1
        ? first.message : "every position was refused; the first: \(first.message)")
    error.fields = rejections.prefix(20).map {
      .init(
        field: "positions[\($0.index)]" + ($0.field.isEmpty ? "" : "." + $0.field),
        reason: Reason(rawValue: $0.reason) ?? .malformedRequest, message: $0.message)
    }
    error.rejections = rejections
    return error
  }

  /// Takes an object out; removing what is not there is not an error.
  func remove(_ request: Moyeo_V1_RemovePositionRequest) throws(APIError) -> [UInt8] {
    let name = try validation.layerName(request.layerIfSet)
    guard !LayerName.reserved.contains(name) else {
      throw APIError(LayerError.reservedLayer(name))
    }
    let layer = try services.layer(name, minVersion: nil)
    let id = try validation.id(request.idIfSet, field: "id")
    var response = Moyeo_V1_RemovePositionResponse()
    response.removed = layer.remove(id: id, now: layers.clock.now())
    response.version = layer.version.text
    return try encoded(response)
  }
}

/// Bytes of a message that we made ourselves.
func encoded(_ message: some Message) throws(APIError) -> [UInt8] {
  guard let bytes: [UInt8] = try? message.serializedBytes() else {
    throw APIError(.internalError, "the answer could not be encoded")
  }
  return bytes
}

extension ObjectModel.Instant {
  /// Milliseconds; sub-millisecond digits are dropped, and the far ends of time stay at the ends.
  init(_ timestamp: Google_Protobuf_Timestamp) {
    let (milliseconds, overflow) = timestamp.seconds.multipliedReportingOverflow(by: 1000)
    self.init(
      milliseconds: overflow
        ? (timestamp.seconds > 0 ? .max : .min) : milliseconds)
    self = advanced(milliseconds: Int64(timestamp.nanos) / 1_000_000)
  }
}
