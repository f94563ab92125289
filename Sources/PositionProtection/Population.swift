public import GeoMath

/// How many people are in each cell of a grid, by where they truly are.
///
/// - Complexity: O(levels) a change, O(1) a count.
public struct Population: Sendable {
  private let grid: ProtectionGrid
  private var counts: [ProtectedCell: Int] = [:]

  /// Makes an empty count.
  public init(grid: ProtectionGrid) { self.grid = grid }

  /// Counts one person more.
  public mutating func add(_ place: Coordinate) { change(place, by: 1) }

  /// Counts one person less.
  public mutating func remove(_ place: Coordinate) { change(place, by: -1) }

  /// Returns how many people are in a cell.
  public subscript(cell: ProtectedCell) -> Int { counts[cell] ?? 0 }

  private mutating func change(_ place: Coordinate, by step: Int) {
    for level in 0...grid.maximumLevel {
      let cell = grid.cell(of: place, level: level)
      let count = (counts[cell] ?? 0) + step
      assert(count >= 0, "more people leave a cell than came")
      counts[cell] = count == 0 ? nil : count
    }
  }
}
