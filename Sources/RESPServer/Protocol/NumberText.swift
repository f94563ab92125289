/// The text of one number, in 48 bytes on the stack.
struct NumberText {
  static let capacity = 48

  private var storage: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
  private(set) var count = 0

  func bytes<Answer>(_ body: (UnsafeRawBufferPointer) -> Answer) -> Answer {
    withUnsafeBytes(of: storage) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }

  mutating func append(byte: UInt8) {
    withUnsafeMutableBytes(of: &storage) { $0[count] = byte }
    count += 1
  }

  mutating func append(_ number: UInt64) {
    var digits = 1
    var rest = number / 10
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    append(number, digits: digits)
  }

  /// Appends the last digits of a number, with zeros in front.
  private mutating func append(_ number: UInt64, digits: Int) {
    var rest = number
    withUnsafeMutableBytes(of: &storage) { bytes in
      var at = count + digits
      while at - count > 1 {
        at -= 2
        // Two at a time: half the divisions of the long number.
        let pair = UInt8(truncatingIfNeeded: rest % 100)
        rest /= 100
        bytes[at] = UInt8(ascii: "0") + pair / 10
        bytes[at + 1] = UInt8(ascii: "0") + pair % 10
      }
      if at > count { bytes[count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10) }
    }
    count += digits
  }

  /// Appends a distance with four decimals, as Redis prints it: multiplied by 10,000, and the product
  /// rounded half to even.
  ///
  /// - Parameter value: Below 2^39 in magnitude, where four decimals fit into a double's whole
  ///   part; larger ones, infinite ones and NaN are printed as 0.
  mutating func appendFourDecimals(_ value: Double) {
    guard value.magnitude < 0x1p39 else { return append(byte: UInt8(ascii: "0")) }
    let units = UInt64((value.magnitude * 10_000).rounded(.toNearestOrEven))
    if value < 0, units > 0 { append(byte: UInt8(ascii: "-")) }
    append(units / 10_000)
    append(byte: UInt8(ascii: "."))
    append(units % 10_000, digits: 4)
  }

  /// Appends a number as C's `%.17f` prints it, without the zeros at its end.
  ///
  /// - Parameter value: Finite and below 2^53 in magnitude.
  mutating func appendTrimmedDecimals(_ value: Double) {
    guard value.magnitude < 0x1p53 else { return append(byte: UInt8(ascii: "0")) }
    var whole = UInt64(value.magnitude)
    var decimals = Self.seventeenDecimals(value.magnitude - Double(whole))
    if decimals == Self.tenToThe17 {
      whole += 1
      decimals = 0
    }
    if value < 0, whole > 0 || decimals > 0 { append(byte: UInt8(ascii: "-")) }
    append(whole)
    guard decimals > 0 else { return }
    append(byte: UInt8(ascii: "."))
    append(decimals, digits: 17)
    withUnsafeBytes(of: storage) { bytes in
      while bytes[count - 1] == UInt8(ascii: "0") { count -= 1 }
    }
  }

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
