public import GeoMath
public import ObjectModel

/// People who wait, by the cell in which others see them.
///
/// ```
/// cell ──> rows, 80 bytes each without references: what most people fail by
///            slot ──> detail: interests, attributes, wishes, blocks
/// user id ──> slot
/// ```
/// Everyone in a cell stands at one point, so its distance is computed once. A search looks at the
/// rows of the cells within the radius, and at a detail only where the row's 64-bit signatures
/// cannot tell.
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

  struct Row {
    var slot: Int
    /// Bits of ``Detail/tags``; 0: everybody shares an interest with them.
    var tagSignature: UInt64
    /// Bits of ``Detail/attributes``.
    var attributeSignature: UInt64
    var expiresAt: Int64
    var lastSeen: Int64
    /// Stars on average; below 0: unrated.
    var stars: Double
    var latitude: Double
    var longitude: Double
    var hasWishes: Bool
    var hasBlocks: Bool
  }

  struct Detail {
    var userID: String
    var number: UInt64
    var cell: ProtectedCell
    /// Place in the cell's rows.
    var place: Int
    var exact: Coordinate
    /// Sorted.
    var tags: [UInt64]
    var tagNames: [String]
    /// Of name and value.
    var attributes: [UInt64]
    /// Any of each list.
    var wishes: [[UInt64]]
    var blocked: Set<UInt64>
  }

  private(set) var rows: [ProtectedCell: [Row]] = [:]
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

  /// How many people truly are in a cell.
  public func crowd(in cell: ProtectedCell) -> Int { population[cell] }

  /// A number that stands for a person in ``TicketSearch/passedOver``.
  public func number(of userID: String) -> UInt64 { word(userID) }

  /// When somebody was heard of last; nil: not in the index.
  public func lastSeen(_ userID: String) -> Instant? {
    row(of: userID).map { Instant(milliseconds: $0.lastSeen) }
  }

  func row(of userID: String) -> Row? {
    guard let slot = slots[userID], let detail = details[slot] else { return nil }
    return rows[detail.cell]?[detail.place]
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
  /// - Complexity: O(tags + attributes) expected.
  public mutating func update(_ ticket: Ticket, seenAt: Instant? = nil) {
    let seen = seenAt ?? lastSeen(ticket.userID) ?? ticket.stateSince
    remove(ticket.userID)
    guard ticket.state == .open, let here = ticket.here, let shown = shownPosition(of: ticket)
    else { return }
    let cell = isProtected ? ticket.cell! : grid.cell(of: here, level: 0)
    let isForAnything = ticket.tags.contains(Self.anything)
    let tags = isForAnything ? [] : ticket.tags.map(word).sorted()
    let attributes = ticket.attributes.map { pair($0.key, $0.value) }
    let slot = free.popLast() ?? details.count
    if slot == details.count { details.append(nil) }
    let place = rows[cell]?.count ?? 0
    details[slot] = Detail(
      userID: ticket.userID, number: word(ticket.userID), cell: cell, place: place, exact: here,
      tags: tags, tagNames: ticket.tags, attributes: attributes,
      wishes: ticket.wanted.map { wish in wish.values.map { pair(wish.name, $0) } },
      blocked: Set(ticket.blocked.map(word)))
    rows[cell, default: []].append(
      Row(
        slot: slot, tagSignature: Self.signature(tags),
        attributeSignature: Self.signature(attributes),
        expiresAt: ticket.expiresAt.milliseconds, lastSeen: seen.milliseconds,
        stars: ticket.rating.average ?? -1, latitude: shown.latitude, longitude: shown.longitude,
        hasWishes: !ticket.wanted.isEmpty, hasBlocks: !ticket.blocked.isEmpty))
    slots[ticket.userID] = slot
    population.add(here)
  }

  /// Takes somebody out; unknown: nothing.
  public mutating func remove(_ userID: String) {
    guard let slot = slots.removeValue(forKey: userID), let detail = details[slot] else { return }
    population.remove(detail.exact)
    let last = rows[detail.cell]!.count - 1
    if detail.place < last {
      let moved = rows[detail.cell]![last]
      rows[detail.cell]![detail.place] = moved
      details[moved.slot]!.place = detail.place
    }
    rows[detail.cell]!.removeLast()
    if last == 0 { rows[detail.cell] = nil }
    details[slot] = nil
    free.append(slot)
  }

  /// Notes a sign of life. - Returns: Whether the person is in the index.
  @discardableResult
  public mutating func touch(_ userID: String, at now: Instant) -> Bool {
    guard let slot = slots[userID], let detail = details[slot] else { return false }
    let known = rows[detail.cell]![detail.place].lastSeen
    rows[detail.cell]![detail.place].lastSeen = max(known, now.milliseconds)
    return true
  }

  // MARK: Numbers

  func word(_ text: String) -> UInt64 {
    var copy = text
    return copy.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
  }

  func pair(_ name: String, _ value: String) -> UInt64 { word(name + "\u{0}" + value) }

  static func signature(_ words: [UInt64]) -> UInt64 {
    words.reduce(0) { $0 | 1 << ($1 & 63) }
  }
}
