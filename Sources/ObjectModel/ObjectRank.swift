/// The place of an object in an order that looks random and is the same on every machine that has
/// the key: the 128-bit keyed hash of the object's id, see ``KeyedHash/rank(of:)-(String)``.
///
/// A rank orders objects and never stands for one: what tells objects apart is their handle. Two
/// ids of a million share a rank with a probability of 1e-27.
public struct ObjectRank: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The first 64 bits; they decide nearly every comparison.
  public var high: UInt64
  /// The last 64 bits.
  public var low: UInt64

  /// Makes a rank of its two halves.
  @inlinable
  public init(high: UInt64, low: UInt64 = 0) {
    self.high = high
    self.low = low
  }

  /// Whether one rank is the lower one.
  @inlinable @inline(__always)
  public static func < (a: ObjectRank, b: ObjectRank) -> Bool {
    a.high != b.high ? a.high < b.high : a.low < b.low
  }
}
