import GeoMath
import ObjectModel
import PeerMatching
import PositionProtection
import Testing

/// An adversary who may ask what they like, and as many people of their own as they like.
///
/// `swift test --filter ProtectionAttackTests` prints the table of docs/privacy.md.
@Suite struct ProtectionAttackTests {
  static let victims = 40
  static let cell = SampleCity.grid.cell(of: SampleCity.middle, level: 0)
  static let center = SampleCity.grid.center(of: cell)

  /// Places all over one cell.
  static func places(_ count: Int, seed: UInt64) -> [Coordinate] {
    var random = SplitMix64(seed: seed)
    var found: [Coordinate] = []
    while found.count < count {
      let place = SampleCity.place(&random, withinMeters: 400)
      if SampleCity.grid.cell(of: place, level: 0) == cell { found.append(place) }
    }
    return found
  }

  static let anchors = (0..<8).map {
    center.destination(bearingDegrees: Double($0) * 45 + 7, meters: 700)
  }

  static func question(
    _ place: Coordinate, meters: Double, tags: [String] = [], limit: Int = 100
  ) -> TicketSearch {
    TicketSearch(
      userID: "eve", around: place, radiusMillimeters: Int64(meters * 1000), tags: tags,
      ranking: TicketRanking(commonTags: 0, distance: 10, online: 0, rating: 0, lastSeen: 0),
      limit: limit, now: SampleCity.start)
  }

  // MARK: Ways to measure how far somebody is from a place

  typealias Measure = @Sendable (inout TicketIndex, Coordinate) -> Double

  static let told: Measure = { index, anchor in
    Double(
      index.search(question(anchor, meters: 3000)).hits.first { $0.userID == "vic" }!
        .distanceMillimeters) / 1000
  }

  static func bisect(_ isNearer: (Double) -> Bool) -> Double {
    var low = 1.0
    var high = 3000.0
    while high - low > 0.5 {
      let middle = (low + high) / 2
      if isNearer(middle) { high = middle } else { low = middle }
    }
    return (low + high) / 2
  }

  static let byRadius: Measure = { index, anchor in
    let index = index
    return bisect { meters in
      index.search(question(anchor, meters: meters)).hits.contains { $0.userID == "vic" }
    }
  }

  /// Moves a person of their own along a ray and looks who is listed first.
  static let byOrder: Measure = { index, anchor in
    bisect { meters in
      let place = anchor.destination(bearingDegrees: 180, meters: meters)
      index.update(SampleCity.ticket("sib", at: place))
      defer { index.remove("sib") }
      let order = index.search(question(anchor, meters: 5000)).hits.map(\.userID)
      return order.firstIndex(of: "vic")! < order.firstIndex(of: "sib")!
    }
  }

  /// Two of their own at the anchor carry the victim's tag: told are tags of three people.
  static let byTagCount: Measure = { index, anchor in
    index.update(SampleCity.ticket("sib1", at: anchor, tags: ["swift"]))
    index.update(SampleCity.ticket("sib2", at: anchor, tags: ["swift"]))
    let crowded = index
    index.remove("sib1")
    index.remove("sib2")
    return bisect { meters in
      !crowded.popularTags(
        around: anchor, radiusMillimeters: Int64(meters * 1000), now: SampleCity.start, limit: 10
      ).isEmpty
    }
  }

  static let measures: [(name: String, measure: Measure)] = [
    ("trilateration by the distances told", told), ("radius oracle", byRadius),
    ("order oracle, with one person of their own", byOrder),
    ("tag counts, with two people of their own", byTagCount),
  ]

  /// The place that fits distances from the anchors best, by Gauss-Newton on the plane.
  static func locate(_ distances: [Double]) -> Coordinate {
    let metersPerDegree = 111_194.93
    let scale = 0.793
    var x = 0.0
    var y = 0.0
    for _ in 0..<30 {
      var a = 1e-9
      var b = 0.0
      var d = 1e-9
      var right = (0.0, 0.0)
      for (anchor, distance) in zip(anchors, distances) {
        let dx = x - (anchor.longitude - center.longitude) * metersPerDegree * scale
        let dy = y - (anchor.latitude - center.latitude) * metersPerDegree
        let length = max(1, (dx * dx + dy * dy).squareRoot())
        let (ux, uy) = (dx / length, dy / length)
        a += ux * ux
        b += ux * uy
        d += uy * uy
        right.0 += ux * (distance - length)
        right.1 += uy * (distance - length)
      }
      let determinant = a * d - b * b
      x += (d * right.0 - b * right.1) / determinant
      y += (a * right.1 - b * right.0) / determinant
    }
    return Coordinate(
      uncheckedLatitude: center.latitude + y / metersPerDegree,
      longitude: center.longitude + x / metersPerDegree / scale)
  }

  /// Mean meters between the guess and the truth.
  static func error(isProtected: Bool, _ measure: Measure) -> Double {
    var sum = 0.0
    for place in places(victims, seed: 4) {
      var index = SampleCity.index(isProtected: isProtected)
      index.update(SampleCity.ticket("vic", at: place, tags: ["swift"]))
      let guess = locate(anchors.map { measure(&index, $0) })
      sum += guess.distanceMeters(to: place)
    }
    return sum / Double(victims)
  }

  @Test func noMeasurementTellsMoreThanTheCell() {
    // Who knows the cell and nothing else guesses its middle.
    let places = Self.places(Self.victims, seed: 4)
    let byCell =
      places.reduce(0) { $0 + $1.distanceMeters(to: Self.center) } / Double(Self.victims)
    print("| attack | error without protection | error with it | the cell alone |")
    for (name, measure) in Self.measures {
      let open = Self.error(isProtected: false, measure)
      let shut = Self.error(isProtected: true, measure)
      let figures = [open, shut, byCell].map { "\(Int($0.rounded())) m" }
      print("| \(name) | \(figures.joined(separator: " | ")) |")
      // The attack works where nothing protects: the test can fail.
      #expect(open < 12)
      #expect(shut > byCell * 0.97)
    }
  }

  struct Answer: Hashable {
    var result: TicketSearchResult
    var popular: [PopularTag]
  }

  /// All that 1,000 chosen questions answer.
  static func transcript(_ index: TicketIndex, seed: UInt64) -> [Answer] {
    var random = SplitMix64(seed: seed)
    return (0..<1000).map { _ in
      var search = question(
        SampleCity.place(&random, withinMeters: 2500), meters: 50 + random.unit() * 3000,
        tags: random.below(2) == 0 ? [] : [SampleCity.tags[random.below(8)]],
        limit: 1 + random.below(50))
      search.ranking = TicketRanking(
        commonTags: Double(random.below(10)), distance: Double(random.below(10)),
        online: Double(random.below(10)), rating: Double(random.below(10)),
        lastSeen: Double(random.below(10)))
      search.onlineOnly = random.below(5) == 0
      search.explains = true
      let popular = index.popularTags(
        around: search.around, radiusMillimeters: search.radiusMillimeters, now: search.now,
        limit: 20)
      return Answer(result: index.search(search), popular: popular)
    }
  }

  /// A town in which all is the same but where in their cell one person is.
  static func town(_ here: Coordinate) -> TicketIndex {
    var index = SampleCity.index()
    let rules = TicketRules(grid: SampleCity.grid)
    for person in SampleCity.people(300, seed: 7, withinMeters: 2500) { index.update(person) }
    let crowded = index
    let change = try? rules.apply(
      .open(userID: "vic", OpenTicket(here: here, tags: ["swift"])), now: SampleCity.start,
      people: { _ in nil }, crowd: { max(4, crowded.crowd(in: $0)) })
    index.update(change!.tickets[0])
    return index
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func aThousandQuestionsAnswerTheSameWhereverInTheCellSomebodyIs(seed: UInt64) {
    let places = Self.places(4, seed: seed)
    let first = Self.transcript(Self.town(places[0]), seed: seed)
    for place in places.dropFirst() {
      let same = Self.transcript(Self.town(place), seed: seed) == first
      #expect(same)
    }
    // In another cell it is another answer.
    let elsewhere = Self.center.destination(bearingDegrees: 90, meters: 300)
    let other = Self.transcript(Self.town(elsewhere), seed: seed) != first
    #expect(other)
  }

  @Test func seeingThePointMoveTellsTheNewCellAndNoLineInIt() {
    // People walk east out of the cell; the guess is the place where most are when it moves.
    var guesses: [Double] = []
    for i in 0..<300 {
      var place = Self.center
      var walked = 0.0
      let id = "walker\(i)"
      var shown = Self.cell
      while shown == Self.cell {
        walked += 2
        place = Self.center.destination(bearingDegrees: 90, meters: walked)
        shown = SampleCity.grid.protect(place, userID: id, old: shown, isStillShown: true) { _ in 9
        }
      }
      guesses.append(walked)
    }
    let mean = guesses.reduce(0, +) / 300
    let error = guesses.reduce(0) { $0 + abs($1 - mean) } / 300
    print("| watch timing, of a walk out of the cell | 1 m | \(Int(error.rounded())) m | 63 m |")
    // A quarter of the cell's side: as of somebody anywhere along it.
    #expect(error > 0.93 * 250 / 4)
  }

  @Test func peopleOfTheirOwnTellASmallestCellAtMost() {
    // Four of their own in a cell of 250 m: the fifth person's cell shrinks for somebody there.
    var population = Population(grid: SampleCity.grid)
    for _ in 0..<4 { population.add(Self.center) }
    let levels = Self.places(20, seed: 3).map { place in
      SampleCity.grid.protect(place, userID: "vic", old: nil, isStillShown: false) {
        population[$0]
      }
    }
    #expect(Set(levels) == [Self.cell])
  }
}
