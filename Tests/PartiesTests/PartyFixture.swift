import Foundation
import GeoMath
import ObjectModel
import RideMatching
import RoutePlanning
import TaxiFares

@testable import LiveLayers
@testable import FareEstimation
@testable import DurableCommands
@testable import Parties
import TestSupport
import Threading

/// A partyService over a store, in Seoul on a Wednesday afternoon, with the shipped tariffs.
struct PartyFixture {
  let layers: LayerRegistry
  let clock: ManualClock
  /// By which a record that refuses writes is opened again.
  let monotonic = ManualMonotonicClock()
  let store: any AggregateStore
  let partyService: PartyService

  /// 2024-05-22T17:00:00+09:00.
  static let start = Instant(milliseconds: 1_716_364_800_000)
  static let sinchon = RidePlace(
    name: "Sinchon", coordinate: Coordinate(uncheckedLatitude: 37.5551, longitude: 126.9368))
  static let gangnam = RidePlace(
    name: "Gangnam", coordinate: Coordinate(uncheckedLatitude: 37.4979, longitude: 127.0276))
  static let yeoksam = RidePlace(
    name: "Yeoksam", coordinate: Coordinate(uncheckedLatitude: 37.5006, longitude: 127.0364))

  static let library: TariffLibrary = {
    var url = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    for _ in 0..<3 { url.deleteLastPathComponent() }
    do {
      return try TariffLibrary.load(
        tariffDirectories: [url.path + "/data/tariffs"],
        areaDirectories: [url.path + "/data/areas"])
    } catch {
      preconditionFailure("shipped tariffs do not load: \(error)")
    }
  }()

  init(
    store: any AggregateStore = MemoryStore(), clock: ManualClock = ManualClock(PartyFixture.start),
    routes: any RouteProvider = EstimatedRouteProvider(), starts: Bool = true,
    _ change: (inout PartyServiceConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = PartyServiceConfiguration()
    // Timers are entered by hand.
    configuration.timerMilliseconds = 3_600_000
    // Most of what is over then comes from the record, in every test.
    configuration.endedInMemory = 1
    change(&configuration)
    self.clock = clock
    self.store = store
    layers = LayerRegistry(clock: clock, epoch: 7)
    partyService = try PartyService(
      layers: layers, store: store,
      fares: FareEstimator(library: Self.library, routes: routes), configuration: configuration,
      monotonic: monotonic)
    if starts { partyService.start() }
  }

  static func create(
    _ host: String, seats: Int = 4, minutes: Int64 = 60, from origin: RidePlace = sinchon,
    to destination: RidePlace = gangnam, tags: [String] = []
  ) -> CreateParty {
    CreateParty(
      hostID: host, origin: origin, destination: destination,
      window: DepartureWindow(time: start.advanced(milliseconds: minutes * 60_000)),
      seats: seats, tags: tags)
  }

  /// A context with an idempotency key.
  static func key(_ key: String?, _ content: String = "", caller: String = "app") -> CommandContext
  {
    CommandContext(
      caller: caller, path: "/v1/parties", idempotencyKey: key,
      requestHash: CommandContext.requestHash(Array(content.utf8)))
  }

  static let plain = CommandContext()
}

/// The reason of a refusal; nil for none.
func reason(_ body: () async throws -> Void) async -> String? {
  do {
    try await body()
    return nil
  } catch let error as PartyServiceError {
    return error.reason
  } catch {
    return "\(error)"
  }
}
