import GeoMath
import ObjectModel
package import QueryCoalescing
package import RoutePlanning
package import Threading

/// Asks a provider once for all who ask the same, and keeps the answer for a while.
///
/// The same means: all places equal after snapping to a grid of ``Settings/gridDegrees``, and the
/// same departure slot where the provider looks at departures. The provider is asked for the
/// snapped places and the slot's start, so an answer never depends on who asked first. Errors are
/// shared with those who wait and never kept.
package final class CoalescedRouteProvider: RouteProvider {
  package struct Settings: Hashable, Sendable {
    /// 0.0001 degrees are at most 11 m: a place moves by at most 8 m.
    package var gridDegrees: Double
    package var slotMinutes: Int64
    /// How old an answer may be.
    package var maximumAgeMilliseconds: Int64
    package var capacityBytes: Int

    package init(
      gridDegrees: Double = 0.0001, slotMinutes: Int64 = 10,
      maximumAgeMilliseconds: Int64 = 10 * 60_000, capacityBytes: Int = 32 << 20
    ) {
      self.gridDegrees = gridDegrees >= 1e-7 && gridDegrees <= 1 ? gridDegrees : 0.0001
      self.slotMinutes = min(max(1, slotMinutes), 1440)
      self.maximumAgeMilliseconds = min(max(0, maximumAgeMilliseconds), 7 * 86_400_000)
      self.capacityBytes = max(0, capacityBytes)
    }
  }

  /// What makes two requests the same.
  struct Key: Hashable, Sendable {
    let cells: [SIMD2<Int32>]
    let slot: Int64?
  }

  package let provider: any RouteProvider
  package let settings: Settings
  private let dependsOnDeparture: Bool
  private let coalescer: Coalescer<Key, Route>

  package var source: RouteSource { provider.source }
  package var flightStatistics: SingleFlightStatistics { coalescer.flights.statistics }

  /// Stands in front of a provider, with nothing kept yet.
  ///
  /// - Parameters:
  ///   - provider: Is asked where no answer is kept and nobody else asks the same.
  ///   - dependsOnDeparture: ``RouteDialect/dependsOnDeparture`` of the provider.
  ///   - settings: What is the same, and how long and in how many bytes answers are kept.
  ///   - clock: By which answers age.
  package init(
    _ provider: any RouteProvider, dependsOnDeparture: Bool, settings: Settings = Settings(),
    clock: any MonotonicClock = SystemMonotonicClock()
  ) {
    self.provider = provider
    self.settings = settings
    self.dependsOnDeparture = dependsOnDeparture
    coalescer = Coalescer(clock: clock, capacityBytes: settings.capacityBytes) { route in
      160 + 16 * (route.path.count + route.legs.count)
    }
  }

  package func route(_ request: RouteRequest) async throws(RouteError) -> Route {
    let (key, snapped) = try snap(request)
    do {
      let freshness = Freshness(maximumAge: settings.maximumAgeMilliseconds * 1_000_000)
      return try await coalescer.value(for: key, freshness: freshness) { [provider] _ in
        try await provider.route(snapped)
      }.value
    } catch let error as RouteError {
      throw error
    } catch is CancellationError {
      throw .cancelled
    } catch {
      // Too many questions at once, or waited too long for another's.
      throw .unavailable("coalescing: \(error)")
    }
  }

  private func snap(_ request: RouteRequest) throws(RouteError) -> (Key, RouteRequest) {
    let grid = settings.gridDegrees
    var cells: [SIMD2<Int32>] = []
    var places = request.places
    for (index, place) in request.places.enumerated() {
      let row = (place.latitude / grid).rounded()
      let column = (place.longitude / grid).rounded()
      cells.append(SIMD2(Int32(row), Int32(column)))
      guard
        let snapped = try? Coordinate(
          latitude: min(max(row * grid, -90), 90), longitude: min(max(column * grid, -180), 180))
      else { throw .malformed("a place left the Earth") }
      places[index] = snapped
    }
    let slotMilliseconds = settings.slotMinutes * 60_000
    let slot = request.departure.milliseconds / slotMilliseconds
    let departure =
      dependsOnDeparture ? Instant(milliseconds: slot * slotMilliseconds) : request.departure
    let snapped = try RouteRequest(
      origin: places[0], stops: Array(places[1..<(places.count - 1)]),
      destination: places[places.count - 1], departure: departure)
    return (Key(cells: cells, slot: dependsOnDeparture ? slot : nil), snapped)
  }
}
