import GeoMath
import ObjectModel
import Testing

@testable import SpatialIndexing

/// The fast ways give the same bits as the functions of GeoMath, and bounds hold.
@Suite struct ExactnessTests {
  @Test(arguments: [UInt64(41), 42])
  func surfaceDistanceEqualsTheOneDistanceFunction(seed: UInt64) {
    var g = SplitMix64(seed: seed)
    for i in 0..<40_000 {
      let latitude = Double.random(in: -90...90, using: &g)
      let longitude = Double.random(in: -180...180, using: &g)
      let reach = [1e-7, 1e-4, 0.01, 0.5, 20][i % 5]
      let other = (
        latitude: max(-90, min(90, latitude + .random(in: -reach...reach, using: &g))),
        longitude: longitude + (i % 7 == 0 ? 0 : .random(in: -reach...reach, using: &g))
      )
      let surface = SurfaceDistance(latitude: latitude, longitude: longitude)
      let fast = surface.millimeters(latitude: other.latitude, longitude: other.longitude)
      let exact = DistanceOrigin(latitude: latitude, longitude: longitude)
        .millimeters(latitude: other.latitude, longitude: other.longitude)
      #expect(fast == exact, "\(latitude) \(longitude) \(other)")
    }
  }

  @Test(arguments: [UInt64(43), 44])
  func projectorEqualsMercatorPoint(seed: UInt64) {
    var g = SplitMix64(seed: seed)
    let projector = MercatorProjector.shared
    var edges: [Double] = [
      -90, -85.0512, -85.051128779806592, -85, -84.75, 0, 84.999, 85, 85.06, 90,
    ]
    edges += edges.map { $0.nextUp } + [-0.0, 37.5, 37.75]
    for i in 0..<60_000 {
      let range = i % 2 == 0 ? -90.0...90.0 : 37.0...38.0
      let latitude = i < edges.count ? min(90, edges[i]) : Double.random(in: range, using: &g)
      let longitude =
        i % 50 == 0 ? (i % 100 == 0 ? 180.0 : -180.0) : Double.random(in: -180...180, using: &g)
      #expect(
        projector.point(latitude: latitude, longitude: longitude)
          == MercatorPoint(latitude: latitude, longitude: longitude), "\(latitude) \(longitude)")
    }
  }

  @Test(arguments: [UInt64(45), 46])
  func planarScaleBoundsTheDistance(seed: UInt64) {
    var g = SplitMix64(seed: seed)
    for _ in 0..<20_000 {
      let latitude = Double.random(in: -84.5...84.5, using: &g)
      let origin = MercatorPoint(latitude: latitude, longitude: 20)
      let scale = PlanarScale(latitude: latitude)
      let units = PlanarScale.maximumUnits * .random(in: 0...1, using: &g) * 0.7
      let dx = Double.random(in: -1...1, using: &g) * units
      let dy = Double.random(in: -1...1, using: &g) * units
      let y = Double(origin.y) + dy
      guard y > 0 && y < 4_294_967_295 else { continue }
      let other = (
        latitude: MercatorPoint.latitude(y: y),
        longitude: MercatorPoint.longitude(x: Double(origin.x) + dx)
      )
      let meters = DistanceOrigin(latitude: latitude, longitude: 20)
        .meters(latitude: other.latitude, longitude: other.longitude)
      let planar = (dx * dx + dy * dy).squareRoot()
      #expect(meters >= scale.least(within: planar) * (planar - 3))
      #expect(meters <= scale.most(within: planar) * (planar + 3))
      #expect(planar <= (scale.unitsBeyond(meters: meters) ?? .infinity) + 3)
      #expect(planar >= scale.unitsBelow(meters: meters) - 3)
    }
  }

  @Test(arguments: [UInt64(47), 48])
  func preparedPolygonEqualsThePolygon(seed: UInt64) throws {
    var g = SplitMix64(seed: seed)
    for round in 0..<30 {
      let center = (
        latitude: Double.random(in: -70...70, using: &g),
        longitude: round % 3 == 0 ? 179.9 : Double.random(in: -170...170, using: &g)
      )
      let count = [3, 4, 17, 200][round % 4]
      // Coordinates on a coarse lattice, so that points meet corners and level edges.
      let corners = (0..<count).map { i -> Coordinate in
        let angle = Double(i) / Double(count) * 6.283
        let radius = Double.random(in: 0.2...1, using: &g)
        let latitude = center.latitude + (radius * _sin(angle) * 8).rounded() / 8
        let longitude = center.longitude + (radius * _sin(angle + 1.5707) * 8).rounded() / 8
        return Coordinate(
          uncheckedLatitude: latitude, longitude: Coordinate.wrappedLongitude(longitude))
      }
      guard let polygon = try? GeoPolygon(corners) else { continue }
      let prepared = PreparedPolygon(polygon)
      for _ in 0..<300 {
        let latitude = center.latitude + (.random(in: -10...10, using: &g) as Double).rounded() / 8
        let longitude = Coordinate.wrappedLongitude(
          center.longitude + (.random(in: -10...10, using: &g) as Double).rounded() / 8)
        #expect(
          prepared.contains(latitude: latitude, longitude: longitude)
            == polygon.contains(latitude: latitude, longitude: longitude))
      }
      for _ in 0..<60 {
        let west = Coordinate.wrappedLongitude(
          center.longitude + .random(in: -1.5...1.5, using: &g))
        let south = center.latitude + .random(in: -1.5...1.5, using: &g)
        let size = Double.random(in: 0.01...0.4, using: &g)
        guard west + size <= 180 else { continue }
        let box = GeoBox(
          uncheckedWest: west, south: south, east: west + size, north: south + size)
        let coverage = prepared.coverage(of: box)
        guard coverage != .partial else { continue }
        for _ in 0..<20 {
          let latitude = south + size * .random(in: 0.001...0.999, using: &g)
          let longitude = west + size * .random(in: 0.001...0.999, using: &g)
          #expect(
            polygon.contains(latitude: latitude, longitude: longitude) == (coverage == .full))
        }
      }
    }
  }

  @Test(arguments: [UInt64(49), 50])
  func pruningBoundsAreBelowTheDistance(seed: UInt64) {
    var g = SplitMix64(seed: seed)
    for i in 0..<8000 {
      let origin = (
        latitude: Double.random(in: -90...90, using: &g),
        longitude: Double.random(in: -180...180, using: &g)
      )
      let size = [0.01, 1, 40, 170][i % 4]
      let west = Double.random(in: -180...(180 - size), using: &g)
      let south = Double.random(in: -90...(90 - min(size, 80)), using: &g)
      let box = GeoBox(
        uncheckedWest: west, south: south, east: west + size, north: south + min(size, 80))
      let lower = PruningBounds(latitude: origin.latitude, longitude: origin.longitude)
        .lowerMeters(to: box)
      for _ in 0..<8 {
        let latitude = Double.random(in: box.south...box.north, using: &g)
        let longitude = Double.random(in: box.west...box.east, using: &g)
        let meters = DistanceOrigin(latitude: origin.latitude, longitude: origin.longitude)
          .meters(latitude: latitude, longitude: longitude)
        #expect(lower <= meters, "\(origin) \(box)")
      }
    }
  }
}

/// A sine without a C library, good enough to draw polygons.
private func _sin(_ x: Double) -> Double {
  let turned = x.truncatingRemainder(dividingBy: 6.283185307179586)
  let y = turned > 3.141592653589793 ? turned - 6.283185307179586 : turned
  let z = y * y
  return y * (1 - z / 6 * (1 - z / 20 * (1 - z / 42 * (1 - z / 72 * (1 - z / 110)))))
}
