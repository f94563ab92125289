import GeoMath
import ObjectModel
import RoutePlanning

/// Parties by the cells that their riders' ways pass, and as far beside as a taxi may go: who can be
/// met somewhere on the way.
///
///     levels (cell size) -> shards -> (cell, slot of the departure) -> row numbers -> rows
///
/// A party has a row for each rider that is needed so that on every leg one of them is aboard; mostly
/// the host's alone. A value, as ``PartyIndex`` is: a change copies the lists of its cells and a chunk
/// of rows, and a join that leaves the riders' ways as they are one chunk.
struct CorridorIndex: Sendable {
  struct Address: Hashable, Sendable {
    var cell: UInt64
    var slot: Int64
  }

  private struct Level: Sendable {
    let cells: SphereCells
    let cellMeters: Double
    var shards: [[Address: [UInt32]]]
    var count = 0
  }

  /// Of one party.
  struct Placement: Hashable, Sendable {
    var corridors: [Corridor]
    var slot: Int64
    var numbers: [UInt32]
  }

  private static let shardCount = 256
  private static let chunkRows = 128
  private static let slotMilliseconds: Int64 = 1_800_000
  /// Half widths of corridors up to which the levels go; wider ones are looked at in every search.
  private static let halfWidths: [Double] = [
    300, 425, 600, 850, 1200, 1700, 2400, 3400, 4800, 6800, 9600, 13_600, 19_200, 27_200, 38_400,
    54_400,
  ]

  private var levels: [Level]
  private var wide: [UInt32] = []
  private var rows: [[CorridorRow]] = []
  private var entries: [[IndexedParty?]] = []
  private var free: [UInt32] = []
  private(set) var count = 0
  private(set) var maximumWalkMeters = 0.0
  private var longestMilliseconds: Int64 = 0

  init() {
    levels = Self.halfWidths.map { width in
      Level(
        cells: SphereCells(cellMeters: width / 3), cellMeters: width / 3,
        shards: [])
    }
  }

  // MARK: Changes

  /// Puts a party in, in place of what it was.
  mutating func update(_ entry: IndexedParty, from old: Placement?) -> Placement? {
    let fresh = Self.rows(entry)
    guard !fresh.isEmpty else {
      remove(old)
      return nil
    }
    let slot = Self.slot(entry.party.window.start.milliseconds)
    maximumWalkMeters = max(maximumWalkMeters, fresh[0].walkLimit)
    longestMilliseconds = max(
      longestMilliseconds, fresh.map { $0.latest - $0.start }.max() ?? 0)
    let corridors = fresh.map(\.corridor)
    if let old, old.slot == slot, old.corridors == corridors {
      for (number, row) in zip(old.numbers, fresh) { write(row, entry, number) }
      return old
    }
    remove(old)
    var placement = Placement(corridors: corridors, slot: slot, numbers: [])
    for row in fresh {
      let number = free.popLast() ?? newNumber()
      write(row, entry, number)
      placement.numbers.append(number)
      count += 1
      change(row.corridor, slot) { $0.append(number) }
    }
    return placement
  }

  /// - Complexity: O(rows of its cells and slot).
  mutating func remove(_ placement: Placement?) {
    guard let placement else { return }
    for (number, corridor) in zip(placement.numbers, placement.corridors) {
      change(corridor, placement.slot) { list in
        guard let i = list.firstIndex(of: number) else { return }
        list.swapAt(i, list.count - 1)
        list.removeLast()
      }
      entries[Int(number) / Self.chunkRows][Int(number) % Self.chunkRows] = nil
      free.append(number)
      count -= 1
    }
    if count == 0 { self = CorridorIndex() }
  }

  private mutating func newNumber() -> UInt32 {
    let number = max(0, rows.count - 1) * Self.chunkRows + (rows.last?.count ?? 0)
    if number % Self.chunkRows == 0 {
      rows.append([])
      entries.append([])
    }
    return UInt32(number)
  }

  private mutating func write(_ row: CorridorRow, _ entry: IndexedParty, _ number: UInt32) {
    let (chunk, place) = Int(number).quotientAndRemainder(dividingBy: Self.chunkRows)
    if place == rows[chunk].count {
      rows[chunk].append(row)
      entries[chunk].append(entry)
    } else {
      rows[chunk][place] = row
      entries[chunk][place] = entry
    }
  }

  private static func level(_ corridor: Corridor) -> Int? {
    let width = corridor.halfWidthMeters
    // A long way in small cells would stand in thousands of them.
    return halfWidths.firstIndex { width <= $0 && corridor.lengthMeters <= 24 * $0 }
  }

  private mutating func change(
    _ corridor: Corridor, _ slot: Int64, _ body: (inout [UInt32]) -> Void
  ) {
    guard let level = Self.level(corridor) else { return body(&wide) }
    var keys: Set<UInt64> = []
    var fits = true
    let cells = levels[level].cells
    corridor.discs(apart: levels[level].cellMeters) { middle, angle in
      fits = fits && cells.visit(near: middle, angle: angle, most: 4096) { keys.insert($0) }
    }
    guard fits else { return body(&wide) }
    if levels[level].shards.isEmpty {
      levels[level].shards = Array(repeating: [:], count: Self.shardCount)
    }
    for key in keys {
      let shard = Self.shard(key)
      let address = Address(cell: key, slot: slot)
      var list = levels[level].shards[shard].removeValue(forKey: address) ?? []
      levels[level].count -= list.count
      body(&list)
      levels[level].count += list.count
      if !list.isEmpty { levels[level].shards[shard][address] = list }
    }
  }

  private static func slot(_ milliseconds: Int64) -> Int64 {
    let quotient = milliseconds / slotMilliseconds
    return milliseconds % slotMilliseconds < 0 ? quotient - 1 : quotient
  }

  private static func shard(_ key: UInt64) -> Int {
    Int((key &* 0x9E37_79B9_7F4A_7C15) >> 56)
  }

  // MARK: Reading

  @inline(__always)
  func row(_ number: UInt32) -> CorridorRow {
    rows[Int(number) / Self.chunkRows][Int(number) % Self.chunkRows]
  }

  func entry(_ number: UInt32) -> IndexedParty? {
    entries[Int(number) / Self.chunkRows][Int(number) % Self.chunkRows]
  }

  /// Lists of rows that may serve somebody within a walk of a place at some time; a row may stand in
  /// several.
  func visit(
    near place: Coordinate, walkMeters: Double, window: DepartureWindow,
    _ body: ([UInt32]) -> Void
  ) {
    guard count > 0 else { return }
    body(wide)
    let first = Self.slot(
      window.start.advanced(milliseconds: -longestMilliseconds).milliseconds)
    let last = Self.slot(window.end.milliseconds)
    guard first <= last else { return }
    let angle = HaversineBounds.maximumAngle(radiusMeters: max(0, walkMeters))
    for level in levels where level.count > 0 {
      var keys: [UInt64] = []
      let isFew = level.cells.visit(near: place, angle: angle, most: 256) { keys.append($0) }
      if isFew
        && Int64(keys.count).multipliedReportingOverflow(by: last - first + 1).partialValue
          < 4096,
        !(last - first + 1).multipliedReportingOverflow(by: 256).overflow
      {
        for key in keys {
          let shard = level.shards[Self.shard(key)]
          for slot in first...last {
            if let list = shard[Address(cell: key, slot: slot)] { body(list) }
          }
        }
      } else {
        for shard in level.shards {
          for (address, list) in shard where address.slot >= first && address.slot <= last {
            body(list)
          }
        }
      }
    }
  }

  /// The numbers of all rows in use.
  func visitAll(_ body: (UInt32, CorridorRow, IndexedParty) -> Void) {
    for chunk in rows.indices {
      for place in rows[chunk].indices {
        guard let entry = entries[chunk][place] else { continue }
        body(UInt32(chunk * Self.chunkRows + place), rows[chunk][place], entry)
      }
    }
  }

  // MARK: Rows

  /// The rows of a party: riders of whom one is aboard on each leg with somebody aboard.
  static func rows(_ entry: IndexedParty) -> [CorridorRow] {
    let ride = entry.boarding
    var rows: [CorridorRow] = []
    var leg = 0
    while leg < ride.legs.count {
      var best: Int?
      for (i, rider) in ride.riders.enumerated() where rider.boards <= leg && leg < rider.alights {
        if let known = best, ride.riders[known].alights >= rider.alights { continue }
        best = i
      }
      guard let best else {
        leg += 1
        continue
      }
      rows.append(row(entry, ride.riders[best], isFirst: rows.isEmpty))
      leg = ride.riders[best].alights
    }
    if rows.count == 1 { rows[0].isOnly = true }
    return rows
  }

  private static func row(
    _ entry: IndexedParty, _ rider: BoardingRide.Rider, isFirst: Bool
  ) -> CorridorRow {
    let party = entry.party
    let ride = entry.boarding
    let profile = ride.ride.travel.profile
    let circuities = profile.circuity.knots.map(\.value)
    let perChord = (circuities.min() ?? 1) * HaversineBounds.minimumRatio
    let slowest = (profile.speed.knots.map(\.value).min() ?? 1) * (profile.hourFactors.min() ?? 1)
    let aboard = min(rider.limitSeconds, rider.limitMeters / max(1e-9, slowest))
    let boarded = ride.legs.prefix(rider.boards).reduce(0) { $0 + $1.durationSeconds }
    let latest = min(max(0, boarded + aboard), 1e9) * 1000 + 1000
    let limits = party.policy.bounding(party.limits)
    return CorridorRow(
      corridor: Corridor(
        from: SphereVector(ride.halts[rider.boards].place),
        to: SphereVector(ride.halts[rider.alights].place),
        budgetMeters: rider.limitMeters / perChord),
      start: party.window.start.milliseconds,
      latest: party.window.end.advanced(milliseconds: Int64(latest)).milliseconds,
      windowEnd: party.window.end.milliseconds, roadPerChord: perChord,
      mostCircuity: circuities.max() ?? 1, walkLimit: limits.maxWalkMeters,
      detourRatio: limits.maxDetourRatio, walkCap: party.policy.maxWalkMeters ?? .infinity,
      detourCap: party.policy.maxDetourRatio ?? .infinity,
      riderBits: entry.riderIDs.reduce(0) { $0 | PartyRow.bit($1) },
      seatsFree: Int8(clamping: ride.mostSeatsFree), isActive: party.isActive,
      hasAttributeRules: ride.ride.hasAttributeRules, isFirst: isFirst,
      isOnly: false)
  }
}
