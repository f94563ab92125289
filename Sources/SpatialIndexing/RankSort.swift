/// Orders few keys without a branch that depends on them: each key's place is the number of
/// smaller keys, counted eight at a time.
enum RankSort {
  /// Room for keys must be this much greater than their number.
  static let padding = 8

  /// Writes `values` to `sorted` in the order of `keys`. Answers whether two keys are equal: their
  /// values then stand side by side in the order they came in.
  ///
  /// - Parameter keys: `count` keys with room for ``padding`` more, which is overwritten.
  @inline(__always)
  static func sort<Value: BitwiseCopyable>(
    _ keys: UnsafeMutablePointer<Int32>, _ values: UnsafePointer<Value>, count: Int,
    into sorted: UnsafeMutablePointer<Value>
  ) -> Bool {
    for i in count..<count + padding { unsafe keys[i] = .max }
    let raw = UnsafeRawPointer(keys)
    var hasTies = false
    for i in 0..<count {
      let key = unsafe SIMD8<Int32>(repeating: keys[i])
      var smaller = SIMD8<Int32>.zero
      var equal = SIMD8<Int32>.zero
      var j = 0
      while j < count {
        let eight = unsafe raw.loadUnaligned(fromByteOffset: j * 4, as: SIMD8<Int32>.self)
        let isSmaller: SIMDMask<SIMD8<Int32>> = eight .< key
        let isEqual: SIMDMask<SIMD8<Int32>> = eight .== key
        // A true lane is -1.
        smaller &-= unsafe unsafeBitCast(isSmaller, to: SIMD8<Int32>.self)
        equal &-= unsafe unsafeBitCast(isEqual, to: SIMD8<Int32>.self)
        j += 8
      }
      var place = Int(smaller.wrappedSum())
      if equal.wrappedSum() > 1 {
        hasTies = true
        for j in 0..<i where unsafe keys[j] == keys[i] { place += 1 }
      }
      unsafe sorted[place] = values[i]
    }
    return hasTies
  }
}
