import TaxiFares

extension String {
  /// Without white space at its ends.
  var trimmed: String {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }
}

/// Numbers as files and people write them.
enum NumberText {
  /// A finite decimal number such as `-12.5e3`; no hexadecimal, no `nan`, no `inf`.
  static func parse(_ text: String) -> Double? {
    let trimmed = text.trimmed
    guard !trimmed.isEmpty,
      trimmed.utf8.allSatisfy({ byte in
        switch byte {
        case 48...57, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
          UInt8(ascii: "e"), UInt8(ascii: "E"):
          true
        default: false
        }
      }), let value = Double(trimmed), value.isFinite
    else { return nil }
    return value
  }

  /// With a fixed number of decimals, halves away from zero.
  static func fixed(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite, value.magnitude < 1e15 else { return "\(value)" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let units = (value.magnitude * scale).rounded(.toNearestOrAwayFromZero)
    guard units < 9e18 else { return "\(value)" }
    let whole = Int64(units)
    let sign = value < 0 && whole != 0 ? "-" : ""
    guard decimals > 0 else { return sign + String(whole) }
    let digits = TimeText.padded(Int(whole), decimals + 1)
    return sign + digits.dropLast(decimals) + "." + digits.suffix(decimals)
  }

  /// `12,345`.
  static func grouped(_ value: Int) -> String {
    var out = ""
    for (i, digit) in String(value.magnitude).enumerated().reversed() {
      out = String(digit) + out
      let fromRight = String(value.magnitude).count - i
      if i > 0, fromRight % 3 == 0 { out = "," + out }
    }
    return (value < 0 ? "-" : "") + out
  }

  /// `85 m`, `1.24 km`.
  static func distance(_ meters: Double) -> String {
    meters < 1000 ? fixed(meters, meters < 100 ? 1 : 0) + " m" : fixed(meters / 1000, 2) + " km"
  }

  /// `0.4 s`, `12 s`, `3 min 05 s`, `2 h 03 min`.
  static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 1e12 else { return "?" }
    if seconds < 10 { return fixed(seconds, 1) + " s" }
    let whole = Int(seconds.rounded())
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min \(TimeText.padded(whole % 60, 2)) s" }
    return "\(whole / 3600) h \(TimeText.padded(whole / 60 % 60, 2)) min"
  }
}

/// Amounts in minor units.
enum MoneyText {
  /// Decimal digits of a currency's minor unit (ISO 4217), for answers that do not say.
  static func minorUnitDigits(_ currency: String) -> Int {
    CurrencyDigits.minorUnits(of: currency)
  }

  /// `12,500` or `17.05`.
  static func format(_ amount: Int64, digits: Int) -> String {
    guard digits > 0 else { return NumberText.grouped(Int(amount)) }
    let text = String(amount.magnitude)
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    let whole = NumberText.grouped(Int(padded.dropLast(digits)) ?? 0)
    return (amount < 0 ? "-" : "") + whole + "." + padded.suffix(digits)
  }
}
