/// Interleaving two 32-bit numbers into one 64-bit key (G. M. Morton, 1966).
///
/// Bit 2i of the code is bit i of `x`, bit 2i + 1 is bit i of `y`: keys that share their first
/// 2k bits lie in one cell of the k-th quadtree level.
public struct MortonCode: Hashable, Comparable, Sendable {
  /// Bits of `x` at even places, of `y` at odd ones.
  public var rawValue: UInt64

  /// Makes a code of its bits.
  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Interleaves two coordinates.
  @inlinable
  public init(x: UInt32, y: UInt32) {
    rawValue = Self.spread(x) | Self.spread(y) << 1
  }

  /// Interleaves the coordinates of a point.
  @inlinable
  public init(_ point: MercatorPoint) { self.init(x: point.x, y: point.y) }

  /// The coordinate whose bits stand at even places.
  @inlinable public var x: UInt32 { Self.squash(rawValue) }
  /// The coordinate whose bits stand at odd places.
  @inlinable public var y: UInt32 { Self.squash(rawValue >> 1) }

  /// Orders codes along the curve.
  @inlinable
  public static func < (a: MortonCode, b: MortonCode) -> Bool { a.rawValue < b.rawValue }

  /// Puts bit i at bit 2i ("Bit Twiddling Hacks", S. E. Anderson).
  @inlinable
  public static func spread(_ value: UInt32) -> UInt64 {
    var v = UInt64(value)
    v = (v | v << 16) & 0x0000_FFFF_0000_FFFF
    v = (v | v << 8) & 0x00FF_00FF_00FF_00FF
    v = (v | v << 4) & 0x0F0F_0F0F_0F0F_0F0F
    v = (v | v << 2) & 0x3333_3333_3333_3333
    v = (v | v << 1) & 0x5555_5555_5555_5555
    return v
  }

  /// Takes bit 2i to bit i, ignoring odd bits: the inverse of ``spread(_:)``.
  @inlinable
  public static func squash(_ value: UInt64) -> UInt32 {
    var v = value & 0x5555_5555_5555_5555
    v = (v | v >> 1) & 0x3333_3333_3333_3333
    v = (v | v >> 2) & 0x0F0F_0F0F_0F0F_0F0F
    v = (v | v >> 4) & 0x00FF_00FF_00FF_00FF
    v = (v | v >> 8) & 0x0000_FFFF_0000_FFFF
    v = (v | v >> 16) & 0x0000_0000_FFFF_FFFF
    return UInt32(truncatingIfNeeded: v)
  }
}
