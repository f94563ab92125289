import Foundation
package import ObjectModel
import Threading

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is kept of people who were erased: for each a hash of the id under a key of its own line, in
/// `erasures.list` of the data directory, never the id.
///
/// A record that is restored from an earlier backup has them again. The record knows by number which
/// erasures it has seen, so that those it has not are carried out at the next start. The file is
/// therefore kept apart from the record, and only ever added to.
package final class ErasureList: Sendable {
  package static let fileName = "erasures.list"

  /// One line.
  package struct Entry: Hashable, Sendable {
    /// Of the erasure, drawn at random.
    package let id: String
    package let tenant: String
    package let at: Instant
    let key: (UInt64, UInt64)
    let hash: String

    package static func == (a: Entry, b: Entry) -> Bool { a.id == b.id }
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  /// Recognises the people whom some lines of one tenant are about.
  package struct Matcher {
    private let tenant: String
    /// Few keys: one a file, more where files were put together.
    private var byKey: [(key: (UInt64, UInt64), hashes: Set<String>)] = []

    package init(_ entries: [Entry]) {
      tenant = entries.first?.tenant ?? ""
      for entry in entries where entry.tenant == tenant {
        if let known = byKey.firstIndex(where: { $0.key == entry.key }) {
          byKey[known].hashes.insert(entry.hash)
        } else {
          byKey.append((entry.key, [entry.hash]))
        }
      }
    }

    package func matches(_ userID: String) -> Bool {
      byKey.contains { $0.hashes.contains(ErasureList.hash(tenant, userID, $0.key)) }
    }
  }

  package let path: String
  private let writing = StateLock(())

  package init(directory: String) { path = directory + "/" + Self.fileName }

  /// - Returns: What stands in the file; a line that a crash cut short is passed over.
  /// - Throws: ``StoreFailure`` when there is a file and it cannot be read.
  package func entries() throws(StoreFailure) -> [Entry] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw StoreFailure("\(path) cannot be read")
    }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap(Self.entry)
  }

  /// Notes that a person is being erased, durably, before anything is.
  ///
  /// - Throws: ``StoreFailure``; then nothing may be erased.
  package func add(tenant: String, userID: String, at now: Instant) throws(StoreFailure) -> Entry {
    try writing.withLock { _ -> Result<Entry, StoreFailure> in
      Result { () throws(StoreFailure) in
        let known = try entries()
        var random = SystemRandomNumberGenerator()
        // One key a file, so that a start hashes each person once.
        let key = known.last?.key ?? (random.next(), random.next())
        let entry = Entry(
          id: FixedDigits.hex(random.next()) + FixedDigits.hex(random.next()), tenant: tenant,
          at: now, key: key, hash: Self.hash(tenant, userID, key))
        try append(
          "1 \(FixedDigits.hex(key.0))\(FixedDigits.hex(key.1)) \(tenant) \(entry.hash) "
            + "\(entry.id) \(now.milliseconds)\n")
        return entry
      }
    }.get()
  }

  private func append(_ line: String) throws(StoreFailure) {
    let descriptor = open(
      path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, FileProtection.fileMode)
    guard descriptor >= 0 else { throw cannotWrite() }
    defer { close(descriptor) }
    var text = Array(line.utf8)
    let length = lseek(descriptor, 0, SEEK_END)
    var last: UInt8 = 0
    if length > 0, pread(descriptor, &last, 1, length - 1) == 1, last != UInt8(ascii: "\n") {
      text.insert(UInt8(ascii: "\n"), at: 0)
    }
    let count = text.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count == text.count, fsync(descriptor) == 0 else { throw cannotWrite() }
    do { try FileProtection.sync((path as NSString).deletingLastPathComponent) } catch {
      throw StoreFailure("\(error)")
    }
  }

  private func cannotWrite() -> StoreFailure {
    StoreFailure("\(path) cannot be written: \(String(cString: strerror(errno)))")
  }

  private static func entry(_ line: Substring) -> Entry? {
    let words = line.split(separator: " ")
    guard words.count == 6, words[0] == "1", words[1].count == 32, words[3].count == 32,
      words[4].count == 32, let first = UInt64(words[1].prefix(16), radix: 16),
      let second = UInt64(words[1].suffix(16), radix: 16), let at = Int64(words[5])
    else { return nil }
    return Entry(
      id: String(words[4]), tenant: String(words[2]), at: Instant(milliseconds: at),
      key: (first, second), hash: String(words[3]))
  }

  /// 128 bits: two keyed hashes under keys that differ.
  private static func hash(_ tenant: String, _ userID: String, _ key: (UInt64, UInt64)) -> String {
    let bytes = Array(tenant.utf8) + [0] + Array(userID.utf8)
    return FixedDigits.hex(SipHash.hash(bytes, key: key))
      + FixedDigits.hex(SipHash.hash(bytes, key: (~key.1, ~key.0)))
  }
}
