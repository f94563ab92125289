public import QueryCoalescing
import Threading

/// What coalescing saves when many people move maps of one city: the product's own machines on a
/// simulated clock, in front of a few simulated workers. Deterministic by seed.
public enum MapPanSimulation {
  public struct Settings: Sendable {
    public var clients = 5_000
    public var seconds = 30.0
    public var seed: UInt64 = 1
    /// Threads that work out viewports.
    public var workers = 2
    /// To work out a viewport: a fixed part, and one for each screen's worth of area.
    public var fixedNanoseconds: Nanoseconds = 30_000
    public var nanosecondsPerScreen: Nanoseconds = 90_000
    /// Position changes a second in the whole city: each makes earlier answers about its place
    /// outdated.
    public var movesPerSecond = 2_500.0
    public var interval: Nanoseconds = 800_000_000
    /// The staleness the last mode accepts.
    public var maximumAge: Nanoseconds = 1_000_000_000
    /// Cells a side to which the last mode snaps viewports: fewer are shared more and cost more.
    public var cellsAcross = 8
    public var cacheBytes = 64 << 20

    public init() {}
  }

  /// Each adds to the one before.
  public enum Mode: String, CaseIterable, Sendable {
    /// Every request is worked out.
    case direct
    /// The viewport throttle.
    case throttled
    /// Single flight, and cached answers in which nothing has changed: every caller gets what it
    /// would have worked out itself. Viewports are snapped to 64 cells a side, nearly as they are.
    case coalesced
    /// Also cached answers up to `maximumAge` old, for viewports snapped to larger cells.
    case stale
  }

  public struct Report: Sendable {
    public let mode: Mode
    /// Requests in.
    public var requests = 0
    public var superseded = 0
    public var answered = 0
    public var computations = 0
    /// Worker time, of all workers.
    public var busyNanoseconds: Nanoseconds = 0
    /// From request to answer, of those answered, sorted.
    var waits: [Nanoseconds] = []
    /// The same without the time the throttle held it.
    var serviceWaits: [Nanoseconds] = []

    /// Time from request to answer in milliseconds below which this part of the answers came.
    public func waitMilliseconds(_ part: Double) -> Double { Self.quantile(waits, part) }
    /// The same from the moment the throttle let the request go.
    public func serviceMilliseconds(_ part: Double) -> Double { Self.quantile(serviceWaits, part) }

    private static func quantile(_ sorted: [Nanoseconds], _ part: Double) -> Double {
      guard !sorted.isEmpty else { return 0 }
      let index = min(sorted.count - 1, Int(Double(sorted.count) * part))
      return Double(sorted[index]) / 1e6
    }
  }

  /// Plays the same trace in every mode.
  public static func run(_ settings: Settings = Settings()) -> [Report] {
    let trace = MapPanTrace.requests(
      clients: settings.clients, seconds: settings.seconds, seed: settings.seed)
    return Mode.allCases.map { mode in
      var city = SimulatedServer(mode: mode, settings: settings)
      return city.play(trace)
    }
  }

  /// Many clients ask for one viewport at one moment; they share one computation.
  public static func runIdentical(_ count: Int, settings: Settings = Settings()) -> [Report] {
    let side: UInt32 = 1 << 20
    let trace = (0..<count).map { client in
      ViewportRequest(
        time: 1_000, client: client, zoom: 14, west: MapPanTrace.cityWest,
        north: MapPanTrace.cityNorth, east: MapPanTrace.cityWest + side,
        south: MapPanTrace.cityNorth + side)
    }
    return Mode.allCases.map { mode in
      var city = SimulatedServer(mode: mode, settings: settings)
      return city.play(trace)
    }
  }

  /// A table of reports.
  public static func table(_ reports: [Report]) -> String {
    var lines = [
      "mode        requests  superseded  answered  computed  busy s  "
        + "served p50/p99 ms  answered p50/p99 ms"
    ]
    for report in reports {
      lines.append(
        pad(report.mode.rawValue, 10) + right(report.requests, 10) + right(report.superseded, 12)
          + right(report.answered, 10) + right(report.computations, 10)
          + right(tenths(Double(report.busyNanoseconds) / 1e9), 8)
          + right(
            tenths(report.serviceMilliseconds(0.5)) + "/"
              + tenths(report.serviceMilliseconds(0.99)), 19)
          + right(
            tenths(report.waitMilliseconds(0.5)) + "/" + tenths(report.waitMilliseconds(0.99)), 21))
    }
    return lines.joined(separator: "\n")
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
  private static func right(_ value: some CustomStringConvertible, _ width: Int) -> String {
    let text = value.description
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }
  private static func tenths(_ value: Double) -> String {
    let scaled = Int((value * 10).rounded())
    return "\(scaled / 10).\(scaled % 10)"
  }
}
