/// Eight squared distances at a time.
enum EightLanes {
  /// Whether any of eight squares is at most `bound`.
  @inline(__always)
  static func anyIsWithin(_ squares: SIMD8<Float>, _ bound: Float) -> Bool {
    // The type is spelled out: an inferred one picks the generic comparison, lane by lane.
    let limit = SIMD8<Float>(repeating: bound)
    let isWithin: SIMDMask<SIMD8<Int32>> = squares .<= limit
    return any(isWithin)
  }

  /// Squared planar distances of eight points, the short way round.
  @inline(__always)
  static func squares(
    _ px: SIMD8<UInt32>, _ py: SIMD8<UInt32>, _ x: SIMD8<UInt32>, _ y: SIMD8<UInt32>
  ) -> SIMD8<Float> {
    let dx = SIMD8<Float>(SIMD8<Int32>(truncatingIfNeeded: px &- x))
    let dy = SIMD8<Float>(SIMD8<Int32>(truncatingIfNeeded: py &- y))
    return dx * dx + dy * dy
  }
}
