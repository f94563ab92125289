import DequeModule
import Dispatch
package import ObjectModel
import Threading

/// A tenant's durable events as readers see them: the newest from memory, older ones from the
/// store; and who waits for more.
///
/// The commit thread is the one publisher. Readers pull by sequence, so that nothing is queued for
/// one that does not come back.
package final class EventFeed: Sendable {
  private struct Tail {
    /// Ascending; all committed events from `floor + 1` on.
    var events: Deque<StoredEvent> = []
    /// Nothing above it is missing from the tail.
    var floor: UInt64
    var oldest: UInt64
    var newest: UInt64
    /// Why the store cannot tell what there is.
    var failure: String?
    var signals: [String: (signal: ChangeSignal, readers: Int)] = [:]
  }

  private let tenant: String
  private let store: any AggregateStore
  private let limit: Int
  private let tail: StateLock<Tail>
  private let signal: ChangeSignal
  /// Of a record that others write to: has it looked at soon, and tells why that is not done.
  struct Behind: Sendable {
    var hurry: @Sendable () -> Void
    var trouble: @Sendable () -> String?
  }
  private let behind = StateLock<Behind?>(nil)
  /// How long a reader waits for a sequence that was never given here.
  private static let reachDuration = Duration.seconds(1)
  /// Where the store is read: callers of ``events(after:kinds:aggregateID:limit:)`` do not block.
  private let queue = DispatchQueue(label: "moyeo-events", attributes: .concurrent)

  package init(tenant: String, store: any AggregateStore, limit: Int) throws(StoreFailure) {
    let bounds = try store.eventBounds(tenant: tenant)
    self.tenant = tenant
    self.store = store
    self.limit = max(1, limit)
    tail = StateLock(Tail(floor: bounds.newest, oldest: bounds.oldest, newest: bounds.newest))
    signal = ChangeSignal(bounds.newest)
  }

  /// A feed of a store that cannot be read: unavailable until ``refresh()`` succeeds.
  package init(tenant: String, store: any AggregateStore, limit: Int, failure: StoreFailure) {
    self.tenant = tenant
    self.store = store
    self.limit = max(1, limit)
    tail = StateLock(Tail(floor: 0, oldest: 1, newest: 0, failure: failure.reason))
    signal = ChangeSignal(0)
  }

  package var newest: UInt64 { tail.withLock { $0.newest } }
  package var bounds: (oldest: UInt64, newest: UInt64) { tail.withLock { ($0.oldest, $0.newest) } }
  /// The newest event, where it is in memory.
  var newestEvent: StoredEvent? {
    tail.withLock { tail in tail.events.last.flatMap { $0.sequence == tail.newest ? $0 : nil } }
  }

  /// Before anybody reads: others write to the record.
  func follows(_ behind: Behind) { self.behind.withLock { $0 = behind } }

  // MARK: Commit thread

  /// Adds committed events. Those that a ``refresh()`` has found already are passed over.
  package func append(_ all: [StoredEvent]) {
    guard let last = all.last else { return }
    let woken = tail.withLock { tail -> [ChangeSignal] in
      let events = all.drop { $0.sequence <= tail.newest }
      guard let first = events.first else { return [] }
      if first.sequence != tail.newest + 1 {
        // What somebody else committed in between is in the store.
        tail.events = []
        tail.floor = first.sequence - 1
      }
      // One that is too old goes for each that comes: what this holds does not grow once it is full.
      for event in events {
        if tail.events.count >= limit, let oldest = tail.events.popFirst() {
          tail.floor = oldest.sequence
        }
        tail.events.append(event)
      }
      tail.newest = last.sequence
      guard !tail.signals.isEmpty else { return [] }
      return Set(events.map(\.aggregateID)).compactMap { tail.signals[$0]?.signal }
    }
    for signal in woken { signal.advance(to: last.sequence) }
    signal.advance(to: last.sequence)
  }

  /// After the record was opened anew, or old events were dropped.
  package func refresh() throws(StoreFailure) {
    let bounds = try store.eventBounds(tenant: tenant)
    let woken = tail.withLock { tail -> [ChangeSignal] in
      tail.oldest = bounds.oldest
      tail.failure = nil
      guard tail.newest != bounds.newest else { return [] }
      // What the tail lacks is in the store.
      tail.events = []
      tail.floor = bounds.newest
      tail.newest = bounds.newest
      return tail.signals.values.map(\.signal)
    }
    for signal in woken { signal.advance(to: bounds.newest) }
    signal.advance(to: bounds.newest)
  }

  /// Adds what was read of a record that others write to.
  ///
  /// - Parameters:
  ///   - events: Those after the newest known, ascending, up to the head's newest or to a limit; those
  ///     in between are in the store then.
  ///   - head: How far the record had come.
  func follow(_ events: [StoredEvent], _ head: RecordHead) {
    let isWhole = events.last.map { $0.sequence == head.newest } ?? true
    if isWhole { append(events) }
    let woken = tail.withLock { tail -> [ChangeSignal] in
      tail.oldest = head.oldest
      tail.failure = nil
      guard tail.newest < head.newest else { return [] }
      tail.events = []
      tail.floor = head.newest
      tail.newest = head.newest
      return tail.signals.values.map(\.signal)
    }
    for signal in woken { signal.advance(to: head.newest) }
    signal.advance(to: head.newest)
  }

  /// Forgets the events in memory: the store's may have been rewritten.
  package func forgetTail() {
    tail.withLock { tail in
      tail.events = []
      tail.floor = tail.newest
    }
  }

  // MARK: Readers

  /// Events above `after`, ascending, at most `limit`.
  package func events(
    after: UInt64, kinds: Set<String>, aggregateID: String?, limit: Int
  ) async throws(EventFeedError) -> EventPage {
    func look() -> Result<EventPage?, EventFeedError> {
      tail.withLock { tail in
        if let reason = tail.failure { return .failure(.unavailable(reason: reason)) }
        guard after <= tail.newest else {
          return .failure(.resumeTokenAhead(newest: tail.newest))
        }
        guard after == 0 || after + 1 >= tail.oldest else {
          return .failure(.resumeTokenExpired(oldest: tail.oldest, newest: tail.newest))
        }
        return .success(
          after >= tail.floor
            ? Self.page(tail, after: after, kinds: kinds, aggregateID: aggregateID, limit: limit)
            : nil)
      }
    }
    var known = look()
    if case .failure(.resumeTokenAhead) = known, try await reach(after) { known = look() }
    if let page = try known.get() { return page }
    let newest = self.newest
    let read = await read { store, tenant throws(StoreFailure) in
      try store.events(
        tenant: tenant, after: after, kinds: kinds, aggregateID: aggregateID, limit: limit)
    }
    switch read {
    case .failure(let failure): throw .unavailable(reason: failure.reason)
    case .success(let all):
      // The store may hold what is not published yet.
      let found = all.filter { $0.sequence <= newest }
      let isFull = all.count >= limit
      return EventPage(
        events: found, next: isFull ? found.last?.sequence ?? after : max(after, newest))
    }
  }

  /// Waits a moment for a sequence that another daemon may have told already.
  /// - Returns: Whether it has come; false: the record does not hold it either.
  /// - Throws: ``EventFeedError/unavailable(reason:)`` where the record holds it and this daemon has not
  ///   followed so far yet, or where the record cannot be asked: waiting mends that, as opposed to a
  ///   sequence that nobody gave.
  private func reach(_ sequence: UInt64) async throws(EventFeedError) -> Bool {
    guard let behind = behind.withLock({ $0 }) else { return false }
    behind.hurry()
    if await signal.wait(past: sequence - 1, atMost: Self.reachDuration) { return true }
    if let trouble = behind.trouble() { throw .unavailable(reason: trouble) }
    let recorded = await read { store, tenant throws(StoreFailure) in
      try store.eventBounds(tenant: tenant).newest
    }
    switch recorded {
    case .failure(let failure): throw .unavailable(reason: failure.reason)
    case .success(let recorded) where recorded >= sequence:
      let known = newest
      if known >= sequence { return true }
      throw .unavailable(
        reason: "this daemon knows the record's events up to \(known) of \(recorded) so far")
    case .success: return false
    }
  }

  /// Asks the store from a thread that may block.
  private func read<Found: Sendable>(
    _ ask: @escaping @Sendable (any AggregateStore, String) throws(StoreFailure) -> Found
  ) async -> Result<Found, StoreFailure> {
    await withCheckedContinuation { done in
      queue.async { [store, tenant] in
        do throws(StoreFailure) {
          done.resume(returning: .success(try ask(store, tenant)))
        } catch {
          done.resume(returning: .failure(error))
        }
      }
    }
  }

  private static func page(
    _ tail: Tail, after: UInt64, kinds: Set<String>, aggregateID: String?, limit: Int
  ) -> EventPage {
    // Binary search for the first above `after`.
    var low = 0
    var high = tail.events.count
    while low < high {
      let middle = (low + high) / 2
      if tail.events[middle].sequence > after { high = middle } else { low = middle + 1 }
    }
    var found: [StoredEvent] = []
    for event in tail.events[low...] {
      guard kinds.isEmpty || kinds.contains(event.kind),
        aggregateID == nil || event.aggregateID == aggregateID
      else { continue }
      found.append(event)
      if found.count >= limit { return EventPage(events: found, next: event.sequence) }
    }
    return EventPage(events: found, next: max(after, tail.newest))
  }

  /// Returns once there is an event above `after` (of one aggregate, if named), the time has passed
  /// or the task is cancelled.
  package func wait(past after: UInt64, aggregateID: String?, atMost time: Duration) async -> Bool {
    guard let aggregateID else { return await signal.wait(past: after, atMost: time) }
    let own = tail.withLock { tail -> ChangeSignal in
      if var known = tail.signals[aggregateID] {
        known.readers += 1
        tail.signals[aggregateID] = known
        return known.signal
      }
      let made = ChangeSignal(0)
      tail.signals[aggregateID] = (made, 1)
      // What came before it was made.
      if let last = tail.events.last(where: { $0.aggregateID == aggregateID }) {
        made.advance(to: last.sequence)
      }
      return made
    }
    let isAbove = await own.wait(past: after, atMost: time)
    tail.withLock { tail in
      guard var known = tail.signals[aggregateID], known.signal === own else { return }
      known.readers -= 1
      tail.signals[aggregateID] = known.readers > 0 ? known : nil
    }
    return isAbove
  }
}

/// Why ``EventFeed/events(after:kinds:aggregateID:limit:)`` has no answer.
package enum EventFeedError: Error, Hashable, Sendable {
  /// Events after this sequence are kept no longer.
  case resumeTokenExpired(oldest: UInt64, newest: UInt64)
  /// The sequence was never given; the newest there is.
  case resumeTokenAhead(newest: UInt64)
  /// The store did not answer.
  case unavailable(reason: String)
}

/// Some of a tenant's events, in the order of their commits.
package struct EventPage: Hashable, Sendable {
  package var events: [StoredEvent]
  /// Ask with it next: the newest sequence that was looked at.
  package var next: UInt64

  package init(events: [StoredEvent], next: UInt64) {
    self.events = events
    self.next = next
  }
}
