import Dispatch
import Identity
import MoyeoAPI
import ObjectModel
import Synchronization
import Threading

/// How streams behave on the wire (`streams.*`).
package struct StreamSettings: Sendable {
  /// A quiet stream says that it lives.
  package var heartbeatSeconds = 15.0
  /// A reader that took a batch only after so long is told `too_slow_consumer`, and its stream ends.
  package var stallSeconds = 30.0
  /// A reader that takes nothing at all for so long is dropped.
  package var dropSeconds = 60.0
  /// Streams open at once in the whole daemon; one more is `quota_exceeded`.
  package var maximumOpen = 10_000
  /// The same of one tenant; nil: as many as all. In open mode there is one.
  package var maximumPerTenant: Int?
  /// The same of one person; servers read for many.
  package var maximumPerCaller = 100
  /// What is said of single tenants: the most of each.
  package var maximumOfTenant: @Sendable (_ tenant: String) -> Int? = { _ in nil }

  package init() {}
}

/// Carries events from a source to one reader until the reader leaves, the source ends in an
/// error, or the daemon shuts down.
///
/// Memory for a reader is one batch: nothing is pulled before the last batch was taken.
struct StreamPump: Sendable {
  enum Chunk: Sendable {
    /// Never empty.
    case events([StreamEvent])
    /// With the newest resume token, if there was one.
    case heartbeat(String?)
  }

  let settings: StreamSettings
  let shutdown: ShutdownSignal
  /// By which tokens end.
  let clock: any WallClock
  private let open: OpenStreams

  init(
    settings: StreamSettings, shutdown: ShutdownSignal, clock: any WallClock = SystemClock()
  ) {
    self.settings = settings
    self.shutdown = shutdown
    self.clock = clock
    open = OpenStreams(settings: settings, shutdown: shutdown, clock: clock)
  }

  /// Streams open now.
  var openCount: Int { open.count }

  /// Returns when the daemon shuts down, or when the source has said all.
  ///
  /// - Parameters:
  ///   - source: Where the events come from.
  ///   - caller: Who reads; the stream ends with their token.
  ///   - gone: Begun when the reader has left.
  ///   - send: Returns once the reader has taken the chunk.
  /// - Throws: `APIError` for the reader to hear; `CancellationError` when it left, or could not be
  ///   written to, so that there is nobody to tell.
  func run(
    _ source: consuming any EventSource,
    of caller: Caller = .open,
    gone: ShutdownSignal = ShutdownSignal(),
    send: @escaping @Sendable (Chunk) async throws -> Void
  ) async throws {
    let writing = WriteWatch()
    let place = try open.enter(.init(writing: writing, gone: gone, caller: caller))
    defer { open.leave(place) }
    let source = source
    // One task and no more: the caller's could not be cancelled without its last words.
    // Detached, as it would copy the values of its caller's task otherwise.
    let carrying = Task.detached { try await carry(source, writing, send) }
    let listener = gone.listen { carrying.cancel() }
    defer { gone.remove(listener) }
    let result = await withTaskCancellationHandler {
      await carrying.result
    } onCancel: {
      carrying.cancel()
    }
    let isLeft = gone.isShuttingDown && !shutdown.isShuttingDown
    if isLeft, !writing.isWriting, let refusal = caller.refusal(now: clock.now()) {
      throw APIError(refusal)
    }
    // A write that never ended: the reader cannot be told anything.
    if isLeft || writing.isWriting { throw CancellationError() }
    if shutdown.isShuttingDown { return }
    _ = try result.get()
  }

  private func carry(
    _ start: any EventSource, _ writing: WriteWatch,
    _ send: @Sendable (Chunk) async throws -> Void
  ) async throws {
    var source = start
    var lastToken: String?
    let heartbeat = Duration.seconds(settings.heartbeatSeconds)
    var quietSince = ContinuousClock.now
    while !shutdown.isShuttingDown {
      try Task.checkCancellation()
      let patience = max(.milliseconds(1), heartbeat - (ContinuousClock.now - quietSince))
      let events = try await source.next(
        StreamRoom(sharedBy: open.count), patience: patience)
      if let token = events.last(where: { $0.resumeToken != nil })?.resumeToken {
        lastToken = token
      }
      if events.isEmpty {
        if source.isOver { return }
        guard ContinuousClock.now - quietSince >= heartbeat else { continue }
        try await writing.watch { try await send(.heartbeat(lastToken)) }
      } else {
        try await writing.watch { try await send(.events(events)) }
      }
      quietSince = .now
      if writing.lastSeconds > settings.stallSeconds {
        throw APIError(
          .tooSlowConsumer,
          "events were not taken for \(Int(writing.lastSeconds)) s; read on from the last id",
          retryAfterMilliseconds: 1000)
      }
    }
  }
}

/// When the write under way began.
private final class WriteWatch: Sendable {
  /// 0 while nothing is written.
  private let since = Atomic<UInt64>(0)
  private let last = Atomic<UInt64>(0)

  var isWriting: Bool { since.load(ordering: .relaxed) != 0 }

  var seconds: Double {
    let since = since.load(ordering: .relaxed)
    guard since != 0 else { return 0 }
    return Double(DispatchTime.now().uptimeNanoseconds &- since) / 1e9
  }

  /// Of the write before.
  var lastSeconds: Double { Double(last.load(ordering: .relaxed)) / 1e9 }

  func watch(_ write: () async throws -> Void) async throws {
    let start = DispatchTime.now().uptimeNanoseconds
    since.store(start, ordering: .relaxed)
    // Not undone when it throws: a write that was cut off leaves nobody to talk to.
    try await write()
    since.store(0, ordering: .relaxed)
    last.store(DispatchTime.now().uptimeNanoseconds &- start, ordering: .relaxed)
  }
}

/// The streams open now. One task for all of them ends those whose reader takes nothing, or whose
/// token has ended, and all when the daemon shuts down: a task of its own for each would cost more than
/// the stream.
private final class OpenStreams: Sendable {
  struct Stream: Sendable {
    let writing: WriteWatch
    let gone: ShutdownSignal
    let caller: Caller
  }

  struct Person: Hashable, Sendable {
    let tenant: String
    let subject: String
  }

  private struct State {
    var streams: [UInt64: Stream] = [:]
    /// How many each has, of those who have any.
    var byTenant: [String: Int] = [:]
    var byPerson: [Person: Int] = [:]
    var nextPlace: UInt64 = 0
    var isWatched = false
  }

  private let state = StateLock(State())
  private let settings: StreamSettings
  private let shutdown: ShutdownSignal
  private let clock: any WallClock

  init(settings: StreamSettings, shutdown: ShutdownSignal, clock: any WallClock) {
    self.settings = settings
    self.shutdown = shutdown
    self.clock = clock
  }

  var count: Int { state.withLock { $0.streams.count } }

  /// - Returns: The stream's place.
  /// - Throws: `quota_exceeded`.
  func enter(_ stream: Stream) throws(APIError) -> UInt64 {
    let tenant = stream.caller.tenant
    let ofTenant =
      stream.caller.role == .open
      ? nil : settings.maximumOfTenant(tenant) ?? settings.maximumPerTenant
    let person = Self.person(stream.caller)
    let outcome = state.withLock { state -> Result<(place: UInt64, isFirst: Bool), APIError> in
      if state.streams.count >= settings.maximumOpen {
        return .failure(Self.refusal("\(settings.maximumOpen) streams are open already"))
      }
      if let ofTenant, state.byTenant[tenant, default: 0] >= ofTenant {
        return .failure(Self.refusal("this tenant has \(ofTenant) streams open already"))
      }
      if let person, state.byPerson[person, default: 0] >= settings.maximumPerCaller {
        return .failure(Self.refusal("you have \(settings.maximumPerCaller) streams open already"))
      }
      state.nextPlace += 1
      state.streams[state.nextPlace] = stream
      state.byTenant[tenant, default: 0] += 1
      if let person { state.byPerson[person, default: 0] += 1 }
      defer { state.isWatched = true }
      return .success((state.nextPlace, !state.isWatched))
    }
    let (place, isFirst) = try outcome.get()
    if isFirst {
      shutdown.listen { self.endAll() }
      Task.detached { await self.endStalled() }
      Task.detached { await self.endThoseWithoutToken() }
    }
    // The ones before have been ended already.
    if shutdown.isShuttingDown { stream.gone.begin() }
    return place
  }

  /// Who reads, where one person does.
  private static func person(_ caller: Caller) -> Person? {
    guard caller.role == .user, let subject = caller.subject else { return nil }
    return Person(tenant: caller.tenant, subject: subject)
  }

  private static func refusal(_ message: String) -> APIError {
    APIError(.quotaExceeded, message, retryAfterMilliseconds: 5000)
  }

  func leave(_ place: UInt64) {
    state.withLock { state in
      guard let caller = state.streams.removeValue(forKey: place)?.caller else { return }
      // Nothing is kept of who has none.
      func less(_ count: Int?) -> Int? { count.flatMap { $0 > 1 ? $0 - 1 : nil } }
      state.byTenant[caller.tenant] = less(state.byTenant[caller.tenant])
      if let person = Self.person(caller) { state.byPerson[person] = less(state.byPerson[person]) }
    }
  }

  private func endAll() {
    for stream in state.withLock({ Array($0.streams.values) }) { stream.gone.begin() }
  }

  /// How long a token that has ended may still be served, in seconds.
  private static let tokenPatience = 0.25

  /// A stream ends with its token, be that expired or withdrawn.
  private func endThoseWithoutToken() async {
    while !shutdown.isShuttingDown {
      try? await Task.sleep(for: .seconds(Self.tokenPatience))
      let streams = state.withLock { $0.streams.values.filter { $0.caller.role != .open } }
      guard !streams.isEmpty else { continue }
      let now = clock.now()
      for stream in streams where stream.caller.refusal(now: now) != nil { stream.gone.begin() }
    }
  }

  /// A write that lasts longer than any reader may take ends its stream.
  private func endStalled() async {
    while !shutdown.isShuttingDown {
      try? await Task.sleep(for: .seconds(max(0.01, settings.dropSeconds / 4)))
      let streams = state.withLock { Array($0.streams.values) }
      for stream in streams where stream.writing.seconds >= settings.dropSeconds {
        stream.gone.begin()
      }
    }
  }
}
