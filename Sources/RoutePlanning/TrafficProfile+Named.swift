public import GeoMath
import ObjectModel

extension TrafficProfile {
  /// Korea. Circuity: medians of central Seoul on a road graph (0.5-1 km 1.41, 1-2 km 1.35,
  /// 2-5 km 1.275, 5-10 km 1.26) and the national 1.26 (Kim et al. 2015) beyond. Speeds and hours
  /// are chosen to look like the city's published averages (about 20 km/h by day, slowest from 17
  /// to 19, intercity 90 km/h); they are not fitted on trips.
  public static let seoul = TrafficProfile(
    uncheckedName: "seoul",
    regions: [GeoBox(uncheckedWest: 124.5, south: 33, east: 131, north: 38.7)],
    localTime: .offsets(UTCOffsets(initialSeconds: 9 * 3600)), circuity: koreanCircuity,
    speed: koreanSpeed,
    weekday: [
      1.30, 1.35, 1.40, 1.40, 1.40, 1.35, 1.25, 1.02, 0.92, 0.94, 0.97, 0.98, 0.98, 0.97, 0.96,
      0.94, 0.92, 0.86, 0.84, 0.92, 1.02, 1.08, 1.12, 1.20,
    ],
    weekend: [
      1.25, 1.30, 1.35, 1.40, 1.40, 1.40, 1.35, 1.28, 1.20, 1.12, 1.05, 1.00, 0.97, 0.95, 0.93,
      0.92, 0.91, 0.91, 0.94, 1.00, 1.05, 1.10, 1.15, 1.20,
    ],
    durationSpread: Spread(uncheckedLow: 0.62, high: 1.55),
    distanceSpread: Spread(uncheckedLow: 0.82, high: 1.25))

  /// New York, fitted on 936 cleaned taxi trips of January 2015 so that the sums of estimated and
  /// of true road distance and duration agree. A two-speed meter at both ends of the spreads holds
  /// the fares of about nine trips in ten, from the two points and the departure alone.
  public static let newYork = TrafficProfile(
    uncheckedName: "newYork",
    regions: [GeoBox(uncheckedWest: -74.30, south: 40.45, east: -73.55, north: 41.05)],
    localTime: .offsets(.newYork),
    circuity: DistanceTable(kilometers: [
      (0.25, 1.70), (0.75, 1.404), (1.5, 1.313), (2.5, 1.327), (4, 1.31), (7.5, 1.408),
      (15, 1.394), (30, 1.436),
    ]),
    speed: DistanceTable(kilometersPerHour: [
      (0.3, 10.65), (1, 14.75), (2, 15.17), (4, 18.43), (8, 23.72), (16, 34.26), (30, 56.68),
      (100, 80),
    ]),
    weekday: [
      1.15, 1.10, 1.10, 1.13, 1.16, 1.15, 1.075, 0.97, 0.87, 0.79, 0.76, 0.78, 0.82, 0.83, 0.805,
      0.775, 0.755, 0.755, 0.805, 0.885, 0.99, 1.075, 1.13, 1.155,
    ],
    weekend: [
      0.94, 0.99, 1.04, 1.10, 1.16, 1.225, 1.29, 1.34, 1.37, 1.35, 1.28, 1.185, 1.10, 1.035, 1.005,
      0.995, 0.995, 0.995, 0.975, 0.94, 0.895, 0.87, 0.87, 0.895,
    ],
    durationSpread: Spread(uncheckedLow: 0.53, high: 1.75),
    distanceSpread: Spread(uncheckedLow: 0.77, high: 1.35))

  /// Anywhere else: the Korean tables, a mild day, the nautical time zone.
  public static let general = TrafficProfile(
    uncheckedName: "general", regions: [], localTime: .byLongitude, circuity: koreanCircuity,
    speed: koreanSpeed,
    weekday: [
      1.25, 1.30, 1.30, 1.30, 1.30, 1.25, 1.15, 0.98, 0.90, 0.94, 0.98, 1.00, 1.00, 1.00, 0.98,
      0.95, 0.90, 0.86, 0.88, 0.96, 1.04, 1.10, 1.15, 1.20,
    ],
    weekend: [
      1.20, 1.25, 1.30, 1.30, 1.30, 1.30, 1.28, 1.22, 1.15, 1.08, 1.02, 1.00, 0.98, 0.97, 0.96,
      0.96, 0.96, 0.97, 1.00, 1.03, 1.06, 1.10, 1.14, 1.18,
    ],
    durationSpread: Spread(uncheckedLow: 0.55, high: 1.7),
    distanceSpread: Spread(uncheckedLow: 0.80, high: 1.35))

  /// All profiles that ship, the general one last.
  public static let shipped: [TrafficProfile] = [seoul, newYork, general]

  /// The profile of a name, `nil` when there is none.
  public static func named(
    _ name: String, in profiles: [TrafficProfile] = shipped
  ) -> TrafficProfile? {
    profiles.first { $0.name == name }
  }

  /// The first profile one of whose regions holds the place, else ``general``.
  public static func covering(
    _ place: Coordinate, in profiles: [TrafficProfile] = shipped
  ) -> TrafficProfile {
    profiles.first { $0.regions.contains { $0.contains(place) } } ?? general
  }

  private static let koreanCircuity = DistanceTable(kilometers: [
    (0.25, 1.45), (0.75, 1.41), (1.5, 1.35), (3.5, 1.275), (7.5, 1.26),
  ])

  private static let koreanSpeed = DistanceTable(kilometersPerHour: [
    (0.3, 11), (1, 15), (2, 17.5), (4, 20), (8, 24), (16, 30), (30, 40), (100, 70), (400, 90),
  ])
}

extension DistanceTable {
  /// Distances in kilometers, values in km/h; kept in meters and meters a second.
  init(kilometersPerHour: [(Double, Double)]) {
    self.init(kilometers: kilometersPerHour.map { ($0.0, $0.1 / 3.6) })
  }
}

extension UTCOffsets {
  /// New York since 2007: from the second Sunday of March to the first of November, each at 02:00
  /// local time (Energy Policy Act of 2005); worked out to 2099.
  static let newYork = UTCOffsets(
    initialSeconds: -5 * 3600,
    transitions: (2007...2099).flatMap { year in
      [
        Transition(
          start: sunday(2, month: 3, year: year).advanced(milliseconds: 7 * 3_600_000),
          seconds: -4 * 3600),
        Transition(
          start: sunday(1, month: 11, year: year).advanced(milliseconds: 6 * 3_600_000),
          seconds: -5 * 3600),
      ]
    })

  /// 00:00 UTC of the n-th Sunday of a month.
  private static func sunday(_ ordinal: Int, month: Int, year: Int) -> Instant {
    let first = CivilDate(year: year, month: month, day: 1)?.daysSince1970 ?? 0
    let weekday = (first + 4) % 7
    let day = first + (7 - weekday) % 7 + (ordinal - 1) * 7
    return Instant(seconds: Int64(day) * 86_400)
  }
}
