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
/// cell ──> its summaries ──> words of those who may match ──> the best
/// ```
/// Each step takes a bundle of what the one before it left, and has asked for its memory before it
/// looks: nearly all time would be misses. Nothing is counted by reference for a person who is
/// passed over, and no distance is measured to a cell in which nobody matches.
struct TicketScan {
  struct Candidate {
    var score: Int64
    var person: PersonWords.Reader
    var millimeters: Int64
  }

  private static let cellsInBundle = 64
  private static let peopleInBundle = 64

  private let search: TicketSearch
  private let question: TicketQuestion
  private var distance: PointDistance
  /// The words of the question, of cells and of people.
  private let asked: WordView
  private let rows: WordView
  private let persons: WordView
  private let now: Int64
  private let onlineAfter: Int64
  /// ``onlineAfter``, or the least number where people who are away will do.
  private let onlineFilter: Int64
  private let minimumStars: Double
  private let radius: Double
  private let radiusMillimeters: Int64
  private let weights: TicketRanking
  private let tagCount: Double
  private let explains: Bool
  private let passesOver: Bool
  private let limit: Int
  /// Cells whose rows are on their way, then people whose words are.
  private var cells: [(cell: TicketCell, range: Range<Int>)] = []
  private var people: [Int] = []
  /// A heap whose root is the worst of the best. It is not swift-collections' `Heap`, which has its
  /// elements compare themselves: what decides between equal scores stands in words that a candidate's
  /// reader only points to, and of both ends of that min-max heap one is asked here.
  private var best: [Candidate] = []
  /// A score below it is not among the best.
  private var leastScore = Int64.min
  /// Only with ``explains``.
  private var considered = 0
  private var removed: [TicketFilterRule: Int] = [:]
  private var matching = 0

  init(
    _ search: TicketSearch, _ question: TicketQuestion, _ index: TicketIndex,
    asked: WordView, rows: WordView, persons: WordView
  ) {
    self.search = search
    self.question = question
    distance = PointDistance(
      from: index.isProtected ? index.grid.snapped(search.around) : search.around)
    self.asked = asked
    self.rows = rows
    self.persons = persons
    now = search.now.milliseconds
    onlineAfter = now - index.leaseMilliseconds
    onlineFilter = search.onlineOnly ? onlineAfter : .min
    minimumStars = search.minimumStars ?? -.infinity
    radius = max(1, Double(search.radiusMillimeters))
    radiusMillimeters = search.radiusMillimeters
    weights = search.ranking
    tagCount = Double(question.tags.count)
    explains = search.explains
    passesOver = !search.passedOver.isEmpty
    limit = search.limit
    cells.reserveCapacity(Self.cellsInBundle)
    people.reserveCapacity(Self.peopleInBundle)
    best.reserveCapacity(search.limit + 1)
  }

  // MARK: - Bundles

  /// Looks at rows of a cell, sooner or later.
  mutating func add(_ cell: TicketCell, _ range: Range<Int>) {
    rows.prefetchRows(of: cell, range)
    cells.append((cell, range))
    if cells.count == Self.cellsInBundle { takeCells() }
  }

  /// Looks at what is still waiting.
  mutating func finish() {
    takeCells()
    takePeople()
  }

  private mutating func takeCells() {
    // In registers: nothing that the loop writes to is among them.
    let (rows, persons, filter, explains) = (rows, persons, question.filter, explains)
    for i in cells.indices {
      let (cell, range) = cells[i]
      var word = cell.place(range.lowerBound)
      let end = cell.place(range.upperBound)
      while word < end {
        if explains || filter.admits(rows[word]) {
          let person = Int(rows[word + 1])
          persons.prefetchPerson(person)
          people.append(person)
          if people.count == Self.peopleInBundle { takePeople() }
        }
        word += TicketCell.rowWords
      }
    }
    cells.removeAll(keepingCapacity: true)
  }

  private mutating func takePeople() {
    for i in people.indices { look(at: PersonWords.Reader(persons, people[i])) }
    people.removeAll(keepingCapacity: true)
  }

  // MARK: - One person

  @inline(__always)
  private mutating func look(at person: PersonWords.Reader) {
    guard explains || (person.lastSeen > onlineFilter && person.expiresAt > now) else { return }
    guard person.number != question.ownNumber else { return }
    // Who is blocked by somebody sees, and counts, nothing of them.
    if person.hasBlocks, person.blocks(question.ownNumber) { return }
    if explains {
      guard distance.millimeters(to: person) <= radiusMillimeters else { return }
      considered += 1
      if let rule = failure(person) {
        removed[rule, default: 0] += 1
        return
      }
      matching += 1
    } else if failure(person) != nil {
      return
    }
    let millimeters = distance.millimeters(to: person)
    guard limit > 0, millimeters <= radiusMillimeters else { return }
    if passesOver, search.passedOver.contains(person.number) { return }
    let candidate = candidate(person, millimeters: millimeters)
    if candidate.score >= leastScore { keep(candidate) }
  }

  @inline(__always)
  private func failure(_ person: PersonWords.Reader) -> TicketFilterRule? {
    if person.expiresAt <= now { return .expired }
    if !question.tags.isEmpty, !person.interests.isEmpty,
      !persons.hasAny(in: person.interests, of: question.tags, asked)
    {
      return .tags
    }
    for i in question.wishes.indices
    where !persons.hasAny(in: person.attributes, of: question.wishes[i], asked) {
      return .wanted
    }
    if person.lastSeen <= onlineFilter { return .online }
    if person.stars < minimumStars { return .rating }
    if !person.isEachWish(metBy: question.attributes, of: asked) { return .wantedByThem }
    if !question.blocked.isEmpty, question.blocked.contains(person.number) { return .blocked }
    return nil
  }

  // MARK: - Scores

  /// Somebody as a hit, whatever the filters say of them.
  func candidate(at place: Int) -> Candidate {
    let person = PersonWords.Reader(persons, place)
    var distance = distance
    return candidate(person, millimeters: distance.millimeters(to: person))
  }

  @inline(__always)
  private func candidate(_ person: PersonWords.Reader, millimeters: Int64) -> Candidate {
    var candidate = Candidate(score: 0, person: person, millimeters: millimeters)
    candidate.score = score(candidate).millionths
    return candidate
  }

  /// Why somebody stands where they stand.
  @inline(__always)
  func score(_ candidate: Candidate) -> TicketScore {
    let lastSeen = candidate.person.lastSeen
    let stars = candidate.person.stars
    let away = max(0, Double(now - lastSeen))
    var score = TicketScore(
      millionths: 0,
      commonTags: tagCount == 0
        ? 0 : weights.commonTags * Double(commonTags(candidate.person)) / tagCount,
      distance: weights.distance * (1 - Double(candidate.millimeters) / radius),
      online: lastSeen > onlineAfter ? weights.online : 0,
      rating: weights.rating * (stars < 0 ? 0.6 : stars / 5),
      lastSeen: weights.lastSeen / (1 + away / 600_000))
    let sum = score.commonTags + score.distance + score.online + score.rating + score.lastSeen
    score.millionths = Int64((sum * 1_000_000).rounded())
    return score
  }

  @inline(__always)
  private func commonTags(_ person: PersonWords.Reader) -> Int {
    var common = 0
    for place in person.interests {
      for i in question.tags where asked[i] == persons[place] { common += 1 }
    }
    return common
  }

  func isOnline(_ candidate: Candidate) -> Bool { candidate.person.lastSeen > onlineAfter }

  // MARK: - The best

  @inline(__always)
  private func isBetter(_ a: Candidate, _ b: Candidate) -> Bool {
    if a.score != b.score { return a.score > b.score }
    return a.person.precedes(b.person)
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
    result.removed = removed
  }
}

extension WordView {
  /// Asks for rows of a cell.
  @inline(__always)
  func prefetchRows(of cell: TicketCell, _ range: Range<Int>) {
    var word = cell.place(range.lowerBound)
    // Of a long run the memory foretells the rest by itself.
    let end = min(cell.place(range.upperBound), word + 8 * Self.lineWords)
    while word < end {
      prefetch(word)
      word += Self.lineWords
    }
  }

  /// Asks for what filters need of a person.
  @inline(__always)
  func prefetchPerson(_ place: Int) {
    prefetch(place)
    prefetch(place + Self.lineWords)
  }
}
