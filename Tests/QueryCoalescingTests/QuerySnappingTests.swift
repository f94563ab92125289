import ObjectModel
import QueryCoalescing
import Testing

@Suite struct QuerySnappingTests {
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
    var random = SplitMix64(seed: seed)
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
}
