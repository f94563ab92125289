public import GeoMath

/// What is too short to be a trip.
public enum TripLength {
  /// Two places closer than this are one place, meters: two readings of a phone at one door differ
  /// by so much, and no taxi drives less.
  public static let minimumMeters = 10.0

  /// Tells how far apart two places are that are too close for a trip.
  ///
  /// - Returns: The distance in meters, below ``minimumMeters``; nil for a trip of enough length.
  public static func tooShort(from origin: Coordinate, to destination: Coordinate) -> Double? {
    let meters = origin.distanceMeters(to: destination)
    return meters < minimumMeters ? meters : nil
  }
}
