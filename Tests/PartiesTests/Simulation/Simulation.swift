import GeoMath
import ObjectModel
import RideMatching
import TaxiFares
import TestSupport
import Threading

@testable import DurableCommands
@testable import FareEstimation
@testable import LiveLayers
@testable import Parties

/// A daemon's parties, its record, both clocks and its clients, on one thread: everything that
/// happens is drawn from the seed, so that a seed that failed fails again in the same step.
///
/// Each step does one thing (clients ask, the daemon works, time passes, something breaks), and
/// after each the record is held against ``SimulatedLedger`` and the daemon's memory against the
/// record. At the end all is well again, every client asks until it knows, and all is checked anew.
final class Simulation {
  struct Report: Hashable {
    var acknowledged = 0
    var refused = 0
    var unknown = 0
    var replayed = 0
    var crashes = 0
    var restarts = 0
    var reopenings = 0
    var abandoned = 0
    var faults = 0
    var events = 0
    /// What became of requests to join, as the record had them.
    var requestStates: Set<String> = []

    static func + (a: Report, b: Report) -> Report {
      Report(
        acknowledged: a.acknowledged + b.acknowledged, refused: a.refused + b.refused,
        unknown: a.unknown + b.unknown, replayed: a.replayed + b.replayed,
        crashes: a.crashes + b.crashes, restarts: a.restarts + b.restarts,
        reopenings: a.reopenings + b.reopenings, abandoned: a.abandoned + b.abandoned,
        faults: a.faults + b.faults, events: a.events + b.events,
        requestStates: a.requestStates.union(b.requestStates))
    }
  }

  /// Nobody is asked about places without an end: one tariff, no areas.
  static let library: TariffLibrary = {
    do {
      let tariff = try FareFixtures.tariff("kr-seoul-medium", at: "2024-05-22T12:00:00+09:00")
      return TariffLibrary(catalog: try TariffCatalog([tariff]), areas: AreaMap(areas: []))
    } catch {
      preconditionFailure("the shipped tariff does not load: \(error)")
    }
  }()

  private let seed: UInt64
  private var random: SplitMix64
  private let store = SimulatedStore()
  private let clock = ManualClock(PartyFixture.start)
  private let monotonic = ManualMonotonicClock()
  private let pool = BoundedThreadPool(threadCount: 1)
  private var daemon: PartyService
  private var life = 0
  private var intents: [SimulatedIntent] = []
  private var ledger = SimulatedLedger()
  private var report = Report()
  private let answers = StateLock<[(SimulatedCall, Result<PartyServiceReply, PartyServiceError>)]>(
    [])
  /// Of the wall clock, from where it would be without steps.
  private var drift: Int64 = 0
  private var clockSteps = 0
  private let mayLie: Bool

  /// - Parameter mayLie: Whether the disk may say that something was written that was not.
  init(seed: UInt64, mayLie: Bool = false) throws {
    self.seed = seed
    self.mayLie = mayLie
    random = SplitMix64(seed: seed)
    daemon = try Self.start(store, clock, monotonic, pool)
  }

  private static func start(
    _ store: SimulatedStore, _ clock: ManualClock, _ monotonic: ManualMonotonicClock,
    _ pool: BoundedThreadPool
  ) throws -> PartyService {
    var layers = LayerRegistryConfiguration()
    layers.limits.objectsPerLayer = 1024
    layers.layerSettings = { _ in
      var settings = LayerSettings()
      settings.clusters = false
      return settings
    }
    var configuration = PartyServiceConfiguration()
    // Most of what is over then comes from the record.
    configuration.endedInMemory = 2
    // Small, so that the table of replies falls back on the record.
    configuration.commits.repliesInMemory = 12
    configuration.commits.batchLimit = 8
    configuration.eventsInMemory = 16
    return try PartyService(
      layers: LayerRegistry(configuration: layers, clock: clock, epoch: 7), store: store,
      fares: FareEstimator(library: library), configuration: configuration, threadPool: pool,
      monotonic: monotonic)
  }

  /// Runs the schedule of the seed.
  ///
  /// - Parameter steps: Things that happen.
  /// - Returns: What happened.
  /// - Throws: ``SimulatedLedger/Violation`` with seed and step.
  func run(steps: Int) throws -> Report {
    var step = 0
    do {
      while step < steps {
        try happen()
        try check()
        step += 1
      }
      try settle()
      try check()
    } catch let violation as SimulatedLedger.Violation {
      throw SimulatedLedger.Violation("seed \(seed), step \(step): \(violation)")
    }
    report.events = Int(ledger.newest)
    report.requestStates = ledger.requests
    return report
  }

  private func draw(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }
  private func chance(_ percent: Int) -> Bool { draw(100) < percent }
  private func pick<T>(_ items: [T]) -> T? { items.isEmpty ? nil : items[draw(items.count)] }

  // MARK: - What happens

  private func happen() throws {
    switch draw(100) {
    case 0..<38: for _ in 0...draw(5) { ask(newIntent()) }
    case 38..<48: askAgain()
    case 48..<78: try work()
    case 78..<88: pass(milliseconds: Int64(draw(600_000)))
    case 88..<91: stepClock()
    case 91..<94: monotonic.advance(by: 1_100_000_000)
    case 94..<96: daemon.prune(now: clock.now())
    case 96..<98: daemon.pipeline.tryToRecover()
    default: try endProcess(orderly: chance(50))
    }
  }

  private func newIntent() -> Int {
    let number = intents.count
    let (kind, command) = wish(number)
    intents.append(SimulatedIntent(number: number, kind: kind, command: command))
    return number
  }

  private func wish(_ number: Int) -> (SimulatedIntent.Kind, PartyServiceCommand) {
    let known = ledger.parties.keys.sorted()
    guard let party = pick(known), !chance(25) else { return create(number) }
    let someone = "u\(draw(5))"
    if ledger.parties[party]?.needsApproval == true { return asked(party, someone, number) }
    switch draw(20) {
    case 0..<8:
      let join = JoinParty(
        riderID: "own-\(number)", destination: chance(50) ? PartyFixture.yeoksam : nil,
        seats: 1 + draw(2))
      return (
        .join(party: party, rider: join.riderID, isOwn: true),
        .join(partyID: party, join, requestID: "q-\(number)", nil)
      )
    case 8..<13:
      return (
        .join(party: party, rider: someone, isOwn: false),
        .join(
          partyID: party, JoinParty(riderID: someone), requestID: "q-\(number)", nil)
      )
    case 13..<16:
      return (
        .leave(party: party, rider: someone), .leave(partyID: party, riderID: someone)
      )
    case 16:
      return (.other(party: party), .cancel(partyID: party, actorID: nil, reason: "host"))
    case 17: return (.other(party: party), .depart(partyID: party, actorID: nil))
    case 18:
      let later = ledger.parties[party]?.window.time.advanced(milliseconds: Int64(draw(900_000)))
      return (
        .other(party: party),
        .update(
          partyID: party, actorID: nil,
          UpdateParty(departureTime: later, seats: chance(50) ? 2 + draw(3) : nil))
      )
    default:
      let payer = ledger.parties[party]?.hostID ?? someone
      return (
        .other(party: party),
        .settle(
          partyID: party, actorID: nil,
          SettleParty(payerID: payer, amount: Int64(10_000 + draw(9000))))
      )
    }
  }

  /// What people do about a party whose host decides; the ledger holds who is aboard against events.
  private func asked(
    _ party: String, _ someone: String, _ number: Int
  ) -> (SimulatedIntent.Kind, PartyServiceCommand) {
    let pending = ledger.parties[party]?.pendingRequests ?? []
    let choice = draw(6)
    guard choice > 2, let request = pick(pending) else {
      let rider = choice == 0 ? "own-\(number)" : someone
      return (
        .other(party: party),
        .join(
          partyID: party, JoinParty(riderID: rider, seats: 1 + draw(2)), requestID: "q-\(number)",
          nil)
      )
    }
    switch choice {
    case 3, 4:
      return (
        .other(party: party),
        .approveJoin(partyID: party, requestID: request.id, actorID: nil, nil)
      )
    default:
      return (
        .other(party: party),
        chance(50)
          ? .declineJoin(partyID: party, requestID: request.id, actorID: nil)
          : .withdrawJoin(partyID: party, requestID: request.id, riderID: request.riderID)
      )
    }
  }

  private func create(_ number: Int) -> (SimulatedIntent.Kind, PartyServiceCommand) {
    let host = "host-\(number)"
    var command = CreateParty(
      hostID: host, origin: PartyFixture.sinchon, destination: PartyFixture.gangnam,
      window: DepartureWindow(
        time: clock.now().advanced(milliseconds: Int64(1 + draw(90)) * 60_000),
        toleranceMilliseconds: Int64(draw(11)) * 60_000),
      seats: 2 + draw(3), tariffID: "kr-seoul-medium")
    if chance(30) { command.riders = [JoinParty(riderID: "u\(draw(5))")] }
    // Not drawn, so that a seed draws the same of the others as ever.
    command.needsApproval = number % 5 == 4
    command.holdsSeats = number % 10 == 9
    return (.create(host: host), .create(command, id: "p\(number)", nil))
  }

  private func ask(_ number: Int, isMisused: Bool = false) {
    var call = SimulatedCall(
      intent: number, life: life, isMisused: isMisused, clockSteps: clockSteps)
    if case .done(_, let version) = intents[number].answer { call.knownVersion = version }
    call.isAbandoned = chance(10)
    call.isLate = !isMisused && chance(4)
    if call.isAbandoned { report.abandoned += 1 }
    if !isMisused { intents[number].asked += 1 }
    let intent = intents[number]
    let told = call
    daemon.pipeline.submit(
      intent.command, claim: intent.claim(requestHash: isMisused ? 0xBAD : nil),
      deadline: call.isLate ? clock.now().advanced(milliseconds: -1) : nil
    ) { [answers] outcome in answers.withLock { $0.append((told, outcome)) } }
  }

  /// The newest dozen, as a client would; sometimes the same key for something else.
  private func askAgain() {
    guard let number = pick(Array(intents.indices.suffix(12))) else { return }
    if case .done = intents[number].answer {
      switch intents[number].kind {
      case .create, .join(_, _, isOwn: true):
        report.replayed += 1
        return ask(number, isMisused: chance(40))
      default: break
      }
    }
    ask(number)
  }

  private func work() throws {
    if chance(30) {
      let faults: [SimulatedStore.Fault] = [
        .notDone, .conflict, .unknownWithoutEffect, .unknownWithEffect, .full,
        .crashWithoutEffect, .crashWithEffect,
      ]
      store.fault = mayLie ? .lie : pick(faults)
      store.reopenFailures = chance(30) ? 1 + draw(2) : 0
      report.faults += 1
    }
    daemon.pipeline.carryOutWaiting()
    if store.hasCrashed {
      // Nobody hears of what that process did.
      answers.withLock { $0 = [] }
      return try endProcess(orderly: false)
    }
    try hear()
  }

  private func pass(milliseconds: Int64) {
    clock.advance(milliseconds: milliseconds)
    monotonic.advance(by: milliseconds &* 1_000_000)
    daemon.carryOutDue(by: clock.now())
  }

  /// The wall clock is set, by at most three hours in all.
  private func stepClock() {
    let step = Int64(draw(7_200_000)) - 3_600_000
    guard abs(drift + step) <= 10_800_000 else { return }
    drift += step
    clockSteps += 1
    clock.advance(milliseconds: step)
    daemon.carryOutDue(by: clock.now())
  }

  private func endProcess(orderly: Bool) throws {
    if orderly {
      report.restarts += 1
      daemon.stop()
      try hear()
    } else {
      report.crashes += 1
    }
    store.restart()
    life += 1
    daemon = try Self.start(store, clock, monotonic, pool)
  }

  // MARK: - What clients hear

  private func hear() throws {
    let heard = answers.withLock { all in
      defer { all = [] }
      return all
    }
    try ledger.read(store.record)
    for (call, outcome) in heard where call.life == life && !call.isAbandoned {
      try hear(call, outcome)
    }
  }

  private func hear(
    _ call: SimulatedCall, _ outcome: Result<PartyServiceReply, PartyServiceError>
  ) throws {
    let number = call.intent
    switch outcome {
    case .failure(.commit(.deadlineExceeded)):
      guard call.isLate else { throw violation(number, "was late before its deadline") }
    case .failure(.commit(.idempotencyMismatch)):
      guard call.isMisused else { throw violation(number, "met another request under its key") }
    case .failure(.commit): report.unknown += 1
    case .failure:
      if call.isMisused { throw violation(number, "was decided anew under a key that was used") }
      report.refused += 1
      if case .none = intents[number].answer { intents[number].answer = .refused }
    case .success(let reply):
      guard !call.isMisused else {
        throw violation(number, "another request under its key was carried out")
      }
      guard !call.isLate || intents[number].asked > 1 || call.clockSteps < clockSteps else {
        throw violation(number, "took effect after its deadline")
      }
      guard case .party(let party) = reply else { throw violation(number, "answered no party") }
      if case .done(let before, _) = intents[number].answer {
        guard before == party.id, party.version >= call.knownVersion else {
          throw violation(number, "answered \(before) first and \(party.id) then")
        }
        return
      }
      report.acknowledged += 1
      intents[number].answer = .done(party: party.id, version: party.version)
      try ledger.check(intents[number], store.record)
    }
  }

  private func violation(_ number: Int, _ what: String) -> SimulatedLedger.Violation {
    SimulatedLedger.Violation("#\(number) \(what)")
  }

  // MARK: - What must be so

  private func check() throws {
    try ledger.read(store.record)
    let isWell = store.readOnlyReason == nil && daemon.pipeline.readOnlyReason == nil
    guard isWell else { return }
    let newest = daemon.eventBounds.newest
    guard newest == ledger.newest else {
      throw SimulatedLedger.Violation(
        "the feed shows \(newest) and the record holds \(ledger.newest)")
    }
    guard daemon.partyCount == ledger.parties.count else {
      throw SimulatedLedger.Violation(
        "\(daemon.partyCount) parties are known, the record holds \(ledger.parties.count)")
    }
    for (id, party) in ledger.parties {
      switch daemon.book.place(of: id) {
      case .memory(let entry) where entry.party == party: break
      case .record where PartyEntry(party).interval == nil: break
      case .memory, .record, .nowhere:
        throw SimulatedLedger.Violation("\(id) differs between memory and record")
      }
    }
    try checkShown()
  }

  /// What is found is what is under way, and nothing that has left.
  private func checkShown() throws {
    let now = clock.now()
    let page: PartyPage
    do {
      page = try daemon.search(
        PartySearchQuery(
          area: .around(PartyFixture.sinchon.coordinate, radiusMeters: 5000), limit: 1000))
    } catch {
      throw SimulatedLedger.Violation("a search was refused: \(error)")
    }
    for party in page.parties where !party.isActive || party.window.end < now {
      throw SimulatedLedger.Violation("\(party.id) left and is shown")
    }
    // A clock that is set forth and back leaves parties unseen that ended in between.
    guard clockSteps == 0 else { return }
    let wanted = ledger.parties.values.filter { $0.isActive && $0.window.end > now }.map(\.id)
    guard Set(page.parties.map(\.id)).isSuperset(of: wanted) else {
      throw SimulatedLedger.Violation("a party under way is not shown")
    }
  }

  /// Nothing breaks any more; every client asks until it knows.
  private func settle() throws {
    store.fault = nil
    store.reopenFailures = 0
    monotonic.advance(by: 5_000_000_000)
    daemon.pipeline.tryToRecover()
    daemon.pipeline.carryOutWaiting()
    try hear()
    report.reopenings += daemon.commitStatistics.unknownOutcomes
    for number in intents.indices where intents[number].answer == .none {
      while intents[number].answer == .none {
        guard intents[number].asked < 200 else { throw violation(number, "is never answered") }
        ask(number)
        daemon.pipeline.carryOutWaiting()
        try hear()
      }
    }
    for intent in intents { try ledger.check(intent, store.record) }
  }
}
