package import GeoMath

/// A place that has a name, as an answer tells it.
package struct Place: Hashable, Sendable {
  /// The object's id in its layer, or what the provider calls the place.
  package var id: String
  package var name: String
  package var address: String?
  package var category: String?
  package var position: Coordinate
  /// From the position asked for; `nil` where none was given.
  package var distanceMeters: Double?
  package var source: PlaceSource

  package init(
    id: String, name: String, address: String? = nil, category: String? = nil,
    position: Coordinate, distanceMeters: Double? = nil, source: PlaceSource
  ) {
    self.id = id
    self.name = name
    self.address = address
    self.category = category
    self.position = position
    self.distanceMeters = distanceMeters
    self.source = source
  }
}

/// Who knows a place; the words stand on the wire.
package enum PlaceSource: String, Hashable, Sendable {
  /// The layers named by `places.layers`.
  case own
  case naver, kakao, nominatim, photon
}

/// Why there is no answer about places.
package enum PlaceError: Error, Hashable, Sendable {
  /// The search would look at more than its budget of steps; `field` names what makes it long.
  case tooMuchWork(limit: Int, field: String)
  /// The caller has left, or its deadline has passed.
  case abandoned
}
