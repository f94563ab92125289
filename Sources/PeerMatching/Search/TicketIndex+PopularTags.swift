public import GeoMath
public import ObjectModel
import PositionProtection

extension TicketIndex {
  /// The interests of most people around, without a budget; see
  /// ``popularTags(around:radiusMillimeters:now:limit:budget:)``.
  public func popularTags(
    around place: Coordinate, radiusMillimeters: Int64, now: Instant, limit: Int
  ) -> [PopularTag] {
    var endless = WorkBudget.unlimited
    do throws(WorkBudget.Exhaustion) {
      return try popularTags(
        around: place, radiusMillimeters: radiusMillimeters, now: now, limit: limit,
        budget: &endless)
    } catch {
      preconditionFailure("an unlimited budget is spent: \(error)")
    }
  }

  /// The interests of most people around, those of fewer than ``popularFrom`` left out; most first,
  /// then by text.
  ///
  /// - Parameters:
  ///   - place: Where is looked; snapped, if the index is protected.
  ///   - radiusMillimeters: Inclusive.
  ///   - now: Whose waiting is over is not counted.
  ///   - limit: At most so many.
  ///   - budget: Spent from a step for each cell and each person that is looked at.
  /// - Returns: At most `limit` of them.
  /// - Throws: Why not all people could be looked at.
  /// - Complexity: O(cells within the radius + interests of people in them).
  public func popularTags(
    around place: Coordinate, radiusMillimeters: Int64, now: Instant, limit: Int,
    budget: inout WorkBudget
  ) throws(WorkBudget.Exhaustion) -> [PopularTag] {
    var exhaustion: WorkBudget.Exhaustion?
    let counts = rows.withView { rows in
      persons.withView { persons in
        var scan = TagScan(
          rows: rows, persons: persons,
          distance: PointDistance(from: isProtected ? grid.snapped(place) : place),
          radiusMillimeters: radiusMillimeters, now: now.milliseconds)
        exhaustion = forEachCell(
          around: place, radiusMillimeters: radiusMillimeters, spending: &budget
        ) { scan.add($0, $1) }
        scan.finish()
        return scan.counts
      }
    }
    if let exhaustion { throw exhaustion }
    let told = counts.all(from: Self.popularFrom).compactMap { tag, carrier, count in
      details[carrier]?.tagNames.first { word($0) == tag }.map { PopularTag(tag: $0, count: count) }
    }
    return Array(told.sorted { ($1.count, $0.tag) < ($0.count, $1.tag) }.prefix(limit))
  }
}

/// One pass over cells that counts interests; asks for the memory of cells and people some time before
/// it looks, as a search does.
private struct TagScan {
  let rows: WordView
  let persons: WordView
  var distance: PointDistance
  let radiusMillimeters: Int64
  let now: Int64
  private(set) var counts = WordCounts()
  private var waiting: (cell: TicketCell, range: Range<Int>)?
  private var people: [Int] = []

  init(
    rows: WordView, persons: WordView, distance: PointDistance, radiusMillimeters: Int64, now: Int64
  ) {
    self.rows = rows
    self.persons = persons
    self.distance = distance
    self.radiusMillimeters = radiusMillimeters
    self.now = now
  }

  mutating func add(_ cell: TicketCell, _ range: Range<Int>) {
    rows.prefetchRows(of: cell, range)
    takeRows()
    waiting = (cell, range)
  }

  mutating func finish() {
    takeRows()
    takePeople()
  }

  private mutating func takeRows() {
    guard let (cell, range) = waiting else { return }
    waiting = nil
    for row in range {
      let person = Int(rows[cell.place(row) + 1])
      persons.prefetchPerson(person)
      people.append(person)
    }
    if people.count >= 64 { takePeople() }
  }

  private mutating func takePeople() {
    for place in people {
      let person = PersonWords.Reader(persons, place)
      guard person.expiresAt > now, distance.millimeters(to: person) <= radiusMillimeters else {
        continue
      }
      for i in person.interests { counts.add(persons[i], carrier: person.slot) }
    }
    people.removeAll(keepingCapacity: true)
  }
}

/// How many people carry each word, with one of them.
///
/// Open addressing by the words themselves, which are keyed hashes: nobody outside can choose words
/// that fall together.
private struct WordCounts {
  private var words: [UInt64]
  private var counts: [Int]
  private var carriers: [Int]
  private var used = 0

  init() {
    words = Array(repeating: 0, count: 256)
    counts = Array(repeating: 0, count: 256)
    carriers = Array(repeating: 0, count: 256)
  }

  mutating func add(_ word: UInt64, carrier: Int) {
    var place = Int(truncatingIfNeeded: word) & (words.count - 1)
    while counts[place] != 0, words[place] != word { place = (place + 1) & (words.count - 1) }
    if counts[place] == 0 {
      words[place] = word
      carriers[place] = carrier
      used += 1
    }
    counts[place] += 1
    if used * 2 > words.count { grow() }
  }

  func all(from least: Int) -> [(word: UInt64, carrier: Int, count: Int)] {
    counts.indices.filter { counts[$0] >= least }.map { (words[$0], carriers[$0], counts[$0]) }
  }

  private mutating func grow() {
    let old = self
    let size = 2 * words.count
    words = Array(repeating: 0, count: size)
    counts = Array(repeating: 0, count: size)
    carriers = Array(repeating: 0, count: size)
    for i in old.counts.indices where old.counts[i] != 0 {
      var place = Int(truncatingIfNeeded: old.words[i]) & (size - 1)
      while counts[place] != 0 { place = (place + 1) & (size - 1) }
      words[place] = old.words[i]
      counts[place] = old.counts[i]
      carriers[place] = old.carriers[i]
    }
  }
}
