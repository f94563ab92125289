import DurableCommands
import GeoMath
import MoyeoStorage
import ObjectModel
import Parties
import RideMatching
import Testing

/// Commutes in every store: with a party in one group, read again, and without a person.
@Suite struct CommuteStoreTests {
  private static let kind = AggregateKind(rawValue: "commute")
  private static let now = Instant(seconds: 1_795_575_600)

  private static func commute(_ id: String, host: String, riders: [String] = []) -> Commute {
    let place = Coordinate(uncheckedLatitude: 37.5551, longitude: 126.9368)
    let first = CivilDate(daysSince1970: 20_782)
    return Commute(
      id: id, version: 1, state: .active, stateSince: now, createdAt: now,
      schedule: CommuteSchedule(
        weekdays: .workdays, minute: 465, timeZone: "Asia/Seoul", from: first,
        through: first.adding(days: 60)),
      trip: .party(
        CreateParty(
          hostID: host, origin: RidePlace(coordinate: place),
          destination: RidePlace(coordinate: place), window: DepartureWindow(time: now))),
      riders: riders.map { CommuteRider(join: JoinParty(riderID: $0), joinedAt: now) },
      doneBefore: first)
  }

  private static func stored(_ commute: Commute) -> StoredAggregate {
    StoredAggregate(
      key: AggregateKey(tenant: "t", kind: kind, id: commute.id), version: commute.version,
      bytes: CommuteRecord.encode(commute),
      summary: AggregateSummary(
        state: commute.state.rawValue, ownerID: commute.ownerID,
        origin: Coordinate(uncheckedLatitude: 37.5551, longitude: 126.9368), startsAt: now,
        endsAt: now, seats: 4))
  }

  @Test(arguments: StoreKind.allCases)
  func aCommuteAndItsDayAreCommittedTogetherAndReadAgain(_ kind: StoreKind) throws {
    let subject = try kind.make()
    let commute = Self.stored(Self.commute("c", host: "ann"))
    var next = commute
    next.version = 2
    #expect(
      subject.store.commit([
        ChangeGroup(
          changes: [.init(expectedVersion: 0, aggregate: commute)], events: [event(1, "c")])
      ]) == [.committed(firstSequence: 1)])
    let day = ChangeGroup(
      changes: [
        .init(expectedVersion: 1, aggregate: next),
        .init(expectedVersion: 0, aggregate: party("p", version: 1)),
      ], claims: [claim("ann", "p")], events: [event(2, "p"), event(3, "c")])
    #expect(subject.store.commit([day]) == [.committed(firstSequence: 2)])
    // A second daemon that decides the same day finds it decided.
    guard case .conflict(let newest) = subject.store.commit([day])[0] else {
      Issue.record("the day appeared twice")
      return
    }
    #expect(newest.contains(next))
    let again = try subject.openAgain()
    var found: [StoredAggregate] = []
    try again.loadAggregates(kind: Self.kind) { found.append($0) }
    #expect(found == [next])
    #expect(try again.aggregates(kind: Self.kind, tenant: "t", ids: ["c", "x"]) == [next])
    #expect(
      try again.events(tenant: "t", after: 0, kinds: [], aggregateID: "c", limit: 9)
        .map(\.sequence) == [1, 3])
  }

  @Test func aPersonLeavesTheirOwnCommutesAndThoseOfOthers() throws {
    let directory = try ScratchDirectory.withTemplate()
    let store = try SQLiteStore(directory: directory.path)
    let commutes = [
      Self.commute("own", host: "ann"),
      Self.commute("ridden", host: "ben", riders: ["ann", "eve"]),
      Self.commute("other", host: "ben", riders: ["eve"]),
    ]
    _ = store.commit(
      commutes.map {
        ChangeGroup(changes: [.init(expectedVersion: 0, aggregate: Self.stored($0))])
      })
    let erasure = PersonErasure(tenant: "t", userID: "ann")
    let keys = try store.aggregates(mentioning: erasure)
    #expect(Set(keys.map(\.id)) == ["own", "ridden"])
    let changes = try store.rewrite(keys, for: erasure)
    #expect(changes.removed.map(\.id) == ["own"])
    #expect(changes.changed.map(\.key.id) == ["ridden"])
    let left = try CommuteRecord.decode(try #require(changes.changed.first).bytes)
    #expect(left.riders.map(\.join.riderID) == ["eve"])
    #expect(try store.aggregates(mentioning: erasure) == [])
    var people: Set<String> = []
    try store.people(of: "t", namedBy: PersonErasure.people) { people.insert($0) }
    #expect(people == ["ben", "eve"])
    #expect(try store.tenants() == ["t"])
  }
}
