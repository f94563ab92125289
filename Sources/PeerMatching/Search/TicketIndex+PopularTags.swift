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
    var counts = WordCounts()
    var exhaustion: WorkBudget.Exhaustion?
    let origin = DistanceOrigin(isProtected ? grid.snapped(place) : place)
    rows.withView { rows in
      persons.withView { persons in
        exhaustion = forEachCell(
          around: place, radiusMillimeters: radiusMillimeters, spending: &budget
        ) { cell, range in
          if isProtected,
            Int64((origin.meters(to: cell.origin) * 1000).rounded()) > radiusMillimeters
          {
            return
          }
          for number in range {
            persons.prefetch(TicketRow.Reader(rows, cell.place(number)).person)
          }
          for number in range {
            let row = TicketRow.Reader(rows, cell.place(number))
            guard row.expiresAt > now.milliseconds,
              isProtected
                || origin.millimeters(latitude: row.latitude, longitude: row.longitude)
                  <= radiusMillimeters
            else { continue }
            for i in PersonWords.Reader(persons, row.person).interests {
              counts.add(persons[i], carrier: row.slot)
            }
          }
        }
      }
    }
    if let exhaustion { throw exhaustion }
    let told = counts.all(from: Self.popularFrom).compactMap { tag, carrier, count in
      details[carrier]?.tagNames.first { word($0) == tag }.map { PopularTag(tag: $0, count: count) }
    }
    return Array(told.sorted { ($1.count, $0.tag) < ($0.count, $1.tag) }.prefix(limit))
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
