import Dispatch
import Foundation
import Logging
import MoyeoEngine
import MoyeoStorage
import ServiceLifecycle

/// What moyeod keeps: the record of parties and events, and the last positions. Everything is
/// loaded before anything listens.
struct DataDirectory {
  let path: String
  let logger: Logger

  /// - Throws: ``StartFailure``: in use by another daemon, of a newer release, damaged.
  func openRecord(
    _ configuration: PartyDeskConfiguration, engine: Engine, fares: FareEstimator,
    heavyWork: HeavyWork
  ) throws -> (store: SQLiteStore, desk: PartyDesk) {
    let start = ContinuousClock.now
    let store: SQLiteStore
    do {
      store = try SQLiteStore(directory: path)
    } catch {
      throw StartFailure.failed("\(error)")
    }
    var configuration = configuration
    do {
      configuration.idempotencySecret = try IdempotencySecret.loadOrMake(directory: path)
      let desk = try PartyDesk(
        engine: engine, store: store, fares: fares, configuration: configuration,
        heavyWork: heavyWork)
      logger.info(
        "record opened",
        metadata: [
          "file": "\(store.path)", "parties": "\(desk.partyCount)",
          "milliseconds": "\(Self.milliseconds(since: start))",
        ])
      return (store, desk)
    } catch let failure as StoreFailure {
      store.close()
      throw StartFailure.failed("\(store.path) cannot be loaded: \(failure.reason)")
    }
  }

  func lock() throws -> DirectoryLock {
    do { return try DirectoryLock(directory: path) } catch {
      throw StartFailure.failed("\(error)")
    }
  }

  /// Soft state: a file that cannot be read costs the positions in it, nothing more.
  func openPositions(engine: Engine, seconds: Int) throws -> PositionKeeper {
    let start = ContinuousClock.now
    let archive: PositionsSnapshot
    do {
      archive = try PositionsSnapshot(directory: path)
    } catch {
      throw StartFailure.failed("\(error)")
    }
    let keeper = PositionKeeper(
      engine: engine, archive: archive, intervalMilliseconds: Int64(seconds) * 1000)
    do {
      let count = try keeper.load()
      logger.info(
        "positions loaded",
        metadata: [
          "file": "\(archive.path)", "positions": "\(count)",
          "milliseconds": "\(Self.milliseconds(since: start))",
        ])
    } catch {
      logger.warning("kept positions cannot be read", metadata: ["error": "\(error.reason)"])
    }
    return keeper
  }

  private static func milliseconds(since start: ContinuousClock.Instant) -> Int {
    Int((ContinuousClock.now - start) / .milliseconds(1))
  }
}

/// Writes positions behind the index; a last round after all calls have ended.
struct PositionKeeping: Service {
  let keeper: PositionKeeper

  func run() async throws {
    keeper.start()
    try? await gracefulShutdown()
    await withCheckedContinuation { done in
      DispatchQueue.global().async { [keeper] in
        keeper.stop()
        done.resume()
      }
    }
  }
}
