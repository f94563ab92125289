import CDeflate
import Threading

/// Writes gzip (RFC 1952) with libdeflate (E. Biggers), for tiles and for answers of any kind.
///
/// Compressors are kept for the next call, because setting one up costs more than packing a tile.
/// The same input and level give the same bytes: no time and no name stands in the header.
///
/// Thread safety: any thread may call; a compressor serves one call at a time.
public final class GzipEncoder: Sendable {
  /// `@unchecked Sendable`: whoever took it out of `idle` is the only one that has it.
  private struct Compressor: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  private let level: Int32
  private let idle = StateLock<[Compressor]>([])
  /// More at once than these are a burst, not a need.
  private static let idleLimit = 16

  /// Packs tiles: at level 1, where libdeflate takes 8-10 us a tile.
  public static let fast = GzipEncoder(level: 1)
  /// One encoder for each level, see ``gzip(_:level:)``.
  private static let encoders = (1...12).map { GzipEncoder(level: $0) }

  /// - Parameter level: 1 (fast) ... 12 (small); others are clamped.
  public init(level: Int) { self.level = Int32(Self.clamped(level)) }

  deinit {
    idle.withLock { compressors in
      for compressor in compressors { libdeflate_free_compressor(compressor.pointer) }
    }
  }

  private static func clamped(_ level: Int) -> Int { max(1, min(12, level)) }

  /// Returns some bytes as gzip.
  ///
  /// - `bytes`: The content.
  /// - `level`: 1 (fast) ... 12 (small); others are clamped.
  public static func gzip(_ bytes: [UInt8], level: Int = 1) -> [UInt8] {
    encoders[clamped(level) - 1].compress(bytes)
  }

  /// Returns some bytes as gzip.
  public func compress(_ bytes: [UInt8]) -> [UInt8] {
    let compressor = idle.withLock { $0.popLast() } ?? makeCompressor()
    defer { keep(compressor) }
    let bound = libdeflate_gzip_compress_bound(compressor.pointer, bytes.count)
    return bytes.withUnsafeBytes { input in
      [UInt8](unsafeUninitializedCapacity: bound) { output, count in
        count = libdeflate_gzip_compress(
          compressor.pointer, input.baseAddress, input.count, output.baseAddress, bound)
        precondition(count > 0 && count <= bound, "libdeflate passed its own bound of \(bound)")
      }
    }
  }

  private func makeCompressor() -> Compressor {
    guard let pointer = libdeflate_alloc_compressor(level) else {
      preconditionFailure("libdeflate has no memory for a compressor of level \(level)")
    }
    return Compressor(pointer: pointer)
  }

  private func keep(_ compressor: Compressor) {
    let isKept = idle.withLock { idle in
      guard idle.count < Self.idleLimit else { return false }
      idle.append(compressor)
      return true
    }
    if !isKept { libdeflate_free_compressor(compressor.pointer) }
  }
}

/// Reads gzip (RFC 1952), for tests and imports.
public enum GzipDecoder {
  /// Returns the content, or `nil` if the bytes are no whole gzip stream or hold more than `limit`
  /// bytes.
  public static func decompress(_ bytes: [UInt8], limit: Int = 64 << 20) -> [UInt8]? {
    // The last four bytes say the length modulo 2^32, as the sender has it: a hint, not a promise.
    guard bytes.count >= 18 else { return nil }
    let stated = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    guard stated <= limit, let decompressor = libdeflate_alloc_decompressor() else { return nil }
    defer { libdeflate_free_decompressor(decompressor) }
    var isWhole = false
    let content = bytes.withUnsafeBytes { input in
      [UInt8](unsafeUninitializedCapacity: max(1, stated)) { output, count in
        // A longer content than stated is `INSUFFICIENT_SPACE`; bytes behind the stream are refused.
        var used = 0
        let result = libdeflate_gzip_decompress_ex(
          decompressor, input.baseAddress, input.count, output.baseAddress, stated, &used, &count)
        isWhole = result == LIBDEFLATE_SUCCESS && used == input.count
        if !isWhole { count = 0 }
      }
    }
    return isWhole ? content : nil
  }
}
