import DurableCommands
import FareEstimation
import Foundation
import LiveLayers
import Logging
import MoyeoCluster
import MoyeoServer
import MoyeoStorage
import ObjectModel
import Parties
import Threading
import Tickets

/// A record as the daemon opens, asks and closes it.
protocol RecordStore: ErasableStore {
  func close()
  /// Tenants of which the record has something that goes by the clock.
  func tenants() throws(StoreFailure) -> [String]
}

extension SQLiteStore: RecordStore {}
extension PostgresStore: RecordStore {}

/// The record in PostgreSQL, which ``OpenRecord`` holds in place of a file.
extension DataDirectory {
  /// Opens the record that a connection string leads to.
  ///
  /// - Throws: ``StartFailure``: no server takes writes, or its schema is not this release's.
  func openSharedRecord(
    _ connection: String, _ given: PartyServiceConfiguration, tickets: TicketServiceConfiguration?,
    layers: LayerRegistry, fares: FareEstimator, threadPool: BoundedThreadPool
  ) throws -> OpenRecord {
    let start = ContinuousClock.now
    var options = PostgresStore.Options()
    options.clock = layers.clock as? ClusterClock
    options.onTrouble = { [degradations] in degradations.set(StoreTrouble.readOnly.rawValue, $0) }
    do {
      if FileManager.default.fileExists(atPath: path + "/" + SQLiteStore.fileName) {
        logger.warning(
          "the data directory has a record of its own, which is not served: cluster.postgres is set",
          metadata: ["file": "\(path)/\(SQLiteStore.fileName)"])
      }
      let store = try PostgresStore(connection: connection, options: options)
      do {
        var configuration = given
        let secret = try idempotencySecret(store)
        configuration.idempotencySecret = secret
        let erased = try replayErasures(store)
        let (partyService, ticketService) = try Self.services(
          configuration, tickets: tickets, store: store, layers: layers, fares: fares,
          threadPool: threadPool)
        partyService.retireAtStart(erased[configuration.tenant] ?? [])
        warnOfSkew(layers.clock)
        logger.info(
          "record opened",
          metadata: [
            "server": "PostgreSQL", "parties": "\(partyService.partyCount)",
            "tickets": "\(ticketService?.ticketCount ?? 0)",
            "milliseconds": "\(Self.milliseconds(since: start))",
          ])
        return OpenRecord(
          store: store, file: nil, partyService: partyService, ticketService: ticketService,
          idempotencySecret: secret, erased: erased)
      } catch {
        store.close()
        throw error
      }
    } catch let failure as StoreFailure {
      throw StartFailure.failed("cluster.postgres: \(failure.reason)")
    }
  }

  private static let skewMilliseconds: Int64 = 1000

  /// Deadlines and departures go by the record's clock; this machine's own is asked for what is left, such
  /// as the times of log lines and of tokens.
  private func warnOfSkew(_ clock: any WallClock) {
    let skew = clock.now().milliseconds - SystemClock().now().milliseconds
    guard abs(skew) > Self.skewMilliseconds else { return }
    logger.warning(
      "this machine's clock differs from the record's, by which deadlines and departures go: set it right",
      metadata: ["milliseconds": "\(skew)"])
  }

  /// The same for all daemons on the record: a key has one effect whichever of them is asked.
  private func idempotencySecret(
    _ store: PostgresStore
  ) throws(StoreFailure) -> (high: UInt64, low: UInt64) {
    let bytes = try store.secret(PostgresStore.idempotencySecretName) {
      (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    }
    func word(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    return (word(bytes[..<8]), word(bytes[8...]))
  }
}
