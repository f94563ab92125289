import GeoMath
import ObjectModel
import RideMatching
import TaxiFares
import Testing

/// What an update sets of a commute's trip: each field by itself, and no other.
struct CommuteTripChangeTests {
  private typealias Field = CommuteTripChange.Field

  private static func place(_ name: String, _ latitude: Double) -> RidePlace {
    RidePlace(name: name, coordinate: Coordinate(uncheckedLatitude: latitude, longitude: 127))
  }

  private static let monday = Instant(seconds: 1_796_000_000)
  private static let plain = CreateParty(
    hostID: "ann", origin: place("home", 37.5), destination: place("work", 37.6),
    window: DepartureWindow(time: monday))
  private static let asked = MatchQuery(
    riderID: "ben", origin: place("home", 37.5).coordinate, destination: place("work", 37.6),
    window: DepartureWindow(time: monday), now: monday)

  /// Of other values in every field than `plain`.
  private static let party = CreateParty(
    hostID: "-", origin: place("park", 37.51), destination: place("shop", 37.61),
    window: DepartureWindow(time: monday, toleranceMilliseconds: 1000), hostSeats: 2,
    attributes: ["gender": "female"], hostWeight: 3, seats: 3,
    limits: RideLimits(
      maxWalkMeters: 11, maxDetourRatio: 0.5, minSharedRatio: 0.6, maxRideSeconds: 900,
      maxDetourSeconds: 90), tags: ["quiet"], policy: RidePolicy(sameAttributes: ["gender"]),
    policyPack: "pack", splitRule: .equal, allowsRaisedShares: true, isCalled: true,
    tariffID: "tariff", vehicleClass: "deluxe",
    agreedFare: AgreedFare(amount: 9000, currency: "KRW"), needsApproval: true, holdsSeats: true)
  private static let query = MatchQuery(
    riderID: "-", origin: place("park", 37.51).coordinate, destination: place("shop", 37.61),
    window: DepartureWindow(time: monday, toleranceMilliseconds: 1000), now: monday,
    wishes: RideWishes(
      maxWalkMeters: 11, maxDetourRatio: 0.5, minSharedRatio: 0.6, maxRideSeconds: 900,
      maxDetourSeconds: 90), seats: 2, attributes: ["gender": "female"], maxShare: 5000,
    allowsOverlap: true, boarding: place("gate", 37.52))

  private static func change(_ fields: some Sequence<Field>) -> CommuteTripChange {
    CommuteTripChange(Set(fields), party: party, query: query, queryTags: ["quiet"])
  }

  /// Fields that name no value, as where they are cleared.
  private static func clearing(_ fields: some Sequence<Field>) -> CommuteTripChange {
    CommuteTripChange(Set(fields), party: plain, query: asked, queryTags: [])
  }

  private static func fields(_ owner: Field.Owner) -> [Field] {
    Field.allCases.filter { $0.owner == .anybody || $0.owner == owner }
  }

  @Test func allFieldsTogetherMakeTheOtherPartyOfTheSameHost() throws {
    var wanted = Self.party
    wanted.hostID = "ann"
    #expect(
      try Self.change(Self.fields(.host)).applied(to: .party(Self.plain)) == .party(wanted))
    var query = Self.query
    query.riderID = "ben"
    #expect(
      try Self.change(Self.fields(.rider)).applied(to: .request(Self.asked, tags: []))
        == .request(query, tags: ["quiet"]))
  }

  @Test(arguments: CommuteTripChange.Field.allCases)
  func aFieldAloneChangesTheTripAndIsTakenBackByClearingIt(
    field: CommuteTripChange.Field
  ) throws {
    var trips: [CommuteTrip] = []
    if field.owner != .rider { trips.append(.party(Self.plain)) }
    if field.owner != .host { trips.append(.request(Self.asked, tags: [])) }
    for trip in trips {
      let changed = try Self.change([field]).applied(to: trip)
      #expect(changed != trip, "\(field)")
      // What is cleared is as though it had not been given, and nothing else was touched.
      #expect(try Self.clearing([field]).applied(to: changed) == trip, "\(field)")
    }
  }

  @Test func aFieldOfTheOtherKindOfCommuteIsRefused() {
    for field in Field.allCases where field.owner == .rider {
      #expect(throws: CommuteError.fieldOfOthers(field)) {
        try Self.change([.tags, field]).applied(to: .party(Self.plain))
      }
    }
    for field in Field.allCases where field.owner == .host {
      #expect(throws: CommuteError.fieldOfOthers(field)) {
        try Self.change([.tags, field]).applied(to: .request(Self.asked, tags: []))
      }
    }
    let error = CommuteError.fieldOfOthers(.maxShare)
    #expect(error.reason == "conflicting_fields")
    #expect(error.field == "maxShare")
    #expect(error.message == "maxShare is of a rider's commute")
  }
}
