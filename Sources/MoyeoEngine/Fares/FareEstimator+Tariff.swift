import GeoMath
public import ObjectModel
import RoutePlanning
public import TaxiFares

extension FareEstimator {
  /// The tariff that a request names, or the one of the first area that holds its origin.
  public func tariff(
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

  /// The first area at the origin whose taxis have a tariff.
  private func pricedArea(of request: FareRequest) throws(FareRequestError) -> String {
    guard let origin = request.origin else { throw .missingField("tariffId") }
    let priced = library.catalog.areas
    guard let area = library.areas.ids(at: origin).first(where: priced.contains) else {
      throw .noTariffHere(origin)
    }
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
    guard let origin = request.origin, let area = library.areas.area(tariff.area),
      area.contains(origin), let outside = ends.first(where: { !area.contains($0) })
    else { return }
    trip.outOfAreaFromMeters =
      edgeShare(area, from: origin, to: outside) * trip.totals.distanceMeters
  }

  private func flatTrip(_ tariff: Tariff, _ request: FareRequest) -> String? {
    guard let origin = request.origin, let destination = request.destination,
      request.riders.allSatisfy({ $0.dropOff == nil || $0.dropOff == destination })
    else { return nil }
    for flat in tariff.content.flatTrips where flat.between.count == 2 {
      guard let a = library.areas.area(flat.between[0]),
        let b = library.areas.area(flat.between[1])
      else { continue }
      if (a.contains(origin) && b.contains(destination))
        || (b.contains(origin) && a.contains(destination))
      {
        return flat.id
      }
    }
    return nil
  }

  /// Where the straight line leaves the area for good or for the first time, as a share of it.
  private func edgeShare(_ area: FareArea, from: Coordinate, to: Coordinate) -> Double {
    var inside = 0.0
    var outside = 1.0
    for _ in 0..<20 {
      let middle = (inside + outside) / 2
      let place = Coordinate(
        uncheckedLatitude: from.latitude + (to.latitude - from.latitude) * middle,
        longitude: from.longitude + (to.longitude - from.longitude) * middle)
      if area.contains(place) { inside = middle } else { outside = middle }
    }
    return outside
  }
}
