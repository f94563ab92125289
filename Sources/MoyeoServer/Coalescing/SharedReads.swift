import MoyeoAPI
import Threading
import ObjectModel
import QueryCoalescing
import SwiftProtobuf
import WireFormat

/// How reads are shared (`coalescing.*`).
package struct CoalescingSettings: Sendable, Hashable {
  /// Without, every request is worked out by itself; the answers are the same.
  package var isOn = true
  /// Bytes of answers kept for callers who allow staleness.
  package var cacheBytes = 64 << 20
  /// What a caller may allow at most.
  package var maximumStalenessSeconds = 60.0
  /// How long a read may wait for a thread of the pool and work there, in milliseconds.
  package var longReadMilliseconds = 5000

  package init() {}

  /// When a read that begins to wait for the pool now is given up.
  func deadline() -> WorkDeadline {
    WorkDeadline(.now + .milliseconds(longReadMilliseconds))
  }
}

/// Answers of reads that callers share, so that nobody's question is worked out twice.
///
/// - A short read is worked out on the spot: joining another caller would cost more. It is shared
///   through the cache, with callers who allow staleness (`maxStalenessSeconds`, or
///   `Cache-Control: max-age` over HTTP).
/// - A heavy one waits for a thread of the pool: all who ask the same until it begins to read
///   share one computation, whatever staleness they allow, since it reads after they came.
///
/// A kept answer is given only while nothing in it has expired.
final class SharedReads: Sendable {
  /// A question: the call and its encoded request, without what says how fresh an answer must be.
  struct Question: Hashable, Sendable {
    let call: String
    let request: [UInt8]

    init(call: String, _ request: some Message) {
      self.call = call
      // Safe: messages that were decoded can be encoded; one that could not shares with nobody.
      self.request = (try? request.serializedBytes()) ?? Array("\(request)".utf8)
    }

    /// An array would hash its bytes one by one.
    func hash(into hasher: inout Hasher) {
      hasher.combine(call)
      request.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  /// Encoded, but for `age` and `coalesced`.
  struct Answer: Sendable {
    var bytes: [UInt8]
    /// When the first object in it expires.
    var expiresAt: ObjectModel.Instant = .distantFuture
  }

  struct Shared: Sendable {
    let answer: Answer
    let ageSeconds: Double
    let isCoalesced: Bool

    /// With `age` and `coalesced`, which most answers that are shared so have as fields 4 and 5.
    var encoded: [UInt8] { encoded(age: 4, coalesced: 5) }

    func encoded(age: Int, coalesced: Int) -> [UInt8] {
      var writer = ProtobufWriter(answer.bytes)
      writer.double(age, ageSeconds)
      writer.bool(coalesced, isCoalesced)
      return writer.bytes
    }
  }

  /// What a caller demands of an answer.
  struct Demand: Sendable {
    var maximumStaleness: Nanoseconds = 0
    /// Of the layer's counter; read your writes.
    var minimumVersion: UInt64?

    fileprivate var freshness: Freshness {
      Freshness(maximumAge: maximumStaleness, minimumVersion: minimumVersion)
    }
  }

  private let settings: CoalescingSettings
  private let coalescer: Coalescer<Question, Answer>
  private let threadPool: BoundedThreadPool
  /// Whose turn the work takes on the pool.
  private let turn: UInt64

  init(
    settings: CoalescingSettings = CoalescingSettings(),
    threadPool: BoundedThreadPool = BoundedThreadPool(),
    clock: any MonotonicClock = SystemMonotonicClock(), turn: UInt64 = 0
  ) {
    self.turn = turn
    self.settings = settings
    self.threadPool = threadPool
    coalescer = Coalescer(clock: clock, capacityBytes: settings.isOn ? settings.cacheBytes : 0) {
      $0.bytes.count
    }
  }

  var cacheStatistics: FreshnessCacheStatistics { coalescer.cache.statistics }
  var flightStatistics: SingleFlightStatistics { coalescer.flights.statistics }

  /// The staleness a caller allows, in nanoseconds, bounded by the settings.
  func staleness(_ seconds: Double?) throws(APIError) -> Nanoseconds {
    guard let seconds else { return 0 }
    guard seconds >= 0 else {
      throw APIError(
        .limitOutOfRange, field: "maxStalenessSeconds",
        "maxStalenessSeconds is 0 or more; got \(seconds)")
    }
    return Nanoseconds(min(seconds, settings.maximumStalenessSeconds) * 1e9)
  }

  /// Answers a read of some ten microseconds, from the cache where the caller allows staleness.
  ///
  /// - Parameters:
  ///   - question: Asked for only when the caller allows staleness.
  ///   - demand: How fresh the caller wants the answer.
  ///   - version: Of the live state, read before the work begins.
  ///   - now: The time by which objects of a kept answer have expired or not.
  ///   - work: Works the answer out, on the caller's thread.
  /// - Returns: The answer, with its age and whether it was shared.
  /// - Throws: What `work` throws.
  func onEventLoop(
    _ question: @autoclosure () -> Question, _ demand: Demand, version: UInt64?,
    now: ObjectModel.Instant, _ work: () throws(APIError) -> Answer
  ) throws(APIError) -> Shared {
    guard settings.isOn, demand.maximumStaleness > 0 else {
      return Shared(answer: try work(), ageSeconds: 0, isCoalesced: false)
    }
    let key = question()
    var found = try coalescer.inlineValue(
      for: key, freshness: demand.freshness, version: version, work)
    if found.isCoalesced, found.value.expiresAt <= now {
      coalescer.cache.remove(key)
      found = try coalescer.inlineValue(
        for: key, freshness: demand.freshness, version: version, work)
    }
    return Self.shared(found)
  }

  /// A read too long for an event loop.
  func heavy(
    _ question: Question, _ demand: Demand, version: @escaping @Sendable () -> UInt64?,
    now: ObjectModel.Instant, _ work: @escaping @Sendable (WorkCaller) throws(APIError) -> Answer
  ) async throws -> Shared {
    let deadline = settings.deadline()
    do {
      guard settings.isOn else {
        let answer = try await threadPool.run(caller: turn) { isCancelled in
          try work(WorkCaller(deadline: deadline, isCancelled: isCancelled))
        }
        return Shared(answer: answer, ageSeconds: 0, isCoalesced: false)
      }
      let ask = { [coalescer, threadPool, turn] () async throws -> SharedAnswer<Answer> in
        try await coalescer.value(
          for: question, freshness: demand.freshness, reading: .whenMarked
        ) { flight in
          try await threadPool.run(caller: turn) { isCancelled in
            flight.willRead(version: version())
            return try work(WorkCaller(deadline: deadline, isCancelled: isCancelled))
          }
        }
      }
      let found = try await ask()
      guard found.ageNanoseconds > 0, found.value.expiresAt <= now else {
        return Self.shared(found)
      }
      coalescer.cache.remove(question)
      return Self.shared(try await ask())
    } catch ThreadPoolError.overloaded(_) {
      throw Self.overloaded
    } catch let error as SingleFlightError {
      switch error {
      case .deadlineExceeded:
        throw APIError(.deadlineExceeded, "the answer did not come in time")
      case .tooManyWaiters, .tooManyKeys:
        throw APIError(
          .overloaded, "too many wait for this answer already", retryAfterMilliseconds: 200)
      }
    }
  }

  /// Refuses a read that is for the pool before anything of it is read, where it would be refused
  /// anyway: what a refusal costs is taken from those that are answered.
  ///
  /// - Parameter keepsPlace: Whether the read counts as one that waits until ``arrived()`` is called.
  /// - Throws: `overloaded`.
  func refuseWhileCrowded(keepsPlace: Bool = false) throws(APIError) {
    if threadPool.refusal(caller: turn, keepsPlace: keepsPlace) != nil { throw Self.overloaded }
  }

  /// Says that a read whose place was kept is about to be worked out.
  func arrived() { threadPool.arrived(caller: turn) }

  /// One sentence for all, so that what is made of it is made once and HTTP/2 sends it as an index.
  private static let overloaded = APIError(
    .overloaded, "as many long reads wait already as may", retryAfterMilliseconds: 200)

  /// Does work that is nobody else's: on the pool if it is too long for an event loop, else here.
  ///
  /// - Throws: `overloaded` when as many as may wait do so already, and what `work` throws.
  func onPool<Answer: Sendable>(
    if isHeavy: Bool = true,
    _ work: @escaping @Sendable (WorkCaller) throws(APIError) -> Answer
  ) async throws -> Answer {
    guard isHeavy else { return try work(WorkCaller()) }
    let deadline = settings.deadline()
    do {
      return try await threadPool.run(caller: turn) { isCancelled in
        try work(WorkCaller(deadline: deadline, isCancelled: isCancelled))
      }
    } catch ThreadPoolError.overloaded(_) {
      throw Self.overloaded
    }
  }

  private static func shared(_ found: SharedAnswer<Answer>) -> Shared {
    Shared(
      answer: found.value, ageSeconds: Double(found.ageNanoseconds) / 1e9,
      isCoalesced: found.isCoalesced)
  }
}

extension ProtobufWriter {
  /// `age` and `coalesced`.
  mutating func sharing(ageSeconds: Double, isCoalesced: Bool) {
    double(4, ageSeconds)
    bool(5, isCoalesced)
  }
}
