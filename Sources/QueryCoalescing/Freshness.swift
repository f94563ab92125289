public import Threading

/// Which state of the world an answer shows.
public struct Reading: Hashable, Sendable {
  /// A moment at or before the first read.
  public var time: Nanoseconds
  /// A version the state had reached by then; it grows with every change that can show in the
  /// answer. A sum of block versions will do. `nil` when the source has none.
  public var version: UInt64?

  /// Marks a reading; without a version only its time counts.
  @inlinable
  public init(time: Nanoseconds, version: UInt64? = nil) {
    self.time = time
    self.version = version
  }

  /// How old the reading is, not below 0.
  @inlinable
  public func age(at now: Nanoseconds) -> Nanoseconds {
    let (age, overflow) = now.subtractingReportingOverflow(time)
    return overflow ? (now > time ? .max : 0) : max(0, age)
  }

  /// Whether this one shows a newer state; by version where both have one, else by time.
  @inlinable
  public func isNewer(than other: Reading) -> Bool {
    if let version, let otherVersion = other.version, version != otherVersion {
      return version > otherVersion
    }
    return time > other.time
  }
}

/// What a caller demands of an answer it shares with others.
///
/// A reading is accepted if it reaches `minimumVersion` (when given) and either reaches
/// `sufficientVersion` (when given) or is no older than `maximumAge`.
public struct Freshness: Hashable, Sendable {
  /// Not below 0; 0 accepts readings that begin at the caller's arrival or later.
  public var maximumAge: Nanoseconds
  /// Read your writes: nothing older than this version, whatever its age.
  public var minimumVersion: UInt64?
  /// A reading of this version or later is accepted whatever its age. With the version current at
  /// arrival, an accepted answer is the one the caller would have worked out itself.
  public var sufficientVersion: UInt64?

  /// Demands an answer read at the caller's arrival, unless something wider is named.
  @inlinable
  public init(
    maximumAge: Nanoseconds = 0, minimumVersion: UInt64? = nil, sufficientVersion: UInt64? = nil
  ) {
    self.maximumAge = max(0, maximumAge)
    self.minimumVersion = minimumVersion
    self.sufficientVersion = sufficientVersion
  }

  /// The state at arrival or later: what a caller gets that works alone.
  public static let current = Freshness()
  /// For questions whose answer does not depend on live state, such as a route.
  public static let unlimited = Freshness(maximumAge: .max)

  /// Whether a caller who arrives `now` may have an answer of this reading.
  @inlinable
  public func accepts(_ reading: Reading, at now: Nanoseconds) -> Bool {
    if let minimumVersion {
      guard let version = reading.version, version >= minimumVersion else { return false }
    }
    return isSatisfiedByVersion(of: reading) || reading.age(at: now) <= maximumAge
  }

  /// Whether the reading's version alone suffices.
  @inlinable
  public func isSatisfiedByVersion(of reading: Reading) -> Bool {
    guard let sufficientVersion, let version = reading.version else { return false }
    return version >= sufficientVersion
  }

  /// Whether any finished answer could be accepted; if not, caches are not worth asking.
  @inlinable
  public var allowsEarlierReadings: Bool { maximumAge > 0 || sufficientVersion != nil }
}

/// A value, and what the caller should know about where it came from.
public struct SharedAnswer<Value> {
  /// The answer itself.
  public var value: Value
  /// Which state it shows.
  public var reading: Reading
  /// Age of the reading when the caller arrived; 0 when it was made later.
  public var ageNanoseconds: Nanoseconds
  /// Whether this caller took the work of another.
  public var isCoalesced: Bool

  /// Puts an answer and its age together.
  @inlinable
  public init(
    value: Value, reading: Reading, ageNanoseconds: Nanoseconds, isCoalesced: Bool
  ) {
    self.value = value
    self.reading = reading
    self.ageNanoseconds = ageNanoseconds
    self.isCoalesced = isCoalesced
  }
}

extension SharedAnswer: Sendable where Value: Sendable {}
