/// Appends pieces of JSON text (RFC 8259).
package enum JSONText {
  package static let `true` = Array("true".utf8)
  package static let `false` = Array("false".utf8)
  package static let null = Array("null".utf8)
  private static let hexDigits = Array("0123456789abcdef".utf8)

  /// Appends a quoted string, in which everything that must be escaped is escaped.
  package static func append(string bytes: UnsafeRawBufferPointer, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    var plain = 0
    for i in bytes.indices {
      let byte = bytes[i]
      guard byte < 0x20 || byte == 0x22 || byte == 0x5C else { continue }
      out.append(contentsOf: bytes[plain..<i])
      plain = i + 1
      out.append(UInt8(ascii: "\\"))
      switch byte {
      case 0x22, 0x5C: out.append(byte)
      case 0x0A: out.append(UInt8(ascii: "n"))
      case 0x0D: out.append(UInt8(ascii: "r"))
      case 0x09: out.append(UInt8(ascii: "t"))
      default:
        out.append(contentsOf: "u00".utf8)
        out.append(hexDigits[Int(byte >> 4)])
        out.append(hexDigits[Int(byte & 15)])
      }
    }
    out.append(contentsOf: bytes[plain...])
    out.append(UInt8(ascii: "\""))
  }

  package static func append(string: String, to out: inout [UInt8]) {
    var copy = string
    copy.withUTF8 { append(string: UnsafeRawBufferPointer($0), to: &out) }
  }

  /// Appends the shortest text that reads back as the same number. NaN and infinities, which
  /// validation keeps out, become protobuf's quoted words.
  package static func append(_ value: Double, to out: inout [UInt8]) {
    if value.isFinite, value.magnitude < 9_007_199_254_740_992,
      value == value.rounded(.towardZero), !(value == 0 && value.sign == .minus)
    {
      append(Int64(value), to: &out)
      return
    }
    if appendDecimal(value, to: &out) { return }
    if value.isNaN {
      out.append(contentsOf: "\"NaN\"".utf8)
    } else if value.isInfinite {
      out.append(contentsOf: (value > 0 ? "\"Infinity\"" : "\"-Infinity\"").utf8)
    } else {
      var text = value.description
      text.withUTF8 { out.append(contentsOf: $0) }
    }
  }

  /// Appends a number that has at most 3, or else 7, decimals, as most distances, ages and
  /// coordinates have.
  ///
  /// The text is the shortest: below a million, two decimals with so few digits are never as close
  /// to each other as two doubles are.
  private static func appendDecimal(_ value: Double, to out: inout [UInt8]) -> Bool {
    let magnitude = value.magnitude
    // Smaller numbers are printed with exponents.
    guard magnitude >= 0.001 && magnitude < 1_000_000 else { return false }
    var decimals = 3
    var scaled = (magnitude * 1000).rounded()
    if scaled / 1000 != magnitude {
      decimals = 7
      scaled = (magnitude * 1e7).rounded()
      guard scaled / 1e7 == magnitude else { return false }
    }
    let scale: UInt64 = decimals == 3 ? 1000 : 10_000_000
    var (whole, rest) = UInt64(scaled).quotientAndRemainder(dividingBy: scale)
    if value < 0 { out.append(UInt8(ascii: "-")) }
    append(unsigned: whole, to: &out)
    out.append(UInt8(ascii: "."))
    while rest > 0 {
      (whole, rest) = (rest * 10).quotientAndRemainder(dividingBy: scale)
      out.append(UInt8(ascii: "0") + UInt8(whole))
    }
    return true
  }

  package static func append(_ value: Int64, to out: inout [UInt8]) {
    if value < 0 { out.append(UInt8(ascii: "-")) }
    append(unsigned: value.magnitude, to: &out)
  }

  package static func append(unsigned value: UInt64, to out: inout [UInt8]) {
    var rest = value
    let start = out.count
    repeat {
      out.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    out[start...].reverse()
  }

  /// Appends a moment as quoted RFC 3339 text in UTC (``RFC3339/append(seconds:nanoseconds:to:)``).
  package static func append(timestampSeconds: Int64, nanoseconds: Int64, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    RFC3339.append(seconds: timestampSeconds, nanoseconds: nanoseconds, to: &out)
    out.append(UInt8(ascii: "Z"))
    out.append(UInt8(ascii: "\""))
  }
}
