import Threading

/// One event of a stream, the same for server-sent events and gRPC.
struct StreamEvent: Sendable {
  /// SSE's `event:`.
  let kind: String
  /// SSE's `id:`: a reader that comes back with it gets what follows this event. `nil` leaves the
  /// reader's last one as it is.
  let resumeToken: String?
  /// The encoded event message; JSON is derived from it.
  let message: [UInt8]

  init(kind: String, resumeToken: String?, message: [UInt8]) {
    self.kind = kind
    self.resumeToken = resumeToken
    self.message = message
  }
}

/// How much a reader takes at a time: what stands in memory for it besides the socket's buffers.
struct StreamRoom: Sendable {
  var events = 128
  /// Of encoded events; their JSON is about three times as long.
  var bytes = 3 << 10

  /// What all streams together hold at a time, in bytes of encoded events.
  static let sharedBytes = 1 << 20

  init(events: Int = 128, bytes: Int = 3 << 10) {
    self.events = events
    self.bytes = bytes
  }

  /// The part of one of so many streams: less for each when there are many, so that a thousand
  /// readers that have all fallen behind hold no more than a hundred do.
  init(sharedBy streams: Int) {
    self.init(bytes: min(8 << 10, max(1 << 10, Self.sharedBytes / max(1, streams))))
  }
}

/// Where a stream's events come from: pulled, one reader a source.
///
/// A source holds a position, not a queue. Events are asked for when the reader has taken the ones
/// before, so a slow reader costs the same as a fast one, and what changed meanwhile can merge
/// (soft streams) or is read from the log later (durable ones).
protocol EventSource: Sendable {
  /// The next events, oldest first, at most about what `room` says.
  ///
  /// Waits for them at most `patience`; answers `[]` when nothing came, earlier if it likes.
  /// - Throws: `APIError` to end the stream with its reason, `CancellationError`.
  mutating func next(_ room: StreamRoom, patience: Duration) async throws -> [StreamEvent]
  /// Nothing will ever come again: the stream ends well.
  var isOver: Bool { get }
}

extension EventSource {
  var isOver: Bool { false }
}

/// A durable stream: events of a log that numbers them, read from a position on.
///
/// ```swift
/// EventLogSource(after: sequence, signal: log.signal) { after, room in
///   let page = try await log.events(after: after, limit: room.events)
///   return .init(events: page.map(streamEvent), reached: page.reached)
/// }
/// ```
/// No gap and no duplicate: the position moves only with what was handed out.
struct EventLogSource: EventSource {
  struct Page: Sendable {
    var events: [StreamEvent]
    /// The last sequence looked at, those left out by a filter included.
    var reached: UInt64
  }

  /// The last sequence handed out or passed over.
  private(set) var position: UInt64
  private let wait: @Sendable (_ past: UInt64, Duration) async -> Void
  private let read: @Sendable (_ after: UInt64, StreamRoom) async throws -> Page

  /// - Parameters:
  ///   - after: The reader has all events up to this sequence.
  ///   - wait: Returns once there may be an event past a sequence, or the time has passed.
  ///   - read: Events after a sequence, oldest first; throws `resume_token_expired` when they are
  ///     kept no more.
  init(
    after: UInt64, wait: @escaping @Sendable (_ past: UInt64, Duration) async -> Void,
    read: @escaping @Sendable (_ after: UInt64, StreamRoom) async throws -> Page
  ) {
    position = after
    self.wait = wait
    self.read = read
  }

  /// The same for a log whose newest sequence is told by `signal`.
  init(
    after: UInt64, signal: ChangeSignal,
    read: @escaping @Sendable (_ after: UInt64, StreamRoom) async throws -> Page
  ) {
    self.init(
      after: after, wait: { _ = await signal.wait(past: $0, atMost: $1) }, read: read)
  }

  mutating func next(_ room: StreamRoom, patience: Duration) async throws -> [StreamEvent] {
    let end = ContinuousClock.now + patience
    while true {
      let page = try await read(position, room)
      let isStill = page.reached <= position
      position = max(position, page.reached)
      if !page.events.isEmpty { return page.events }
      try Task.checkCancellation()
      let left = end - .now
      guard left > .zero else { return [] }
      // After a page of events that were all left out the next one is read at once.
      if isStill { await wait(position, left) }
    }
  }
}

extension EventSource {
  /// One answer to a long poll: what is there, or the first that comes within `wait`.
  mutating func poll(_ room: StreamRoom, wait: Duration, shutdown: ShutdownSignal) async throws
    -> [StreamEvent]
  {
    let poll = LongPoll(wait, shutdown: shutdown)
    while true {
      let slice = try poll.nextSlice()
      let events = try await next(room, patience: slice ?? .zero)
      guard events.isEmpty, slice != nil else { return events }
    }
  }
}
