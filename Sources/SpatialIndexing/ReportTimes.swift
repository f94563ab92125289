import ObjectModel

/// Packs the times of observation and expiry, exact to the millisecond, into 64 bits.
///
///     | observedAt - base: 37 bits, 4.3 years | time to live: 27 bits, 37 hours | one slot word
///
/// Two times to live are marks: *never* for reports that do not expire, and *wide* for reports that
/// do not fit. The latter stand in a side array, which takes memory only when there are such
/// reports.
struct ReportTimes: ~Copyable {
  struct Wide: BitwiseCopyable {
    var observedAt: Int64
    var expiresAt: Int64
  }

  private static let lifeBits: UInt64 = 27
  private static let lifeMask: UInt64 = 1 << lifeBits - 1
  private static let never: UInt64 = lifeMask
  private static let wide: UInt64 = lifeMask - 1

  /// The moment in milliseconds that packed moments count from; the first report sets it.
  private(set) var base: Int64 = 0
  private var isBased = false
  private var wideTimes: VirtualArray<Wide>

  init(maximumCount: Int, in space: AddressSpace) {
    wideTimes = VirtualArray(maximumCount: maximumCount, in: space)
  }

  /// The bytes of the side array.
  var wideBytes: Int { wideTimes.capacity * MemoryLayout<Wide>.stride }

  /// Sets the base on first use to a month before `now`, and returns whether it did.
  @inline(__always)
  mutating func startIfNeeded(now: Int64) -> Bool {
    if !isBased {
      isBased = true
      base = max(now, -(1 << 62)) - 30 * 86_400_000
      return true
    }
    return false
  }

  @inline(__always)
  mutating func pack(slot: UInt32, observedAt: Int64, expiresAt: Int64) -> UInt64 {
    // Safe: a difference of far-off moments that wraps fails one of the bounds or the overflow
    // test.
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

  /// Returns the packed times of a report that follows one whose times are packed.
  ///
  /// It is `nil` where the earlier report has expired or is newer, where this one would expire
  /// earlier, and for times that do not fit. The caller then compares the times themselves.
  @inline(__always)
  func refreshed(
    _ packed: UInt64, observedAt: Int64, expiresAt: Int64, now: Int64
  ) -> UInt64? {
    let oldLife = packed & Self.lifeMask
    let old = base &+ Int64(packed >> Self.lifeBits)
    let oldExpiry = oldLife == Self.never ? Int64.max : old &+ Int64(oldLife)
    let (offset, overflow) = observedAt.subtractingReportingOverflow(base)
    let (span, spanOverflow) = expiresAt.subtractingReportingOverflow(observedAt)
    // As unsigned numbers negative differences are too great.
    let isNever = expiresAt == .max
    let life = isNever ? Self.never : UInt64(bitPattern: Int64(span))
    guard oldLife != Self.wide, oldExpiry > now, old <= observedAt, oldExpiry <= expiresAt,
      !overflow, UInt64(bitPattern: Int64(offset)) < 1 << 37,
      isNever || (!spanOverflow && life < Self.wide)
    else { return nil }
    return UInt64(bitPattern: Int64(offset)) << Self.lifeBits | life
  }

  @inline(__always)
  var reader: Reader { unsafe Reader(base: base, wide: wideTimes.base) }

  @inline(__always)
  func observedAt(_ slot: UInt32, _ packed: UInt64) -> Int64 { reader.observedAt(slot, packed) }

  @inline(__always)
  func expiresAt(_ slot: UInt32, _ packed: UInt64) -> Int64 { reader.expiresAt(slot, packed) }

  /// Reads packed times.
  @safe struct Reader: BitwiseCopyable {
    fileprivate let base: Int64
    fileprivate let wide: UnsafeMutablePointer<Wide>

    @inline(__always)
    func observedAt(_ slot: UInt32, _ packed: UInt64) -> Int64 {
      if packed & ReportTimes.lifeMask == ReportTimes.wide {
        return unsafe wide[Int(slot)].observedAt
      }
      return base + Int64(packed >> ReportTimes.lifeBits)
    }

    @inline(__always)
    func expiresAt(_ slot: UInt32, _ packed: UInt64) -> Int64 {
      let life = packed & ReportTimes.lifeMask
      if life < ReportTimes.wide {
        return base + Int64(packed >> ReportTimes.lifeBits) + Int64(life)
      }
      return unsafe life == ReportTimes.never ? .max : wide[Int(slot)].expiresAt
    }
  }

  /// Returns a time of expiry in ticks of 1,024 ms since the base, rounded down and clamped to
  /// 0...2^32 - 1: what has expired at `now` has at most `now`'s tick.
  @inline(__always)
  func tick(_ milliseconds: Int64) -> UInt32 {
    if milliseconds == .max { return .max }
    let (offset, overflow) = milliseconds.subtractingReportingOverflow(base)
    if overflow { return milliseconds < 0 ? 0 : .max }
    return UInt32(clamping: offset >> 10)
  }
}
