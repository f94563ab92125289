import CMemoryHints

/// Prefetches cache lines, so that they are in the cache when they are used.
///
/// Many independent prefetches overlap their misses (~10 ns each), while the work that follows
/// would meet them one after another (~150 ns each). A prefetch retires at once, so that the
/// processor goes on, whereas a plain read that misses holds up everything after it.
enum MemoryHints {
  /// The bytes of a cache line.
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

  /// Prefetches a line that is needed a little later. It comes no closer than the second cache, but
  /// nearly twice as many lines come in the same time.
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
