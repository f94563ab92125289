import GeoMath
import ObjectModel
import PeerMatching
import PositionProtection
import Testing

@Suite struct TicketSearchTests {
  static let seeds: [UInt64] = [1, 2, 3, 4, 5, 6]

  /// The same question by looking at everyone, in the words of the documentation.
  func bruteForce(
    _ search: TicketSearch, _ people: [Ticket], seen: [String: Instant], _ index: TicketIndex
  ) -> [(id: String, score: Int64, millimeters: Int64)] {
    let grid = SampleCity.grid
    let from = DistanceOrigin(index.isProtected ? grid.snapped(search.around) : search.around)
    var found: [(id: String, score: Int64, millimeters: Int64)] = []
    let isForAnything = search.tags.isEmpty || search.tags.contains("anything")
    for person in people where person.userID != search.userID {
      let shown = index.isProtected ? grid.center(of: person.cell!) : person.here!
      let millimeters = from.millimeters(latitude: shown.latitude, longitude: shown.longitude)
      let lastSeen = seen[person.userID] ?? person.stateSince
      let isOnline = lastSeen.advanced(milliseconds: 60_000) > search.now
      guard millimeters <= search.radiusMillimeters, person.expiresAt > search.now,
        !person.blocked.contains(search.userID), !search.blocked.contains(person.userID),
        !search.onlineOnly || isOnline,
        search.wanted.allSatisfy({ wish in
          person.attributes[wish.name].map(wish.values.contains) == true
        }),
        person.wanted.allSatisfy({ wish in
          search.attributes[wish.name].map(wish.values.contains) == true
        })
      else { continue }
      if let stars = search.minimumStars {
        guard person.rating.count > 0,
          Double(person.rating.stars) / Double(person.rating.count) >= stars
        else { continue }
      }
      let common = Set(search.tags).intersection(person.tags)
      let theirsIsAnything = person.tags.isEmpty || person.tags.contains("anything")
      guard isForAnything || theirsIsAnything || !common.isEmpty else { continue }
      let weights = search.ranking
      let share =
        isForAnything || theirsIsAnything
        ? 0 : Double(common.count) / Double(Set(search.tags).count)
      let stars = person.rating.average.map { $0 / 5 } ?? 0.6
      let away = Double(max(0, search.now.milliseconds - lastSeen.milliseconds))
      let parts = [
        weights.commonTags * share,
        weights.distance * (1 - Double(millimeters) / Double(search.radiusMillimeters)),
        isOnline ? weights.online : 0, weights.rating * stars,
        weights.lastSeen / (1 + away / 600_000),
      ]
      let sum = parts[0] + parts[1] + parts[2] + parts[3] + parts[4]
      found.append((person.userID, Int64((sum * 1_000_000).rounded()), millimeters))
    }
    return found.sorted { a, b in
      a.score != b.score
        ? a.score > b.score
        : Array(a.id.utf8).lexicographicallyPrecedes(
          Array(b.id.utf8))
    }
  }

  func searches(_ random: inout SplitMix64) -> TicketSearch {
    var search = TicketSearch(
      userID: random.below(3) == 0 ? "u3" : "me",
      around: SampleCity.place(&random, withinMeters: 4000),
      radiusMillimeters: Int64(100_000 + random.below(5_000_000)),
      tags: (0..<random.below(4)).map { _ in SampleCity.tags[random.below(8)] },
      attributes: random.below(4) == 0 ? [:] : ["gender": random.below(2) == 0 ? "f" : "m"],
      limit: 1 + random.below(30), now: SampleCity.start.advanced(milliseconds: 100_000))
    if random.below(2) == 0 {
      search.wanted = [WantedAttribute(name: "gender", values: ["f"])]
    }
    if random.below(3) == 0 { search.onlineOnly = true }
    if random.below(4) == 0 { search.minimumStars = 3 }
    if random.below(3) == 0 { search.blocked = ["u1", "u5", "u9"] }
    if random.below(8) == 0 { search.tags.append("anything") }
    search.ranking = TicketRanking(
      commonTags: Double(random.below(3)), distance: Double(random.below(3)),
      online: Double(random.below(3)), rating: Double(random.below(3)),
      lastSeen: Double(random.below(3)))
    return search
  }

  @Test(arguments: seeds, [true, false])
  func answersAsLookingAtEveryoneDoes(seed: UInt64, isProtected: Bool) {
    var random = SplitMix64(seed: seed)
    let people = SampleCity.people(800, seed: seed, withinMeters: 5000)
    var index = SampleCity.index(isProtected: isProtected)
    var seen: [String: Instant] = [:]
    for person in people { index.update(person) }
    // Some go and come back, some are heard of.
    for _ in 0..<300 {
      let person = people[random.below(800)]
      if random.below(2) == 0 {
        index.remove(person.userID)
        seen[person.userID] = nil
        index.update(person)
      } else {
        let moment = SampleCity.start.advanced(milliseconds: Int64(random.below(100_000)))
        index.touch(person.userID, at: moment)
        seen[person.userID] = max(seen[person.userID] ?? person.stateSince, moment)
      }
    }
    var found = 0
    for _ in 0..<150 {
      let search = searches(&random)
      let expected = bruteForce(search, people, seen: seen, index)
      let result = index.search(search)
      #expect(result.hits.map(\.userID) == expected.prefix(search.limit).map(\.id))
      #expect(result.hits.map(\.score.millionths) == expected.prefix(search.limit).map(\.score))
      #expect(
        result.hits.map(\.distanceMillimeters) == expected.prefix(search.limit).map(\.millimeters))
      #expect(result.hasMore == (expected.count > search.limit))
      found += result.hits.count
    }
    #expect(found > 300)
  }

  @Test(arguments: seeds)
  func pagesNeitherRepeatNorSkipWhoStaysThoughRanksChange(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let people = SampleCity.people(500, seed: seed, withinMeters: 3000)
    var index = SampleCity.index()
    for person in people { index.update(person) }
    var search = TicketSearch(
      userID: "me", around: SampleCity.middle, radiusMillimeters: 3_000_000,
      attributes: ["gender": "f"], limit: 1000, now: SampleCity.start)
    let all = Set(index.search(search).hits.map(\.userID))
    search.limit = 17
    var pages: [String] = []
    while true {
      let page = index.search(search)
      pages += page.hits.map(\.userID)
      search.passedOver.formUnion(page.hits.map { index.number(of: $0.userID) })
      guard page.hasMore else { break }
      // Everything that ranks people changes between two pages.
      search.now = search.now.advanced(milliseconds: 1000)
      for _ in 0..<50 { index.touch("u\(random.below(500))", at: search.now) }
    }
    #expect(pages.count == Set(pages).count)
    #expect(Set(pages) == all)
    #expect(all.count > 150)
  }

  @Test func explainingCountsEveryone() {
    let people = SampleCity.people(600, seed: 9, withinMeters: 2500)
    var index = SampleCity.index()
    for person in people { index.update(person) }
    var search = TicketSearch(
      userID: "me", around: SampleCity.middle, radiusMillimeters: 2_000_000, tags: ["swift"],
      attributes: ["gender": "m"], wanted: [WantedAttribute(name: "gender", values: ["f"])],
      blocked: ["u4"], limit: 5, now: SampleCity.start)
    search.explains = true
    let result = index.search(search)
    #expect(result.considered == result.matching + result.removed.values.reduce(0, +))
    #expect(result.removed[.tags, default: 0] > 0)
    #expect(result.removed[.wanted, default: 0] > 0)
    #expect(result.removed[.wantedByThem, default: 0] > 0)
    for hit in result.hits {
      let score = hit.score
      let sum = score.commonTags + score.distance + score.online + score.rating + score.lastSeen
      #expect(score.millionths == Int64((sum * 1_000_000).rounded()))
    }
  }

  @Test func popularTagsAreThoseOfThreeAtLeast() {
    var index = SampleCity.index()
    for i in 0..<3 {
      index.update(
        SampleCity.ticket(
          "s\(i)", at: SampleCity.middle, tags: i < 2 ? ["swift", "math"] : ["swift"]))
    }
    func popular() -> [PopularTag] {
      index.popularTags(
        around: SampleCity.middle, radiusMillimeters: 1_000_000, now: SampleCity.start, limit: 10)
    }
    #expect(popular() == [PopularTag(tag: "swift", count: 3)])
    index.update(SampleCity.ticket("s3", at: SampleCity.middle, tags: ["math"]))
    #expect(
      popular() == [PopularTag(tag: "math", count: 3), PopularTag(tag: "swift", count: 3)])
    index.remove("s0")
    #expect(popular().isEmpty)
  }

  @Test func weightsOutsideTheBoundsAreNamed() {
    let bounds = TicketRankingBounds(allowed: 0...5)
    #expect(bounds.violation(in: TicketRanking()) == nil)
    #expect(bounds.violation(in: TicketRanking(rating: 5.5))?.name == "rating")
    #expect(bounds.violation(in: TicketRanking(online: .nan))?.name == "online")
  }

  @Test func thousandsAtOnePointAreFoundLikeAnyOthers() {
    var index = SampleCity.index()
    for i in 0..<5000 { index.update(SampleCity.ticket("d\(i)", at: SampleCity.middle)) }
    let result = index.search(
      TicketSearch(
        userID: "me", around: SampleCity.middle, radiusMillimeters: 500_000, limit: 3,
        now: SampleCity.start))
    #expect(result.hits.map(\.userID) == ["d0", "d1", "d10"])
    #expect(result.hasMore)
  }

  // MARK: - Everybody in one cell

  @Test(arguments: seeds)
  func comingAndGoingInOneCellAnswersAsLookingAtEveryoneDoes(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let sorts = SampleCity.people(400, seed: seed, withinMeters: 40).map { person in
      var person = person
      person.cell = SampleCity.grid.cell(of: SampleCity.middle, level: 0)
      return person
    }
    var index = SampleCity.index()
    var waiting: [String: Ticket] = [:]
    for step in 0..<3000 {
      var person = sorts[random.below(sorts.count)]
      if random.below(2) == 0 {
        // Other interests, blocks and wishes than before: their words take other room.
        let other = sorts[random.below(sorts.count)]
        (person.tags, person.wanted, person.blocked) = (other.tags, other.wanted, other.blocked)
        index.update(person, seenAt: person.stateSince)
        waiting[person.userID] = person
      } else {
        index.remove(person.userID)
        waiting[person.userID] = nil
      }
      guard step % 100 == 0 else { continue }
      #expect(index.count == waiting.count)
      let search = searches(&random)
      let expected = bruteForce(search, Array(waiting.values), seen: [:], index)
      let result = index.search(search)
      #expect(result.hits.map(\.userID) == expected.prefix(search.limit).map(\.id))
      #expect(result.hits.map(\.score.millionths) == expected.prefix(search.limit).map(\.score))
    }
  }

  @Test func aChangeInACrowdedCellMovesOneRow() {
    let count = 20_000
    var index = SampleCity.index()
    for i in 0..<count { index.update(SampleCity.ticket("d\(i)", at: SampleCity.middle)) }
    // Doubling moves each row about once.
    #expect(index.movedWords < 3 * 9 * count)
    let before = index.movedWords
    // From the front: each leaves a gap that the last one fills.
    for i in 0..<count - 100 { index.remove("d\(i)") }
    #expect(index.movedWords - before < 3 * 9 * count)
    #expect(index.count == 100)
  }

  // MARK: - Work

  @Test func aSearchSpendsAStepForEachCellAndPerson() throws {
    let people = SampleCity.people(5000, seed: 3, withinMeters: 4000)
    var index = SampleCity.index()
    for person in people { index.update(person) }
    let search = TicketSearch(
      userID: "me", around: SampleCity.middle, radiusMillimeters: 3_000_000, tags: ["swift"],
      limit: 10, now: SampleCity.start)
    var explained = search
    explained.explains = true
    let considered = index.search(explained).considered
    var budget = WorkBudget(steps: 100_000)
    #expect(try index.search(search, budget: &budget) == index.search(search))
    let spent = budget.limit - budget.remaining
    // 1,300 squares of four sizes cover 3 km, and nobody is looked at twice.
    #expect(spent >= considered && spent < people.count + 1500)
    for steps in [0, 1, 500, spent - 1] {
      var short = WorkBudget(steps: steps)
      #expect(throws: WorkBudget.Exhaustion.steps(limit: steps)) {
        try index.search(search, budget: &short)
      }
    }
    var exact = WorkBudget(steps: spent)
    #expect(try index.search(search, budget: &exact).hits.count == 10)
    var late = WorkBudget(steps: .max, deadline: WorkDeadline(.now))
    #expect(throws: WorkBudget.Exhaustion.deadlinePassed) {
      try index.search(search, budget: &late)
    }
    var tags = WorkBudget(steps: 500)
    #expect(throws: WorkBudget.Exhaustion.steps(limit: 500)) {
      try index.popularTags(
        around: SampleCity.middle, radiusMillimeters: 3_000_000, now: SampleCity.start, limit: 5,
        budget: &tags)
    }
  }

  /// The whole city takes no more looks than there are cells with people in them.
  @Test func aWideSearchLooksAtPeopleAndNotAtTheMap() throws {
    var index = SampleCity.index()
    for person in SampleCity.people(300, seed: 4, withinMeters: 4000) { index.update(person) }
    var budget = WorkBudget(steps: 1000)
    let result = try index.search(
      TicketSearch(
        userID: "me", around: SampleCity.middle, radiusMillimeters: 50_000_000, limit: 10,
        now: SampleCity.start), budget: &budget)
    #expect(result.hits.count == 10)
  }
}
