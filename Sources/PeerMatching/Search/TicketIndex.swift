public import GeoMath
public import ObjectModel

/// People who wait, by the cell in which others see them.
///
/// ```
/// cell ──> bucket: rows without references, and the words of their interests and attributes
///            slot ──> detail: names, wishes, blocks
/// user id ──> slot
/// ```
/// Everyone in a cell stands at one point, so its distance is computed once. A search looks at the
/// rows of the cells within the radius, at words only where a row's 64-bit signatures cannot tell,
/// and at a detail only of people with wishes or blocks.
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
    /// See ``TicketIndex/number(of:)``.
    var number: UInt64
    /// Where the words of interests begin in the bucket; those of attributes follow.
    var firstWord: Int
    var tagCount: Int
    var attributeCount: Int
    /// Of the words; 0: everybody shares an interest with them.
    var tagSignature: UInt64
    /// Of the words.
    var attributeSignature: UInt64
    var expiresAt: Int64
    var lastSeen: Int64
    /// Stars on average; below 0: unrated.
    var stars: Double
    var latitude: Double
    var longitude: Double
    /// Of the words that others look for; 0: they take anybody.
    var wishSignature: UInt64
    var hasBlocks: Bool
  }

  /// The people of one cell.
  struct Bucket {
    var rows: [Row] = []
    var words: [UInt64] = []

    mutating func append(_ row: Row, _ tags: [UInt64], _ attributes: [UInt64]) {
      var row = row
      row.firstWord = words.count
      words += tags
      words += attributes
      rows.append(row)
    }

    /// The last row takes the place. - Returns: Its slot, if it moved.
    mutating func remove(at place: Int) -> Int? {
      let row = rows[place]
      let count = row.tagCount + row.attributeCount
      words.removeSubrange(row.firstWord..<row.firstWord + count)
      for i in rows.indices where rows[i].firstWord > row.firstWord { rows[i].firstWord -= count }
      rows.swapAt(place, rows.count - 1)
      rows.removeLast()
      return place < rows.count ? rows[place].slot : nil
    }
  }

  struct Detail {
    var userID: String
    var cell: ProtectedCell
    /// Place in the cell's rows.
    var place: Int
    var exact: Coordinate
    var tagNames: [String]
    /// Any of each list of words.
    var wishes: [[UInt64]]
    var blocked: Set<UInt64>
  }

  private(set) var buckets: [UInt64: Bucket] = [:]
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
    return buckets[detail.cell.key]?.rows[detail.place]
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
    let tags = isForAnything ? [] : Array(Set(ticket.tags.map(word)))
    let attributes = ticket.attributes.map { pair($0.key, $0.value) }
    let wishes = ticket.wanted.map { wish in wish.values.map { pair(wish.name, $0) } }
    let slot = free.popLast() ?? details.count
    if slot == details.count { details.append(nil) }
    let place = buckets[cell.key]?.rows.count ?? 0
    details[slot] = Detail(
      userID: ticket.userID, cell: cell, place: place, exact: here, tagNames: ticket.tags,
      wishes: wishes,
      blocked: Set(ticket.blocked.map(word)))
    buckets[cell.key, default: Bucket()].append(
      Row(
        slot: slot, number: word(ticket.userID), firstWord: 0, tagCount: tags.count,
        attributeCount: attributes.count, tagSignature: Self.signature(tags),
        attributeSignature: Self.signature(attributes),
        expiresAt: ticket.expiresAt.milliseconds, lastSeen: seen.milliseconds,
        stars: ticket.rating.average ?? -1, latitude: shown.latitude, longitude: shown.longitude,
        wishSignature: Self.signature(wishes.flatMap { $0 }), hasBlocks: !ticket.blocked.isEmpty),
      tags, attributes)
    slots[ticket.userID] = slot
    population.add(here)
  }

  /// Takes somebody out; unknown: nothing.
  public mutating func remove(_ userID: String) {
    guard let slot = slots.removeValue(forKey: userID), let detail = details[slot] else { return }
    population.remove(detail.exact)
    let key = detail.cell.key
    if let moved = buckets[key]?.remove(at: detail.place) { details[moved]?.place = detail.place }
    if buckets[key]?.rows.isEmpty == true { buckets[key] = nil }
    details[slot] = nil
    free.append(slot)
  }

  /// Notes a sign of life. - Returns: Whether the person is in the index.
  @discardableResult
  public mutating func touch(_ userID: String, at now: Instant) -> Bool {
    guard let slot = slots[userID], let detail = details[slot] else { return false }
    let key = detail.cell.key
    let known = buckets[key]?.rows[detail.place].lastSeen ?? .min
    buckets[key]?.rows[detail.place].lastSeen = max(known, now.milliseconds)
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
