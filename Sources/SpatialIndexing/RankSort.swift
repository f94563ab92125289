/// Sorts few keys without a branch that depends on them: each key's place is the number of smaller
/// keys, counted for eight keys at a time.
public enum RankSort {
  /// The greatest number of keys.
  @inlinable package static var limit: Int { 64 }
  /// The number of elements by which the memory for keys must exceed their number.
  @inlinable package static var padding: Int { 8 }

  /// Writes `values` to `sorted` in the order of `keys`.
  ///
  /// - Parameters:
  ///   - keys: `count` keys, at most ``limit``, with memory for ``padding`` more, which is
  ///     overwritten.
  ///   - values: `count` values, with ``padding`` more that may be read.
  ///   - count: The number of keys.
  ///   - sorted: Memory for `count` values and one more.
  /// - Returns: Whether two keys are equal. Their values then stand side by side in the order that
  ///   they came in.
  @inlinable @inline(__always)
  package static func sort<Value: BitwiseCopyable>(
    _ keys: UnsafeMutablePointer<Int32>, _ values: UnsafePointer<Value>, count: Int,
    into sorted: UnsafeMutablePointer<Value>
  ) -> Bool {
    guard count > 0 else { return false }
    for i in count..<count + padding { unsafe keys[i] = .max }
    var places: UInt64 = 0
    var i = 0
    while i < count {
      let eight = unsafe UnsafeRawPointer(keys + i).loadUnaligned(as: SIMD8<Int32>.self)
      var smaller = SIMD8<Int32>.zero
      for j in 0..<count {
        let isSmaller: SIMDMask<SIMD8<Int32>> = unsafe SIMD8<Int32>(repeating: keys[j]) .< eight
        // A lane that is true is -1.
        smaller &-= unsafe unsafeBitCast(isSmaller, to: SIMD8<Int32>.self)
      }
      // It is always eight: what is behind the keys goes behind the values.
      for lane in 0..<8 {
        let place = Int(truncatingIfNeeded: smaller[lane])
        unsafe sorted[place] = unsafe values[i &+ lane]
        places |= 1 &<< UInt64(truncatingIfNeeded: place)
      }
      i &+= 8
    }
    // Equal keys share a place, which leaves another one empty.
    let all = UInt64.max &>> UInt64(truncatingIfNeeded: limit - count)
    guard places & all != all else { return false }
    for i in 0..<count {
      var place = 0
      for j in 0..<count {
        place += unsafe keys[j] < keys[i] || (keys[j] == keys[i] && j < i) ? 1 : 0
      }
      unsafe sorted[place] = unsafe values[i]
    }
    return true
  }
}
