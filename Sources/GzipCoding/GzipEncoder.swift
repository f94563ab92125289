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
  public func compress(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { compress($0) } }

  /// Returns some bytes as gzip.
  public func compress(_ input: UnsafeRawBufferPointer) -> [UInt8] {
    let compressor = idle.withLock { $0.popLast() } ?? makeCompressor()
    defer { keep(compressor) }
    let bound = libdeflate_gzip_compress_bound(compressor.pointer, input.count)
    return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
      count = libdeflate_gzip_compress(
        compressor.pointer, input.baseAddress, input.count, output.baseAddress, bound)
      precondition(count > 0 && count <= bound, "libdeflate passed its own bound of \(bound)")
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
