import GeoMath
import LiveLayers
import ObjectModel
import TestSupport

@testable import Places

/// Layers with places, and a table over them that is followed by hand.
struct PlaceFixture {
  static let start = Instant(milliseconds: 1_795_183_800_000)
  /// Of all places: what is said of stations is said of them.
  static let category = "station"
  static let cityHall = Coordinate(uncheckedLatitude: 37.5663, longitude: 126.9779)

  let clock = ManualClock(start)
  let layers: LayerRegistry
  let table: PlaceTable
  let service: PlaceService

  init(
    layerNames: [String] = ["places"],
    provider: (any PlaceProvider)? = nil,
    onProviderFailure: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    layers = LayerRegistry(clock: clock, epoch: 9)
    table = PlaceTable(layers: layers, layerNames: layerNames)
    service = PlaceService(
      table: table, provider: provider, onProviderFailure: onProviderFailure)
  }

  func report(
    _ id: String, _ name: String?, address: String? = nil, otherName: String? = nil,
    at position: Coordinate = cityHall, layer: String = "places", ttlMilliseconds: Int64 = 0
  ) throws {
    var attributes: [(name: String, value: AttributeValue)] = []
    if let address { attributes.append(("address", .string(address))) }
    attributes.append(("category", .string(Self.category)))
    if let name { attributes.append(("name", .string(name))) }
    if let otherName { attributes.append(("name_en", .string(otherName))) }
    _ = try layers.layerForReports(layer).report(
      [
        PositionReport(
          id: id, latitude: position.latitude, longitude: position.longitude,
          attributes: AttributeEncoding.encode(attributes), ttlMilliseconds: ttlMilliseconds)
      ], now: clock.now(), limits: layers.limits)
  }

  func ids(
    _ text: String, near: Coordinate? = nil, radiusMeters: Double? = nil, limit: Int = 20
  ) throws -> [String] {
    try service.ownPlaces(
      matching: PlaceSearch(text: text, near: near, radiusMeters: radiusMeters, limit: limit)
    ).map(\.id)
  }
}

func shifted(_ place: Coordinate, metersNorth: Double) -> Coordinate {
  Coordinate(
    uncheckedLatitude: place.latitude + metersNorth / 111_000, longitude: place.longitude)
}
