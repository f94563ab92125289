package import Foundation
package import ObjectModel
import WireFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads a file line by line, a piece at a time.
struct LineReader: ~Copyable {
  private static let pieceBytes = 1 << 18
  /// No line of ours is longer; what is longer comes in parts.
  private static let longestLine = 8 << 20
  private let file: FileHandle
  private var rest = Data()
  private var isAtEnd = false

  init(path: String) throws { file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) }

  deinit { try? file.close() }

  /// The next line without its end; nil after the last.
  mutating func next() throws -> Data? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest = rest[(end + 1)...] }
        return Data(rest[..<end])
      }
      if isAtEnd || rest.count > Self.longestLine {
        defer { rest = Data() }
        return rest.isEmpty ? nil : Data(rest)
      }
      let piece = try file.read(upToCount: Self.pieceBytes) ?? Data()
      if piece.isEmpty { isAtEnd = true }
      // A new value: what was read before is let go of.
      rest = Data(rest) + piece
    }
  }
}

/// Takes a person out of a file of lines.
enum DisclosureErasure {
  /// - Returns: The lines that were changed; with none the file stays as it is.
  static func rewrite(_ path: String, _ erasure: PersonErasure) throws -> Int {
    let needles = erasure.needles.map { Data($0) }
    let prefix = Data("{\"tenant\":\"\(erasure.tenant)\",".utf8)
    /// The line without the person; nil where it is not about them.
    func rewritten(_ line: Data) -> Data? {
      guard line.starts(with: prefix), needles.contains(where: { line.range(of: $0) != nil }) else {
        return nil
      }
      let other = Data(erasure.rewritten(json: Array(line), wholeTexts: false))
      return other == line ? nil : other
    }
    var reader = try LineReader(path: path)
    var isFound = false
    while !isFound, let line = try reader.next() { isFound = rewritten(line) != nil }
    guard isFound else { return 0 }
    let partial = path + ".partial"
    unlink(partial)
    try FileProtection.create(partial)
    let out = try FileHandle(forWritingTo: URL(fileURLWithPath: partial))
    defer { try? out.close() }
    var changed = 0
    var piece = Data()
    var again = try LineReader(path: path)
    while let line = try again.next() {
      let other = rewritten(line)
      if other != nil { changed += 1 }
      piece += other ?? line
      piece.append(UInt8(ascii: "\n"))
      guard piece.count > 1 << 18 else { continue }
      try out.write(contentsOf: piece)
      piece = Data()
    }
    try out.write(contentsOf: piece)
    try out.synchronize()
    guard rename(partial, path) == 0 else { throw SystemFailure() }
    try FileProtection.sync(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    return changed
  }
}

/// Reads the entries of a data directory.
package struct DisclosureReader: Sendable {
  private let folder: String

  package init(directory: String) { folder = directory + "/" + DisclosureFiles.folderName }

  /// Whether there are files.
  package var isEmpty: Bool { DisclosureFiles.days(in: folder).isEmpty }

  /// Gives the entries that `matches`, oldest first.
  ///
  /// - Parameters:
  ///   - from: Files of days before this moment's are passed over, and entries before it.
  ///   - until: Entries from then on are passed over.
  ///   - body: Gets an entry and its line.
  /// - Returns: The lines that cannot be read.
  /// - Throws: What reading a file throws, and what `body` does.
  package func each(
    from: Instant?, until: Instant?,
    _ body: (DisclosureFiles.Entry, _ line: Data) throws -> Void
  ) throws -> Int {
    var damaged = 0
    for day in DisclosureFiles.days(in: folder) {
      if let from, day < DisclosureFiles.day(from) { continue }
      if let until, day > DisclosureFiles.day(until) { continue }
      var reader = try LineReader(path: folder + "/" + day + DisclosureFiles.suffix)
      while let line = try reader.next() {
        guard let entry = Self.entry(line) else {
          damaged += 1
          continue
        }
        if let from, entry.at < from { continue }
        if let until, entry.at >= until { continue }
        try body(entry, line)
      }
    }
    return damaged
  }

  static func entry(_ line: Data) -> DisclosureFiles.Entry? {
    guard let object = (try? JSONSerialization.jsonObject(with: line)) as? [String: Any],
      let tenant = object["tenant"] as? String, let time = object["at"] as? String,
      let at = RFC3339.parse(time), let role = object["role"] as? String,
      let call = object["call"] as? String, let layer = object["layer"] as? String,
      let ids = object["of"] as? [String]
    else { return nil }
    return DisclosureFiles.Entry(
      tenant: tenant, at: at, role: role, viewer: object["to"] as? String, call: call,
      layer: layer, ids: ids)
  }
}
