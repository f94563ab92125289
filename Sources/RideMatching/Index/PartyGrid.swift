import GeoMath
import ObjectModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Parties whose limits are of one size, by cell of the origin and slot of the departure.
///
///     shards[64] -> cells (latitude row, longitude column) -> slots by time -> rows
///
/// Rows of latitude are as high as a cell is wide; each is cut into as many columns of at least
/// that width as go round the Earth there, so that cells are about square up to the poles.
struct PartyGrid: Sendable {
  static let shardCount = 64

  struct Slot: Sendable {
    /// Departure time / ``PartyGrid/slotMilliseconds``, rounded down.
    var time: Int64
    var rows: [PartyRow]
  }

  struct Cell: Sendable {
    /// Ascending by time, none empty.
    var slots: [Slot] = []
  }

  struct Address: Hashable, Sendable {
    var cell: UInt64
    var time: Int64
  }

  let cellMeters: Double
  let slotMilliseconds: Int64
  private let rowDegrees: Double
  private(set) var shards: [[UInt64: Cell]]
  private(set) var count = 0
  /// The most that any party here ever allowed: how far a search must look.
  private(set) var maximumWalkMeters = 0.0
  private(set) var maximumToleranceMilliseconds: Int64 = 0

  init(cellMeters: Double, slotMilliseconds: Int64) {
    self.cellMeters = cellMeters
    self.slotMilliseconds = slotMilliseconds
    rowDegrees = cellMeters / (Earth.meanRadiusMeters * .pi / 180)
    shards = Array(repeating: [:], count: Self.shardCount)
  }

  // MARK: Addresses

  private func row(_ latitude: Double) -> Int { Int(((latitude + 90) / rowDegrees).rounded(.down)) }

  private func columns(_ row: Int) -> Int {
    let south = Double(row) * rowDegrees - 90
    // Nearest to the equator the row is longest.
    let nearest = south > 0 ? south : min(0, south + rowDegrees)
    return max(1, Int(360 * max(0, cos(min(90, nearest.magnitude) * (.pi / 180))) / rowDegrees))
  }

  private func column(_ longitude: Double, of columns: Int) -> Int {
    min(columns - 1, max(0, Int((longitude + 180) / 360 * Double(columns))))
  }

  private func key(_ row: Int, _ column: Int) -> UInt64 {
    UInt64(UInt32(truncatingIfNeeded: row)) << 32 | UInt64(UInt32(truncatingIfNeeded: column))
  }

  private static func shard(_ key: UInt64) -> Int {
    Int((key &* 0x9E37_79B9_7F4A_7C15) >> 58)
  }

  func address(_ party: Party) -> Address {
    let place = party.origin.coordinate
    let row = row(place.latitude)
    return Address(
      cell: key(row, column(place.longitude, of: columns(row))),
      time: slot(party.window.time.milliseconds))
  }

  private func slot(_ milliseconds: Int64) -> Int64 {
    let quotient = milliseconds / slotMilliseconds
    return milliseconds % slotMilliseconds < 0 ? quotient - 1 : quotient
  }

  // MARK: Changes

  mutating func insert(_ row: PartyRow, at address: Address) {
    let party = row.entry.party
    count += 1
    maximumWalkMeters = max(maximumWalkMeters, row.walkLimit)
    maximumToleranceMilliseconds = max(
      maximumToleranceMilliseconds, party.window.toleranceMilliseconds)
    let shard = Self.shard(address.cell)
    var cell = shards[shard].removeValue(forKey: address.cell) ?? Cell()
    let place = cell.slots.firstIndex { $0.time >= address.time } ?? cell.slots.count
    if place < cell.slots.count && cell.slots[place].time == address.time {
      cell.slots[place].rows.append(row)
    } else {
      cell.slots.insert(Slot(time: address.time, rows: [row]), at: place)
    }
    shards[shard][address.cell] = cell
  }

  /// - Complexity: O(rows of the slot).
  mutating func remove(id: String, at address: Address) {
    let shard = Self.shard(address.cell)
    guard var cell = shards[shard].removeValue(forKey: address.cell) else { return }
    if let place = cell.slots.firstIndex(where: { $0.time == address.time }),
      let i = cell.slots[place].rows.firstIndex(where: { $0.entry.party.id == id })
    {
      cell.slots[place].rows.swapAt(i, cell.slots[place].rows.count - 1)
      cell.slots[place].rows.removeLast()
      if cell.slots[place].rows.isEmpty { cell.slots.remove(at: place) }
      count -= 1
    }
    if !cell.slots.isEmpty { shards[shard][address.cell] = cell }
    if count == 0 {
      maximumWalkMeters = 0
      maximumToleranceMilliseconds = 0
    }
  }

  // MARK: Reading

  /// All slots whose rows' origin may lie within a radius and whose departure may lie in a span, and
  /// others. - Parameter times: Of departures, ends included.
  func visit(
    near place: Coordinate, radiusMeters: Double, times: ClosedRange<Int64>,
    _ body: ([PartyRow]) -> Void
  ) {
    guard count > 0 else { return }
    // A little more than the bound, for rounding.
    let angle = HaversineBounds.maximumAngle(radiusMeters: max(0, radiusMeters)) * 1.000001 + 1e-9
    guard angle < .pi / 2 else { return visitAll(times, body) }
    let degrees = angle * (180 / .pi)
    let south = max(-90, place.latitude - degrees)
    let north = min(90, place.latitude + degrees)
    var halfWidth = 180.0
    let ratio = sin(angle) / max(1e-300, cos(place.latitude * (.pi / 180)))
    // A cap that holds a pole holds all longitudes.
    if south > -90 && north < 90 && ratio < 1 { halfWidth = asin(ratio) * (180 / .pi) + 1e-9 }
    visitRows(
      south: south, north: north, west: place.longitude - halfWidth,
      width: 2 * halfWidth, times, body)
  }

  private func visitRows(
    south: Double, north: Double, west: Double, width: Double, _ times: ClosedRange<Int64>,
    _ body: ([PartyRow]) -> Void
  ) {
    let first = row(south)
    let last = row(north)
    // A look-up costs about as much as passing twenty rows by.
    let most = max(64, count / 20)
    var cells = 0
    for row in first...last {
      let columns = columns(row)
      cells += min(columns, Int(width / 360 * Double(columns)) + 2)
      if cells > most { return visitAll(times, body) }
    }
    let slots = slot(times.lowerBound)...slot(times.upperBound)
    for row in first...last {
      let columns = columns(row)
      if width >= 360 || Int(width / 360 * Double(columns)) + 2 >= columns {
        for column in 0..<columns { visit(key(row, column), slots, body) }
        continue
      }
      let from = Int(((west + 180) / 360 * Double(columns)).rounded(.down))
      let to = Int(((west + width + 180) / 360 * Double(columns)).rounded(.down))
      for column in from...to {
        let wrapped = column % columns
        visit(key(row, wrapped < 0 ? wrapped + columns : wrapped), slots, body)
      }
    }
  }

  private func visit(_ key: UInt64, _ slots: ClosedRange<Int64>, _ body: ([PartyRow]) -> Void) {
    guard let cell = shards[Self.shard(key)][key] else { return }
    visit(cell, slots, body)
  }

  private func visit(_ cell: Cell, _ slots: ClosedRange<Int64>, _ body: ([PartyRow]) -> Void) {
    for slot in cell.slots where slots.contains(slot.time) {
      body(slot.rows)
    }
  }

  /// All rows.
  func visitAll(_ body: ([PartyRow]) -> Void) {
    for shard in shards {
      for cell in shard.values { for slot in cell.slots { body(slot.rows) } }
    }
  }

  private func visitAll(_ times: ClosedRange<Int64>, _ body: ([PartyRow]) -> Void) {
    let slots = slot(times.lowerBound)...slot(times.upperBound)
    for shard in shards {
      for cell in shard.values { visit(cell, slots, body) }
    }
  }
}
