import ObjectModel
import GeoMath
import Testing

@testable import SpatialIndexing

/// What a polygon's rows claim of points and cells holds for the polygon itself.
@Suite struct PolygonRowsTests {
  /// Rings of all sizes and shapes; on a coarse lattice in every other round, so that points meet
  /// corners, level edges and edges that touch themselves.
  private func polygon(_ round: Int, _ g: inout SplitMix64) -> GeoPolygon? {
    let size = [0.0004, 0.02, 0.6, 25, 120][round % 5]
    let middle = (
      latitude: Double.random(in: -80...80, using: &g),
      longitude: Double.random(in: -170...170, using: &g)
    )
    let count = [3, 4, 9, 70, 1000][round / 5 % 5]
    let corners = (0..<count).map { _ -> Coordinate in
      var east = Double.random(in: -1...1, using: &g)
      var north = Double.random(in: -1...1, using: &g)
      if round % 2 == 0 {
        east = (east * 8).rounded() / 8
        north = (north * 8).rounded() / 8
      }
      return Coordinate(
        uncheckedLatitude: max(-84.8, min(84.8, middle.latitude + north * size / 4)),
        longitude: max(-179.8, min(179.8, middle.longitude + east * size / 2)))
    }
    return try? GeoPolygon(corners)
  }

  /// The mark of a point among three.
  private func mark(_ point: MercatorPoint, _ rows: PolygonRows, lane: Int) -> UInt32 {
    var points = [UInt32](repeating: 77, count: 16)
    points[lane] = point.x
    points[8 + lane] = point.y
    var marks = [UInt32](repeating: 77, count: 4)
    marks.withUnsafeMutableBufferPointer { marks in
      points.withUnsafeBytes { rows.mark($0.baseAddress!, lanes: 3, into: marks.baseAddress!) }
    }
    #expect(marks[3] == 77)
    return marks[lane]
  }

  @Test(arguments: [UInt64(91), 92])
  func marksAndCellsTellTheTruth(seed: UInt64) throws {
    var g = SplitMix64(seed: seed)
    var settled = (inside: 0, outside: 0, cellsInside: 0, cellsOutside: 0)
    for round in 0..<50 {
      guard let polygon = polygon(round, &g), let rows = PolygonRows(polygon) else { continue }
      let height = max(1e-6, polygon.north - polygon.south)
      let width = max(1e-6, polygon.unwrappedEast - polygon.unwrappedWest)
      for i in 0..<500 {
        var latitude = polygon.south + height * .random(in: -0.1...1.1, using: &g)
        var longitude = polygon.unwrappedWest + width * .random(in: -0.1...1.1, using: &g)
        let a = polygon.corners.randomElement(using: &g)!
        let b = polygon.corners.randomElement(using: &g)!
        switch i % 5 {
        case 0: (latitude, longitude) = (a.latitude, a.longitude)
        case 1: (latitude, longitude) = (a.latitude, b.longitude)
        case 2:
          // Between two corners, often on an edge or a hair beside it.
          let share = Double.random(in: 0...1, using: &g)
          latitude = a.latitude + (b.latitude - a.latitude) * share
          longitude =
            a.longitude + (b.longitude - a.longitude) * share
            + [0, 1e-15, -1e-9, 1e-7, -1e-7].randomElement(using: &g)!
        default: break
        }
        let expected = polygon.contains(latitude: latitude, longitude: longitude)
        #expect(rows.contains(latitude: latitude, longitude: longitude) == expected)
        let point = MercatorPoint(latitude: latitude, longitude: longitude)
        let mark = self.mark(point, rows, lane: i % 3)
        if mark == PolygonRows.Mark.inside {
          #expect(expected, "round \(round): \(latitude) \(longitude)")
          settled.inside += 1
        } else if mark == PolygonRows.Mark.outside {
          #expect(!expected, "round \(round): \(latitude) \(longitude)")
          settled.outside += 1
        } else {
          #expect(mark == PolygonRows.Mark.unknown)
        }
        // The cell of some level around the point, and another point of it.
        let level = UInt32.random(in: 2...30, using: &g)
        let side = UInt32(1) << (32 - level)
        let x = point.x & ~(side - 1)
        let y = point.y & ~(side - 1)
        let relation = rows.relation(x: x, y: y, right: x + (side - 1), bottom: y + (side - 1))
        guard relation != .mixed else { continue }
        #expect(expected == (relation == .inside))
        let inside = MercatorPoint(
          x: x + .random(in: 0..<side, using: &g), y: y + .random(in: 0..<side, using: &g)
        ).coordinate
        #expect(
          polygon.contains(latitude: inside.latitude, longitude: inside.longitude)
            == (relation == .inside))
        if relation == .inside { settled.cellsInside += 1 } else { settled.cellsOutside += 1 }
      }
    }
    #expect(settled.inside > 500 && settled.outside > 2000, "\(settled)")
    #expect(settled.cellsInside > 100 && settled.cellsOutside > 500, "\(settled)")
  }

  /// Every edge of a comb spans all bands: what is kept of them must not grow with both numbers.
  @Test func aCombTakesRoomByItsCorners() throws {
    let comb = try GeoPolygon(
      (0..<999).map {
        Coordinate(uncheckedLatitude: $0 % 2 == 0 ? 36 : 38, longitude: 126 + Double($0) / 500)
      } + [Coordinate(uncheckedLatitude: 35, longitude: 128)])
    let rows = try #require(PolygonRows(comb))
    // Bands are filled up to eights.
    #expect(rows.runCapacity <= PolygonRows.runsPerEdge * 1000 + 512 * 8)
    var g = SplitMix64(seed: 93)
    for _ in 0..<5000 {
      let latitude = Double.random(in: 34.9...38.1, using: &g)
      let longitude = Double.random(in: 125.9...128.1, using: &g)
      #expect(
        rows.contains(latitude: latitude, longitude: longitude)
          == comb.contains(latitude: latitude, longitude: longitude))
    }
  }
}
