public import GeoMath
public import ObjectModel
public import PositionProtection

/// People who wait, by the cell in which others see them.
///
/// ```
/// cell ──> columns of numbers, a row a person ──> words of interests, attributes, blocks, wishes
///            slot ──> detail: id, cell, row
/// user id ──> slot
/// ```
/// Everyone in a cell stands at one point, so its distance is computed once. A search looks at the
/// summaries of the cells within the radius, at a person's other columns and words only where the
/// summary cannot tell, and at a detail only of the people it tells of.
///
/// Not thread-safe; a value whose owner guards it.
public struct TicketIndex: Sendable {
  /// Fewer carriers of a tag are not told.
  public static let popularFrom = 3
  /// The tag of people who meet for anything.
  public static let anything = "anything"

  /// The cells.
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
    guard let (cell, row) = place(of: userID) else { return nil }
    return Instant(milliseconds: Int64(bitPattern: rows[lastSeenPlace(cell, row)]))
  }

  private func lastSeenPlace(_ cell: TicketCell, _ row: Int) -> Int {
    cell.place(row) + TicketRow.Field.lastSeen.rawValue
  }

  /// Where somebody's row is.
  func place(of userID: String) -> (cell: TicketCell, row: Int)? {
    guard let slot = slots[userID], let detail = details[slot] else { return nil }
    return (cells[detail.cellPlace], detail.row)
  }

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

  /// Takes over a ticket: in while it is open, out otherwise. What was heard of the person stays.
  /// - Complexity: O(tags + attributes + blocks) expected, however many people are in the cell.
  public mutating func update(_ ticket: Ticket, seenAt: Instant? = nil) {
    let seen = seenAt ?? lastSeen(ticket.userID) ?? ticket.stateSince
    remove(ticket.userID)
    guard ticket.state == .open, let here = ticket.here, let shown = shownPosition(of: ticket)
    else { return }
    let cell = isProtected ? ticket.cell! : grid.cell(of: here, level: 0)
    let isForAnything = ticket.tags.contains(Self.anything)
    let words = PersonWords(
      interests: isForAnything ? [] : Array(Set(ticket.tags.map(word))),
      attributes: ticket.attributes.map { pair($0.key, $0.value) },
      blocked: ticket.blocked.map(word),
      wishes: ticket.wanted.map { wish in wish.values.map { pair(wish.name, $0) } },
      userID: ticket.userID)
    let encoded = words.encoded()
    let segment = persons.allocate(atLeast: encoded.count)
    for (i, word) in encoded.enumerated() { persons[segment.start + i] = word }
    let slot = free.popLast() ?? details.count
    if slot == details.count { details.append(nil) }
    let row = TicketRow(
      summary: TicketSummary(words, stars: ticket.rating.average ?? -1),
      lastSeen: seen.milliseconds, expiresAt: ticket.expiresAt.milliseconds,
      stars: ticket.rating.average ?? -1, number: word(ticket.userID), person: segment.start,
      hasBlocks: !ticket.blocked.isEmpty, slot: slot, latitude: shown.latitude,
      longitude: shown.longitude)
    let place =
      cells.place(of: cell) ?? cells.insert(cell, TicketCell(at: shown, in: &rows))
    details[slot] = Detail(
      userID: ticket.userID, cell: cell, cellPlace: place,
      row: cells[place].append(row, in: &rows), exact: here, tagNames: ticket.tags,
      words: segment)
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
      details[moved]?.row = detail.row
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
    guard let (cell, row) = place(of: userID) else { return false }
    let place = lastSeenPlace(cell, row)
    rows[place] = UInt64(bitPattern: max(Int64(bitPattern: rows[place]), now.milliseconds))
    return true
  }

  // MARK: Numbers

  func word(_ text: String) -> UInt64 {
    var copy = text
    return copy.withUTF8 { unsafe hash(UnsafeRawBufferPointer($0)) }
  }

  func pair(_ name: String, _ value: String) -> UInt64 { word(name + "\u{0}" + value) }
}
