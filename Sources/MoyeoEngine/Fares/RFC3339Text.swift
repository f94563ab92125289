public import ObjectModel

/// Moments as RFC 3339 text.
public enum RFC3339Text {
  /// In UTC, with milliseconds only where there are any: `2023-01-31T19:00:00Z`.
  public static func utc(_ instant: Instant) -> String {
    text(instant.milliseconds) + "Z"
  }

  /// In a zone's local time: `2023-02-01T04:00:00+09:00`.
  public static func local(_ instant: Instant, _ offsets: UTCOffsets) -> String {
    let seconds = offsets.seconds(at: instant)
    let minutes = seconds.magnitude / 60
    return text(instant.milliseconds + Int64(seconds) * 1000)
      + (seconds < 0 ? "-" : "+") + two(Int64(minutes / 60)) + ":" + two(Int64(minutes % 60))
  }

  private static func text(_ milliseconds: Int64) -> String {
    let day: Int64 = 86_400_000
    var days = milliseconds / day
    var rest = milliseconds % day
    if rest < 0 {
      rest += day
      days -= 1
    }
    let date = CivilDate(daysSince1970: Int(days))
    let fraction = rest % 1000
    let tail = fraction == 0 ? "" : "." + String(String(1000 + fraction).dropFirst())
    let years = String(date.year)
    let padded = String(repeating: "0", count: max(0, 4 - years.count)) + years
    return "\(padded)-\(two(Int64(date.month)))-\(two(Int64(date.day)))T"
      + "\(two(rest / 3_600_000)):\(two(rest / 60_000 % 60)):\(two(rest / 1000 % 60))\(tail)"
  }

  private static func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
