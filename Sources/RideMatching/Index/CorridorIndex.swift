import CMemoryHints
import GeoMath
import ObjectModel
import RoutePlanning
import TaxiFares

/// Parties by the cells that their riders' ways pass, and as far beside as a taxi may go: who can be
/// met somewhere on the way.
///
///     levels (cell size) -> shards -> cell -> slot of the departure -> row numbers -> rows
///
/// A party has a row for each rider that is needed so that on every leg one of them is aboard; mostly
/// the host's alone. A value, as ``PartyIndex`` is: a change copies the lists of its cells and a chunk
/// of rows, and a join that leaves the riders' ways as they are one chunk.
struct CorridorIndex: Sendable {
  /// Those of one slot that pass a cell.
  private struct SlotRows: Sendable {
    var slot: Int64
    var numbers: [UInt32] = []
  }

  private struct Level: Sendable {
    let cells: SphereCells
    let cellMeters: Double
    /// By cell, ascending by slot.
    var shards: [[UInt64: [SlotRows]]]
    var count = 0
    var reach = TimeReach()
  }

  /// How far from the start of a party's slot it may be met, at most: until then, and before by so much.
  private struct TimeReach: Sendable {
    var longestMilliseconds: Int64 = 0
    var earliestMilliseconds: Int64 = 0

    mutating func take(longest: Int64, earliest: Int64) {
      longestMilliseconds = max(longestMilliseconds, longest)
      earliestMilliseconds = max(earliestMilliseconds, earliest)
    }
  }

  /// Of one party.
  struct Placement: Hashable, Sendable {
    var corridors: [Corridor]
    var slot: Int64
    var numbers: [UInt32]
    var fares: UInt32
  }

  private static let shardCount = 256
  private static let chunkRows = RowNumbers.chunkRows
  private static let slotMilliseconds: Int64 = 1_800_000
  /// Half widths of corridors up to which the levels go; wider ones are looked at in every search. The first one is
  /// that of a ride of 1 km: of finer cells each search would look at eighty, for the few rides that are shorter.
  private static let halfWidths: [Double] = [
    600, 850, 1200, 1700, 2400, 3400, 4800, 6800, 9600, 13_600, 19_200, 27_200, 38_400,
    54_400,
  ]

  private var levels: [Level]
  private var wide: [UInt32] = []
  /// By number in chunks: what a search looks at first, then at some of, then at few of.
  private var heads: [[CorridorHead]] = []
  private var rows: [[CorridorRow]] = []
  private var outlines: [[RideOutline]] = []
  private var entries: [[IndexedParty?]] = []
  private var addresses: [[PartyAddresses]] = []
  private var rowNumbers = RowNumbers()
  private(set) var count = 0
  private(set) var maximumWalkMeters = 0.0
  private(set) var maximumDetourRatio = 0.0
  /// Of all parties.
  private var reach = TimeReach()
  private(set) var fares = FareBoundsTable()

  init() {
    levels = Self.halfWidths.map { width in
      Level(
        cells: SphereCells(cellMeters: width / 3), cellMeters: width / 3,
        shards: [])
    }
  }

  // MARK: Changes

  /// Puts a party in, in place of what it was.
  ///
  /// - Parameters:
  ///   - entry: The party as it is now.
  ///   - profile: Its traffic profile's number in the index.
  ///   - old: Where it was.
  /// - Returns: Where it is; nil where nobody can board it.
  mutating func update(
    _ entry: IndexedParty, profile: UInt8, from old: Placement?
  ) -> Placement? {
    let slot = Self.slot(entry.party.window.time.milliseconds)
    let fares = retainFares(entry, profile: profile)
    let fresh = CorridorRow.rows(entry, profile: profile, fares: fares)
    guard let first = fresh.first else {
      self.fares.release(fares)
      remove(old)
      return nil
    }
    maximumWalkMeters = max(maximumWalkMeters, Double(first.row.walkLimit))
    maximumDetourRatio = max(maximumDetourRatio, Double(first.row.detourRatio))
    let early = slot * Self.slotMilliseconds - first.row.start
    for made in fresh {
      let longest = Int64(made.latestSeconds) * 1000 + 1000 - early
      reach.take(longest: longest, earliest: early)
      if let level = Self.level(made.corridor) {
        levels[level].reach.take(longest: longest, earliest: early)
      }
    }
    let corridors = fresh.map(\.corridor)
    let outline = RideOutline(entry.boarding, first.row.weighing)
    if var old, old.slot == slot, old.corridors == corridors {
      for (number, made) in zip(old.numbers, fresh) { write(made, outline, entry, number) }
      self.fares.release(old.fares)
      old.fares = fares
      return old
    }
    var placement = Placement(corridors: corridors, slot: slot, numbers: [], fares: fares)
    for made in fresh {
      let number = rowNumbers.take(slot)
      write(made, outline, entry, number)
      placement.numbers.append(number)
      count += 1
      change(made.corridor, slot) { $0.append(number) }
    }
    remove(old)
    return placement
  }

  private mutating func retainFares(_ entry: IndexedParty, profile: UInt8) -> UInt32 {
    let ride = entry.ride
    guard profile != PartyRow.unknownProfile, ride.price == .metered else {
      return FareBoundsTable.none
    }
    return fares.retain(FareBounds.Key(ride, profile: profile), ride)
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
      rowNumbers.release(number)
      count -= 1
    }
    fares.release(placement.fares)
    if count == 0 { self = CorridorIndex() }
  }

  /// The times in the middle of windows of all parties that somebody may board within a window are in it.
  func departures(_ window: DepartureWindow) -> ClosedRange<Instant> {
    let slot = Self.slotMilliseconds
    return window.start.advanced(
      milliseconds: -reach.longestMilliseconds - slot)...window.end.advanced(
        milliseconds: reach.earliestMilliseconds + slot)
  }

  private mutating func write(
    _ made: CorridorRow.Made, _ outline: RideOutline, _ entry: IndexedParty, _ number: UInt32
  ) {
    let (chunk, place) = Int(number).quotientAndRemainder(dividingBy: Self.chunkRows)
    let head = CorridorHead(made, halts: Int(outline.count))
    if chunk == rows.count {
      heads.append([])
      rows.append([])
      outlines.append([])
      entries.append([])
      addresses.append([])
    }
    if place == rows[chunk].count {
      heads[chunk].append(head)
      rows[chunk].append(made.row)
      outlines[chunk].append(outline)
      entries[chunk].append(entry)
      addresses[chunk].append(PartyAddresses(entry))
    } else {
      heads[chunk][place] = head
      rows[chunk][place] = made.row
      outlines[chunk][place] = outline
      entries[chunk][place] = entry
      addresses[chunk][place] = PartyAddresses(entry)
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
      var cell = levels[level].shards[shard].removeValue(forKey: key) ?? []
      let place = Self.firstIndex(of: cell, from: slot)
      if place == cell.count || cell[place].slot != slot {
        cell.insert(SlotRows(slot: slot), at: place)
      }
      levels[level].count -= cell[place].numbers.count
      body(&cell[place].numbers)
      levels[level].count += cell[place].numbers.count
      if cell[place].numbers.isEmpty { cell.remove(at: place) }
      if !cell.isEmpty { levels[level].shards[shard][key] = cell }
    }
  }

  /// Where the slots of a cell begin that are not before one.
  private static func firstIndex(of cell: [SlotRows], from slot: Int64) -> Int {
    var low = 0
    var high = cell.count
    while low < high {
      let middle = (low + high) / 2
      if cell[middle].slot < slot { low = middle + 1 } else { high = middle }
    }
    return low
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
  func head(_ number: UInt32) -> CorridorHead {
    heads[Int(number) / Self.chunkRows][Int(number) % Self.chunkRows]
  }

  /// A row that may serve somebody.
  struct Serving {
    var number: UInt32
    var traits: CorridorHead.Traits
  }

  /// Finds those of the numbers whose heads allow it that somebody is served, in doubt all.
  ///
  /// - Parameters:
  ///   - marked: A bit for each number.
  ///   - question: Who asks.
  ///   - shouldStop: Asked for every chunk of numbers.
  /// - Returns: The rows, ascending by number.
  func serving(
    _ marked: [UInt64], _ question: HeadsQuestion, _ shouldStop: () -> Bool
  ) -> [Serving] {
    var found: [Serving] = []
    var places = Self.places(marked, in: 0)
    for chunk in heads.indices {
      // The next chunk's are on their way while these are looked at.
      let next = Self.places(marked, in: chunk + 1)
      if !next.isEmpty { Self.prefetch(next, of: heads[chunk + 1]) }
      defer { places = next }
      guard !places.isEmpty else { continue }
      if shouldStop() { break }
      let heads = heads[chunk]
      for first in stride(from: 0, to: places.count, by: 4) {
        // Behind the last place it stands again.
        func place(_ i: Int) -> Int { Int(places[min(first + i, places.count - 1)]) }
        let serving = FourHeads(
          heads[place(0)], heads[place(1)], heads[place(2)], heads[place(3)]
        ).mayServe(question)
        guard serving != 0 else { continue }
        for i in 0..<min(4, places.count - first) where serving >> UInt8(i) & 1 == 1 {
          found.append(
            Serving(
              number: UInt32(chunk * Self.chunkRows + place(i)), traits: heads[place(i)].traits))
        }
      }
    }
    return found
  }

  /// Those marked of a chunk, by their places in it.
  private static func places(_ marked: [UInt64], in chunk: Int) -> [UInt8] {
    var places: [UInt8] = []
    for word in 0..<chunkRows / 64 {
      let index = chunk * (chunkRows / 64) + word
      guard index < marked.count else { break }
      var bits = marked[index]
      while bits != 0 {
        places.append(UInt8(truncatingIfNeeded: word << 6 | bits.trailingZeroBitCount))
        bits &= bits - 1
      }
    }
    return places
  }

  /// Starts to bring heads close: the memory of many is under way at a time (Decisions/0008).
  private static func prefetch(_ places: [UInt8], of heads: [CorridorHead]) {
    heads.withUnsafeBufferPointer { heads in
      guard let base = heads.baseAddress else { return }
      for place in places { hint(base + Int(place)) }
    }
  }

  /// The same of an outline.
  @inline(__always)
  func prefetchOutline(_ number: UInt32) { Self.prefetch(number, of: outlines) }

  /// The same of what says who a row's party is and where it lies.
  func prefetchRow(_ number: UInt32) {
    Self.prefetch(number, of: rows)
    Self.prefetch(number, of: entries)
    Self.prefetch(number, of: addresses)
  }

  @inline(__always)
  private static func prefetch<Element>(_ number: UInt32, of chunks: [[Element]]) {
    chunks[Int(number) / chunkRows].withUnsafeBufferPointer { chunk in
      guard let base = chunk.baseAddress else { return }
      hint(base + Int(number) % chunkRows)
    }
  }

  /// All lines of an element.
  @inline(__always)
  private static func hint<Element>(_ element: UnsafePointer<Element>) {
    let first = UnsafeRawPointer(element)
    for byte in stride(from: 0, to: MemoryLayout<Element>.size, by: 64) {
      memory_hint_read(first + byte)
    }
    memory_hint_read(first + MemoryLayout<Element>.size - 1)
  }

  /// The same of the party of a row, whose own memory is close by now.
  func prefetchParty(_ number: UInt32) {
    addresses[Int(number) / Self.chunkRows][Int(number) % Self.chunkRows].prefetch()
  }

  /// The heads of four rows.
  @inline(__always)
  func heads(_ numbers: SIMD4<UInt32>) -> FourHeads {
    FourHeads(head(numbers.x), head(numbers.y), head(numbers.z), head(numbers.w))
  }

  /// Where the halts of a row's outline are.
  func halts(_ number: UInt32) -> [SIMD3<Float>] {
    let outline = outlines[Int(number) / Self.chunkRows][Int(number) % Self.chunkRows]
    return (0..<Int(outline.count)).map { halt in
      let place = outline.halts[halt].place
      return SIMD3(place.x, place.y, place.z)
    }
  }

  /// Puts one of four rides where they are worked with, by its outline.
  @inline(__always)
  func put(_ number: UInt32, as ride: Int, into outlines: inout FourOutlines) {
    outlines.set(ride, self.outlines[Int(number) / Self.chunkRows][Int(number) % Self.chunkRows])
  }

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
    let angle = HaversineBounds.maximumAngle(radiusMeters: max(0, walkMeters))
    for level in levels where level.count > 0 {
      // Rides of wide corridors take longer.
      let first = Self.slot(
        window.start.advanced(milliseconds: -level.reach.longestMilliseconds).milliseconds)
      let last = Self.slot(
        window.end.advanced(milliseconds: level.reach.earliestMilliseconds).milliseconds)
      guard first <= last else { continue }
      func look(_ cell: [SlotRows]) {
        var place = Self.firstIndex(of: cell, from: first)
        while place < cell.count, cell[place].slot <= last {
          body(cell[place].numbers)
          place += 1
        }
      }
      var keys: [UInt64] = []
      if level.cells.visit(near: place, angle: angle, most: 256, { keys.append($0) }) {
        for key in keys {
          if let cell = level.shards[Self.shard(key)][key] { look(cell) }
        }
      } else {
        for shard in level.shards {
          for cell in shard.values { look(cell) }
        }
      }
    }
  }

  /// All numbers are below.
  var numberBound: Int { rowNumbers.bound }

  /// The numbers of all rows, in use or not, ascending.
  var numbers: [UInt32] {
    var numbers: [UInt32] = []
    numbers.reserveCapacity(numberBound)
    for chunk in rows.indices {
      let first = UInt32(chunk * Self.chunkRows)
      numbers.append(contentsOf: first..<first + UInt32(rows[chunk].count))
    }
    return numbers
  }

  /// Whether a row is of a party, without a look at it.
  @inline(__always)
  func isUsed(_ number: UInt32) -> Bool {
    entries[Int(number) / Self.chunkRows][Int(number) % Self.chunkRows] != nil
  }
}
