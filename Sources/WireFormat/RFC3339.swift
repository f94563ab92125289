package import ObjectModel

/// Writes and reads moments as RFC 3339 text, and bounds what this service takes for a moment.
package enum RFC3339 {
  /// The seconds since 1970 that a moment may have: the years 1 to 9999
  /// (google/protobuf/timestamp.proto).
  package static let seconds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Returns whether seconds and nanoseconds are a valid `google.protobuf.Timestamp`.
  package static func isTimestamp(seconds: Int64, nanoseconds: Int64) -> Bool {
    Self.seconds.contains(seconds) && (0..<1_000_000_000).contains(nanoseconds)
  }

  /// Returns milliseconds since 1970 as the seconds and nanoseconds of a
  /// `google.protobuf.Timestamp`.
  package static func parts(milliseconds: Int64) -> (seconds: Int64, nanoseconds: Int64) {
    let (seconds, rest) = floored(milliseconds, 1000)
    return (seconds, rest * 1_000_000)
  }

  // MARK: Writing

  /// Returns a moment in UTC, with milliseconds only where there are any: `2023-01-31T19:00:00Z`.
  package static func utc(_ instant: Instant) -> String {
    let (seconds, nanoseconds) = parts(milliseconds: instant.milliseconds)
    return text(seconds: seconds, nanoseconds: nanoseconds, suffix: "Z")
  }

  /// Returns a moment in a zone's local time: `2023-02-01T04:00:00+09:00`.
  package static func local(_ instant: Instant, _ offsets: UTCOffsets) -> String {
    let offset = offsets.seconds(at: instant)
    let minutes = Int(offset.magnitude / 60)
    let (seconds, nanoseconds) = parts(
      milliseconds: instant.milliseconds + Int64(offset) * 1000)
    return text(
      seconds: seconds, nanoseconds: nanoseconds,
      suffix: (offset < 0 ? "-" : "+") + padded(minutes / 60, 2) + ":" + padded(minutes % 60, 2))
  }

  /// Appends date and time with no, 3 or 9 digits of fraction, as protobuf prints a Timestamp. The
  /// caller appends the zone.
  package static func append(seconds: Int64, nanoseconds: Int64, to out: inout [UInt8]) {
    let (days, secondOfDay) = floored(seconds, 86_400)
    let date = CivilDate(daysSince1970: Int(days))
    appendPadded(Int64(date.year), digits: 4, to: &out)
    out.append(UInt8(ascii: "-"))
    appendPadded(Int64(date.month), digits: 2, to: &out)
    out.append(UInt8(ascii: "-"))
    appendPadded(Int64(date.day), digits: 2, to: &out)
    out.append(UInt8(ascii: "T"))
    appendPadded(secondOfDay / 3600, digits: 2, to: &out)
    out.append(UInt8(ascii: ":"))
    appendPadded(secondOfDay / 60 % 60, digits: 2, to: &out)
    out.append(UInt8(ascii: ":"))
    appendPadded(secondOfDay % 60, digits: 2, to: &out)
    guard nanoseconds != 0 else { return }
    out.append(UInt8(ascii: "."))
    if nanoseconds % 1_000_000 == 0 {
      appendPadded(nanoseconds / 1_000_000, digits: 3, to: &out)
    } else {
      appendPadded(nanoseconds, digits: 9, to: &out)
    }
  }

  private static func text(seconds: Int64, nanoseconds: Int64, suffix: String) -> String {
    var bytes: [UInt8] = []
    append(seconds: seconds, nanoseconds: nanoseconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self) + suffix
  }

  private static func padded(_ value: Int, _ digits: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  private static func appendPadded(_ value: Int64, digits: Int, to out: inout [UInt8]) {
    let start = out.count
    JSONText.append(value, to: &out)
    let missing = digits - (out.count - start)
    if missing > 0 {
      out.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: missing), at: start)
    }
  }

  private static func floored(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  // MARK: Reading

  /// Reads RFC 3339 text and keeps its milliseconds. Seconds and offset may be left out, and a
  /// space may take the place of T.
  ///
  /// - Parameters:
  ///   - text: The text, all of which must be a moment.
  ///   - localTime: Turns a local time, in milliseconds as if it were UTC, into the moment when
  ///     the text names no offset. It returns nil to refuse such text.
  /// - Returns: The moment, nil for text that is none.
  package static func parse(
    _ text: some StringProtocol, localTime: (_ milliseconds: Int64) -> Instant? = { _ in nil }
  ) -> Instant? {
    guard let read = LocalTime(text, isLenient: false) else { return nil }
    let milliseconds = read.seconds * 1000 + read.nanoseconds / 1_000_000
    guard let offset = read.offsetSeconds else { return localTime(milliseconds) }
    return Instant(milliseconds: milliseconds - Int64(offset) * 1000)
  }

  /// What the text of a moment says before anybody knows its zone.
  package struct LocalTime: Hashable, Sendable {
    /// Since 1970, as if the time were UTC.
    package var seconds: Int64
    /// Of the second; digits past the ninth are cut off.
    package var nanoseconds: Int64
    /// East of UTC; nil where the text names no offset.
    package var offsetSeconds: Int?

    /// Reads RFC 3339 text. Seconds and offset may be left out, and a space may take the place of T.
    ///
    /// - Parameters:
    ///   - text: The text, all of which must be a moment.
    ///   - isLenient: Whether what people and other programs' files have is taken as well: a bare
    ///     date, a leap second, which is the next minute's first, and `+0900` or `+09`.
    package init?(_ text: some StringProtocol, isLenient: Bool) {
      var scanner = DigitScanner(bytes: Array(text.utf8))
      guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2),
        scanner.take("-"), let day = scanner.number(2),
        let date = CivilDate(year: year, month: month, day: day)
      else { return nil }
      seconds = Int64(date.daysSince1970) * 86_400
      nanoseconds = 0
      if isLenient && scanner.isAtEnd { return }
      guard scanner.take("T") || scanner.take("t") || scanner.take(" "),
        let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2),
        hour <= 23, minute <= 59
      else { return nil }
      seconds += Int64(hour) * 3600 + Int64(minute) * 60
      if scanner.take(":") {
        guard let second = scanner.number(2), second <= (isLenient ? 60 : 59) else { return nil }
        seconds += Int64(second)
        if scanner.take(".") {
          guard let fraction = scanner.fraction() else { return nil }
          nanoseconds = fraction
        }
      }
      if scanner.isAtEnd { return }
      guard let offset = scanner.offset(isLenient: isLenient), scanner.isAtEnd else { return nil }
      offsetSeconds = offset
    }
  }

  /// Reads `+09:00`, `-0530`, `+09`, `Z`.
  ///
  /// - Returns: Seconds east of UTC; nil for text that is no offset.
  package static func offsetSeconds(_ text: some StringProtocol) -> Int? {
    var scanner = DigitScanner(bytes: Array(text.utf8))
    guard let offset = scanner.offset(isLenient: true), scanner.isAtEnd else { return nil }
    return offset
  }
}

private struct DigitScanner {
  let bytes: [UInt8]
  var position = 0

  var isAtEnd: Bool { position == bytes.count }

  mutating func take(_ character: Character) -> Bool {
    guard position < bytes.count, bytes[position] == character.asciiValue else { return false }
    position += 1
    return true
  }

  mutating func number(_ digits: Int) -> Int? {
    guard position + digits <= bytes.count else { return nil }
    var value = 0
    for byte in bytes[position..<(position + digits)] {
      guard byte >= 48 && byte <= 57 else { return nil }
      value = value * 10 + Int(byte - 48)
    }
    position += digits
    return value
  }

  /// Reads digits after the point as nanoseconds; further digits are cut off.
  mutating func fraction() -> Int64? {
    var value: Int64 = 0
    var scale: Int64 = 100_000_000
    let start = position
    while position < bytes.count, bytes[position] >= 48 && bytes[position] <= 57 {
      value += Int64(bytes[position] - 48) * scale
      scale /= 10
      position += 1
    }
    return position > start ? value : nil
  }

  /// Reads an offset from UTC in seconds east of it. The lenient may lack its colon or its minutes, and
  /// is at most 18 hours, as far as zones of civil time have been apart.
  mutating func offset(isLenient: Bool) -> Int? {
    if take("Z") || take("z") { return 0 }
    let isWest = take("-")
    guard isWest || take("+"), let hours = number(2) else { return nil }
    guard take(":") || isLenient else { return nil }
    let minutes = isLenient && isAtEnd ? 0 : number(2)
    guard let minutes, hours <= (isLenient ? 18 : 23), minutes <= 59 else { return nil }
    return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}
