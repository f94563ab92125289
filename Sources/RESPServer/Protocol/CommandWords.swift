#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The words of one command, as bytes of the buffer that they arrived in. They are valid for as long
/// as the closure that is handed them runs.
struct CommandWords {
  /// The bytes that hold all words.
  let bytes: UnsafeRawBufferPointer
  /// Where each word stands in `bytes`.
  let ranges: [Range<Int>]

  var count: Int { ranges.count }

  subscript(index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[ranges[index]])
  }

  /// Returns the first words alone.
  func prefix(_ count: Int) -> CommandWords {
    CommandWords(bytes: bytes, ranges: Array(ranges.prefix(count)))
  }

  /// Returns a word as text; what is no UTF-8 is repaired, so that it is fit for messages alone.
  func text(_ index: Int) -> String { String(decoding: self[index], as: UTF8.self) }

  /// Returns a word as an id; `nil` for bytes that are no UTF-8, which no object is called.
  func id(_ index: Int) -> String? { String(validating: self[index], as: UTF8.self) }

  /// Returns whether a word is an option's name, in whatever case. `name` is in lower case.
  @inline(__always)
  func isOption(_ index: Int, _ name: StaticString) -> Bool {
    // Of the options that a word is compared with, few are as long.
    guard ranges[index].count == name.utf8CodeUnitCount else { return false }
    return isWord(index, inAnyCase: name)
  }

  private func isWord(_ index: Int, inAnyCase name: StaticString) -> Bool {
    let word = self[index]
    for i in 0..<word.count where lowercased(word[i]) != name.utf8Start[i] { return false }
    return true
  }

  /// The same for a name whose bytes are kept.
  func isOption(_ index: Int, named name: [UInt8]) -> Bool {
    let word = self[index]
    guard word.count == name.count else { return false }
    for i in 0..<word.count where lowercased(word[i]) != name[i] { return false }
    return true
  }

  /// Returns whether a word is exactly a text.
  func isWord(_ index: Int, _ text: [UInt8]) -> Bool {
    let word = self[index]
    return text.withUnsafeBytes { text in
      guard let a = text.baseAddress, let b = word.baseAddress else {
        return text.count == word.count
      }
      return text.count == word.count && memcmp(a, b, word.count) == 0
    }
  }

  /// Returns a word in lower case, for a look-up in a table.
  func lowercasedText(_ index: Int) -> String {
    String(decoding: self[index].map(lowercased), as: UTF8.self)
  }

  func integer(_ index: Int) -> Int64? { WordNumber.integer(self[index]) }

  func double(_ index: Int) -> Double? { WordNumber.double(self[index]) }
}

private func lowercased(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

/// Reads numbers as Redis reads them.
enum WordNumber {
  /// Returns a whole number in its one plain form: no plus, no leading zeros, no spaces.
  static func integer(_ word: UnsafeRawBufferPointer) -> Int64? {
    var digits = word[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits = digits.dropFirst() }
    guard let first = digits.first, digits.count <= 19 else { return nil }
    if first == UInt8(ascii: "0") { return word.count == 1 ? 0 : nil }
    var magnitude: UInt64 = 0
    for byte in digits {
      guard isDigit(byte) else { return nil }
      // Safe: 19 digits are below 2^64.
      magnitude = magnitude &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
    }
    if isNegative { return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }

  /// Returns a number as C's `strtod` reads it, if it reads the whole word; NaN, and what is too
  /// large or too small for a double, are none.
  static func double(_ word: UnsafeRawBufferPointer) -> Double? {
    plainDecimal(word) ?? anyDouble(word)
  }

  /// Digits with at most one point, 19 of them at most: a quotient of two numbers of 64 bits, rounded
  /// once.
  private static func plainDecimal(_ word: UnsafeRawBufferPointer) -> Double? {
    // 19 digits, a sign and a point.
    guard let start = word.baseAddress, word.count <= 21 else { return nil }
    let isNegative = word.first == UInt8(ascii: "-")
    let first = isNegative ? 1 : 0
    var mantissa: UInt64 = 0
    var point = -1
    var i = first
    while i < word.count {
      // Safe: below the count.
      let byte = start.load(fromByteOffset: i, as: UInt8.self)
      let digit = byte &- UInt8(ascii: "0")
      if digit < 10 {
        // Safe: 19 digits are below 2^64; where there are more, the result is thrown away.
        mantissa = mantissa &* 10 &+ UInt64(digit)
      } else {
        guard byte == UInt8(ascii: "."), point < 0 else { return nil }
        point = i
      }
      i &+= 1
    }
    let digits = word.count - first - (point < 0 ? 0 : 1)
    guard (1...19).contains(digits) else { return nil }
    let decimals = point < 0 ? 0 : word.count - point - 1
    let value = quotient(mantissa, tenTo: decimals)
    return isNegative ? -value : value
  }

  /// Divides by a power of ten, rounding once, as IEEE 754 asks of every operation.
  ///
  /// - Returns: The double nearest to the quotient, of two equally near ones the even one.
  @inline(__always)
  private static func quotient(_ dividend: UInt64, tenTo power: Int) -> Double {
    let divisor = powersOfTen[power]
    // Doubles that hold both exactly divide so by themselves.
    if dividend <= 1 << 53, power <= 15 { return Double(dividend) / Double(divisor) }
    guard power > 0, dividend > 0 else { return Double(dividend) }
    // By the reciprocal (Granlund and Montgomery, PLDI 1994): with both numbers shifted to their first
    // bit, 2^63 times the quotient is less than 2 above this.
    let shift = dividend.leadingZeroBitCount
    let high = (dividend &<< UInt64(truncatingIfNeeded: shift))
      .multipliedFullWidth(by: reciprocals[power]).high
    let dropped = UInt64(truncatingIfNeeded: 11 &- high.leadingZeroBitCount)
    let half = UInt64(1) &<< (dropped &- 1)
    let tail = high & (half &<< 1 &- 1)
    // So near to the middle of two doubles the rest of the division decides.
    guard tail &+ 1 < half || tail > half else { return exactQuotient(dividend, divisor) }
    let significand = high &>> dropped &+ (tail > half ? 1 : 0)
    let exponent =
      Int(truncatingIfNeeded: dropped) &+ divisor.leadingZeroBitCount &- shift &- 63
    let scale = Double(bitPattern: UInt64(truncatingIfNeeded: 1023 &+ exponent) &<< 52)
    return Double(significand) * scale
  }

  /// The same by a division. Both numbers are at least 1.
  @inline(never)
  private static func exactQuotient(_ dividend: UInt64, _ divisor: UInt64) -> Double {
    let (shift, divisorShift) = (dividend.leadingZeroBitCount, divisor.leadingZeroBitCount)
    let high = dividend << UInt64(shift)
    // Both begin with their first bit, so that the quotient has 63 or 64 bits.
    let (quotient, rest) = (divisor << UInt64(divisorShift)).dividingFullWidth(
      (high >> 1, high << 63))
    let dropped = UInt64(11 - quotient.leadingZeroBitCount)
    let half = UInt64(1) << (dropped - 1)
    let tail = quotient & (half << 1 - 1)
    var significand = quotient >> dropped
    if tail > half || (tail == half && (rest > 0 || significand % 2 == 1)) { significand += 1 }
    return Double(
      sign: .plus, exponent: Int(dropped) + divisorShift - shift - 63,
      significand: Double(significand))
  }

  private static let powersOfTen: InlineArray<20, UInt64> = [
    1, 10, 100, 1_000,
    10_000, 100_000, 1_000_000, 10_000_000,
    100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000,
    1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
    10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000,
    10_000_000_000_000_000_000,
  ]

  /// 2^127 divided by each power of ten as it is with its first bit at 2^63, rounded down; unused for 1.
  private static let reciprocals: InlineArray<20, UInt64> = [
    0x0000_0000_0000_0000, 0xCCCC_CCCC_CCCC_CCCC, 0xA3D7_0A3D_70A3_D70A, 0x8312_6E97_8D4F_DF3B,
    0xD1B7_1758_E219_652B, 0xA7C5_AC47_1B47_8423, 0x8637_BD05_AF6C_69B5, 0xD6BF_94D5_E57A_42BC,
    0xABCC_7711_8461_CEFC, 0x8970_5F41_36B4_A597, 0xDBE6_FECE_BDED_D5BE, 0xAFEB_FF0B_CB24_AAFE,
    0x8CBC_CC09_6F50_88CB, 0xE12E_1342_4BB4_0E13, 0xB424_DC35_095C_D80F, 0x901D_7CF7_3AB0_ACD9,
    0xE695_94BE_C44D_E15B, 0xB877_AA32_36A4_B449, 0x9392_EE8E_921D_5D07, 0xEC1E_4A7D_B695_61A5,
  ]

  private static func anyDouble(_ word: UnsafeRawBufferPointer) -> Double? {
    guard let first = word.first, !isSpace(first), let (value, isOutOfRange) = parsed(word) else {
      return nil
    }
    return isOutOfRange && (value.isInfinite || value.isZero) ? nil : value
  }

  /// Returns the bound of a range, which is read less strictly: spaces may stand in front, nothing
  /// is 0, and what is too large is infinite.
  static func bound(_ word: UnsafeRawBufferPointer) -> Double? {
    word.isEmpty ? 0 : parsed(word)?.value
  }

  private static func parsed(
    _ word: UnsafeRawBufferPointer
  ) -> (value: Double, isOutOfRange: Bool)? {
    guard word.count <= 512, !word.contains(0) else { return nil }
    var text = word.map { CChar(bitPattern: $0) }
    text.append(0)
    return text.withUnsafeBufferPointer { text in
      guard let start = text.baseAddress else { return nil }
      var end: UnsafeMutablePointer<CChar>?
      errno = 0
      let value = strtod(start, &end)
      guard let end, UnsafePointer(end) - start == word.count, !value.isNaN else { return nil }
      return (value, errno == ERANGE)
    }
  }

  /// Returns a cursor as C's `strtoul` reads it: nothing is 0, and what is below 0 wraps around.
  static func cursor(_ word: UnsafeRawBufferPointer) -> UInt64? {
    guard let first = word.first else { return 0 }
    let hasSign = first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
    let digits = word.dropFirst(hasSign ? 1 : 0)
    guard digits.first.map(isDigit) ?? false,
      let value = UInt64(String(decoding: digits, as: UTF8.self))
    else { return nil }
    return first == UInt8(ascii: "-") ? 0 &- value : value
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
