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

  /// Hands all free memory back to the system, also that which lies between what is in use.
  ///
  /// What a crowd of connections held is free when they have gone, and yet stays with the process:
  /// each of the allocator's heaps ends with something that lives.
  static func giveBack() {
    #if canImport(Glibc)
      guard let symbol = dlsym(nil, "malloc_trim") else { return }
      typealias Trim = @convention(c) (_ padding: Int) -> CInt
      _ = unsafeBitCast(symbol, to: Trim.self)(0)
    #endif
  }

  /// M_TRIM_THRESHOLD: free memory at the end of a heap, of which each of some threads has one, that
  /// is given back, in bytes. With 16 MiB a thousand streams took 7 MiB more.
  private static let trimThreshold = (CInt(-1), CInt(2 << 20))
  /// M_MMAP_THRESHOLD: what gets a mapping of its own, in bytes.
  private static let mapThreshold = (CInt(-3), CInt(8 << 20))
}
