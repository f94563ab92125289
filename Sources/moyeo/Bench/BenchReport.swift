/// What a load test found, for people and for machines.
enum BenchReport {
  static func lines(_ outcome: LoadGenerator.Outcome, itemsNoun: String) -> [String] {
    var lines: [String] = []
    switch outcome.pace {
    case .closed(let callers): lines.append("closed loop, \(callers) callers")
    case .open(let rate, _):
      lines.append("open loop, \(NumberText.grouped(Int(rate.rounded()))) requests/s intended")
    }
    let seconds = max(outcome.seconds, 1e-9)
    lines.append(
      "  \(NumberText.grouped(outcome.requests)) requests in "
        + "\(NumberText.duration(outcome.seconds)): "
        + "\(NumberText.grouped(Int(outcome.requestsPerSecond))) requests/s, "
        + "\(NumberText.grouped(Int(Double(outcome.items) / seconds))) \(itemsNoun)/s"
        + (itemsNoun == "queries"
          ? ", \(NumberText.fixed(Double(outcome.hits) / Double(max(1, outcome.readItems)), 1)) hits each"
          : ""))
    var table = TextTable([
      ("  microseconds", .left), ("p50", .right), ("p90", .right), ("p99", .right),
      ("p99.9", .right), ("max", .right), ("mean", .right),
    ])
    func append(_ name: String, _ latencies: Latencies) {
      table.append(
        ["  " + name]
          + [
            latencies.p50, latencies.p90, latencies.p99, latencies.p999, latencies.maximum,
            latencies.mean,
          ].map { NumberText.grouped(Int($0.rounded())) })
    }
    for kind in BenchRequests.Kind.allCases {
      if let latencies = outcome.latencies[kind] { append("\(kind) latency", latencies) }
    }
    if let lateness = outcome.lateness { append("generator lateness", lateness) }
    lines += table.lines
    if let server = outcome.serverSeconds {
      lines.append(
        "  server CPU \(perRequest(server, outcome.requests)) us a request, "
          + "\(perRequest(server, outcome.items)) us each of \(itemsNoun)")
    }
    lines.append("  own CPU \(perRequest(outcome.ownSeconds, outcome.requests)) us a request")
    if let foreign = outcome.foreignShare {
      lines.append("  other processes took \(NumberText.fixed(foreign * 100, 1)) % of the machine")
    }
    for (reason, count) in outcome.failures.sorted(by: { $0.key < $1.key }) {
      lines.append("  failed: \(reason) \(NumberText.grouped(count))")
    }
    if outcome.unsent > 0 {
      lines.append("  not sent, too many under way: \(NumberText.grouped(outcome.unsent))")
    }
    for reason in voidReasons(outcome) { lines.append("  void: \(reason)") }
    return lines
  }

  /// Why the figures are not to be trusted.
  static func voidReasons(_ outcome: LoadGenerator.Outcome) -> [String] {
    var reasons: [String] = []
    let p99 = outcome.latencies.values.map(\.p99).max() ?? 0
    if let lateness = outcome.lateness, lateness.p99 > 0.1 * p99 {
      reasons.append(
        "the generator's lateness (p99) is above 10 % of the latency's")
    }
    if let foreign = outcome.foreignShare, foreign > 0.15 {
      reasons.append("other processes took more than 15 % of the machine")
    }
    if outcome.failureCount > 0 { reasons.append("\(outcome.failureCount) requests failed") }
    if outcome.unsent > 0 { reasons.append("not every request could be sent") }
    return reasons
  }

  static func json(_ outcome: LoadGenerator.Outcome, mode: BenchMode, endpoint: String) -> String {
    var parts: [String] = [
      "\"mode\":\"\(mode.rawValue)\"", "\"endpoint\":\(JSONPieces.string(endpoint))",
    ]
    switch outcome.pace {
    case .closed(let callers): parts.append("\"loop\":\"closed\",\"callers\":\(callers)")
    case .open(let rate, _):
      parts.append("\"loop\":\"open\",\"intendedPerSecond\":\(NumberText.fixed(rate, 1))")
    }
    parts += [
      "\"seconds\":\(NumberText.fixed(outcome.seconds, 3))", "\"requests\":\(outcome.requests)",
      "\"items\":\(outcome.items)",
      "\"hitsPerItem\":\(NumberText.fixed(Double(outcome.hits) / Double(max(1, outcome.readItems)), 2))",
      "\"requestsPerSecond\":\(NumberText.fixed(outcome.requestsPerSecond, 1))",
    ]
    let latencies = BenchRequests.Kind.allCases.compactMap { kind in
      outcome.latencies[kind].map { "\"\(kind)\":\($0.json)" }
    }
    parts.append("\"latencyMicroseconds\":{\(latencies.joined(separator: ","))}")
    if let lateness = outcome.lateness {
      parts.append("\"latenessMicroseconds\":\(lateness.json)")
    }
    if let server = outcome.serverSeconds {
      parts.append("\"serverMicrosecondsPerRequest\":\(perRequest(server, outcome.requests))")
      parts.append("\"serverMicrosecondsPerItem\":\(perRequest(server, outcome.items))")
    }
    parts.append(
      "\"ownMicrosecondsPerRequest\":\(perRequest(outcome.ownSeconds, outcome.requests))")
    if let foreign = outcome.foreignShare {
      parts.append("\"foreignShare\":\(NumberText.fixed(foreign, 3))")
    }
    let failures = outcome.failures.sorted { $0.key < $1.key }
      .map { "\(JSONPieces.string($0.key)):\($0.value)" }
    parts.append("\"failures\":{\(failures.joined(separator: ","))}")
    parts.append("\"unsent\":\(outcome.unsent)")
    parts.append(
      "\"void\":[\(voidReasons(outcome).map(JSONPieces.string).joined(separator: ","))]")
    return "{" + parts.joined(separator: ",") + "}"
  }

  private static func perRequest(_ seconds: Double, _ count: Int) -> String {
    NumberText.fixed(seconds * 1e6 / Double(max(1, count)), 2)
  }
}
