import CallTracing
import Dispatch
import Foundation
import Logging
import Metrics
import MoyeoAPI
import Threading

/// Counts and times requests by operation, transport, tenant and reason, and records their spans.
struct RequestMetrics: Sendable {
  var tenants = TenantLabels()
  var identifiers = CallIdentifiers()
  /// Nil where no call is recorded.
  var spans: SpanRecorder?
  /// Writes a line of each call that has tags, at the level `debug`.
  var logger: Logger?

  func recorder(operation: Operation, transport: String) -> Recorder {
    recorder(name: operation.name, transport: transport)
  }

  /// The recorder of calls whose tenant is not known, and in open mode of all.
  func recorder(name: String, transport: String) -> Recorder {
    let dimensions = [("operation", name), ("transport", transport)]
    return Recorder(
      self, name: name, transport: transport,
      duration: Timer(label: "moyeo_request_duration_seconds", dimensions: dimensions),
      tenant: TenantLabels.unknown)
  }

  final class Recorder: Sendable {
    private let metrics: RequestMetrics
    private let name: String
    private let transport: String
    private let duration: Timer
    private let tenant: Int
    private let requests: Counter
    private let dimensions: [(String, String)]
    /// Of the other tenants, by their numbers.
    private let others = StateLock<[Int: Recorder]>([:])
    /// By reasons, of which there are few: finding a counter by its labels costs more than all else here.
    private let refusals = StateLock<[String: Counter]>([:])

    fileprivate init(
      _ metrics: RequestMetrics, name: String, transport: String, duration: Timer, tenant: Int
    ) {
      self.metrics = metrics
      self.name = name
      self.transport = transport
      self.duration = duration
      self.tenant = tenant
      dimensions = [
        ("operation", name), ("transport", transport), ("tenant", metrics.tenants.name(of: tenant)),
      ]
      requests = Counter(label: "moyeo_requests_total", dimensions: dimensions)
    }

    /// The recorder of the same call of a tenant, by its number (``TenantLabels``).
    func of(tenant number: Int) -> Recorder {
      guard number != tenant else { return self }
      return others.withLock { others in
        if let known = others[number] { return known }
        let made = Recorder(
          metrics, name: name, transport: transport, duration: duration, tenant: number)
        others[number] = made
        return made
      }
    }

    func start() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// The same for a call that had tags from its beginning: they say whose it is.
    func finish(_ start: UInt64, reason: Reason?, tags: CallTags) {
      of(tenant: tags.tenantNumber).finish(start, reasonName: reason?.rawValue, tags: tags)
    }

    /// Counts a call that has ended, records how long it took, and its span where it is sampled.
    ///
    /// - Parameters:
    ///   - start: What ``start()`` gave, in nanoseconds.
    ///   - reasonName: Why the call was refused; `nil` when it went well.
    ///   - tags: What its caller says of the request; `nil` for nothing.
    func finish(_ start: UInt64, reasonName: String?, tags: CallTags? = nil) {
      let end = DispatchTime.now().uptimeNanoseconds
      requests.increment()
      duration.recordNanoseconds(Int64(end - start))
      if let reasonName { refused(reasonName) }
      if let spans = metrics.spans, let span = spans.span(of: tags) {
        spans.record(record(of: span, from: start, through: end, reasonName: reasonName, tags))
      }
      guard let tags, let logger = metrics.logger, logger.logLevel <= .debug else { return }
      log(tags, reasonName, nanoseconds: end - start, to: logger)
    }

    private func refused(_ reasonName: String) {
      let counter = refusals.withLock { refusals in
        if let known = refusals[reasonName] { return known }
        let made = Counter(
          label: "moyeo_refusals_total", dimensions: dimensions + [("reason", reasonName)])
        refusals[reasonName] = made
        return made
      }
      counter.increment()
    }

    private func record(
      of span: TraceParent, from start: UInt64, through end: UInt64, reasonName: String?,
      _ tags: CallTags?
    ) -> SpanRecord {
      // The clock of durations does not know the date.
      let now = UInt64(max(0, Date().timeIntervalSince1970) * 1e9)
      var attributes: [SpanRecord.Attribute] = [
        .init("rpc.system", .text(transport)), .init("rpc.method", .text(name)),
        .init("moyeo.tenant", .text(metrics.tenants.name(of: tenant))),
      ]
      if let reasonName { attributes.append(.init("moyeo.reason", .text(reasonName))) }
      if let tags { attributes.append(.init("moyeo.request_id", .text(tags.requestID))) }
      return SpanRecord(
        name: name, kind: .server, identity: span, parent: tags?.parent?.span ?? 0,
        traceState: tags?.traceState, start: now - min(now, end - start), end: now,
        attributes: attributes, failure: reasonName)
    }

    private func log(
      _ tags: CallTags, _ reasonName: String?, nanoseconds: UInt64, to logger: Logger
    ) {
      var metadata: Logger.Metadata = [
        "call": "\(name)", "transport": "\(transport)", "microseconds": "\(nanoseconds / 1000)",
      ]
      if let reasonName { metadata["reason"] = "\(reasonName)" }
      for field in tags.logFields { metadata[field.name] = "\(field.value)" }
      logger.debug("a call is answered", metadata: metadata)
    }
  }
}

/// The tenants that have figures of their own, by numbers: the first ones that are served. The others
/// share one, so that the number of series is bounded.
final class TenantLabels: Sendable {
  /// Of calls whose tenant is not known. In open mode all are the default tenant's.
  static let unknown = 0
  static let maximumTenants = 100
  static let others = maximumTenants + 1
  // No tenant's name begins so.
  static let unknownName = "_none"
  static let othersName = "_other"

  private let nameOfUnknown: String
  private let numbers = StateLock<(byName: [String: Int], names: [String])>(([:], []))

  /// - Parameter openTenant: Whose all calls are in open mode; `nil` where callers are told apart.
  init(openTenant: String? = nil) { nameOfUnknown = openTenant ?? Self.unknownName }

  /// The number of a tenant that is served.
  func number(of tenant: String) -> Int {
    if tenant == nameOfUnknown { return Self.unknown }
    return numbers.withLock { numbers in
      if let known = numbers.byName[tenant] { return known }
      guard numbers.names.count < Self.maximumTenants else { return Self.others }
      numbers.names.append(tenant)
      numbers.byName[tenant] = numbers.names.count
      return numbers.names.count
    }
  }

  func name(of number: Int) -> String {
    switch number {
    case Self.unknown: nameOfUnknown
    case Self.others: Self.othersName
    default: numbers.withLock { $0.names[number - 1] }
    }
  }
}
