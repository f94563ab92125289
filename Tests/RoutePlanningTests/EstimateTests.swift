import TestSupport
import GeoMath
import ObjectModel
import Testing

@testable import RoutePlanning

let seoulStation = Coordinate(uncheckedLatitude: 37.5547, longitude: 126.9707)
let gangnam = Coordinate(uncheckedLatitude: 37.4979, longitude: 127.0276)
/// Friday 2026-11-20 23:10 in Seoul.
let fridayNight = Instant(seconds: 1_795_183_800)

@Suite struct EstimateTests {
  @Test(.enabled(if: SharedData.isPresent, "shared data is absent"))
  func newYorkEstimatesAreUnbiased() throws {
    let trips = try NewYorkTrip.cleaned()
    #expect(trips.count > 900)
    let profile = TrafficProfile.covering(trips[0].origin)
    #expect(profile.name == "newYork")
    var (meters, trueMeters, seconds, trueSeconds) = (0.0, 0.0, 0.0, 0.0)
    var (inside, absolute) = (0, 0.0)
    for trip in trips {
      let estimator = TravelEstimator(
        profile: profile, departure: trip.departure, near: trip.origin)
      let estimate = estimator.estimate(from: trip.origin, to: trip.destination)
      meters += estimate.distanceMeters
      seconds += estimate.durationSeconds
      trueMeters += trip.meters
      trueSeconds += trip.seconds
      absolute += (estimate.durationSeconds - trip.seconds).magnitude / trip.seconds
      let range = estimator.range(of: estimate)
      if trip.seconds >= range.low.durationSeconds && trip.seconds <= range.high.durationSeconds {
        inside += 1
      }
    }
    let bias = (distance: meters / trueMeters - 1, duration: seconds / trueSeconds - 1)
    #expect(bias.distance.magnitude < 0.02, "\(bias)")
    #expect(bias.duration.magnitude < 0.02, "\(bias)")
    let share = Double(inside) / Double(trips.count)
    #expect(share > 0.85, "\(share)")
    #expect(absolute / Double(trips.count) < 0.36, "\(absolute / Double(trips.count))")
  }

  @Test func seoulCircuityIsTheMeasuredOne() {
    let estimator = TravelEstimator(profile: .seoul, departure: fridayNight, near: seoulStation)
    for (straight, circuity) in [(750.0, 1.41), (1_500, 1.35), (3_500, 1.275), (8_000, 1.26)] {
      let road = estimator.estimate(straightMeters: straight).distanceMeters
      #expect((road / straight - circuity).magnitude < 1e-9)
    }
    let ride = estimator.estimate(from: seoulStation, to: gangnam)
    #expect((9_500...10_800).contains(ride.distanceMeters), "\(ride)")
    #expect((900...2_400).contains(ride.durationSeconds), "\(ride)")
    // Published by Naver: 382,403 m in 15,372.9 s.
    let noon = Instant(seconds: 1_795_143_600)
    let far = TravelEstimator(profile: .seoul, departure: noon, near: seoulStation)
      .durationSeconds(roadMeters: 382_403)
    #expect((far / 15_372.9 - 1).magnitude < 0.15, "\(far)")
  }

  @Test(arguments: TrafficProfile.shipped.map(\.name))
  func longerLinesAreLongerRoadsAndLongerRides(name: String) throws {
    let profile = try #require(TrafficProfile.named(name))
    for hour in stride(from: 0, to: 168, by: 7) {
      let departure = fridayNight.advanced(milliseconds: Int64(hour) * 3_600_000 + 123_456)
      let estimator = TravelEstimator(profile: profile, departure: departure, near: seoulStation)
      var previous = estimator.estimate(straightMeters: 0)
      #expect(previous == TravelEstimate(distanceMeters: 0, durationSeconds: 0))
      var straight = 10.0
      while straight < 1_500_000 {
        let next = estimator.estimate(straightMeters: straight)
        #expect(next.distanceMeters > previous.distanceMeters, "\(straight)")
        #expect(next.durationSeconds > previous.durationSeconds, "\(straight)")
        let range = estimator.range(of: next)
        #expect(range.low.durationSeconds <= next.durationSeconds)
        #expect(range.high.durationSeconds >= next.durationSeconds)
        previous = next
        straight *= 1.05
      }
    }
  }

  @Test(arguments: TrafficProfile.shipped.map(\.name), [2_000.0, 9_000, 60_000, 600_000])
  func whoLeavesLaterNeverArrivesEarlier(name: String, meters: Double) throws {
    let profile = try #require(TrafficProfile.named(name))
    var previous = -Double.infinity
    for minute in stride(from: 0, to: 7 * 1440, by: 5) {
      let departure = fridayNight.advanced(milliseconds: Int64(minute) * 60_000)
      let estimator = TravelEstimator(profile: profile, departure: departure, near: seoulStation)
      let arrival = Double(minute) * 60 + estimator.durationSeconds(roadMeters: meters)
      #expect(arrival > previous)
      // No jump either: five minutes later is at most a good quarter of an hour later.
      #expect(previous == -.infinity || arrival - previous < 1_000)
      previous = arrival
    }
  }

  @Test func durationsAcrossHoursAgreeWithSmallSteps() {
    let estimator = TravelEstimator(profile: .seoul, departure: fridayNight, near: seoulStation)
    let meters = 250_000.0
    var work = meters / TrafficProfile.seoul.speed.value(meters: meters)
    var elapsed = 0
    while work > 0 {
      let second = TrafficProfile.seoul.secondOfWeek(
        fridayNight.advanced(milliseconds: Int64(elapsed) * 1000), longitude: 127)
      work -= TrafficProfile.seoul.hourFactors[second / 3600]
      elapsed += 1
    }
    #expect((estimator.durationSeconds(roadMeters: meters) - Double(elapsed)).magnitude < 2)
  }

  @Test func rushHourIsSlowerThanNight() {
    let evening = TravelEstimator(
      profile: .seoul, departure: Instant(seconds: 1_795_165_200), near: seoulStation)
    let night = TravelEstimator(
      profile: .seoul, departure: Instant(seconds: 1_795_197_600), near: seoulStation)
    #expect(
      evening.durationSeconds(roadMeters: 9_000) > 1.4 * night.durationSeconds(roadMeters: 9_000))
  }

  @Test func localTime() {
    // 2026-11-20 is a Friday: day 4 of the week.
    #expect(
      TrafficProfile.seoul.secondOfWeek(fridayNight, longitude: 0)
        == 4 * 86_400 + 23 * 3600 + 10 * 60)
    #expect(
      TrafficProfile.general.secondOfWeek(fridayNight, longitude: 127)
        == 4 * 86_400 + 22 * 3600 + 10 * 60)
    // Before 1970 and at the ends of time.
    #expect(TrafficProfile.general.secondOfWeek(Instant(milliseconds: -1), longitude: 0) == 259_199)
    for instant in [Instant.distantPast, .distantFuture] {
      for longitude in [-180.0, 0, 180] {
        let second = TrafficProfile.general.secondOfWeek(instant, longitude: longitude)
        #expect((0..<604_800).contains(second))
      }
    }
  }

  @Test func newYorkDaylightSaving() {
    let zone = UTCOffsets.newYork
    // 2015-03-08 07:00 UTC and 2015-11-01 06:00 UTC; 2026-03-08 and 2026-11-01.
    for (start, seconds) in [
      (1_425_798_000, -14_400), (1_446_357_600, -18_000), (1_772_953_200, -14_400),
      (1_793_512_800, -18_000),
    ] {
      let instant = Instant(seconds: Int64(start))
      #expect(zone.seconds(at: instant) == seconds)
      #expect(zone.seconds(at: instant.advanced(milliseconds: -1)) == -32_400 - seconds)
    }
  }

  @Test func profilesByPlaceAndByName() throws {
    #expect(TrafficProfile.covering(seoulStation).name == "seoul")
    #expect(
      TrafficProfile.covering(try Coordinate(latitude: 40.75, longitude: -73.98)).name == "newYork")
    #expect(TrafficProfile.covering(try Coordinate(latitude: 48.85, longitude: 2.35)) == .general)
    #expect(TrafficProfile.named("atlantis") == nil)
    let provider = EstimatedRouteProvider(.always(.newYork))
    #expect(provider.profile(at: seoulStation).name == "newYork")
  }

  @Test func badProfilesAreRefused() throws {
    func table(_ knots: [(Double, Double)]) throws -> DistanceTable {
      try DistanceTable(knots.map { DistanceTable.Knot(meters: $0.0, value: $0.1) })
    }
    for bad in [
      [], [(-1, 1)], [(0, 0)], [(0, 1), (0, 2)], [(5, 1), (1, 1)], [(0, .nan)], [(.nan, 1)],
      [(0, 1), (.infinity, 2)], [(0, -3)],
    ] as [[(Double, Double)]] {
      #expect(throws: TrafficProfileError.self) { try table(bad) }
    }
    let one = try table([(0, 1.3)])
    let spread = try TrafficProfile.Spread(low: 0.5, high: 2)
    let hours = Array(repeating: 1.0, count: 24)
    func profile(
      _ circuity: DistanceTable, _ weekday: [Double]
    ) throws(TrafficProfileError) -> TrafficProfile {
      try TrafficProfile(
        name: "x", localTime: .byLongitude, circuity: circuity, speed: one, weekday: weekday,
        weekend: hours, durationSpread: spread, distanceSpread: spread)
    }
    #expect(throws: Never.self) { try profile(one, hours) }
    #expect(throws: TrafficProfileError.badHours(23)) { try profile(one, Array(hours.dropLast())) }
    #expect(throws: TrafficProfileError.badFactor(0)) { try profile(one, [0] + hours.dropLast()) }
    #expect(throws: TrafficProfileError.self) { try profile(table([(0, 0.9)]), hours) }
    for (low, high) in [(0, 1), (1.1, 2), (0.5, 0.9), (.nan, 1), (1, .infinity)] {
      #expect(throws: TrafficProfileError.self) {
        try TrafficProfile.Spread(low: low, high: high)
      }
    }
  }

  @Test func estimatedRoutesChainTheirLegs() async throws {
    let middle = try Coordinate(latitude: 37.52, longitude: 127.0)
    let request = try RouteRequest(
      origin: seoulStation, stops: [middle], destination: gangnam, departure: fridayNight)
    let route = try await EstimatedRouteProvider().route(request)
    #expect(route.source == .estimate && route.legs.count == 2 && route.fallbackReason == nil)
    #expect(route.path == [seoulStation, middle, gangnam])
    #expect(route.distanceMeters == route.legs[0].distanceMeters + route.legs[1].distanceMeters)
    let range = try #require(route.range)
    #expect(range.low.durationSeconds < route.durationSeconds)
    #expect(range.high.durationSeconds > route.durationSeconds)
    // The second leg is driven after the first: at that hour's factor.
    let later = TravelEstimator(
      profile: .seoul, departure: fridayNight, near: seoulStation
    ).advanced(seconds: route.legs[0].durationSeconds, near: middle)
    #expect(
      route.legs[1].durationSeconds == later.estimate(from: middle, to: gangnam).durationSeconds)
    // Staying put costs nothing.
    let still = try RouteRequest(
      origin: gangnam, destination: gangnam, departure: fridayNight)
    let none = EstimatedRouteProvider().estimatedRoute(still)
    #expect(none.distanceMeters == 0 && none.durationSeconds == 0)
  }

  @Test func tooManyStops() {
    #expect(throws: RouteError.tooManyStops(26, maximum: 25)) {
      try RouteRequest(
        origin: gangnam, stops: Array(repeating: gangnam, count: 26), destination: gangnam,
        departure: fridayNight)
    }
  }
}
