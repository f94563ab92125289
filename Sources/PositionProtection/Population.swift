public import GeoMath

/// How many people are in each cell of a grid, by where they truly are.
///
/// - Complexity: O(levels) a change, O(1) a count.
public struct Population: Sendable {
  private let grid: ProtectionGrid
  /// By ``ProtectedCell/key``; nobody: no entry.
  private var counts: [UInt64: Int] = [:]

  /// Makes an empty count.
  public init(grid: ProtectionGrid) { self.grid = grid }

  /// Counts one person more.
  public mutating func add(_ place: Coordinate) { change(around: place, by: 1) }

  /// Counts one person less.
  public mutating func remove(_ place: Coordinate) { change(around: place, by: -1) }

  /// Counts a person who went from one place to another: most stay in their cells.
  public mutating func move(from old: Coordinate, to new: Coordinate) {
    var left: ProtectedCell? = grid.cell(of: old, level: 0)
    var entered: ProtectedCell? = grid.cell(of: new, level: 0)
    while let one = left, let other = entered, one != other {
      change(one, by: -1)
      change(other, by: 1)
      left = grid.parent(of: one)
      entered = grid.parent(of: other)
    }
  }

  /// Returns how many people are in a cell.
  public subscript(cell: ProtectedCell) -> Int { counts[cell.key] ?? 0 }

  private mutating func change(around place: Coordinate, by step: Int) {
    var cell: ProtectedCell? = grid.cell(of: place, level: 0)
    while let known = cell {
      change(known, by: step)
      cell = grid.parent(of: known)
    }
  }

  private mutating func change(_ cell: ProtectedCell, by step: Int) {
    let count = (counts[cell.key] ?? 0) + step
    assert(count >= 0, "more people leave a cell than came")
    counts[cell.key] = count == 0 ? nil : count
  }
}
