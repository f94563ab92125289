import GeoMath
import ObjectModel
import PeerMatching
import PositionProtection
import Testing

@Suite struct ProtectionGridTests {
  let grid = SampleCity.grid

  @Test(arguments: [0.0, 37.5, -54.8, 71.2, 89.0])
  func cellsNestAndHaveTheirSize(latitude: Double) throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<500 {
      let place = try Coordinate(
        latitude: min(89.9, latitude + random.unit()), longitude: random.unit() * 360 - 180)
      var cell = grid.cell(of: place, level: 0)
      while true {
        #expect(grid.cell(of: place, level: cell.level) == cell)
        #expect(grid.metersBeyond(cell, place) < 1e-3)
        let side = grid.sideMeters(of: cell)
        // Columns are counted for a whole band, so cells are squares only about its middle.
        let wide = latitude > 80 ? 0.9 : 0.76
        #expect(grid.center(of: cell).distanceMeters(to: place) < side * wide)
        guard let parent = grid.parent(of: cell) else { break }
        #expect(parent.level == cell.level + 1)
        cell = parent
      }
      #expect(cell.level == 3)
      #expect(grid.sideMeters(of: cell) == 2000)
    }
  }

  @Test func aSnappedPointIsItsOwnSnap() {
    var random = SplitMix64(seed: 6)
    for _ in 0..<1000 {
      let place = SampleCity.place(&random, withinMeters: 30_000)
      let snapped = grid.snapped(place)
      #expect(grid.snapped(snapped) == snapped)
    }
  }

  @Test func theCellDoublesUntilItHoldsFivePeopleAndNoFurther() {
    var population = Population(grid: grid)
    let here = SampleCity.middle
    func level(_ others: Int) -> Int {
      grid.protect(here, userID: "me", old: nil, isStillShown: false) { population[$0] }.level
    }
    #expect(level(0) == grid.maximumLevel)
    for _ in 0..<3 { population.add(here) }
    #expect(level(3) == grid.maximumLevel)
    population.add(here)
    #expect(level(4) == 0)
    population.remove(here)
    // A fifth in the same cell of 500 m, though not of 250 m.
    let cell = grid.cell(of: here, level: 0)
    let sibling = ProtectedCell(level: 0, row: cell.row ^ 1, column: cell.column)
    population.add(grid.center(of: sibling))
    #expect(level(4) == 1)
  }

  @Test func aSnappedPointStaysUntilItsOwnerIsBeyondAMarginOfTheirOwn() {
    var distances: [Double] = []
    for person in 0..<400 {
      let id = "p\(person)"
      let cell = grid.cell(of: SampleCity.middle, level: 0)
      let start = grid.center(of: cell)
      var shown = cell
      var walked = 0.0
      while shown == cell {
        walked += 1
        let place = start.destination(bearingDegrees: 90, meters: walked)
        shown = grid.protect(place, userID: id, old: cell, isStillShown: true) { _ in 10 }
        if shown != cell { distances.append(grid.metersBeyond(cell, place)) }
      }
    }
    // Nobody is moved within 50 m of the border, and the place beyond it is spread over a whole
    // cell: who sees the point move learns no more than the new cell.
    #expect(distances.allSatisfy { $0 >= 50 && $0 <= 302 })
    let mean = distances.reduce(0, +) / 400
    let spread = (distances.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 400).squareRoot()
    #expect(abs(mean - 175) < 12)
    #expect(spread > 0.95 * 250 / 12.0.squareRoot())
  }

  @Test func whoComesBackInsideTheMarginKeepsTheirSideOfTheBorder() {
    let cell = grid.cell(of: SampleCity.middle, level: 0)
    let beyond = grid.center(of: cell).destination(bearingDegrees: 90, meters: 125 + 40)
    #expect(grid.cell(of: beyond, level: 0) != cell)
    let shown = grid.protect(beyond, userID: "me", old: cell, isStillShown: false) { _ in 10 }
    #expect(shown == cell)
    let lonely = grid.protect(beyond, userID: "me", old: cell, isStillShown: false) { _ in 0 }
    #expect(lonely.level == grid.maximumLevel)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func runsHoldEveryCellWhoseCentreIsWithinTheRadius(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var found = 0
    for _ in 0..<40 {
      let latitude = [0, 37.5, -71, 85, 89.95, -89.99][random.below(6)]
      let middle = try Coordinate(
        latitude: latitude, longitude: [0, 127.0, 179.99, -179.995][random.below(4)])
      let level = random.below(grid.maximumLevel + 1)
      let meters = 10 + random.unit() * 6000
      let runs = grid.runs(level: level, around: middle, radiusMeters: meters)
      for run in runs { #expect(!run.columns.isEmpty) }
      for _ in 0..<40 {
        let place = middle.destination(
          bearingDegrees: random.unit() * 360, meters: meters * random.unit())
        let cell = grid.cell(of: place, level: level)
        guard grid.center(of: cell).distanceMeters(to: middle) <= meters else { continue }
        found += 1
        #expect(
          runs.contains { $0.row == cell.row && $0.columns.contains(cell.column) },
          "\(cell) about \(middle), \(meters) m")
      }
      // And whatever is in a cell, where that is asked for.
      let wide = grid.runs(level: level, around: middle, radiusMeters: meters, slackSides: 1.5)
      guard abs(latitude) < 80 else { continue }
      for _ in 0..<20 {
        let place = middle.destination(
          bearingDegrees: random.unit() * 360, meters: meters * 0.99 * random.unit())
        let cell = grid.cell(of: place, level: level)
        #expect(wide.contains { $0.row == cell.row && $0.columns.contains(cell.column) })
      }
    }
    #expect(found > 400)
  }

  @Test func aMiddleTellsItsCell() {
    var random = SplitMix64(seed: 8)
    for _ in 0..<500 {
      let place = SampleCity.place(&random, withinMeters: 30_000)
      let cell = grid.cell(of: place, level: random.below(grid.maximumLevel + 1))
      #expect(grid.cell(shownAt: grid.center(of: cell)) == cell)
      #expect(grid.cell(shownAt: place) == nil)
    }
  }
}
