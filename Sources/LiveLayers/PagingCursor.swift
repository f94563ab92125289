import ObjectModel
import WireFormat

/// The place where a page ended: a fingerprint of its query and the last hit's place in the order.
///
/// The text is base 64 url of `fingerprint (8) | key (8) | id`. It names no slot, so that objects
/// may come, go and move between pages: those that stay are neither repeated nor skipped.
package struct PagingCursor: Hashable, Sendable {
  package let fingerprint: UInt64
  /// The last hit's number in the order: whole millimetres for Nearby, the Morton code for Within.
  package let key: UInt64
  package let id: String

  package init(fingerprint: UInt64, key: UInt64, id: String) {
    self.fingerprint = fingerprint
    self.key = key
    self.id = id
  }

  /// Reads a cursor.
  ///
  /// - Throws: ``LayerError/badCursor`` for text that is no cursor or one of another query.
  package init(text: String, fingerprint: UInt64) throws(LayerError) {
    guard let bytes = Self.decode(text), bytes.count >= 17 else { throw .badCursor }
    let stored = Self.load(bytes[0..<8])
    guard stored == fingerprint else { throw .badCursor }
    guard let id = String(validating: bytes[16...], as: UTF8.self) else { throw .badCursor }
    self.init(fingerprint: stored, key: Self.load(bytes[8..<16]), id: id)
  }

  package var text: String {
    var id = id
    return id.withUTF8 { id in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16 + id.count) { bytes in
        let raw = UnsafeMutableRawBufferPointer(bytes)
        raw.storeBytes(of: fingerprint.bigEndian, as: UInt64.self)
        raw.storeBytes(of: key.bigEndian, toByteOffset: 8, as: UInt64.self)
        UnsafeMutableRawBufferPointer(rebasing: raw[16...]).copyMemory(
          from: UnsafeRawBufferPointer(id))
        return Base64URL.text(of: UnsafeBufferPointer(bytes))
      }
    }
  }

  private static func load(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func decode(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= 400 else { return nil }
    return Base64URL.decode(text)
  }
}

/// A running fingerprint of a query's fields, which is the same in every process.
package struct QueryFingerprint {
  package private(set) var value: UInt64 = 0x6D6F_7965_6F76_3100

  package init() {}

  package mutating func add(_ text: String) { value = StableHash.hash64(text, seed: value) }
  package mutating func add(_ texts: [String]) {
    add(texts.count)
    for text in texts { add(text) }
  }

  /// Adds texts whose order says nothing.
  package mutating func add(unordered texts: [String]) {
    add(texts.count > 1 ? texts.sorted() : texts)
  }

  package mutating func add(_ number: Double) { add(number.bitPattern) }
  package mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }
  package mutating func add(_ bits: UInt64) { value = StableHash.hash64(bits, seed: value) }
}
