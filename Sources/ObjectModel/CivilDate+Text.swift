extension CivilDate: Comparable {
  /// The date `days` days later, or earlier where that is below 0.
  public func adding(days: Int) -> CivilDate { CivilDate(daysSince1970: daysSince1970 + days) }

  /// 1 for Monday to 7 for Sunday (ISO 8601).
  public var isoWeekday: Int {
    // 1970-01-01 was a Thursday.
    let days = (daysSince1970 + 3) % 7
    return (days < 0 ? days + 7 : days) + 1
  }

  /// By the calendar: an earlier day is less.
  public static func < (a: CivilDate, b: CivilDate) -> Bool {
    (a.year, a.month, a.day) < (b.year, b.month, b.day)
  }

  /// Reads `2026-11-30`: four digits, two, two, all of the text. Nil for any other text, and for a date
  /// that the calendar does not have.
  public init?(iso text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else {
      return nil
    }
    func number(_ range: Range<Int>) -> Int? {
      var value = 0
      for byte in bytes[range] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        value = value * 10 + Int(byte - UInt8(ascii: "0"))
      }
      return value
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else {
      return nil
    }
    self.init(year: year, month: month, day: day)
  }

  /// As `2026-11-30`; years beyond four digits take as many as they need.
  public var isoText: String {
    func padded(_ value: Int, _ width: Int) -> String {
      let digits = String(value.magnitude)
      return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count))
        + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }
}
