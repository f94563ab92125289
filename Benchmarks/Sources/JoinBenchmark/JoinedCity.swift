import Foundation
import GeoMath
import MoyeoEngine
import ObjectModel
import RideMatching

/// An engine with its desk of parties, as the daemon composes them.
final class JoinedCity: Sendable {
  let engine: Engine
  let desk: PartyDesk
  let store: any AggregateStore
  private let housekeeping: Task<Void, Never>

  init(store: any AggregateStore, dataDirectory: String) throws {
    let library = try TariffLibrary.load(
      tariffDirectories: [dataDirectory + "/tariffs"],
      areaDirectories: [dataDirectory + "/areas"])
    let engine = Engine(clock: SystemClock(), epoch: 1)
    self.engine = engine
    self.store = store
    desk = try PartyDesk(engine: engine, store: store, fares: FareEstimator(library: library))
    engine.clusterMaintainer.start()
    engine.watchMaintainer.start()
    desk.start()
    housekeeping = Task.detached {
      while !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(50))
        engine.reclaimExpired()
      }
    }
  }

  func stop() {
    housekeeping.cancel()
    desk.stop()
    engine.clusterMaintainer.stop()
    engine.watchMaintainer.stop()
  }

  /// How far the clusters of moving people lag behind.
  var clusterAgeMilliseconds: Int64 {
    (try? engine.layer("users"))?.clusterLagMilliseconds(now: engine.clock.now()) ?? 0
  }

  /// Departures are spread over four hours; all in Seoul.
  func createParties(_ count: Int) async throws -> [String] {
    let now = engine.clock.now()
    return try await withThrowingTaskGroup(of: [String].self) { [desk] group in
      let tasks = 64
      for first in 0..<tasks {
        group.addTask {
          var made: [String] = []
          for i in stride(from: first, to: count, by: tasks) {
            let departure = now.advanced(milliseconds: Int64(3_600_000 + i % 240 * 60_000))
            let command = CreateParty(
              hostID: "host-\(i)", origin: RidePlace(coordinate: Self.place(i)),
              destination: RidePlace(coordinate: Self.place(i + 7)),
              window: DepartureWindow(time: departure), seats: 4)
            made.append(try await desk.create(command, CommandContext()).party.id)
          }
          return made
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  static func place(_ i: Int) -> Coordinate {
    let x = Double((i &* 2_654_435_761) % 100_003) / 100_003
    let y = Double((i &* 40_503) % 99_991) / 99_991
    return Coordinate(uncheckedLatitude: 37.48 + 0.15 * y, longitude: 126.85 + 0.25 * x)
  }
}
