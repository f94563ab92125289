package import GeoMath
package import MoyeoServer

/// A place with its name, as the taxi-party app asks for it.
package struct NamedPlace: Hashable, Sendable {
  package var name: String
  /// Parts from the widest to the narrowest, separated by spaces; empty where it is not known.
  package var address: String
  package var coordinate: Coordinate

  package init(name: String, address: String, coordinate: Coordinate) {
    self.name = name
    self.address = address
    self.coordinate = coordinate
  }
}

/// Names of places: a port, so that the door does not know where they come from.
package protocol PlaceNames: Sendable {
  /// Places by name, best first.
  func places(named text: String, limit: Int, _ services: DoorServices) async throws
    -> [NamedPlace]
  /// Places by place, nearest first.
  func places(at coordinate: Coordinate, limit: Int, _ services: DoorServices) async throws
    -> [NamedPlace]
}
