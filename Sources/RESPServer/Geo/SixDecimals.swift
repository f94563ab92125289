#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Numbers in messages, as C's `%f` prints them.
enum SixDecimals {
  /// Returns a number with six decimals; messages are rare, so that this may allocate.
  static func text(_ value: Double) -> String {
    // The longest double has 309 digits before the point.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      let count = withVaList([value]) { vsnprintf(start, buffer.count, "%f", $0) }
      return String(
        decoding: UnsafeRawBufferPointer(start: start, count: Int(max(0, count))), as: UTF8.self)
    }
  }
}
