import GeoMath
import ObjectModel
import RideMatching
import RoutePlanning
import TaxiFares

/// Requests gathered and sorted into groups every so many seconds. A group leaves when it has no
/// seat free or a member cannot wait for the next batch, else it is sorted anew with those who come
/// (``ReplaySettings/leavesAtOnce`` says otherwise). Who is in none rides alone when waiting for
/// the next batch would be too late.
struct BatchReplay {
  private let settings: ReplaySettings
  private let pricing: RidePricing
  private let options: BatchOptions
  private var outcome: ReplayOutcome
  private var waiting: [ReplayRequest] = []

  /// Replays all requests and measures the processor time that it took.
  ///
  /// - Parameters:
  ///   - requests: By time.
  ///   - settings: The tariff, the batches and the riders' patience.
  ///   - name: Of the outcome.
  /// - Returns: Who rode with whom; nobody where there are no requests.
  /// - Throws: ``FareError`` when the tariff cannot price a trip without further facts.
  static func run(
    _ requests: [ReplayRequest], _ settings: ReplaySettings, name: String = "batch"
  ) throws -> ReplayOutcome {
    guard let first = requests.first?.at, let last = requests.last?.at else {
      return ReplayOutcome(name: name)
    }
    var replay = try BatchReplay(
      settings, first...last.advanced(milliseconds: settings.patience), name)
    var seconds = 0.0
    ReplayClock.measure(&seconds) { replay.run(requests, from: first) }
    replay.outcome.processorSeconds = seconds
    return replay.outcome
  }

  private init(
    _ settings: ReplaySettings, _ span: ClosedRange<Instant>, _ name: String
  ) throws {
    self.settings = settings
    pricing = try .tariff(settings.tariff, departures: span)
    options = BatchOptions(
      maxSeats: settings.maxSeats, seed: settings.seed, iterations: settings.iterations,
      pricing: pricing, profile: settings.profile)
    outcome = ReplayOutcome(name: name)
  }

  private mutating func run(_ requests: [ReplayRequest], from first: Instant) {
    let step = Int64(settings.intervalSeconds) * 1000
    var next = 0
    var now = first
    var progress = ProgressLine(after: .seconds(1))
    defer { progress.clear() }
    while next < requests.count || !waiting.isEmpty {
      progress.update(outcome.name, next, of: requests.count)
      // An idle night is skipped in one step, on the same beat.
      if waiting.isEmpty, next < requests.count, requests[next].at > now {
        let idle = requests[next].at.milliseconds(since: now)
        now = now.advanced(milliseconds: (idle + step - 1) / step * step)
      }
      while next < requests.count, requests[next].at <= now {
        waiting.append(requests[next])
        next += 1
      }
      let following = now.advanced(milliseconds: step)
      let cut = following.advanced(milliseconds: -settings.patience)
      let hold = min(settings.holdSeconds.map { Int64($0) * 1000 } ?? .max, settings.patience)
      match(at: now, cut: following.advanced(milliseconds: -hold))
      for request in waiting where request.at < cut { rideAlone(request, at: now) }
      waiting.removeAll { $0.at < cut }
      now = following
    }
  }

  /// Sorts those who wait into groups, and lets the groups ride that must leave.
  ///
  /// - Parameters:
  ///   - now: When the batch is sorted.
  ///   - cut: The group of who asked before it does not wait for the next batch.
  private mutating func match(at now: Instant, cut: Instant) {
    guard waiting.count > 1 else { return }
    let requests = waiting.map { waiting in
      var request = waiting.request
      let end = waiting.at.advanced(milliseconds: settings.patience)
      request.window = DepartureWindow(
        time: now, toleranceMilliseconds: max(0, end.milliseconds(since: now)))
      return request
    }
    let result = BatchMatching.solve(requests: requests, options: options)
    var isTaken = Array(repeating: false, count: waiting.count)
    for group in result.groups {
      let seats = group.members.reduce(0) { $0 + requests[$1].seats }
      let mustLeave =
        settings.leavesAtOnce || seats >= settings.maxSeats
        || group.members.contains { waiting[$0].at < cut }
      guard mustLeave else { continue }
      ride(group, at: now)
      for member in group.members { isTaken[member] = true }
    }
    waiting = waiting.indices.filter { !isTaken[$0] }.map { waiting[$0] }
  }

  private mutating func ride(_ group: BatchGroup, at now: Instant) {
    let pickUp = waiting[group.pickUp].request.origin.coordinate
    let estimator = TravelEstimator(profile: settings.profile, departure: now, near: pickUp)
    outcome.add(
      group.members.indices.map { local in
        let waiting = waiting[group.members[local]]
        let share = group.shares.indices.contains(local) ? group.shares[local].amount : 0
        return ReplayOutcome.Ride(
          requestedAt: waiting.at, groupSize: group.members.count,
          waitSeconds: Double(now.milliseconds(since: waiting.at)) / 1000,
          walkMeters: group.walkMeters[local], rideMeters: group.rideMeters[local],
          directMeters: estimator.estimate(
            from: pickUp, to: waiting.request.destination.coordinate
          ).distanceMeters,
          soloFare: group.shares.indices.contains(local)
            ? group.shares[local].soloFare ?? share : share,
          share: share, aloneMeters: settings.aloneMeters(waiting.request, at: now))
      }, meters: group.distanceMeters)
  }

  private mutating func rideAlone(_ waiting: ReplayRequest, at now: Instant) {
    let origin = waiting.request.origin.coordinate
    let direct = TravelEstimator(profile: settings.profile, departure: now, near: origin)
      .estimate(from: origin, to: waiting.request.destination.coordinate)
    let fare = pricing.exact(direct.distanceMeters, direct.durationSeconds, now)
    outcome.add(
      [
        ReplayOutcome.Ride(
          requestedAt: waiting.at, groupSize: 1,
          waitSeconds: Double(now.milliseconds(since: waiting.at)) / 1000, walkMeters: 0,
          rideMeters: direct.distanceMeters, directMeters: direct.distanceMeters, soloFare: fare,
          share: fare, aloneMeters: direct.distanceMeters)
      ], meters: direct.distanceMeters)
  }
}
