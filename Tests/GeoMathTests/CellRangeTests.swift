import GeoMath
import ObjectModel
import Testing

@Suite struct CellRangeTests {
  @Test(arguments: [21, 22, 23] as [UInt64])
  func theRangeCoversTheBoxAndLittleMore(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_500 {
      let west = UInt32(truncatingIfNeeded: random.next())
      let span = UInt32(truncatingIfNeeded: random.next() >> UInt64(32 + random.below(32)))
      let east = west &+ span
      let north = UInt32(truncatingIfNeeded: random.next())
      let tall = UInt32(truncatingIfNeeded: random.next() >> UInt64(32 + random.below(32)))
      let south = north.addingReportingOverflow(tall).overflow ? .max : north + tall
      let range = CellRange(west: west, north: north, east: east, south: south, cellsAcross: 8)
      for (x, y) in [(west, north), (east, north), (west, south), (east, south)] {
        #expect(range.contains(x: x, y: y), "\(west) \(north) \(east) \(south)")
      }
      let middle = west &+ span / 2
      #expect(range.contains(x: middle, y: north + (south - north) / 2))
      // No finer level would do, so a cell is at most a quarter of the larger side.
      let side = max(UInt64(span) + 1, UInt64(south - north) + 1)
      let cell = range.height / UInt64(range.rows)
      if range.level < 31, range.level > 0 { #expect(cell <= side / 3) }
      if range.level > 0 {
        #expect(range.columns <= 8 && range.rows <= 8)
        #expect(range.width < UInt64(span) + 1 + 2 * cell)
        #expect(range.height < UInt64(south - north) + 1 + 2 * cell)
      }
      #expect(range.contains(range) && range.cells.count == range.count)
      #expect(Set(range.cells).count == range.count)
      for cell in range.cells { #expect(range.contains(CellRange(cell))) }
    }
  }

  @Test func aSmallPanKeepsTheKey() {
    let first = CellRange(west: 1_000_000, north: 2_000_000, east: 1_900_000, south: 2_600_000)
    let second = CellRange(west: 1_000_300, north: 2_000_200, east: 1_900_300, south: 2_600_200)
    #expect(first == second)
    let all = CellRange(west: 0, north: 0, east: .max, south: .max)
    #expect(all.contains(first) && !first.contains(all) && all.count == 64)
    // A box that goes all the way round and laps itself.
    let lap = CellRange(west: 10, north: 0, east: 9, south: 100)
    #expect(lap.width == 1 << 32 && lap.contains(x: 12_345, y: 50))
  }

  /// Containment against the points of a coarse plane, wrapping included.
  @Test(arguments: [31, 32] as [UInt64])
  func containmentIsThatOfPoints(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func any() -> CellRange {
      let step: UInt32 = 1 << 27
      let north = UInt32(random.below(32))
      let south = north + UInt32(random.below(Int(32 - north)))
      return CellRange(
        west: UInt32(random.below(32)) * step, north: north * step,
        east: UInt32(random.below(32)) * step &+ (step - 1), south: south * step + (step - 1),
        cellsAcross: 8)
    }
    var contained = 0
    for _ in 0..<400 {
      let (a, b) = (any(), any())
      var all = true
      for x in 0..<(64 as UInt32) {
        for y in 0..<(64 as UInt32) where b.contains(x: x << 26, y: y << 26) {
          if !a.contains(x: x << 26, y: y << 26) { all = false }
        }
      }
      #expect(a.contains(b) == all, "\(a) \(b)")
      if all { contained += 1 }
    }
    #expect(contained > 10)
  }
}
