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
    var scanner = TimeScanner(trimmed)
    guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2),
      scanner.take("-"), let day = scanner.digits(2),
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    var seconds = date.daysSince1970 * 86_400
    var nanoseconds = 0
    if !scanner.isAtEnd {
      guard scanner.take("T") || scanner.take("t") || scanner.take(" "),
        let hour = scanner.digits(2), scanner.take(":"), let minute = scanner.digits(2),
        hour < 24, minute < 60
      else { return nil }
      seconds += hour * 3600 + minute * 60
      if scanner.take(":") {
        // A leap second is the next minute's first.
        guard let second = scanner.digits(2), second <= 60 else { return nil }
        seconds += second
        if scanner.take(".") {
          guard let fraction = scanner.fraction() else { return nil }
          nanoseconds = fraction
        }
      }
    }
    guard let offset = scanner.offset() ?? (scanner.isAtEnd ? offsetSeconds : nil),
      scanner.isAtEnd
    else { return nil }
    var stamp = Google_Protobuf_Timestamp()
    stamp.seconds = Int64(seconds - offset)
    stamp.nanos = Int32(nanoseconds)
    return isInRange(stamp) ? stamp : nil
  }

  /// `+09:00`, `-0530`, `Z` in seconds east of UTC.
  static func parseOffset(_ text: String) -> Int? {
    var scanner = TimeScanner(text.trimmed)
    guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
    return offset
  }

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

private struct TimeScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text).utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func digits(_ count: Int) -> Int? {
    guard rest.count >= count else { return nil }
    var value = 0
    for byte in rest.prefix(count) {
      guard (48...57).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 48)
    }
    rest.removeFirst(count)
    return value
  }

  /// Nanoseconds; digits past the ninth are dropped.
  mutating func fraction() -> Int? {
    var value = 0
    var count = 0
    while let byte = rest.first, (48...57).contains(byte) {
      if count < 9 { value = value * 10 + Int(byte - 48) }
      count += 1
      rest.removeFirst()
    }
    guard count > 0 else { return nil }
    for _ in 0..<max(0, 9 - count) { value *= 10 }
    return value
  }

  mutating func offset() -> Int? {
    if take("Z") || take("z") { return 0 }
    let isWest = take("-")
    guard isWest || take("+"), let hours = digits(2) else { return nil }
    _ = take(":")
    let minutes = isAtEnd ? 0 : digits(2)
    guard let minutes, hours <= 18, minutes < 60 else { return nil }
    return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}

extension Int64 {
  fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
    let (q, r) = quotientAndRemainder(dividingBy: divisor)
    return r < 0 ? q - 1 : q
  }
}
