import CZlib
import Synchronization

/// Gzip (RFC 1952) by zlib, keeping compressors for the next call: setting one up costs more than
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
