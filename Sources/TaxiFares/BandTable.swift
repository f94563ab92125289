import ObjectModel

/// The surcharges of a tariff, ready for "which are active now, and until when".
struct BandTable: Sendable {
  static let dayMilliseconds: Int64 = 86_400_000

  let offsets: UTCOffsets
  /// All bands of all surcharges.
  let bands: [(band: LocalTimeBand, bit: UInt64)]
  let surchargeCount: Int
  /// Local milliseconds of the day at which the set of active surcharges may change; ascending.
  let edges: [Int64]
  /// Bit i: surcharge i is decided along the trip.
  let alongMask: UInt64

  init(_ content: TariffContent) {
    offsets = content.offsets
    surchargeCount = content.surcharges.count
    var edges: Set<Int64> = [0]
    var along: UInt64 = 0
    var bands: [(band: LocalTimeBand, bit: UInt64)] = []
    for (i, surcharge) in content.surcharges.enumerated() {
      if surcharge.chosen == .along { along |= 1 << UInt64(i) }
      for band in surcharge.bands {
        bands.append((band, 1 << UInt64(i)))
        edges.insert(Int64(band.fromMinute) * 60_000)
        edges.insert(Int64(band.toMinute % 1440) * 60_000)
      }
    }
    self.bands = bands
    self.edges = edges.sorted()
    alongMask = along
  }

  /// Bit i: surcharge i is active at the moment.
  func active(at instant: Instant) -> UInt64 {
    let (weekday, millisecond) = localTime(instant)
    var mask: UInt64 = 0
    for entry in bands
    where mask & entry.bit == 0 && entry.band.contains(weekday: weekday, millisecond: millisecond) {
      mask |= entry.bit
    }
    return mask
  }

  /// The first moment after `instant` at which ``active(at:)`` may differ: the next band edge in
  /// local time, midnight, or the next change of the offset from UTC.
  func nextEdge(after instant: Instant) -> Instant {
    let (_, millisecond) = localTime(instant)
    let edge = edges.first { $0 > millisecond } ?? Self.dayMilliseconds
    let byClock = instant.advanced(milliseconds: edge - millisecond)
    if let change = nextTransition(after: instant), change < byClock { return change }
    return byClock
  }

  /// - Returns: Weekday (0 Monday ... 6 Sunday) and millisecond of the local day.
  func localTime(_ instant: Instant) -> (weekday: Int, millisecond: Int64) {
    // Safe: validation bounds the offset, `FareLimits` the moment.
    let local = instant.milliseconds + Int64(offsets.seconds(at: instant)) * 1000
    var day = local / Self.dayMilliseconds
    var millisecond = local % Self.dayMilliseconds
    if millisecond < 0 {
      millisecond += Self.dayMilliseconds
      day -= 1
    }
    // 1970-01-01 was a Thursday.
    let weekday = Int(((day + 3) % 7 + 7) % 7)
    return (weekday, millisecond)
  }

  private func nextTransition(after instant: Instant) -> Instant? {
    let transitions = offsets.transitions
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].start <= instant { low = middle + 1 } else { high = middle }
    }
    return low < transitions.count ? transitions[low].start : nil
  }
}
