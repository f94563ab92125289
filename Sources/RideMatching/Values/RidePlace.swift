public import GeoMath

/// A named place.
public struct RidePlace: Hashable, Sendable {
  /// As people say it; may be empty.
  public var name: String
  /// Where it is.
  public var coordinate: Coordinate

  /// Names a place.
  public init(name: String = "", coordinate: Coordinate) {
    self.name = name
    self.coordinate = coordinate
  }
}
