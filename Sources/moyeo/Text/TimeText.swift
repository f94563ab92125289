import ObjectModel
import SwiftProtobuf
import WireFormat

/// Moments as people and files write them.
enum TimeText {
  /// Reads `2026-11-20T23:10:05.25+09:00`: RFC 3339, also with a space for the T, without seconds,
  /// with `+0900`, or a bare date; whole numbers are seconds since 1970, or milliseconds from 1e11.
  ///
  /// - Parameters:
  ///   - text: Spaces around it do not matter.
  ///   - offsetSeconds: East of UTC, for times that name no offset; without it they are not
  ///     understood.
  /// - Returns: The moment; `nil` for text that is no moment, or one out of the timestamp's range.
  static func parse(_ text: String, offsetSeconds: Int? = nil) -> Google_Protobuf_Timestamp? {
    let trimmed = text.trimmed
    if let number = Int64(trimmed), trimmed.utf8.count > 8 {
      let milliseconds = abs(number) >= 100_000_000_000
      var stamp = Google_Protobuf_Timestamp()
      stamp.seconds = milliseconds ? number.flooredQuotient(1000) : number
      stamp.nanos = milliseconds ? Int32(number - stamp.seconds * 1000) * 1_000_000 : 0
      return isInRange(stamp) ? stamp : nil
    }
    guard let read = RFC3339.LocalTime(trimmed, isLenient: true),
      let offset = read.offsetSeconds ?? offsetSeconds
    else { return nil }
    var stamp = Google_Protobuf_Timestamp()
    stamp.seconds = read.seconds - Int64(offset)
    stamp.nanos = Int32(read.nanoseconds)
    return isInRange(stamp) ? stamp : nil
  }

  /// `+09:00`, `-0530`, `Z` in seconds east of UTC.
  static func parseOffset(_ text: String) -> Int? { RFC3339.offsetSeconds(text.trimmed) }

  /// `+09:00`, `-03:30` of seconds east of UTC.
  static func offset(_ seconds: Int) -> String {
    let minutes = abs(seconds) / 60
    return (seconds < 0 ? "-" : "+") + "\(padded(minutes / 60, 2)):\(padded(minutes % 60, 2))"
  }

  /// `2026-11-20 23:10` at an offset.
  static func format(_ stamp: Google_Protobuf_Timestamp, offsetSeconds: Int = 0) -> String {
    let local = stamp.seconds + Int64(offsetSeconds)
    let days = local.flooredQuotient(86_400)
    let minute = (local - days * 86_400) / 60
    let date = CivilDate(daysSince1970: Int(days))
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2)) "
      + "\(padded(Int(minute) / 60, 2)):\(padded(Int(minute) % 60, 2))"
  }

  /// What protobuf allows: years 1 to 9999.
  private static func isInRange(_ stamp: Google_Protobuf_Timestamp) -> Bool {
    RFC3339.seconds.contains(stamp.seconds)
  }

  static func padded(_ value: Int, _ digits: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}

extension Int64 {
  fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
    let (q, r) = quotientAndRemainder(dividingBy: divisor)
    return r < 0 ? q - 1 : q
  }
}
