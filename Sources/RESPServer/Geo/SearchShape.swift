#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a search covers: a circle, or a box along the meridian and the parallel of its middle.
struct SearchShape: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case circle(radius: Double)
    case box(width: Double, height: Double)
  }

  let origin: CellCode.Origin
  /// In the unit of the command.
  let kind: Kind
  /// Meters a unit.
  let metersPerUnit: Double

  init(center: CellCode.Place, kind: Kind, metersPerUnit: Double) {
    origin = CellCode.Origin(center)
    self.kind = kind
    self.metersPerUnit = metersPerUnit
  }

  var center: CellCode.Place { origin.place }

  /// Returns the distance of a place from the middle, in meters; `nil` outside the shape.
  @inline(__always)
  func distance(to place: CellCode.Place) -> Double? {
    switch kind {
    case .circle(let radius):
      let distance = origin.distance(to: place)
      return distance <= radius * metersPerUnit ? distance : nil
    case .box(let width, let height):
      guard
        CellCode.meridianDistance(place.latitude, center.latitude)
          <= height * metersPerUnit / 2
      else { return nil }
      // The width is measured on the parallel of the place, not of the middle.
      let besideCenter = CellCode.Place(
        longitude: center.longitude, latitude: place.latitude)
      guard CellCode.distance(place, besideCenter) <= width * metersPerUnit / 2 else { return nil }
      return origin.distance(to: place)
    }
  }

  /// Returns what ``distance(to:)`` returns, or a number next to it (``CellCode/Origin/seriesError``)
  /// that is printed alike.
  @inline(__always)
  func printedDistance(to place: CellCode.Place) -> Double? {
    guard case .circle(let radius) = kind, let near = origin.nearDistance(to: place) else {
      return distance(to: place)
    }
    let farthest = radius * metersPerUnit
    let decimals = near / metersPerUnit * 10_000
    // Next to 2^52 doubles are whole numbers.
    let rounding = abs(decimals - (decimals + 0x1p52 - 0x1p52))
    let error = CellCode.Origin.seriesError
    guard rounding < 0.499, decimals < 1e9, abs(near - farthest) > error * farthest else {
      return distance(to: place)
    }
    return near <= farthest ? near : nil
  }

  /// A distance from the middle, in meters, that nothing in the shape exceeds.
  var reach: Double {
    switch kind {
    case .circle(let radius): radius * metersPerUnit
    case .box(let width, let height): (width + height) * metersPerUnit / 2
    }
  }

  /// The radius from which Redis estimates the size of the cells: half the diagonal of a box.
  private var estimatedRadius: Double {
    switch kind {
    case .circle(let radius): radius * metersPerUnit
    case .box(let width, let height):
      ((width / 2) * (width / 2) + (height / 2) * (height / 2)).squareRoot() * metersPerUnit
    }
  }

  /// The borders in degrees. The width is that of the edge nearer to a pole.
  private var borders: CellCode.Bounds {
    let (width, height) =
      switch kind {
      case .circle(let radius): (2 * radius, 2 * radius)
      case .box(let width, let height): (width, height)
      }
    let halfHeight = metersPerUnit * height / 2
    let halfWidth = metersPerUnit * width / 2
    let latitudes = CellCode.degrees(halfHeight / CellCode.sphereRadius)
    let isSouthern = center.latitude < 0
    let edge = isSouthern ? center.latitude - latitudes : center.latitude + latitudes
    let longitudes = CellCode.degrees(
      halfWidth / CellCode.sphereRadius / cos(CellCode.radians(edge)))
    return CellCode.Bounds(
      west: center.longitude - longitudes, east: center.longitude + longitudes,
      south: center.latitude - latitudes, north: center.latitude + latitudes)
  }

  /// Half the girth of Mercator's map in meters.
  private static let mercatorEnd = 20037726.37

  /// How often the world is halved for cells of about the radius.
  private static func estimatedSteps(radius: Double, latitude: Double) -> Int {
    guard radius != 0 else { return CellCode.steps }
    var steps = 1
    var reach = radius
    while reach < mercatorEnd, steps < 64 {
      reach *= 2
      steps += 1
    }
    // Two less, so that nine cells cover the circle; near the poles cells are narrower.
    steps -= 2
    if latitude.magnitude > 66 { steps -= 1 }
    if latitude.magnitude > 80 { steps -= 1 }
    return min(max(steps, 1), CellCode.steps)
  }

  /// The cells that Redis looks through, in its order; members elsewhere are not found, even inside
  /// the shape.
  func cells() -> SearchCells {
    let borders = borders
    var steps = Self.estimatedSteps(radius: estimatedRadius, latitude: center.latitude)
    var cells = SearchCells(around: center, steps: steps)
    if steps > 1, !cells.reach(borders) {
      steps -= 1
      cells = SearchCells(around: center, steps: steps)
    }
    if steps >= 2 { cells.leaveOut(beyond: borders) }
    return cells
  }
}

/// A cell and its eight neighbours, in the order in which Redis looks through them.
struct SearchCells {
  /// Directions in that order: rows to the north, columns to the east.
  private static let directions: [(row: Int, column: Int)] = [
    (0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1),
  ]

  private let steps: Int
  /// The codes by direction; ``leftOut`` for one that is left out.
  private var codes = InlineArray<9, UInt64>(repeating: Self.leftOut)
  /// No code, which has 52 bits at most.
  private static let leftOut = UInt64.max

  init(around center: CellCode.Place, steps: Int) {
    self.steps = steps
    let (row, column) = CellCode.rowAndColumn(
      CellCode.cell(longitude: center.longitude, latitude: center.latitude, steps: steps))
    let mask = UInt32(truncatingIfNeeded: (UInt64(1) << UInt64(steps)) - 1)
    // The map ends in itself, to the north as to the east. At the very edge a row or column is one
    // beyond the last; it stays so where the direction does not move it.
    func moved(_ index: UInt32, by distance: Int) -> UInt32 {
      distance == 0 ? index : (index &+ UInt32(truncatingIfNeeded: distance)) & mask
    }
    for (i, direction) in Self.directions.enumerated() {
      codes[i] = CellCode.interleaved(
        row: moved(row, by: direction.row), column: moved(column, by: direction.column))
    }
  }

  /// Returns whether the neighbours reach as far as the borders in each direction.
  func reach(_ borders: CellCode.Bounds) -> Bool {
    guard let north = bounds(1), let south = bounds(2), let east = bounds(3), let west = bounds(4)
    else { return false }
    return !(north.north < borders.north) && !(south.south > borders.south)
      && !(east.east < borders.east) && !(west.west > borders.west)
  }

  /// Leaves out the sides where the middle cell already reaches beyond the borders.
  mutating func leaveOut(beyond borders: CellCode.Bounds) {
    guard let middle = bounds(0) else { return }
    for (i, direction) in Self.directions.enumerated() {
      let isUseless =
        (direction.row < 0 && middle.south < borders.south)
        || (direction.row > 0 && middle.north > borders.north)
        || (direction.column < 0 && middle.west < borders.west)
        || (direction.column > 0 && middle.east > borders.east)
      if isUseless { codes[i] = Self.leftOut }
    }
  }

  private func bounds(_ i: Int) -> CellCode.Bounds? {
    codes[i] == Self.leftOut ? nil : CellCode.bounds(codes[i], steps: steps)
  }

  /// Returns which of the nine holds a score, 0 for the middle one; `nil` for none.
  @inline(__always)
  func index(of score: UInt64) -> Int? {
    let code = score >> UInt64(2 * (CellCode.steps - steps))
    return codes.indices.first { codes[$0] == code }
  }
}
