import Logging
import Threading
import Testing

@testable import MoyeoServer

/// An episode is told when it begins and when it is over, and shown as long as it lasts.
@Suite struct DegradationLogTests {
  private struct Recorder: LogHandler {
    final class Lines: Sendable {
      let all = StateLock<[String]>([])
    }
    let lines: Lines
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let part = event.metadata?["part"].map { " \($0)" } ?? ""
      lines.all.withLock { $0.append("\(event.level.rawValue) \(event.message)\(part)") }
    }
  }

  @Test func anEpisodeIsToldTwiceAndCountedOnce() {
    let lines = Recorder.Lines()
    let log = DegradationLog(
      parts: ["record", "positions"],
      logger: Logger(label: "test") { _ in Recorder(lines: lines) })
    #expect(log.reasons.isEmpty)
    #expect(log.metricsText.contains("moyeo_degraded{part=\"record\"} 0\n"))
    log.set("record", nil)
    #expect(lines.all.withLock { $0 } == [])
    log.set("record", "the disk is full")
    log.set("record", "the disk is still full")
    log.set("positions", "no such file")
    #expect(log.reasons.map(\.part) == ["positions", "record"])
    #expect(log.reasons.map(\.reason) == ["no such file", "the disk is still full"])
    log.set("record", nil)
    log.set("record", nil)
    log.set("record", "again")
    #expect(
      lines.all.withLock { $0 } == [
        "warning degraded record", "warning degraded positions", "warning works again record",
        "warning degraded record",
      ])
    #expect(log.metricsText.contains("moyeo_degraded{part=\"record\"} 1\n"))
    #expect(log.metricsText.contains("moyeo_degraded_total{part=\"record\"} 2\n"))
    #expect(log.metricsText.contains("moyeo_degraded_total{part=\"positions\"} 1\n"))
  }
}
