import Dispatch
import Foundation
import Identity
import Logging
import Threading
import LiveLayers
import FareEstimation
import DurableCommands
import Parties
import Tickets
import MoyeoServer
import MoyeoStorage
import ServiceLifecycle
import ObjectModel

/// What moyeod keeps: the record of parties and events, and the last positions. Everything is
/// loaded before anything listens.
struct DataDirectory {
  let path: String
  let degradations: DegradationLog
  let logger: Logger
  /// Whether a secret that does not serve the record is set aside, with all it could answer.
  var forgetsKeys = false

  /// The names under which ``degradations`` knows what may fail here.
  static let parts =
    StoreTrouble.allCases.map(\.rawValue) + [
      loadingPart, followingPart, positionsPart, setAsidePart, disclosuresPart,
      PositionSharing.part,
    ]
  static let loadingPart = "record-loading"
  static let followingPart = "record-following"
  private static let positionsPart = "positions"
  static let disclosuresPart = "disclosures"
  static let setAsidePart = "positions-file"

  /// A record that is damaged is served read-only, as far as it can be read.
  ///
  /// - Throws: ``StartFailure``: in use by another daemon, of a newer release, no database at all.
  func openRecord(
    _ configuration: PartyServiceConfiguration, tickets: TicketServiceConfiguration?,
    layers: LayerRegistry, fares: FareEstimator, threadPool: BoundedThreadPool
  ) throws -> OpenRecord {
    let start = ContinuousClock.now
    let store: SQLiteStore
    var configuration = configuration
    do {
      var options = SQLiteStore.Options()
      options.reserveBytes = SQLiteStore.Options.standardReserveBytes
      options.opensDamaged = true
      options.onTrouble = { [degradations] in degradations.set($0.rawValue, $1) }
      store = try SQLiteStore(directory: path, options: options)
    } catch {
      throw StartFailure.failed("\(error)")
    }
    do {
      tighten()
      let secret = try IdempotencySecret.load(
        directory: path, store: store, forgetsKeys: forgetsKeys)
      configuration.idempotencySecret = (secret.high, secret.low)
      let erased = try replayErasures(store)
      let (partyService, ticketService) = try Self.services(
        configuration, tickets: tickets, store: store, layers: layers, fares: fares,
        threadPool: threadPool)
      partyService.retireAtStart(erased[configuration.tenant] ?? [])
      if let reason = partyService.readOnlyReason {
        logger.warning(
          "the record takes no commands: look at it with moyeo doctor, restore a backup",
          metadata: ["file": "\(store.path)", "reason": "\(reason)"])
      }
      logger.info(
        "record opened",
        metadata: [
          "file": "\(store.path)", "parties": "\(partyService.partyCount)",
          "tickets": "\(ticketService?.ticketCount ?? 0)",
          "milliseconds": "\(Self.milliseconds(since: start))",
        ])
      return OpenRecord(
        store: store, file: store, partyService: partyService, ticketService: ticketService,
        idempotencySecret: (secret.high, secret.low), erased: erased)
    } catch let failure as StoreFailure {
      store.close()
      throw StartFailure.failed("\(store.path) cannot be loaded: \(failure.reason)")
    } catch let error as StorageError {
      store.close()
      throw StartFailure.failed("\(error)")
    }
  }

  /// Who was erased after a record was copied does not come back with it.
  ///
  /// - Throws: ``StoreFailure``: rather nobody is served.
  func replayErasures(_ store: any ErasableStore) throws -> [String: [String]] {
    if store.readOnlyReason != nil {
      logger.warning("whether people were erased since cannot be looked up in a damaged record")
      return [:]
    }
    let erased = try ErasureFiles.replay(directory: path, store: store)
    if !erased.isEmpty {
      logger.notice(
        "people who were erased are taken out of a restored record",
        metadata: ["people": "\(erased.values.reduce(0) { $0 + $1.count })"])
    }
    return erased
  }

  /// The services of a tenant over the record.
  static func services(
    _ given: PartyServiceConfiguration, tickets: TicketServiceConfiguration?,
    store: any AggregateStore,
    layers: LayerRegistry, fares: FareEstimator, threadPool: BoundedThreadPool
  ) throws -> (parties: PartyService, tickets: TicketService?) {
    var configuration = given
    let commands = try configuration.makeCommands(
      store: store, clock: layers.clock, startsReadOnly: true)
    let ticketService = try tickets.map { configuration in
      try TicketService(
        layers: layers, commands: commands, configuration: configuration, startsReadOnly: true)
    }
    if let ticketService {
      configuration.meetings = PartyMeetings(
        areBlocked: ticketService.isBlocked, noShow: ticketService.noShow,
        bannedUntil: ticketService.bannedUntil, expectation: ticketService.expectation)
    }
    let partyService = try PartyService(
      layers: layers, store: store, fares: fares, configuration: configuration,
      threadPool: threadPool, startsReadOnly: true, commands: commands)
    return (partyService, ticketService)
  }

  func lock() throws -> DirectoryLock {
    do {
      let lock = try DirectoryLock(directory: path)
      tighten()
      return lock
    } catch {
      throw StartFailure.failed("\(error)")
    }
  }

  /// Parties, their places and positions are nobody else's to read.
  private func tighten() {
    for path in FileProtection.tighten(directory: path) {
      logger.warning(
        "others could read this; its rights are its owner's alone now",
        metadata: ["file": "\(path)"])
    }
  }

  /// Soft state: no fault of the file keeps the daemon from starting.
  func openPositions(
    layers: LayerRegistry, seconds: Int
  ) -> (writeBehind: PositionWriteBehind, archive: PositionsSnapshot) {
    let archive = PositionsSnapshot(directory: path)
    let writeBehind = openPositions(
      layers: layers, archive: archive, seconds: seconds, tenant: Caller.defaultTenant)
    return (writeBehind, archive)
  }

  /// The same for a tenant, in the file that all tenants share.
  func openPositions(
    layers: LayerRegistry, archive: PositionsSnapshot, seconds: Int, tenant: String
  ) -> PositionWriteBehind {
    let start = ContinuousClock.now
    let writeBehind = PositionWriteBehind(
      layers: layers, archive: archive, tenant: tenant,
      intervalMilliseconds: Int64(seconds) * 1000,
      onOutcome: { [degradations] failure in
        // A round that had nothing to write has not tried.
        archive.openIfNeeded()
        degradations.set(
          Self.positionsPart,
          (archive.openFailure ?? failure).map { "\(archive.path) cannot be written: \($0)" })
      })
    do {
      let count = try writeBehind.load()
      logger.info(
        "positions loaded",
        metadata: [
          "file": "\(archive.path)", "positions": "\(count)",
          "milliseconds": "\(Self.milliseconds(since: start))",
        ])
      if writeBehind.leftOutCount > 0 {
        logger.warning(
          "positions were left out, as the quotas (limits.objects, limits.objectsPerLayer, limits.objectBytes, limits.layers) have no room for them; the file keeps them",
          metadata: ["file": "\(archive.path)", "positions": "\(writeBehind.leftOutCount)"])
      }
    } catch {
      degradations.set(
        Self.positionsPart, "\(archive.path) cannot be read, so none are kept: \(error.reason)")
    }
    return writeBehind
  }

  static func milliseconds(since start: ContinuousClock.Instant) -> Int {
    Int((ContinuousClock.now - start) / .milliseconds(1))
  }
}

/// The record of a data directory or a cluster, and the default tenant's services over it.
struct OpenRecord {
  let store: any RecordStore
  /// The store, where it is a file of the data directory.
  let file: SQLiteStore?
  let partyService: PartyService
  let ticketService: TicketService?
  let idempotencySecret: (high: UInt64, low: UInt64)
  /// Of each tenant, names of people whom a restored record had aboard.
  let erased: [String: [String]]
}

/// Writes positions behind the index; a last round after all calls have ended.
struct PositionWriting: Service {
  let writeBehind: PositionWriteBehind

  func run() async throws {
    writeBehind.start()
    try? await gracefulShutdown()
    await withCheckedContinuation { done in
      DispatchQueue.global().async { [writeBehind] in
        writeBehind.stop()
        done.resume()
      }
    }
  }
}

/// Looks once a second at what nobody is told of: a record that cannot be loaded though it can be
/// written, and files that were set aside.
struct DegradationWatch: Service {
  let partyService: PartyService?
  let store: (any RecordStore)?
  let archive: PositionsSnapshot?
  let degradations: DegradationLog

  func run() async throws {
    look()
    try? await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        try await Task.sleep(for: .seconds(1))
        look()
      }
    }
  }

  private func look() {
    (store as? SQLiteStore)?.renewReserve()
    // The store itself tells of its own troubles.
    let isStoreSound = store?.readOnlyReason == nil
    degradations.set(DataDirectory.loadingPart, isStoreSound ? partyService?.readOnlyReason : nil)
    degradations.set(DataDirectory.followingPart, partyService?.following?.trouble)
    let aside = archive?.setAside ?? []
    degradations.set(
      DataDirectory.setAsidePart,
      aside.isEmpty
        ? nil
        : aside.map { "\($0.reason); it is kept as \($0.path) until somebody removes it" }
          .joined(separator: "; "))
  }
}
