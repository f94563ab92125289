public import GeoMath

/// What areas mean for a fare; the engine fills it from its map of areas.
public struct RideAreas: Sendable {
  /// Ids of the areas that hold a place, the first one first.
  public var ids: @Sendable (Coordinate) -> [String]
  /// Where the line between two places leaves an area, as a share of it; asked only for tariffs
  /// whose out-of-area surcharge begins at the edge.
  public var edgeShare: @Sendable (_ area: String, _ from: Coordinate, _ to: Coordinate) -> Double

  /// Makes areas of a look-up by place; without an edge share the surcharge is due from the start.
  public init(
    ids: @escaping @Sendable (Coordinate) -> [String],
    edgeShare:
      @escaping @Sendable (_ area: String, _ from: Coordinate, _ to: Coordinate) -> Double = {
        _, _, _ in 0
      }
  ) {
    self.ids = ids
    self.edgeShare = edgeShare
  }

  /// No areas: no flat trips, no out-of-area surcharges; tariffs must be named.
  public static let none = RideAreas(ids: { _ in [] })
}
