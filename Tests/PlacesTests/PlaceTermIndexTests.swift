import ObjectModel
import TestSupport
import Testing

@testable import Places

/// The sorted runs against a table of all terms, while places change and leave.
@Suite struct PlaceTermIndexTests {
  private static let words = ["가나", "가", "나다", "라마", "라", "ab", "abc", "b"]

  @Test(arguments: [1, 2, 3] as [UInt64])
  func findsWhatATableFinds(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let index = PlaceTermIndex()
    var table: [UInt32: PlaceKeys] = [:]
    for _ in 0..<60 {
      var changes: [(number: UInt32, terms: [UInt128])] = []
      for _ in 0..<random.int(1...40) {
        let number = UInt32(random.below(300))
        let name = (0..<random.int(1...3)).map { _ in random.pick(Self.words) }
        let keys = random.chance(0.2) ? nil : PlaceKeys(names: [name.joined(separator: " ")])
        table[number] = keys
        changes.append((number, keys.map { PlaceTerms.terms(of: $0) } ?? []))
      }
      index.apply(changes)
      let text = FoldedText(random.pick(Self.words)).letters[...]
      let expected = table.filter { $0.value.names[0].letters.starts(with: text) }.map(\.key)
      var search = PlaceTermSearch(index)
      let found = search.candidates([[PackedTermRange(.name, beginning: text)]], limit: 0)
      // What a place once was may be proposed, and nothing that it is may be missing.
      #expect(expected.allSatisfy(found.contains), "seed \(seed)")
      #expect(found.prefix(.max).count == found.count)
    }
    #expect(index.runs.count <= 8)
    for run in index.runs {
      #expect(zip(run.terms, run.terms.dropFirst()).allSatisfy { $0 <= $1 })
    }
  }

  /// Terms of what a place once was go with the merges, so that the index does not grow with reports.
  @Test func whatWasIsForgotten() {
    let index = PlaceTermIndex()
    for i in 0..<2000 {
      let keys = PlaceKeys(names: ["장소 \(i)"])
      index.apply([(number: UInt32(i % 10), terms: PlaceTerms.terms(of: keys))])
    }
    #expect(index.runs.map(\.terms.count).reduce(0, +) < 2000)
  }

  @Test func candidatesAreASet() {
    var some = PlaceCandidates()
    for number: UInt32 in [700, 3, 64, 3, 63] { some.insert(number) }
    #expect(some.prefix(.max) == [3, 63, 64, 700] && some.count == 4)
    #expect(some.prefix(2) == [3, 63])
    var others = PlaceCandidates()
    for number: UInt32 in [64, 65, 3] { others.insert(number) }
    some.formIntersection(others)
    #expect(some.prefix(.max) == [3, 64] && some.count == 2)
    #expect(some.contains(64) && !some.contains(700) && !some.contains(9999))
  }
}
