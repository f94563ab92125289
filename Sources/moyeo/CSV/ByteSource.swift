import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The bytes of a file or of standard input, read piece by piece.
struct ByteSource {
  /// Name for messages and default ids: the last part of the path, or `stdin`.
  let name: String
  /// `nil` for pipes.
  let totalBytes: Int?
  /// Bytes handed out.
  private(set) var bytesRead = 0
  private let readChunk: () throws -> [UInt8]

  /// Opens a file or standard input; nothing is read yet.
  ///
  /// - Parameters:
  ///   - path: A file's path, or `-` for standard input.
  ///   - chunkBytes: The longest piece that is read at once.
  /// - Throws: ``ByteSourceError``.
  init(path: String, chunkBytes: Int = 256 << 10) throws {
    if path == "-" {
      name = "stdin"
      totalBytes = nil
      let handle = FileHandle.standardInput
      readChunk = { try Self.arrived(handle, atMost: chunkBytes) }
      return
    }
    let url = URL(fileURLWithPath: path)
    name = url.lastPathComponent
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw ByteSourceError.missing(path)
    }
    guard !isDirectory.boolValue else { throw ByteSourceError.directory(path) }
    guard let handle = try? FileHandle(forReadingFrom: url) else {
      throw ByteSourceError.unreadable(path)
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let isRegular = attributes?[.type] as? FileAttributeType == .typeRegular
    totalBytes = isRegular ? (attributes?[.size] as? NSNumber)?.intValue : nil
    readChunk = { try Self.arrived(handle, atMost: chunkBytes) }
  }

  /// What has arrived: a row that somebody types does not wait for the next 256 KiB, as it would in
  /// Foundation's `read(upToCount:)`.
  private static func arrived(_ handle: FileHandle, atMost count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      var length: Int
      repeat {
        length = read(handle.fileDescriptor, buffer.baseAddress, count)
      } while length < 0 && errno == EINTR
      guard length >= 0 else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
      initializedCount = length
    }
  }

  /// Bytes at hand, in pieces, as if read from a file.
  init(name: String, bytes: [UInt8], chunkBytes: Int = 256 << 10) {
    self.name = name
    totalBytes = bytes.count
    var position = 0
    readChunk = {
      let end = min(bytes.count, position + chunkBytes)
      defer { position = end }
      return Array(bytes[position..<end])
    }
  }

  /// The next piece; empty at the end.
  mutating func next() throws -> [UInt8] {
    let isFirst = bytesRead == 0
    var chunk = try readChunk()
    if isFirst {
      // A pipe may hand out less than a byte order mark.
      while !chunk.isEmpty, chunk.count < 3 {
        let more = try readChunk()
        if more.isEmpty { break }
        chunk.append(contentsOf: more)
      }
    }
    bytesRead += chunk.count
    if isFirst {
      if chunk.starts(with: [0xFF, 0xFE]) || chunk.starts(with: [0xFE, 0xFF]) {
        throw ByteSourceError.utf16(name)
      }
      if chunk.starts(with: [0x1F, 0x8B]) { throw ByteSourceError.packed(name, by: "gunzip -c") }
      if chunk.starts(with: [0x50, 0x4B, 3, 4]) {
        throw ByteSourceError.packed(name, by: "unzip -p")
      }
      if chunk.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
        throw ByteSourceError.packed(name, by: "zstd -dc")
      }
      // The byte order mark of UTF-8 says nothing.
      if chunk.starts(with: [0xEF, 0xBB, 0xBF]) { chunk.removeFirst(3) }
    }
    return chunk
  }

  /// Everything that is left. - Throws: ``ByteSourceError/tooLarge(_:limit:)``.
  mutating func readAll(limit: Int) throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let before = bytesRead
      all.append(contentsOf: try next())
      guard bytesRead != before else { return all }
      guard all.count <= limit else { throw ByteSourceError.tooLarge(name, limit: limit) }
    }
  }
}

/// Why a file cannot be read.
enum ByteSourceError: Error, Hashable, CustomStringConvertible {
  case missing(String)
  case directory(String)
  case unreadable(String)
  case utf16(String)
  /// Compressed, and the program that unpacks it to its standard output.
  case packed(String, by: String)
  case tooLarge(String, limit: Int)

  var description: String {
    switch self {
    case .missing(let path): "there is no file \(path)"
    case .directory(let path): "\(path) is a directory"
    case .unreadable(let path): "\(path) cannot be read"
    case .utf16(let name): "\(name) is UTF-16 text; convert it to UTF-8 first"
    case .packed(let name, let program):
      "\(name) is compressed; unpack it, e.g. \(program) \(name) | moyeo import - --format csv …"
    case .tooLarge(let name, let limit): "\(name) is larger than \(limit) bytes"
    }
  }
}
