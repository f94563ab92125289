import ObjectModel

/// A short random sequence that depends on nothing but its key.
///
/// Every decision of the simulation is drawn from a key such as (seed, purpose, user, slot), never
/// from a shared generator, so that it does not matter in which order or how often it is drawn.
struct SeededDraws {
  /// What is decided; part of the key, so that two decisions never share their draws.
  enum Purpose: UInt64 {
    case person = 1
    case tags, anchor, evening, stroll, party, exit
  }

  private var random: SplitMix64

  init(seed: UInt64, _ purpose: Purpose, _ a: Int64 = 0, _ b: Int64 = 0) {
    var key = SplitMix64.mix(seed &+ purpose.rawValue &* 0x9E37_79B9_7F4A_7C15)
    key = SplitMix64.mix(key ^ UInt64(bitPattern: a) &* 0xD6E8_FEB8_6659_FD93)
    key = SplitMix64.mix(key ^ UInt64(bitPattern: b) &* 0xA076_1D64_78BD_642F)
    random = SplitMix64(seed: key)
  }

  /// 0..<1, a multiple of 2^-53.
  mutating func unit() -> Double { random.unit() }

  /// 0..<bound.
  mutating func below(_ bound: Int) -> Int { random.below(bound) }

  /// A bell over -1...1 (the mean of four uniform draws): a normal distribution's middle without
  /// its tails, and without a logarithm that libraries round differently.
  mutating func bell() -> Double { (unit() + unit() + unit() + unit()) / 2 - 1 }
}

/// Drawing an index with given weights in constant time (A. J. Walker's alias method, 1977).
struct WeightedChoice: Sendable {
  private let threshold: [Double]
  private let alias: [Int]

  /// - Precondition: not empty, no weight below 0; if all are 0 they count as equal.
  init(_ weights: [Double]) {
    precondition(!weights.isEmpty)
    let count = weights.count
    let sum = weights.reduce(0, +)
    var scaled = weights.map { sum > 0 ? $0 * Double(count) / sum : 1 }
    var alias = Array(0..<count)
    var small = scaled.indices.filter { scaled[$0] < 1 }
    var large = scaled.indices.filter { scaled[$0] >= 1 }
    while let low = small.popLast(), let high = large.popLast() {
      alias[low] = high
      scaled[high] -= 1 - scaled[low]
      if scaled[high] < 1 { small.append(high) } else { large.append(high) }
    }
    // What is left over by rounding keeps itself.
    let paired = scaled.indices.map { alias[$0] == $0 ? 1 : scaled[$0] }
    threshold = paired
    self.alias = alias
  }

  func draw(_ draws: inout SeededDraws) -> Int {
    let index = draws.below(threshold.count)
    return draws.unit() < threshold[index] ? index : alias[index]
  }
}
