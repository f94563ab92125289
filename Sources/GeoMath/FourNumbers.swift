// `pointwiseMin` and `pointwiseMax` look at one number after the other.
extension SIMD4<Float> {
  /// By number, the smaller one of the two.
  @inlinable
  @inline(__always)
  public func orLess(_ other: Self) -> Self { replacing(with: other, where: other .< self) }

  /// By number, the greater one of the two.
  @inlinable
  @inline(__always)
  public func orMore(_ other: Self) -> Self { replacing(with: other, where: other .> self) }
}

extension SIMD4<Float> {
  /// Four rows, column by column.
  @inlinable
  @inline(__always)
  public static func columns(
    _ a: Self, _ b: Self, _ c: Self, _ d: Self
  ) -> (Self, Self, Self, Self) {
    (
      Self(a.x, b.x, c.x, d.x), Self(a.y, b.y, c.y, d.y), Self(a.z, b.z, c.z, d.z),
      Self(a.w, b.w, c.w, d.w)
    )
  }

  /// What ``places(through:)`` adds: between 2^23 and 2^24 a number of single precision is whole, so that the sum
  /// rounds.
  @inlinable
  public static var wholeNumbers: Float { 12_582_912 }

  /// The whole numbers below these, which are not below 0; of one that is whole itself, it or the one before.
  ///
  /// - Parameter last: The greatest of all, less than 2^22.
  /// - Returns: The numbers and ``wholeNumbers``, so that their last bits are those of the number.
  @inlinable
  @inline(__always)
  public func places(through last: Int) -> Self {
    orLess(Self(repeating: Float(last) + 0.25)) - 0.5 + Self.wholeNumbers
  }
}
