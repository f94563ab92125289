import GeoMath
import ObjectModel
import RideMatching
import Testing

/// Searching against a look at every party, page by page.
@Suite struct PartySearchTests {
  @Test(arguments: MatchOracleTests.cities, [3 as UInt64])
  func findsWhatALookAtAllFinds(city: MatchOracleTests.City, seed: UInt64) throws {
    var random = PartyRandom(seed: seed)
    let rules = try PartyWorld.rules { $0.maximumToleranceMilliseconds = 100_000_000 }
    var index = PartyIndex(pricing: rules.pricing)
    var parties: [Party] = []
    for i in 0..<200 {
      guard var party = MatchOracleTests.party(city, "\(i)", rules, &random) else { continue }
      if random.chance(0.3) { party.tags = ["airport", "quiet"] }
      parties.append(party)
      try index.update(party)
    }
    var hits = 0
    for _ in 0..<40 {
      let center = PartyWorld.place(near: city.center, meters: city.radius, &random)
      let radius = random.pick([0, 300, 1000, 30_000, 3e7])
      let box = GeoBox(
        uncheckedWest: Coordinate.wrappedLongitude(center.longitude - 0.01),
        south: max(-90, center.latitude - 0.01),
        east: Coordinate.wrappedLongitude(center.longitude + 0.01),
        north: min(90, center.latitude + 0.01))
      var search = PartySearch(
        area: random.chance(0.6) ? .near(center, radiusMeters: radius) : .box(box),
        now: PartyWorld.midnight.advanced(
          milliseconds: Int64(random.int(0...city.spreadMilliseconds))))
      if random.chance(0.3) {
        search.destination = PartyWorld.place(near: city.center, meters: city.reach, &random)
        search.destinationRadiusMeters = 4000
      }
      if random.chance(0.5) {
        search.from = PartyWorld.midnight.advanced(
          milliseconds: Int64(random.int(0...city.spreadMilliseconds)))
        if random.chance(0.7) { search.to = search.from?.advanced(milliseconds: 1_800_000) }
      }
      search.seats = random.pick([0, 0, 1, 3])
      search.tags = random.pick([[], [], ["quiet"], ["airport", "quiet"], ["loud"]])
      let expected = parties.filter { holds($0, search) }
      var found: [Party] = []
      search.limit = random.int(1...40)
      var pages = 0
      repeat {
        let page = index.search(search)
        found += page.hits.map(\.party)
        search.after = page.next
        pages += 1
      } while search.after != nil && pages < 500
      #expect(found.count == expected.count)
      #expect(Set(found.map(\.id)) == Set(expected.map(\.id)))
      if case .near(let place, _) = search.area {
        let far = found.map { place.distanceMeters(to: $0.origin.coordinate) }
        #expect(zip(far, far.dropFirst()).allSatisfy { $0 <= $1 + 0.001 })
      }
      hits += found.count
    }
    #expect(hits > 0)
  }

  private func holds(_ party: Party, _ search: PartySearch) -> Bool {
    guard party.isActive, party.window.end > search.now, party.seatsFree >= search.seats,
      search.tags.allSatisfy(party.tags.contains)
    else { return false }
    if let from = search.from, party.window.end < from { return false }
    if let to = search.to, party.window.start > to { return false }
    func within(_ a: Coordinate, _ b: Coordinate, _ meters: Double) -> Bool {
      (a.distanceMeters(to: b) * 1000).rounded() <= (meters * 1000).rounded()
    }
    if let destination = search.destination,
      !within(destination, party.destination.coordinate, search.destinationRadiusMeters)
    {
      return false
    }
    switch search.area {
    case .near(let place, let radius): return within(place, party.origin.coordinate, radius)
    case .box(let box): return box.contains(party.origin.coordinate)
    }
  }
}
