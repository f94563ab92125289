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
