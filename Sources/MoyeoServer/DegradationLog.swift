package import Logging
import Threading

/// Parts of the daemon that fail while it goes on serving, and why.
///
/// An episode is one warning when it begins and one when it is over, a reason in the body of
/// `/readyz`, and the metrics `moyeo_degraded` (1 during an episode) and `moyeo_degraded_total`
/// (episodes since the start), by part.
package final class DegradationLog: Sendable {
  private struct Part {
    var reason: String?
    var episodes = 0
  }

  private let parts: StateLock<[String: Part]>
  private let logger: Logger

  /// Begins with all parts working.
  ///
  /// - Parameters:
  ///   - parts: Names that the metrics show from the start on.
  ///   - logger: Told when a part begins to fail and when it works again.
  package init(parts: [String] = [], logger: Logger) {
    self.parts = StateLock(
      Dictionary(parts.map { ($0, Part()) }, uniquingKeysWith: { one, _ in one }))
    self.logger = logger
  }

  /// Says how a part is; call it as often as you like.
  ///
  /// - Parameters:
  ///   - part: Its name in the log, the metrics and `/readyz`.
  ///   - reason: Nil when the part works.
  package func set(_ part: String, _ reason: String?) {
    let before = parts.withLock { parts in
      let before = parts[part]?.reason
      parts[part, default: Part()].reason = reason
      if before == nil, reason != nil { parts[part]?.episodes += 1 }
      return before
    }
    if let reason, before == nil {
      logger.warning("degraded", metadata: ["part": "\(part)", "reason": "\(reason)"])
    } else if reason == nil, let before {
      logger.warning("works again", metadata: ["part": "\(part)", "reason": "\(before)"])
    }
  }

  /// What fails now, by the parts' names.
  package var reasons: [(part: String, reason: String)] {
    parts.withLock { parts in
      parts.compactMap { name, part in part.reason.map { (part: name, reason: $0) } }
    }.sorted { $0.part < $1.part }
  }

  /// The figures as Prometheus text.
  package var metricsText: String {
    let figures = parts.withLock { $0 }.sorted { $0.key < $1.key }
    guard !figures.isEmpty else { return "" }
    var out = "# TYPE moyeo_degraded gauge\n"
    for (name, part) in figures {
      out += "moyeo_degraded{part=\"\(name)\"} \(part.reason == nil ? 0 : 1)\n"
    }
    out += "# TYPE moyeo_degraded_total counter\n"
    for (name, part) in figures {
      out += "moyeo_degraded_total{part=\"\(name)\"} \(part.episodes)\n"
    }
    return out
  }
}
