/// A small random source with a seed (SplitMix64, Steele, Lea and Flood 2014): the same numbers on
/// every machine, so that a search is repeatable.
struct SplitMix: Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// 0 ..< bound. - Precondition: `bound` is above 0 and below 2^32.
  mutating func below(_ bound: Int) -> Int {
    assert(bound > 0 && bound < 1 << 32)
    return Int(((next() >> 32) &* UInt64(bound)) >> 32)
  }

  /// 0 ..< 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
