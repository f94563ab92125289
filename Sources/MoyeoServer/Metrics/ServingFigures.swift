import QueryCoalescing

/// How reads are shared, sessions throttled and streams served, as Prometheus text.
struct ServingFigures: Sendable {
  let shared: SharedReads
  let tileCache: TileCache?
  let throttle: SessionThrottle
  let pump: StreamPump

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
    return out
  }
}
