import Foundation
import GeoMath
import LiveLayers
import FareEstimation
import DurableCommands
import Parties
import ObjectModel
import RideMatching

/// An layers with its partyService of parties, as the daemon composes them.
final class JoinedCity: Sendable {
  let layers: LayerRegistry
  let partyService: PartyService
  let store: any AggregateStore
  private let housekeeping: Task<Void, Never>

  init(store: any AggregateStore, dataDirectory: String) throws {
    let library = try TariffLibrary.load(
      tariffDirectories: [dataDirectory + "/tariffs"],
      areaDirectories: [dataDirectory + "/areas"])
    let layers = LayerRegistry(clock: SystemClock(), epoch: 1)
    self.layers = layers
    self.store = store
    partyService = try PartyService(
      layers: layers, store: store, fares: FareEstimator(library: library))
    layers.clusterMaintainer.start()
    layers.watchMaintainer.start()
    partyService.start()
    housekeeping = Task.detached {
      while !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(50))
        layers.reclaimExpired()
      }
    }
  }

  func stop() {
    housekeeping.cancel()
    partyService.stop()
    layers.clusterMaintainer.stop()
    layers.watchMaintainer.stop()
  }

  /// How far the clusters of moving people lag behind.
  var clusterAgeMilliseconds: Int64 {
    (try? layers.layer("users"))?.clusterLagMilliseconds(now: layers.clock.now()) ?? 0
  }

  /// Departures are spread over four hours; all in Seoul.
  func createParties(_ count: Int) async throws -> [String] {
    let now = layers.clock.now()
    return try await withThrowingTaskGroup(of: [String].self) { [partyService] group in
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
            made.append(try await partyService.create(command, CommandContext()).party.id)
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
