package import Places
import GeoMath
import QueryCoalescing
import RoutePlanning
package import Threading

/// A provider of places over HTTP: dialect, transport, time limits, retries and breaker
/// (``ProviderCalls``), in front of them a cache that all who ask the same share.
///
/// The same means: equal text, limit and radius, and positions equal after snapping to a grid of
/// 0.001 degrees, some 100 m; the provider is asked for the snapped position, so that an answer never
/// depends on who asked first. A reverse question is snapped to 0.0001 degrees.
package final class HTTPPlaceProvider: PlaceProvider {
  private enum Key: Hashable, Sendable {
    case search(PlaceSearch)
    case reverse(ReversePlaceSearch)
  }

  /// How old an answer may be.
  package static let maximumAgeMilliseconds: Int64 = 10 * 60_000
  static let searchGridDegrees = 0.001
  static let reverseGridDegrees = 0.0001

  package let dialect: any PlaceDialect
  private let calls: ProviderCalls
  private let coalescer: Coalescer<Key, [Place]>

  /// Asks nobody yet.
  ///
  /// - Parameters:
  ///   - dialect: Writes the requests and reads the answers of one provider.
  ///   - transport: Carries them.
  ///   - settings: Time limits, retries and the breaker's.
  ///   - clock: By which tries, pauses and answers' ages are timed.
  ///   - random: Uniform in 0..<1, for the jitter.
  package init(
    _ dialect: any PlaceDialect, transport: any RouteTransport,
    settings: ProviderCalls.Settings = .init(),
    clock: any MonotonicClock = SystemMonotonicClock(),
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    self.dialect = dialect
    calls = ProviderCalls(transport: transport, settings: settings, clock: clock, random: random)
    coalescer = Coalescer(clock: clock, capacityBytes: 8 << 20) { places in
      128 + places.reduce(0) { $0 + 160 + $1.name.utf8.count + ($1.address?.utf8.count ?? 0) }
    }
  }

  package var breakerState: CircuitBreaker.State { calls.breakerState }

  package func search(_ search: PlaceSearch) async throws(PlaceProviderFailure) -> [Place] {
    var snapped = search
    snapped.near = search.near.map { Self.snap($0, Self.searchGridDegrees) }
    let question = snapped
    return try await answer(.search(question)) { [dialect, calls] in
      var found: [Place] = []
      for exchange in dialect.searches(question) where found.isEmpty {
        found = try await Self.places(exchange, calls)
      }
      return found
    }
  }

  package func reverse(
    _ question: ReversePlaceSearch
  ) async throws(PlaceProviderFailure) -> [Place] {
    var snapped = question
    snapped.position = Self.snap(question.position, Self.reverseGridDegrees)
    let asked = snapped
    return try await answer(.reverse(asked)) { [dialect, calls] in
      try await Self.places(dialect.reverse(asked), calls)
    }
  }

  private static func places(
    _ exchange: PlaceExchange, _ calls: ProviderCalls
  ) async throws(RouteError) -> [Place] {
    try await calls.answer(to: exchange.exchange) { reply throws(RouteError) in
      try ProviderCalls.words(of: reply) { reply throws(RouteError) in
        let places = try exchange.read(reply)
        guard (200...299).contains(reply.status) else {
          throw .refused(status: reply.status, message: "places with status \(reply.status)")
        }
        return places
      }
    }
  }

  private func answer(
    _ key: Key, _ ask: @escaping @Sendable () async throws -> [Place]
  ) async throws(PlaceProviderFailure) -> [Place] {
    do {
      let freshness = Freshness(maximumAge: Self.maximumAgeMilliseconds * 1_000_000)
      return try await coalescer.value(for: key, freshness: freshness) { _ in
        try await ask()
      }.value
    } catch let error as RouteError {
      throw PlaceProviderFailure(reason: error.reason, isCancelled: error == .cancelled)
    } catch is CancellationError {
      throw PlaceProviderFailure(reason: RouteError.cancelled.reason, isCancelled: true)
    } catch {
      // Too many questions at once, or waited too long for another's.
      throw PlaceProviderFailure(reason: "coalescing")
    }
  }

  private static func snap(_ place: Coordinate, _ grid: Double) -> Coordinate {
    Coordinate(
      uncheckedLatitude: min(max((place.latitude / grid).rounded() * grid, -90), 90),
      longitude: min(max((place.longitude / grid).rounded() * grid, -180), 180))
  }
}
