extension Array {
  /// Makes an array by filling memory that is not initialised beforehand.
  ///
  /// A capacity of 0 gives the empty array without calling `body`: the standard library's
  /// initialiser would write the count of the empty array that all threads share, which is a race
  /// though the count is the same.
  ///
  /// - Parameters:
  ///   - capacity: The number of elements that `body` may initialise.
  ///   - body: Initialises elements from the first on and sets their count.
  @inline(__always)
  init(
    filledCapacity capacity: Int,
    _ body: (_ buffer: inout UnsafeMutableBufferPointer<Element>, _ count: inout Int) -> Void
  ) {
    guard capacity > 0 else {
      self = []
      return
    }
    self = unsafe Array(unsafeUninitializedCapacity: capacity) { buffer, count in
      unsafe body(&buffer, &count)
    }
  }
}
