import Foundation
package import ObjectModel
import WireFormat

extension UTCOffsets {
  /// The offsets of an IANA time zone, with its transitions of 1970-2099; nil when unknown.
  package static func timeZone(_ identifier: String) -> UTCOffsets? {
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
  package func instant(localMilliseconds: Int64) -> Instant {
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
package enum LocalInstant {
  /// RFC 3339 (seconds and offset may be left out; a space may stand for T), milliseconds kept.
  ///
  /// - Parameters:
  ///   - text: All of it is read.
  ///   - offsets: For text without an offset; nil: such text is refused.
  /// - Returns: nil for text that is no moment.
  package static func parse(_ text: some StringProtocol, in offsets: UTCOffsets?) -> Instant? {
    RFC3339.parse(text) { offsets?.instant(localMilliseconds: $0) }
  }
}
