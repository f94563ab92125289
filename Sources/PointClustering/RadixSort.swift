/// Sorts numbers that carry a 32-bit companion, the least significant digit first, 11 bits a pass.
enum RadixSort {
  struct Pair: BitwiseCopyable {
    var key: UInt64
    var value: UInt32
  }

  /// Sorts stably by the low `bits` bits of the keys.
  ///
  /// - Complexity: O(n) time and space.
  static func sort(_ pairs: inout [Pair], bits: Int) {
    guard pairs.count > 1 else { return }
    var spare = [Pair](repeating: Pair(key: 0, value: 0), count: pairs.count)
    var shift: UInt64 = 0
    while shift < UInt64(bits) {
      var starts = [Int](repeating: 0, count: 2_048)
      for pair in pairs { starts[Int(pair.key >> shift & 2_047)] += 1 }
      if !starts.contains(pairs.count) {
        var sum = 0
        for digit in 0..<2_048 {
          let count = starts[digit]
          starts[digit] = sum
          sum += count
        }
        for pair in pairs {
          let digit = Int(pair.key >> shift & 2_047)
          spare[starts[digit]] = pair
          starts[digit] += 1
        }
        swap(&pairs, &spare)
      }
      shift += 11
    }
  }
}
