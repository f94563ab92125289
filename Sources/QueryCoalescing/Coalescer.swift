public import Threading

/// A cache in front of a single flight, so that no answer is worked out twice.
///
/// ```
///  ask -> cached and fresh enough? -- yes --> answer (renewed behind the caller's back if it ages)
///              | no
///              v
///         in flight and reading late enough? -- yes --> wait for it
///              | no
///              v
///         work it out, keep it, answer all who wait
/// ```
public final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// One computation, as its work sees it.
  public typealias Flight = SingleFlight<Key, Value>.Flight

  /// The clock of every moment.
  public let clock: any MonotonicClock
  /// The computations that run, and who waits for them.
  public let flights: SingleFlight<Key, Value>
  /// The answers that are kept for callers who accept some age.
  public let cache: FreshnessCache<Key, Value>
  @usableFromInline let size: @Sendable (Value) -> Int?

  /// Makes a coalescer with a cache of its own.
  ///
  /// - Parameters:
  ///   - clock: The clock of every moment.
  ///   - capacityBytes: The bound of the cache; 0 keeps nothing.
  ///   - limits: How many may wait and how many keys may be in flight.
  ///   - maximumWait: The longest wait of any caller, in nanoseconds.
  ///   - size: The bytes that a value is charged in the cache, `nil` if it must not be kept.
  public init(
    clock: any MonotonicClock, capacityBytes: Int,
    limits: SingleFlight<Key, Value>.Limits = .init(),
    maximumWait: Nanoseconds = 30_000_000_000, size: @escaping @Sendable (Value) -> Int?
  ) {
    self.clock = clock
    self.size = size
    flights = SingleFlight(clock: clock, limits: limits, maximumWait: maximumWait)
    cache = FreshnessCache(capacityBytes: capacityBytes)
  }

  /// Returns an answer whose work waits for something: a provider, a database, a pool of threads.
  ///
  /// - Parameters:
  ///   - key: The question.
  ///   - freshness: What this caller accepts. With `.unlimited` an answer that is kept serves for
  ///     ever.
  ///   - renewAfter: The age from which on an accepted answer is given at once and renewed in the
  ///     background by one of those who ask (stale-while-revalidate).
  ///   - reading: Whether the work itself says when it reads.
  ///   - deadline: This caller's own deadline, a moment of ``clock``.
  ///   - work: Works the answer out, at most once at a time for a key.
  /// - Returns: The answer with its age, and whether it was shared.
  /// - Throws: ``SingleFlightError``, `CancellationError`, and what the work throws; errors are
  ///   shared with those who wait and never kept.
  @inlinable
  public func value(
    for key: Key, freshness: Freshness, renewAfter: Nanoseconds = .max,
    reading: SingleFlight<Key, Value>.ReadingMark = .atStart, deadline: Nanoseconds? = nil,
    _ work: @escaping @Sendable (Flight) async throws -> Value
  ) async throws -> SharedAnswer<Value> {
    if freshness.allowsEarlierReadings {
      if Task.isCancelled { throw CancellationError() }
      let now = clock.now()
      if case .hit(let value, let found, let renew) = cache.lookup(
        key, freshness: freshness, at: now, renewAfter: renewAfter)
      {
        if renew { flights.refresh(key, reading: reading, keeping(key, reading, work)) }
        return SharedAnswer(
          value: value, reading: found, ageNanoseconds: found.age(at: now), isCoalesced: true)
      }
    }
    return try await flights.value(
      for: key, freshness: freshness, reading: reading, deadline: deadline,
      keeping(key, reading, work))
  }

  /// Returns an answer that is worked out at once on this thread, in some ten microseconds, so that
  /// waiting for another caller would cost more than the work. It is shared only through the cache,
  /// and only with callers whose ``Freshness`` accepts earlier readings.
  ///
  /// - Parameters:
  ///   - key: The question.
  ///   - freshness: What this caller accepts.
  ///   - version: The version of the live state, read before the work begins; `nil` if it has none.
  ///   - work: Works the answer out.
  /// - Returns: The answer with its age, and whether it was shared.
  /// - Throws: The error of the work.
  @inlinable
  public func inlineValue<Failure: Error>(
    for key: Key, freshness: Freshness, version: UInt64? = nil,
    _ work: () throws(Failure) -> Value
  ) throws(Failure) -> SharedAnswer<Value> {
    let now = clock.now()
    let reading = Reading(time: now, version: version)
    guard freshness.allowsEarlierReadings else {
      return SharedAnswer(
        value: try work(), reading: reading, ageNanoseconds: 0, isCoalesced: false)
    }
    if case .hit(let value, let found, _) = cache.lookup(key, freshness: freshness, at: now) {
      return SharedAnswer(
        value: value, reading: found, ageNanoseconds: found.age(at: now), isCoalesced: true)
    }
    let value = try work()
    if let bytes = size(value) { cache.insert(key, value, reading: reading, bytes: bytes) }
    return SharedAnswer(value: value, reading: reading, ageNanoseconds: 0, isCoalesced: false)
  }

  @inlinable
  func keeping(
    _ key: Key, _ mark: SingleFlight<Key, Value>.ReadingMark,
    _ work: @escaping @Sendable (Flight) async throws -> Value
  ) -> @Sendable (Flight) async throws -> Value {
    if cache.capacityBytes == 0 { return work }
    return { [cache, size, clock] flight in
      let started = Reading(time: clock.now())
      let value = try await work(flight)
      if let bytes = size(value) {
        cache.insert(
          key, value, reading: mark == .atStart ? started : flight.reading ?? started,
          bytes: bytes)
      }
      return value
    }
  }
}
