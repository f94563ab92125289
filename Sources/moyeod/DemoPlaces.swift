import CitySimulation
import GeoMath
import LiveLayers
import ObjectModel

/// The stations and districts of the demo city as the layer `places`.
enum DemoPlaces {
  static let layerName = "places"

  /// Reports them; they never expire, and a restart reports them again under the same ids.
  static func fill(_ layers: LayerRegistry, from city: City) throws {
    _ = try layers.layerForReports(layerName).report(
      reports(city), now: layers.clock.now(), limits: layers.limits)
  }

  static func reports(_ city: City) -> [PositionReport] {
    city.hotSpots.enumerated().map { number, spot in
      PositionReport(
        id: "\(city.name):\(number + 1)", latitude: spot.coordinate.latitude,
        longitude: spot.coordinate.longitude,
        attributes: AttributeEncoding.encode([
          ("category", .string(spot.kind.rawValue)), ("name", .string(spot.name)),
          ("name_en", .string(spot.englishName)),
        ]), ttlMilliseconds: 0)
    }
  }
}
