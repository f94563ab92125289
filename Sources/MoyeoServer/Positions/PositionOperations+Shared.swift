import LiveLayers
import MoyeoAPI
import ObjectModel
import SpatialIndexing

/// Calls that write where daemons share positions: they wait for the log.
extension PositionOperations {
  func sharedWrites(_ sharing: SharedPositions) -> [Operation] {
    let layer = "/v1/layers/{layer}"
    return [
      Operation(
        "PositionService", "Report", request: Moyeo_V1_ReportRequest.self,
        response: Moyeo_V1_ReportResponse.self,
        routes: [.init("POST", layer + "/positions")], maximumRequestBytes: 4 << 20, isRead: false
      ) { request, _ in
        let name = try validation.layerName(request.layerIfSet)
        return try encoded(try await report(request.positions, to: name, sharing))
      },
      Operation(
        "PositionService", "Remove", request: Moyeo_V1_RemovePositionRequest.self,
        response: Moyeo_V1_RemovePositionResponse.self,
        routes: [.init("DELETE", layer + "/positions/{id}")], isRead: false
      ) { request, _ in try await remove(request, sharing) },
    ]
  }

  func report(
    _ positions: [Moyeo_V1_Position], to layerName: String, _ sharing: SharedPositions
  ) async throws -> Moyeo_V1_ReportResponse {
    // Blurred positions stay this daemon's own: the log would have to know the exact ones.
    guard try settingsForReports(layerName).protection == nil else {
      return try report(positions, to: layerName)
    }
    var checked = try validated(positions, to: layerName)
    guard !checked.reports.isEmpty else { return checked.response }
    let layer: Layer
    do { layer = try layers.layerForReports(layerName) } catch { throw APIError(error) }
    let outcomes = try await write(checked.reports, to: layer, sharing)
    let version = layer.version.text
    for (k, outcome) in outcomes.enumerated() {
      let (index, id) = (checked.indices[k], checked.reports[k].id)
      switch outcome {
      case .success(.accepted): checked.response.accepted += 1
      case .success(let refused):
        checked.response.rejections.append(rejection(of: refused, index: index, id: id))
      case .failure(let failure):
        checked.response.rejections.append(rejection(index: index, id: id, APIError(failure)))
      }
    }
    checked.response.rejections.sort { $0.index < $1.index }
    checked.response.version = version
    return checked.response
  }

  /// Writes reports to the log.
  ///
  /// - Returns: Of each report, what became of it.
  /// - Throws: ``APIError`` when the log took none of them.
  func write(
    _ reports: [PositionReport], to layer: Layer, _ sharing: SharedPositions
  ) async throws -> [Result<ReportOutcome, PositionLogFailure>] {
    let now = layers.clock.now()
    let changes = reports.map {
      layer.change($0, tenant: layers.tenant, now: now, limits: layers.limits)
    }
    let results = await sharing.write(changes.compactMap { $0 })
    if !results.isEmpty, let failure = results.lazy.compactMap(\.failureIfAny).first,
      results.allSatisfy({ $0.failureIfAny != nil })
    {
      throw APIError(failure)
    }
    var next = results.makeIterator()
    return changes.map { change in
      guard change != nil, let result = next.next() else { return .success(.alreadyExpired) }
      return result.map { decision in
        switch decision {
        case .stored: .accepted
        case .stale: .stale
        // No report removes anything.
        case .removed: .accepted
        }
      }
    }
  }

  private func remove(
    _ request: Moyeo_V1_RemovePositionRequest, _ sharing: SharedPositions
  ) async throws -> [UInt8] {
    let name = try validation.layerName(request.layerIfSet)
    guard try settingsForReports(name).protection == nil else { return try remove(request) }
    let layer = try services.layer(name, minVersion: nil)
    let id = try validation.id(request.idIfSet, field: "id")
    let key = StoredPositionKey(tenant: layers.tenant, layer: name, id: id)
    var response = Moyeo_V1_RemovePositionResponse()
    switch await sharing.write([.remove(key)]).first {
    case .failure(let failure)?: throw APIError(failure)
    case .success(.removed(let wasThere))?: response.removed = wasThere
    case .success(.stored)?, .success(.stale)?, nil: response.removed = false
    }
    response.version = layer.version.text
    return try encoded(response)
  }

  /// Removes everything in a layer from the log, so that it goes everywhere.
  ///
  /// - Returns: How many objects were removed.
  /// - Throws: ``APIError`` when the log fails; what was removed before stays so.
  func removeAll(in layer: Layer, _ sharing: SharedPositions) async throws -> Int {
    var keys: [StoredPositionKey] = []
    layer.index.forEachObject(now: layers.clock.now()) { hit in
      keys.append(StoredPositionKey(tenant: layers.tenant, layer: layer.name, id: hit.idString))
    }
    var removed = 0
    for start in stride(from: 0, to: keys.count, by: Self.removalsAtOnce) {
      let some = keys[start..<min(start + Self.removalsAtOnce, keys.count)]
      for result in await sharing.write(some.map { .remove($0) }) {
        switch result {
        case .failure(let failure): throw APIError(failure)
        case .success(let decision): removed += decision == .removed(wasThere: true) ? 1 : 0
        }
      }
    }
    return removed
  }

  private static let removalsAtOnce = 4096
}

extension APIError {
  init(_ failure: PositionLogFailure) {
    switch failure {
    case .overloaded:
      self.init(
        .overloaded, "as many positions wait for the log as may: report again in a moment",
        retryAfterMilliseconds: 100)
    case .unavailable:
      self.init(
        .unavailable, "the log of positions does not answer: report again in a moment",
        retryAfterMilliseconds: 500)
    }
  }
}

extension Result {
  fileprivate var failureIfAny: Failure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}
