import GeoMath
import ObjectModel
import RoutePlanning
import TestSupport
import Testing

@Suite struct TravelBoundsTests {
  /// The shipped profiles, and one in which longer lines have shorter roads.
  private static func profiles() throws -> [TrafficProfile] {
    let falling = try TrafficProfile(
      name: "falling", localTime: .byLongitude,
      circuity: DistanceTable([
        .init(meters: 0, value: 3), .init(meters: 900, value: 3), .init(meters: 1000, value: 1.1),
        .init(meters: 5000, value: 2), .init(meters: 5100, value: 1),
      ]),
      speed: DistanceTable([
        .init(meters: 500, value: 4), .init(meters: 3000, value: 20),
        .init(meters: 9000, value: 6), .init(meters: 300_000, value: 40),
      ]), weekday: Array(repeating: 1, count: 24), weekend: Array(repeating: 1, count: 24),
      durationSpread: .init(low: 0.5, high: 2), distanceSpread: .init(low: 0.5, high: 2))
    return TrafficProfile.shipped + [falling]
  }

  @Test(arguments: [1 as UInt64, 2, 3])
  func holdEveryRoadAndTime(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for profile in try Self.profiles() {
      let bounds = TravelBounds(profile)
      for _ in 0..<3000 {
        let straight = random.pick([200.0, 3000, 20_000, 70_000, 2_000_000]) * random.real(0...1)
        let road = straight * profile.circuity.value(meters: straight)
        let seconds = profile.secondsAtFactorOne(roadMeters: road)
        let less = straight * random.pick([1, random.real(0...1)])
        let more = straight * random.pick([1, random.real(1...3)])
        let travel = bounds.travel(straightMeters: less...more)
        #expect(travel.roadMeters.contains(road))
        #expect(travel.seconds.contains(seconds))
        expectSame(bounds, less, more, road: road, seconds: seconds)
      }
    }
  }

  /// Of four at once, at each place among them, beside others that are nothing like them.
  private func expectSame(
    _ bounds: TravelBounds, _ less: Double, _ more: Double, road: Double, seconds: Double
  ) {
    for place in 0..<4 {
      var least = SIMD4<Float>(0, 3, 800, 1e6)
      var most = SIMD4<Float>(0, 50_000, 900, .infinity)
      least[place] = Float(less)
      most[place] = Float(more)
      let four = bounds.travel(leastMeters: least, mostMeters: most)
      let rounding = 1.000_000_5
      #expect(Double(four.leastMeters[place]) <= road * rounding)
      #expect(Double(four.mostMeters[place]) * rounding >= road)
      #expect(Double(four.leastSeconds[place]) <= seconds * rounding)
      #expect(Double(four.mostSeconds[place]) * rounding >= seconds)
      let alone = bounds.travel(straightMeters: Double(Float(less))...Double(Float(more)))
      #expect(Double(four.leastMeters[place]) > 0.998 * alone.roadMeters.lowerBound - 0.01)
      #expect(Double(four.mostMeters[place]) < 1.002 * alone.roadMeters.upperBound + 0.01)
    }
  }

  @Test(arguments: [1 as UInt64, 2, 3])
  func noPiecesOfARoadTakeLonger(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for profile in try Self.profiles() {
      for _ in 0..<2000 {
        let pieces = random.int(1...7)
        let road = random.pick([0, 200.0, 3000, 20_000, 400_000]) * random.real(0...1)
        let most = profile.mostSeconds(roadMeters: road, pieces: pieces)
        var left = random.chance(0.5) ? road : road * random.real(0...1)
        var seconds = 0.0
        for piece in 0..<random.int(0...pieces) {
          let even = left / Double(pieces - piece)
          let meters = random.chance(0.5) ? even : left * random.real(0...1)
          seconds += profile.secondsAtFactorOne(roadMeters: meters)
          left -= meters
        }
        #expect(seconds <= most, "\(profile.name): \(pieces) pieces of \(road) m")
        guard profile.name != "falling", road > 1, road <= 20_000 else { continue }
        // Within a city, where longer roads are faster, equal pieces take as long as that.
        let even = profile.secondsAtFactorOne(roadMeters: road / Double(pieces)) * Double(pieces)
        #expect(most < 1.2 * even, "\(profile.name): \(pieces) pieces of \(road) m")
      }
    }
  }

  /// Bounds of some profiles hold for each.
  @Test func boundsOfAnyHoldForEach() throws {
    let profiles = try Self.profiles()
    let any = TravelBounds(anyOf: profiles.map(TravelBounds.init))
    for profile in profiles {
      for straight in stride(from: 0.0, to: 90_000, by: 217) {
        let road = straight * profile.circuity.value(meters: straight)
        let travel = any.travel(straightMeters: straight...straight)
        #expect(travel.roadMeters.contains(road))
        #expect(travel.seconds.contains(profile.secondsAtFactorOne(roadMeters: road)))
      }
    }
  }

  /// Bounds that hold and say nothing would be no use.
  @Test func areCloseToTheShippedRoads() {
    for profile in TrafficProfile.shipped {
      let bounds = TravelBounds(profile)
      for straight in stride(from: 2000.0, to: 60_000, by: 333) {
        let road = straight * profile.circuity.value(meters: straight)
        let seconds = profile.secondsAtFactorOne(roadMeters: road)
        let travel = bounds.travel(straightMeters: straight...straight)
        #expect(travel.roadMeters.lowerBound > 0.985 * road)
        #expect(travel.roadMeters.upperBound < 1.015 * road)
        #expect(travel.seconds.upperBound < 1.03 * seconds)
        #expect(travel.seconds.lowerBound > 0.97 * seconds)
      }
    }
  }

  @Test func factorsAreThoseOfTheHoursTouched() throws {
    let seoul = TrafficProfile.seoul
    // Thursday 2025-11-20, 17:00 in Seoul.
    let five = Instant(seconds: 1_763_564_400 + 17 * 3600)
    let half = five.advanced(milliseconds: 1_800_000)
    #expect(seoul.hourFactors(from: five, through: half) == 0.86...0.86)
    #expect(
      seoul.hourFactors(from: half, through: half.advanced(milliseconds: 3_600_000))
        == 0.84...0.86)
    let day = five.advanced(milliseconds: 2 * 86_400_000)
    #expect(seoul.hourFactors(from: five, through: day) == 0.84...1.40)
    let general = TrafficProfile.general
    #expect(general.hourFactors(from: five, through: half) == 0.86...1.30)
  }
}
