import Foundation

/// Pieces of JSON text (RFC 8259).
public enum JSONText {
  static let `true` = Array("true".utf8)
  static let `false` = Array("false".utf8)
  static let null = Array("null".utf8)
  private static let hexDigits = Array("0123456789abcdef".utf8)

  /// A quoted string with what must be escaped, escaped.
  public static func append(string bytes: UnsafeRawBufferPointer, to out: inout [UInt8]) {
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

  public static func append(string: String, to out: inout [UInt8]) {
    var copy = string
    copy.withUTF8 { append(string: UnsafeRawBufferPointer($0), to: &out) }
  }

  /// The shortest text that reads back as the same number; `null`-free: NaN and infinities, which
  /// validation keeps out, print as protobuf's quoted words.
  public static func append(_ value: Double, to out: inout [UInt8]) {
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

  /// A number that has at most 3, or else 7, decimals: most distances, ages and coordinates have.
  ///
  /// It is the shortest text: below a million, two decimals of so few digits are never as close
  /// to each other as two doubles are.
  private static func appendDecimal(_ value: Double, to out: inout [UInt8]) -> Bool {
    let magnitude = value.magnitude
    // Smaller ones are printed with exponents.
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

  public static func append(_ value: Int64, to out: inout [UInt8]) {
    if value < 0 { out.append(UInt8(ascii: "-")) }
    append(unsigned: value.magnitude, to: &out)
  }

  public static func append(unsigned value: UInt64, to out: inout [UInt8]) {
    var rest = value
    let start = out.count
    repeat {
      out.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    out[start...].reverse()
  }

  static func append(base64 bytes: UnsafeRawBufferPointer, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    out.append(contentsOf: Data(bytes).base64EncodedString().utf8)
    out.append(UInt8(ascii: "\""))
  }

  /// RFC 3339 in UTC with no, 3 or 9 digits of fraction, as protobuf prints a Timestamp.
  static func append(timestampSeconds: Int64, nanoseconds: Int64, to out: inout [UInt8]) {
    let (days, secondOfDay) = timestampSeconds.flooredQuotientAndRemainder(by: 86_400)
    let (year, month, day) = civilDate(daysSince1970: days)
    out.append(UInt8(ascii: "\""))
    appendPadded(year, digits: 4, to: &out)
    out.append(UInt8(ascii: "-"))
    appendPadded(month, digits: 2, to: &out)
    out.append(UInt8(ascii: "-"))
    appendPadded(day, digits: 2, to: &out)
    out.append(UInt8(ascii: "T"))
    appendPadded(secondOfDay / 3600, digits: 2, to: &out)
    out.append(UInt8(ascii: ":"))
    appendPadded(secondOfDay / 60 % 60, digits: 2, to: &out)
    out.append(UInt8(ascii: ":"))
    appendPadded(secondOfDay % 60, digits: 2, to: &out)
    if nanoseconds != 0 {
      out.append(UInt8(ascii: "."))
      if nanoseconds % 1_000_000 == 0 {
        appendPadded(nanoseconds / 1_000_000, digits: 3, to: &out)
      } else {
        appendPadded(nanoseconds, digits: 9, to: &out)
      }
    }
    out.append(contentsOf: [UInt8(ascii: "Z"), UInt8(ascii: "\"")])
  }

  private static func appendPadded(_ value: Int64, digits: Int, to out: inout [UInt8]) {
    let start = out.count
    append(value, to: &out)
    let missing = digits - (out.count - start)
    if missing > 0 {
      out.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: missing), at: start)
    }
  }

  /// Gregorian date of a day number (H. Hinnant, "chrono-compatible low-level date algorithms").
  private static func civilDate(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let z = daysSince1970 + 719_468
    let (era, dayOfEra) = z.flooredQuotientAndRemainder(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1
    )
  }
}

extension Int64 {
  fileprivate func flooredQuotientAndRemainder(by divisor: Int64) -> (Int64, Int64) {
    let (q, r) = quotientAndRemainder(dividingBy: divisor)
    return r < 0 ? (q - 1, r + divisor) : (q, r)
  }
}
