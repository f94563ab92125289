import NIOCore
import NIOHTTP2

/// The state of the fast path of one connection, without input and output. The handler tells it
/// what arrives and carries out what it returns.
///
/// The states of a call are
/// ```
///        begin            whole request, and room for its answer
///   ────────────→ collecting ───────────────────────────────────→ answered ── close ─→ (gone)
///        │            │ whole request, and no room       ↑  ↑
///        │            └──────────→ waiting ──────────────┘  │
///        │                           answers were taken     │ end, refusal, shutdown
///        └──────────→ streaming ────────────────────────────┘
///                     deferred (from collecting or waiting, while another thread answers)
/// ```
/// and from every state to (gone) when the peer resets it. The connection goes from `serving` to
/// `endingStreams` when a shutdown is announced: unary calls are still begun and answered, streams
/// are not.
///
/// Invariants: `incompleteCalls` is the number of calls in `collecting`; what a call has taken of
/// `requestBytes` is given back when it leaves `collecting`, `waiting` or `streaming`.
struct FastPathState {
  /// One stream of HTTP/2 that the fast path has taken on.
  enum Call {
    /// A unary request is arriving.
    case collecting(FastPathUnaryCall)
    /// A unary request has arrived; it is answered when earlier answers have been taken.
    case waiting(FastPathUnaryCall)
    /// Messages are answered as they come.
    case streaming(FastPathStreamCall)
    /// A unary request is being answered away from the event loop.
    case deferred(FastPathUnaryCall, Task<Void, Never>)
    /// The call is answered or refused and not closed yet; what still comes does not matter.
    case answered
  }

  enum Phase {
    case serving
    /// A shutdown is announced.
    case endingStreams
  }

  /// What is to be done after a piece of a unary request.
  enum Collected {
    /// Nothing is to be done: more must come, or earlier answers must be taken first.
    case nothing
    /// The call is to be answered.
    case complete(FastPathUnaryCall)
    /// The call is to be refused, because there is no room for what it has sent.
    case noRoom
  }

  /// The bytes of unary answers under way from which on requests wait. HTTP/2's windows, unlike
  /// the socket's, do not make the channel unwritable when they are full.
  private static let maximumUnsentBytes = 16 << 20

  private let requestBytes: ConnectionRequestBytes
  private let usage: ConnectionUsage
  private(set) var phase = Phase.serving
  private(set) var calls: [HTTP2StreamID: Call] = [:]
  private var unsentBytes = 0
  private var waiting = CircularBuffer<HTTP2StreamID>()
  /// The calls with a deadline that began with the input that is being read.
  private var begunWithDeadline: [HTTP2StreamID] = []
  private var incompleteCalls = 0
  private var streamCalls = 0
  /// Advances twice in the time in which a request has to arrive, while one is incomplete.
  private(set) var tick = 0

  init(usage: ConnectionUsage) {
    self.usage = usage
    requestBytes = usage.requestBytes
  }

  var hasRoomForAnswers: Bool { unsentBytes < Self.maximumUnsentBytes }
  /// Whether there may be a request that has to be dropped because it does not arrive.
  var mayHaveIncompleteRequests: Bool { incompleteCalls > 0 || streamCalls > 0 }

  // MARK: Transitions

  mutating func begin(_ id: HTTP2StreamID, _ call: FastPathUnaryCall) {
    calls[id] = .collecting(call)
    incompleteCalls += 1
    if call.deadline != nil { begunWithDeadline.append(id) }
  }

  mutating func begin(_ id: HTTP2StreamID, _ call: FastPathStreamCall) {
    calls[id] = .streaming(call)
    streamCalls += 1
    usage.longStreams += 1
  }

  /// Notes that the stream was refused before it became a call.
  mutating func refuse(_ id: HTTP2StreamID) { calls[id] = .answered }

  /// Takes a piece of a unary request.
  mutating func collect(
    _ id: HTTP2StreamID, _ call: FastPathUnaryCall, _ bytes: ByteBuffer?, isLast: Bool
  ) -> Collected {
    if let bytes { call.append(bytes) }
    if call.isTooLarge || (isLast && hasRoomForAnswers) { return .complete(call) }
    // The last bytes may be those of an empty frame, which has nothing to hold.
    let count = call.uncountedBytes
    guard requestBytes.take(count) else { return .noRoom }
    call.ownBody()
    call.heldBytes += count
    if isLast {
      calls[id] = .waiting(call)
      incompleteCalls -= 1
      waiting.append(id)
    }
    return .nothing
  }

  /// Counts what a stream holds after its messages have been answered.
  ///
  /// - Returns: Whether there is room for it.
  mutating func hold(_ call: FastPathStreamCall) -> Bool {
    let pending = call.pendingBytes
    if pending > call.heldBytes {
      guard requestBytes.take(pending - call.heldBytes) else { return false }
    } else {
      requestBytes.giveBack(call.heldBytes - pending)
    }
    call.heldBytes = pending
    // A stream that is full does not read: the caller may be waiting for this server.
    if pending == 0 || call.isFull {
      call.messageBeganAtTick = nil
    } else if call.messageBeganAtTick == nil {
      call.messageBeganAtTick = tick
    }
    return true
  }

  /// Makes room for a request that is too long for the event loop, until another thread has
  /// answered it.
  ///
  /// - Returns: Whether there is room.
  mutating func makeRoomToDefer(_ call: FastPathUnaryCall) -> Bool {
    let count = call.uncountedBytes
    guard requestBytes.take(count) else { return false }
    call.heldBytes += count
    return true
  }

  /// Lets `task` answer the call from now on. Its room comes from ``makeRoomToDefer(_:)``.
  mutating func `defer`(_ id: HTTP2StreamID, _ call: FastPathUnaryCall, to task: Task<Void, Never>)
  {
    if case .collecting = calls[id] { incompleteCalls -= 1 }
    if waiting.first == id { waiting.removeFirst() }
    calls[id] = .deferred(call, task)
  }

  /// Notes that the call is answered or refused now.
  mutating func answer(_ id: HTTP2StreamID) {
    leave(id)
    calls[id] = .answered
  }

  /// Removes a stream that has closed.
  ///
  /// - Returns: Whether the stream was one of the fast path's.
  mutating func close(_ id: HTTP2StreamID) -> Bool {
    guard calls[id] != nil else { return false }
    leave(id)
    calls[id] = nil
    return true
  }

  /// Counts the bytes of a unary answer that is under way.
  mutating func send(_ count: Int) { unsentBytes += count }

  /// Counts the bytes of a unary answer that was taken or dropped.
  ///
  /// - Returns: Whether calls wait for that.
  mutating func taken(_ count: Int) -> Bool {
    unsentBytes -= count
    return !waiting.isEmpty
  }

  /// Returns the next of the calls that wait to be answered, while there is room.
  mutating func nextWaiting() -> (HTTP2StreamID, FastPathUnaryCall)? {
    while hasRoomForAnswers, let id = waiting.first {
      if case .waiting(let call) = calls[id] { return (id, call) }
      waiting.removeFirst()
    }
    return nil
  }

  /// Begins to refuse streams, because a shutdown is announced.
  ///
  /// - Returns: The streams to end.
  mutating func endStreams() -> [(HTTP2StreamID, FastPathStreamCall)] {
    phase = .endingStreams
    return calls.compactMap { id, call in
      if case .streaming(let stream) = call { (id, stream) } else { nil }
    }
  }

  /// Notes that all input has been read.
  ///
  /// - Returns: The earliest deadline of the calls that began with it and have no answer yet.
  mutating func inputRead() -> UInt64? {
    guard !begunWithDeadline.isEmpty else { return nil }
    let earliest = begunWithDeadline.compactMap { deadline(of: $0) }.min()
    begunWithDeadline.removeAll(keepingCapacity: true)
    return earliest
  }

  /// Returns the unary calls whose deadline has passed, each with whether its request has ended,
  /// and the earliest deadline of the others.
  func expired(
    now: UInt64
  ) -> (calls: [(id: HTTP2StreamID, call: FastPathUnaryCall, requestEnded: Bool)], next: UInt64?) {
    var expired: [(id: HTTP2StreamID, call: FastPathUnaryCall, requestEnded: Bool)] = []
    var next: UInt64?
    for (id, call) in calls {
      let unary: FastPathUnaryCall
      let requestEnded: Bool
      switch call {
      case .collecting(let call): (unary, requestEnded) = (call, false)
      case .waiting(let call), .deferred(let call, _): (unary, requestEnded) = (call, true)
      case .streaming, .answered: continue
      }
      guard let deadline = unary.deadline else { continue }
      if deadline <= now {
        expired.append((id, unary, requestEnded))
      } else {
        next = min(next ?? deadline, deadline)
      }
    }
    return (expired, next)
  }

  /// Notes that half of the time in which a request has to arrive has passed.
  ///
  /// - Returns: The calls that have been incomplete for the whole of it.
  mutating func advanceTick() -> [(HTTP2StreamID, Call)] {
    tick += 1
    return calls.filter { _, call in
      switch call {
      case .collecting(let unary): tick - unary.beganAtTick >= 2
      case .streaming(let stream): stream.messageBeganAtTick.map { tick - $0 >= 2 } ?? false
      case .waiting, .deferred, .answered: false
      }
    }.map { ($0.key, $0.value) }
  }

  private func deadline(of id: HTTP2StreamID) -> UInt64? {
    switch calls[id] {
    case .collecting(let call), .waiting(let call), .deferred(let call, _): call.deadline
    case .streaming, .answered, nil: nil
    }
  }

  private mutating func leave(_ id: HTTP2StreamID) {
    switch calls[id] {
    case .collecting(let call):
      incompleteCalls -= 1
      requestBytes.giveBack(call.heldBytes)
      call.heldBytes = 0
    case .waiting(let call):
      requestBytes.giveBack(call.heldBytes)
      call.heldBytes = 0
      if waiting.first == id { waiting.removeFirst() }
    case .deferred(let call, let task):
      requestBytes.giveBack(call.heldBytes)
      call.heldBytes = 0
      task.cancel()
    case .streaming(let call):
      streamCalls -= 1
      usage.longStreams -= 1
      requestBytes.giveBack(call.heldBytes)
      call.heldBytes = 0
    case .answered, nil: break
    }
  }
}
