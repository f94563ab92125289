package import ObjectModel

/// Which aggregates of a record are over and whom each concerned: enough to find them there, so that
/// memory need not hold them.
///
/// An aggregate takes about 150 bytes and each of its people 40. People are known by hashes alone, so
/// that what is found for one has to be looked at once it was read. Not safe to share: its owner locks.
package struct EndedAggregates: Sendable {
  /// What a list is ordered and filtered by.
  package struct Summary: Hashable, Sendable {
    package var id: String
    package var createdAt: Instant
    package var endedAt: Instant

    package init(id: String, createdAt: Instant, endedAt: Instant) {
      self.id = id
      self.createdAt = createdAt
      self.endedAt = endedAt
    }
  }

  /// One person in one role, by a hash that holds for this process.
  package struct Person: Hashable, Sendable {
    fileprivate let hash: Int

    package init(_ id: String, role: UInt8) {
      var hasher = Hasher()
      hasher.combine(role)
      hasher.combine(id)
      hash = hasher.finalize()
    }
  }

  /// One aggregate of a person, and where the person's next one stands; -1: nowhere.
  private struct Link {
    var person: Person
    var slot: Int32
    var next: Int32
  }

  /// By slot; nil where one was removed.
  private var summaries: [Summary?] = []
  private var slots: [String: Int32] = [:]
  private var heads: [Person: Int32] = [:]
  private var links: [Link] = []

  package init() {}

  package var count: Int { slots.count }

  package func contains(_ id: String) -> Bool { slots[id] != nil }

  /// Those that concern a person, and maybe others, in no order.
  /// - Complexity: O(what was inserted for the person).
  package func summaries(of person: Person) -> [Summary] {
    var found: [Summary] = []
    var next = heads[person] ?? -1
    while next >= 0 {
      let link = links[Int(next)]
      if let summary = summaries[Int(link.slot)] { found.append(summary) }
      next = link.next
    }
    return found
  }

  /// Adds one in place of another of its id.
  /// - Complexity: O(people) on average.
  package mutating func insert(_ summary: Summary, concerning people: some Sequence<Person>) {
    remove(summary.id)
    let slot = Int32(summaries.count)
    summaries.append(summary)
    slots[summary.id] = slot
    for person in people { link(person, slot) }
  }

  private mutating func link(_ person: Person, _ slot: Int32) {
    links.append(Link(person: person, slot: slot, next: heads[person] ?? -1))
    heads[person] = Int32(links.count - 1)
  }

  /// Its place is used again once ``removeAll(endedBefore:)`` removes something.
  package mutating func remove(_ id: String) {
    if let slot = slots.removeValue(forKey: id) { summaries[Int(slot)] = nil }
  }

  /// - Complexity: O(all) where there is something to remove, to leave no gaps.
  package mutating func removeAll(endedBefore moment: Instant) {
    func isOld(_ summary: Summary?) -> Bool { summary.map { $0.endedAt < moment } ?? true }
    guard summaries.contains(where: isOld) else { return }
    var fresh = EndedAggregates()
    var moved = [Int32](repeating: -1, count: summaries.count)
    for (slot, summary) in summaries.enumerated() {
      guard let summary, !isOld(summary) else { continue }
      moved[slot] = Int32(fresh.summaries.count)
      fresh.slots[summary.id] = moved[slot]
      fresh.summaries.append(summary)
    }
    for link in links where moved[Int(link.slot)] >= 0 {
      fresh.link(link.person, moved[Int(link.slot)])
    }
    self = fresh
  }
}
