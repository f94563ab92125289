public import Threading

/// A cache in front of a single flight: nobody's question is worked out twice.
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
  /// One computation, as the one who works it out sees it.
  public typealias Flight = SingleFlight<Key, Value>.Flight

  /// Tells every moment.
  public let clock: any MonotonicClock
  /// Shares computations that run.
  public let flights: SingleFlight<Key, Value>
  /// Keeps answers for those who accept some age.
  public let cache: FreshnessCache<Key, Value>
  @usableFromInline let size: @Sendable (Value) -> Int?

  /// Makes a coalescer with a cache of its own.
  ///
  /// - Parameters:
  ///   - clock: Tells every moment.
  ///   - capacityBytes: The bound of the cache; 0 keeps nothing.
  ///   - limits: How many may wait and how many keys may be in flight.
  ///   - maximumWait: No caller waits longer, nanoseconds.
  ///   - size: The bytes a value is charged in the cache, `nil` if it must not be kept.
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

  /// An answer that takes waiting to work out: a provider, a database, a pool of threads.
  ///
  /// - Parameters:
  ///   - key: What is asked.
  ///   - freshness: What this caller accepts; `.unlimited` never asks twice while it is kept.
  ///   - renewAfter: An answer older than this, but accepted, is given at once and renewed in the
  ///     background by one of those who ask (stale-while-revalidate).
  ///   - reading: Whether the work itself says when it reads.
  ///   - deadline: This caller's own, a moment of ``clock``.
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

  /// An answer that is worked out at once on this thread, in some ten microseconds: waiting for
  /// another caller would cost more than the work. It is shared through the cache only, and only
  /// with callers whose ``Freshness`` accepts earlier readings.
  ///
  /// - Parameters:
  ///   - key: What is asked.
  ///   - freshness: What this caller accepts.
  ///   - version: Of the live state, read before the work begins; `nil` if it has none.
  ///   - work: Works the answer out.
  /// - Returns: The answer with its age, and whether it was shared.
  /// - Throws: What the work throws.
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
