import GeoMath
import ObjectModel

/// Where each person is when, as a pure function.
///
/// A person's time is cut into slots of 40 minutes, each with an anchor: a place drawn from the
/// key (seed, person, slot) by the local time at which the slot begins. At the start of a slot the
/// person travels from the last anchor to the new one, then strolls around it:
/// ```
///     slot s - 1          slot s              slot s + 1
///  --|--travel--stroll---|--travel---stroll--|-- ...
///            anchor(s-1)           anchor(s)
/// ```
struct Itinerary: Sendable {
  static let slotMilliseconds: Int64 = 2_400_000
  private static let dayMilliseconds: Int64 = 86_400_000
  private static let walkMetersPerSecond = 1.3
  private static let rideMetersPerSecond = 9.0
  private static let longestWalkMeters = 1_300.0
  /// A journey ends within this part of its slot, however far it goes.
  private static let longestTravelSeconds = 2_160.0
  /// Also for a change of places too short to notice: one stroll blends into the next.
  private static let shortestTravelSeconds = 120.0
  private static let metersPerDegreeLatitude = 111_000.0

  private let city: City
  private let seed: UInt64
  private let homes: WeightedChoice
  private let works: WeightedChoice
  private let outings: WeightedChoice
  private let metersPerDegreeLongitude: Double
  private let west: Double
  private let south: Double
  private let width: Double
  private let height: Double

  init(city: City, seed: UInt64) {
    self.city = city
    self.seed = seed
    func choice(_ factor: (City.Kind) -> Double) -> WeightedChoice {
      WeightedChoice(city.hotSpots.map { $0.weight * factor($0.kind) })
    }
    homes = choice {
      switch $0 {
      case .residential: 4
      case .university, .station: 1
      case .leisure: 0.8
      case .office: 0.5
      }
    }
    works = choice {
      switch $0 {
      case .office: 4
      case .university: 2
      case .leisure, .station: 0.7
      case .residential: 0.2
      }
    }
    outings = choice {
      switch $0 {
      case .leisure: 4
      case .university, .station: 1
      case .office: 0.8
      case .residential: 0.4
      }
    }
    // Longitudes are measured from the first hot spot, so that a city may lie across 180 degrees.
    let first = city.hotSpots[0].coordinate
    let eastings = city.hotSpots.map {
      Self.easting($0.coordinate.longitude, from: first.longitude)
    }
    let latitudes = city.hotSpots.map(\.coordinate.latitude)
    let southmost = latitudes.min() ?? first.latitude
    let northmost = latitudes.max() ?? first.latitude
    let westmost = eastings.min() ?? 0
    west = first.longitude + westmost
    south = southmost
    width = (eastings.max() ?? 0) - westmost
    height = northmost - southmost
    metersPerDegreeLongitude = 111_320 * max(0.05, Self.cosine((southmost + northmost) / 2))
  }

  /// Flat coordinates in degrees; the longitude may leave -180...180 until it is wrapped.
  private struct Place {
    var latitude: Double
    var longitude: Double
  }

  private struct Person {
    let home: Place
    let work: Place
    let worksElsewhere: Bool
    let shiftMilliseconds: Int64
    let slotOffsetMilliseconds: Int64
    let isRestless: Bool
  }

  func position(of user: Int64, at moment: Instant) -> Coordinate {
    let person = person(user)
    let (local, _) = moment.milliseconds.addingReportingOverflow(
      Int64(city.utcOffsetSeconds) * 1000)
    let (time, _) = local.addingReportingOverflow(person.slotOffsetMilliseconds)
    let slot = Self.floorDivide(time, Self.slotMilliseconds)
    let inSlot = Double(time - slot * Self.slotMilliseconds) / 1000
    let from = anchor(user, person, slot - 1)
    let to = anchor(user, person, slot)
    let distance = flatMeters(from, to)
    let speed =
      distance <= Self.longestWalkMeters ? Self.walkMetersPerSecond : Self.rideMetersPerSecond
    let travelSeconds = max(
      Self.shortestTravelSeconds, min(distance / speed, Self.longestTravelSeconds))
    let share = min(1, inSlot / travelSeconds)
    let before = strolled(from, user: user, person: person, slot: slot - 1, time: time)
    let after = strolled(to, user: user, person: person, slot: slot, time: time)
    return rounded(
      Place(
        latitude: before.latitude + (after.latitude - before.latitude) * share,
        longitude: before.longitude + (after.longitude - before.longitude) * share))
  }

  /// A point within a hot spot's radius.
  func scattered(around spot: City.HotSpot, _ draws: inout SeededDraws) -> Coordinate {
    rounded(place(in: spot, &draws))
  }

  /// Index of a hot spot people go out to.
  func outing(_ draws: inout SeededDraws) -> Int { outings.draw(&draws) }
  /// Index of a hot spot people live near.
  func home(_ draws: inout SeededDraws) -> Int { homes.draw(&draws) }

  private func person(_ user: Int64) -> Person {
    var draws = SeededDraws(seed: seed, .person, user)
    let isBackground = draws.unit() < 0.15
    let homeSpot = city.hotSpots[homes.draw(&draws)]
    let home =
      isBackground
      ? Place(latitude: south + height * draws.unit(), longitude: west + width * draws.unit())
      : place(in: homeSpot, &draws)
    let work = place(in: city.hotSpots[works.draw(&draws)], &draws)
    return Person(
      home: home, work: work, worksElsewhere: draws.unit() < 0.75,
      // Up to 75 minutes earlier or later than others.
      shiftMilliseconds: Int64(draws.bell() * 4_500_000),
      slotOffsetMilliseconds: Int64(draws.below(Int(Self.slotMilliseconds))),
      isRestless: draws.unit() < 0.5)
  }

  private func anchor(_ user: Int64, _ person: Person, _ slot: Int64) -> Place {
    let begin = slot &* Self.slotMilliseconds &- person.slotOffsetMilliseconds
    let own = begin &+ person.shiftMilliseconds
    let day = Self.floorDivide(own, Self.dayMilliseconds)
    let minute: Int64 = (own &- day &* Self.dayMilliseconds) / 60_000
    // 1970-01-01 was a Thursday.
    let isWeekend = ((day % 7 + 7 + 3) % 7) >= 5
    var draws = SeededDraws(seed: seed, .anchor, user, slot)
    let (morning, evening, night): (Int64, Int64, Int64) = (
      7 * 60 + 20, 18 * 60 + 20, 23 * 60 + 20
    )
    let isNight = minute < morning || minute >= night
    if draws.unit() < (isNight ? 0.02 : 0.10) {
      return place(in: city.hotSpots[outings.draw(&draws)], &draws)
    }
    let base: Place
    if !isNight, !isWeekend, person.worksElsewhere, (morning..<evening).contains(minute) {
      base = person.work
    } else if !isNight, minute >= (isWeekend ? 11 * 60 : evening) {
      var draws = SeededDraws(seed: seed, .evening, user, day)
      base =
        draws.unit() < (isWeekend ? 0.6 : 0.4)
        ? place(in: city.hotSpots[outings.draw(&draws)], &draws) : person.home
    } else {
      base = person.home
    }
    // Awake people change places within a few hundred meters; sleepers stay at one.
    guard !isNight, draws.unit() < 0.5 else { return base }
    return offset(base, east: draws.bell() * 500, north: draws.bell() * 500)
  }

  /// A closed walk around an anchor, at a walking pace for the restless, a few meters otherwise.
  private func strolled(
    _ anchor: Place, user: Int64, person: Person, slot: Int64, time: Int64
  ) -> Place {
    var draws = SeededDraws(seed: seed, .stroll, user, slot)
    let radius = person.isRestless ? 20 + 40 * draws.unit() : 4 * draws.unit()
    // Once round a circle of this radius at 1 m/s or slower.
    let periodMilliseconds = Int64((radius * 6.5 + 30) * 1000)
    let phase = Int64(draws.below(Int(periodMilliseconds)))
    let turned = (time &+ phase) % periodMilliseconds
    let turn =
      Double(turned < 0 ? turned + periodMilliseconds : turned)
      / Double(periodMilliseconds)
    return offset(anchor, east: radius * Self.wave(turn), north: radius * Self.wave(turn + 0.25))
  }

  private func place(in spot: City.HotSpot, _ draws: inout SeededDraws) -> Place {
    offset(
      Place(
        latitude: spot.coordinate.latitude,
        longitude: west + Self.easting(spot.coordinate.longitude, from: west)),
      east: draws.bell() * spot.radiusMeters, north: draws.bell() * spot.radiusMeters)
  }

  private func offset(_ place: Place, east: Double, north: Double) -> Place {
    Place(
      latitude: place.latitude + north / Self.metersPerDegreeLatitude,
      longitude: place.longitude + east / metersPerDegreeLongitude)
  }

  private func flatMeters(_ a: Place, _ b: Place) -> Double {
    let north = (b.latitude - a.latitude) * Self.metersPerDegreeLatitude
    let east = (b.longitude - a.longitude) * metersPerDegreeLongitude
    return (north * north + east * east).squareRoot()
  }

  /// To 1e-7 degrees, about a centimeter, as packed columns carry them.
  private func rounded(_ place: Place) -> Coordinate {
    Coordinate(
      uncheckedLatitude: max(-90, min(90, (place.latitude * 1e7).rounded() / 1e7)),
      longitude: Coordinate.wrappedLongitude((place.longitude * 1e7).rounded() / 1e7))
  }

  /// Degrees east of a meridian, -180..<180.
  private static func easting(_ longitude: Double, from meridian: Double) -> Double {
    let difference = longitude - meridian
    return difference >= 180
      ? difference - 360 : (difference < -180 ? difference + 360 : difference)
  }

  /// Two parabolas in the place of a sine, turns in, -1...1 out; the same bits everywhere.
  private static func wave(_ turns: Double) -> Double {
    let t = turns - turns.rounded(.down)
    return t < 0.5 ? 8 * t * (1 - 2 * t) : -8 * (t - 0.5) * (2 - 2 * t)
  }

  /// Cosine of degrees in -90...90 by its series, below 1e-6 off.
  private static func cosine(_ degrees: Double) -> Double {
    let s = degrees * degrees * (.pi * .pi / 32_400)
    return 1 - s / 2 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56 * (1 - s / 90))))
  }

  private static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
    a >= 0 ? a / b : -((-(a + 1)) / b) - 1
  }
}
