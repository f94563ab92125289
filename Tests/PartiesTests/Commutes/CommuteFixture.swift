import GeoMath
import ObjectModel
import RideMatching

@testable import DurableCommands
@testable import Parties
import TestSupport

/// Commutes from Sinchon to Gangnam on Wednesday, 2026-11-25 12:00 in Seoul.
enum CommuteFixture {
  /// 2026-11-25T12:00:00+09:00.
  static let start = Instant(seconds: 1_795_575_600)
  static let hour: Int64 = 3_600_000

  static func date(_ text: String) -> CivilDate {
    guard let date = CivilDate(iso: text) else { preconditionFailure("no date: \(text)") }
    return date
  }

  static func schedule(
    _ minute: Int = 7 * 60 + 45, to last: String = "2026-12-31", added: [String] = [],
    removed: [String] = []
  ) -> CommuteSchedule {
    CommuteSchedule(
      weekdays: .workdays, minute: minute, timeZone: "Asia/Seoul", from: date("2026-11-25"),
      through: date(last), added: added.map(date), removed: removed.map(date))
  }

  static func party(_ host: String, seats: Int = 4) -> CommuteTrip {
    .party(
      CreateParty(
        hostID: host, origin: PartyFixture.sinchon, destination: PartyFixture.gangnam,
        window: DepartureWindow(time: start), seats: seats))
  }

  static func request(_ rider: String) -> CommuteTrip {
    .request(
      MatchQuery(
        riderID: rider, origin: PartyFixture.sinchon.coordinate,
        destination: PartyFixture.gangnam, window: DepartureWindow(time: start), now: start),
      tags: [])
  }

  static func make(
    store: any AggregateStore = MemoryStore(), clock: ManualClock = ManualClock(start),
    starts: Bool = true, _ change: (inout PartyServiceConfiguration) -> Void = { _ in }
  ) throws -> PartyFixture {
    try PartyFixture(store: store, clock: clock, starts: starts, change)
  }
}

extension PartyFixture {
  /// Lets the clock act and waits for what it does.
  func tick() async {
    while partyService.carryOutDue(by: clock.now()) > 0 { await partyService.settleCommands() }
    await partyService.settleCommands()
  }

  func advance(hours: Int64) async {
    clock.advance(milliseconds: hours * CommuteFixture.hour)
    await tick()
  }

  /// Each day of a commute as `date id state`, or `date - reason`.
  func days(_ id: String) async throws -> [CommuteDay] {
    try await partyService.commute(id).days
  }

  func told(_ kinds: Set<String>) async throws -> [StoredEvent] {
    try await partyService.events(after: 0, kinds: kinds, limit: 1000).events
  }
}
