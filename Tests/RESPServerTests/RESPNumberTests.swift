import Foundation
import ObjectModel
import Testing

@testable import RESPServer

/// Returns what is written into as much memory as a number needs, and no more.
func numberText(_ write: (inout RESPNumber) -> Void) -> String {
  withUnsafeTemporaryAllocation(byteCount: RESPNumber.capacity, alignment: 1) { room in
    guard let start = room.baseAddress else { return "" }
    var text = RESPNumber(at: start)
    write(&text)
    return String(decoding: room[..<text.count], as: UTF8.self)
  }
}

struct RESPNumberTests {
  private func fourDecimals(_ value: Double) -> String {
    numberText { $0.appendFourDecimals(value) }
  }

  private func trimmed(_ value: Double) -> String {
    numberText { $0.appendTrimmedDecimals(value) }
  }

  @Test func fourDecimalsRoundTheProduct() {
    #expect(fourDecimals(0) == "0.0000")
    #expect(fourDecimals(166274.15156960033) == "166274.1516")
    // A half goes to the even digit.
    #expect(fourDecimals(0.03125) == "0.0312")
    #expect(fourDecimals(0.09375) == "0.0938")
    // A little less than a half; only the product is one. redis-server 7.0.15 prints this.
    #expect(fourDecimals(8978103.2727499995) == "8978103.2728")
    #expect(fourDecimals(20_015_086.79602) == "20015086.7960")
  }

  @Test func coordinatesHaveSeventeenDecimalsWithoutZeros() {
    #expect(trimmed(13.361389338970184) == "13.36138933897018433")
    #expect(trimmed(38.115556395496299) == "38.11555639549629859")
    #expect(trimmed(-180) == "-180")
    #expect(trimmed(0.5) == "0.5")
    #expect(trimmed(-0.25) == "-0.25")
    #expect(trimmed(0) == "0")
    #expect(trimmed(1e-18) == "0")
    #expect(trimmed(2.68220901489257812e-6) == "0.00000268220901489")
  }

  /// C's `printf` rounds the exact value, half to even.
  @Test func coordinatesOfAllSizesAreThoseOfC() {
    var random = SplitMix64(seed: 24)
    for i in 0..<100_000 {
      let bits = random.next()
      let significand = 1 + Double(bits >> 12) / 0x1p52
      // Few bits as well, so that there are ties and zeros at the end.
      let kept = i % 3 == 0 ? (significand * 0x1p6).rounded() / 0x1p6 : significand
      // Those from 1/2048 to 1024, which are written in another way, are half of them.
      let exponent = i % 2 == 0 ? Int(bits % 73) - 60 : Int(bits % 23) - 12
      let value = Double(
        sign: bits & 64 == 0 ? .plus : .minus, exponent: exponent, significand: kept)
      #expect(trimmed(value) == Self.seventeenDecimals(value))
    }
  }

  /// What `%.17f` prints, without the zeros at its end.
  private static func seventeenDecimals(_ value: Double) -> String {
    var text = String(format: "%.17f", value)
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    // C keeps the sign of what it rounds to nothing.
    return text == "-0" ? "0" : text
  }

  /// The double nearest to so many ten-thousandths, multiplied by 10,000, rounds to their number.
  @Test func distancesOfAllSizesHaveFourDecimals() {
    var random = SplitMix64(seed: 25)
    for _ in 0..<20_000 {
      let units = random.next() >> (26 + random.next() % 38)
      let whole = units / 10_000
      let decimals = "\(10_000 + units % 10_000)".dropFirst()
      #expect(fourDecimals(Double(units) / 10_000) == "\(whole).\(decimals)")
    }
  }

  @Test func wholeNumbersOfEveryLengthAreWritten() {
    var random = SplitMix64(seed: 20)
    for bits in 0..<64 {
      for _ in 0..<200 {
        let number = random.next() >> UInt64(bits)
        #expect(numberText { $0.append(number) } == "\(number)")
      }
    }
    var power: UInt64 = 1
    for _ in 0..<19 {
      for number in [power - 1, power, power + 1] {
        #expect(numberText { $0.append(number) } == "\(number)")
      }
      power *= 10
    }
  }

  /// The standard library reads with C's `strtod`.
  @Test func plainDecimalsAreReadAsTheNearestDouble() {
    var random = SplitMix64(seed: 21)
    for _ in 0..<100_000 {
      let digits = String(random.next() % 10_000_000_000_000_000_000).prefix(
        Int.random(in: 1...19, using: &random))
      let point = Int.random(in: 0...digits.count, using: &random)
      let text =
        (random.next() % 2 == 0 ? "-" : "") + digits.prefix(point) + "."
        + digits.dropFirst(point)
      let read = Array(text.utf8).withUnsafeBytes { WordNumber.double($0) }
      #expect(read == Double(text), "\(text)")
    }
    // Halfway between two doubles, and just beside.
    for text in [
      "9007199254740993", "9007199254740992.999", "9007199254740993.001", "9007199254740995",
      "0.0000000000000000000", "0.0000000000000000001", "1844674407370955161",
      "9.999999999999999999",
      "1152921504606847104", "1152921504606847105", "1152921504606847103",
    ] {
      #expect(Array(text.utf8).withUnsafeBytes { WordNumber.double($0) } == Double(text), "\(text)")
    }
  }

  @Test func numbersAreReadAsRedisReadsThem() {
    func integer(_ text: String) -> Int64? {
      Array(text.utf8).withUnsafeBytes { WordNumber.integer($0) }
    }
    func double(_ text: String) -> Double? {
      Array(text.utf8).withUnsafeBytes { WordNumber.double($0) }
    }
    #expect(integer("0") == 0)
    #expect(integer("-1") == -1)
    #expect(integer("9223372036854775807") == .max)
    #expect(integer("-9223372036854775808") == .min)
    for bad in ["", "-", "-0", "01", "+1", " 1", "1 ", "9223372036854775808", "1.0"] {
      #expect(integer(bad) == nil, "\(bad)")
    }
    #expect(double("13.361389") == 13.361389)
    #expect(double("-0.1") == -0.1)
    #expect(double("5.") == 5)
    #expect(double(".5") == 0.5)
    #expect(double("1e3") == 1000)
    #expect(double("0x10") == 16)
    #expect(double("inf") == .infinity)
    #expect(double("123456789012345678901234567890") == Double("123456789012345678901234567890"))
    for bad in ["", " 1", "1 ", "nan", "1e400", "1e-400", "1..2", "--1", ".", "-", "1,5"] {
      #expect(double(bad) == nil, "\(bad)")
    }
  }
}
