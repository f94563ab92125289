import CZlib
import Synchronization

/// Gzip (RFC 1952). Level 1 packs inputs up to 32 KiB with ``FastDeflate``; all else is zlib's,
/// keeping compressors for the next call: setting one up costs more than
/// compressing a tile.
///
/// The same input and level give the same bytes: no time and no name stands in the header.
/// Safe from any thread: a compressor serves one call at a time.
public final class GzipEncoder: Sendable {
  private struct Compressor: @unchecked Sendable {
    let stream: UnsafeMutablePointer<z_stream>
  }

  private let level: Int32
  private let idle = Mutex<[Compressor]>([])

  /// For tiles: level 1.
  public static let fast = GzipEncoder(level: 1)
  /// The header of RFC 1952: deflate, no flags, no time, fastest, Unix.
  private static let fastHeader: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 4, 3]

  /// - Parameter level: 1 (fast) ... 9 (small); clamped.
  public init(level: Int) { self.level = Int32(max(1, min(9, level))) }

  deinit {
    idle.withLock { compressors in
      for compressor in compressors {
        deflateEnd(compressor.stream)
        compressor.stream.deallocate()
      }
    }
  }

  private func makeCompressor() -> Compressor {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 + 16: gzip wrapper. Less memory than the default means less to clear for each tile.
    let status = moyeo_deflate_init(stream, level, 15 + 16, 7)
    precondition(status == Z_OK, "zlib cannot start: \(status)")
    return Compressor(stream: stream)
  }

  public func compress(_ bytes: [UInt8]) -> [UInt8] {
    level == 1 && bytes.count <= FastDeflate.inputLimit ? compressFast(bytes) : compressZlib(bytes)
  }

  private func compressFast(_ bytes: [UInt8]) -> [UInt8] {
    let header = Self.fastHeader
    return bytes.withUnsafeBufferPointer { input in
      [UInt8](unsafeUninitializedCapacity: FastDeflate.bound(input.count) + 18) { output, count in
        let start = output.baseAddress!
        for i in 0..<header.count { start[i] = header[i] }
        var end = header.count + FastDeflate.compress(input, to: start + header.count)
        // The check value and the length, little endian.
        let check = UInt32(truncatingIfNeeded: crc32(0, input.baseAddress, UInt32(input.count)))
        for word in [check, UInt32(input.count)] {
          for shift in [0, 8, 16, 24] as [UInt32] {
            start[end] = UInt8(truncatingIfNeeded: word >> shift)
            end += 1
          }
        }
        count = end
      }
    }
  }

  func compressZlib(_ bytes: [UInt8]) -> [UInt8] {
    let compressor = idle.withLock { $0.popLast() } ?? makeCompressor()
    defer {
      idle.withLock { idle in
        // More than 16 at once is a burst, not a need.
        if idle.count < 16 {
          idle.append(compressor)
        } else {
          deflateEnd(compressor.stream)
          compressor.stream.deallocate()
        }
      }
    }
    let stream = compressor.stream
    deflateReset(stream)
    let bound = Int(deflateBound(stream, UInt(bytes.count)))
    return bytes.withUnsafeBufferPointer { input in
      [UInt8](unsafeUninitializedCapacity: bound) { output, count in
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(bound)
        let status = deflate(stream, Z_FINISH)
        precondition(status == Z_STREAM_END, "zlib did not finish: \(status)")
        count = bound - Int(stream.pointee.avail_out)
      }
    }
  }
}

/// Reading gzip, for tests and imports.
public enum GzipDecoder {
  /// The content, or `nil` if the bytes are no whole gzip stream or it is longer than `limit`.
  public static func decompress(_ bytes: [UInt8], limit: Int = 64 << 20) -> [UInt8]? {
    var stream = z_stream()
    guard moyeo_inflate_init(&stream, 15 + 16) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    return bytes.withUnsafeBufferPointer { input -> [UInt8]? in
      stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.avail_in = UInt32(input.count)
      while true {
        let (status, produced) = chunk.withUnsafeMutableBufferPointer { output in
          stream.next_out = output.baseAddress
          stream.avail_out = UInt32(output.count)
          let status = inflate(&stream, Z_NO_FLUSH)
          return (status, output.count - Int(stream.avail_out))
        }
        result.append(contentsOf: chunk[..<produced])
        if result.count > limit { return nil }
        if status == Z_STREAM_END { return result }
        if status != Z_OK || (produced == 0 && stream.avail_in == 0) { return nil }
      }
    }
  }
}
