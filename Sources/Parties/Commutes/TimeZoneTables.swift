import Foundation
package import ObjectModel
import Threading

/// The offsets of time zones by their IANA names, read from the system's database once each.
package final class TimeZoneTables: Sendable {
  /// Of all that daemons serve.
  package static let shared = TimeZoneTables()

  /// Zones are about 600; other spellings of theirs do not add up to much more.
  private static let maximumTables = 1024
  private static let nameBytes = 1...64
  /// 2000-01-01 to 2100-01-01, in seconds since 1970.
  private static let range: ClosedRange<Int64> = 946_684_800...4_102_444_800
  /// Between two looks for another offset: no zone changes its clocks twice so close together.
  private static let stepSeconds: Int64 = 4 * 86_400

  private let tables = StateLock<[String: UTCOffsets?]>([:])

  package init() {}

  /// - Returns: The offsets of 2000-2099; nil where there is no such zone.
  /// - Complexity: O(1) once the zone was asked for, else some milliseconds.
  package func offsets(_ name: String) -> UTCOffsets? {
    guard Self.nameBytes.contains(name.utf8.count), Self.looksLikeZone(name) else { return nil }
    if let known = tables.withLock({ $0[name] }) { return known }
    let read = Self.read(name)
    tables.withLock { tables in
      // What is no zone is not remembered in place of one that is.
      guard read != nil, tables.count < Self.maximumTables else { return }
      tables[name] = read
    }
    return read
  }

  /// An area and a city, or UTC; not the abbreviations and offsets that Foundation reads as well.
  private static func looksLikeZone(_ name: String) -> Bool {
    guard name != "UTC" else { return true }
    return name.contains("/")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"),
          UInt8(ascii: "-"), UInt8(ascii: "+"):
          true
        default: false
        }
      }
  }

  /// Looks at the offset every few days rather than for daylight-saving changes alone: zones also move
  /// for good (Asia/Almaty, 2024).
  private static func read(_ name: String) -> UTCOffsets? {
    guard let zone = TimeZone(identifier: name) else { return nil }
    func seconds(_ at: Int64) -> Int {
      zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(at)))
    }
    var transitions: [UTCOffsets.Transition] = []
    let initial = seconds(range.lowerBound)
    var (at, offset) = (range.lowerBound, initial)
    while at < range.upperBound {
      let next = min(at + stepSeconds, range.upperBound)
      let after = seconds(next)
      if after != offset {
        var (low, high) = (at, next)
        while high - low > 1 {
          let middle = (low + high) / 2
          if seconds(middle) == offset { low = middle } else { high = middle }
        }
        offset = seconds(high)
        transitions.append(.init(start: Instant(seconds: high), seconds: offset))
        at = high
      } else {
        at = next
      }
    }
    return UTCOffsets(initialSeconds: initial, transitions: transitions)
  }
}
