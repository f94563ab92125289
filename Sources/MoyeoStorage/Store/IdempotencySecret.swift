import Foundation
import ObjectModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The secret under which idempotency keys are hashed, in `idempotency.secret` beside the record.
///
/// The replies in the record are found by it alone. With another secret a command that is repeated
/// with its key has a second effect, so the file is never replaced while the record holds replies,
/// and the record keeps a fingerprint that tells whether the secret is still the same.
package struct IdempotencySecret: Hashable, Sendable {
  package static let fileName = "idempotency.secret"

  package let high: UInt64
  package let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads the secret of a record, or makes one where none is needed yet.
  ///
  /// - Parameters:
  ///   - directory: Holds the file of the secret.
  ///   - store: The record, which knows the secret's fingerprint and whether it holds replies.
  ///   - forgetsKeys: Sets a secret that does not serve the record aside under another name, drops
  ///     the record's replies and begins with a new secret.
  /// - Returns: The secret that serves the record.
  ///   Of a record that is damaged the secret is taken as it stands, and the record is not written
  ///   in this process.
  /// - Throws: ``StorageError/secretUnusable(path:problem:remedy:)``; then nothing was changed.
  ///   Other cases of ``StorageError`` when the record or the file cannot be read or written.
  package static func load(
    directory: String, store: SQLiteStore, forgetsKeys: Bool = false
  ) throws(StorageError) -> IdempotencySecret {
    let path = directory + "/" + fileName
    let state: (fingerprint: UInt64?, hasReplies: Bool)
    do {
      state = try store.secretState()
    } catch {
      guard store.readOnlyReason != nil, case .secret(let secret) = contents(of: path) else {
        throw .cannotOpen(path: store.path, reason: error.reason)
      }
      store.stayReadOnly(
        because: "the file is damaged, and whether \(fileName) serves it cannot be told: "
          + error.reason)
      return secret
    }
    let found = contents(of: path)
    if let problem = problem(found, state.fingerprint, state.hasReplies) {
      guard forgetsKeys else {
        throw .secretUnusable(path: path, problem: problem.text, remedy: problem.remedy)
      }
      try setAside(path)
      return try make(path, for: store, forgettingReplies: true)
    }
    guard case .secret(let secret) = found else {
      return try make(path, for: store, forgettingReplies: false)
    }
    if state.fingerprint != secret.fingerprint, store.readOnlyReason == nil {
      try note(secret, in: store)
    }
    return secret
  }

  /// SipHash-2-4 of a fixed text under the secret: it tells secrets apart and reveals neither half.
  package var fingerprint: UInt64 {
    SipHash.hash(Array("moyeo idempotency secret".utf8), key: (high, low))
  }

  // MARK: Looking at the file

  enum Content: Hashable {
    case missing
    case secret(IdempotencySecret)
    /// Why it cannot be read.
    case unreadable(String)
    case malformed
  }

  static func contents(of path: String) -> Content {
    // A pipe in its place must not hold up the start.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      return errno == ENOENT ? .missing : .unreadable(String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return .unreadable("it is not a regular file")
    }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { return .unreadable(String(cString: strerror(errno))) }
    var digits = bytes.prefix(count)
    while let last = digits.last, [0x0A, 0x0D, 0x20].contains(last) { digits.removeLast() }
    let text = String(decoding: digits, as: UTF8.self)
    guard digits.count == 32, digits.allSatisfy({ isHexDigit($0) }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return .malformed }
    return .secret(IdempotencySecret(high: high, low: low))
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  /// Why a secret does not serve a record, and what to do; nil when it does.
  static func problem(
    _ found: Content, _ fingerprint: UInt64?, _ hasReplies: Bool
  ) -> (text: String, remedy: String)? {
    let harm =
      "start moyeod once with --forget-idempotency-keys, after which a command that is repeated "
      + "with an earlier key takes effect a second time"
    let restore = "put the original back (a backup has it as FILE.secret), or " + harm
    switch found {
    case .missing:
      return hasReplies ? ("is missing, but the record remembers commands by it", restore) : nil
    case .unreadable(let reason):
      return (
        "cannot be read (\(reason))",
        "make it readable for the user who runs moyeod; if it is lost, " + restore
      )
    case .malformed:
      return (
        "is damaged: it must hold 32 hexadecimal digits",
        hasReplies ? restore : "remove it: the record holds no replies that need it"
      )
    case .secret(let secret):
      guard let fingerprint, fingerprint != secret.fingerprint, hasReplies else { return nil }
      return ("is not the secret by which the record remembers commands", restore)
    }
  }

  // MARK: Making one

  private static func make(
    _ path: String, for store: SQLiteStore, forgettingReplies: Bool
  ) throws(StorageError) -> IdempotencySecret {
    var random = SystemRandomNumberGenerator()
    let secret = IdempotencySecret(high: random.next(), low: random.next())
    // Replies go first: a crash in between leaves a record that takes any secret.
    if forgettingReplies {
      do { try store.forgetReplies() } catch {
        throw .cannotOpen(path: store.path, reason: error.reason)
      }
    }
    try secret.save(to: path)
    try note(secret, in: store)
    return secret
  }

  private static func note(
    _ secret: IdempotencySecret, in store: SQLiteStore
  ) throws(StorageError) {
    do { try store.noteSecret(fingerprint: secret.fingerprint) } catch {
      throw .cannotOpen(path: store.path, reason: error.reason)
    }
  }

  /// Whole and synced before it gets its name, and never over another one.
  private func save(to path: String) throws(StorageError) {
    let partial = path + ".partial"
    unlink(partial)
    let descriptor = open(
      partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FileProtection.fileMode)
    guard descriptor >= 0 else { throw Self.cannotWrite(path) }
    let text = Array("\(Self.digits(high))\(Self.digits(low))\n".utf8)
    let count = text.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    let isSynced = count == text.count && fsync(descriptor) == 0
    let failure = Self.cannotWrite(path)
    close(descriptor)
    guard isSynced, link(partial, path) == 0 else {
      let reason = isSynced ? Self.cannotWrite(path) : failure
      unlink(partial)
      throw reason
    }
    unlink(partial)
    try FileProtection.sync((path as NSString).deletingLastPathComponent)
  }

  private static func cannotWrite(_ path: String) -> StorageError {
    .cannotOpen(path: path, reason: "it cannot be written: \(String(cString: strerror(errno)))")
  }

  private static func digits(_ value: UInt64) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  private static func setAside(_ path: String) throws(StorageError) {
    guard FileManager.default.fileExists(atPath: path) || isLink(path) else { return }
    let aside = FileAside.freeName(for: path)
    guard rename(path, aside) == 0 else { throw cannotWrite(aside) }
  }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}

/// SipHash-2-4 (J.-P. Aumasson, D. J. Bernstein, 2012). Written here because no other dependency
/// brings a keyed hash that hides its key, and this is all that is needed of one.
enum SipHash {
  static func hash(_ bytes: [UInt8], key: (UInt64, UInt64)) -> UInt64 {
    var v0 = key.0 ^ 0x736f_6d65_7073_6575
    var v1 = key.1 ^ 0x646f_7261_6e64_6f6d
    var v2 = key.0 ^ 0x6c79_6765_6e65_7261
    var v3 = key.1 ^ 0x7465_6462_7974_6573
    func rounds(_ count: Int) {
      for _ in 0..<count {
        v0 &+= v1
        v1 = rotated(v1, 13) ^ v0
        v0 = rotated(v0, 32)
        v2 &+= v3
        v3 = rotated(v3, 16) ^ v2
        v0 &+= v3
        v3 = rotated(v3, 21) ^ v0
        v2 &+= v1
        v1 = rotated(v1, 17) ^ v2
        v2 = rotated(v2, 32)
      }
    }
    func take(_ word: UInt64) {
      v3 ^= word
      rounds(2)
      v0 ^= word
    }
    var word: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      word |= UInt64(byte) << UInt64(index % 8 * 8)
      if index % 8 == 7 {
        take(word)
        word = 0
      }
    }
    take(word | UInt64(bytes.count & 0xff) << 56)
    v2 ^= 0xff
    rounds(4)
    return v0 ^ v1 ^ v2 ^ v3
  }

  private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value << bits | value >> (64 - bits)
  }
}
