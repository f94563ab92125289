public import Threading

/// The state of the world that an answer shows.
public struct Reading: Hashable, Sendable {
  /// A moment at or before the first read.
  public var time: Nanoseconds
  /// A version that the state had reached by then; it grows with every change that can show in the
  /// answer. A sum of block versions is one. It is `nil` when the source has none.
  public var version: UInt64?

  /// Describes a reading; without a version only its time counts.
  @inlinable
  public init(time: Nanoseconds, version: UInt64? = nil) {
    self.time = time
    self.version = version
  }

  /// Returns the age of the reading, which is never below 0.
  @inlinable
  public func age(at now: Nanoseconds) -> Nanoseconds {
    let (age, overflow) = now.subtractingReportingOverflow(time)
    return overflow ? (now > time ? .max : 0) : max(0, age)
  }

  /// Returns whether this reading shows a newer state: by version where both have one, else by
  /// time.
  @inlinable
  public func isNewer(than other: Reading) -> Bool {
    if let version, let otherVersion = other.version, version != otherVersion {
      return version > otherVersion
    }
    return time > other.time
  }
}

/// What a caller demands of an answer that it shares with others.
///
/// A reading is accepted if it reaches `minimumVersion` (when given) and either reaches
/// `sufficientVersion` (when given) or is no older than `maximumAge`.
public struct Freshness: Hashable, Sendable {
  /// The greatest age of a reading, not below 0; 0 accepts readings that begin at the caller's
  /// arrival or later.
  public var maximumAge: Nanoseconds
  /// The least version that is accepted, whatever its age, so that callers read their own writes.
  public var minimumVersion: UInt64?
  /// The version from which on a reading is accepted whatever its age. With the version current at
  /// arrival, an accepted answer is the one that the caller would have worked out itself.
  public var sufficientVersion: UInt64?

  /// Describes demands: an answer read at the caller's arrival, unless something wider is given.
  @inlinable
  public init(
    maximumAge: Nanoseconds = 0, minimumVersion: UInt64? = nil, sufficientVersion: UInt64? = nil
  ) {
    self.maximumAge = max(0, maximumAge)
    self.minimumVersion = minimumVersion
    self.sufficientVersion = sufficientVersion
  }

  /// Demands the state at arrival or later, which is what a caller gets that works alone.
  public static let current = Freshness()
  /// Accepts any reading, for questions whose answer does not depend on live state, such as a
  /// route.
  public static let unlimited = Freshness(maximumAge: .max)

  /// Returns whether a caller who arrives `now` may have an answer of this reading.
  @inlinable
  public func accepts(_ reading: Reading, at now: Nanoseconds) -> Bool {
    if let minimumVersion {
      guard let version = reading.version, version >= minimumVersion else { return false }
    }
    return isSatisfiedByVersion(of: reading) || reading.age(at: now) <= maximumAge
  }

  /// Returns whether the reading's version alone suffices.
  @inlinable
  public func isSatisfiedByVersion(of reading: Reading) -> Bool {
    guard let sufficientVersion, let version = reading.version else { return false }
    return version >= sufficientVersion
  }

  /// Whether any finished answer could be accepted; if not, a cache need not be asked.
  @inlinable
  public var allowsEarlierReadings: Bool { maximumAge > 0 || sufficientVersion != nil }
}

/// A value, with what the caller should know about its origin.
public struct SharedAnswer<Value> {
  /// The answer that the reading gave.
  public var value: Value
  /// The state that the answer shows.
  public var reading: Reading
  /// The age of the reading when the caller arrived; 0 when it was made later.
  public var ageNanoseconds: Nanoseconds
  /// Whether this caller got the result of another's work.
  public var isCoalesced: Bool

  /// Makes an answer of its parts.
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
