public import GeoMath

/// The places people of a city move between.
public struct City: Hashable, Sendable {
  /// What draws people to a hot spot, and when.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Homes: evenings, nights and weekends.
    case residential
    /// Work on weekdays.
    case office
    /// Lectures on weekdays, some leisure.
    case university
    /// Evenings and weekends.
    case leisure
    /// A place people pass through at any hour.
    case station
  }

  /// A station or district.
  public struct HotSpot: Hashable, Sendable {
    /// In the city's own language.
    public let name: String
    /// The name of the city in English.
    public let englishName: String
    /// What draws people there.
    public let kind: Kind
    /// Where its middle is.
    public let coordinate: Coordinate
    /// Relative number of people, above 0.
    public let weight: Double
    /// Distance from the coordinate within which nearly all of its people are.
    public let radiusMeters: Double

    /// Makes a place that draws people.
    public init(
      name: String, englishName: String, kind: Kind, coordinate: Coordinate, weight: Double,
      radiusMeters: Double
    ) {
      self.name = name
      self.englishName = englishName
      self.kind = kind
      self.coordinate = coordinate
      self.weight = weight
      self.radiusMeters = radiusMeters
    }
  }

  /// Prefix of every id, for example `seoul`.
  public let name: String
  /// Seconds east of UTC: people sleep by local time.
  public let utcOffsetSeconds: Int
  /// At least one.
  public let hotSpots: [HotSpot]

  /// - Precondition: there is at least one hot spot.
  public init(name: String, utcOffsetSeconds: Int, hotSpots: [HotSpot]) {
    precondition(!hotSpots.isEmpty, "a city needs a hot spot")
    self.name = name
    self.utcOffsetSeconds = utcOffsetSeconds
    self.hotSpots = hotSpots
  }

  /// Korea Standard Time, the whole year.
  public static let seoulOffsetSeconds = 9 * 3600
}
