extension UTCOffsets {
  /// What clocks of a zone make of a local time.
  public struct LocalMoment: Hashable, Sendable {
    /// Whether clocks show the time once, not at all, or twice.
    public enum Kind: Hashable, Sendable {
      case once
      /// Clocks are put forward over it: it is counted on by the offset from before the change, so that
      /// clocks then show it as much later as they were put forward.
      case skipped
      /// Clocks are put back over it: the first of the two is meant.
      case repeated
    }

    /// The moment that is meant.
    public let instant: Instant
    /// How it was found.
    public let kind: Kind
  }

  /// The farthest that local time is from UTC, and a zone's clocks were ever put at once: a day.
  private static let reachMilliseconds: Int64 = 26 * 3_600_000

  /// The moment at which clocks show a local time, as RFC 5545 (3.3.5) has it: a time that a change of
  /// the clocks skips is read by the offset in force before the change, and of one that occurs twice the
  /// first is meant.
  ///
  /// - Parameters:
  ///   - date: The local date.
  ///   - minute: Of the local day as clocks name it, 0 to 1439.
  /// - Returns: The moment, and whether clocks show the time once.
  /// - Complexity: O(log transitions).
  public func moment(of date: CivilDate, minute: Int) -> LocalMoment {
    let local = Int64(date.daysSince1970) * 86_400_000 + Int64(minute) * 60_000
    let from = Instant(milliseconds: local - Self.reachMilliseconds)
    var offset = seconds(at: from)
    // Of the first change that puts clocks forward over the time: the offset before it.
    var before: Int?
    var found: [Instant] = []
    func look(_ offset: Int) {
      let instant = Instant(milliseconds: local - Int64(offset) * 1000)
      if seconds(at: instant) == offset, !found.contains(instant) { found.append(instant) }
    }
    look(offset)
    for transition in transitions[firstIndex(after: from)...] {
      let start = transition.start.milliseconds
      guard start <= local + Self.reachMilliseconds else { break }
      if before == nil, start + Int64(offset) * 1000 <= local,
        local < start + Int64(transition.seconds) * 1000
      {
        before = offset
      }
      offset = transition.seconds
      look(offset)
    }
    if let first = found.min() {
      return LocalMoment(instant: first, kind: found.count > 1 ? .repeated : .once)
    }
    return LocalMoment(
      instant: Instant(milliseconds: local - Int64(before ?? offset) * 1000), kind: .skipped)
  }

  /// The local date at a moment.
  public func date(at instant: Instant) -> CivilDate {
    let local = instant.milliseconds + Int64(seconds(at: instant)) * 1000
    let day: Int64 = 86_400_000
    let days = local >= 0 ? local / day : (local - day + 1) / day
    return CivilDate(daysSince1970: Int(days))
  }

  private func firstIndex(after instant: Instant) -> Int {
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].start <= instant { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
