package import GeoMath
package import ObjectModel
import RoutePlanning
package import TaxiFares

extension FareEstimator {
  /// The tariff that a request names, or the one of the first area that holds its origin.
  package func tariff(
    for request: FareRequest, at departure: Instant
  ) throws(FareRequestError) -> Tariff {
    let catalog = library.catalog
    do {
      if let id = request.tariffID {
        let tariff = try catalog.tariff(id: id, at: departure)
        if let name = request.vehicleClass, !tariff.content.vehicleClasses.contains(name) {
          throw FareError.noTariff(area: tariff.area, vehicleClass: name)
        }
        return tariff
      }
      let area = try pricedArea(of: request)
      return try catalog.tariff(area: area, vehicleClass: request.vehicleClass, at: departure)
    } catch let error as FareError {
      throw .fare(error)
    } catch let error as FareRequestError {
      throw error
    } catch {
      preconditionFailure("nothing else is thrown: \(error)")
    }
  }

  private func pricedArea(of request: FareRequest) throws(FareRequestError) -> String {
    guard let origin = request.origin else { throw .missingField("tariffId") }
    guard let area = pricedArea(at: origin) else { throw .noTariffHere(origin) }
    return area
  }

  /// Flat trip and out-of-area surcharge, from the two places or as the request says.
  func applyAreas(_ tariff: Tariff, _ request: FareRequest, to trip: inout Trip) {
    trip.flatTrip = request.flatTrip ?? flatTrip(tariff, request)
    guard tariff.content.outOfArea != nil else { return }
    if let isOutOfArea = request.isOutOfArea {
      trip.outOfAreaFromMeters = isOutOfArea ? 0 : nil
      return
    }
    let ends = request.riders.compactMap(\.dropOff) + [request.destination].compactMap(\.self)
    guard let origin = request.origin, pricedArea(at: origin) == tariff.area,
      let outside = ends.first(where: { pricedArea(at: $0) != tariff.area })
    else { return }
    trip.outOfAreaFromMeters =
      edgeShare(tariff.area, from: origin, to: outside) * trip.totals.distanceMeters
  }

  /// The first area at a place whose taxis have a tariff: a city, not the province around it.
  private func pricedArea(at place: Coordinate) -> String? {
    library.areas.ids(at: place).first(where: library.catalog.areas.contains)
  }

  /// The flat trip that every place of the ride ends: a destination, drop-offs, or both.
  private func flatTrip(_ tariff: Tariff, _ request: FareRequest) -> String? {
    guard let origin = request.origin else { return nil }
    let ends = request.riders.compactMap(\.dropOff) + [request.destination].compactMap(\.self)
    guard let first = ends.first,
      let id = library.areas.flatTrip(of: tariff, from: origin, to: first)
    else { return nil }
    let isFlat = ends.dropFirst().allSatisfy {
      $0 == first || library.areas.flatTrip(of: tariff, from: origin, to: $0) == id
    }
    return isFlat ? id : nil
  }

  /// Where the straight line crosses the area's edge (any, of several), as a share of it.
  package func edgeShare(_ area: String, from: Coordinate, to: Coordinate) -> Double {
    var inside = 0.0
    var outside = 1.0
    for _ in 0..<20 {
      let middle = (inside + outside) / 2
      let place = Coordinate(
        uncheckedLatitude: from.latitude + (to.latitude - from.latitude) * middle,
        longitude: from.longitude + (to.longitude - from.longitude) * middle)
      if pricedArea(at: place) == area { inside = middle } else { outside = middle }
    }
    return outside
  }
}
