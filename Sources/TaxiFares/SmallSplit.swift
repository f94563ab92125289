/// Shares of at most eight riders without allocating: the arithmetic of ``FareSplit``.
public enum SmallSplit {
  /// Riders whose shares fit one vector.
  public static let maximumRiders = 8

  /// `amount` in proportion to the first `count` weights, by largest remainder, the earlier first
  /// among equals; all 0 when the weights are. Entries from `count` on are 0.
  public static func shares(
    _ amount: Int64, weights: SIMD8<UInt64>, count: Int
  ) -> SIMD8<Int64> {
    precondition(count >= 0 && count <= maximumRiders)
    var shares = SIMD8<Int64>()
    var sum: UInt64 = 0
    for i in 0..<count { sum += weights[i] }
    guard sum > 0, amount > 0 else { return shares }
    var remainders = SIMD8<UInt64>()
    var left = amount
    for i in 0..<count {
      let (high, low) = UInt64(amount).multipliedFullWidth(by: weights[i])
      // Safe: weight <= sum, so the quotient is at most `amount`; few products need 128 bits.
      let (quotient, remainder) =
        high == 0 ? low.quotientAndRemainder(dividingBy: sum) : sum.dividingFullWidth((high, low))
      shares[i] = Int64(quotient)
      remainders[i] = remainder
      left -= Int64(quotient)
    }
    var taken: UInt8 = 0
    while left > 0 {
      var best = -1
      for i in 0..<count where taken >> UInt8(i) & 1 == 0 {
        if best < 0 || remainders[i] > remainders[best] { best = i }
      }
      guard best >= 0 else { break }
      taken |= 1 << UInt8(best)
      shares[best] += 1
      left -= 1
    }
    return shares
  }

  /// Real weights as integers, the way ``FareSplit`` does; whole numbers stay as they are.
  public static func integerWeights(_ weights: SIMD8<Double>, count: Int) -> SIMD8<UInt64> {
    var largest = 0.0
    var isWhole = true
    for i in 0..<count {
      largest = max(largest, weights[i])
      isWhole =
        isWhole && weights[i] == weights[i].rounded()
        && weights[i] <= Double(Allocation.maximumWeight)
    }
    var result = SIMD8<UInt64>()
    guard largest > 0 else { return result }
    for i in 0..<count {
      result[i] =
        isWhole
        ? UInt64(weights[i])
        : UInt64((weights[i] / largest * Double(Allocation.maximumWeight)).rounded())
    }
    return result
  }
}
