import MoyeoServer
import Threading

/// Settings of how calls are served: streams, viewport sessions, shared reads.
enum ServingSettings {
  /// - Throws: ``SettingError`` with the key and what is wrong.
  static func read(_ values: Values, into daemon: inout Daemon.Configuration) async throws {
    daemon.connections = try await connections(values)
    daemon.streams = try await streams(values)
    daemon.sessions = try await sessions(values)
    daemon.coalescing = try await coalescing(values)
    let seconds = 0.1...3600.0
    if let idle = try await values.number("http.idleSeconds", in: seconds) {
      daemon.httpTimeLimits.idleSeconds = idle
    }
    if let head = try await values.number("http.headSeconds", in: seconds) {
      daemon.httpTimeLimits.headSeconds = head
    }
    if let body = try await values.number("http.bodySeconds", in: seconds) {
      daemon.httpTimeLimits.bodySeconds = body
    }
    daemon.heavyThreads = try await values.int("heavy.threads", in: 1...1024)
    daemon.heavyQueueDelay = try await queueDelay(values)
    daemon.rates = CallRates(settings: try await QuotaSettings.rates(values))
  }

  /// - Returns: Nil where calls may wait as long as it takes.
  private static func queueDelay(_ values: Values) async throws -> QueueDelayLimit.Settings? {
    let milliseconds = try await values.int("heavy.queueMilliseconds", in: 0...60_000) ?? 100
    guard milliseconds > 0 else { return nil }
    var out = QueueDelayLimit.Settings()
    out.target = Nanoseconds(milliseconds) * 1_000_000
    out.interval = 5 * out.target
    return out
  }

  private static func connections(_ values: Values) async throws -> ConnectionSettings {
    var out = ConnectionSettings()
    out.maximum = try await values.int("limits.connections", in: 2...1_000_000)
    out.maximumPerPeer = try await values.int("limits.connectionsPerPeer", in: 1...1_000_000)
    func count(
      _ key: String, _ path: WritableKeyPath<ConnectionSettings, Int>, _ range: ClosedRange<Int>
    ) async throws {
      if let value = try await values.int(key, in: range) { out[keyPath: path] = value }
    }
    func seconds(_ key: String, _ path: WritableKeyPath<ConnectionSettings, Double>) async throws {
      if let value = try await values.number(key, in: 0.1...3600) { out[keyPath: path] = value }
    }
    try await count("grpc.maximumStreamsPerConnection", \.maximumStreams, 1...100_000)
    try await count("grpc.maximumLongStreamsPerConnection", \.maximumLongStreams, 1...100_000)
    try await count("grpc.resetBurst", \.resetBurst, 1...1_000_000)
    try await count("limits.requestBytesPerConnection", \.maximumRequestBytes, 65_536...(1 << 40))
    try await count("limits.requestBytes", \.maximumRequestBytesInTotal, 65_536...(1 << 40))
    try await seconds("grpc.prefaceSeconds", \.prefaceSeconds)
    try await seconds("grpc.requestSeconds", \.requestSeconds)
    return out
  }

  private static func streams(_ values: Values) async throws -> StreamSettings {
    var out = StreamSettings()
    if let seconds = try await values.number("streams.heartbeatSeconds", in: 0.1...3600) {
      out.heartbeatSeconds = seconds
    }
    let stall = try await values.number("streams.stallSeconds", in: 0.1...3600)
    let drop = try await values.number("streams.dropSeconds", in: 0.1...3600)
    out.stallSeconds = stall ?? min(out.stallSeconds, drop ?? out.dropSeconds)
    out.dropSeconds = drop ?? max(out.dropSeconds, out.stallSeconds)
    guard out.stallSeconds <= out.dropSeconds else {
      throw SettingError(
        key: "streams.stallSeconds",
        problem: "is \(out.stallSeconds), above streams.dropSeconds (\(out.dropSeconds)): "
          + "a reader would be dropped before it is told")
    }
    if let count = try await values.int("streams.maximumOpen", in: 1...1_000_000) {
      out.maximumOpen = count
    }
    out.maximumPerTenant =
      try await values.int("streams.maximumPerTenant", in: 1...1_000_000)
      ?? max(1, out.maximumOpen * 3 / 4)
    if let count = try await values.int("streams.maximumPerCaller", in: 1...1_000_000) {
      out.maximumPerCaller = count
    }
    out.maximumOfTenant = { values.tenantCount($0, "streams") }
    return out
  }

  private static func sessions(_ values: Values) async throws -> SessionSettings {
    var out = SessionSettings()
    if let seconds = try await values.number("sessions.intervalSeconds", in: 0...3600) {
      out.intervalSeconds = seconds
    }
    if let burst = try await values.int("sessions.burst", in: 1...1000) { out.burst = burst }
    if let count = try await values.int("sessions.maximumSessions", in: 1...10_000_000) {
      out.maximumSessions = count
    }
    return out
  }

  private static func coalescing(_ values: Values) async throws -> CoalescingSettings {
    var out = CoalescingSettings()
    if let isOn = try await values.bool("coalescing.enabled") { out.isOn = isOn }
    if let bytes = try await values.int("coalescing.cacheBytes", in: 0...(1 << 40)) {
      out.cacheBytes = bytes
    }
    if let seconds = try await values.number("coalescing.maximumStalenessSeconds", in: 0...3600) {
      out.maximumStalenessSeconds = seconds
    }
    if let time = try await values.int("coalescing.longReadMilliseconds", in: 10...600_000) {
      out.longReadMilliseconds = time
    }
    return out
  }
}
