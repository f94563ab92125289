import ObjectModel
import Testing

@Suite struct SplitMixTests {
  /// The first numbers of SplitMix64 from seed 1234567, as published with the algorithm's test
  /// vectors (Rosetta Code, "Pseudo-random numbers/Splitmix64").
  @Test func equalsPublishedNumbers() {
    var random = SplitMix64(seed: 1_234_567)
    let expected: [UInt64] = [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
    ]
    #expect((0..<5).map { _ in random.next() } == expected)
  }

  @Test(arguments: [1, 2, 3, 7, 1000]) func staysBelow(bound: Int) {
    var random = SplitMix64(seed: 5)
    var seen = Set<Int>()
    for _ in 0..<10_000 {
      let value = random.below(bound)
      #expect(value >= 0 && value < bound)
      seen.insert(value)
    }
    #expect(seen.count > bound * 9 / 10)
  }
}
