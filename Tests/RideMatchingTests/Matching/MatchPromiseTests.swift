import GeoMath
import ObjectModel
import RideMatching
import RoutePlanning
import TaxiFares
import Testing

/// What a match offers, the join does: no loss, no overlap, no trip of no length.
@Suite struct MatchPromiseTests {
  let rules: PartyRules
  let now = PartyWorld.seoulTime(17)
  let place = PartyWorld.seoul

  init() throws { rules = try PartyWorld.rules() }

  private func north(_ meters: Double) -> Coordinate {
    place.destination(bearingDegrees: 0, meters: meters)
  }

  private func party(
    _ id: String, walk: Double = 300, from origin: Coordinate? = nil, to meters: Double = 9000,
    rule: SplitRule = .bySoloFare, hour: Int = 18
  ) throws -> Party {
    let command = CreateParty(
      hostID: "host-\(id)", origin: PartyWorld.named(origin ?? place),
      destination: PartyWorld.named(north(meters)),
      window: DepartureWindow(time: PartyWorld.seoulTime(hour)),
      limits: RideLimits(maxWalkMeters: walk, maxDetourRatio: 0.5), splitRule: rule,
      tariffID: "everywhere")
    return try rules.create(command, id: id, now: now, claims: PartyWorld.noClaims).party
  }

  private func query(from origin: Coordinate? = nil, to meters: Double = 9000) -> MatchQuery {
    MatchQuery(
      riderID: "me", origin: origin ?? place, destination: PartyWorld.named(north(meters)),
      window: DepartureWindow(time: PartyWorld.seoulTime(18)), now: now, explain: true)
  }

  private func index(_ parties: [Party]) throws -> PartyIndex {
    var index = PartyIndex(pricing: rules.pricing)
    for party in parties { try index.update(party) }
    return index
  }

  /// The finding: parties at 37.3510 (at most 300 m of walk) and 37.3535 (600 m), a rider at
  /// 37.3465 who states no limit. 777 m was told where 505 m match.
  @Test func theRelaxationIsTheLeastOverAllParties() throws {
    func at(_ latitude: Double) -> Coordinate {
      Coordinate(uncheckedLatitude: latitude, longitude: 126.95)
    }
    let near = try party("near", walk: 300, from: at(37.3510), to: 14_000)
    let far = try party("far", walk: 600, from: at(37.3535), to: 14_000)
    let answer = try index([near, far]).match(query(from: at(37.3465), to: 14_000))
    let relaxation = try #require(answer.explanation?.relaxation)
    #expect(relaxation.rule == .walk && relaxation.partyID == "near")
    #expect(abs(relaxation.value - 500) < 10)
    var asked = query(from: at(37.3465), to: 14_000)
    asked.wishes.maxWalkMeters = relaxation.value
    #expect(try index([near, far]).match(asked).candidates.map(\.party.id) == ["near"])
  }

  /// Equal shares and an early way out: half of a long ride costs more than the short way alone.
  @Test func nobodyIsOfferedALossWithoutAskingForIt() throws {
    let party = try party("p", rule: .equal)
    let index = try index([party])
    let answer = index.match(query(to: 2500))
    #expect(answer.candidates.isEmpty)
    #expect(answer.explanation?.removed == [.price: 1])
    let relaxation = try #require(answer.explanation?.relaxation)
    #expect(relaxation.rule == .price)
    let join = query(to: 2500).join
    var refusal: PartyError?
    do throws(PartyError) {
      _ = try rules.join(join, party, now: now, claims: PartyWorld.noClaims)
    } catch { refusal = error }
    guard case .shareExceeded(let share, let alone)? = refusal else {
      Issue.record("joined at a loss: \(String(describing: refusal))")
      return
    }
    #expect(share > alone && Double(share) == relaxation.value)
    var asked = query(to: 2500)
    asked.maxShare = share
    let candidate = try #require(index.match(asked).candidates.first)
    #expect(candidate.yourFare == share && candidate.yourSaving < 0)
    let joined = try rules.join(asked.join, party, now: now, claims: PartyWorld.noClaims).party
    #expect(joined.riders[1].share == share)
  }

  @Test func partiesThatOverlapOnesOwnAreCountedAndNotOffered() throws {
    let own = try party("own")
    let at18 = try party("at18")
    let at23 = try party("at23", hour: 23)
    let index = try index([at18, at23])
    func claims(_ rider: String) -> [PartyInterval] { rider == "me" ? [own.interval] : [] }
    var asked = query()
    asked.window.toleranceMilliseconds = 8 * 3_600_000
    let answer = index.match(asked, claims: claims)
    #expect(answer.candidates.map(\.party.id) == ["at23"])
    #expect(answer.explanation?.removed == [.overlap: 1])
    #expect(index.match(asked, claims: claims, overlappingParties: 2).candidates.count == 2)
    for candidate in answer.candidates {
      _ = try rules.join(asked.join, candidate.party, now: now, claims: claims)
    }
    asked.allowsOverlap = true
    #expect(index.match(asked, claims: claims).candidates.count == 2)
    // Nothing one could wish for mends it.
    var only = query()
    only.riderID = "me"
    let alone = try self.index([at18]).match(only, claims: claims)
    #expect(alone.candidates.isEmpty && alone.explanation?.relaxations.isEmpty == true)
  }

  /// A ride that grows with the joiner may take someone's time who has claims of their own.
  @Test func theLongerRideOfOthersCountsToo() throws {
    let party = try party("p")
    let after = PartyInterval(
      partyID: "later", from: party.interval.through.advanced(milliseconds: 1000),
      through: party.interval.through.advanced(milliseconds: 10_000_000))
    func claims(_ rider: String) -> [PartyInterval] { rider == "host-p" ? [after] : [] }
    let index = try index([party])
    let longer = query(to: 11_000)
    #expect(index.match(longer).candidates.count == 1)
    let answer = index.match(longer, claims: claims)
    #expect(answer.explanation?.removed == [.overlap: 1])
    var refusal: String?
    do throws(PartyError) {
      _ = try rules.join(longer.join, party, now: now, claims: claims)
    } catch { refusal = error.reason }
    #expect(refusal == "overlapping_party")
    #expect(index.match(query(), claims: claims).candidates.count == 1)
  }

  @Test func aSearchLooksAtItsDeadlineEveryFewHundredParties() throws {
    var index = PartyIndex(pricing: rules.pricing)
    let one = try party("p")
    for i in 0..<3000 {
      var copy = one
      copy.id = "p\(i)"
      try index.update(copy)
    }
    for explain in [false, true] {
      var asked = query()
      asked.explain = explain
      var count = 0
      let all = index.match(
        asked,
        shouldStop: {
          count += 1
          return false
        })
      #expect(all.isComplete && all.candidates.count == 20)
      #expect(count >= 3000 / 300)
      var asks = 0
      let cut = index.match(
        asked,
        shouldStop: {
          asks += 1
          return asks == 2
        })
      #expect(!cut.isComplete && asks == 2)
      if let looked = cut.explanation?.considered { #expect(looked < 600) }
    }
  }

  @Test func aTripOfNoLengthIsRefused() throws {
    func reason(_ body: () throws(PartyError) -> Void) -> String? {
      do throws(PartyError) { try body() } catch { return "\(error.reason) \(error.field ?? "-")" }
      return nil
    }
    let least = TripLength.minimumMeters
    #expect(
      reason { () throws(PartyError) in try rules.checkLength(query(to: 0)) }
        == "trip_too_short destination")
    #expect(reason { () throws(PartyError) in try rules.checkLength(query(to: least - 1)) } != nil)
    #expect(reason { () throws(PartyError) in try rules.checkLength(query(to: least + 1)) } == nil)
    var command = CreateParty(
      hostID: "h", origin: PartyWorld.named(place), destination: PartyWorld.named(north(3)),
      window: DepartureWindow(time: PartyWorld.seoulTime(18)), tariffID: "everywhere")
    func create() -> String? {
      reason { () throws(PartyError) in
        _ = try rules.create(command, id: "p", now: now, claims: PartyWorld.noClaims)
      }
    }
    #expect(create() == "trip_too_short destination")
    command.destination = PartyWorld.named(north(4000))
    #expect(create() == nil)
    command.riders = [JoinParty(riderID: "a", destination: PartyWorld.named(place))]
    #expect(create() == "trip_too_short riders[0].destination")
    let party = try party("p")
    #expect(
      reason { () throws(PartyError) in
        _ = try rules.join(
          JoinParty(riderID: "a", destination: PartyWorld.named(place)), party, now: now,
          claims: PartyWorld.noClaims)
      } == "trip_too_short destination")
  }
}
