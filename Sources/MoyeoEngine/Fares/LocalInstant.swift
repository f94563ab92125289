import Foundation
public import ObjectModel

extension UTCOffsets {
  /// The offsets of an IANA time zone, with its transitions of 1970-2099; nil when unknown.
  public static func timeZone(_ identifier: String) -> UTCOffsets? {
    guard let zone = TimeZone(identifier: identifier) else { return nil }
    var at = Date(timeIntervalSince1970: 0)
    let end = Date(timeIntervalSince1970: 4_102_444_800)
    let initial = zone.secondsFromGMT(for: at)
    var transitions: [Transition] = []
    while let next = zone.nextDaylightSavingTimeTransition(after: at), next < end, next > at {
      let start = Instant(seconds: Int64(next.timeIntervalSince1970.rounded()))
      transitions.append(Transition(start: start, seconds: zone.secondsFromGMT(for: next)))
      at = next
    }
    return UTCOffsets(initialSeconds: initial, transitions: transitions)
  }

  /// The moment at which clocks show a local time. A time that a change skips is taken as if the
  /// change had not happened; of a time that occurs twice, the first.
  public func instant(localMilliseconds: Int64) -> Instant {
    let guess = Instant(milliseconds: localMilliseconds)
    let candidates = [
      seconds(at: guess.advanced(milliseconds: -86_400_000)),
      seconds(at: guess.advanced(milliseconds: 86_400_000)),
    ]
    for offset in candidates {
      let instant = guess.advanced(milliseconds: -Int64(offset) * 1000)
      if seconds(at: instant) == offset { return instant }
    }
    return guess.advanced(milliseconds: -Int64(candidates[0]) * 1000)
  }
}

/// Moments as text: `2023-02-01T04:00:00+09:00`, or without the offset in a time zone's local time.
public enum LocalInstant {
  /// RFC 3339 (seconds and offset may be left out; a space may stand for T), milliseconds kept.
  /// - Parameter offsets: For text without an offset; nil: such text is refused.
  public static func parse(_ text: some StringProtocol, in offsets: UTCOffsets?) -> Instant? {
    var scanner = DigitScanner(bytes: Array(text.utf8))
    guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2),
      scanner.take("-"), let day = scanner.number(2),
      scanner.take("T") || scanner.take("t") || scanner.take(" "),
      let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2),
      let date = CivilDate(year: year, month: month, day: day), hour <= 23, minute <= 59
    else { return nil }
    var milliseconds: Int64 = 0
    if scanner.take(":") {
      guard let second = scanner.number(2), second <= 59 else { return nil }
      milliseconds = Int64(second) * 1000
      if scanner.take(".") {
        guard let fraction = scanner.fraction() else { return nil }
        milliseconds += Int64(fraction)
      }
    }
    let local =
      Int64(date.daysSince1970) * 86_400_000 + Int64(hour) * 3_600_000 + Int64(minute) * 60_000
      + milliseconds
    if scanner.isAtEnd { return offsets?.instant(localMilliseconds: local) }
    if scanner.take("Z") || scanner.take("z") {
      return scanner.isAtEnd ? Instant(milliseconds: local) : nil
    }
    let sign: Int64
    if scanner.take("+") { sign = 1 } else if scanner.take("-") { sign = -1 } else { return nil }
    guard let hours = scanner.number(2), scanner.take(":"), let minutes = scanner.number(2),
      hours <= 23, minutes <= 59, scanner.isAtEnd
    else { return nil }
    return Instant(milliseconds: local - sign * Int64(hours * 60 + minutes) * 60_000)
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

  /// Digits after the point as milliseconds, the rest cut off.
  mutating func fraction() -> Int? {
    var value = 0
    var scale = 100
    let start = position
    while position < bytes.count, bytes[position] >= 48 && bytes[position] <= 57 {
      value += Int(bytes[position] - 48) * scale
      scale /= 10
      position += 1
    }
    return position > start ? value : nil
  }
}
