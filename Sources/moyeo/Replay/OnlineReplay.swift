import GeoMath
import ObjectModel
import RideMatching
import RoutePlanning
import TaxiFares

/// Requests one by one, as the service does it: whoever finds a party joins the best one, whoever
/// finds none opens one; the best is told by ``ReplaySettings/choice``. A party leaves when it is full, or when its first rider's patience ends.
struct OnlineReplay {
  private let settings: ReplaySettings
  private let rules: PartyRules
  private var index: PartyIndex
  private var outcome: ReplayOutcome
  /// By party.
  private var requests: [String: [ReplayRequest]] = [:]
  /// Parties by the end of their window, earliest first: requests come in order, and all wait
  /// equally long.
  private var waiting: [(end: Instant, id: String)] = []
  private var nextWaiting = 0

  private init(_ settings: ReplaySettings) throws {
    self.settings = settings
    outcome = ReplayOutcome(
      name: settings.boardsOnTheWay
        ? "boarding" : settings.choice == .own ? "online" : "online, total")
    let pricing = PartyPricing(
      catalog: try TariffCatalog([settings.tariff]),
      routes: EstimatedRouteProvider(.always(settings.profile)))
    var configuration = PartyConfiguration()
    configuration.seats = 1...max(1, min(settings.maxSeats, PartyConfiguration.maximumSeatsOfTaxi))
    rules = PartyRules(configuration: configuration, pricing: pricing)
    index = PartyIndex(pricing: pricing)
  }

  /// Replays all requests and measures the processor time that it took.
  ///
  /// - Parameters:
  ///   - requests: By time.
  ///   - settings: The tariff, the seats and the riders' patience.
  /// - Returns: Who rode with whom.
  /// - Throws: What the party rules refuse with; the tariff's error where it makes no catalog.
  static func run(_ requests: [ReplayRequest], _ settings: ReplaySettings) throws -> ReplayOutcome {
    var replay = try OnlineReplay(settings)
    var progress = ProgressLine(after: .seconds(1))
    var seconds = 0.0
    try ReplayClock.measure(&seconds) {
      for (done, request) in requests.enumerated() {
        try replay.take(request)
        progress.update(replay.outcome.name, done, of: requests.count)
      }
      replay.leave(until: .distantFuture)
    }
    progress.clear()
    replay.outcome.processorSeconds = seconds
    return replay.outcome
  }

  private mutating func take(_ request: ReplayRequest) throws {
    leave(until: request.at)
    // From now to the end of the patience.
    var wanted = request.request
    wanted.window = DepartureWindow(
      time: request.at.advanced(milliseconds: settings.patience / 2),
      toleranceMilliseconds: settings.patience / 2)
    if let party = try joined(wanted, request.at) {
      requests[party.id, default: []].append(request)
      if party.state == .full {
        depart(party, at: request.at)
      } else {
        try index.update(party)
      }
      return
    }
    let command = CreateParty(
      hostID: wanted.riderID, origin: wanted.origin, destination: wanted.destination,
      window: wanted.window, hostSeats: wanted.seats, seats: settings.maxSeats,
      limits: settings.limits, tariffID: settings.tariff.id)
    let party = try rules.create(
      command, id: "p" + wanted.riderID, now: request.at, claims: { _ in [] }
    ).party
    requests[party.id] = [request]
    if party.state == .full {
      depart(party, at: request.at)
    } else {
      try index.update(party)
      waiting.append((party.window.end, party.id))
    }
  }

  /// Candidates that are tried by the total saving: those of the largest own saving, of which the one
  /// with the largest total saving is hardly ever further behind.
  private static let candidates = 16

  /// The party that the rider gets into, with them; nil when none saves them anything.
  private func joined(_ wanted: RideRequest, _ now: Instant) throws -> Party? {
    let isBest = settings.choice == .own
    var query = MatchQuery(wanted, now: now, limit: isBest ? 1 : Self.candidates)
    var candidates = index.match(query).candidates.filter { $0.yourSaving > 0 }
    if settings.boardsOnTheWay {
      // A party leaves at the end of its window and is planned for the middle: half the patience
      // earlier, so that nobody stands on the way for longer than others at the origin.
      query.boarding = wanted.origin
      query.window = DepartureWindow(time: now, toleranceMilliseconds: 0)
      candidates += index.match(query).candidates.filter { $0.yourSaving > 0 }
      candidates.sort { $0.yourSaving > $1.yourSaving }
    }
    func join(_ candidate: MatchCandidate) throws -> Party {
      var join = query.join
      if candidate.boarding == nil {
        join.boarding = nil
        join.window = nil
      }
      return try rules.join(join, candidate.party, now: now, claims: { _ in [] }).party
    }
    guard !isBest else { return try candidates.first.map(join) }
    var best: (party: Party, saving: Int64)?
    for candidate in candidates {
      let party = try join(candidate)
      let alone = candidate.yourFare + candidate.yourSaving
      let saving = alone + candidate.party.fare.expected - party.fare.expected
      if saving > best?.saving ?? Int64.min { best = (party, saving) }
    }
    return best?.party
  }

  private mutating func leave(until now: Instant) {
    while nextWaiting < waiting.count, waiting[nextWaiting].end <= now {
      let entry = waiting[nextWaiting]
      nextWaiting += 1
      if let party = index.party(entry.id) { depart(party, at: entry.end) }
    }
    if nextWaiting > 4096 {
      waiting.removeFirst(nextWaiting)
      nextWaiting = 0
    }
  }

  private mutating func depart(_ party: Party, at moment: Instant) {
    index.remove(id: party.id)
    let aboard = requests.removeValue(forKey: party.id) ?? []
    let byID = Dictionary(
      aboard.map { ($0.request.riderID, $0) }, uniquingKeysWith: { first, _ in first })
    outcome.add(
      party.riders.map { rider in
        let request = byID[rider.id]
        let at = request?.at ?? moment
        // Who stands on the way waits until the taxi is there.
        let boards = rider.boarding == nil ? 0 : secondsToBoarding(party, rider.id)
        return ReplayOutcome.Ride(
          requestedAt: at, groupSize: party.riders.count,
          waitSeconds: Double(moment.milliseconds(since: at)) / 1000 + boards,
          walkMeters: rider.boarding?.walkMeters
            ?? request?.request.origin.coordinate.distanceMeters(to: party.origin.coordinate)
            ?? 0,
          rideMeters: rider.rideMeters, directMeters: rider.directMeters,
          soloFare: request.flatMap { settings.soloFare($0.request, at: moment) }
            ?? rider.soloFare, share: rider.share,
          aloneMeters: request.map { settings.aloneMeters($0.request, at: moment) } ?? 0)
      }, meters: party.route.distanceMeters)
  }

  private func secondsToBoarding(_ party: Party, _ rider: String) -> Double {
    party.boardingTime(rider).map { Double($0.milliseconds(since: party.window.time)) / 1000 } ?? 0
  }
}
