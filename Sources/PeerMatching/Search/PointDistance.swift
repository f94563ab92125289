import GeoMath

/// Distances from one point to people who come by, cell by cell: those of a cell stand at one point,
/// which is measured once.
struct PointDistance {
  private let origin: DistanceOrigin
  private var latitude = Double.nan
  private var longitude = Double.nan
  private var known: Int64 = 0

  init(from point: Coordinate) { origin = DistanceOrigin(point) }

  /// Whole millimetres.
  @inline(__always)
  mutating func millimeters(to person: PersonWords.Reader) -> Int64 {
    if person.latitude != latitude || person.longitude != longitude {
      latitude = person.latitude
      longitude = person.longitude
      known = origin.millimeters(latitude: latitude, longitude: longitude)
    }
    return known
  }
}
