/// Base 64 with the letters that an address may have, without padding (RFC 4648, section 5).
///
/// Foundation has the letters of addresses only by way of replacing others, and takes text whose last
/// character has bits of nothing: one content would have several texts.
package enum Base64URL {
  private static let alphabet: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  /// Returns the text of bytes.
  package static func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(unsafeUninitializedCapacity: (bytes.count * 8 + 5) / 6) { out in
      let letters = alphabet.utf8Start
      let whole = bytes.count / 3
      for i in 0..<whole {
        let group =
          UInt32(bytes[3 * i]) << 16 | UInt32(bytes[3 * i + 1]) << 8 | UInt32(bytes[3 * i + 2])
        out[4 * i] = letters[Int(group >> 18)]
        out[4 * i + 1] = letters[Int(group >> 12 & 63)]
        out[4 * i + 2] = letters[Int(group >> 6 & 63)]
        out[4 * i + 3] = letters[Int(group & 63)]
      }
      // One byte left over takes two letters, two take three.
      var group: UInt32 = 0
      for byte in bytes[(3 * whole)...] { group = group << 8 | UInt32(byte) }
      let rest = bytes.count % 3
      group <<= UInt32(24 - 8 * rest)
      for i in 0..<(rest > 0 ? rest + 1 : 0) {
        out[4 * whole + i] = letters[Int(group >> UInt32(18 - 6 * i) & 63)]
      }
      return 4 * whole + (rest > 0 ? rest + 1 : 0)
    }
  }

  /// Returns the bytes of text.
  ///
  /// - Parameter text: The text, all of which must be base 64.
  /// - Returns: The bytes; nil for what is no such text.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var out: [UInt8] = []
    out.reserveCapacity(text.utf8.count * 3 / 4)
    var bits: UInt32 = 0
    var count = 0
    for byte in text.utf8 {
      guard let value = value(byte) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        out.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    // What is left over must be the padding's zeros, or one content had several texts.
    guard count < 6, bits & (1 << UInt32(count) - 1) == 0 else { return nil }
    return out
  }

  private static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 65...90: byte - 65
    case 97...122: byte - 71
    case 48...57: byte + 4
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
