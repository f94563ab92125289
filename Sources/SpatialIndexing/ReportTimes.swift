/// When a report was made and when it expires, both exact to the millisecond, in 64 bits.
///
///     | observedAt - base: 37 bits, 4.3 years | time to live: 27 bits, 37 hours | one slot word
///
/// Two times to live are marks: *never*, and *wide* for reports that do not fit, which stand in
/// a side array that takes memory only when there are such reports.
struct ReportTimes: ~Copyable {
  struct Wide: BitwiseCopyable {
    var observedAt: Int64
    var expiresAt: Int64
  }

  private static let lifeBits: UInt64 = 27
  private static let lifeMask: UInt64 = 1 << lifeBits - 1
  private static let never: UInt64 = lifeMask
  private static let wide: UInt64 = lifeMask - 1

  /// Milliseconds that the packed moments count from; set by the first report.
  private(set) var base: Int64 = 0
  private var isBased = false
  private var wideTimes = VirtualArray<Wide>(maximumCount: PointTree.maximumPoints)

  /// Bytes of the side array.
  var wideBytes: Int { wideTimes.capacity * MemoryLayout<Wide>.stride }

  /// Chooses the base on first use: a month before `now`.
  @inline(__always)
  mutating func startIfNeeded(now: Int64) {
    if !isBased {
      isBased = true
      base = max(now, -(1 << 62)) - 30 * 86_400_000
    }
  }

  @inline(__always)
  mutating func pack(slot: UInt32, observedAt: Int64, expiresAt: Int64) -> UInt64 {
    // Safe: wrapping differences of far-off moments fail one of the bounds or the overflow test.
    let (offset, overflow) = observedAt.subtractingReportingOverflow(base)
    let (life, lifeOverflow) = expiresAt.subtractingReportingOverflow(observedAt)
    if !overflow && offset >= 0 && offset < 1 << 37 {
      if expiresAt == .max { return UInt64(offset) << Self.lifeBits | Self.never }
      if !lifeOverflow && life >= 0 && life < Int64(Self.wide) {
        return UInt64(offset) << Self.lifeBits | UInt64(life)
      }
    }
    wideTimes.ensure(count: Int(slot) + 1)
    wideTimes[slot] = Wide(observedAt: observedAt, expiresAt: expiresAt)
    return Self.wide
  }

  @inline(__always)
  func observedAt(_ slot: UInt32, _ packed: UInt64) -> Int64 {
    if packed & Self.lifeMask == Self.wide { return wideTimes[slot].observedAt }
    return base + Int64(packed >> Self.lifeBits)
  }

  @inline(__always)
  func expiresAt(_ slot: UInt32, _ packed: UInt64) -> Int64 {
    let life = packed & Self.lifeMask
    if life < Self.wide { return base + Int64(packed >> Self.lifeBits) + Int64(life) }
    return life == Self.never ? .max : wideTimes[slot].expiresAt
  }

  /// Expiry in ticks of 1,024 ms since the base, rounded down and kept within 0...2^32 - 1: what is
  /// expired at `now` has a tick of at most `now`'s.
  @inline(__always)
  func tick(_ milliseconds: Int64) -> UInt32 {
    if milliseconds == .max { return .max }
    let (offset, overflow) = milliseconds.subtractingReportingOverflow(base)
    if overflow { return milliseconds < 0 ? 0 : .max }
    return UInt32(clamping: offset >> 10)
  }
}
