/// When somebody can be met by a row's party, and by how many, to the second: what is asked of the rows
/// that ``CorridorEnds`` leave before the rows themselves are looked at. Rounded so that they refuse nobody
/// whom the rules would take.
struct CorridorTimes: Sendable {
  /// Where the window starts, seconds since 1970; the least or the greatest number for all beyond.
  private let start: Int32
  /// How long it is, and how long from its start somebody may be met at most; the greatest number for
  /// all longer ones.
  private let window: UInt16
  private let latest: UInt16
  private let seatsFree: Int8
  let profile: UInt8
  private let flags: CorridorRow.Flags

  init(_ row: CorridorRow) {
    let seconds = row.start / 1000 - (row.start % 1000 < 0 ? 1 : 0)
    start = Int32(clamping: seconds)
    window = UInt16(clamping: Int(row.windowMilliseconds) / 1000 + 2)
    latest = UInt16(max(0, min(row.latestSeconds + 2, Float(UInt16.max))))
    seatsFree = row.seatsFree
    profile = row.profile
    flags = row.flags
  }

  /// The rider who asks, seconds since 1970.
  struct Question {
    var from: Double
    var through: Double
    var now: Double
    var seats: Int8
  }

  /// Whether the party may be met at all.
  ///
  /// - Parameters:
  ///   - question: Who asks.
  ///   - arrivals: Seconds from the departure to the place for a taxi that comes straight from where
  ///     the row begins. It comes no sooner by other halts, and as late as that only if it has none.
  /// - Returns: False where it is out of the question.
  @inline(__always)
  func mayBeMet(_ question: Question, arrivals: ClosedRange<Double>) -> Bool {
    guard seatsFree >= question.seats, flags.contains(.isActive) else { return false }
    let start = start == .min ? -Double.infinity : Double(start)
    let end = isUnbounded(window) ? Double.infinity : Double(self.start) + Double(window)
    let most = isUnbounded(latest) ? Double.infinity : Double(self.start) + Double(latest)
    let last = flags.contains(.isOfOne) ? min(most, end + arrivals.upperBound) : most
    return start + arrivals.lowerBound <= question.through + 1 && last + 1 >= question.from
      && end > question.now && last + 1 >= question.now
  }

  private func isUnbounded(_ span: UInt16) -> Bool { span == .max || start == .max }
}
