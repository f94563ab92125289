import ObjectModel
import TestSupport
import Foundation
import GeoMath
import ObjectModel
import Testing

@Suite struct DistanceTests {
  /// Every 2.5 degrees of latitude, every 15 of bearing, to the poles and across 180 degrees.
  @Test(arguments: [1.0, 10, 300, 1_000, 5_000, 20_000, 50_000])
  func distanceIsWithin1e6OfTheGeodesicTo50km(meters: Double) throws {
    var oracle = GeodesicOracle()
    var worst = 0.0
    for latitudeStep in -36...36 {
      for bearingStep in 0..<24 {
        for longitude in [0.0, 127.02, 179.999, -180] {
          let start = try Coordinate(latitude: Double(latitudeStep) * 2.5, longitude: longitude)
          let end = oracle.destination(
            start, bearingDegrees: Double(bearingStep) * 15, meters: meters)
          let truth = oracle.meters(start, end)
          // PROJ is good to 15 nm; 10 nm at 1 m are below the claim's 1e-6.
          let error = (start.distanceMeters(to: end) - truth).magnitude / truth
          worst = max(worst, error)
        }
      }
    }
    #expect(worst < 1e-6, "\(worst)")
  }

  @Test(arguments: [UInt64(1), 2, 3]) func randomPairsTo50km(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var oracle = GeodesicOracle()
    for _ in 0..<5_000 {
      let start = randomCoordinate(&random)
      let end = oracle.destination(
        start, bearingDegrees: .random(in: 0..<360, using: &random),
        meters: .random(in: 1...50_000, using: &random))
      let truth = oracle.meters(start, end)
      #expect((start.distanceMeters(to: end) - truth).magnitude < 1e-6 * truth)
    }
  }

  /// The set's geodesics are long: its ends check the oracle and the bounds, its starting points
  /// and azimuths the 50 km claim, far distances a coarse one.
  @Test(.enabled(if: SharedData.isPresent, "shared data is absent"))
  func geographicLibTestSet() throws {
    var oracle = GeodesicOracle()
    let lines = try SharedData.lines("geodesic-test-100.dat")
    #expect(lines.count == 100)
    for line in lines {
      let f = try line.split(separator: " ").map { try #require(Double($0)) }
      let a = try Coordinate(latitude: f[0], longitude: f[1])
      let b = try Coordinate(latitude: f[3], longitude: Coordinate.wrappedLongitude(f[4]))
      #expect((oracle.meters(a, b) - f[6]).magnitude < 1e-5)
      let distance = a.distanceMeters(to: b)
      // Off by less than the flattening anywhere, and within the named bounds of haversine.
      #expect((distance - f[6]).magnitude <= f[6] / 150)
      let haversine = a.haversineMeters(to: b)
      #expect(distance >= HaversineBounds.lowerMeters(haversineMeters: haversine))
      #expect(distance <= HaversineBounds.upperMeters(haversineMeters: haversine))
      let near = oracle.destination(a, bearingDegrees: f[2], meters: 50_000)
      #expect((a.distanceMeters(to: near) - 50_000).magnitude < 0.05)
      if f[6] < 50_000 && f[6] > 0 { #expect((distance - f[6]).magnitude < 1e-6 * f[6]) }
    }
  }

  @Test(arguments: [UInt64(5), 6]) func haversineBoundsHoldForAnyTwoPoints(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var oracle = GeodesicOracle()
    var lowest = 2.0
    var highest = 0.0
    for i in 0..<20_000 {
      let a = randomCoordinate(&random)
      let reach = i % 2 == 0 ? 2e7 : 1e5
      let b = oracle.destination(
        a, bearingDegrees: .random(in: 0..<360, using: &random),
        meters: .random(in: 1...reach, using: &random))
      let haversine = a.haversineMeters(to: b)
      let ours = a.distanceMeters(to: b)
      #expect(ours >= HaversineBounds.lowerMeters(haversineMeters: haversine))
      #expect(ours <= HaversineBounds.upperMeters(haversineMeters: haversine))
      lowest = min(lowest, ours / haversine)
      highest = max(highest, ours / haversine)
      if haversine > HaversineBounds.maximumAngle(radiusMeters: 1_000) * Earth.meanRadiusMeters {
        #expect(ours > 1_000)
      }
    }
    // The bounds are not loose: near the equator and the poles the ratio comes close.
    #expect(lowest < 0.9950 && highest > 1.0040)
  }

  @Test func boundsAreReachedAtEquatorAndPole() throws {
    let equator = try Coordinate(latitude: 0, longitude: 20)
    let north = try Coordinate(latitude: 0.01, longitude: 20)
    let least = equator.distanceMeters(to: north) / equator.haversineMeters(to: north)
    #expect(least < HaversineBounds.minimumRatio + 0.0001 && least >= HaversineBounds.minimumRatio)
    let pole = try Coordinate(latitude: 90, longitude: 0)
    let near = try Coordinate(latitude: 89.99, longitude: 0)
    let most = pole.distanceMeters(to: near) / pole.haversineMeters(to: near)
    #expect(most > HaversineBounds.maximumRatio - 0.0001 && most <= HaversineBounds.maximumRatio)
  }

  @Test(arguments: [UInt64(8), 9]) func distanceIsSymmetricAndFinite(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let a = randomCoordinate(&random)
      let b = randomCoordinate(&random)
      #expect(a.distanceMeters(to: b) == b.distanceMeters(to: a))
      #expect(a.distanceMeters(to: a) == 0)
      let antipode = try Coordinate(
        latitude: -a.latitude, longitude: Coordinate.wrappedLongitude(a.longitude + 180))
      let half = a.distanceMeters(to: antipode)
      #expect(half > 19_900_000 && half < 20_110_000)
      #expect(a.bearingDegrees(to: b) >= 0 && a.bearingDegrees(to: b) < 360)
    }
    let west = try Coordinate(latitude: 12, longitude: -180)
    let east = try Coordinate(latitude: 12, longitude: 180)
    #expect(DistanceOrigin(west).millimeters(latitude: 12, longitude: 180) == 0)
    let step = try Coordinate(latitude: 12, longitude: -179.999)
    #expect((east.distanceMeters(to: step) - west.distanceMeters(to: step)).magnitude < 1e-4)
    var oracle = GeodesicOracle()
    let seoul = try Coordinate(latitude: 37.5547, longitude: 126.9707)
    let gangnam = try Coordinate(latitude: 37.4979, longitude: 127.0276)
    #expect((seoul.distanceMeters(to: gangnam) - oracle.meters(seoul, gangnam)).magnitude < 0.005)
    #expect(
      DistanceOrigin(seoul).millimeters(latitude: 37.4979, longitude: 127.0276)
        == Int64((seoul.distanceMeters(to: gangnam) * 1000).rounded()))
  }

  @Test func bearingsGoClockwiseFromNorth() throws {
    let origin = try Coordinate(latitude: 0, longitude: 0)
    let cases: [(Double, Double, Double)] = [
      (1, 0, 0), (0, 1, 90), (-1, 0, 180), (0, -1, 270), (0, 0, 0),
    ]
    for (latitude, longitude, bearing) in cases {
      let other = try Coordinate(latitude: latitude, longitude: longitude)
      #expect((origin.bearingDegrees(to: other) - bearing).magnitude < 1e-9)
    }
    // Across 180 degrees the short way is east.
    let fiji = try Coordinate(latitude: -17, longitude: 179.9)
    let beyond = try Coordinate(latitude: -17, longitude: -179.9)
    #expect((fiji.bearingDegrees(to: beyond) - 90).magnitude < 0.1)
    // Baghdad to Osaka: 60 degrees (the often quoted worked example).
    let baghdad = try Coordinate(latitude: 35, longitude: 45)
    let osaka = try Coordinate(latitude: 35, longitude: 135)
    #expect((baghdad.bearingDegrees(to: osaka) - 60.16).magnitude < 0.01)
  }

  /// Against library sines in a form without differences of nearly equal products; from 1 m to
  /// 200 km, which both ways of working a bearing out share.
  @Test(arguments: [UInt64(31), 32]) func nearBearingsAreExact(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<5_000 {
      let a = Coordinate(
        uncheckedLatitude: .random(in: -84...84, using: &random),
        longitude: .random(in: -177...177, using: &random))
      let reach = pow(10, Double.random(in: -5...0.3, using: &random))
      let b = Coordinate(
        uncheckedLatitude: a.latitude + reach * .random(in: -1...1, using: &random),
        longitude: a.longitude + reach * .random(in: -1...1, using: &random))
      let deltaLatitude = (b.latitude - a.latitude) * (.pi / 180)
      let turn = (b.longitude - a.longitude) * (.pi / 180)
      let cosOther = cos(b.latitude * (.pi / 180))
      let half = sin(turn / 2)
      let expected =
        atan2(
          sin(turn) * cosOther,
          sin(deltaLatitude) + sin(a.latitude * (.pi / 180)) * cosOther * 2 * half * half)
        * (180 / .pi)
      let off = (a.bearingDegrees(to: b) - expected).remainder(dividingBy: 360)
      #expect(off.magnitude < 1e-11, "\(a) \(b)")
    }
  }

  @Test(arguments: [UInt64(21), 22]) func destinationInvertsDistanceAndBearing(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let start = randomCoordinate(&random)
      let bearing = Double.random(in: 0..<360, using: &random)
      let meters = Double.random(in: 1...1_000_000, using: &random)
      let end = start.destination(bearingDegrees: bearing, meters: meters)
      #expect((-180...180).contains(end.longitude) && (-90...90).contains(end.latitude))
      #expect((start.haversineMeters(to: end) - meters).magnitude < 1e-6 * meters + 1e-5)
      #expect((start.distanceMeters(to: end) / meters - 1).magnitude < 0.0057)
      if start.latitude.magnitude < 80 && meters > 10 {
        let turn = (start.bearingDegrees(to: end) - bearing).magnitude
        #expect(min(turn, 360 - turn) < 1e-4)
      }
    }
  }

  @Test func coordinatesRefuseWhatIsNotOnEarth() {
    for bad in [Double.nan, .infinity, -.infinity, 90.000001, -90.000001, 1e300] {
      let error = #expect(throws: CoordinateError.self) {
        try Coordinate(latitude: bad, longitude: 0)
      }
      guard case .latitudeOutOfRange(let value)? = error else {
        Issue.record("\(bad)")
        continue
      }
      #expect(value.bitPattern == bad.bitPattern)
    }
    for bad in [Double.nan, .infinity, -.infinity, 180.000001, -180.000001] {
      let error = #expect(throws: CoordinateError.self) {
        try Coordinate(latitude: 0, longitude: bad)
      }
      guard case .longitudeOutOfRange? = error else {
        Issue.record("\(bad)")
        continue
      }
    }
    #expect(throws: Never.self) { try Coordinate(latitude: 90, longitude: -180) }
    #expect(throws: Never.self) { try Coordinate(latitude: -90, longitude: 180) }
    #expect(throws: Never.self) {
      try Coordinate(latitude: -0.0, longitude: .leastNonzeroMagnitude)
    }
  }

  /// Distance / haversine near a latitude, closer than anywhere.
  @Test(arguments: [-90.0, -52, -0.5, 0, 12, 37.5, 64, 89.9])
  func ratiosHoldNearALatitude(latitude: Double) {
    var random = SplitMix64(seed: 7)
    for reach in [100.0, 20_000, 300_000, 5_000_000] {
      let ratios = HaversineBounds.ratios(latitude: latitude, reachMeters: reach)
      let degrees = reach / 111_700
      for _ in 0..<500 {
        func place(near longitude: Double) -> Coordinate {
          Coordinate(
            uncheckedLatitude: max(-90, min(90, latitude + random.real(-degrees...degrees))),
            longitude: longitude)
        }
        let from = place(near: 10)
        let to = place(near: 10 + random.real(0...2))
        let haversine = from.haversineMeters(to: to)
        guard haversine > 1 else { continue }
        let ratio = from.distanceMeters(to: to) / haversine
        #expect(ratios.contains(ratio), "\(from) \(to)")
      }
    }
    #expect(HaversineBounds.ratios(latitude: 37.5, reachMeters: 20_000).lowerBound > 0.9978)
    #expect(HaversineBounds.ratios(latitude: 37.5, reachMeters: 20_000).upperBound < 1.0027)
  }

  @Test func nullIsland() throws {
    #expect(try Coordinate(latitude: 0, longitude: 0).isNullIsland)
    #expect(try Coordinate(latitude: -0.0, longitude: -0.0).isNullIsland)
    #expect(try !Coordinate(latitude: 0, longitude: 1e-9).isNullIsland)
  }

  @Test func wrappedLongitudes() {
    let cases: [(Double, Double)] = [
      (0, 0), (180, 180), (-180, -180), (181, -179), (-181, 179), (540, -180), (-540, -180),
      (359, -1), (720, 0), (-725, -5),
    ]
    for (given, wrapped) in cases { #expect(Coordinate.wrappedLongitude(given) == wrapped) }
  }
}
