#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The machine's wall clock (`CLOCK_REALTIME`), which an operator may set forward or back.
public struct SystemClock: WallClock {
  /// Needs nothing: all system clocks read the same time.
  public init() {}

  /// The time since 1970 in whole milliseconds; it may be earlier than an answer given before.
  public func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
