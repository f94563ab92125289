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
  /// Open loop over connections that take one request at a time: who waits for room.
  private var queue = CircularBuffer<(intended: NIODeadline, isMeasured: Bool)>()

  /// One of so many answers is decoded; of the others, only the status is looked at.
  private static let readOneOf = 16
  /// What leaves at once when many are due, before answers are looked at again.
  private static let mostAtOnce = 64

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
    case .open(let rate, let maximum): tick(rate, maximum, sent: 0)
    }
  }

  /// Nothing new leaves; what was to leave in time still counts.
  func stop() {
    isOver = true
    isMeasuring = false
  }

  var isDone: Bool { underWay == 0 && queue.isEmpty }

  func conclude() -> LoadGenerator.Outcome {
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
  private func tick(_ rate: Double, _ maximum: Int, sent: Int) {
    guard !isOver else { return }
    var sent = sent
    func due() -> NIODeadline { start + .nanoseconds(Int64(Double(sent) / rate * 1e9)) }
    var next = due()
    var now = NIODeadline.now()
    let most = sent + Self.mostAtOnce
    while next <= now, sent < most {
      if underWay + queue.count < maximum {
        if isMeasuring { lateness.record(nanoseconds: (now - next).nanoseconds) }
        queue.append((next, isMeasuring))
        drain()
      } else if isMeasuring {
        outcome.unsent += 1
      }
      sent += 1
      next = due()
      now = .now()
    }
    loop.assumeIsolated().scheduleTask(deadline: next) { [sent] in
      self.tick(rate, maximum, sent: sent)
    }
  }

  /// What waits leaves while connections take it.
  private func drain() {
    while !queue.isEmpty, generator.pool.connections.value.hasRoom {
      let (intended, isMeasured) = queue.removeFirst()
      send(intended: intended, isMeasured: isMeasured) { [self] _ in drain() }
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
    flushSoon()
    connection.send(request) { [self] answer in
      underWay -= 1
      let now = NIODeadline.now()
      // A closed loop's rate counts answers in the measured time only.
      var counts = isMeasured
      if case .closed = generator.pace { counts = counts && isMeasuring }
      switch answer {
      case .success(let bytes):
        var hits: Int?
        if isRead {
          switch generator.requests.read(bytes, to: request.method) {
          case .success(let found): hits = found
          case .failure(let failure):
            outcome.failures[failure.name, default: 0] += 1
            return done(true)
          }
        }
        if counts {
          outcome.requests += 1
          outcome.items += request.items
          if let hits {
            outcome.hits += hits
            outcome.readItems += request.items
          }
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
