import ObjectModel

/// Where a page ended: a fingerprint of its query and the last hit's place in the order.
///
/// The text is base 64 url of `fingerprint (8) | key (8) | id`. It names no slot, so objects may
/// come, go and move between pages: those that stay are neither repeated nor skipped.
public struct PagingCursor: Hashable, Sendable {
  public let fingerprint: UInt64
  /// Whole millimetres for Nearby, the Morton code for Within.
  public let key: UInt64
  public let id: String

  public init(fingerprint: UInt64, key: UInt64, id: String) {
    self.fingerprint = fingerprint
    self.key = key
    self.id = id
  }

  /// - Throws: ``EngineError/badCursor`` for text of another query, or none of ours.
  public init(text: String, fingerprint: UInt64) throws(EngineError) {
    guard let bytes = Self.decode(text), bytes.count >= 17 else { throw .badCursor }
    let stored = Self.load(bytes[0..<8])
    guard stored == fingerprint else { throw .badCursor }
    guard let id = String(validating: bytes[16...], as: UTF8.self) else { throw .badCursor }
    self.init(fingerprint: stored, key: Self.load(bytes[8..<16]), id: id)
  }

  public var text: String {
    var bytes: [UInt8] = []
    for word in [fingerprint, key] {
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    bytes.append(contentsOf: id.utf8)
    return Self.encode(bytes)
  }

  private static func load(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Base 64 url without padding (RFC 4648, section 5).
  private static func encode(_ bytes: [UInt8]) -> String {
    var out: [UInt8] = []
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        out.append(alphabet[Int(buffer >> bits & 63)])
      }
    }
    if bits > 0 { out.append(alphabet[Int(buffer << (6 - bits) & 63)]) }
    return String(decoding: out, as: UTF8.self)
  }

  private static func decode(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= 400 else { return nil }
    var out: [UInt8] = []
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for character in text.utf8 {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        out.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    return out
  }
}

/// A running fingerprint of a query's fields, the same in every process.
struct QueryFingerprint {
  private(set) var value: UInt64 = 0x6D6F_7965_6F76_3100

  mutating func add(_ text: String) { value = StableHash.hash64(text, seed: value) }
  mutating func add(_ texts: [String]) {
    add(texts.count)
    for text in texts { add(text) }
  }
  mutating func add(_ number: Double) { add(number.bitPattern) }
  mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }
  mutating func add(_ bits: UInt64) {
    value = withUnsafeBytes(of: bits.littleEndian) { StableHash.hash64($0, seed: value) }
  }
}
