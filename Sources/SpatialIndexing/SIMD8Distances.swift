/// Squared distances of eight points at a time.
enum SIMD8Distances {
  /// Returns whether any of eight squares is at most `bound`.
  @inline(__always)
  static func anyIsWithin(_ squares: SIMD8<Float>, _ bound: Float) -> Bool {
    // The type is spelled out: an inferred one picks the generic comparison, lane by lane.
    let limit = SIMD8<Float>(repeating: bound)
    let isWithin: SIMDMask<SIMD8<Int32>> = squares .<= limit
    return any(isWithin)
  }

  /// Returns whether any lane is true. The standard library's function goes lane by lane.
  @inline(__always)
  static func any(_ mask: SIMDMask<SIMD8<Int32>>) -> Bool {
    let words = unsafe unsafeBitCast(mask, to: SIMD4<UInt64>.self)
    let pair = words.lowHalf | words.highHalf
    return (pair[0] | pair[1]) != 0
  }

  /// Returns eight squares, with infinity in the lanes of a mask.
  @inline(__always)
  static func ruledOut(
    _ squares: SIMD8<Float>, where mask: SIMDMask<SIMD8<Int32>>
  ) -> SIMD8<Float> {
    let bits = unsafe unsafeBitCast(squares, to: SIMD8<UInt32>.self)
    let isOut = unsafe unsafeBitCast(mask, to: SIMD8<UInt32>.self)
    let infinity = SIMD8<UInt32>(repeating: Float.infinity.bitPattern)
    return unsafe unsafeBitCast(bits & ~isOut | infinity & isOut, to: SIMD8<Float>.self)
  }

  /// Returns the squared planar distances of eight points, the shorter way round the world.
  @inline(__always)
  static func squares(
    x px: SIMD8<UInt32>, y py: SIMD8<UInt32>, fromX x: SIMD8<UInt32>, y: SIMD8<UInt32>
  ) -> SIMD8<Float> {
    let dx = SIMD8<Float>(SIMD8<Int32>(truncatingIfNeeded: px &- x))
    let dy = SIMD8<Float>(SIMD8<Int32>(truncatingIfNeeded: py &- y))
    return dx * dx + dy * dy
  }

  /// Returns the Morton codes of eight points in a cell whose side is `mask + 1` <= 2^15 units.
  @inline(__always)
  static func interleaved(
    _ x: SIMD8<UInt32>, _ y: SIMD8<UInt32>, mask: UInt32
  ) -> SIMD8<Int32> {
    let side = SIMD8<UInt32>(repeating: mask)
    return SIMD8<Int32>(truncatingIfNeeded: spread(x & side) | spread(y & side) &<< 1)
  }

  /// Moves bit i of 15 bits to bit 2i.
  @inline(__always)
  private static func spread(_ value: SIMD8<UInt32>) -> SIMD8<UInt32> {
    var v = value
    v = (v | v &<< 8) & 0x00FF_00FF
    v = (v | v &<< 4) & 0x0F0F_0F0F
    v = (v | v &<< 2) & 0x3333_3333
    return (v | v &<< 1) & 0x5555_5555
  }
}

/// The conditions on tag signatures, for eight points at a time.
struct SignatureTest {
  /// The bits that must all be set.
  var all: UInt32 = 0
  /// The bits of which one must be set; 0 stands for no such condition.
  var any: UInt32 = 0
  /// The bits of which none may be set.
  var none: UInt32 = 0

  /// Returns whether a signature, or a union of signatures, may belong to a match.
  @inline(__always)
  func admits(_ signature: UInt32) -> Bool {
    signature & all == all && (any == 0 || signature & any != 0)
  }

  /// Returns which of eight signatures exclude their point.
  @inline(__always)
  func fails(_ signatures: SIMD8<UInt32>) -> SIMDMask<SIMD8<Int32>> {
    // The tests are joined in one word a lane, which is 0 where a point passes.
    let all = SIMD8<UInt32>(repeating: all)
    let wrong = (~signatures & all) | (signatures & SIMD8<UInt32>(repeating: none))
    var fails: SIMDMask<SIMD8<Int32>> =
      SIMD8<Int32>(truncatingIfNeeded: wrong) .!= SIMD8<Int32>.zero
    if any != 0 {
      let met = signatures & SIMD8<UInt32>(repeating: any)
      let lacks: SIMDMask<SIMD8<Int32>> =
        SIMD8<Int32>(truncatingIfNeeded: met) .== SIMD8<Int32>.zero
      fails = fails .| lacks
    }
    return fails
  }
}
