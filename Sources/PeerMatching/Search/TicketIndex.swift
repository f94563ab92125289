public import GeoMath
public import ObjectModel
public import PositionProtection

/// People who wait, by the cell in which others see them.
///
/// ```
/// cell ──> a summary for each person, and where their words are
///            words: numbers, interests, attributes, wishes, blocks, id
///            slot ──> detail: id, cell, row
/// user id ──> slot
/// ```
/// Everyone in a cell stands at one point, so its distance is computed once. A search looks at the
/// summaries of the cells within the radius, at a person's words only where the summary cannot tell,
/// and at a detail only of the people it tells of.
///
/// Not thread-safe; a value whose owner guards it.
public struct TicketIndex: Sendable {
  /// Fewer carriers of a tag are not told.
  public static let popularFrom = 3
  /// The tag of people who meet for anything.
  public static let anything = "anything"

  /// The grid to whose cells positions are rounded.
  public let grid: ProtectionGrid
  /// Whether people are shown, and measured, at the middle of their cell.
  public let isProtected: Bool
  /// How long after a sign of life somebody counts as online, milliseconds.
  public let leaseMilliseconds: Int64
  private let hash: KeyedHash

  struct Detail {
    var userID: String
    var cell: ProtectedCell
    /// In the directory.
    var cellPlace: Int
    /// In the cell.
    var row: Int
    var exact: Coordinate
    var tagNames: [String]
    var words: WordArena.Segment
  }

  /// The rows of cells.
  private(set) var rows = WordArena()
  /// The words of people.
  private(set) var persons = WordArena()
  private(set) var cells = CellDirectory()
  private(set) var details: [Detail?] = []
  private var free: [Int] = []
  private var slots: [String: Int] = [:]
  private var population: Population

  /// Makes an empty index.
  ///
  /// - Parameters:
  ///   - grid: The cells.
  ///   - isProtected: Whether people stand at the middle of their cell, or where they are.
  ///   - leaseMilliseconds: How long after a sign of life somebody counts as online.
  ///   - key: A secret, so that nobody can choose interests that look alike.
  public init(
    grid: ProtectionGrid, isProtected: Bool = true, leaseMilliseconds: Int64 = 60_000,
    key: HashKey
  ) {
    self.grid = grid
    self.isProtected = isProtected
    self.leaseMilliseconds = leaseMilliseconds
    hash = KeyedHash(key: key)
    population = Population(grid: grid)
  }

  /// People in the index.
  public var count: Int { slots.count }

  /// Words of rows that were moved to make or take room: the work of changes, for tests that count it.
  package var movedWords: Int { rows.copiedWords }

  /// How many people truly are in a cell.
  public func crowd(in cell: ProtectedCell) -> Int { population[cell] }

  /// A number that stands for a person in ``TicketSearch/passedOver``.
  public func number(of userID: String) -> UInt64 { word(userID) }

  /// When somebody was heard of last; nil: not in the index.
  public func lastSeen(_ userID: String) -> Instant? {
    person(userID).map {
      Instant(milliseconds: Int64(bitPattern: persons[$0 + PersonWords.Field.lastSeen.rawValue]))
    }
  }

  /// Where somebody's words begin.
  func person(_ userID: String) -> Int? { slots[userID].flatMap { details[$0]?.words.start } }

  /// Where others see a person.
  public func shownPosition(of ticket: Ticket) -> Coordinate? {
    guard let here = ticket.here else { return nil }
    return isProtected ? ticket.cell.map(grid.center(of:)) : here
  }

  /// Meters along the side of the cell in which others see a person; 0 without protection.
  public func cellMeters(of ticket: Ticket) -> Double {
    isProtected ? ticket.cell.map(grid.sideMeters(of:)) ?? 0 : 0
  }

  // MARK: Changes

  /// Makes room for so many people more, who are put in one after the other.
  public mutating func reserve(_ count: Int) {
    slots.reserveCapacity(slots.count + count)
    details.reserveCapacity(details.count + count)
    persons.reserve(count * 2 * WordView.lineWords)
    rows.reserve(count * 2 * TicketCell.rowWords)
  }

  /// Takes over a ticket: in while it is open, out otherwise. What was heard of the person stays.
  /// - Complexity: O(tags + attributes + blocks) expected, however many people are in the cell.
  public mutating func update(_ ticket: Ticket, seenAt: Instant? = nil) {
    let seen = seenAt ?? lastSeen(ticket.userID) ?? ticket.stateSince
    remove(ticket.userID)
    guard ticket.state == .open, let here = ticket.here, let shown = shownPosition(of: ticket)
    else { return }
    let cell = isProtected ? ticket.cell! : grid.cell(of: here, level: 0)
    let isForAnything = ticket.tags.contains(Self.anything)
    let slot = free.popLast() ?? details.count
    if slot == details.count { details.append(nil) }
    let words = PersonWords(
      lastSeen: seen.milliseconds, expiresAt: ticket.expiresAt.milliseconds,
      stars: ticket.rating.average ?? -1, number: word(ticket.userID), slot: slot,
      latitude: shown.latitude, longitude: shown.longitude,
      interests: isForAnything ? [] : distinct(ticket.tags.map(word)),
      attributes: ticket.attributes.map { pair($0.key, $0.value) },
      wishes: ticket.wanted.map { wish in wish.values.map { pair(wish.name, $0) } },
      blocked: ticket.blocked.map(word), userID: ticket.userID)
    let segment = persons.allocate(atLeast: words.count)
    words.write(to: &persons, at: segment.start)
    let place = cells.place(of: cell) ?? cells.insert(cell, TicketCell(in: &rows))
    details[slot] = Detail(
      userID: ticket.userID, cell: cell, cellPlace: place,
      row: cells[place].append(TicketSummary(words), person: segment.start, in: &rows),
      exact: here, tagNames: ticket.tags, words: segment)
    slots[ticket.userID] = slot
    population.add(here)
  }

  /// Takes somebody out; unknown: nothing.
  /// - Complexity: O(1) amortised, however many people are in the cell.
  public mutating func remove(_ userID: String) {
    guard let slot = slots.removeValue(forKey: userID), let detail = details[slot] else { return }
    population.remove(detail.exact)
    persons.release(detail.words)
    if let moved = cells[detail.cellPlace].remove(detail.row, in: &rows) {
      let slot = persons.withView { PersonWords.Reader($0, moved).slot }
      details[slot]?.row = detail.row
    }
    if cells[detail.cellPlace].count == 0 {
      cells[detail.cellPlace].end(in: &rows)
      cells.remove(detail.cell)
    }
    details[slot] = nil
    free.append(slot)
  }

  /// Notes a sign of life. - Returns: Whether the person is in the index.
  @discardableResult
  public mutating func touch(_ userID: String, at now: Instant) -> Bool {
    guard let start = person(userID) else { return false }
    let place = start + PersonWords.Field.lastSeen.rawValue
    persons[place] = UInt64(bitPattern: max(Int64(bitPattern: persons[place]), now.milliseconds))
    return true
  }

  // MARK: Numbers

  /// The words, each once, in their order.
  private func distinct(_ words: [UInt64]) -> [UInt64] {
    var seen = Set<UInt64>()
    return words.count < 2 ? words : words.filter { seen.insert($0).inserted }
  }

  func word(_ text: String) -> UInt64 {
    var copy = text
    return copy.withUTF8 { unsafe hash(UnsafeRawBufferPointer($0)) }
  }

  func pair(_ name: String, _ value: String) -> UInt64 { word(name + "\u{0}" + value) }
}
