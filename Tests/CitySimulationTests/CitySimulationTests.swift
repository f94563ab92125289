import CitySimulation
import GeoMath
import ObjectModel
import Testing

/// Saturday 2026-11-21 in UTC, a Saturday noon in Seoul.
let saturdayNoon = Instant(milliseconds: 1_795_230_000_000)
/// The Monday after, 08:00 in Seoul.
let mondayMorning = saturdayNoon.advanced(milliseconds: 44 * 3_600_000)

@Suite struct CitySimulationTests {
  @Test(arguments: [1, 7, 99] as [UInt64])
  func theStepsTakenDoNotMatter(seed: UInt64) throws {
    let city = try seoul()
    let end = mondayMorning.advanced(milliseconds: 65_000)
    var whole = CitySimulation(city: city, users: 317, seed: seed, start: mondayMorning)
    let expected = whole.step(to: end)
    #expect(expected.count == 317 * 3 + 317 / 4 + 1)
    for step in [1, 37, 1_000, 30_000] as [Int64] {
      var simulation = CitySimulation(city: city, users: 317, seed: seed, start: mondayMorning)
      var reports: [CitySimulation.Report] = []
      var now = mondayMorning
      while now < end {
        now = min(end, now.advanced(milliseconds: step))
        let due = simulation.due(at: now)
        let some = simulation.step(to: now, limit: 3)
        let rest = simulation.step(to: now)
        #expect(some.count + rest.count == Int(due))
        reports += some + rest
      }
      #expect(reports == expected, "step \(step), seed \(seed)")
    }
  }

  @Test func everybodyReportsOnceAHeartbeatEvenly() throws {
    let city = try seoul()
    for users in [1, 3, 1_000, 50_000] {
      var simulation = CitySimulation(
        city: city, users: users, seed: 5, start: mondayMorning, heartbeatMilliseconds: 10_000)
      var seen = [Int](repeating: 0, count: users)
      var inSecond = [Int](repeating: 0, count: 10)
      var last = Instant.distantPast
      simulation.forEachReport(to: mondayMorning.advanced(milliseconds: 9_999)) { report in
        seen[report.user] += 1
        inSecond[Int(report.observedAt.milliseconds(since: mondayMorning) / 1000)] += 1
        #expect(report.observedAt >= last)
        last = report.observedAt
      }
      #expect(seen.allSatisfy { $0 == 1 })
      let (low, high) = (inSecond.min() ?? 0, inSecond.max() ?? 0)
      #expect(high - low <= 1, "\(users) users: \(inSecond)")
      #expect(simulation.due(at: mondayMorning.advanced(milliseconds: 9_999)) == 0)
      #expect(simulation.step(to: mondayMorning).isEmpty)
    }
  }

  @Test func seedsDifferAndRepeat() throws {
    let city = try seoul()
    func positions(_ seed: UInt64) -> [CitySimulation.Report] {
      CitySimulation(city: city, users: 200, seed: seed, start: saturdayNoon)
        .snapshot(at: saturdayNoon)
    }
    #expect(positions(1) == positions(1))
    #expect(zip(positions(1), positions(2)).filter { $0.coordinate == $1.coordinate }.isEmpty)
  }

  /// A changed stream of draws changes these: simulations recorded earlier would not repeat.
  @Test func theSequenceIsThatOfEarlierReleases() throws {
    let simulation = CitySimulation(
      city: try seoul(), users: 50_000, seed: 1, start: mondayMorning)
    var text = ""
    for report in simulation.snapshot(at: mondayMorning) where report.user % 9_999 == 0 {
      text += "\(report.coordinate.latitude) \(report.coordinate.longitude)\n"
    }
    for index in [0, 9_999, 49_999] {
      let user = simulation.user(at: index)
      text += "\(user.id) \(user.tags) \(user.gender.rawValue) \(user.level)\n"
    }
    for party in simulation.parties(3, from: mondayMorning) {
      text += "\(party.key) \(party.host) \(party.origin.name) \(party.destination.name) "
      text += "\(party.origin.coordinate.latitude) \(party.destination.coordinate.longitude) "
      text += "\(party.departure.milliseconds) \(party.departureWindowSeconds) \(party.seats)\n"
    }
    #expect(StableHash.hash64(text) == 9_216_762_427_515_578_696, "\(text)")
  }

  @Test(arguments: [3, 4] as [UInt64])
  func nobodyJumps(seed: UInt64) throws {
    let simulation = CitySimulation(
      city: try seoul(), users: 60, seed: seed, start: mondayMorning)
    var moving = 0
    var fastest = 0.0
    for user in 0..<60 {
      var last = simulation.position(of: user, at: mondayMorning)
      for second in 1...(3 * 3_600) {
        let now = mondayMorning.advanced(milliseconds: Int64(second) * 1_000)
        let here = simulation.position(of: user, at: now)
        let meters = last.haversineMeters(to: here)
        fastest = max(fastest, meters)
        if meters > 4 { moving += 1 }
        last = here
      }
    }
    // 45 km in 36 minutes, and a stroll.
    #expect(fastest < 25)
    // Between 8 and 11 on a Monday somebody rides to work.
    #expect(moving > 1_000)
  }

  @Test func theCityLivesByItsClock() throws {
    let city = try seoul()
    let simulation = CitySimulation(city: city, users: 8_000, seed: 2, start: mondayMorning)
    func people(_ kind: City.Kind, atLocalHour hour: Int64) -> Int {
      let moment = mondayMorning.advanced(milliseconds: (hour - 8) * 3_600_000)
      return simulation.snapshot(at: moment).filter { report in
        let near = city.hotSpots.min {
          $0.coordinate.haversineMeters(to: report.coordinate)
            < $1.coordinate.haversineMeters(to: report.coordinate)
        }
        return near?.kind == kind
      }.count
    }
    #expect(people(.office, atLocalHour: 14) > 3 * people(.office, atLocalHour: 4) / 2)
    #expect(people(.residential, atLocalHour: 4) > 3 * people(.residential, atLocalHour: 14) / 2)
    #expect(people(.leisure, atLocalHour: 20) > 3 * people(.leisure, atLocalHour: 4) / 2)
  }

  @Test func topicsAreSkewed() throws {
    let simulation = CitySimulation(
      city: try seoul(), users: 50_000, seed: 11, start: mondayMorning)
    var counts: [String: Int] = [:]
    for index in 0..<50_000 {
      let user = simulation.user(at: index)
      #expect(user.tags.count <= StudyTopics.maximumPerUser && (1...10).contains(user.level))
      for tag in user.tags { counts[tag, default: 0] += 1 }
    }
    for (tag, probability) in StudyTopics.frequencies {
      let expected = probability * 50_000
      // Five standard deviations.
      #expect(abs(Double(counts[tag] ?? 0) - expected) < 5 * expected.squareRoot(), "\(tag)")
      #expect((1...8).contains(tag.count) && TagNormalization.normalize(tag) == tag)
    }
    #expect(simulation.user(at: 0).id == "seoul-user-00001")
    #expect(simulation.userId(at: 49_999) == "seoul-user-50000")
  }

  @Test func partiesAreUsable() throws {
    let city = try seoul()
    let simulation = CitySimulation(city: city, users: 5_000, seed: 1, start: mondayMorning)
    let parties = simulation.parties(2_000, from: mondayMorning)
    #expect(parties.count == 2_000)
    #expect(Array(parties.prefix(100)) == simulation.parties(100, from: mondayMorning))
    #expect(Set(parties.map(\.host)).count == 2_000)
    #expect(Set(parties.map(\.key)).count == 2_000)
    #expect(Set(parties.map(\.origin)).count < 300)
    for party in parties {
      #expect((0..<5_000).contains(party.host) && (2...4).contains(party.seats))
      let ahead = party.departure.milliseconds(since: mondayMorning)
      #expect(ahead >= 9 * 60_000 && ahead <= 240 * 60_000)
      #expect(party.departure.milliseconds % 60_000 == 0)
      #expect(party.origin.coordinate.haversineMeters(to: party.destination.coordinate) > 100)
    }
    #expect(simulation.parties(9_999_999, from: mondayMorning).count == 5_000)
    #expect(simulation.parties(-1, from: mondayMorning).isEmpty)
  }

  @Test func oddCities() throws {
    let empty = CitySimulation(
      city: try seoul(), users: 0, seed: 1, start: mondayMorning)
    var copy = empty
    #expect(copy.step(to: mondayMorning.advanced(milliseconds: 1 << 40)).isEmpty)
    #expect(
      empty.snapshot(at: mondayMorning).isEmpty && empty.parties(5, from: mondayMorning) == [])

    // Across 180 degrees, and before 1970.
    let fiji = try City(
      name: "fiji", utcOffsetSeconds: 12 * 3600,
      table: """
        \(City.tableHeader)
        Suva,Suva,leisure,-18.1,178.4,1,2000
        Taveuni,Taveuni,residential,-16.9,-179.9,1,3000
        """)
    let simulation = CitySimulation(
      city: fiji, users: 500, seed: 1, start: Instant(milliseconds: -1_000_000))
    let box = GeoBox(uncheckedWest: 178, south: -18.5, east: -179.5, north: -16.5)
    for hour in 0..<24 {
      let moment = Instant(milliseconds: Int64(hour - 12) * 3_600_000)
      #expect(simulation.snapshot(at: moment).allSatisfy { box.contains($0.coordinate) })
    }

    let one = City(
      name: "one", utcOffsetSeconds: 0,
      hotSpots: [
        .init(
          name: "a", englishName: "a", kind: .station,
          coordinate: Coordinate(uncheckedLatitude: 10, longitude: 10), weight: 1, radiusMeters: 0)
      ])
    let single = CitySimulation(city: one, users: 3, seed: 1, start: mondayMorning)
    #expect(single.parties(3, from: mondayMorning).count == 3)
    let center = Coordinate(uncheckedLatitude: 10, longitude: 10)
    #expect(
      single.snapshot(at: mondayMorning).allSatisfy {
        $0.coordinate.haversineMeters(to: center) < 1_200
      })
  }

  @Test func skippingLeavesOut() throws {
    let city = try seoul()
    var simulation = CitySimulation(city: city, users: 100, seed: 1, start: mondayMorning)
    var other = simulation
    let middle = mondayMorning.advanced(milliseconds: 500_123)
    let end = mondayMorning.advanced(milliseconds: 530_000)
    simulation.skip(to: middle)
    #expect(simulation.due(at: middle) == 0)
    #expect(simulation.step(to: end) == other.step(to: end).filter { $0.observedAt > middle })
  }
}
