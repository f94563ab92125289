import FareEstimation
import Identity
import LiveLayers
import MoyeoServer
import MoyeoStorage
import ObjectModel
import Parties
import Places
import Threading
import Tickets

/// Opens what the data directory keeps of tenants other than the default one: each has layers, parties
/// and tickets of its own, over the one record and the one file of positions, whose keys begin with the
/// tenant.
struct TenantOpening: Sendable {
  let settings: Settings
  let configuration: LayerRegistryConfiguration
  let fares: FareEstimator
  let data: DataDirectory
  /// Of the default tenant.
  let clock: any WallClock
  let store: (any RecordStore)?
  let archive: PositionsSnapshot?
  /// As the default tenant's.
  let idempotencySecret: (high: UInt64, low: UInt64)?
  /// Nil: there is no record, and so no event.
  let webhooks: WebhookParts?
  /// Nil: nothing is kept.
  let erasures: ErasureFiles?
  /// Of each tenant, names of people whom a restored record had aboard.
  let erased: [String: [String]]
  /// Nil: positions are not shared.
  let sharing: SharedPositions?

  /// Tenants of which the directory has something that goes by the clock, or that are told of events.
  func kept() -> [String] {
    Set((try? store?.tenants()) ?? []).union(webhooks?.tenants ?? [])
      .filter { $0 != Caller.defaultTenant && TenantName.isValid($0) }.sorted()
  }

  func open(_ tenant: String) throws -> TenantParts {
    var configuration = configuration
    configuration.limits = settings.tenantLimits(configuration.limits, tenant)
    let own = settings.tenants[tenant]
    if let own { configuration.layerSettings = own.layerSettings }
    let tickets = own.map(\.tickets) ?? settings.tickets
    let layers = LayerRegistry(
      configuration: configuration, clock: clock, epoch: UInt32.random(in: 1 ... .max),
      sharing: sharing, tenant: tenant)
    var parts = TenantParts(layers: layers)
    if let store, var parties = own.map(\.parties) ?? settings.parties,
      let secret = idempotencySecret
    {
      parties.tenant = tenant
      parties.idempotencySecret = (secret.high, secret.low)
      let services = try DataDirectory.services(
        parties, tickets: tickets.map { $0.keyed(configuration.rankKey) }, store: store,
        layers: layers, fares: fares,
        threadPool: BoundedThreadPool(threadCount: settings.daemon.heavyThreads))
      (parts.parties, parts.tickets) = (services.parties, services.tickets)
      services.parties.retireAtStart(erased[tenant] ?? [])
      if let webhooks {
        parts.services.append(
          TenantWebhooks(
            tenant: tenant, feed: PartyFeed(service: services.parties), parts: webhooks))
      }
    }
    var kept: PositionWriteBehind?
    if let archive {
      let writeBehind = data.openPositions(
        layers: layers, archive: archive, seconds: settings.writeBehindSeconds, tenant: tenant)
      parts.services.append(PositionWriting(writeBehind: writeBehind))
      parts.writePositions = { try writeBehind.writeRound() }
      kept = writeBehind
    }
    if let erasures {
      let eraser = PersonEraser(
        tenant: tenant, layers: layers, parties: parts.parties, tickets: parts.tickets,
        writeBehind: kept, files: erasures)
      parts.erase = { try await eraser.erase($0) }
    }
    parts.places = settings.places.makeService(layers: layers)
    return parts
  }
}
