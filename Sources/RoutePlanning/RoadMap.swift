package import GeoMath

/// A stretch of road, as a map draws it.
package struct Road: Hashable, Sendable {
  /// Empty where it has none.
  package let name: String
  /// How fast cars go on it where nothing holds them up, in km/h.
  package let freeFlowSpeed: Double
  /// Its corners, two or more.
  package let line: [Coordinate]

  package init(name: String, freeFlowSpeed: Double, line: [Coordinate]) {
    self.name = name
    self.freeFlowSpeed = freeFlowSpeed
    self.line = line
  }
}

/// Roads that can be looked at, such as those of the network that routes are made of.
package protocol RoadMap: Sendable {
  /// The roads that a box touches, at most `limit` of them.
  ///
  /// - Throws: What the source of the roads throws when it cannot be read.
  func roads(in box: GeoBox, limit: Int) async throws -> [Road]
}
