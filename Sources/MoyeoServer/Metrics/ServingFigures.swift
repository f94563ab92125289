import CallTracing
package import GRPCServerTransport
import QueryCoalescing
import Threading

/// How reads are shared, sessions throttled and streams served, as Prometheus text.
struct ServingFigures: Sendable {
  let shared: SharedReads
  let tileCache: TileCache?
  let throttle: SessionThrottle
  let pump: StreamPump
  let rates: CallRates
  let threadPool: BoundedThreadPool
  let connections: ConnectionFigures
  /// Nil: no such log is kept.
  var disclosures: (any DisclosureLog)?
  /// What a collector is told of; nil where it is told nothing.
  var spans: SpanRecorder?

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
    if let figures = disclosures?.figures {
      add("moyeo_disclosures_written_total", "counter", figures.written)
      add("moyeo_disclosures_waiting_bytes", "gauge", figures.waitingBytes)
    }
    return out + rateText() + poolText() + connections.text() + spanText()
  }

  private func rateText() -> String {
    var out = "# TYPE moyeo_rate_limited_total counter\n"
    for (limit, kind, count) in rates.refusals {
      out += "moyeo_rate_limited_total{limit=\"\(limit)\",kind=\"\(kind.word)\"} \(count)\n"
    }
    out += "# TYPE moyeo_rate_debts_forgotten_total counter\n"
    out += "moyeo_rate_debts_forgotten_total \(rates.forgottenDebts)\n"
    return out
  }

  private func spanText() -> String {
    guard let figures = spans?.statistics else { return "" }
    return """
      # TYPE moyeo_spans_total counter
      moyeo_spans_total{outcome="exported"} \(figures.exported)
      moyeo_spans_total{outcome="dropped"} \(figures.dropped)
      moyeo_spans_total{outcome="refused"} \(figures.refused)
      # TYPE moyeo_spans_waiting gauge
      moyeo_spans_waiting \(figures.waiting)

      """
  }

  /// Of the threads of long calls.
  private func poolText() -> String {
    let figures = threadPool.figures
    var out = "# TYPE moyeo_long_calls_waiting gauge\nmoyeo_long_calls_waiting \(figures.waiting)\n"
    out += "# TYPE moyeo_long_calls_limit gauge\nmoyeo_long_calls_limit \(figures.limit)\n"
    out += "# TYPE moyeo_long_calls_refused_total counter\n"
    out += "moyeo_long_calls_refused_total{cause=\"count\"} \(figures.refusedByCount)\n"
    out += "moyeo_long_calls_refused_total{cause=\"delay\"} \(figures.refusedByDelay)\n"
    return out
  }
}

/// A listener beside those of the calls, whose figures `/metrics` shows too.
package struct OtherListener: Sendable {
  /// The value of the label `transport`.
  let name: String
  let limits: ConnectionLimits
  /// Figures of its own, as Prometheus text with types.
  let figures: @Sendable () -> String

  /// - Parameters:
  ///   - name: The value of the label `transport`.
  ///   - limits: Its connections and their bounds.
  ///   - figures: Makes figures of its own, as Prometheus text with types.
  package init(
    name: String, limits: ConnectionLimits, figures: @escaping @Sendable () -> String
  ) {
    self.name = name
    self.limits = limits
    self.figures = figures
  }
}

/// How many connections there are, and which were sent away, as Prometheus text.
struct ConnectionFigures: Sendable {
  let grpc: ConnectionLimits
  let http: ConnectionLimits
  let events: TransportEvents
  let httpEvents: TransportEvents
  let certificates: ServerCertificates?
  let others: [OtherListener]

  private var listeners: [(String, ConnectionLimits.Statistics)] {
    [("grpc", grpc.statistics), ("http", http.statistics)]
      + others.map { ($0.name, $0.limits.statistics) }
  }

  /// Connections open now.
  var open: [(name: String, open: Int)] { listeners.map { ($0.0, Int($0.1.open)) } }

  func text() -> String {
    let listeners = self.listeners
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
    for other in others { out += other.figures() }
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
