import GeoMath
import ObjectModel
import PositionProtection

/// The words of a search, as many views need them: tags, then attributes, then each wish.
struct TicketQuestion {
  let ownNumber: UInt64
  private(set) var words: [UInt64] = []
  let tags: Range<Int>
  let attributes: Range<Int>
  private(set) var wishes: [Range<Int>] = []
  let blocked: Set<UInt64>
  let filter: TicketSummary.Filter

  init(_ search: TicketSearch, _ index: TicketIndex) {
    ownNumber = index.word(search.userID)
    let isForAnything = search.tags.contains(TicketIndex.anything)
    let tagWords = isForAnything ? [] : Array(Set(search.tags.map(index.word)))
    let attributeWords = search.attributes.map { index.pair($0.key, $0.value) }
    words = tagWords + attributeWords
    tags = 0..<tagWords.count
    attributes = tagWords.count..<words.count
    blocked = Set(search.blocked.map(index.word))
    let wishWords = search.wanted.map { wish in wish.values.map { index.pair(wish.name, $0) } }
    for values in wishWords {
      wishes.append(words.count..<words.count + values.count)
      words += values
    }
    filter = TicketSummary.Filter(
      tags: tagWords, attributes: attributeWords, wish: wishWords.first,
      minimumStars: search.minimumStars ?? 0)
  }
}

/// One pass over cells: filters, scores, keeps the best.
///
/// ```
/// cell ──> its summaries ──> rows of those who may match ──> their words ──> the best
/// ```
/// Each step takes a bundle of what the one before it left, and has asked for its memory before it
/// looks: nearly all time would be misses. Nothing is counted by reference for a person who is
/// passed over.
struct TicketScan {
  struct Candidate {
    var score: Int64
    var row: TicketRow.Reader
    var millimeters: Int64
  }

  private struct WaitingRow {
    var place: Int
    var millimeters: Int64
  }

  private static let cellsInBundle = 64
  private static let rowsInBundle = 64

  private let search: TicketSearch
  private let question: TicketQuestion
  private let origin: DistanceOrigin
  private let isProtected: Bool
  /// The words of the question, of rows and of people.
  private let asked: WordView
  private let rows: WordView
  private let persons: WordView
  private let now: Int64
  private let onlineAfter: Int64
  /// ``onlineAfter``, or the least number where people who are away will do.
  private let onlineFilter: Int64
  private let minimumStars: Double
  private let radius: Double
  private let weights: TicketRanking
  private let tagCount: Double
  private let explains: Bool
  private let limit: Int
  private var cells: [(cell: TicketCell, range: Range<Int>)] = []
  /// Rows that are on their way, then people whose words are.
  private var waiting: [WaitingRow] = []
  private var people: [WaitingRow] = []
  /// A heap whose root is the worst of the best.
  private var best: [Candidate] = []
  /// A score below it is not among the best.
  private var leastScore = Int64.min
  private var considered = 0
  private var removed = SIMD8<Int64>(repeating: 0)
  private var matching = 0

  init(
    _ search: TicketSearch, _ question: TicketQuestion, _ index: TicketIndex,
    asked: WordView, rows: WordView, persons: WordView
  ) {
    self.search = search
    self.question = question
    isProtected = index.isProtected
    origin = DistanceOrigin(
      index.isProtected ? index.grid.snapped(search.around) : search.around)
    self.asked = asked
    self.rows = rows
    self.persons = persons
    now = search.now.milliseconds
    onlineAfter = now - index.leaseMilliseconds
    onlineFilter = search.onlineOnly ? onlineAfter : .min
    minimumStars = search.minimumStars ?? -.infinity
    radius = max(1, Double(search.radiusMillimeters))
    weights = search.ranking
    tagCount = Double(question.tags.count)
    explains = search.explains
    limit = search.limit
    cells.reserveCapacity(Self.cellsInBundle)
    waiting.reserveCapacity(Self.rowsInBundle)
    people.reserveCapacity(Self.rowsInBundle)
    best.reserveCapacity(search.limit + 1)
  }

  // MARK: - Bundles

  /// Looks at rows of a cell, sooner or later.
  mutating func add(_ cell: TicketCell, _ range: Range<Int>) {
    let first = cell.summaries + range.lowerBound
    rows.prefetch(first)
    rows.prefetch(first + range.count - 1)
    cells.append((cell, range))
    if cells.count == Self.cellsInBundle { takeCells() }
  }

  /// Looks at what is still waiting.
  mutating func finish() {
    takeCells()
    takeRows()
    takePeople()
  }

  private mutating func takeCells() {
    for i in cells.indices {
      let (cell, range) = cells[i]
      // One distance for all: they stand at one point.
      let millimeters =
        isProtected ? Int64((origin.meters(to: cell.origin) * 1000).rounded()) : 0
      guard millimeters <= search.radiusMillimeters else { continue }
      let summaries = cell.summaries
      for row in range where explains || question.filter.admits(rows[summaries + row]) {
        let place = cell.place(row)
        rows.prefetch(place)
        waiting.append(WaitingRow(place: place, millimeters: millimeters))
        if waiting.count == Self.rowsInBundle { takeRows() }
      }
    }
    cells.removeAll(keepingCapacity: true)
  }

  private mutating func takeRows() {
    // Those of the bundle before: their words have had the time to come.
    takePeople()
    var count = 0
    for i in waiting.indices {
      // Overwritten, unless the next line keeps it: no branch waits for the row.
      waiting[count] = waiting[i]
      count += explains || isOnTime(TicketRow.Reader(rows, waiting[i].place)) ? 1 : 0
    }
    waiting.removeSubrange(count...)
    for i in waiting.indices {
      let person = TicketRow.Reader(rows, waiting[i].place).person
      persons.prefetch(person)
      persons.prefetch(person + WordView.lineWords)
    }
    swap(&waiting, &people)
  }

  private mutating func takePeople() {
    for i in people.indices {
      let row = TicketRow.Reader(rows, people[i].place)
      let millimeters =
        isProtected
        ? people[i].millimeters
        : origin.millimeters(latitude: row.latitude, longitude: row.longitude)
      look(at: row, millimeters: millimeters)
    }
    people.removeAll(keepingCapacity: true)
  }

  /// What the row alone tells.
  @inline(__always)
  private func isOnTime(_ row: TicketRow.Reader) -> Bool {
    row.lastSeen > onlineFilter && row.expiresAt > now
  }

  // MARK: - One person

  private mutating func look(at row: TicketRow.Reader, millimeters: Int64) {
    guard millimeters <= search.radiusMillimeters, row.number != question.ownNumber else { return }
    let person = PersonWords.Reader(persons, row.person)
    // Who is blocked by somebody sees, and counts, nothing of them.
    if row.hasBlocks, persons.isSorted(person.blocked, holding: question.ownNumber) { return }
    considered += 1
    if let rule = failure(row, person) {
      removed[Self.place(of: rule)] += 1
      return
    }
    matching += 1
    guard limit > 0 else { return }
    if !search.passedOver.isEmpty, search.passedOver.contains(row.number) { return }
    let candidate = candidate(row, millimeters: millimeters)
    if candidate.score >= leastScore { keep(candidate) }
  }

  @inline(__always)
  private func failure(
    _ row: TicketRow.Reader, _ person: PersonWords.Reader
  ) -> TicketFilterRule? {
    if row.expiresAt <= now { return .expired }
    if !question.tags.isEmpty, !person.interests.isEmpty,
      !persons.hasAny(in: person.interests, of: question.tags, asked)
    {
      return .tags
    }
    for i in question.wishes.indices
    where !persons.hasAny(in: person.attributes, of: question.wishes[i], asked) {
      return .wanted
    }
    if search.onlineOnly, row.lastSeen <= onlineAfter { return .online }
    if row.stars < minimumStars { return .rating }
    if !person.isEachWish(metBy: question.attributes, of: asked) { return .wantedByThem }
    if !question.blocked.isEmpty, question.blocked.contains(row.number) { return .blocked }
    return nil
  }

  private static func place(of rule: TicketFilterRule) -> Int {
    switch rule {
    case .expired: 0
    case .tags: 1
    case .wanted: 2
    case .online: 3
    case .rating: 4
    case .wantedByThem: 5
    case .blocked: 6
    }
  }

  // MARK: - Scores

  /// A row as a hit, whatever the filters say of it.
  func candidate(at place: Int) -> Candidate {
    let row = TicketRow.Reader(rows, place)
    return candidate(
      row,
      millimeters: origin.millimeters(latitude: row.latitude, longitude: row.longitude))
  }

  @inline(__always)
  private func candidate(_ row: TicketRow.Reader, millimeters: Int64) -> Candidate {
    var candidate = Candidate(score: 0, row: row, millimeters: millimeters)
    candidate.score = score(candidate).millionths
    return candidate
  }

  /// Why somebody stands where they stand.
  @inline(__always)
  func score(_ candidate: Candidate) -> TicketScore {
    let lastSeen = candidate.row.lastSeen
    let stars = candidate.row.stars
    let away = max(0, Double(now - lastSeen))
    var score = TicketScore(
      millionths: 0,
      commonTags: tagCount == 0
        ? 0 : weights.commonTags * Double(commonTags(candidate.row)) / tagCount,
      distance: weights.distance * (1 - Double(candidate.millimeters) / radius),
      online: lastSeen > onlineAfter ? weights.online : 0,
      rating: weights.rating * (stars < 0 ? 0.6 : stars / 5),
      lastSeen: weights.lastSeen / (1 + away / 600_000))
    let sum = score.commonTags + score.distance + score.online + score.rating + score.lastSeen
    score.millionths = Int64((sum * 1_000_000).rounded())
    return score
  }

  @inline(__always)
  private func commonTags(_ row: TicketRow.Reader) -> Int {
    var common = 0
    for place in PersonWords.Reader(persons, row.person).interests {
      for i in question.tags where asked[i] == persons[place] { common += 1 }
    }
    return common
  }

  func isOnline(_ candidate: Candidate) -> Bool { candidate.row.lastSeen > onlineAfter }

  // MARK: - The best

  @inline(__always)
  private func isBetter(_ a: Candidate, _ b: Candidate) -> Bool {
    if a.score != b.score { return a.score > b.score }
    return PersonWords.Reader(persons, a.row.person)
      .precedes(PersonWords.Reader(persons, b.row.person))
  }

  /// Keeps one more than the limit, to know whether more follow.
  private mutating func keep(_ candidate: Candidate) {
    if best.count <= limit {
      best.append(candidate)
      var child = best.count - 1
      while child > 0, case let parent = (child - 1) / 2, isBetter(best[parent], best[child]) {
        best.swapAt(child, parent)
        child = parent
      }
    } else if isBetter(candidate, best[0]) {
      best[0] = candidate
      var parent = 0
      while true {
        var child = 2 * parent + 1
        guard child < best.count else { break }
        if child + 1 < best.count, isBetter(best[child], best[child + 1]) { child += 1 }
        guard isBetter(best[parent], best[child]) else { break }
        best.swapAt(parent, child)
        parent = child
      }
    }
    if best.count > limit { leastScore = best[0].score }
  }

  /// Those within the limit, best first, and whether more follow.
  func winners() -> (best: [Candidate], hasMore: Bool) {
    let sorted = best.sorted(by: isBetter)
    return (Array(sorted.prefix(limit)), sorted.count > limit)
  }

  func explain(in result: inout TicketSearchResult) {
    result.considered = considered
    result.matching = matching
    for rule in TicketFilterRule.allCases where removed[Self.place(of: rule)] > 0 {
      result.removed[rule] = Int(removed[Self.place(of: rule)])
    }
  }
}
