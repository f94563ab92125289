/// What each family of figures says, as `# HELP` lines of the Prometheus text format.
enum MetricHelp {
  /// The page with a line in front of the type of each family that is known here.
  static func annotated(_ text: String) -> String {
    let mark = "# TYPE "
    var out = ""
    out.reserveCapacity(text.utf8.count * 2)
    for line in text.split(separator: "\n") {
      if line.hasPrefix(mark) {
        let name = line.dropFirst(mark.utf8.count).prefix { $0 != " " }
        if let help = texts[String(name)] { out += "# HELP \(name) \(help)\n" }
      }
      out += line
      out += "\n"
    }
    return out
  }

  /// By the names of families; no text has a line break or a backslash.
  static let texts: [String: String] = [
    "moyeo_accept_pauses_total": "Times that no connection was accepted for want of descriptors.",
    "moyeo_commit_batches_total": "Transactions of the record.",
    "moyeo_commit_commands_total": "Commands that were committed.",
    "moyeo_commit_conflicts_total": "Commands that found the record changed by somebody else.",
    "moyeo_commit_duplicates_total": "Commands whose idempotency key had an answer already.",
    "moyeo_commit_groups_total": "Groups of commands that were committed together.",
    "moyeo_commit_missed_deadlines_total": "Commands that were dropped because they came too late.",
    "moyeo_commit_not_done_total": "Commands that the disk refused.",
    "moyeo_commit_queue": "Commands that wait to be committed.",
    "moyeo_commit_refused_for_load_total": "Commands that found the queue full.",
    "moyeo_commit_unknown_outcomes_total": "Transactions of which nobody knows whether they hold.",
    "moyeo_connections_open": "Connections that are open now, by listener.",
    "moyeo_connections_refused_total":
      "Connections that were closed at once, by listener and limit.",
    "moyeo_sharing_entries_total": "Entries of the log of positions that were applied.",
    "moyeo_sharing_failed_appends_total": "Writes that the log of positions did not take.",
    "moyeo_sharing_failed_reads_total": "Reads that the log of positions did not answer.",
    "moyeo_sharing_gaps_repaired_total":
      "Partitions that were read anew because entries of the log were missing.",
    "moyeo_sharing_removed_by_repair_total":
      "Objects that were taken out because the log does not have them.",
    "moyeo_sharing_replacements_total": "Partitions that were read anew, at the start included.",
    "moyeo_sharing_stale_milliseconds":
      "How long ago the layers had all of the log, by its partition that is furthest behind.",
    "moyeo_sharing_without_room_total": "Positions of the log for which a layer had no room.",
    "moyeo_degraded": "Whether a part has failed.",
    "moyeo_degraded_total": "Times that a part has failed.",
    "moyeo_events_newest_sequence": "The number of the newest event.",
    "moyeo_following_commits_total":
      "Transactions of a shared record that were read, others' and some of one's own.",
    "moyeo_following_lag_milliseconds":
      "How long ago memory had all that was committed to a shared record.",
    "moyeo_following_leads": "Whether this daemon runs the timers of a shared record.",
    "moyeo_grpc_connection_events_total": "What is out of the ordinary on connections of gRPC.",
    "moyeo_http_connection_events_total": "What is out of the ordinary on connections of HTTP.",
    "moyeo_kept_answers_hits_total": "Reads that a kept answer served.",
    "moyeo_kept_answers_misses_total": "Reads for which no answer was kept.",
    "moyeo_kept_tiles_hits_total": "Tiles that were kept.",
    "moyeo_kept_tiles_misses_total": "Tiles that were not kept.",
    "moyeo_layer_cluster_lag_seconds": "How far the clusters of a layer are behind its positions.",
    "moyeo_layer_index_bytes": "Memory of the index of a layer.",
    "moyeo_layer_objects": "Objects of a layer.",
    "moyeo_long_calls_limit": "Long calls that may wait now.",
    "moyeo_long_calls_refused_total": "Long calls that found no room, or were shed early.",
    "moyeo_long_calls_waiting": "Long calls that wait for a thread.",
    "moyeo_parties": "Parties of the default tenant.",
    "moyeo_place_provider_failures_total": "Questions that the provider of places left unanswered.",
    "moyeo_rate_debts_forgotten_total": "Callers whose debt was forgotten for want of room.",
    "moyeo_rate_limited_total": "Calls beyond an allowance, by limit and kind.",
    "moyeo_read_only": "Whether commands are refused because the record cannot be written.",
    "moyeo_refusals_total": "Calls that were refused, by call, wire, tenant and reason.",
    "moyeo_request_duration_seconds": "How long calls took, by call and wire.",
    "moyeo_requests_total": "Calls that have ended, by call, wire and tenant.",
    "moyeo_resp_commands_total": "Commands of clients of Redis.",
    "moyeo_resp_connection_events_total": "What is out of the ordinary on connections of Redis.",
    "moyeo_resp_refusals_total": "Commands of clients of Redis that were refused.",
    "moyeo_session_requests_total": "Requests of viewport sessions.",
    "moyeo_session_superseded_total": "Requests of viewport sessions that a newer one replaced.",
    "moyeo_session_unthrottled_total": "Requests of sessions that there was no room to remember.",
    "moyeo_shared_reads_asked_total": "Reads that may share a computation.",
    "moyeo_shared_reads_joined_total": "Reads that joined a computation under way.",
    "moyeo_shared_reads_worked_out_total": "Computations of reads that may share one.",
    "moyeo_spans_total": "Spans that were taken by the collector, dropped here, or refused there.",
    "moyeo_spans_waiting": "Spans that wait to be sent.",
    "moyeo_streams_open": "Watches and other streams that are open.",
    "moyeo_tls_certificate_expiry_timestamp_seconds":
      "When the certificate ends, in seconds since 1970.",
    "moyeo_tls_reloads_total": "New certificates that were taken or refused.",
    "moyeo_webhook_deliveries_total": "Attempts to deliver events to webhooks, by outcome.",
    "process_cpu_seconds_total": "Processor time of the process.",
    "process_max_fds": "File descriptors that the process may have open.",
    "process_open_fds": "File descriptors that the process has open.",
    "process_resident_memory_bytes": "Resident memory of the process.",
  ]
}
