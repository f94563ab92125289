import QueryCoalescing
import Testing

@Suite struct CellRangeTests {
  @Test(arguments: [21, 22, 23] as [UInt64])
  func theRangeCoversTheBoxAndLittleMore(seed: UInt64) {
    var random = SplitMix(seed)
    for _ in 0..<2_500 {
      let west = UInt32(truncatingIfNeeded: random.next())
      let span = UInt32(truncatingIfNeeded: random.next() >> UInt64(32 + random.below(32)))
      let east = west &+ span
      let north = UInt32(truncatingIfNeeded: random.next())
      let tall = UInt32(truncatingIfNeeded: random.next() >> UInt64(32 + random.below(32)))
      let south = north.addingReportingOverflow(tall).overflow ? .max : north + tall
      let range = CellRange(covering: west, north, east, south, cellsAcross: 8)
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
    let first = CellRange(covering: 1_000_000, 2_000_000, 1_900_000, 2_600_000)
    let second = CellRange(covering: 1_000_300, 2_000_200, 1_900_300, 2_600_200)
    #expect(first == second)
    let all = CellRange(covering: 0, 0, .max, .max)
    #expect(all.contains(first) && !first.contains(all) && all.count == 64)
    // A box that goes all the way round and laps itself.
    let lap = CellRange(covering: 10, 0, 9, 100)
    #expect(lap.width == 1 << 32 && lap.contains(x: 12_345, y: 50))
  }

  /// Containment against the points of a coarse plane, wrapping included.
  @Test(arguments: [31, 32] as [UInt64])
  func containmentIsThatOfPoints(seed: UInt64) {
    var random = SplitMix(seed)
    func any() -> CellRange {
      let step: UInt32 = 1 << 27
      let north = UInt32(random.below(32))
      let south = north + UInt32(random.below(Int(32 - north)))
      return CellRange(
        covering: UInt32(random.below(32)) * step, north * step,
        UInt32(random.below(32)) * step &+ (step - 1), south * step + (step - 1), cellsAcross: 8)
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

  @Test func limitsAndWords() {
    #expect(
      [1, 2, 3, 5, 6, 17, 20, 21, 200, 999, 1_000].map { QuerySnapping.limit($0, maximum: 1_000) }
        == [1, 2, 5, 5, 10, 20, 20, 50, 200, 1_000, 1_000])
    for limit in 1...3_000 {
      let snapped = QuerySnapping.limit(limit, maximum: 777)
      #expect(snapped >= limit && (snapped <= 777 || snapped == limit))
    }
    #expect(QuerySnapping.words(["swift", "ios", "가", "swift"]) == ["ios", "swift", "가"])
  }

  /// Nearest on a line: a shared answer is used only where it is the caller's own.
  @Test(arguments: [41, 42] as [UInt64])
  func sharedNearestIsExactWhereItIsAllowed(seed: UInt64) {
    var random = SplitMix(seed)
    var allowed = 0
    for _ in 0..<2_000 {
      let points = (0..<60).map { _ in Double(random.below(10_000)) }
      let center = Double(random.below(10_000))
      let caller = center + Double(random.below(400)) - 200
      let shared = points.sorted { abs($0 - center) < abs($1 - center) }.prefix(20)
      let complete = abs((shared.last ?? 0) - center)
      let mine = shared.map { abs($0 - caller) }.sorted().prefix(5)
      guard
        QuerySnapping.sharedHitsSuffice(
          kthDistance: mine.last ?? 0, offset: abs(caller - center), completeRadius: complete,
          slack: 0)
      else { continue }
      allowed += 1
      #expect(Array(mine) == Array(points.map { abs($0 - caller) }.sorted().prefix(5)))
    }
    #expect(allowed > 1_000)
  }

  @Test func aLargerAnswerServesASmallerQuestion() {
    var index = ContainmentIndex<String, Int>(rangesPerFilter: 2, filters: 2)
    let small = CellRange(covering: 1 << 20, 1 << 20, 2 << 20, 2 << 20)
    let large = CellRange(covering: 0, 0, 1 << 24, 1 << 24)
    let world = CellRange(covering: 0, 0, .max, .max)
    func find(_ filter: String, _ freshness: Freshness = .unlimited) -> Int? {
      index.find(filter, containing: small, freshness: freshness, at: 100)?.answer
    }
    index.insert(1, for: "f", range: world, reading: Reading(time: 100))
    index.insert(2, for: "f", range: large, reading: Reading(time: 50))
    #expect(find("f") == 2)
    #expect(find("f", Freshness(maximumAge: 49)) == 1)
    #expect(find("g") == nil)
    // In flight, not read yet: anybody may wait for it.
    index.insert(3, for: "f", range: large, reading: nil)
    #expect(find("f", .current) == 3)
    // The least recently used leaves.
    index.insert(4, for: "f", range: small, reading: Reading(time: 100))
    #expect(find("f") == 4 && index.count == 2)
    index.remove("f", range: small)
    #expect(find("f") == 3)
    index.insert(5, for: "g", range: world, reading: nil)
    index.insert(6, for: "h", range: world, reading: nil)
    #expect(find("f") == nil && find("g") == 5 && find("h") == 6)
    index.removeAll { $0 == "g" }
    #expect(find("g") == nil && index.count == 1)
  }

  @Test(arguments: [51, 52, 53] as [UInt64])
  func assembliesCoverTheRangeOnce(seed: UInt64) {
    var random = SplitMix(seed)
    for _ in 0..<500 {
      let west = UInt32(truncatingIfNeeded: random.next())
      let range = CellRange(
        covering: west, 1 << 30, west &+ UInt32(random.below(1 << 28)),
        1 << 30 + UInt32(random.below(1 << 28)))
      var known: [CellAddress: Reading] = [:]
      for cell in range.cells where random.below(3) > 0 {
        known[cell] = Reading(time: Nanoseconds(random.below(100)), version: 7)
      }
      let freshness = Freshness(maximumAge: 50)
      let assembly = TileAssembly<Int>(range, freshness: freshness, at: 100) { cell in
        known[cell].map { (1, $0) }
      }
      var cover: [CellAddress: Int] = [:]
      for part in assembly.found { cover[part.cell, default: 0] += 1 }
      for gap in assembly.missing {
        #expect(range.contains(gap))
        for cell in gap.cells { cover[cell, default: 0] += 1 }
      }
      #expect(Set(cover.keys) == Set(range.cells) && cover.values.allSatisfy { $0 == 1 })
      #expect(assembly.found.allSatisfy { $0.reading.time >= 50 })
      #expect(assembly.isOneState == assembly.found.isEmpty)
      let versioned = TileAssembly<Int>(range, freshness: Freshness(sufficientVersion: 7), at: 100)
      {
        known[$0].map { (1, $0) }
      }
      #expect(versioned.isOneState && versioned.found.count == known.count)
    }
  }
}
