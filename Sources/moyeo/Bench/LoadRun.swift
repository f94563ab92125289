import NIOCore

/// One load, on its event loop.
final class LoadRun {
  private let generator: LoadGenerator
  private let loop: any EventLoop
  private let start: NIODeadline
  private var number = 0
  /// Of each ring, the next request.
  private var positions: [Int]
  private var underWay = 0
  private(set) var outcome: LoadGenerator.Outcome
  private var recorders = BenchRequests.Kind.allCases.map { _ in LatencyRecorder() }
  private var lateness = LatencyRecorder()
  private var isOver = false
  private var flushesSoon = false
  var isMeasuring = false
  /// Open loop: requests that were due so far.
  private var dueCount = 0
  private var isSendingDue = false
  /// Those about to leave, by the time at which they were to.
  private var leaving: [NIODeadline] = []
  /// Open loop over connections that take one request at a time: who waits for room.
  private var queue = CircularBuffer<(intended: NIODeadline, isMeasured: Bool)>()
  /// Answers to decode after the run: reading a large one makes the next request late.
  private var kept: [KeptAnswer] = []
  private var keptBytes = 0

  private struct KeptAnswer {
    var bytes: ByteBuffer
    var method: BenchRequests.Method
    var items: Int
    var counts: Bool
  }

  /// One of so many answers is decoded; of the others, only the status is looked at.
  private static let readOneOf = 16
  /// Of answers kept to be decoded.
  private static let maximumKeptBytes = 64 << 20
  /// What leaves at once when many are due, before answers are looked at again.
  private static let maximumAtOnce = 16
  /// Writing a request takes some microseconds: begun so much earlier by a thread that never
  /// sleeps, it leaves in time.
  private static let head = TimeAmount.microseconds(10)

  init(_ generator: LoadGenerator, start: NIODeadline) {
    self.generator = generator
    self.start = start
    loop = generator.pool.loop
    positions = generator.rings.map { _ in 0 }
    outcome = LoadGenerator.Outcome(pace: generator.pace, seconds: 0, ownSeconds: 0)
  }

  func begin() {
    switch generator.pace {
    case .closed(let callers):
      for _ in 0..<callers { call() }
    case .open:
      if generator.pool.spins {
        generator.pool.onTurn.value = { [self] in sendDue() }
      } else {
        tick()
      }
    }
  }

  /// Nothing new leaves; what was to leave in time still counts.
  func stop() {
    isOver = true
    isMeasuring = false
  }

  var isDone: Bool { underWay == 0 && queue.isEmpty }

  func conclude() -> LoadGenerator.Outcome {
    generator.pool.onTurn.value = nil
    readKept()
    outcome.unsent += queue.count { $0.isMeasured }
    queue.removeAll()
    if underWay > 0 { outcome.failures[LoadFailure.timedOut.name, default: 0] += underWay }
    for kind in BenchRequests.Kind.allCases {
      let latencies = recorders[kind.rawValue].latencies
      if latencies.count > 0 { outcome.latencies[kind] = latencies }
    }
    if case .open = generator.pace { outcome.lateness = lateness.latencies }
    return outcome
  }

  // MARK: - Closed loop

  private func call() {
    guard !isOver else { return }
    flushSoon()
    send(intended: .now(), isMeasured: isMeasuring) { [self] isAnswered in
      if isAnswered {
        call()
      } else {
        // Nobody there: a caller that asks again at once only burns the machine.
        loop.assumeIsolated().scheduleTask(in: .milliseconds(20)) { self.call() }
      }
    }
  }

  // MARK: - Open loop

  /// Sends what is due, then sleeps until the next.
  private func tick() {
    guard !isOver, case .open(let rate, _) = generator.pace else { return }
    sendDue()
    loop.assumeIsolated().scheduleTask(deadline: due(rate)) { self.tick() }
  }

  /// When the next request is to leave.
  private func due(_ rate: Double) -> NIODeadline {
    start + .nanoseconds(Int64(Double(dueCount) / rate * 1e9))
  }

  /// Open loop: sends what is due. Called between answers too, so that many of them at once do not
  /// hold requests up.
  private func sendDue() {
    guard case .open(let rate, let maximum) = generator.pace, !isOver, !isSendingDue else { return }
    var next = due(rate)
    guard next <= .now() + (generator.pool.spins ? Self.head : .zero) else { return }
    isSendingDue = true
    defer { isSendingDue = false }
    let first = next
    var sent = 0
    repeat {
      if underWay + queue.count < maximum {
        if isMeasuring { leaving.append(next) }
        queue.append((next, isMeasuring))
        drain()
        sent += 1
      } else if isMeasuring {
        outcome.unsent += 1
      }
      dueCount += 1
      next = due(rate)
    } while sent < Self.maximumAtOnce && next <= .now()
    var now = NIODeadline.now()
    while now < first { now = .now() }
    for intended in leaving { lateness.record(nanoseconds: (now - intended).nanoseconds) }
    leaving.removeAll(keepingCapacity: true)
    generator.pool.connections.value.flush()
  }

  /// What waits leaves while connections take it.
  private func drain() {
    while !queue.isEmpty, generator.pool.connections.value.hasRoom {
      let (intended, isMeasured) = queue.removeFirst()
      send(intended: intended, isMeasured: isMeasured) { [self] _ in
        if !queue.isEmpty {
          drain()
          flushSoon()
        }
        sendDue()
      }
    }
  }

  // MARK: - One request

  private func send(
    intended: NIODeadline, isMeasured: Bool, _ done: @escaping (_ isAnswered: Bool) -> Void
  ) {
    guard let index = generator.pool.connections.value.nextWithRoom(),
      let connection = generator.pool.connections.value[index]
    else {
      outcome.failures[LoadFailure.unreachable.name, default: 0] += 1
      return done(false)
    }
    let ring = generator.rings.count == 1 ? 0 : index
    let request = generator.rings[ring][positions[ring]]
    positions[ring] = positions[ring] + 1 < generator.rings[ring].count ? positions[ring] + 1 : 0
    let isRead = number % Self.readOneOf == 0
    number += 1
    underWay += 1
    connection.send(request) { [self] answer in
      underWay -= 1
      let now = NIODeadline.now()
      // A closed loop's rate counts answers in the measured time only.
      var counts = isMeasured
      if case .closed = generator.pace { counts = counts && isMeasuring }
      switch answer {
      case .success(let bytes):
        if isRead { keep(bytes, of: request, counts: counts) }
        if counts {
          outcome.requests += 1
          outcome.items += request.items
          recorders[request.method.kind.rawValue].record(
            nanoseconds: (now - intended).nanoseconds)
        }
        done(true)
      case .failure(let failure):
        outcome.failures[failure.name, default: 0] += 1
        done(false)
      }
    }
  }

  private func keep(_ bytes: ByteBuffer, of request: BenchRequests.Prepared, counts: Bool) {
    guard keptBytes < Self.maximumKeptBytes else { return }
    keptBytes += bytes.readableBytes
    // A copy: what came off the socket with it is not kept.
    kept.append(
      KeptAnswer(
        bytes: ByteBuffer(bytes: bytes.readableBytesView), method: request.method,
        items: request.items, counts: counts))
  }

  private func readKept() {
    for answer in kept {
      switch generator.requests.read(answer.bytes, to: answer.method) {
      case .success(let hits):
        guard answer.counts else { continue }
        outcome.hits += hits
        outcome.readItems += answer.items
      case .failure(let failure):
        outcome.failures[failure.name, default: 0] += 1
        guard answer.counts else { continue }
        outcome.requests -= 1
        outcome.items -= answer.items
      }
    }
    kept = []
  }

  /// After everything that this turn of the loop has to send.
  private func flushSoon() {
    guard !flushesSoon else { return }
    flushesSoon = true
    loop.assumeIsolated().execute { [self] in
      flushesSoon = false
      generator.pool.connections.value.flush()
    }
  }
}
