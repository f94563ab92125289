import GeoMath
import QueryCoalescing
import Threading

/// A daemon of a few workers on a simulated clock: throttle, cache, flights, a fair queue of jobs.
struct SimulatedServer {
  private struct Key: Hashable {
    let zoom: Int
    let range: CellRange
  }

  /// A request and the moment the throttle let it go.
  private struct Asked {
    let request: ViewportRequest
    var admittedAt: Nanoseconds
  }

  private struct Job {
    let cost: Nanoseconds
    /// Who is answered at the end, where nobody shares.
    let asked: Asked?
    let key: Key?
    let flight: UInt64
  }

  private let mode: MapPanSimulation.Mode
  private let settings: MapPanSimulation.Settings
  private var report: MapPanSimulation.Report
  private var throttle: ViewportMachine<Int, ViewportRequest>
  private var flights = FlightMachine<Key, Asked, UInt64>(
    limits: SingleFlightLimits(waitersPerKey: 100_000, keys: 1_000_000))
  private var cache: FreshnessTable<Key, Int>
  private var queue = FairQueue<Int, Job>(capacity: .max, perSession: .max)
  private var workers: [(endsAt: Nanoseconds, job: Job)] = []
  /// Who leads a flight, with its request: leaders wait outside of the machine until it ends.
  private var leaders: [UInt64: Asked] = [:]

  init(mode: MapPanSimulation.Mode, settings: MapPanSimulation.Settings) {
    self.mode = mode
    self.settings = settings
    report = MapPanSimulation.Report(mode: mode)
    throttle = ViewportMachine(
      settings: .init(interval: settings.interval, sessions: 4 * settings.clients + 1_000))
    cache = FreshnessTable(capacityBytes: settings.cacheBytes)
  }

  mutating func play(_ trace: [ViewportRequest]) -> MapPanSimulation.Report {
    var next = 0
    while true {
      let request = next < trace.count ? trace[next].time : .max
      let deadline = throttle.nextDeadline ?? .max
      let worker = workers.map(\.endsAt).min() ?? .max
      let now = min(request, deadline, worker)
      if now == .max { break }
      if worker == now {
        endJobs(at: now)
      } else if deadline == now {
        for held in throttle.runDue(at: now) { admit(held, at: now) }
      } else {
        report.requests += 1
        submit(trace[next], at: now)
        next += 1
      }
      startJobs(at: now)
    }
    report.waits.sort()
    report.serviceWaits.sort()
    precondition(report.answered + report.superseded == report.requests, "a request was lost")
    return report
  }

  private mutating func submit(_ request: ViewportRequest, at now: Nanoseconds) {
    guard mode != .direct else { return admit(request, at: now) }
    let submission = throttle.submit(request.client, sequence: nil, at: now) { request }
    if submission.replaced != nil { report.superseded += 1 }
    if submission.decision == .run { admit(request, at: now) }
  }

  private mutating func admit(_ request: ViewportRequest, at now: Nanoseconds) {
    let asked = Asked(request: request, admittedAt: now)
    guard mode == .coalesced || mode == .stale else {
      let cost = settings.fixedNanoseconds + settings.nanosecondsPerScreen
      return enqueue(Job(cost: cost, asked: asked, key: nil, flight: 0), of: request.client)
    }
    let key = Key(
      zoom: request.zoom,
      range: CellRange(
        west: request.west, north: request.north, east: request.east, south: request.south,
        cellsAcross: mode == .stale ? settings.cellsAcross : 64))
    let freshness = Freshness(
      maximumAge: mode == .stale ? settings.maximumAge : 0,
      sufficientVersion: version(key, at: now))
    if case .hit = cache.lookup(key, freshness: freshness, at: now) {
      return answer(asked, at: now)
    }
    let arrival = flights.arrive(
      key, freshness: freshness, at: now, marksReading: true, makeWaiter: { asked },
      makeWork: { $0 })
    switch arrival {
    case .lead(let id, _, _):
      leaders[id] = asked
      enqueue(flight: id, key, of: request.client)
    case .joined, .queued: break
    case .refused(let error): preconditionFailure("\(error)")
    }
  }

  private mutating func enqueue(flight: UInt64, _ key: Key, of client: Int) {
    // The snapped range is larger than the screen, and costs more.
    let unitsPerPoint = Double(UInt32(1) << UInt32(24 - key.zoom))
    let screen = MapPanTrace.screenWidth * MapPanTrace.screenHeight * unitsPerPoint * unitsPerPoint
    let screens = Double(key.range.width) * Double(key.range.height) / screen
    let cost =
      settings.fixedNanoseconds
      + Nanoseconds(Double(settings.nanosecondsPerScreen) * max(1, screens))
    enqueue(Job(cost: cost, asked: nil, key: key, flight: flight), of: client)
  }

  private mutating func enqueue(_ job: Job, of client: Int) {
    do { try queue.append(job, of: client) } catch { preconditionFailure("\(error)") }
  }

  private mutating func startJobs(at now: Nanoseconds) {
    while workers.count < settings.workers, let (_, job) = queue.popFirst() {
      report.computations += 1
      report.busyNanoseconds += job.cost
      if let key = job.key {
        flights.mark(
          key, flight: job.flight, reading: Reading(time: now, version: version(key, at: now)))
      }
      workers.append((now + job.cost, job))
    }
  }

  private mutating func endJobs(at now: Nanoseconds) {
    let ended = workers.filter { $0.endsAt <= now }.map(\.job)
    workers.removeAll { $0.endsAt <= now }
    for job in ended {
      if let asked = job.asked { answer(asked, at: now) }
      guard let key = job.key,
        let departure = flights.finish(key, flight: job.flight, failed: false, now: { now })
      else { continue }
      cache.insert(key, 0, reading: departure.reading, bytes: 8_192)
      if let leader = leaders.removeValue(forKey: job.flight) { answer(leader, at: now) }
      if let waiter = departure.leader { answer(waiter, at: now) }
      for waiter in departure.others { answer(waiter, at: now) }
      if let next = departure.start { enqueue(flight: next, key, of: -1) }
    }
  }

  private mutating func answer(_ asked: Asked, at now: Nanoseconds) {
    report.answered += 1
    report.waits.append(now - asked.request.time)
    report.serviceWaits.append(now - asked.admittedAt)
  }

  /// How often the objects of a range have changed by a moment, as if they moved evenly over it.
  private func version(_ key: Key, at now: Nanoseconds) -> UInt64 {
    let side = Double(MapPanTrace.citySide)
    let part = min(1, Double(key.range.width) * Double(key.range.height) / (side * side))
    return UInt64(Double(now) / 1e9 * settings.movesPerSecond * part)
  }
}
