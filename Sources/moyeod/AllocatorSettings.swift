#if canImport(Glibc)
  import Glibc
#endif

/// What glibc's allocator is told, where it is the allocator.
enum AllocatorSettings {
  /// Answers of some hundred kilobytes come and go all the time: their memory is kept, instead of
  /// being handed back to the system and zeroed again page by page for the next.
  static func apply() {
    #if canImport(Glibc)
      // Looked up by name: Swift's module of the library leaves malloc.h out, and others than
      // glibc do not have it.
      guard let symbol = dlsym(nil, "mallopt") else { return }
      typealias SetOption = @convention(c) (_ option: CInt, _ value: CInt) -> CInt
      let setOption = unsafeBitCast(symbol, to: SetOption.self)
      for (option, value) in [trimThreshold, mapThreshold] { _ = setOption(option, value) }
    #endif
  }

  /// M_TRIM_THRESHOLD: free memory at the end of a heap that is given back, in bytes.
  private static let trimThreshold = (CInt(-1), CInt(16 << 20))
  /// M_MMAP_THRESHOLD: what gets a mapping of its own, in bytes.
  private static let mapThreshold = (CInt(-3), CInt(8 << 20))
}
