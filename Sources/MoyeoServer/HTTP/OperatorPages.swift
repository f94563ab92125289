import Foundation
import HTTPTypes
import Hummingbird
import MoyeoEngine
import NIOCore
import ObjectModel
import SpatialIndexing

/// What is served besides the API: liveness, readiness, metrics, the OpenAPI page and the map.
struct OperatorPages: Sendable {
  let engine: Engine
  let parties: PartyDesk?
  let metrics: PrometheusMetrics?
  let serving: ServingFigures
  let shutdown: ShutdownSignal
  let readiness: Readiness
  let openAPI: [UInt8]
  let map: MapPage

  func response(path: String, request: Request) async -> Response? {
    switch path {
    case "/healthz": Self.text("ok\n")
    case "/readyz": readyz()
    case "/metrics": Self.text(metricsText(), type: "text/plain; version=0.0.4; charset=utf-8")
    case "/openapi.json": HTTPFrontend.json(openAPI)
    default: map.response(path: path, request: request)
    }
  }

  private func readyz() -> Response {
    if shutdown.isShuttingDown { return Self.text("shutting down\n", status: .serviceUnavailable) }
    guard readiness.isReady else {
      return Self.text("starting\n", status: .serviceUnavailable)
    }
    // Reads go on: the reason is told, and commands answer `read_only`.
    if let reason = parties?.readOnlyReason { return Self.text("ready\nread-only: \(reason)\n") }
    return Self.text("ready\n")
  }

  private func metricsText() -> String {
    var out = metrics?.exposition() ?? ""
    out += "# TYPE moyeo_layer_objects gauge\n"
    let layers = engine.layers
    let figures = layers.map { ($0.name, $0.index.statistics()) }
    for (name, statistics) in figures {
      out += "moyeo_layer_objects{layer=\"\(name)\"} \(statistics.objectCount)\n"
    }
    out += "# TYPE moyeo_layer_index_bytes gauge\n"
    for (name, statistics) in figures {
      out += "moyeo_layer_index_bytes{layer=\"\(name)\"} \(statistics.totalBytes)\n"
    }
    out += "# TYPE moyeo_layer_cluster_lag_seconds gauge\n"
    let now = engine.clock.now()
    for layer in layers where layer.settings.clusters {
      let lag = Double(layer.clusterLagMilliseconds(now: now)) / 1000
      out += "moyeo_layer_cluster_lag_seconds{layer=\"\(layer.name)\"} \(lag)\n"
    }
    out += serving.text()
    if let parties { out += PartyFigures.text(parties) }
    return out
  }

  static func text(
    _ text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(
      status: status, headers: [.contentType: type, .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}
