import Foundation
import HTTPTypes
import Hummingbird
import LiveLayers
import Parties
import NIOCore
import ObjectModel
import SpatialIndexing

/// What is served besides the API: liveness, readiness, metrics, the OpenAPI page and the map.
struct OperatorPages: Sendable {
  let layers: LayerRegistry
  let parties: PartyService?
  let metrics: PrometheusMetrics?
  let serving: ServingFigures
  let shutdown: ShutdownSignal
  let readiness: Readiness
  let degradations: DegradationLog
  let openAPI: [UInt8]
  let map: MapPage

  static let metricsPath = "/metrics"

  func response(path: String, request: Request) async -> Response? {
    switch path {
    case "/healthz": Self.text("ok\n")
    case "/readyz": readyz()
    case Self.metricsPath:
      Self.text(metricsText(), type: "text/plain; version=0.0.4; charset=utf-8")
    case "/openapi.json": HTTPFrontend.json(openAPI)
    default: map.response(path: path, request: request)
    }
  }

  private func readyz() -> Response {
    if shutdown.isShuttingDown { return Self.text("shutting down\n", status: .serviceUnavailable) }
    guard readiness.isReady else {
      return Self.text("starting\n", status: .serviceUnavailable)
    }
    if readiness.isDraining { return Self.text("draining\n", status: .serviceUnavailable) }
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
    out += "# TYPE moyeo_layer_objects gauge\n"
    let all = layers.all
    let figures = all.map { ($0.name, $0.index.statistics()) }
    for (name, statistics) in figures {
      out += "moyeo_layer_objects{layer=\"\(name)\"} \(statistics.objectCount)\n"
    }
    out += "# TYPE moyeo_layer_index_bytes gauge\n"
    for (name, statistics) in figures {
      out += "moyeo_layer_index_bytes{layer=\"\(name)\"} \(statistics.totalBytes)\n"
    }
    out += "# TYPE moyeo_layer_cluster_lag_seconds gauge\n"
    let now = layers.clock.now()
    for layer in all where layer.settings.clusters {
      let lag = Double(layer.clusterLagMilliseconds(now: now)) / 1000
      out += "moyeo_layer_cluster_lag_seconds{layer=\"\(layer.name)\"} \(lag)\n"
    }
    out += serving.text()
    out += degradations.metricsText
    if let parties { out += PartyFigures.text(parties) }
    return MetricHelp.annotated(out + ProcessFigures.text())
  }

  static func text(
    _ text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(
      status: status, headers: [.contentType: type, .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}
