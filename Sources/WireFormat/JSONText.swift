/// Appends pieces of JSON text (RFC 8259).
package enum JSONText {
  package static let `true` = Array("true".utf8)
  package static let `false` = Array("false".utf8)
  package static let null = Array("null".utf8)
  private static let hexDigits = Array("0123456789abcdef".utf8)

  /// Appends a quoted string, in which everything that must be escaped is escaped.
  package static func append(string bytes: UnsafeRawBufferPointer, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    defer { out.append(UInt8(ascii: "\"")) }
    guard bytes.contains(where: mustBeEscaped) else {
      return append(plain: bytes.bindMemory(to: UInt8.self), to: &out)
    }
    var plain = 0
    for i in bytes.indices {
      let byte = bytes[i]
      guard mustBeEscaped(byte) else { continue }
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
  }

  private static func mustBeEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x22 || byte == 0x5C
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
    if appendDecimal(value, to: &out) || appendShortest(value, to: &out) { return }
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
    // By constants, which takes no division.
    let (whole, rest) =
      decimals == 3
      ? UInt64(scaled).quotientAndRemainder(dividingBy: 1000)
      : UInt64(scaled).quotientAndRemainder(dividingBy: 10_000_000)
    // The number is no whole one, so that a digit is left.
    var fraction = rest
    while fraction % 10 == 0 {
      fraction /= 10
      decimals -= 1
    }
    let sign = value < 0 ? 1 : 0
    let point = sign + digitCount(whole)
    append(count: point + 1 + decimals, to: &out) { room in
      if sign == 1 { room[0] = UInt8(ascii: "-") }
      write(whole, digits: point - sign, at: room + sign)
      room[point] = UInt8(ascii: ".")
      write(fraction, digits: decimals, at: room + point + 1)
    }
    return true
  }

  /// Appends a number from 1 to below 2^20 that has 15 to 17 significant digits, as bearings have.
  ///
  /// Of the decimals with the fewest digits that read back as the number, it is the nearest. All is
  /// reckoned with whole numbers: the number is significand / 2^shift, and what lies within half of
  /// its last bit reads back. Where two are equally near, or one lies on the border, and for powers of
  /// two, whose lower border is nearer, the answer is no.
  private static func appendShortest(_ value: Double, to out: inout [UInt8]) -> Bool {
    let magnitude = value.magnitude
    guard magnitude >= 1, magnitude < 1_048_576, magnitude.significandBitPattern != 0 else {
      return false
    }
    let significand = magnitude.significandBitPattern | 1 << 52
    let shift = 52 - UInt64(magnitude.exponent)
    let wholeDigits = digitCount(UInt64(magnitude))
    for decimals in (15 - wholeDigits)...(17 - wholeDigits) {
      let power = powersOfTen[decimals]
      let (high, low) = significand.multipliedFullWidth(by: power)
      // Rounded; the product is below 2^107, and the quotient below 2^58.
      let quotient = high << (64 - shift) | low >> shift
      let rest = low & (1 << shift - 1)
      let isUp = rest > 1 << (shift - 1)
      let distance = isUp ? 1 << shift - rest : rest
      guard distance != 1 << (shift - 1), 2 * distance != power else { return false }
      guard 2 * distance < power else { continue }
      appendDecimal(
        isNegative: value < 0, quotient + (isUp ? 1 : 0), decimals: decimals, power, to: &out)
      return true
    }
    return false
  }

  private static let powersOfTen: [UInt64] = (0..<17).map { exponent in
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  /// Appends a number of so many decimals, without the zeros at its end; it is no whole one.
  private static func appendDecimal(
    isNegative: Bool, _ scaled: UInt64, decimals: Int, _ power: UInt64, to out: inout [UInt8]
  ) {
    let (whole, rest) = scaled.quotientAndRemainder(dividingBy: power)
    var (fraction, decimals) = (rest, decimals)
    while fraction % 10 == 0, decimals > 1 {
      fraction /= 10
      decimals -= 1
    }
    let sign = isNegative ? 1 : 0
    let point = sign + digitCount(whole)
    append(count: point + 1 + decimals, to: &out) { room in
      if isNegative { room[0] = UInt8(ascii: "-") }
      write(whole, digits: point - sign, at: room + sign)
      room[point] = UInt8(ascii: ".")
      write(fraction, digits: decimals, at: room + point + 1)
    }
  }

  /// Appends bytes that need no escape.
  package static func append(plain bytes: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    guard let start = bytes.baseAddress else { return }
    append(count: bytes.count, to: &out) { $0.update(from: start, count: bytes.count) }
  }

  /// Makes room for `count` bytes once; `fill` writes each of them.
  @inline(__always)
  private static func append(
    count: Int, to out: inout [UInt8], _ fill: (UnsafeMutablePointer<UInt8>) -> Void
  ) {
    out.append(addingCapacity: count) { span in
      span.withUnsafeMutableBufferPointer { buffer, initialized in
        guard let room = buffer.baseAddress else { return }
        fill(room)
        initialized += count
      }
    }
  }

  private static func digitCount(_ value: UInt64) -> Int {
    var count = 1
    var rest = value
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    return count
  }

  /// Writes the last `digits` digits of a number, zeros before a shorter one.
  @inline(__always)
  private static func write(_ value: UInt64, digits: Int, at room: UnsafeMutablePointer<UInt8>) {
    var rest = value
    var place = digits
    while place > 0 {
      place &-= 1  // Safe: above 0.
      let tenth = rest / 10
      room[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest &- tenth &* 10)
      rest = tenth
    }
  }

  package static func append(_ value: Int64, to out: inout [UInt8]) {
    if value < 0 { out.append(UInt8(ascii: "-")) }
    append(unsigned: value.magnitude, to: &out)
  }

  package static func append(unsigned value: UInt64, to out: inout [UInt8]) {
    let count = digitCount(value)
    append(count: count, to: &out) { room in write(value, digits: count, at: room) }
  }

  /// Appends a moment as quoted RFC 3339 text in UTC (``RFC3339/append(seconds:nanoseconds:to:)``).
  package static func append(timestampSeconds: Int64, nanoseconds: Int64, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    RFC3339.append(seconds: timestampSeconds, nanoseconds: nanoseconds, to: &out)
    out.append(UInt8(ascii: "Z"))
    out.append(UInt8(ascii: "\""))
  }
}
