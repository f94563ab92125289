package import GeoMath
package import MoyeoServer
import ObjectModel
package import Places

/// Names of places from the service's own table and its provider.
package struct ServicePlaceNames: PlaceNames {
  private let service: PlaceService
  /// Steps of work that one question may cost.
  private let workPerRequest: Int

  package init(service: PlaceService, workPerRequest: Int) {
    self.service = service
    self.workPerRequest = workPerRequest
  }

  package func places(
    named text: String, limit: Int, _ services: DoorServices
  ) async throws -> [NamedPlace] {
    let search = PlaceSearch(text: text, limit: limit)
    let own = try await own(services) { budget throws(PlaceError) in
      try service.ownPlaces(matching: search, budget: budget)
    }
    return await service.search(search, own: own).map(Self.named)
  }

  package func places(
    at coordinate: Coordinate, limit: Int, _ services: DoorServices
  ) async throws -> [NamedPlace] {
    let question = ReversePlaceSearch(position: coordinate, limit: limit)
    let own = try await own(services) { budget throws(PlaceError) in
      try service.ownPlaces(at: question, budget: budget)
    }
    return await service.reverse(question, own: own).map(Self.named)
  }

  /// Reads our own table, whose text index no budget ends quickly.
  private func own(
    _ services: DoorServices,
    _ read: @escaping @Sendable (WorkBudget) throws(PlaceError) -> [Place]
  ) async throws -> [Place] {
    try await services.readOnPool(steps: workPerRequest) { budget throws(DoorRefusal) in
      do throws(PlaceError) { return try read(budget) } catch { throw DoorRefusal(error) }
    }
  }

  private static func named(_ place: Place) -> NamedPlace {
    NamedPlace(name: place.name, address: place.address ?? "", coordinate: place.position)
  }
}
