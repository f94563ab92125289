/// Writes the text of one number into memory that the caller has: eight digits at a time, so that up
/// to seven bytes behind the text may change too.
struct RESPNumber {
  /// The bytes that are enough for every number, with what changes behind it.
  static let capacity = 48
  /// The same for a whole number alone.
  static let wholeCapacity = 21

  private let start: UnsafeMutableRawPointer
  private(set) var count = 0

  /// - Parameter start: Has room for ``capacity`` bytes, or for ``wholeCapacity`` if only a whole number is written.
  init(at start: UnsafeMutableRawPointer) { self.start = start }

  @inline(__always)
  mutating func append(byte: UInt8) {
    start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  mutating func append(_ number: UInt64) {
    if number < 10 { return append(byte: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number)) }
    guard number < Self.tenToThe8 else {
      append(number / Self.tenToThe8)
      return append(eightDigits: number % Self.tenToThe8)
    }
    let digits = Self.digits(UInt32(truncatingIfNeeded: number))
    // The first digit is in the lowest byte; a lone 0 stays.
    let zeros = min(7, digits.trailingZeroBitCount / 8)
    append(digits >> UInt64(8 * zeros), count: 8 - zeros)
  }

  /// Appends a number below 10^8 with zeros in front.
  @inline(__always)
  private mutating func append(eightDigits number: UInt64) {
    append(Self.digits(UInt32(truncatingIfNeeded: number)), count: 8)
  }

  /// Appends the first bytes of eight digits that stand from the lowest byte on.
  @inline(__always)
  private mutating func append(_ digits: UInt64, count added: Int) {
    let text = (digits | Self.zeros).littleEndian
    start.storeBytes(of: text, toByteOffset: count, as: UInt64.self)
    count += added
  }

  /// Returns the eight decimal digits of a number below 10^8, the first in the lowest byte.
  ///
  /// All are found at once: halves, then pairs, then digits side by side in one word, where division
  /// by a constant is a multiplication by its reciprocal (Granlund and Montgomery, "Division by
  /// Invariant Integers using Multiplication", PLDI 1994; exact for the few bits that a part has).
  @inline(__always)
  private static func digits(_ number: UInt32) -> UInt64 {
    let halves = UInt64(number / 10_000) | UInt64(number % 10_000) << 32
    let hundreds = (halves &* 10_486) >> 20 & 0x0000_007F_0000_007F
    let pairs = hundreds | (halves &- hundreds &* 100) << 16
    let tens = (pairs &* 103) >> 10 & 0x000F_000F_000F_000F
    return tens | (pairs &- tens &* 10) << 8
  }

  /// Appends a distance with four decimals, as Redis prints it: multiplied by 10,000, and the product
  /// rounded half to even.
  ///
  /// - Parameter value: Below 2^39 in magnitude, where four decimals fit into a double's whole
  ///   part; larger ones, infinite ones and NaN are printed as 0.
  @inline(__always)
  mutating func appendFourDecimals(_ value: Double) {
    let product = value.magnitude * 10_000
    guard product < 99_999_999 else { return appendLongFourDecimals(value) }
    // Next to 2^52 doubles are whole numbers, so that the sum is rounded, half to even.
    let units = UInt32(product + 0x1p52 - 0x1p52)
    if value < 0, units > 0 { append(byte: UInt8(ascii: "-")) }
    // Four digits of the whole part and four decimals.
    let digits = Self.digits(units)
    let zeros = min(3, digits.trailingZeroBitCount / 8)
    append(digits >> UInt64(8 * zeros), count: 4 - zeros)
    append(byte: UInt8(ascii: "."))
    append(digits >> 32, count: 4)
  }

  @inline(never)
  private mutating func appendLongFourDecimals(_ value: Double) {
    guard value.magnitude < 0x1p39 else { return append(byte: UInt8(ascii: "0")) }
    let units = UInt64((value.magnitude * 10_000).rounded(.toNearestOrEven))
    if value < 0 { append(byte: UInt8(ascii: "-")) }
    append(units / 10_000)
    append(byte: UInt8(ascii: "."))
    append(Self.digits(UInt32(units % 10_000)) >> 32, count: 4)
  }

  /// Appends a number as C's `%.17f` prints it, without the zeros at its end.
  ///
  /// - Parameter value: Finite and below 2^53 in magnitude.
  @inline(__always)
  mutating func appendTrimmedDecimals(_ value: Double) {
    count += Self.writeTrimmedDecimals(value, at: start + count)
  }

  /// Writes what ``appendTrimmedDecimals(_:)`` appends. - Returns: Its bytes.
  @inline(never)
  private static func writeTrimmedDecimals(
    _ value: Double, at start: UnsafeMutableRawPointer
  ) -> Int {
    let bits = value.magnitude.bitPattern
    let exponent = Int(bits >> 52) - 1023
    guard exponent >= -11, exponent <= 9 else { return writeUnusualDecimals(value, at: start) }
    // The number is significand / 2^(52 - exponent). Its last bit is 2^-63 or more, so that 64 bits
    // behind the point hold the fraction.
    let significand = bits & (1 << 52 - 1) | 1 << 52
    let whole = significand &>> UInt64(52 - exponent)
    let (quotient, rest) = (significand &<< UInt64(12 + exponent))
      .multipliedFullWidth(by: tenToThe17)
    let isUp = rest > 1 << 63 || (rest == 1 << 63 && quotient & 1 == 1)
    let decimals = quotient &+ (isUp ? 1 : 0)
    guard decimals > 0, decimals < tenToThe17 else { return writeUnusualDecimals(value, at: start) }
    var place = start
    if value < 0 {
      place.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
      place += 1
    }
    // The whole part and the first decimal are one group of digits, between which the point goes.
    let first = decimals / tenToThe16
    let group = Self.digits(UInt32(truncatingIfNeeded: whole &* 10 &+ first))
    let bitsInFront = UInt64(min(6, group.trailingZeroBitCount / 8)) &* 8
    let digits = (group | zeros) &>> bitsInFront
    let upToPoint = 56 &- bitsInFront
    let text =
      digits & (1 &<< upToPoint &- 1) | UInt64(UInt8(ascii: ".")) &<< upToPoint
      | (digits &>> upToPoint) &<< (upToPoint &+ 8)
    place.storeBytes(of: text.littleEndian, as: UInt64.self)
    place += Int(truncatingIfNeeded: upToPoint &>> 3) &+ 2
    let sixteen = decimals &- first &* tenToThe16
    let upper = sixteen / tenToThe8
    let upperDigits = Self.digits(UInt32(truncatingIfNeeded: upper))
    let lowerDigits = Self.digits(
      UInt32(truncatingIfNeeded: sixteen &- upper &* tenToThe8))
    place.storeBytes(of: (upperDigits | zeros).littleEndian, as: UInt64.self)
    place.storeBytes(
      of: (lowerDigits | zeros).littleEndian, toByteOffset: 8, as: UInt64.self)
    // The last digit is in the highest byte.
    let zerosBehind =
      lowerDigits != 0
      ? lowerDigits.leadingZeroBitCount / 8 : 8 + upperDigits.leadingZeroBitCount / 8
    return place - start + 16 - zerosBehind
  }

  /// What ``appendTrimmedDecimals(_:)`` leaves out: numbers from 1,024 on, whole ones, some that are next
  /// to 0, and what is none.
  @inline(never)
  private static func writeUnusualDecimals(
    _ value: Double, at start: UnsafeMutableRawPointer
  ) -> Int {
    var text = RESPNumber(at: start)
    guard value.magnitude < 0x1p53 else {
      text.append(byte: UInt8(ascii: "0"))
      return text.count
    }
    var whole = UInt64(value.magnitude)
    var decimals = seventeenDecimals(value.magnitude - Double(whole))
    if decimals == tenToThe17 {
      whole += 1
      decimals = 0
    }
    if value < 0, whole > 0 || decimals > 0 { text.append(byte: UInt8(ascii: "-")) }
    text.append(whole)
    guard decimals > 0 else { return text.count }
    text.append(byte: UInt8(ascii: "."))
    let first = decimals / tenToThe16
    text.append(byte: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: first))
    let rest = decimals &- first &* tenToThe16
    let upper = rest / tenToThe8
    text.append(eightDigits: upper)
    text.append(eightDigits: rest &- upper &* tenToThe8)
    while start.load(fromByteOffset: text.count - 1, as: UInt8.self) == UInt8(ascii: "0") {
      text.count -= 1
    }
    return text.count
  }

  /// Eight zeros as characters.
  private static let zeros: UInt64 = 0x3030_3030_3030_3030
  private static let tenToThe8: UInt64 = 100_000_000
  private static let tenToThe16: UInt64 = 10_000_000_000_000_000
  private static let tenToThe17: UInt64 = 100_000_000_000_000_000

  /// Returns a fraction times 10^17, rounded from its exact value, half to even.
  private static func seventeenDecimals(_ fraction: Double) -> UInt64 {
    guard fraction > 0 else { return 0 }
    // The fraction is significand / 2^shift.
    let significand = fraction.significandBitPattern | (fraction.isNormal ? 1 << 52 : 0)
    let shift = 52 - Int(fraction.isNormal ? fraction.exponent : -1022)
    // The product is below 2^110.
    guard shift < 120 else { return 0 }
    let product = UInt128(significand) * UInt128(tenToThe17)
    let quotient = UInt64(truncatingIfNeeded: product >> shift)
    let remainder = product & ((UInt128(1) << shift) - 1)
    let half = UInt128(1) << (shift - 1)
    let isUp = remainder > half || (remainder == half && quotient % 2 == 1)
    return quotient + (isUp ? 1 : 0)
  }
}
