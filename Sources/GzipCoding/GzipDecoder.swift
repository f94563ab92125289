import CDeflate

/// Why bytes could not be unpacked.
public enum GzipError: Error, Hashable, Sendable {
  /// They are no whole gzip stream, or hold more than they state.
  case malformed
  /// They state more bytes than the caller takes.
  case tooLarge
}

/// Reads gzip (RFC 1952).
public enum GzipDecoder {
  /// The shortest gzip stream: a header of 10 bytes and a trailer of 8.
  private static let minimumBytes = 18

  /// Returns the content, or `nil` if the bytes are no whole gzip stream or hold more than `limit`
  /// bytes.
  public static func decompress(_ bytes: [UInt8], limit: Int = 64 << 20) -> [UInt8]? {
    try? bytes.withUnsafeBytes { input in
      Result { () throws(GzipError) in try decompress(input, limit: limit) }
    }.get()
  }

  /// Returns the content of one gzip stream.
  ///
  /// The last four bytes state the length modulo 2^32. They are the sender's claim: no more than
  /// that is allocated, and a content that is longer is refused.
  ///
  /// - Parameters:
  ///   - input: The whole stream, with nothing behind it.
  ///   - limit: The most bytes of content.
  /// - Returns: The content.
  /// - Throws: ``GzipError``.
  public static func decompress(
    _ input: UnsafeRawBufferPointer, limit: Int
  ) throws(GzipError) -> [UInt8] {
    guard input.count >= minimumBytes else { throw .malformed }
    let stated = Int(
      UInt32(
        littleEndian: input.loadUnaligned(fromByteOffset: input.count - 4, as: UInt32.self)))
    guard stated <= limit else { throw .tooLarge }
    guard let decompressor = libdeflate_alloc_decompressor() else { throw .malformed }
    defer { libdeflate_free_decompressor(decompressor) }
    var isWhole = false
    let content = [UInt8](unsafeUninitializedCapacity: max(1, stated)) { output, count in
      var used = 0
      let result = libdeflate_gzip_decompress_ex(
        decompressor, input.baseAddress, input.count, output.baseAddress, stated, &used, &count)
      // Bytes behind the stream are refused too.
      isWhole = result == LIBDEFLATE_SUCCESS && used == input.count
      if !isWhole { count = 0 }
    }
    guard isWhole else { throw .malformed }
    return content
  }
}
