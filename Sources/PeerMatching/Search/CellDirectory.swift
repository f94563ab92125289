import CMemoryHints
import PositionProtection

/// Cells with people in them, found with their neighbours.
///
/// ```
/// level, row, column / 8 ──> | place + 1, or 0 | × 8 ──> cells
/// ```
/// A search asks for runs of neighbours: an eighth as many looks as by single cells.
struct CellDirectory: Sendable {
  private static let neighbors = 8

  private var blocks: [UInt64: SIMD8<UInt32>] = [:]
  /// Those that are given back have nobody in them.
  private(set) var cells: [TicketCell] = []
  private var free: [Int] = []

  /// Cells with people in them.
  var count: Int { cells.count - free.count }

  subscript(place: Int) -> TicketCell {
    get { cells[place] }
    set { cells[place] = newValue }
  }

  /// Where a cell is; nil: nobody is in it.
  func place(of cell: ProtectedCell) -> Int? {
    let entry = blocks[Self.block(cell)].map { $0[cell.column % Self.neighbors] } ?? 0
    return entry == 0 ? nil : Int(entry) - 1
  }

  /// - Precondition: it is not in the directory.
  mutating func insert(_ cell: ProtectedCell, _ people: TicketCell) -> Int {
    let place = free.popLast() ?? cells.count
    if place == cells.count { cells.append(people) } else { cells[place] = people }
    blocks[Self.block(cell), default: SIMD8(repeating: 0)][cell.column % Self.neighbors] =
      UInt32(place + 1)
    return place
  }

  /// - Precondition: it is in the directory, and nobody is in it.
  mutating func remove(_ cell: ProtectedCell) {
    let key = Self.block(cell)
    guard var block = blocks[key] else { return }
    free.append(Int(block[cell.column % Self.neighbors]) - 1)
    block[cell.column % Self.neighbors] = 0
    blocks[key] = block == SIMD8(repeating: 0) ? nil : block
  }

  /// Adds the places of the cells of a run that people are in.
  func collect(_ run: ProtectionGrid.Run, into places: inout [Int]) {
    var column = run.columns.lowerBound
    while column < run.columns.upperBound {
      let end = min(run.columns.upperBound, (column / Self.neighbors + 1) * Self.neighbors)
      let first = ProtectedCell(level: run.level, row: run.row, column: column)
      if let block = blocks[Self.block(first)] {
        for neighbor in column..<end where block[neighbor % Self.neighbors] != 0 {
          let place = Int(block[neighbor % Self.neighbors]) - 1
          places.append(place)
          prefetch(place)
        }
      }
      column = end
    }
  }

  /// Starts bringing a cell close: the cells of a search lie anywhere.
  @inline(__always)
  private func prefetch(_ place: Int) {
    unsafe cells.withUnsafeBufferPointer { buffer in
      if let base = buffer.baseAddress { unsafe memory_hint_read_later(base + place) }
    }
  }

  private static func block(_ cell: ProtectedCell) -> UInt64 {
    ProtectedCell(level: cell.level, row: cell.row, column: cell.column / neighbors).key
  }
}
