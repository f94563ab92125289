import GRPCServerTransport
import QueryCoalescing

/// How reads are shared, sessions throttled and streams served, as Prometheus text.
struct ServingFigures: Sendable {
  let shared: SharedReads
  let tileCache: TileCache?
  let throttle: SessionThrottle
  let pump: StreamPump
  let connections: ConnectionFigures

  func text() -> String {
    var out = ""
    func add(_ name: String, _ kind: String, _ value: some BinaryInteger) {
      out += "# TYPE \(name) \(kind)\n\(name) \(value)\n"
    }
    let flights = shared.flightStatistics
    add("moyeo_shared_reads_asked_total", "counter", flights.arrivals)
    add("moyeo_shared_reads_worked_out_total", "counter", flights.started)
    add("moyeo_shared_reads_joined_total", "counter", flights.joined)
    let kept = shared.cacheStatistics
    add("moyeo_kept_answers_hits_total", "counter", kept.hits)
    add("moyeo_kept_answers_misses_total", "counter", kept.misses)
    if let tiles = tileCache?.statistics {
      add("moyeo_kept_tiles_hits_total", "counter", tiles.hits)
      add("moyeo_kept_tiles_misses_total", "counter", tiles.misses)
    }
    let sessions = throttle.statistics
    add("moyeo_session_requests_total", "counter", sessions.requests)
    add("moyeo_session_superseded_total", "counter", sessions.superseded)
    add("moyeo_session_unthrottled_total", "counter", sessions.unthrottled)
    add("moyeo_streams_open", "gauge", pump.openCount)
    return out + connections.text()
  }
}

/// How many connections there are, and which were sent away, as Prometheus text.
struct ConnectionFigures: Sendable {
  let grpc: ConnectionLimits
  let http: ConnectionLimits
  let events: TransportEvents
  let httpEvents: TransportEvents
  let certificates: ServerCertificates?

  func text() -> String {
    let listeners = [("grpc", grpc.statistics), ("http", http.statistics)]
    var out = "# TYPE moyeo_connections_open gauge\n"
    for (name, figures) in listeners {
      out += "moyeo_connections_open{transport=\"\(name)\"} \(figures.open)\n"
    }
    out += "# TYPE moyeo_connections_refused_total counter\n"
    for (name, figures) in listeners {
      let refused = [("total", figures.refusedInTotal), ("peer", figures.refusedPerPeer)]
      for (limit, count) in refused {
        let labels = "transport=\"\(name)\",limit=\"\(limit)\""
        out += "moyeo_connections_refused_total{\(labels)} \(count)\n"
      }
    }
    out += "# TYPE moyeo_accept_pauses_total counter\n"
    for (name, figures) in listeners {
      out += "moyeo_accept_pauses_total{transport=\"\(name)\"} \(figures.acceptPauses)\n"
    }
    out += "# TYPE moyeo_grpc_connection_events_total counter\n"
    for (event, count) in events.all.sorted(by: { $0.key < $1.key }) {
      out += "moyeo_grpc_connection_events_total{event=\"\(event)\"} \(count)\n"
    }
    if let certificates { out += tlsText(certificates.statistics) }
    return out
  }

  private func tlsText(_ statistics: ServerCertificates.Statistics) -> String {
    var out = "# TYPE moyeo_http_connection_events_total counter\n"
    for (event, count) in httpEvents.all.sorted(by: { $0.key < $1.key }) {
      out += "moyeo_http_connection_events_total{event=\"\(event)\"} \(count)\n"
    }
    out += "# TYPE moyeo_tls_certificate_expiry_timestamp_seconds gauge\n"
    out += "moyeo_tls_certificate_expiry_timestamp_seconds \(statistics.expiresAt)\n"
    out += "# TYPE moyeo_tls_reloads_total counter\n"
    out += "moyeo_tls_reloads_total{outcome=\"taken\"} \(statistics.reloads)\n"
    out += "moyeo_tls_reloads_total{outcome=\"refused\"} \(statistics.failures)\n"
    return out
  }
}
