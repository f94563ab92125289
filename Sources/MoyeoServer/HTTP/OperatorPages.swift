import Foundation
import HTTPTypes
import HummingbirdCore
import LiveLayers
import MoyeoAPI
import Parties
import NIOCore
import ObjectModel
import SpatialIndexing

/// What is served besides the API: liveness, readiness, metrics, the OpenAPI page and the map.
struct OperatorPages: Sendable {
  let layers: LayerRegistry
  /// Layers of the other tenants that are served, by the name under which they are counted.
  let othersLayers: @Sendable () -> [(tenant: String, layers: LayerRegistry)]
  let parties: PartyService?
  let metrics: PrometheusMetrics?
  let serving: ServingFigures
  let shutdown: ShutdownSignal
  let readiness: Readiness
  let degradations: DegradationLog
  let openAPI: DocumentOnDemand
  let map: MapPage

  static let livenessPath = "/healthz"
  /// What is answered there as long as anything is.
  static let livenessText = "ok\n"
  static let metricsPath = "/metrics"
  /// Besides those of the map.
  static let paths: Set = [livenessPath, "/readyz", metricsPath, "/openapi.json"]

  func response(path: String, request: Request) async -> Response? {
    switch path {
    case Self.livenessPath: Self.text(Self.livenessText)
    case "/readyz": readyz()
    case Self.metricsPath:
      Self.text(metricsText(), type: "text/plain; version=0.0.4; charset=utf-8")
    case "/openapi.json": HTTPFrontend.json(await openAPI.bytes())
    default: map.response(path: path, request: request)
    }
  }

  /// The refusal of a request to a page by another method than GET and HEAD; nil where no page is.
  func refusal(of request: Request) -> APIError? {
    let path = request.uri.path
    guard Self.paths.contains(path) || map.serves(path) else { return nil }
    return Self.refusal(of: request.method)
  }

  /// The refusal of a method that no page answers.
  static func refusal(of method: HTTPRequest.Method) -> APIError {
    var error = APIError(
      .methodNotAllowed, "this page answers GET, HEAD, not \(method.rawValue)")
    error.allowedMethods = ["GET", "HEAD"]
    return error
  }

  private func readyz() -> Response {
    if shutdown.isShuttingDown { return Self.text("shutting down\n", status: .serviceUnavailable) }
    guard readiness.isReady else {
      let reason = readiness.behindReason.map { ": \($0)" } ?? ""
      return Self.text("starting\(reason)\n", status: .serviceUnavailable)
    }
    if readiness.isDraining { return Self.text("draining\n", status: .serviceUnavailable) }
    if let reason = readiness.behindReason {
      return Self.text("behind: \(reason)\n", status: .serviceUnavailable)
    }
    // Reads go on: the reason is told, and commands answer `read_only`.
    var text = "ready\n"
    let readOnly = parties?.readOnlyReason
    if let readOnly { text += "read-only: \(readOnly)\n" }
    for (part, reason) in degradations.reasons where part != "record" || readOnly == nil {
      text += "degraded: \(part): \(reason)\n"
    }
    return Self.text(text)
  }

  private func metricsText() -> String {
    var out = metrics?.exposition() ?? ""
    out += layerGauges()
    out += serving.text()
    out += degradations.metricsText
    if let sharing = layers.sharing { out += SharingFigures.text(sharing) }
    if let parties { out += PartyFigures.text(parties) }
    return MetricHelp.annotated(out + ProcessFigures.text())
  }

  /// Of the default tenant without its name, as a daemon of one tenant shows them.
  private func layerGauges() -> String {
    let now = layers.clock.now()
    var objects = "# TYPE moyeo_layer_objects gauge\n"
    var bytes = "# TYPE moyeo_layer_index_bytes gauge\n"
    var lags = "# TYPE moyeo_layer_cluster_lag_seconds gauge\n"
    for (tenant, layers) in [("", layers)] + othersLayers() {
      for layer in layers.all {
        let labels =
          "{layer=\"\(layer.name)\"" + (tenant.isEmpty ? "" : ",tenant=\"\(tenant)\"") + "}"
        let statistics = layer.index.statistics()
        objects += "moyeo_layer_objects\(labels) \(statistics.objectCount)\n"
        bytes += "moyeo_layer_index_bytes\(labels) \(statistics.totalBytes)\n"
        guard layer.settings.clusters else { continue }
        let lag = Double(layer.clusterLagMilliseconds(now: now)) / 1000
        lags += "moyeo_layer_cluster_lag_seconds\(labels) \(lag)\n"
      }
    }
    return objects + bytes + lags
  }

  static let textType = "text/plain; charset=utf-8"

  static func text(
    _ text: String, type: String = textType, status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(
      status: status, headers: [.contentType: type, .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}
