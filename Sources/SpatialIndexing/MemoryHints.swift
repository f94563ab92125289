import CMemoryHints

/// Asks for cache lines ahead of their use.
///
/// Many independent requests overlap their misses (~10 ns each), while the work that follows would
/// meet them one after another (~150 ns each). A hint retires at once, so that the processor runs
/// on past it; a plain read that misses holds up all that comes after.
enum MemoryHints {
  /// Bytes of a cache line.
  static let line = 64

  @inline(__always)
  static func read<T>(_ address: UnsafePointer<T>) {
    unsafe memory_hint_read(address)
  }

  @inline(__always)
  static func read<T>(_ address: UnsafeMutablePointer<T>) {
    unsafe memory_hint_read(address)
  }

  @inline(__always)
  static func read(_ address: UnsafeRawPointer) {
    unsafe memory_hint_read(address)
  }

  @inline(__always)
  static func read(_ address: UnsafeMutableRawPointer) {
    unsafe memory_hint_read(address)
  }

  /// As `read`, for lines that are needed a little later: they come no closer than the second
  /// cache, but nearly twice as many in the same time.
  @inline(__always)
  static func readLater(_ address: UnsafeRawPointer) {
    unsafe memory_hint_read_later(address)
  }

  @inline(__always)
  static func readLater<T>(_ address: UnsafeMutablePointer<T>) {
    unsafe memory_hint_read_later(address)
  }

  @inline(__always)
  static func readLater(_ address: UnsafeMutableRawPointer) {
    unsafe memory_hint_read_later(address)
  }
}
