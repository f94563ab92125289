/// A time zone as data: the offset from UTC in force from each transition on.
///
/// The algorithm modules read no time-zone database; the engine fills this from one.
public struct UTCOffsets: Hashable, Sendable {
  /// From `start` on, local time = UTC + `seconds`.
  public struct Transition: Hashable, Sendable {
    /// When the offset begins to hold.
    public let start: Instant
    /// Seconds east of UTC.
    public let seconds: Int

    /// Describes a transition.
    public init(start: Instant, seconds: Int) {
      self.start = start
      self.seconds = seconds
    }
  }

  /// In force before the first transition.
  public let initialSeconds: Int
  /// Ascending by start.
  public let transitions: [Transition]

  /// Makes a table; without transitions the first offset always holds.
  public init(initialSeconds: Int, transitions: [Transition] = []) {
    self.initialSeconds = initialSeconds
    self.transitions = transitions.sorted { $0.start < $1.start }
  }

  /// Seconds east of UTC at a moment. - Complexity: O(log transitions).
  public func seconds(at instant: Instant) -> Int {
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].start <= instant { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? initialSeconds : transitions[low - 1].seconds
  }

  /// The first transition after a moment.
  public func nextTransition(after instant: Instant) -> Transition? {
    transitions.first { $0.start > instant }
  }
}
