/// Numbers as text, without Foundation.
enum TariffNumberText {
  /// 1600 as "1,600", 321.8688 as "321.8688": at most `digits` after the point.
  static func plain(_ value: Double, digits: Int = 4) -> String {
    var scale: Int64 = 1
    for _ in 0..<digits { scale *= 10 }
    let whole = Int64((value.magnitude * Double(scale)).rounded())
    let sign = value < 0 && whole > 0 ? "-" : ""
    var fraction = String(whole % scale)
    while fraction.count < digits { fraction = "0" + fraction }
    while fraction.last == "0" { fraction.removeLast() }
    let integer = grouped(whole / scale)
    return sign + (digits == 0 || fraction.isEmpty ? integer : "\(integer).\(fraction)")
  }

  /// Hundredths of a percent as "20 %".
  static func percent(_ hundredths: Int64) -> String {
    plain(Double(hundredths) / 100, digits: 2) + " %"
  }

  /// Minutes of the day as "22:00".
  static func clock(_ minute: Int) -> String {
    let h = minute / 60
    let m = minute % 60
    return "\(h < 10 ? "0" : "")\(h):\(m < 10 ? "0" : "")\(m)"
  }

  /// 4800 as "4,800".
  static func grouped(_ value: Int64) -> String {
    let digits = String(value.magnitude)
    var out = ""
    for (i, digit) in digits.enumerated() {
      if i > 0 && (digits.count - i) % 3 == 0 { out.append(",") }
      out.append(digit)
    }
    return value < 0 ? "-" + out : out
  }
}

/// Amounts of a tariff as text: "4,800 KRW", "3.00 USD".
struct TariffMoneyText {
  let currency: String
  let digits: Int

  init(_ content: TariffContent) {
    currency = content.currency
    digits = content.minorUnitDigits
  }

  init(currency: String, minorUnitDigits: Int) {
    self.currency = currency
    digits = minorUnitDigits
  }

  func callAsFunction(_ amount: Int64) -> String {
    guard digits > 0 else { return "\(TariffNumberText.grouped(amount)) \(currency)" }
    var scale: UInt64 = 1
    for _ in 0..<digits { scale *= 10 }
    var fraction = String(amount.magnitude % scale)
    while fraction.count < digits { fraction = "0" + fraction }
    let whole = TariffNumberText.grouped(Int64(amount.magnitude / scale))
    return "\(amount < 0 ? "-" : "")\(whole).\(fraction) \(currency)"
  }
}
