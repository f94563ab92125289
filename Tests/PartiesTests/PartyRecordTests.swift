import GeoMath
import ObjectModel
import RideMatching
import TaxiFares
import Testing

@testable import WireFormat
@testable import Parties

/// Records read as they were written, by this daemon and by the ones to come.
struct PartyRecordTests {
  static func party(seed: UInt64) -> Party {
    var g = SplitMix64(seed: seed)
    func int(_ range: Range<Int>) -> Int { Int.random(in: range, using: &g) }
    func real() -> Double { Double.random(in: 0..<10_000, using: &g) }
    func text() -> String { ["", "역삼", "a,b\"", "x", "Gangnam Station 2"][int(0..<5)] }
    func place() -> RidePlace {
      RidePlace(
        name: text(),
        coordinate: Coordinate(
          uncheckedLatitude: Double.random(in: -90...90, using: &g),
          longitude: Double.random(in: -180...180, using: &g)))
    }
    func limits() -> RideLimits {
      RideLimits(
        maxWalkMeters: real(), maxDetourRatio: real(), minSharedRatio: int(0..<2) == 0 ? nil : 0.5,
        maxRideSeconds: int(0..<3) == 0 ? real() : nil,
        maxDetourSeconds: int(0..<3) == 0 ? real() : nil,
        arriveBy: int(0..<3) == 0 ? Instant(milliseconds: Int64(int(0..<999_999))) : nil)
    }
    func boarding() -> RiderBoarding {
      RiderBoarding(
        place: place(), asked: place().coordinate, walkMeters: real(),
        window: int(0..<2) == 0
          ? nil
          : DepartureWindow(
            time: Instant(milliseconds: Int64(int(0..<999_999))), toleranceMilliseconds: 7))
    }
    let riders = (0..<int(0..<5)).map { i in
      PartyRider(
        id: "rider \(i)", joinedAt: Instant(milliseconds: Int64(int(-5..<5)) * 1_000_000),
        dropOff: int(0..<2) == 0 ? nil : place(), seats: int(1..<4),
        attributes: int(0..<2) == 0 ? [:] : ["gender": "f", "어": text()], limits: limits(),
        weight: int(0..<2) == 0 ? nil : real(), share: Int64(int(-9..<99_999)),
        acceptedShare: Int64.max - Int64(i), soloFare: Int64(int(0..<99_999)),
        rideMeters: real(), rideSeconds: real(), directMeters: real(), directSeconds: real(),
        boarding: int(0..<3) == 0 ? boarding() : nil)
    }
    let path = (0..<int(0..<8)).map { _ in
      seed % 2 == 0 ? place().coordinate : RoutePathCoding.rounded(place().coordinate)
    }
    func request(_ i: Int) -> PartyJoinRequest {
      let isOver = int(0..<2) == 0
      return PartyJoinRequest(
        id: "request \(i)", state: isOver ? .expired : .pending,
        createdAt: Instant(milliseconds: Int64(int(0..<999_999))),
        expiresAt: Instant(milliseconds: Int64(int(0..<999_999))),
        endedAt: isOver ? Instant(milliseconds: 8) : nil, endReason: isOver ? .departed : nil,
        share: Int64(int(0..<99_999)),
        join: JoinParty(
          riderID: "asker \(i)", destination: int(0..<2) == 0 ? place() : nil,
          origin: int(0..<2) == 0 ? place().coordinate : nil,
          seats: int(0..<2) == 0 ? 2 : nil, attributes: int(0..<2) == 0 ? ["a": text()] : [:],
          wishes: RideWishes(limits()), weight: int(0..<2) == 0 ? real() : nil,
          maxShare: int(0..<2) == 0 ? 7 : nil, boarding: int(0..<2) == 0 ? place() : nil,
          window: int(0..<2) == 0
            ? nil : DepartureWindow(time: Instant(milliseconds: 6), toleranceMilliseconds: 5)))
    }
    return Party(
      id: "p\(seed)", version: UInt64(int(1..<999)), state: Party.State.allCases[int(0..<5)],
      createdAt: Instant(milliseconds: Int64(int(0..<999_999))),
      stateSince: Instant(milliseconds: -7), riders: riders, seats: int(1..<8), origin: place(),
      destination: place(),
      window: DepartureWindow(
        time: Instant(milliseconds: Int64(int(0..<999_999))),
        toleranceMilliseconds: Int64(int(0..<999_999))), limits: limits(),
      tags: (0..<int(0..<3)).map { "tag\($0)" },
      policy: int(0..<2) == 0
        ? .none
        : RidePolicy(
          sameAttributes: ["gender"], pack: "kr", maxWalkMeters: real(), maxDetourRatio: 0.1,
          maxDetourSeconds: 900, minSharedRatio: 0.7),
      splitRule: SplitRule.allCases[int(0..<SplitRule.allCases.count)],
      allowsRaisedShares: int(0..<2) == 0, isCalled: int(0..<2) == 0, tariffID: "seoul",
      route: PartyRoute(
        distanceMeters: real(), durationSeconds: real(), stopOrder: riders.map(\.id), path: path,
        source: "estimate",
        stops: riders.map {
          RouteStop(
            riderID: $0.id, isBoarding: int(0..<2) == 0, meters: real(), seconds: real())
        }),
      fare: PartyFare(
        currency: "KRW", expected: 1, low: -2, high: 3, perPersonNow: 4, perPersonIfFull: 5,
        source: "osrm"),
      settlement: int(0..<2) == 0
        ? nil
        : PartySettlement(
          payerID: "a", amount: 10, tolls: 2, at: Instant(milliseconds: 5),
          shares: [
            FareShare(riderID: "a", amount: 4, soloFare: 9, exceedsSoloBecause: "tolls"),
            FareShare(riderID: "b", amount: 6),
          ]), endReason: int(0..<2) == 0 ? nil : "host",
      departingNoticeAt: int(0..<2) == 0 ? nil : Instant(milliseconds: 77),
      agreedFare: int(0..<2) == 0 ? nil : AgreedFare(amount: 12_000, currency: "EUR"),
      needsApproval: int(0..<2) == 0, holdsSeats: int(0..<2) == 0,
      joinRequests: (0..<int(0..<3)).map(request),
      meetingPlace: int(0..<2) == 0 ? nil : place())
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func encodeThenDecodeIsTheIdentity(seed: UInt64) throws {
    let party = Self.party(seed: seed)
    let bytes = PartyRecord.encode(party)
    #expect(try PartyRecord.decode(bytes) == party)
    #expect(PartyRecord.encode(try PartyRecord.decode(bytes)) == bytes)
  }

  /// A store writes the record of a fuller party over the one before: it must not grow.
  @Test func aRecordHasRoomForThoseWhoMayStillGetIn() async throws {
    let it = try PartyFixture()
    defer { it.partyService.stop() }
    var party = try await it.partyService.create(
      PartyFixture.create("host", seats: 4), PartyFixture.plain
    )
    .party
    var lengths: [Int] = []
    for rider in ["", "bob", "eve-with-a-longer-name", "sue"] {
      if !rider.isEmpty {
        party = try await it.partyService.join(
          partyID: party.id, JoinParty(riderID: rider), PartyFixture.plain
        ).party
      }
      let roomy = PartyRecord.encode(party, hasRoom: true)
      lengths.append(roomy.count)
      #expect(try PartyRecord.decode(roomy) == party)
      #expect(roomy.starts(with: PartyRecord.encode(party)))
    }
    #expect(lengths == lengths.sorted(by: >))
    #expect(PartyRecord.encode(party, hasRoom: true) == PartyRecord.encode(party))
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func anyBytesAreAnsweredByAPartyOrAProblem(seed: UInt64) {
    var g = SplitMix64(seed: seed)
    let good = PartyRecord.encode(Self.party(seed: seed))
    for count in 0..<good.count { _ = try? PartyRecord.decode(Array(good[0..<count])) }
    for _ in 0..<500 {
      var bytes = good
      for _ in 0..<Int.random(in: 1..<4, using: &g) {
        bytes[Int.random(in: 0..<bytes.count, using: &g)] = UInt8.random(in: 0...255, using: &g)
      }
      _ = try? PartyRecord.decode(bytes)
      _ = try? StandingRequest(record: bytes)
    }
    for count in 0..<64 {
      _ = try? PartyRecord.decode((0..<count).map { _ in UInt8.random(in: 0...255, using: &g) })
    }
  }

  @Test func fieldsOfTheFutureAreSkippedAndNewLayoutsRefused() throws {
    let party = Self.party(seed: 3)
    var more = ProtobufWriter()
    more.string(900, "new")
    more.double(901, 1)
    more.varint(902, 7)
    more.message(903) { $0.string(1, "inner") }
    #expect(try PartyRecord.decode(PartyRecord.encode(party) + more.bytes) == party)
    var newer = ProtobufWriter()
    newer.varint(1, PartyRecord.version + 1)
    #expect(throws: WireFormatError.tooNew(version: PartyRecord.version + 1)) {
      try PartyRecord.decode(newer.bytes)
    }
    #expect(throws: WireFormatError.missing(field: "id")) { try PartyRecord.decode([]) }
  }

  /// Written by the first release: must be readable for ever.
  @Test func theFirstRecordStillReads() throws {
    let digits = Array(Self.golden)
    let bytes = try stride(from: 0, to: digits.count, by: 2).map {
      try #require(UInt8(String(digits[$0...($0 + 1)]), radix: 16))
    }
    #expect(try PartyRecord.decode(bytes) == Self.goldenParty)
    #expect(PartyRecord.encode(Self.goldenParty) == bytes)
  }

  static let goldenParty = Party(
    id: "p1", version: 2, state: .open, createdAt: Instant(milliseconds: 1_000),
    stateSince: Instant(milliseconds: 2_000),
    riders: [
      PartyRider(
        id: "ann", joinedAt: Instant(milliseconds: 1_000), seats: 1,
        attributes: ["gender": "f"], limits: .standard, share: 5_000, acceptedShare: 5_100,
        soloFare: 9_000, rideMeters: 1.5, rideSeconds: 2.5, directMeters: 3.5, directSeconds: 4.5)
    ], seats: 4,
    origin: RidePlace(
      name: "Sinchon", coordinate: Coordinate(uncheckedLatitude: 37.5, longitude: 126.9)),
    destination: RidePlace(
      coordinate: Coordinate(uncheckedLatitude: 37.4, longitude: 127)),
    window: DepartureWindow(time: Instant(milliseconds: 3_600_000)), limits: .standard,
    tags: ["quiet"], policy: RidePolicy(sameAttributes: ["gender"]), splitRule: .bySoloFare,
    allowsRaisedShares: true, isCalled: false, tariffID: "kr-seoul",
    route: PartyRoute(
      distanceMeters: 10, durationSeconds: 20, stopOrder: ["ann"],
      path: [Coordinate(uncheckedLatitude: 37.5, longitude: 126.9)], source: "estimate"),
    fare: PartyFare(
      currency: "KRW", expected: 9_000, low: 8_000, high: 10_000, perPersonNow: 9_000,
      perPersonIfFull: 2_250, source: "estimate"))

  static let golden = """
    0801120270311802200128d00f30a01f3a590a03616e6e10d00f20012a0b0a0667656e64657212016632120900\
    00000000c0724011000000000000d03f40904e48d84f50d08c0159000000000000f83f61000000000000044069\
    0000000000000c4071000000000000124040044a1b0a0753696e63686f6e110000000000c04240199a99999999\
    b95f405212113333333333b34240190000000000c05f405880bab70360809f496a12090000000000c072401100\
    0000000000d03f720571756965747a080a0667656e64657282010a6279536f6c6f466172658801019a01086b72\
    2d73656f756ca2012d0900000000000024401100000000000034401a03616e6e220a80afd0e502809d9bba0932\
    08657374696d617465aa01210a034b525710d08c0118807d20a09c0128d08c013094233a08657374696d617465
    """

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func standingRequestsToo(seed: UInt64) throws {
    let party = Self.party(seed: seed)
    var request = StandingRequest(
      id: "r\(seed)", version: seed, createdAt: party.createdAt,
      query: MatchQuery(
        riderID: "bob", origin: party.origin.coordinate, destination: party.destination,
        window: party.window, now: party.createdAt,
        wishes: seed % 2 == 0 ? .none : RideWishes(party.limits), seats: 2,
        attributes: ["gender": "f"], weight: seed % 3 == 0 ? 1.5 : nil,
        maxShare: seed % 2 == 0 ? 900 : nil,
        boarding: seed % 4 == 0 ? party.origin : nil), tags: party.tags, found: ["a", "b"],
      endedAt: seed % 5 == 0 ? party.createdAt : nil)
    request.query.originPlace = party.origin
    #expect(try StandingRequest(record: request.encoded()) == request)
  }
}
