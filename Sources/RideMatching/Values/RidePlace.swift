public import GeoMath

/// A named place.
public struct RidePlace: Hashable, Sendable {
  public var name: String
  public var coordinate: Coordinate

  public init(name: String = "", coordinate: Coordinate) {
    self.name = name
    self.coordinate = coordinate
  }
}
