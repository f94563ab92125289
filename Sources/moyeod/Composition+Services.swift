import CitySimulation
import CallTracing
import GRPCServerTransport
import Identity
import LiveLayers
import Logging
import MoyeoServer
import MoyeoStorage
import RESPServer
import ServiceLifecycle
import UnixSignals

/// What a daemon is made of, once everything is loaded.
struct ServedParts {
  let daemon: Daemon
  let layers: LayerRegistry
  let city: City?
  let record: OpenRecord?
  let positions: (writeBehind: PositionWriteBehind, archive: PositionsSnapshot)?
  let webhooks: WebhookParts?
  let authenticator: Authenticator?
  let certificates: ServerCertificates?
  let redisDoor: RedisDoor?
  let disclosures: KeptDisclosures?
  let degradations: DegradationLog
  let spans: SpanRecorder?
  let sharing: PositionSharing?
}

extension Composition {
  /// What must have happened before the daemon says that it is ready.
  func waitsFor(
    _ city: City?, _ record: OpenRecord?, _ sharing: PositionSharing?
  ) -> Set<String> {
    var out: Set<String> = [ClusterWarmUp.part]
    if city != nil { out.insert("demo") }
    if city != nil, record != nil { out.insert("demo-parties") }
    if city != nil, record?.ticketService != nil { out.insert("demo-tickets") }
    if settings.redisDoor != nil { out.insert("resp") }
    if sharing != nil { out.insert(PositionSharing.part) }
    return out
  }

  /// Everything that runs for as long as the daemon does; what comes later ends earlier.
  func services(of parts: ServedParts, logger: Logger) -> [any Service] {
    var services = parts.daemon.services()
    services.insert(
      DegradationWatch(
        partyService: parts.record?.partyService, store: parts.record?.store,
        archive: parts.positions?.archive, degradations: parts.degradations), at: 0)
    if let disclosures = parts.disclosures { services.insert(disclosures, at: 0) }
    if let sharing = parts.sharing {
      services.insert(
        PositionFollowing(
          sharing: sharing, daemon: parts.daemon, degradations: parts.degradations), at: 0)
    }
    if let positions = parts.positions {
      services.insert(PositionWriting(writeBehind: positions.writeBehind), at: 0)
    }
    if let record = parts.record, let webhooks = parts.webhooks {
      services.append(
        TenantWebhooks(
          tenant: Caller.defaultTenant, feed: PartyFeed(service: record.partyService),
          parts: webhooks))
    }
    if let authenticator = parts.authenticator {
      services.append(IdentityReloading(authenticator: authenticator, logger: logger))
    }
    if let certificates = parts.certificates {
      services.append(
        CertificateReloading(
          certificates: certificates, checkSeconds: settings.tls.checkSeconds, logger: logger))
    }
    services.append(
      ClusterWarmUp(
        layers: parts.layers,
        onCaughtUp: { [daemon = parts.daemon] in daemon.markReady(ClusterWarmUp.part) }))
    addDemo(of: parts, to: &services, logger: logger)
    if let redisDoor = parts.redisDoor {
      services.append(
        RedisDoorService(
          door: redisDoor, logger: logger,
          onListening: { [daemon = parts.daemon] in daemon.markReady("resp") }))
    }
    if let manager = ServiceManager() {
      services.append(
        ManagerNotification(
          manager: manager, waitUntilReady: parts.daemon.waitUntilReady, logger: logger)
      )
    }
    if let spans = parts.spans, let url = settings.tracing.tracesURL {
      // The last to end: it sends what the others recorded.
      services.insert(
        SpanSending(
          exporter: SpanExporter(
            spans: spans, collector: HTTPSpanCollector(url: url),
            document: OTLPDocument(
              service: "moyeod", version: Moyeod.release,
              instance: CallIdentifiers().requestID())), logger: logger), at: 0)
    }
    services.append(ShutdownDeadline(graceSeconds: settings.graceSeconds, logger: logger))
    return services
  }

  private func addDemo(
    of parts: ServedParts, to services: inout [any Service], logger: Logger
  ) {
    guard let city = parts.city else { return }
    let daemon = parts.daemon
    services.insert(
      DemoCity(
        layers: parts.layers, city: city, users: settings.demoUsers, seed: settings.demoSeed,
        logger: logger, onLoaded: { daemon.markReady("demo") }), at: 0)
    if let record = parts.record {
      services.append(
        DemoParties(
          partyService: record.partyService, clock: parts.layers.clock, city: city,
          users: settings.demoUsers, parties: min(settings.demoParties, settings.demoUsers),
          seed: settings.demoSeed, logger: logger,
          onLoaded: { daemon.markReady("demo-parties") }))
    }
    if let ticketService = parts.record?.ticketService {
      services.append(
        DemoTickets(
          ticketService: ticketService, clock: parts.layers.clock, city: city,
          users: settings.demoUsers, tickets: settings.demoTickets, seed: settings.demoSeed,
          logger: logger, onLoaded: { daemon.markReady("demo-tickets") }))
    }
  }

  /// Runs the services until a signal ends them.
  ///
  /// - Throws: ``StartFailure`` when one of them cannot begin.
  func serve(_ services: [any Service], logger: Logger) async throws {
    var configuration = ServiceGroupConfiguration(
      services: services.map { .init(service: $0) },
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    // After the time that calls in flight have; what still runs then is cancelled.
    configuration.maximumGracefulShutdownDuration = .seconds(
      settings.graceSeconds + 1)
    do {
      try await ServiceGroup(configuration: configuration).run()
    } catch is CancellationError {
      logger.warning("the shutdown took too long; what was still running was cancelled")
    } catch {
      throw StartFailure.failed(explain(error))
    }
  }
}
