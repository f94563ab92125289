package import GeoMath
import MoyeoAPI
import MoyeoServer
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

  package func places(named text: String, limit: Int) async throws -> [NamedPlace] {
    let search = PlaceSearch(text: text, limit: limit)
    do throws(PlaceError) {
      return try await service.search(search, budget: budget).map(Self.named)
    } catch {
      throw Self.refusal(error)
    }
  }

  package func places(at coordinate: Coordinate, limit: Int) async throws -> [NamedPlace] {
    let question = ReversePlaceSearch(position: coordinate, limit: limit)
    do throws(PlaceError) {
      return try await service.reverse(question, budget: budget).map(Self.named)
    } catch {
      throw Self.refusal(error)
    }
  }

  private var budget: WorkBudget { WorkBudget(steps: workPerRequest) }

  private static func named(_ place: Place) -> NamedPlace {
    NamedPlace(name: place.name, address: place.address ?? "", coordinate: place.position)
  }

  private static func refusal(_ error: PlaceError) -> DoorRefusal {
    switch error {
    case .tooMuchWork(let limit, let field):
      DoorRefusal(.tooMuchWork, "this would take more than \(limit) steps: narrow \(field)")
    case .abandoned: DoorRefusal(.deadlineExceeded, "the caller left before the answer")
    case .unavailable(let reason): DoorRefusal(.unavailable, "names cannot be looked up: \(reason)")
    }
  }
}
