/// A small random source that gives the same numbers for a seed everywhere (G. Steele, D. Lea,
/// C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). Not for secrets.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  @usableFromInline var state: UInt64

  /// Makes a source; equal seeds give equal numbers.
  @inlinable public init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  @inlinable public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// 0..<1, a multiple of 2^-53.
  @inlinable public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// 0..<bound. The bias of the multiplication is below bound / 2^64.
  /// - Precondition: `bound` is above 0.
  @inlinable public mutating func below(_ bound: Int) -> Int {
    Int(UInt64(bound).multipliedFullWidth(by: next()).high)
  }

  /// A permutation of the 64-bit numbers in which each bit depends on all.
  @inlinable public static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}
