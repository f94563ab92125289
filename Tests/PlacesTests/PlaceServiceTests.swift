import GeoMath
import ObjectModel
import Threading
import Testing

@testable import Places

/// Answers what it was given, and counts who asks.
private final class StubProvider: PlaceProvider {
  let answer: Result<[Place], PlaceProviderFailure>
  let calls = StateLock(0)

  init(_ answer: Result<[Place], PlaceProviderFailure>) { self.answer = answer }

  func search(_ search: PlaceSearch) async throws(PlaceProviderFailure) -> [Place] {
    calls.withLock { $0 += 1 }
    return try answer.get()
  }

  func reverse(_ question: ReversePlaceSearch) async throws(PlaceProviderFailure) -> [Place] {
    calls.withLock { $0 += 1 }
    return try answer.get()
  }
}

@Suite struct PlaceServiceTests {
  private static let here = PlaceFixture.cityHall

  private func place(_ id: String, _ name: String, metersNorth: Double) -> Place {
    Place(
      id: id, name: name, position: shifted(Self.here, metersNorth: metersNorth), source: .photon)
  }

  @Test func theProviderFillsUpWhatIsMissing() async throws {
    let provider = StubProvider(
      .success([
        place("same", "서울 역", metersNorth: 100), place("far", "서울역", metersNorth: 9000),
        place("other", "서울역 광장", metersNorth: 200), place("third", "서울역 서부", metersNorth: 300),
      ]))
    let fixture = PlaceFixture(provider: provider)
    try fixture.report("own", "서울역", at: Self.here)
    let search = PlaceSearch(text: "서울역", near: Self.here, radiusMeters: 5000, limit: 3)
    let found = try await fixture.service.search(search)
    #expect(found.map(\.id) == ["own", "other", "third"])
    #expect(found.map(\.source) == [.own, .photon, .photon])
    #expect(abs((found[1].distanceMeters ?? 0) - 200) < 2)
    let one = try await fixture.service.search(PlaceSearch(text: "서울역", limit: 1))
    #expect(one.map(\.id) == ["own"])
    #expect(provider.calls.withLock { $0 } == 1)
    let reverse = try await fixture.service.reverse(
      ReversePlaceSearch(position: Self.here, limit: 2))
    #expect(reverse.map(\.id) == ["own", "other"])
    // What is here already needs no provider; what is far away is not what is here.
    let calls = provider.calls.withLock { $0 }
    let here = try await fixture.service.reverse(ReversePlaceSearch(position: Self.here))
    #expect(here.map(\.id) == ["own"])
    #expect(provider.calls.withLock { $0 } == calls)
    let away = shifted(Self.here, metersNorth: 9100)
    let there = try await fixture.service.reverse(ReversePlaceSearch(position: away))
    #expect(there.map(\.id) == ["far"])
    #expect(provider.calls.withLock { $0 } == calls + 1)
  }

  @Test func aProvidersFailureIsCountedAndNotThrown() async throws {
    let failures = StateLock<[String]>([])
    let gone = StubProvider(.failure(PlaceProviderFailure(reason: "timed_out")))
    let fixture = PlaceFixture(
      provider: gone, onProviderFailure: { reason in failures.withLock { $0.append(reason) } })
    try fixture.report("own", "서울역", at: Self.here)
    let found = try await fixture.service.search(PlaceSearch(text: "서울"))
    #expect(found.map(\.id) == ["own"])
    let question = ReversePlaceSearch(position: Self.here, limit: 3)
    let named = try await fixture.service.reverse(question)
    #expect(named.map(\.id) == ["own"])
    #expect(failures.withLock { $0 } == ["timed_out", "timed_out"])
    let left = StubProvider(
      .failure(PlaceProviderFailure(reason: "cancelled", isCancelled: true)))
    let quiet = PlaceFixture(
      provider: left, onProviderFailure: { reason in failures.withLock { $0.append(reason) } })
    let none = try await quiet.service.search(PlaceSearch(text: "서울"))
    #expect(none.isEmpty)
    #expect(failures.withLock { $0.count } == 2)
  }
}
